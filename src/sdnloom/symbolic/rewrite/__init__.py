"""AST rewriting of code under test, so that symbolic values see every operation on them."""
