"""Small programs, each of which is searched wrongly without one rule of the reduction. Random programs rarely are."""

from sdnloom.actors.actor import Actor
from sdnloom.actors.program import Program


class Cells(Actor):
    """An actor with a few tasks that write one field each."""

    k: int = 0
    x: int = 0
    z: int = 0
    out: int = 0
    control = frozenset({"first", "second"})

    async def barrier(self) -> None:
        pass

    async def set_k(self) -> None:
        self.k = 1

    async def set_x(self) -> None:
        self.x = 1

    async def set_z(self) -> None:
        self.z = 1

    async def first(self) -> None:
        self.x = 1

    async def second(self) -> None:
        self.k = 2


class WaitsForX(Cells):
    async def go(self) -> None:
        self.later.set_k()
        self.later.set_x()
        await self.until(lambda: self.x == 1)
        self.out = self.k + 1


class WaitsForXAndZ(Cells):
    async def go(self) -> None:
        self.later.set_z()
        self.later.set_x()
        await self.until(lambda: self.x == 1 and self.z == 0)
        self.out = 5


class WaitsForAnAnswer(Cells):
    async def go(self) -> None:
        await self.later.set_x()
        self.out = self.k + 1


class SendsABarrier(Cells):
    async def go(self) -> None:
        self.later.first()
        self.later.barrier()
        self.later.second()


def condition_needs_writers() -> Program:
    """The task that a condition waits for has to be explored with the one that the task behind it conflicts with."""
    actor = WaitsForX("a")
    return Program((actor,), (actor.go(),))


def condition_that_fails_reads() -> Program:
    """Only a condition that does not hold reads z: it holds only before z is written."""
    actor = WaitsForXAndZ("a")
    return Program((actor,), (actor.go(),))


def future_needs_its_task() -> Program:
    """The task that reads k awaits another task, which has to be explored with the one that writes k."""
    actor = WaitsForAnAnswer("a")
    return Program((actor,), (actor.go(), actor.set_k()))


def barrier_needs_what_is_before_it() -> Program:
    """The second control task writes k and is behind a barrier; what is before it has nothing to do with k."""
    actor = SendsABarrier("a")
    return Program((actor,), (actor.go(), actor.set_k()))


class Spins(Cells):
    async def spin(self) -> None:
        while True:
            await self.until(lambda: self.x == 0)
            self.x = 1
            await self.later.answer()
            self.x = 0

    async def answer(self) -> None:
        pass

    async def starts_late(self) -> None:
        self.k = 1
        self.later.set_z()


def cycle_hides_a_task() -> Program:
    """The task that spins can always go on, and has nothing to do with those that write k."""
    actor = Spins("a")
    return Program((actor,), (actor.spin(), actor.starts_late(), actor.second()))


class Peer(Actor):
    got: int = 0
    seen: int = 0

    async def hit(self) -> None:
        self.got = 1

    async def look(self) -> None:
        self.seen = self.got + 1


class Pokes(Actor):
    x: int = 0
    members: frozenset[Peer] = frozenset()

    async def poke(self) -> None:
        self.x = 1
        for each in self.members:
            each.hit()

    async def rival(self) -> None:
        self.x = 2


def task_reaches_any_peer() -> Program:
    """A task that names no peer sends to all of them: its summary has writes to any peer."""
    peers = (Peer("p0"), Peer("p1"))
    actor = Pokes("a", members=frozenset(peers))
    return Program((actor, *peers), (actor.poke(), actor.rival(), *(peer.look() for peer in peers)))


PROGRAMS = (
    condition_needs_writers,
    condition_that_fails_reads,
    future_needs_its_task,
    barrier_needs_what_is_before_it,
    cycle_hides_a_task,
    task_reaches_any_peer,
)
