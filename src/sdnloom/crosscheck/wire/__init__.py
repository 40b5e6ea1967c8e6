"""What an agent sent, read field by field; any byte of it may be symbolic."""
