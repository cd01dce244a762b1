"""The kinds of tiers: the items of a file system's list, from the program down to the device.

To add one: its section here, with the steps by which a walk along a path carries it out
(:mod:`simulator.config.lowering.walk`), and its class in ``AnyTier``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from simulator.config.errors import Path
from simulator.config.quantities import Count, Flag, Leaf, Name, Size, Time, not_text
from simulator.config.section import (
    FULL,
    Called,
    Choice,
    Earlier,
    Items,
    Named,
    Section,
    Shape,
    ToldBy,
    check,
    fields_of,
)
from simulator.plan.codes import METADATA, OPERATIONS
from simulator.units import Bytes, format_size, parse_count

if TYPE_CHECKING:
    from simulator.config.lowering.walk import Walk


class Step(NamedTuple):
    """One thing that happens to a request on its way down."""

    names: Sequence[str]
    """The parts, stores and groups that it names, in order: they tell where a hop goes."""
    lower: Callable[[Walk, Sequence[str]], None]
    """Add its tiers to a walk, given the names of the steps after it. Raises ``WalkError``."""


class Tier(Section, ABC):
    """One item of a file system's list."""

    @abstractmethod
    def steps(self, at: Path) -> Iterator[Step]:
        """Return its steps; ``at`` is its place in the file."""

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the names in it: (place within the tier, name, what it should be)."""
        return mentions_in(type(self), self)


def mentions_in(shape: Shape, value: Any, at: Path = ()) -> Iterator[tuple[Path, str, str]]:
    """Yield the names in a part of a file, typed or plain: (place, name, what it should be).

    The last is ``stage``, ``work``, ``hold``, ``server``, ``sync``, ``tier`` (a part or store),
    ``members`` (a part or group) or ``group``.
    """
    if isinstance(shape, Choice):
        chosen = shape.chosen(value) if isinstance(value, Mapping) else None
        shape = type(value) if isinstance(value, Section) else chosen or Section
    if isinstance(shape, Items) and isinstance(value, list | tuple):
        for index, one in enumerate(value):
            yield from mentions_in(shape.item, one, (*at, index))
    elif isinstance(shape, Named) and isinstance(value, Mapping):
        for name, one in value.items():
            yield from mentions_in(shape.item, one, (*at, name))
    elif isinstance(shape, type) and isinstance(value, Section | Mapping):
        values = vars(value) if isinstance(value, Section) else value
        for key, inner in fields_of(shape).items():
            named, wanted = values.get(key), shape.naming.get(key)
            if wanted is None:
                yield from mentions_in(inner, named, (*at, key))
            else:
                several = named if key == "at" and isinstance(named, list | tuple) else [named]
                for name in several:
                    if isinstance(name, str):
                        yield (*at, key), name, wanted


class Use(Tier):
    """A store, a buffer cache, or a part that is a stage; a plain name is short for it."""

    shorthand = {"text": "use"}
    naming = {"use": "tier"}

    use: Name
    """Its name."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return a store, a buffer cache or a stage."""
        name, there = self.use, (*at, "use")

        def lower(walk: Walk, ahead: Sequence[str]) -> None:
            machine = walk.tables.machine
            if name in machine.stores:
                walk.store(name, there)
            elif name in machine.buffer_caches:
                walk.buffer_cache(name, there)
            else:
                walk.stage([(name, None)], 0, there, ahead)

        yield Step([name], lower)


# -- what data pass ------------------------------------------------------------------------------


class StageItem(Section):
    """A part in a stage; a plain name is the part."""

    shorthand = {"text": "part"}
    naming = {"part": "stage", "to": "group"}

    part: Name
    """The part."""
    to: Name | None = None
    """Of a network: the group of nodes that it leads to, where the next tiers do not tell."""


StageItems = Annotated[tuple[StageItem, ...], FULL]


class StageList(Section):
    """The parts of one stage, as a list; or the name of a single one."""

    shorthand = {"list": "stage", "text": "stage"}

    stage: StageItems
    """Parts that data pass together."""


