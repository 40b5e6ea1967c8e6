"""Agents that can only be tried: which inputs are chosen for them, and what they do with each."""

from sdnloom.crosscheck.black_box.input_choice import chosen_inputs as chosen_inputs
from sdnloom.crosscheck.black_box.strict_guide import strict_partition as strict_partition
from sdnloom.crosscheck.black_box.try_inputs import TryProgress as TryProgress
from sdnloom.crosscheck.black_box.try_inputs import try_inputs as try_inputs
