"""Real switches, as other processes: Open vSwitch, started and stopped here, and any switch on a socket."""
