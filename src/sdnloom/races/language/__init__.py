"""The DyNetKAT language: terms, models, forwarding properties, and the two file formats."""