def _stage(items: Sequence[StageItem], header: int | None, at: Path) -> Step:
    """Return a step past parts together; with a header there is a message each way."""
    parts = [(item.part, item.to) for item in items]
    return Step(
        [part for part, _ in parts], lambda walk, ahead: walk.stage(parts, header or 0, at, ahead)
    )


class Stage(Tier):
    """Parts that data stream through, held at once; with a network of packets each by itself."""

    shorthand = {"list": "stage"}

    stage: StageItems
    """The parts."""
    header: Size | None = None
    """Bytes of each message beside its data: with it, requests and answers travel too."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the stage."""
        yield _stage(self.stage, self.header, (*at, "stage"))


class Route(Tier):
    """A way to a server: requests of a size, stages one after the other, and the server's work."""

    synonyms = {"size": "request", "message": "header", "stages": "route", "work": "server"}
    naming = {"server": "server"}

    route: Annotated[tuple[StageList, ...], FULL]
    """Stages; each is passed when the one before has ended (store-and-forward)."""
    request: Size | None = None
    """Bytes of one request at most; as the program asks if left out."""
    window: Count = 1
    """Requests of one call that are out at one time."""
    header: Size | None = None
    """Bytes of each message beside its data: with it, requests and answers travel too."""
    server: Name | None = None
    """What works on each request at the other end: a part, or a pool of threads that are kept."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return a request, the stages, and the work."""
        size, name, there = self.request, self.server, (*at, "server")
        if size is not None:
            yield _requests(size, self.window, (*at, "request"), aligned=True)
        for index, one in enumerate(self.route):
            yield _stage(one.stage, self.header, (*at, "route", index, "stage"))
        if name is not None:
            yield Step([name], lambda walk, _: walk.work(name, there))


def _requests(size: int, window: int, at: Path, *, aligned: bool) -> Step:
    return Step([], lambda walk, _: walk.request(size, window, at, aligned=aligned))


class Request(Tier):
    """Requests of a size at most, into which calls are cut."""

    request: Size
    """Bytes of one request at most."""
    window: Count = 1
    """Requests of one call that are out at one time."""
    aligned: Flag = True
    """Calls are cut at multiples of it; if not, every so many bytes from their beginning on."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the request."""
        yield _requests(self.request, self.window, (*at, "request"), aligned=self.aligned)


# -- what requests use on their way ----------------------------------------------------------------


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

    naming = {"work": "work"}

    work: Name
    """The part."""
    costs: Costs | None = None
    """In the metadata of a file system: times of operations by kind, like {create: 400 us}, instead
    of the part's own."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the work."""
        costs = self.costs.by_kind if self.costs is not None else ()
        there = (*at, "work")
        yield Step(
            [self.work], lambda walk, _: walk.work(self.work, there, hold=False, costs=costs)
        )


class Keep(Tier):
    """A pool, of which a request keeps a server until its answer goes back."""

    naming = {"hold": "hold"}

    hold: Name
    """The pool."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the pool."""
        yield Step([self.hold], lambda walk, _: walk.work(self.hold, (*at, "hold"), hold=True))


# -- how a file is divided among nodes or devices --------------------------------------------------

ALL = 0
"""The width of a file that is striped over all members."""
ROUND_ROBIN, RANDOM, LEAST_USED = "round-robin", "random", "least-used"
"""How files are placed."""


def _read_width(value: object) -> int:
    if value in ("all", ALL) and not isinstance(value, bool):
        return ALL
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(not_text(value, "8"))
    return parse_count(value, least=1)


_WIDTH: dict[str, Any] = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}
Width = Annotated[
    int, Leaf("width", "all", _read_width, lambda width: str(width) if width else "all", _WIDTH)
]
"""How many members a file is striped over, or ``all``."""
Placement = Annotated[Literal["round-robin", "random", "least-used"], Called("placement")]


