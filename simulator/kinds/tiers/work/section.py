"""A part that each request uses on its way down."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from simulator.config.errors import Fault, Path
from simulator.config.lowering.walk import Walk
from simulator.config.part import BOTH, WRITE
from simulator.config.quantities import Name, Time
from simulator.config.section import Section, check
from simulator.config.tier import Tier
from simulator.plan.codes import HOLD, METADATA, OPERATIONS, WORK


class Costs(Section):
    """Times of metadata operations by kind; those left out take the part's own time."""

    synonyms = {"delete": "unlink", "remove": "unlink", "getdents": "readdir", "chmod": "setattr"}

    open: Time | None = None
    """Open a file that is there."""
    create: Time | None = None
    """Create a file, or a link."""
    close: Time | None = None
    """Close a file."""
    stat: Time | None = None
    """Look up the attributes of a file."""
    lookup: Time | None = None
    """Look for a name that is not there."""
    unlink: Time | None = None
    """Remove a file."""
    rename: Time | None = None
    """Rename a file."""
    mkdir: Time | None = None
    """Create a directory."""
    rmdir: Time | None = None
    """Remove a directory."""
    readdir: Time | None = None
    """One call that lists entries of a directory."""
    setattr: Time | None = None
    """Change the mode, the owner, the times or the length of a file."""

    @property
    def by_kind(self) -> tuple[int, ...]:
        """The times in the order of ``METADATA``; ns, -1 for the part's own."""
        times = (getattr(self, OPERATIONS[kind]) for kind in METADATA)
        return tuple(-1 if time is None else int(time) for time in times)


class Work(Tier):
    """A part that each request uses on its way down, reads and writes alike."""

    rank = 4
    naming = {"work": "work"}

    work: Name
    """The part."""
    costs: Costs | None = None
    """In the metadata of a file system: times of operations by kind, like {create: 400 us}, instead
    of the part's own."""

    others: Costs | None = None
    """Beside costs: times of operations in their other state, which a list of calls says by a size
    of 1: a lookup of a name that was looked for before; open and stat of a file after thousands of
    others; create where files were just removed. Those left out take the same."""

    @check("others")
    @staticmethod
    def _beside_costs(_: Costs, costs: Costs | None) -> None:
        if costs is None:
            raise ValueError("what operations cost in their other state stands beside 'costs'")

    def lower(self, walk: Walk, at: Path) -> None:
        """Add the work."""
        costs = self.costs.by_kind if self.costs is not None else ()
        if self.others is not None:
            pairs = zip(self.others.by_kind, costs, strict=True)
            costs += tuple(usual if other < 0 else other for other, usual in pairs)
        add_work(walk, self.work, (*at, "work"), hold=False, costs=costs)

    def misplaced(self, role: str, stores: Collection[str]) -> Iterator[Fault]:
        """Find costs by kind where there are no metadata operations."""
        del stores
        if role != "metadata" and self.costs is not None:
            about = "only metadata operations have costs by kind; write them under 'metadata'"
            yield ("costs",), about


def add_work(
    walk: Walk, name: str, at: Path, *, hold: bool | None = None, costs: tuple[int, ...] = ()
) -> None:
    """Add a part that requests use on their way down, or whose server they keep.

    Which of both, follows from the kind of the part if ``hold`` is None.
    """
    walk.dealt = {}
    part = walk.tables.machine.parts[name]
    if part.kind == "io-server":
        slot = walk.reach(name, at)
        walk.io.serve(name, walk.hold(name, slot, BOTH), at)
        return
    walk.io.refuse(f"{name} works on requests", at)
    hold = "hold" in part.uses if hold is None else hold
    if hold:
        walk.meet(name, at, "a request that keeps one of its threads would wait for another")
    slot = walk.reach(name, at)
    kept = walk.hold(name, slot, BOTH if hold else WRITE)
    walk.add(HOLD if hold else WORK, down=(kept,), costs=costs)
