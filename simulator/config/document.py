"""What every kind of file is: a section that remembers the file it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from simulator.config.quantities import FileName, Text
from simulator.config.section import Section
from simulator.config.sources import Origin, Source


class Document(Section):
    """A whole file, with the place and the source of each of its values."""

    format: str
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""

    @cached_property
    def origin(self) -> Origin:
        """The file this was read from."""
        return Origin()

    def remember(self, origin: Origin) -> None:
        """Remember which file this was read from; it counts in no comparison."""
        vars(self)["origin"] = origin

    @property
    def sources(self) -> Mapping[str, Source]:
        """Where the numbers come from, by their dotted paths."""
        return self.origin.sources
