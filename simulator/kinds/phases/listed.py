"""Listed calls of one client of a list, as a phase: 'nwtsim trace workload' writes such lists."""

from __future__ import annotations

from typing import Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Phase
from simulator.config.workload_file import Calls


class Listed(Phase):
    """Carry out listed calls: process after process those of one client of the list, in turn."""

    rank = 9
    synonyms = {"file": "calls", "list": "calls"}

    do: Literal["listed"]
    """What it does."""
    calls: Calls
    """The calls, whose clients begin their times when the phase begins."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add the calls of one client."""
        from simulator.config.lowering.listed import add_client

        add_client(process, self.calls, process.at)
