"""Operations that rewritten code calls in place of operators, subscripts, calls and formatting."""
