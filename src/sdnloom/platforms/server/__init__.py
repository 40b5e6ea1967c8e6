"""A small OpenFlow server: runs programs of our own platforms in a process of their own, on real connections."""
