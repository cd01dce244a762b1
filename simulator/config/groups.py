"""Groups of equal nodes."""

from __future__ import annotations

from simulator.config.quantities import Cores, Count, Name, Size
from simulator.config.section import Section


class Larger(Section):
    """The nodes of a group that have more memory than the others."""

    synonyms = {"nodes": "count"}

    count: Count
    """How many of the group's nodes."""
    memory: Size
    """Memory of one of them."""


class Group(Section):
    """A group of equal nodes; a plain number is its count."""

    shorthand = {"text": "count"}
    synonyms = {"in": "per", "of": "per", "nodes": "count"}

    count: Count = 1
    """Nodes; of a group inside another, in each node of that."""
    per: Name | None = None
    """The group whose nodes they are inside of."""
    memory: Size | None = None
    """Memory of one node; programs' buffers have to fit in it."""
    cores: Cores | None = None
    """Processors of one node: what its processes compute and copy shares them; none: no limit."""
    larger: Larger | None = None
    """Some of the nodes with more memory: the places of jobs with larger buffers."""

    def fits(self, buffer: int, nodes: int) -> bool:
        """Whether so many nodes have the memory for a buffer each; bytes."""
        if self.memory is None or buffer <= self.memory:
            return True
        more = self.larger
        return more is not None and buffer <= more.memory and nodes <= more.count
