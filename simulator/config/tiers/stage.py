"""Stages: parts that data pass together on their way; and parts that requests use on theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from simulator.config.errors import Path
from simulator.config.quantities import Count, Flag, Name, Size
from simulator.config.section import FULL, Section
from simulator.config.tiers.base import Step, Tier
from simulator.config.tiers.costs import Costs

if TYPE_CHECKING:
    from simulator.config.lowering.walk import Walk


class StageItem(Section):
    """A part in a stage; a plain name is the part."""

    shorthand = {"text": "part"}

    part: Name
    """The part."""
    to: Name | None = None
    """Of a network: the group of nodes that it leads to, where the next tiers do not tell."""


Items = Annotated[tuple[StageItem, ...], FULL]


class StageList(Section):
    """The parts of one stage, as a list; or the name of a single one."""

    shorthand = {"list": "stage", "text": "stage"}

    stage: Items
    """Parts that data pass together."""


@dataclass(frozen=True, slots=True)
class StageStep:
    """Parts passed together; with a header there is a message each way."""

    items: tuple[StageItem, ...]
    header: int = 0

    @property
    def names(self) -> Sequence[str]:
        """Its parts."""
        return [item.part for item in self.items]

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add a stage."""
        walk.stage([(item.part, item.to) for item in self.items], self.header, at, ahead)


@dataclass(frozen=True, slots=True)
class WorkStep:
    """A part that each request uses on its way down, or whose server it keeps."""

    part: str
    hold: bool | None
    """None: it follows from the kind of the part."""
    costs: tuple[int, ...] = ()
    """As in ``TierPlan``."""

    @property
    def names(self) -> Sequence[str]:
        """Its part."""
        return [self.part]

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add a ``work`` or ``hold`` tier."""
        hold = self.hold
        if hold is None:
            hold = "hold" in walk.tables.machine.parts[self.part].uses
        walk.work(self.part, at, hold=hold, costs=self.costs)


@dataclass(frozen=True, slots=True)
class RequestStep:
    """Requests of a size at most, some of which are out at one time."""

    size: int
    window: int
    aligned: bool

    @property
    def names(self) -> Sequence[str]:
        """Nothing."""
        return []

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add a ``request`` tier."""
        walk.request(self.size, self.window, at, aligned=self.aligned)


class Stage(Tier):
    """Parts that data stream through, held at once; with a network of packets each by itself."""

    shorthand = {"list": "stage"}

    stage: Items
    """The parts."""
    header: Size | None = None
    """Bytes of each message beside its data: with it, requests and answers travel too."""

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return the stage."""
        yield ("stage",), StageStep(self.stage, self.header or 0)

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return its parts, and where they lead to."""
        yield from _items(("stage",), self.stage)


def _items(at: Path, items: Sequence[StageItem]) -> Iterator[tuple[Path, str, str]]:
    for index, item in enumerate(items):
        yield (*at, index, "part"), item.part, "stage"
        if item.to is not None:
            yield (*at, index, "to"), item.to, "group"


class Route(Tier):
    """A way to a server: requests of a size, stages one after the other, and the server's work."""

    synonyms = {"size": "request", "message": "header", "stages": "route", "work": "server"}

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

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return a request, the stages, and the work."""
        if self.request is not None:
            yield ("request",), RequestStep(self.request, self.window, aligned=True)
        for index, one in enumerate(self.route):
            yield ("route", index, "stage"), StageStep(one.stage, self.header or 0)
        if self.server is not None:
            yield ("server",), WorkStep(self.server, None)

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the parts of its stages, and its server."""
        for index, one in enumerate(self.route):
            yield from _items(("route", index, "stage"), one.stage)
        if self.server is not None:
            yield ("server",), self.server, "server"


class Request(Tier):
    """Requests of a size at most, into which calls are cut."""

    request: Size
    """Bytes of one request at most."""
    window: Count = 1
    """Requests of one call that are out at one time."""
    aligned: Flag = True
    """Calls are cut at multiples of it; if not, every so many bytes from their beginning on."""

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return the request."""
        yield ("request",), RequestStep(self.request, self.window, self.aligned)

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return nothing."""
        yield from ()


class Work(Tier):
    """A part that each request uses on its way down, reads and writes alike."""

    work: Name
    """The part."""
    costs: Costs | None = None
    """In the metadata of a file system: times of operations by kind, like {create: 400 us}, instead
    of the part's own."""

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return the work."""
        costs = self.costs.by_kind if self.costs is not None else ()
        yield ("work",), WorkStep(self.work, hold=False, costs=costs)

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the part."""
        yield ("work",), self.work, "work"


class Keep(Tier):
    """A pool, of which a request keeps a server until its answer goes back."""

    hold: Name
    """The pool."""

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return the pool."""
        yield ("hold",), WorkStep(self.hold, hold=True)

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the pool."""
        yield ("hold",), self.hold, "hold"
