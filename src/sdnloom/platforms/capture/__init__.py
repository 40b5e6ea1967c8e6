"""State capture: snapshot, restore and digest of the live objects of a program."""
