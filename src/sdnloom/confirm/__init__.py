"""Takes the steps of a trace on a real controller and a real Open vSwitch, and compares what happens."""
