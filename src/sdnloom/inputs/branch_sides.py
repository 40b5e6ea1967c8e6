"""Sides of the program's branches that no packet of the domains takes, and the domains that were in force.

A side is unreached if no question took it, and a packet outside of the domains would: one with another source address,
with a value that `--field` left out, or of a type whose stack was not explored. A side that packets of another sender
take is a matter of bounds, not of domains, and a side that no packet at all takes is dead code; neither is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import NamedTuple

from sdnloom.inputs.concolic import constraints, in_domain
from sdnloom.inputs.condition_text import condition_text
from sdnloom.inputs.domains import Domain, domain_items, value_text
from sdnloom.inputs.explorer import ConstantUse, InputClasses
from sdnloom.inputs.skeletons import (
    DEFAULT,
    DEFAULT_STACKS,
    DESTINATIONS,
    FOLLOWED_TYPES,
    SenderView,
    Skeleton,
    make_skeletons,
)
from sdnloom.inputs.stacks import StackField, stack_of_type
from sdnloom.network.hosts import Host
from sdnloom.network.hosts.mobile import inner_host
from sdnloom.network.network import Network
from sdnloom.network.reply_counters import is_counter
from sdnloom.network.topology.spec import HostSpec
from sdnloom.symbolic.options import ExplorationOptions
from sdnloom.symbolic.result import BranchSide
from sdnloom.symbolic.solver.flip import Answer, BranchFlipper
from sdnloom.symbolic.solver.interface import SolverAnswer, find_solver
from sdnloom.symbolic.terms.constructors import Term, not_
from sdnloom.symbolic.terms.node import variables
from sdnloom.symbolic.terms.substitute import substitute

Way = tuple[Skeleton, tuple[Term, ...]]  # the packets of a question, and the literals that lead to a side


class HostDomains(NamedTuple):
    """A sender and the skeletons of what it may send."""

    view: SenderView
    skeletons: tuple[Skeleton, ...]

    @property
    def name(self) -> str:
        """The name of the host; "" if there is none."""
        return self.view.host.name if self.view.host else ""


class Senders(NamedTuple):
    """The domains of the hosts that may send something, and the hosts that send nothing."""

    hosts: tuple[HostDomains, ...] = ()
    silent: tuple[HostSpec, ...] = ()


@dataclass(frozen=True)
class UnreachedBranch:
    """A side of a branch that no packet of the domains takes: where it is, and what would reach it.

    `values` are those of a packet that takes it, in the fields that keep it out of the domains; `option` is the option
    that adds such packets, "" if it is not known whether there are any. `silent` are hosts that have one of these
    values as an address and send nothing.
    """

    file: str
    line: int
    condition: str
    values: tuple[tuple[str, str], ...] = ()
    option: str = ""
    silent: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = "reply" if self.values and is_counter(self.values[0][0]) else "packet"
        where = f"{self.file}:{self.line}: no {what} takes the side {self.condition}"
        if not self.option:
            return f"{where}, and whether packets outside of the domains do is undecided"
        names = " and ".join(self.silent)
        let = f", or let {names} send something, who has this address" if self.silent else ""
        return f"{where}; to reach it, give {self.option}{let}"


@dataclass(frozen=True)
class FieldDomain:
    """The values that a field had, in words, and the constants of the program that it is compared with, by line."""

    field: str
    values: str
    constants: tuple[tuple[str, str], ...] = ()


class BranchSides:
    """Collects over all questions which sides of branches were taken, and finds those that are unreached."""

    def __init__(self, senders: Senders, options: ExplorationOptions | None = None) -> None:
        self.hosts, self.silent, self._options = *senders, options or ExplorationOptions()
        self._asked: set[Skeleton] = set()
        self._taken: set[BranchSide] = set()
        self._ways: dict[BranchSide, dict[Way, None]] = {}
        self._constants: set[ConstantUse] = set()

    def add(self, skeleton: Skeleton, answer: InputClasses) -> None:
        """Add the answer to a question about packets of a skeleton."""
        self._asked.add(skeleton)
        self._taken |= answer.sides.taken
        self._constants |= answer.constants
        for side, ways in answer.sides.refused.items():
            if side not in self._taken:
                self._ways.setdefault(side, {}).update(dict.fromkeys((skeleton, way) for way in ways))

    # -- unreached sides -----------------------------------------------------------------------------------------------

    def unreached(self) -> tuple[UnreachedBranch, ...]:
        """Return the sides that packets outside of the domains would take, in the order of files and lines."""
        owners = {skeleton: host for skeleton in self._asked if (host := self._owner(skeleton)) is not None}
        found: dict[UnreachedBranch, None] = {}
        for side, ways in sorted(self._ways.items(), key=lambda item: (item[0].site, sorted(item[0].variables))):
            if side not in self._taken:
                known = [(owners[skeleton], skeleton, way) for skeleton, way in ways if skeleton in owners]
                one = self._unreached_side(side, known)
                if one is not None:
                    found.setdefault(one)
        return tuple(found)

    def _unreached_side(
        self, side: BranchSide, ways: Sequence[tuple[HostDomains, Skeleton, tuple[Term, ...]]]
    ) -> UnreachedBranch | None:
        undecided = None
        for find in (self._outside, self._other_type):
            for owner, skeleton, way in ways:
                file, condition = side.site.file.rpartition("/")[2], _condition(way[-1], skeleton, owner.view)
                found = find(owner, skeleton, way)
                if isinstance(found, tuple):
                    return UnreachedBranch(file, side.site.line, condition, *found)
                if found is SolverAnswer.UNKNOWN:
                    undecided = undecided or UnreachedBranch(file, side.site.line, condition)
        return undecided

    def _outside(
        self, owner: HostDomains, skeleton: Skeleton, way: tuple[Term, ...]
    ) -> tuple[tuple[tuple[str, str], ...], str, tuple[str, ...]] | SolverAnswer:
        """Return values outside of the domains that lead along a way, the option for them, and hosts that have them."""
        for each in self._same_stack(skeleton):
            answer = self._solve(each, (*constraints(each), *way))
            if answer is not SolverAnswer.UNSAT:  # packets of this sender lead there: its bounds keep them away
                return SolverAnswer.UNKNOWN if isinstance(answer, SolverAnswer) else SolverAnswer.UNSAT
        names = frozenset[str]().union(*map(variables, way))
        limited = {
            field.name: (field, domain)
            for field, domain in skeleton.followed
            if field.name in names and not domain.covers(field) and _is_free(field) and _was_sent(field, domain, owner)
        }
        kept = [each for each in constraints(skeleton) if not variables(each) <= limited.keys()]
        found = self._solve(skeleton, (*kept, *way))
        if isinstance(found, SolverAnswer):
            return found
        needed = [name for name, (_, domain) in limited.items() if found[name] not in domain]
        for name in tuple(needed):  # leave out what is not necessary
            inside = [in_domain(*limited[other]) for other in limited if other not in needed or other == name]
            answer = self._solve(skeleton, (*kept, *inside, *way))
            if not isinstance(answer, SolverAnswer):
                found = answer
                needed.remove(name)
        return self._hint(owner, [(*limited[name], found[name]) for name in needed])

    def _hint(
        self, owner: HostDomains, needed: Sequence[tuple[StackField, Domain, int]]
    ) -> tuple[tuple[tuple[str, str], ...], str, tuple[str, ...]]:
        values, options, silent = [], [], dict[str, None]()
        for field, domain, value in needed:
            names, words = owner.view.names(field), owner.view.words
            text = value_text(field, value, names)
            values.append((field.name, text))
            if Domain((*domain.ranges, (value, value))).covers(field):
                options.append(f"--field {field.name}=any")
            else:
                options.append(f"--field {field.name}={','.join([*domain_items(field, domain, words, names), text])}")
            silent.update(dict.fromkeys(each.name for each in self.silent if names.get(value) == each.name))
        return tuple(values), " ".join(options), tuple(silent)

    def _other_type(
        self, owner: HostDomains, skeleton: Skeleton, way: tuple[Term, ...]
    ) -> tuple[tuple[tuple[str, str], ...], str, tuple[str, ...]] | SolverAnswer:
        """Return a type of packets that leads along a way, and the option for its stack, if that is not explored."""
        result = SolverAnswer.UNSAT
        for name in FOLLOWED_TYPES:
            field = next((each for each, _ in skeleton.followed if each.name == name), None)
            if field is None or not any(name in variables(each) for each in way):
                continue
            sent = next((each for each in owner.skeletons if each.domain(name) == skeleton.domain(name)), None)
            if sent is None:
                continue  # a switch has written it
            explored = [each for host in self.hosts for each in host.skeletons if each.domain(name) is not None]
            if field.structural and not all(each.stack.field(name).structural for each in explored):
                continue  # frames whose type may vary speak for it
            values = [in_domain(field, domain) for each in explored if (domain := each.domain(name)) is not None]
            kept = [each for each in constraints(skeleton) if name not in variables(each)]
            answer = self._solve(skeleton, (*kept, *map(not_, dict.fromkeys(values)), *way))
            if not isinstance(answer, SolverAnswer):
                stack, domain = stack_of_type(sent.stack.name, name, answer[name]), sent.domain(name)
                if stack is None and domain is not None:
                    return self._hint(owner, [(field, domain, answer[name])])
                others = tuple(each.stack.name for each in owner.skeletons)
                names = (DEFAULT,) if others == DEFAULT_STACKS else others
                option = " ".join(f"--stack {each}" for each in (*names, stack))
                return ((name, value_text(field, answer[name])),), option, ()
            result = answer if answer is SolverAnswer.UNKNOWN else result
        return result

    def _owner(self, skeleton: Skeleton) -> HostDomains | None:
        """Return the sender of a skeleton's packets, also if a switch has changed them on the way; None if unknown."""
        for host in self.hosts:
            if skeleton in host.skeletons:
                return host
        for host in self.hosts:
            own = host.view.own_values
            if "eth.src" in own and skeleton.domain("eth.src") == Domain.of(own["eth.src"]):
                return host
        return None

    def _same_stack(self, skeleton: Skeleton) -> list[Skeleton]:
        """Return the skeletons of the same packets of every sender, that of the question first."""
        same = [each for host in self.hosts for each in host.skeletons if each.stack == skeleton.stack]
        if not same:  # changed on the way: as if others had sent them
            same = [_sent_by(host.view, skeleton) for host in self.hosts if host.view.host is not None]
        return list(dict.fromkeys((skeleton, *same)))

    def _solve(self, skeleton: Skeleton, wanted: Sequence[Term]) -> Answer:
        solver, seconds = find_solver(self._options.solver), self._options.query_seconds
        make = (lambda given: solver(given, seconds)) if solver else None
        wish = {field.name: domain.first for field, domain in zip(skeleton.stack.fields, skeleton.domains, strict=True)}
        owner = self._owner(skeleton)
        preferred = {}
        if owner is not None:
            words = owner.view.words
            for field, _ in skeleton.followed:
                preferred[field.name] = [
                    value for word in ("hosts", "fresh") for value in words.values(field, word) or ()
                ]
        return BranchFlipper(tuple(wanted), make, monotonic, preferred=preferred).first(wish)

    # -- domains in force ----------------------------------------------------------------------------------------------

    def domains(self) -> tuple[FieldDomain, ...]:
        """Return the domains of the fields that conditions of the program mention, in the order of their names."""
        mentioned = sorted({name for side in self._taken for name in side.variables})
        found = []
        for name in mentioned:
            texts: dict[str, list[str]] = {}
            for host in self.hosts:
                for field, domain in self._asked_domains(host, name):
                    texts.setdefault(domain_text(field, domain, host.view), []).append(host.name)
            if texts:
                found.append(FieldDomain(name, _by_sender(texts), self._constants_of(field)))
        return tuple(found)

    def _asked_domains(self, host: HostDomains, name: str) -> list[tuple[StackField, Domain]]:
        """Return the different domains of a field of a host that was asked about, in the order of the stacks."""
        found: dict[tuple[tuple[int, int], ...], tuple[StackField, Domain]] = {}
        if not any(self._owner(each) is host for each in self._asked):
            return []
        for skeleton in host.skeletons:
            domain = skeleton.domain(name)
            if domain is not None and not skeleton.stack.field(name).structural:
                found.setdefault(domain.intervals, (skeleton.stack.field(name), domain))
        return list(found.values())

    def _constants_of(self, field: StackField) -> tuple[tuple[str, str], ...]:
        used = sorted((each.value, each.site) for each in self._constants if each.field == field.name)
        lines = ((value_text(field, value), f"{site.file.rpartition('/')[2]}:{site.line}") for value, site in used)
        return tuple(dict.fromkeys(lines))


