"""The web explorer: a server on loopback, the session that it serves, and its page."""
