"""A walk along a path, from a program down to a device: it keeps track of where a request is.

A *place* is one node or device that the request concerns; place 0 is the program's node. A network
leads from the place where the request is to another one; what a stage names must be where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

from simulator.config.errors import Path
from simulator.config.lowering.files import Placed
from simulator.config.lowering.ionodes import IoNodes, IoWay
from simulator.config.lowering.locks import Locked
from simulator.config.lowering.route import Names, Place, Route, WalkError
from simulator.config.lowering.tables import Tables
from simulator.config.part import BOTH, IN, OUT, READ, WRITE, Part
from simulator.config.tiers import ALL, ROUND_ROBIN, Locks, Step, Tier
from simulator.plan import codes
from simulator.plan.paths import Hold, TierPlan

Holds = tuple[Hold, ...]
Pass = tuple[Holds, Holds]
"""What is passed on the way down, and on the way up."""
Hop = tuple[Pass, Pass]
"""The ports of one network where a request leaves, and where it arrives; none where a node has
none."""


def at_once(hops: Sequence[Hop], others: Sequence[Pass]) -> Pass:
    """Return the parts of a stage that are held at once: those of networks first."""
    down = [hold for hop in hops for end, _ in hop for hold in end]
    up = [hold for hop in hops for _, end in reversed(hop) for hold in end]
    return (
        (*down, *(hold for one, _ in others for hold in one)),
        (*up, *(hold for _, one in others for hold in one)),
    )


def one_by_one(
    hops: Sequence[Hop], near: Sequence[Pass], between: Sequence[Pass], far: Sequence[Pass]
) -> Pass:
    """Return the parts of a stage of packets, which a message passes where they are.

    Those of the sender's node (``near``), its port, what stands between the nodes (a switch), the
    receiver's port, those of the receiver's node. Parts of one place are passed as they are
    written on the way down, and backwards on the way up.
    """
    (begin, end), *rest = hops
    passed = [*near, begin, *between, end, *(one for hop in rest for one in hop), *far]
    down = tuple(hold for one, _ in passed for hold in one)
    return down, tuple(hold for _, one in reversed(passed) for hold in reversed(one))


class Walk(Route):
    """The tiers and places of one path so far, and where the request is."""

    def __init__(self, tables: Tables, places: list[Place], here: int = 0) -> None:
        super().__init__(tables, places, here)
        self.header = 0
        """Bytes of the messages of a stage that does not say them."""
        self.first_store = -1
        """The first store before a request is divided."""
        self._dealt: dict[str, int] = {}
        """How the stages that follow are dealt out: fields of their tiers."""
        self._stripes: list[int] = []
        """The places that stripes have decided."""
        self._met: set[str] = set()
        """Stores and pools so far."""
        self.kept_on: set[tuple[str, int]] = set()
        """Parts, and their places, that keep what a write-back or a copy reads: it reads them too,
        and a fetch writes them."""
        self.placed: Placed | None = None
        """How files are placed if not in turn."""
        self._io = IoNodes()
        self.locked: Locked | None = None
        """Its locks of files."""

    @property
    def io(self) -> IoWay | None:
        """Where it leads if that is a buffer cache of I/O nodes."""
        return self._io.way

    def go(self, tiers: Iterable[Tier], at: Path) -> None:
        """Carry out tiers in order; ``at`` is the place of their list in the file."""
        steps: list[Step] = []
        for index, tier in enumerate(tiers):
            steps += tier.steps((*at, index))
        caches = self.tables.machine.buffer_caches
        self._io.ahead = next((n for one in steps for n in one.names if n in caches), "")
        for number, step in enumerate(steps):
            step.lower(self, [name for later in steps[number + 1 :] for name in later.names])
        self._io.finish(at)
        if self._decided is not None and not (self._arriving and self.free):
            group = self._group_name(self._decided)
            about = f"no network leads to {group} after this; write one, like '[nic]', after it"
            raise WalkError(self._decided_at, about)

    # -- kinds of tiers -----------------------------------------------------------------------

    def stage(
        self, items: Sequence[tuple[str, str | None]], header: int, at: Path, ahead: Names
    ) -> None:
        """Add a stage of parts, each with the group that it leads to if that is said."""
        machine = self.tables.machine
        parts = [(name, machine.parts[name]) for name, _ in items]
        if self._io.is_device(parts, at):
            self._reach(parts[0][0], at)
            return
        _refuse_together(parts, at)
        source = self.here
        hops = self._hops(items, at, ahead)
        ports = [hold for hop in hops for end, _ in hop for hold in end]
        remote = len(ports) > 1 and (
            self.places[ports[0].slot].group == self.places[ports[-1].slot].group
        )
        others: list[Pass] = []
        for index, (name, part) in enumerate(parts):
            if not part.network:
                slot = self._reach(name, (*at, index) if len(items) > 1 else at, source)
                ways = (READ, WRITE) if (name, slot) in self.kept_on else (WRITE, READ)
                there, back = (self._hold(name, slot, way) for way in ways)
                others.append(((there,), (back,)))
        packets = any(part.packets for _, part in parts)
        down, up = self._one_by_one(hops, others, source) if packets else at_once(hops, others)
        if self._dealt and (len(parts) > 1 or parts[0][1].alone):
            which = f"{len(parts)} parts" if len(parts) > 1 else f"{parts[0][0]}, which is shared"
            about = f"pieces cannot be dealt out to {which}; write stages of one part each"
            raise WalkError(at, about)
        fields: dict[str, Any] = {
            "down": down,
            "up": up,
            "header": header or self.header,
            "packets": packets,
            **self._dealt,
        }
        self.add(codes.STAGE, remote_only=remote, **fields)

    def _hops(self, items: Sequence[tuple[str, str | None]], at: Path, ahead: Names) -> list[Hop]:
        """Go where the networks of a stage lead; return their ports."""
        machine = self.tables.machine
        beside = [name for name, _ in items if not machine.parts[name].network]
        hops = []
        for index, (name, to) in enumerate(items):
            where = (*at, index) if len(items) > 1 else at
            if machine.parts[name].network:
                if self._dealt:
                    about = f"{name} is a network, over which no pieces are dealt out"
                    raise WalkError(where, f"{about}; write its stage before the pieces")
                begin = self.here
                self._hop(name, to, where, beside, ahead)
                out, home = (tuple(self._port(name, begin, way)) for way in (OUT, IN))
                into, back = (tuple(self._port(name, self.here, way)) for way in (IN, OUT))
                hops.append(((out, home), (into, back)))
            elif to is not None:
                about = f"{name} is no network: it leads nowhere; write '{name}' alone"
                raise WalkError((*where, "to"), about)
        return hops

    def _one_by_one(self, hops: Sequence[Hop], others: Sequence[Pass], source: int) -> Pass:
        """Return the parts of a stage of packets in the order in which a message passes them."""
        (out, _), (into, _) = hops[0][0], hops[-1][1]
        begin = out[0].slot if out else source
        end = into[0].slot if into else self.here
        at: dict[str, list[Pass]] = {"begin": [], "between": [], "end": []}
        for one in others:
            inside = self._around_all(one[0][0].slot)
            at["begin" if begin in inside else "end" if end in inside else "between"].append(one)
        return one_by_one(hops, at["begin"], at["between"], at["end"])

    def work(
        self, name: str, at: Path, *, hold: bool | None = None, costs: tuple[int, ...] = ()
    ) -> None:
        """Add a part that requests use on their way down, or whose server they keep.

        Which of both, follows from the kind of the part if ``hold`` is None.
        """
        self._dealt = {}
        part = self.tables.machine.parts[name]
        if part.kind == "io-server":
            slot = self._reach(name, at)
            self._io.serve(name, self._hold(name, slot, BOTH), at)
            return
        self._io.refuse(f"{name} works on requests", at)
        hold = "hold" in part.uses if hold is None else hold
        if hold:
            self._meet(name, at, "a request that keeps one of its threads would wait for another")
        slot = self._reach(name, at)
        kept = self._hold(name, slot, BOTH if hold else WRITE)
        self.add(codes.HOLD if hold else codes.WORK, down=(kept,), costs=costs)

    def commit(self, name: str, at: Path) -> None:
        """Add a part that only syncs and changes of metadata use."""
        slot = self._reach(name, at)
        self.add(codes.COMMIT, down=(self._hold(name, slot, WRITE),))

    def export(self) -> None:
        """Answer syncs and changes of metadata."""
        self.add(codes.EXPORT)

    def store(self, name: str, at: Path) -> None:
        """Add a store."""
        self._dealt = {}
        self._io.refuse(f"{name} is a store", at)
        self._meet(name, at, "a block cannot be in it twice")
        slot = self._reach(name, at)
        self._holds_whole_parts(name, slot, at)
        if self._decided is not None:
            about = f"{name} comes after this, and before a network to where it leads"
            raise WalkError(self._decided_at, f"{about}; write this after {name}")
        if self.first_store < 0:
            self.first_store = len(self.tiers)
        self.kept_on |= self.last_parts()
        self._known_below.clear()
        if self.places[slot].group in self.tables.single:
            self.here = slot  # Its write-backs come from no node.
        self.add(codes.STORE, row=self.tables.store_of[name], slot=slot)

    def last_parts(self) -> set[tuple[str, int]]:
        """Return the parts, and their places, of the stages since the last tier that is none."""
        parts, stages = self.tables.parts, takewhile(_is_stage, reversed(self.tiers))
        return {(parts[one.part].name, one.slot) for tier in stages for one in tier.down}

    def _holds_whole_parts(self, name: str, slot: int, at: Path) -> None:
        """Refuse a store that several members of a stripe share: it could not tell their blocks."""
        within = {slot}
        while (slot := self.places[slot].around) >= 0:
            within.add(slot)
        for stripe in self._stripes:
            if stripe not in within and self.tables.groups[self.places[stripe].group].count > 1:
                members = self._group_name(stripe)
                about = f"{name} comes after stripes over {members}, and has to be in each of these"
                raise WalkError(at, f"{about}; write 'at: {members}' in it, or the stripe after it")

    def buffer_cache(self, name: str, at: Path) -> None:
        """Add a buffer cache of I/O nodes, where a path ends but for the RAID unit."""
        slot = self._reach(name, at)
        machine, group = self.tables.machine, self.tables.groups[self.places[slot].group]
        if self._arriving or slot > 1 or (slot == 0 and group.count > 1):
            about = f"no request for pieces of a file can come to {name} here"
            about = f"{about}; write the stripe over {group.name} and a network before it"
            raise WalkError(at, about)
        row = list(machine.buffer_caches).index(name)
        self.add(
            codes.BUFFERS, row=row, slot=slot, down=(self._io.enter(name, group.count, slot, at),)
        )

    def request(self, size: int, window: int, at: Path, *, aligned: bool) -> None:
        """Cut requests at multiples of ``size``, or every ``size`` bytes."""
        self._dealt = {}
        self._io.refuse("requests have a size", at)
        self.add(codes.REQUEST, size=size, window=window, aligned=aligned)

    def stripe(self, name: str, size: int, over: int, at: Path, *, placement: str) -> None:
        """Divide a file over the members of a group."""
        self._dealt = {}
        slot, members = self._members(name, at)
        if over > members:
            about = f"{over} is more than the {members} of {name}; write {members} or less, or all"
            raise WalkError((*at, "over"), about)
        if self._io.ahead:
            if placement != ROUND_ROBIN:
                about = f"files behind {self._io.ahead} begin at node 0; leave this out"
                raise WalkError((*at, "placement"), about)
            self._io.stripe(size, members if over == ALL else over, at)
            return
        self._stripes.append(slot)
        if placement != ROUND_ROBIN:
            if self.placed is not None:
                about = "files begin where another stripe says already; write one placement"
                raise WalkError((*at, "placement"), about)
            self.placed = Placed(placement, members, size, members if over == ALL else over)
        self.add(codes.STRIPE, size=size, width=members if over == ALL else over, slot=slot)

    def deal(self, name: str, pieces: int, at: Path) -> None:
        """Deal the following stages out to the devices of a part."""
        self._io.refuse("transfers are dealt out in pieces", at)
        slot = self._reach(name, (*at, "over"))
        group = self.tables.groups[self.places[slot].group]
        around = self.places[slot].around
        width = group.each if around >= 0 else group.count
        if group.parent < 0 and self.places[slot].group not in self.tables.single:
            width = 1  # One on each node: there is nothing to deal out to.
        dealt = {"pieces": pieces, "slot": slot, "width": width}
        self._dealt = dealt if min(pieces, width) > 1 else {}

    def forward(self, name: str, at: Path) -> None:
        """Go on at a member of a group that follows from the place where the request is."""
        self._dealt = {}
        self._io.refuse("requests are forwarded", at)
        slot = self._new(self.tables.group_of[name])
        if slot != self.here:  # It is where the request is already, if there is only one.
            self.add(codes.FORWARD, slot=slot, by=self.here)
        self._decided, self._decided_at = slot, at

    def lock(self, tier: Locks, at: Path) -> None:
        """Add locks of files."""
        self._io.refuse("nodes lock files", at)
        if self.locked is not None:
            raise WalkError(at, "this path has locks already; leave one out")
        if self.here:
            about = "locks are those of the program's node, which the request has left"
            raise WalkError(at, f"{about}; write them before the first network")
        if any(one.kind in (codes.STORE, codes.STRIPE) for one in self.tiers):
            about = "locks are for units of files, before these are divided or kept"
            raise WalkError(at, f"{about}; write them before stripes and stores")
        self.locked = Locked(len(self.tiers), tier.locks, at)
        grow = 1 if tier.grant is None else tier.grant // tier.unit
        self.add(codes.LOCKS, size=tier.unit, grow=grow, row=-1)

    def _meet(self, name: str, at: Path, why: str) -> None:
        if name in self._met:
            raise WalkError(at, f"{name} is on this path twice: {why}; leave one out")
        self._met.add(name)


def _is_stage(tier: TierPlan) -> bool:
    return tier.kind == codes.STAGE


def _refuse_together(parts: Sequence[tuple[str, Part]], at: Path) -> None:
    """Refuse parts that cannot be held together in one stage."""
    for index, (name, part) in enumerate(parts):
        if name in [other for other, _ in parts[:index]]:
            raise WalkError((*at, index), f"{name} is in this stage twice; leave one out")
        if part.alone and len(parts) > 1:
            what = "a core" if part.order == "all" else "shared"
            about = f"{name} is {what}, and cannot be held together with others, since it is"
            about = f"{about} not known when a transfer ends; write it in a stage of its own"
            raise WalkError((*at, index), about)
