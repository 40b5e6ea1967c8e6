"""The network model: packets, OpenFlow, switches, hosts, links and the controller as components of a system."""
