"""Paths from a program to its files: tiers, and the resources that requests use at each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.plan.codes import CLOSE_FREE, OPEN_ASKS


@dataclass(frozen=True, slots=True)
class Hold:
    """Claim of a stage on one resource: its row in the plan, its place, and its direction."""

    part: int
    slot: int
    """Place (see :class:`PathPlan`) whose member owns the instance."""
    writes: bool = False
    """Requests write the resource: ``PartPlan.writes`` applies if it is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPlan:
    """A step of a path; the tiers of a path are contiguous, from the program down to ``end``.

    ``kind`` is the name of a folder of ``simulator/kinds/tiers``, or ``end``. The fields in use
    depend on it:

    - ``stage``: ``down`` and ``up``, resources claimed at once by data on their way to and from the
      device, or with ``packets`` one after the other; ``header``; ``pieces``, ``slot`` and
      ``width``;
    - ``work``: one resource in ``down``, for each request on its way down, read or write;
    - ``hold``: one resource in ``down``, a pool of which a request holds a server until its reply;
    - ``request``: ``size``, the maximum bytes of a request, ``aligned``, and ``window``, the number
      outstanding;
    - ``stripe``: ``size`` (the unit), ``width``, ``slot`` (the place that it decides); with an
      erasure code ``data`` and ``parity``, and in ``down`` the resource that computes it, if any;
    - ``forward``: ``slot``, decided from place ``by``;
    - ``sync``: one resource in ``down``, for each sync and each change of metadata;
    - ``export``: syncs and changes of metadata end here;
    - ``before``: ``kinds``;
    - ``store``: ``row`` of the plan's stores, at place ``slot``;
    - ``buffers``: ``row`` of the plan's buffers, at place ``slot``, and the processor in ``down``.
      ``request`` and ``stripe`` tiers stand at the top of such a path; asked requests enter below.
    - ``locks``: ``size`` (the unit), ``grow``, ``ask``, ``column``, and ``row`` of the plan's
      stores whose blocks the locks protect, -1 for none;
    - any other: a user's own kind, with numbers of its own in ``spec``.
    """

    kind: str
    down: tuple[Hold, ...] = ()
    up: tuple[Hold, ...] = ()
    header: int = 0
    """Bytes of each message besides its data. With a header there is a message each way,
    otherwise one in the direction of the data only."""
    remote_only: bool = False
    """The stage is skipped if its first and last places are the same member."""
    packets: bool = False
    """The resources are used one after the other, in the order of ``down`` or ``up``: each has a
    queue of its own, and none is held while waiting for another."""
    pieces: int = 0
    """Number of fragments over which a transfer is striped, if it is; then ``slot`` and
    ``width`` are the place and the number of its members that receive fragments."""
    size: int = 0
    aligned: bool = True
    """Requests are cut at multiples of ``size``; otherwise every ``size`` bytes from their
    begin."""
    window: int = 1
    width: int = 1
    data: int = 0
    """Units of data in a row of an erasure code, on as many members;"""
    parity: int = 0
    """and its parities, on as many more; 0: no code."""
    slot: int = 0
    by: int = 0
    row: int = 0
    ask: int = 0
    """Distance in tiers from here to the first one of requests for locks, which also end at an
    ``end``."""
    grow: int = 1
    """Maximum number of units granted together, as far as they are free."""
    column: int = 0
    """Account category of waiting for locks."""
    costs: tuple[int, ...] = ()
    """``work``: ns of each kind of metadata request at the resource instead of its own service,
    in the order of ``METADATA``; -1: its own. Empty: the resource's own for all. Those of their
    other state follow, if they differ."""
    kinds: tuple[int, ...] = ()
    """``before``: the kind that is asked before each kind of metadata request, as its place in
    ``METADATA``, in the order of ``METADATA``; -1: none."""
    spec: Any = None
    """User's own kind: its frozen numbers, which are hashable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPlan:
    """A path to files: its tiers, its places, and the effects of opening and closing.

    A *place* is one member of a group that a request uses: place 0 is the process's node; the
    others are chosen by ``stripe`` and ``forward`` tiers, or are the only member.
    """

    name: str
    top: int
    """First tier of data."""
    metadata: int = -1
    """First tier of metadata operations; -1: these are free."""
    drain: int = -1
    """First tier of the copy that moves written data to the device after the process has ended."""
    close: int = CLOSE_FREE
    attributes_min_ns: int = 0
    """Minimum time for which a client caches attributes of a changed file; 0: not at all."""
    attributes_max_ns: int = 0
    """Maximum such time, after repeatedly unchanged attributes."""
    opening: int = OPEN_ASKS
    places: tuple[int, ...] = ()
    """Group of each place."""
    call_ns: int = 0
    """Time of a seek, read, write or sync along the path, in addition to the cpu's call; ns."""
    call_column: int = 0
    """Its account category."""
    give_up_ns: int = -1
    """Timeout: time for which a request of a call waits for a failed resource before the call
    fails; -1: until the resource is available."""
    copied: bool = False
    """A memory resource on the path copies the data of a call, not the cpu; the cpu only copies
    between a program and its library buffer."""
    first_store: int = -1
    """Tier of the first store that a request of a process reaches: closing and prestaging apply
    to it, at each member of the stripes above it."""

    @property
    def remembers(self) -> bool:
        """Return whether clients cache attributes of files."""
        return self.attributes_max_ns > 0 or self.opening != OPEN_ASKS


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlan:
    """One file: its length at the start, its maximum size, and its location."""

    name: str
    path: int
    length: int = 0
    """Bytes that exist before the run."""
    size: int = 0
    """Maximum size, record lengths included."""
    base: int = 0
    """Address of its first byte on each device."""
    room: int = 0
    """Behind buffers: bytes from ``base`` on, in whole blocks, reserved for it on each member."""
    lead: int = 0
    """Number of the file among those of its devices: the member at which its stripes begin, modulo
    their number."""
    within: int = -1
    """Number of the file among those within a node that a tier has chosen; -1: as ``lead``."""
    prestaged: bool = False

    @property
    def inner(self) -> int:
        """Its number for members within a node."""
        return self.within if self.within >= 0 else self.lead
