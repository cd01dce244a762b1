"""Locks: one process of all jobs holds one at one time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from simulator.config.errors import Path
from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Drawn, Faults, Phase
from simulator.config.quantities import Name
from simulator.config.workload_file import Job
from simulator.plan import codes
from simulator.units import shown


class Lock(Phase):
    """Take a lock, or give it back: one process of all jobs holds it at one time."""

    rank = 7
    beside = ("unlock",)

    do: Literal["lock", "unlock"]
    """What it does."""
    name: Name
    """The lock; locks of one name are one."""

    @classmethod
    def faults_of(cls, job: Job) -> Faults:
        """Find locks taken twice or given back without being taken."""
        held: set[str] = set()
        yield from _locked(job.phases or (), ("phases",), held)
        for name in sorted(held):
            yield (), f"{shown(name)} is locked at the end; write '{{do: unlock, name: {name}}}'"

    def lower(self, process: ProcessBuilder) -> None:
        """Add a lock or unlock."""
        kind = codes.LOCK if self.do == "lock" else codes.UNLOCK
        process.add(kind, offset=process.lock(self.name))

    @classmethod
    def drawn_with(cls, phase: Drawn, draw: Callable[[str], Drawn]) -> list[Drawn]:
        """Return it around a write."""
        return [phase, draw("write"), {"do": "unlock", "name": phase["name"]}]


def _locked(phases: Sequence[Phase], at: Path, held: set[str]) -> Faults:
    """Find them in phases one after the other; a loop has to end with the locks it begins with."""
    for number, phase in enumerate(phases):
        where: Path = (*at, number)
        if phase.inner:
            before = set(held)
            yield from _locked(phase.inner, (*where, phase.within), held)
            for name in sorted(held ^ before):
                state = "held at the end of this loop, but not" if name in held else "held"
                about = f"{shown(name)} is {state} at its begin; lock and unlock it in the loop"
                yield where, f"{about}, or both outside"
            held.clear()
            held.update(before)
        elif isinstance(phase, Lock):
            if (phase.do == "lock") == (phase.name in held):
                wrong = "is held already" if phase.do == "lock" else "is not held here"
                yield (*where, "name"), f"{shown(phase.name)} {wrong}; leave this phase out"
            (held.add if phase.do == "lock" else held.discard)(phase.name)
