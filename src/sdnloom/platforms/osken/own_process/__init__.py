"""Apps of os-ken and Ryu in a process of their own: os-ken's hub, sockets and clock are the real ones."""
