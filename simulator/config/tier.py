"""Tiers of any kind: the items of a file system's list, from the program to the device.

A kind is a folder of ``simulator/kinds/tiers``; its section has the steps by which a walk along a
path carries it out (:mod:`simulator.config.lowering.walk`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from simulator.config.errors import Fault, Path
from simulator.config.section import Choice, Items, Named, Section, Shape, fields_of

if TYPE_CHECKING:
    from simulator.config.lowering.walk import Walk

NO_BYTES = "has no effect on metadata, which has no bytes of a file; leave it out"


class WalkError(ValueError):
    """A path that no request could take: where in the file, and why."""

    def __init__(self, at: Path, about: str) -> None:
        self.at = at
        super().__init__(about)


class Step(NamedTuple):
    """One thing that happens to a request on its way down."""

    names: Sequence[str]
    """The parts, stores and groups that it names, in order: they tell where a hop goes."""
    lower: Callable[[Walk], None]
    """Add its tiers to a walk. Raises ``WalkError``."""


class Tier(Section):
    """One item of a file system's list; its first key is the name of its kind."""

    rank: ClassVar[int] = 100
    """Where the kind stands among all in the schema and in messages; and, where a tier has the
    first keys of two kinds, the lower one counts."""
    of_bytes: ClassVar[bool] = False
    """It concerns bytes of files, and has no effect on metadata."""

    twice: ClassVar[bool] = True
    """An equal one may follow it."""

    @property
    def asks(self) -> Sequence[Tier]:
        """The way of requests of its own, beside that of data."""
        return ()

    def steps(self, at: Path) -> Iterator[Step]:
        """Return its steps; ``at`` is its place in the file. There is one, if it does not say."""
        yield Step([name for _, name, _ in self.mentions()], lambda walk: self.lower(walk, at))

    def lower(self, walk: Walk, at: Path) -> None:
        """Add its tiers to a walk. Raises ``WalkError``."""
        raise NotImplementedError

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the names in it: (place within the tier, name, what it should be)."""
        return mentions_in(type(self), self)

    def misplaced(self, role: str, stores: Collection[str]) -> Iterator[Fault]:
        """Find why it means nothing on its way, that of ``role``, given the names of all stores.

        A role is ``data``, ``drain``, ``metadata``, ``locks`` or ``messages``.
        """
        del stores
        if role == "metadata" and self.of_bytes:
            key = next(iter(fields_of(type(self))))
            yield (key,), f"{key!r} {NO_BYTES}"


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
