"""The process that a program under test believes to run in, and what libraries see of it."""
