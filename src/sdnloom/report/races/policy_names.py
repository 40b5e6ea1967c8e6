"""Policies of a model by the names that the model gives them."""

from typing import Final

from sdnloom.netkat.printer import to_text
from sdnloom.netkat.syntax import Policy
from sdnloom.races.language.model import BigSwitch, RaceModel

# A shared part of a policy is written out wherever it occurs, so a text may be far larger than its policy.
_MAX_LENGTH: Final = 2000


class PolicyNames:
    """Texts of policies: the first name that the model has for it, or the policy itself."""

    def __init__(self, model: RaceModel) -> None:
        self._model = model
        self._names: dict[Policy, str] = {}
        self.used: dict[str, Policy] = {}  # the names that were given so far
        for name, policy in model.policies.items():
            self._names.setdefault(policy, name)

    def text(self, policy: Policy) -> str:
        """The name of a policy, or its text."""
        name = self._names.get(policy)
        if name is None:
            return to_text(policy, limit=_MAX_LENGTH)
        self.used[name] = policy
        return name

    def switch_table(self, element: int, place: int) -> str:
        """The name of a table: that of the switch inside of a network, or of the element."""
        found = self._model.elements[element]
        return found.switches[place].name if isinstance(found, BigSwitch) else found.name
