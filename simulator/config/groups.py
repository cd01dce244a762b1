"""Groups of equal nodes."""

from __future__ import annotations

from simulator.config.quantities import Count, Name, Size
from simulator.config.section import Section


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
