"""What a handler may be given: symbolic packets, the classes of packets it treats alike, and one of each."""
