"""`nox.lib.packet`: headers of packets that apps read, change and build, byte for byte."""
