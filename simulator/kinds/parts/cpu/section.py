"""The processor of a node, as far as I/O sees it: it copies data and makes calls."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import Timed, spec_of
from simulator.config.quantities import Rate, Size, Time
from simulator.config.section import default
from simulator.config.sources import A_CALL, A_CORE, FREE
from simulator.kinds.dice import Dice
from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.units import BytesPerSecond, Nanoseconds


class Cpu(Timed):
    """What copying and calling cost a process; the ``cores`` of its node do it."""

    uses = frozenset()
    what = "processor: statements, copies, calls"
    order = "all"
    usable = False
    directed = False
    spec = PeSpec
    roles = {"cpu": 1}

    kind: Literal["cpu"]
    """Which kind of part this is; without ``at`` it is that of every node that has no other."""
    copy_rate: Rate = default(BytesPerSecond(5e9), A_CORE)
    """Rate of copying between user data and a buffer."""
    call_overhead: Time = default(Nanoseconds(2_000), A_CALL)
    """Time of one system call."""
    record_overhead: Time = default(
        Nanoseconds(500), "assumed: a statement of Fortran takes less than a system call"
    )
    """Time of one READ or WRITE statement of a Fortran program."""
    flush_overhead: Time = default(Nanoseconds(0), FREE)
    """Time of one flush or refill of a Fortran buffer, beside its copying and its call."""
    flush_unit: Size | None = None
    """With it a flush or refill takes that time for each such unit of the file that it touches."""

    @property
    def copies_at(self) -> float:
        """Bytes per second at which it copies what calls move."""
        return self.copy_rate

    def row(self) -> dict[str, Any]:
        """Return its specification."""
        turns = {"turn_overhead_ns": self.flush_overhead, "turn_unit": self.flush_unit or 0}
        spec = spec_of(PeSpec, self, **turns)
        return {"spec": spec}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw its times, and how many cores it has."""
        turn = dice.some(0, 0, 200)
        unit = dice.some(0, 7, 40) if turn else 0
        spec = PeSpec(dice.rate(), dice.some(0, 0, 6), dice.time_ns(), turn, unit)
        return {"spec": spec, "service": dice.service(), "cores": dice.some(0, 1, 1, 2, 3)}
