"""NetKAT without `dup`: syntax, parser, printer, reference evaluator, packet sets and decisions with witnesses."""