class Stripe(Tier):
    """Stripes: units of a file in turn on members of a group, each of which keeps one object."""

    synonyms = {"width": "over", "count": "over", "on": "of", "chunk": "stripe"}
    naming = {"of": "members"}

    stripe: Size
    """Bytes of one stripe (chunk)."""
    over: Width = ALL
    """How many members."""
    of: Name
    """The group of nodes, or the part with a count."""
    placement: Placement = "round-robin"
    """Where files begin: at one member after the other (``round-robin``), at one drawn for each
    (``random``), or where the fewest bytes lie so far (``least-used``). The other stripes of a file
    follow in turn; members that follow each other are in different nodes."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the stripe."""
        yield Step(
            [self.of],
            lambda walk, _: walk.stripe(
                self.of, self.stripe, self.over, at, placement=self.placement
            ),
        )


class Pieces(Tier):
    """A transfer is dealt out in nearly equal pieces that move at the same time."""

    synonyms = {"stripes": "pieces", "of": "over"}
    naming = {"over": "stage"}

    pieces: Count
    """Pieces of each transfer; those on one device travel together."""
    over: Name
    """The part whose devices they are dealt out to."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Have the following stages dealt out."""
        yield Step([self.over], lambda walk, _: walk.deal(self.over, self.pieces, at))


class Forward(Tier):
    """A node hands its requests to one of another group: nodes in order, equally many to each."""

    naming = {"forward": "group"}

    forward: Name
    """The group, such as that of I/O nodes."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the group."""
        yield Step([self.forward], lambda walk, _: walk.forward(self.forward, at))


# -- what makes data durable, and what keeps nodes apart -------------------------------------------

Mode = Annotated[Literal["async", "sync"], Called("export")]


class Commit(Tier):
    """A part that syncs, and changes of metadata, use on their way down; others pass it by."""

    synonyms = {"commit": "sync", "journal": "sync"}
    naming = {"sync": "sync"}

    sync: Name
    """The part: a journal, or a queue, delay, shared part or disk that each sync uses alone."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the part."""
        yield Step([self.sync], lambda walk, _: walk.commit(self.sync, (*at, "sync")))


class Export(Tier):
    """Where syncs and changes of metadata are answered, before data are on a device."""

    export: Mode
    """async: they are answered here, as by an NFS server with that export option, or by a
    controller whose cache has a battery; sync: they go on, as without this tier."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return an answer if it is asynchronous."""
        del at
        if self.export == "async":
            yield Step([], lambda walk, _: walk.export())


LockTiers = Annotated[
    tuple[Annotated[Use | Stage | Route | Work | Keep | Stripe, ToldBy()], ...], FULL
]


class Locks(Tier):
    """Locks of a file's units: a node has them before it reads (shared) or writes (alone)."""

    synonyms = {"size": "unit", "grow": "grant"}

    locks: LockTiers
    """The way of a request for locks to the server that grants them, as of ``metadata``."""
    unit: Size
    """Bytes of a file that one lock is for, once two nodes use the file."""
    grant: Size | None = None
    """Bytes that one request is granted at most, as far as no other node has or wants them; one
    unit if left out."""

    @check("grant")
    @classmethod
    def _whole_units(cls, grant: Bytes | None, earlier: Earlier) -> Bytes | None:
        unit = earlier.get("unit")
        if grant is not None and unit is not None and grant % unit:
            least = format_size(max(grant // unit, 1) * unit)
            about = f"{format_size(grant)} is not a whole number of units of {format_size(unit)}"
            raise ValueError(f"{about}; write {least}")
        return grant

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the locks; their server is not on the way of data."""
        yield Step([], lambda walk, _: walk.lock(self, at))


AnyTier = Annotated[
    Use
    | Stage
    | Route
    | Work
    | Keep
    | Stripe
    | Pieces
    | Forward
    | Request
    | Commit
    | Export
    | Locks,
    ToldBy(),
]
"""A tier of any kind; the key that only it has tells which."""
