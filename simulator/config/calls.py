"""Listed calls: all that the processes of a job do, or one of its phases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from simulator.config.phase import Phase
from simulator.config.quantities import Flag, Name, Percent, Size
from simulator.config.section import Section

if TYPE_CHECKING:
    from simulator.config.lowering.process import ProcessBuilder


class Calls(Section):
    """Listed calls, as 'nwtsim trace workload' writes them; a plain name is the file."""

    shorthand = {"text": "file"}
    synonyms = {"list": "file", "calls": "file"}

    file: Name
    """The CSV file with the calls; beside this file unless its name begins with a '/'."""
    filesystem: Name | None = None
    """Where their files are, by name; the machine's first file system if left out."""
    path: Name | None = None
    """How these are reached, by the name of a path of the file system; its first if left out."""
    prestage: Flag = False
    """Those that are there before the job are in the store when it starts."""
    think: Percent = 1.0
    """How much of the computing between the calls is left."""
    buffer: Size | None = None
    """Gather the calls on each file in a buffer of this size; as they are if left out."""


class Listed(Phase):
    """Carry out listed calls: process after process those of one client of the list, in turn."""

    synonyms = {"file": "calls", "list": "calls"}

    do: Literal["listed"]
    """What it does."""
    calls: Calls
    """The calls, whose clients begin their times when the phase begins."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add the calls of one client."""
        process.listed(self)
