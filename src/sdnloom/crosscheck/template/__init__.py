"""How the tables of a test file become messages and packets with symbolic fields."""
