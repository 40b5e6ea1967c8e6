"""Partial-order reduction: stubborn sets, sleep sets, the cycle proviso, and checks of what they rely on."""
