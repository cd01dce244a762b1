"""Operations on names: open, close, stat, create, lookup, unlink, rename, mkdir, rmdir, ..."""

from __future__ import annotations

from typing import Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Faults, OnMachine, Phase
from simulator.config.quantities import Count, Name
from simulator.plan import codes


class Metadata(Phase):
    """Open, close, create, rename or look up a file, or the like, without moving its bytes."""

    rank = 4
    restarts = True

    do: Literal[
        "open",
        "close",
        "stat",
        "create",
        "lookup",
        "unlink",
        "rename",
        "mkdir",
        "rmdir",
        "readdir",
        "setattr",
    ]
    """What it does; lookup: look for a name that is not there; setattr: change its mode, owner,
    times or length."""
    file: Name
    """The file, by its name in ``files``."""
    count: Count = 1
    """How often."""

    def doubts(self, spot: OnMachine) -> Faults:
        """Find closes of files that reads and writes have closed already."""
        moved = (one.uses for _, one in spot.job.every_phase() if one.moves)
        if self.do == "close" and self.file in moved:
            about = "each read or write opens its file, and closes it at its end with what is"
            about = f"{about} to be flushed; this is one more close, of no data: leave it out"
            yield (), about

    def lower(self, process: ProcessBuilder) -> None:
        """Add that many calls."""
        (kind,) = (kind for kind in codes.METADATA if codes.OPERATIONS[kind] == self.do)
        process.add(kind, process.file(self.file, again=True), count=self.count)
