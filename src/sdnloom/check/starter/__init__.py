"""A first scenario for a program: what kind of program a file holds, what it needs, and the text of the scenario."""
