"""A sync, as fsync: what was written to a file goes to its device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Drawn, Faults, OnMachine, Phase, Spot
from simulator.config.quantities import Name
from simulator.plan import codes
from simulator.units import shown


class Sync(Phase):
    """Wait until what was written to a file is on its device."""

    rank = 3
    restarts = True

    do: Literal["sync"]
    """What it does."""
    file: Name
    """The file, by its name in ``files``."""

    def faults(self, spot: Spot) -> Faults:
        """Find a sync of what was not written."""
        if not spot.written(self.file):
            about = f"{shown(self.file)} is not written before this; leave it out, or write first"
            yield ("file",), about

    def misfits(self, spot: OnMachine) -> Faults:
        """Find files that are not synced."""
        if spot.file(self.file).layout is not None and spot.block(self).io is not None:
            about = "a file with a layout of its own is not synced"
            yield ("do",), f"{about}; leave it out, or the file's layout"

    def lower(self, process: ProcessBuilder) -> None:
        """Add a sync."""
        process.add(codes.SYNC, process.file(self.file, again=True))

    @classmethod
    def drawn_with(cls, phase: Drawn, draw: Callable[[str], Drawn]) -> list[Drawn]:
        """Return it after a write."""
        del draw
        return [{"do": "write", "file": phase["file"]}, phase]
