"""No resource idles while a request stands before it, of whatever kind: drawn plans, and by hand.

The reference engine says when each request joined a queue; that the native one does the same, other
tests say. Circuits are the one exception (docs/composition.md, *Resources*).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from simulator.kinds.parts.array.reference import Array
from simulator.kinds.parts.raid.reference import Raid
from simulator.kinds.tiers.hold.reference import Pool
from simulator.plan.errors import LimitError, SimulationError
from simulator.plan.plan import Plan
from simulator.reference import part as parts
from simulator.reference.part import Part
from simulator.reference.run import run_reference
from tests.draws.plans.draw import plan_of
from tests.reference.runs import FREE, planned

Queue = tuple[str, str]
"""An instance, and which of its queues."""
KINDS = {"queue", "disk", "tape", "ssd", "journal", "array", "raid"}
"""Those whose requests wait in queues."""


@dataclass
class Watched:
    """Who came when, and was served from when until when, at each queue of a run."""

    servers: dict[Queue, int] = field(default_factory=dict)
    kind: dict[Queue, str] = field(default_factory=dict)
    served: dict[Queue, list[tuple[int, int, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    circuits: set[str] = field(default_factory=set)
    """Instances that were held together with others."""

    def idle(self, queue: Queue) -> tuple[int, int] | None:
        """Return a time, and how long, in which a server idles while a request waits."""
        changes = []
        for came, begun, ended in self.served[queue]:
            changes += [(came, 0, 1), (begun, 0, -1), (begun, 1, 0), (ended, -1, 0)]
        busy = waiting = since = 0
        for time, served, stands in sorted(changes):
            if time > since and waiting and busy < self.servers[queue]:
                return since, time - since
            busy, waiting, since = busy + served, waiting + stands, time
        return None

    def waits(self, queue: Queue) -> bool:
        """Whether anybody has waited."""
        return any(begun > came for came, begun, _ in self.served[queue])


def _fails(part: Part) -> bool:
    """Whether a part is away at times, or a disk of an array: its rebuild is no request."""
    disks = part.disks if isinstance(part, Array) else []
    return part.calendar is not None or any(one.failing is not None for one in disks)


@contextmanager
def watching() -> Iterator[Watched]:
    """Watch all queues of the reference engine."""
    watched, came = Watched(), [-1]
    note, hold, serve = Part.note, parts._hold, Raid._serve
    take, give_back = Pool.take, Pool.give_back

    def noted(self: Part, start: int, service: int, size: int, queue: str = "") -> None:
        place = self.name, queue
        waits = getattr(self.plan.spec, "wait_ns", 0)  # A journal that waits for others to join.
        if self.plan.kind in KINDS and not _fails(self) and came[0] != -2 and not waits:
            joined = self.clock.now if came[0] < 0 else came[0]
            watched.served[place].append((joined, start, start + service))
            watched.kind[place] = self.plan.kind
            watched.servers[place] = 1 if queue else max(1, self.plan.servers)
        note(self, start, service, size, queue)

    def held(asked: Any, start: int) -> Any:
        watched.circuits.update(one.name for one, _ in asked)
        return hold(asked, start)

    def joined(self: Raid, server: Any, block: int, size: int, now_ns: int) -> int:
        came[0] = now_ns  # It may be looked at later than it joins.
        end = serve(self, server, block, size, now_ns)
        came[0] = -1
        return end

    def taken(self: Pool, actor: Any) -> Any:
        began = actor.now
        yield from take(self, actor)
        granted[self.part.name, actor.now].append(began)

    def given_back(self: Pool, since_ns: int, size: int) -> None:
        place, now = (self.part.name, "kept"), self.part.clock.now
        began = granted[self.part.name, since_ns].pop()
        watched.served[place].append((began, since_ns, now))
        watched.kind[place], watched.servers[place] = "pool", self.part.plan.servers
        came[0] = -2
        give_back(self, since_ns, size)
        came[0] = -1

    granted: dict[tuple[str, int], list[int]] = defaultdict(list)
    changed: list[tuple[Any, str, Callable[..., Any]]] = [
        (Part, "note", noted),
        (parts, "_hold", held),
        (Raid, "_serve", joined),
        (Pool, "take", taken),
        (Pool, "give_back", given_back),
    ]
    kept = [getattr(owner, name) for owner, name, _ in changed]
    try:
        for owner, name, one in changed:
            setattr(owner, name, one)
        yield watched
    finally:
        for (owner, name, _), one in zip(changed, kept, strict=True):
            setattr(owner, name, one)


def watched(plan: Plan) -> Watched:
    """Carry out a plan, and return what its queues did."""
    with watching() as found, suppress(SimulationError, LimitError):
        run_reference(plan, timeline=True)
    return found  # Until an error it was a run as others.


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(one, marks=pytest.mark.slow) for one in (70, 140))]
)
def test_no_queue_of_a_drawn_plan_idles(first: int) -> None:
    kinds = set()
    for seed in range(first, first + 70):
        found = watched(plan_of(seed))
        for queue in found.served:
            if queue[0] not in found.circuits:
                assert found.idle(queue) is None, (seed, queue)
                kinds |= {found.kind[queue]} if found.waits(queue) else set()
    assert kinds >= {"queue", "disk", "ssd", "array", "raid", "pool"}


CIRCUIT = f"""
nodes: {{client: 3, server: 2}}
parts:
  cpu: {FREE}
  nic: {{kind: network, at: [client, server], rate: 1 MB/s, switching: SWITCHING}}
  disk: {{kind: delay, at: server}}
filesystems:
  home: [{{stripe: 1 kB, of: server}}, [nic], disk]
"""
CROSSED = """
files: {f: {size: 8 kB, exists: true, shared: true}}
jobs:
  - {name: a, record: 1 kB, policy: posix, phases: [{do: write, file: f, size: 1 kB}]}
  - {name: b, record: 2 kB, policy: posix, phases: [{do: write, file: f, size: 2 kB}]}
  - {name: c, record: 1 kB, policy: posix, phases: [{do: write, file: f, offset: 1 kB, size: 1 kB}]}
"""


@pytest.mark.parametrize(("switching", "idles"), [("circuit", True), ("packets", False)])
def test_circuits_are_the_exception(switching: str, idles: bool) -> None:
    """Process b holds the port of server 1 only from when that of server 0, or its own, is free."""
    found = watched(planned(CIRCUIT.replace("SWITCHING", switching), CROSSED))
    assert bool(found.circuits) == idles
    assert any(found.idle(queue) for queue in found.served) == idles


def test_a_future_booking_would_be_seen() -> None:
    """A disk that serves from a later time on, as arrays once did."""
    found = Watched({("a", "disk 0"): 1}, {}, {("a", "disk 0"): [(0, 50, 60), (20, 60, 70)]})
    assert found.idle(("a", "disk 0")) == (0, 20)
