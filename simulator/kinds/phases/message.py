"""Messages between processes of a job, to one of them or to all."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.doubts import free_messages
from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Faults, OnMachine, Phase, Spot
from simulator.config.quantities import Count, Size, counting, word_or

NEXT, PREVIOUS, ALL = "next", "previous", "all"


Target = Annotated[
    int | str,
    word_or(
        "target",
        counting("", 0),
        {one: one for one in (NEXT, PREVIOUS, ALL)},
        example="next",
        wrong="is no process; write next, previous, all, or its rank",
    ),
]
"""The rank of a process from 0 on, ``next``, ``previous`` or ``all``."""


class Message(Phase):
    """Send a message to another process of the job, and receive what is sent to this one."""

    rank = 5
    meets = True
    computes = True

    do: Literal["message"]
    """What it does."""
    to: Target
    """Whom to send to: next, previous (in a ring), all others, or a rank: all others send there."""
    size: Size
    """Bytes of one message."""
    count: Count = 1
    """How often."""

    def faults(self, spot: Spot) -> Faults:
        """Find ranks that the job does not have."""
        ranks = spot.job.ranks
        if isinstance(self.to, int) and self.to >= ranks:
            about = f"{self.to} is no rank of {ranks} processes; write 0 to {ranks - 1}"
            yield ("to",), about

    def doubts(self, spot: OnMachine) -> Faults:
        """Find messages that take no time."""
        yield from free_messages(spot)

    def lower(self, process: ProcessBuilder) -> None:
        """Add sends, then receives."""
        ranks, rank = process.ranks, process.rank
        others = [one for one in range(ranks) if one != rank]
        targets: list[int]
        if self.to == ALL:
            targets = sources = others
        elif isinstance(self.to, str):
            step = 1 if self.to == NEXT else -1
            targets, sources = [(rank + step) % ranks], [(rank - step) % ranks]
        else:
            targets, sources = ([], others) if rank == self.to else ([self.to], [])
        for _ in range(self.count):
            process.exchange(self.size, targets, sources)
