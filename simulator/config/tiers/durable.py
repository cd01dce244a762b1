"""What only durable requests pass: a journal or a device's flush; and where they are answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from simulator.config.errors import Path
from simulator.config.quantities import Name
from simulator.config.section import Called
from simulator.config.tiers.base import Step, Tier

if TYPE_CHECKING:
    from simulator.config.lowering.walk import Walk

Mode = Annotated[Literal["async", "sync"], Called("export")]


class Commit(Tier):
    """A part that syncs, and changes of metadata, use on their way down; others pass it by."""

    synonyms = {"commit": "sync", "journal": "sync"}

    sync: Name
    """The part: a journal, or a queue, delay, shared part or disk that each sync uses alone."""

    @property
    def names(self) -> Sequence[str]:
        """The part."""
        return [self.sync]

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add a ``commit`` tier."""
        walk.commit(self.sync, at)

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return itself."""
        yield ("sync",), self

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the part."""
        yield ("sync",), self.sync, "sync"


class Export(Tier):
    """Where syncs and changes of metadata are answered, before data are on a device."""

    export: Mode
    """async: they are answered here, as by an NFS server with that export option, or by a
    controller whose cache has a battery; sync: they go on, as without this tier."""

    @property
    def names(self) -> Sequence[str]:
        """Nothing."""
        return []

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add an ``export`` tier if it is asynchronous."""
        if self.export == "async":
            walk.export()

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return itself."""
        yield ("export",), self

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return nothing."""
        yield from ()
