"""What all tiers share. A tier becomes steps, which a walk along a path carries out in turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from simulator.config.errors import Path
from simulator.config.section import Section

if TYPE_CHECKING:
    from simulator.config.lowering.walk import Walk


class Step(Protocol):
    """One thing that happens to a request on its way down."""

    @property
    def names(self) -> Sequence[str]:
        """The parts, stores and groups that it names, in order: they tell where a hop goes."""
        ...

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add its tiers to a walk; ``ahead`` are the names of the steps after it.

        ``at`` is where it is in the file. Raises ``WalkError``.
        """
        ...


class Tier(Section, ABC):
    """One item of a file system's list."""

    @abstractmethod
    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return its steps, each with its place within the tier."""

    @abstractmethod
    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the names in it: (place within the tier, name, what it should be).

        The last is ``stage``, ``work``, ``hold``, ``tier`` (a part or store), ``devices``, or
        ``group``.
        """
