"""Paths from a program to its files: tiers, and the parts that a request uses at each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.plan.codes import CLOSE_FREE, OPEN_ASKS


@dataclass(frozen=True, slots=True)
class Hold:
    """One part that a stage holds: which row of the plan's parts, at which place, and for what."""

    part: int
    slot: int
    """The place (see :class:`PathPlan`) whose member it belongs to."""
    writes: bool = False
    """Requests write the part, so that it takes ``PartPlan.writes`` if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPlan:
    """One step of a path; the tiers of a path stand together, from the program down to ``end``.

    ``kind`` is the name of a folder of ``simulator/kinds/tiers``, or ``end``. What counts depends
    on it:

    - ``stage``: ``down`` and ``up``, parts held at once by data on their way to and from the
      device, or with ``packets`` passed one after the other; ``header``; ``pieces``, ``slot`` and
      ``width``;
    - ``work``: one part in ``down``, for each request on its way down, reads and writes alike;
    - ``hold``: one part in ``down``, a pool of which a request keeps a server until its answer;
    - ``request``: ``size``, the bytes of a request at most, ``aligned``, and ``window``, how many
      are out;
    - ``stripe``: ``size`` (the unit), ``width``, ``slot`` (the place that it decides);
    - ``forward``: ``slot``, decided from place ``by``;
    - ``sync``: one part in ``down``, for each sync and each change of metadata;
    - ``export``: syncs and changes of metadata are answered here;
    - ``store``: ``row`` of the plan's stores, at place ``slot``;
    - ``buffers``: ``row`` of the plan's buffers, at place ``slot``, and the processor in ``down``.
      ``request`` and ``stripe`` tiers stand at the top of such a path; asked requests enter below.
    - ``locks``: ``size`` (the unit), ``grow``, ``ask``, ``column``, and ``row`` of the plan's
      stores whose blocks the locks protect, -1 for none;
    - any other: what the folder of a user's own kind says, with numbers of its own in ``spec``.
    """

    kind: str
    down: tuple[Hold, ...] = ()
    up: tuple[Hold, ...] = ()
    header: int = 0
    """Bytes of each message beside its data. With a header there is a message each way, else only
    one the way that data go."""
    remote_only: bool = False
    """The stage is left out where its first and last places are the same member."""
    packets: bool = False
    """The parts are passed one after the other, in the order of ``down`` or ``up``: each is a queue
    of its own, and none is held for another."""
    pieces: int = 0
    """Over how many pieces a transfer is dealt out, if it is; then ``slot`` and ``width`` name the
    place and the number of members of it that get pieces."""
    size: int = 0
    aligned: bool = True
    """Requests are cut at multiples of ``size``; else every ``size`` bytes from their begin on."""
    window: int = 1
    width: int = 1
    slot: int = 0
    by: int = 0
    row: int = 0
    ask: int = 0
    """Tiers from here to the first one of requests for locks, which come to an ``end``, too."""
    grow: int = 1
    """Units that are granted together at most, as far as they are free."""
    column: int = 0
    """The column that waiting for locks is charged to."""
    costs: tuple[int, ...] = ()
    """Of ``work``: ns that each kind of metadata request takes at the part instead of its own
    service, in the order of ``METADATA``; -1: its own. Empty: all have the part's own. Those of
    their other state follow, if that costs something else."""
    spec: Any = None
    """Of a user's own kind: its frozen numbers, which can be hashed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPlan:
    """One way to reach files: its tiers, its places, and what opening and closing mean.

    A *place* is one member of a group that a request concerns: place 0 is the process's node;
    the others are decided by ``stripe`` and ``forward`` tiers, or are the only member.
    """

    name: str
    top: int
    """The first tier of data."""
    metadata: int = -1
    """The first tier of metadata operations; these are free of cost without one."""
    drain: int = -1
    """The first tier of the copy that brings what was written to the device after the process has
    ended."""
    close: int = CLOSE_FREE
    attributes_min_ns: int = 0
    """Time for which a client knows the attributes of a file that has changed; 0: not at all."""
    attributes_max_ns: int = 0
    """The longest such time, after having found them unchanged again and again."""
    opening: int = OPEN_ASKS
    places: tuple[int, ...] = ()
    """The group of each place."""
    call_ns: int = 0
    """Time of a seek, read, write or sync along the path, beside the cpu's call; ns."""
    call_column: int = 0
    """The column that this is charged to."""
    give_up_ns: int = -1
    """For how long a request of a call waits for a part that has failed before it comes back, and
    the call has failed; -1: until the part is back."""
    copied: bool = False
    """A memory that requests pass copies what a call moves: the cpu does not; it copies only what a
    library moves between a program and its buffer."""
    first_store: int = -1
    """The tier of the first store that a request from a process reaches: closing and prestaging are
    for it, at each member of the stripes before it."""

    @property
    def remembers(self) -> bool:
        """Return whether clients know anything of files' attributes."""
        return self.attributes_max_ns > 0 or self.opening != OPEN_ASKS


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlan:
    """One file: how long it is at the start, how long it gets, and where it lies."""

    name: str
    path: int
    length: int = 0
    """Bytes that exist before the run."""
    size: int = 0
    """Bytes it has at most, record lengths included."""
    base: int = 0
    """Address of its first byte on each device."""
    room: int = 0
    """Behind buffers: bytes from ``base`` on, in whole blocks, that are its own on each member."""
    lead: int = 0
    """Its number among the files of its devices; stripes begin at this member, in turn."""
    within: int = -1
    """Its number among the files within a node that a tier has decided; -1: as ``lead``."""
    prestaged: bool = False

    @property
    def inner(self) -> int:
        """Its number for members within a node."""
        return self.within if self.within >= 0 else self.lead
