"""File systems: the tiers between a program and a device, and what opening and closing mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from simulator.config.errors import Path
from simulator.config.quantities import Flag, Time
from simulator.config.section import FULL, Called, Section, UnionOf, check, default
from simulator.config.tier import Tier
from simulator.kinds import kind_class, names
from simulator.plan import codes
from simulator.units import Nanoseconds, format_time

if TYPE_CHECKING:
    AnyTier = Tier
else:
    _SECTIONS = [kind_class("tiers", name, "section", Tier) for name in names("tiers", "section")]
    _SECTIONS.sort(key=lambda one: one.rank)
    AnyTier = Annotated[Union[tuple(_SECTIONS)], UnionOf()]  # noqa: UP007
    """A tier of any kind; the key that only it has tells which."""

Tiers = Annotated[tuple[AnyTier, ...], FULL]

CloseMode = Annotated[Literal["queue", "flush", "free", "replaced"], Called("close")]
OPENINGS = {None: codes.OPEN_ASKS, True: codes.OPEN_CHECKS, False: codes.OPEN_CACHED}
CLOSES = {
    "free": codes.CLOSE_FREE,
    "queue": codes.CLOSE_QUEUE,
    "flush": codes.CLOSE_FLUSH,
    "replaced": codes.CLOSE_REPLACED,
}


METADATA_MESSAGE = 256
"""Bytes of a request for metadata and of its answer, if a file says no header (assumed)."""


FOR_EVER_NS = 2**61
Kept = Annotated[Literal["kept"], Called("kept")]


class Attributes(Section):
    """Times as of NFS; 'kept' alone: for the whole run, as on a file system of one node."""

    shorthand = {"text": "kept"}
    synonyms = {"acregmin": "min", "acregmax": "max", "actimeo": "min"}

    kept: Kept | None = None
    """'kept', if a client asks once only."""
    min: Time = default(Nanoseconds(3 * 10**9), "Linux manual page nfs(5): acregmin 3")
    """For how long after it has found a file changed."""
    max: Time = default(Nanoseconds(60 * 10**9), "Linux manual page nfs(5): acregmax 60")
    """For how long at most: the time doubles each time that a file is found unchanged."""

    @check("max", always=True)
    @staticmethod
    def _in_order(most: Nanoseconds, min: Nanoseconds) -> None:  # noqa: A002 - the key
        if most < min:
            about = f"{format_time(most)} is less than 'min', {format_time(min)}; write as much"
            raise ValueError(about)

    @property
    def times_ns(self) -> tuple[int, int]:
        """The least time and the most."""
        return (FOR_EVER_NS, FOR_EVER_NS) if self.kept else (self.min, self.max)


class AccessPath(Section):
    """One way to reach the files of a file system; a plain list is its tiers."""

    shorthand = {"list": "tiers"}

    tiers: Tiers
    """From the program down to the device."""
    drain: Tiers | None = None
    """After the process has ended, a copier brings what it wrote on this way, by these tiers."""


class FileSystem(Section):
    """A file system; a plain list is its tiers."""

    shorthand = {"list": "tiers"}
    synonyms = {"timeo": "timeout", "soft": "timeout"}
    later = frozenset(("timeout", "write_lock"))

    tiers: Tiers | None = None
    """From the program down to the device."""
    paths: Annotated[dict[str, AccessPath], FULL] | None = None
    """Instead of tiers: several ways to reach the same files, by name; the first is the usual."""
    metadata: Tiers | None = None
    """The way of open, close, stat, create, unlink and other metadata operations, with messages of
    256 B if a stage has no header; they cost no time if left out."""
    close: CloseMode = default("queue", "POSIX: close does not wait for the device")
    """What closing a written file does: start the write-back of its dirty blocks where the store's
    start has 'close' (queue), so if it was emptied before, and when it is renamed to a name
    that is there (replaced: ext4's auto_da_alloc), wait until they are on the device (flush), or
    nothing (free)."""
    attributes: Attributes | None = None
    """How long a node answers stat, and lookup of an absent name, itself; it asks each time if this
    is left out. {min: 3 s, max: 60 s} is what NFS does; kept: once only."""
    close_to_open: Flag | None = None
    """true: each open asks the server, and clean data that a node holds of a file that another node
    has changed go. false: a node answers open as it answers stat. Left out: each open asks, and
    nothing goes."""
    timeout: Time | None = None
    """A call fails if a resource has failed and is not back within this time, as on a soft mount;
    0 s: at once. Left out: it waits until the resource is back."""

    write_lock: Time | None = None
    """Processes of a node that write one file take turns, as by the lock of an inode, and a write
    of listed calls whose bytes follow those of another process takes so much longer. Left out, or
    0 s: all write at the same time."""

    @check("attributes", "close_to_open")
    @staticmethod
    def _of_metadata(_: Any, metadata: Tiers | None) -> None:
        if metadata is None:
            raise ValueError("nothing is asked without 'metadata'; write that too, or leave it out")

    def ways(self) -> Mapping[str, tuple[Path, AccessPath]]:
        """Return its paths by name, each with its place here; a single one is called ``""``."""
        if self.paths is not None:
            return {name: (("paths", name), path) for name, path in self.paths.items()}
        assert self.tiers is not None
        return {"": ((), AccessPath(tiers=self.tiers))}

    @property
    def usual(self) -> str:
        """The name of its usual path, the first of :meth:`ways`, none of which is made for it."""
        return next(iter(self.paths or ("",)))

    @property
    def has_locks(self) -> bool:
        """Return whether nodes lock its files."""
        ways = self.ways().values()
        return any(tier.asks for _, path in ways for tier in path.tiers)
