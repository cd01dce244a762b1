"""The processor of a node, as far as I/O sees it: it copies data and makes calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from simulator.config.part import BOTH, Row, Timed
from simulator.config.quantities import Rate, Size, Time
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
    reasons = {
        "copy_rate": A_CORE,
        "call_overhead": A_CALL,
        "record_overhead": "assumed: a statement of Fortran takes less than a system call",
        "flush_overhead": FREE,
    }

    kind: Literal["cpu"]
    """Which kind of part this is; without ``at`` it is that of every node that has no other."""
    copy_rate: Rate = BytesPerSecond(5e9)
    """Rate of copying between user data and a buffer."""
    call_overhead: Time = Nanoseconds(2_000)
    """Time of one system call."""
    record_overhead: Time = Nanoseconds(500)
    """Time of one READ or WRITE statement of a Fortran program."""
    flush_overhead: Time = Nanoseconds(0)
    """Time of one flush or refill of a Fortran buffer, beside its copying and its call."""
    flush_unit: Size | None = None
    """With it a flush or refill takes that time for each such unit of the file that it touches."""

    @property
    def copies_at(self) -> float:
        """Bytes per second at which it copies what calls move."""
        return self.copy_rate

    def rows(self) -> Iterator[Row]:
        """Return one row."""
        spec = PeSpec(
            copy_rate=self.copy_rate,
            record_overhead_ns=self.record_overhead,
            call_overhead_ns=self.call_overhead,
            turn_overhead_ns=self.flush_overhead,
            turn_unit=self.flush_unit or 0,
        )
        yield Row(BOTH, "cpu", {"spec": spec})

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw its times, and how many cores it has."""
        turn = dice.some(0, 0, 200)
        unit = dice.some(0, 7, 40) if turn else 0
        spec = PeSpec(dice.rate(), dice.some(0, 0, 6), dice.time_ns(), turn, unit)
        return {"spec": spec, "service": dice.service(), "cores": dice.some(0, 1, 1, 2, 3)}
