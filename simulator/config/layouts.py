"""The layout of one file over the I/O nodes of its file system: stripes, their order, regions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from simulator.config.errors import Fault
from simulator.config.quantities import CountOrNone, Size
from simulator.config.section import FULL, Section
from simulator.config.tiers import ALL, Width

Order = Annotated[tuple[CountOrNone, ...], FULL]


class Layout(Section):
    """Stripes of a region of a file; its I/O nodes are numbered from 0 on."""

    synonyms = {
        "block": "stripe",
        "striping_unit": "stripe",
        "striping_factor": "over",
        "subfiles": "over",
        "width": "over",
        "nodes": "order",
    }

    stripe: Size
    """Bytes of one stripe."""
    over: Width = ALL
    """How many I/O nodes, from node 0 on; or write their order."""
    order: Order | None = None
    """The I/O nodes in the order in which they get stripes."""
    size: Size | None = None
    """Bytes of the region; the last region goes to the end of the file."""

    def nodes(self, count: int) -> tuple[int, ...]:
        """Return the I/O nodes, in the order in which they get stripes, of ``count`` in all."""
        if self.order is not None:
            return tuple(self.order)
        return tuple(range(self.over or count))


Layouts = Annotated[tuple[Layout, ...], FULL]


def layout_faults(layouts: tuple[Layout, ...]) -> Iterator[Fault]:
    """Find regions that cannot follow each other, and orders with a node twice."""
    for index, one in enumerate(layouts):
        if one.order is not None and one.over != ALL:
            yield (index, "order"), "is instead of over; leave one of them out"
        for place, node in enumerate(one.order or ()):
            if node in (one.order or ())[:place]:
                yield (index, "order", place), f"{node} is in the order twice; write it once"
        if one.size is None and index < len(layouts) - 1:
            about = "has no size, and another region follows; write 'size: 512 MiB'"
            yield (index,), about


def node_faults(layouts: tuple[Layout, ...], count: int, system: str) -> Iterator[Fault]:
    """Find I/O nodes that a file system does not have."""
    for index, one in enumerate(layouts):
        for place, node in enumerate(one.order or ()):
            if node >= count:
                about = f"there is no I/O node {node} of {system}; write a number from 0 to"
                yield (index, "order", place), f"{about} {count - 1}"
        if one.over > count:
            about = f"{one.over} I/O nodes, but {system} has {count}; write {count} or less, or all"
            yield (index, "over"), about


def regions_of(
    layouts: tuple[Layout, ...], size: int, count: int
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield bytes, stripe and nodes of each region of a file of ``size`` bytes."""
    for index, one in enumerate(layouts):
        if size > 0:
            last = index == len(layouts) - 1
            own = size if last or one.size is None else min(size, one.size)
            yield own, one.stripe, one.nodes(count)
            size -= own
