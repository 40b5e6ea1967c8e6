"""A partial correction of BUG-I: a rule ends even while it is used. Until then packets to a moved host are lost."""

from pyswitch import PySwitch


class HardTimeout(PySwitch):
    hard_timeout = 10
