"""The switches of a scenario as bridges of one real Open vSwitch."""