def _by_sender(texts: dict[str, list[str]]) -> str:
    if len(texts) == 1:
        return next(iter(texts))
    return "; ".join(f"{text} ({', '.join(senders)})" if any(senders) else text for text, senders in texts.items())


def domain_text(field: StackField, domain: Domain, view: SenderView) -> str:
    """Return the values of a domain in words, for readers."""
    names, words = view.names(field), view.words
    preferred = Domain(domain.ranges[: domain.preferred])
    intervals = domain.intervals
    first = domain_items(field, preferred, words, names)
    then = f", preferred {', '.join(first)}" if domain.preferred is not None else ""
    if domain.covers(field):
        return f"any{then}"
    holes = domain.holes
    if intervals[0][0] == 0 and intervals[-1][1] == field.max_value and all(low == high for low, high in holes):
        rest = domain_items(field, Domain(holes), words, names)
        return f"any except {', '.join(rest)}{then}"
    if field.name in FOLLOWED_TYPES and len(intervals) > 1 and not domain.listed[1:]:
        return "any without a stack of its own"
    return ", ".join(domain_items(field, domain, words, names))


def _sent_by(view: SenderView, skeleton: Skeleton) -> Skeleton:
    """Return the skeleton of the same packets with another sender: its own addresses as source, any destination."""
    own, domains = view.own_values, []
    for field, domain in zip(skeleton.stack.fields, skeleton.domains, strict=True):
        if field.name in own:
            domain = Domain.of(own[field.name])
        elif field.name in DESTINATIONS and not domain.pinned:
            domain = domain.widened(field, [own[source]] if (source := field.name[:-3] + "src") in own else ())
        domains.append(domain)
    return replace(skeleton, domains=tuple(domains))


