"""Layouts: how a file is divided among nodes or devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from simulator.config.errors import Path
from simulator.config.quantities import Count, Leaf, Name, Size, not_text
from simulator.config.section import Called
from simulator.config.tiers.base import Step, Tier
from simulator.units import parse_count

if TYPE_CHECKING:
    from simulator.config.lowering.walk import Walk

ALL = 0
"""The width of a file that is striped over all members."""


ROUND_ROBIN = "round-robin"
RANDOM = "random"
LEAST_USED = "least-used"
"""How files are placed."""


def _read_width(value: object) -> int:
    if value in ("all", ALL) and not isinstance(value, bool):
        return ALL
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(not_text(value, "8"))
    return parse_count(value, least=1)


_SCHEMA: dict[str, Any] = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}
Width = Annotated[
    int, Leaf("width", "all", _read_width, lambda width: str(width) if width else "all", _SCHEMA)
]
"""How many members a file is striped over, or ``all``."""


Placement = Annotated[Literal["round-robin", "random", "least-used"], Called("placement")]


class Stripe(Tier):
    """Stripes: units of a file in turn on members of a group, each of which keeps one object."""

    synonyms = {"width": "over", "count": "over", "on": "of", "chunk": "stripe"}

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

    @property
    def names(self) -> Sequence[str]:
        """What it is striped over."""
        return [self.of]

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add a ``stripe`` tier."""
        walk.stripe(self.of, self.stripe, self.over, at, placement=self.placement)

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return itself."""
        yield (), self

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return what it is striped over."""
        yield ("of",), self.of, "members"


class Pieces(Tier):
    """A transfer is dealt out in nearly equal pieces that move at the same time."""

    synonyms = {"stripes": "pieces", "of": "over"}

    pieces: Count
    """Pieces of each transfer; those on one device travel together."""
    over: Name
    """The part whose devices they are dealt out to."""

    @property
    def names(self) -> Sequence[str]:
        """What they are dealt out to."""
        return [self.over]

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Have the following stages dealt out."""
        walk.deal(self.over, self.pieces, at)

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return itself."""
        yield (), self

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return what they are dealt out to."""
        yield ("over",), self.over, "stage"


class Forward(Tier):
    """A node hands its requests to one of another group: nodes in order, equally many to each."""

    forward: Name
    """The group, such as that of I/O nodes."""

    @property
    def names(self) -> Sequence[str]:
        """The group."""
        return [self.forward]

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add a ``forward`` tier."""
        walk.forward(self.forward, at)

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return itself."""
        yield (), self

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the group."""
        yield ("forward",), self.forward, "group"