def _was_sent(field: StackField, domain: Domain, owner: HostDomains) -> bool:
    """Whether the sender chose the values of a field; a switch may have written another one."""
    return any(each.domain(field.name) == domain for each in owner.skeletons)


def _is_free(field: StackField) -> bool:
    """Whether a packet of the same structure may have other values of the field."""
    return not field.structural and field.name not in FOLLOWED_TYPES


def _condition(literal: Term, skeleton: Skeleton, view: SenderView) -> str:
    """Return a literal as text; fields with one value are written as values besides others."""
    fixed, hosts = skeleton.fixed, view.topology.hosts if view.topology else ()
    names = {"mac": {each.mac: each.name for each in hosts}, "ipv4": {each.ip: each.name for each in hosts}}
    return condition_text((literal if variables(literal) <= fixed.keys() else substitute(literal, fixed),), names)


def senders_in(
    network: Network,
    asked: Sequence[SenderView],
    stacks: Sequence[str],
    overrides: Mapping[str, str],
    constants: bool = True,
    told: Sequence[SenderView] = (),
) -> Senders:
    """Return the senders of a network: those that are asked about, other hosts that send something, and the rest.

    What hosts send otherwise, such as those that are told something, need not keep to the values given for fields.
    """
    acting = {each.name for each in map(inner_host, network.hosts) if type(each) is not Host}
    hosts = [spec for spec in network.topology.hosts if spec not in [view.host for view in asked]]
    others = [SenderView(network.topology, spec) for spec in hosts if spec.name in acting]
    others += told
    domains = [
        *(HostDomains(view, tuple(make_skeletons(stacks, view, overrides, constants=constants))) for view in asked),
        *(HostDomains(view, tuple(make_skeletons(stacks, view, {}, constants=constants))) for view in others),
    ]
    return Senders(tuple(domains), tuple(spec for spec in hosts if spec.name not in acting))
