"""A walk along a path, from a program down to a device: it keeps track of where a request is.

A *place* is one node or device that the request concerns; place 0 is the program's node. A network
leads from the place where the request is to another one; what a stage names must be where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from simulator.config.errors import Path
from simulator.config.lowering.ionodes import IoNodes, IoWay
from simulator.config.lowering.locks import Locked
from simulator.config.lowering.places import Place, Places, WalkError
from simulator.config.lowering.tables import Rows, Tables
from simulator.config.parts.base import IN, OUT, READ, WRITE
from simulator.config.parts.ionode import IO_SERVER
from simulator.config.tiers.base import Step, Tier
from simulator.config.tiers.layout import ALL
from simulator.plan.codes import (
    BUFFERS,
    COMMIT,
    EXPORT,
    FORWARD,
    HOLD,
    REQUEST,
    STAGE,
    STORE,
    STRIPE,
    WORK,
)
from simulator.plan.paths import Hold, TierPlan

Names = Sequence[str]


@dataclass
class Dealt:
    """How the stages that follow are dealt out."""

    pieces: int
    slot: int
    width: int


class Walk(Places):
    """The tiers and places of one path so far, and where the request is."""

    def __init__(self, tables: Tables, places: list[Place], here: int = 0) -> None:
        super().__init__(tables, places, here)
        self.header = 0
        """Bytes of the messages of a stage that does not say them."""
        self.first_store = -1
        """The first store before a request is divided."""
        self.free = False
        """What the request has passed leads everywhere."""
        self._been = {places[0].group, places[here].group}
        """The groups where the request has been."""
        self._decided: int | None = None
        """The place that a layout has decided, and that the request is still to reach."""
        self._arriving = False
        """It is a message's: it comes to a place, not to a device."""
        self._decided_at: Path = ()
        self._dealt: Dealt | None = None
        self._stripes: list[int] = []
        """The places that stripes have decided."""
        self._met: set[str] = set()
        """Stores and pools so far."""
        self.kept_on: set[tuple[str, int]] = set()
        """Parts, and their places, that keep what a write-back or a copy reads: it reads them too,
        and a fetch writes them."""
        self._io = IoNodes()
        self.locked: Locked | None = None
        """Its locks of files."""

    @property
    def io(self) -> IoWay | None:
        """Where it leads if that is a buffer cache of I/O nodes."""
        return self._io.way

    def refuse_io(self, what: str, at: Path) -> None:
        """Refuse something on the way to a buffer cache of I/O nodes."""
        self._io.refuse(what, at)

    def go(self, tiers: Iterable[Tier], at: Path) -> None:
        """Carry out tiers in order; ``at`` is the place of their list in the file."""
        steps: list[tuple[Path, Step]] = []
        for index, tier in enumerate(tiers):
            steps += [((*at, index, *inner), step) for inner, step in tier.steps()]
        caches = self.tables.machine.buffer_caches
        self._io.ahead = next((n for _, one in steps for n in one.names if n in caches), "")
        for number, (where, step) in enumerate(steps):
            ahead = [name for _, later in steps[number + 1 :] for name in later.names]
            step.lower(self, where, ahead)
        self._io.finish(at)
        if self._decided is not None and not (self._arriving and self.free):
            group = self._group_name(self._decided)
            about = f"no network leads to {group} after this; write one, like '[nic]', after it"
            raise WalkError(self._decided_at, about)

    def arrive(self, slot: int) -> None:
        """Have the next network lead to this place; so does what is reached from everywhere."""
        self._decided = slot
        self._arriving = True

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
        for index, (name, part) in enumerate(parts):
            if name in [other for other, _ in parts[:index]]:
                raise WalkError((*at, index), f"{name} is in this stage twice; leave one out")
            if part.alone and len(parts) > 1:
                about = f"{name} is shared, and cannot be held together with others, since it is"
                about = f"{about} not known when a transfer ends; write it in a stage of its own"
                raise WalkError((*at, index), about)
        locals_ = [name for name, part in parts if not part.network]
        source = self.here
        down: list[Hold] = []
        up: list[Hold] = []
        for index, ((name, to), (_, part)) in enumerate(zip(items, parts, strict=True)):
            where = (*at, index) if len(items) > 1 else at
            if part.network:
                begin = self.here
                self._hop(name, to, where, locals_, ahead)
                down += [*self._port(name, begin, OUT), *self._port(name, self.here, IN)]
                up += [*self._port(name, self.here, OUT), *self._port(name, begin, IN)]
            elif to is not None:
                about = f"{name} is no network: it leads nowhere; write '{name}' alone"
                raise WalkError((*where, "to"), about)
        remote = bool(down) and self.places[down[0].slot].group == self.places[down[-1].slot].group
        for index, (name, part) in enumerate(parts):
            if not part.network:
                slot = self._reach(name, (*at, index) if len(items) > 1 else at, source)
                rows = self._rows(name, slot)
                ways = (READ, WRITE) if (name, slot) in self.kept_on else (WRITE, READ)
                down.append(Hold(_way(rows, ways[0]), slot))
                up.append(Hold(_way(rows, ways[1]), slot))
        if self._dealt is not None and (len(parts) > 1 or parts[0][1].alone):
            which = f"{len(parts)} parts" if len(parts) > 1 else f"{parts[0][0]}, which is shared"
            about = f"pieces cannot be dealt out to {which}; write stages of one part each"
            raise WalkError(at, about)
        fields: dict[str, Any] = {
            "down": tuple(down),
            "up": tuple(up),
            "header": header or self.header,
        }
        if self._dealt is not None:
            dealt = self._dealt
            fields |= {"pieces": dealt.pieces, "slot": dealt.slot, "width": dealt.width}
        self.add(STAGE, remote_only=remote, **fields)

    def work(self, name: str, at: Path, *, hold: bool, costs: tuple[int, ...] = ()) -> None:
        """Add a part that requests use on their way down, or whose server they keep."""
        self._dealt = None
        if self.tables.machine.parts[name].kind == IO_SERVER:
            slot = self._reach(name, at)
            self._io.serve(name, Hold(_way(self._rows(name, slot), ""), slot), at)
            return
        self._io.refuse(f"{name} works on requests", at)
        if hold:
            self._meet(name, at, "a request that keeps one of its threads would wait for another")
        slot = self._reach(name, at)
        row = _way(self._rows(name, slot), WRITE)
        self.add(HOLD if hold else WORK, down=(Hold(row, slot),), costs=costs)

    def commit(self, name: str, at: Path) -> None:
        """Add a part that only syncs and changes of metadata use."""
        slot = self._reach(name, at)
        self.add(COMMIT, down=(Hold(_way(self._rows(name, slot), WRITE), slot),))

    def export(self) -> None:
        """Answer syncs and changes of metadata."""
        self.add(EXPORT)

    def store(self, name: str, at: Path) -> None:
        """Add a store."""
        self._dealt = None
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
        self.add(STORE, row=self.tables.store_of[name], slot=slot)

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
        self.add(BUFFERS, row=row, slot=slot, down=(self._io.enter(name, group.count, slot, at),))

    def request(self, size: int, window: int, at: Path, *, aligned: bool) -> None:
        """Cut requests at multiples of ``size``, or every ``size`` bytes."""
        self._dealt = None
        self._io.refuse("requests have a size", at)
        self.add(REQUEST, size=size, window=window, aligned=aligned)

    def stripe(self, name: str, size: int, over: int, at: Path) -> None:
        """Divide a file over the members of a group."""
        self._dealt = None
        slot, members = self._members(name, at)
        if over > members:
            about = f"{over} is more than the {members} of {name}; write {members} or less, or all"
            raise WalkError((*at, "over"), about)
        if self._io.ahead:
            self._io.stripe(size, members if over == ALL else over, at)
            return
        self._stripes.append(slot)
        self.add(STRIPE, size=size, width=members if over == ALL else over, slot=slot)

    def deal(self, name: str, pieces: int, at: Path) -> None:
        """Deal the following stages out to the devices of a part."""
        self._io.refuse("transfers are dealt out in pieces", at)
        slot = self._reach(name, (*at, "over"))
        group = self.tables.groups[self.places[slot].group]
        around = self.places[slot].around
        width = group.each if around >= 0 else group.count
        if group.parent < 0 and self.places[slot].group not in self.tables.single:
            width = 1  # One on each node: there is nothing to deal out to.
        self._dealt = Dealt(pieces, slot, width) if min(pieces, width) > 1 else None

    def forward(self, name: str, at: Path) -> None:
        """Go on at a member of a group that follows from the place where the request is."""
        self._dealt = None
        self._io.refuse("requests are forwarded", at)
        slot = self._new(self.tables.group_of[name])
        self.add(FORWARD, slot=slot, by=self.here)
        self._decided, self._decided_at = slot, at

    # -- places -------------------------------------------------------------------------------

    def _reach(self, name: str, at: Path, source: int | None = None) -> int:
        """Return the place of a part or store that must be where the request is."""
        groups = self.tables.homes[name]
        if groups[0] in self.tables.single:
            self.free = True
            return self._single(groups[0])
        for slot in (self.here,) if source in (None, self.here) else (self.here, source):
            assert slot is not None
            for group in groups:
                if (found := self._near(slot, group)) is not None:
                    return found
        decided = self._decided
        if self.free:
            targets = [decided] if decided is not None else []
            targets += [self._new_node(group) for group in groups if group not in self._been]
            for target in targets:
                if any((found := self._near(target, group)) is not None for group in groups):
                    self._go_to(target)
                    return self.here if found is None else found
        there = " and ".join(self._node_name(group) for group in groups)
        here = self._node_name(self.places[self.here].group)
        about = f"{name} is at {there}, and the request is still at {here}"
        if self._been.intersection(groups):
            about = f"{name} is at {there}, which the request has left: it is at {here}"
        nets = [key for key, part in self.tables.machine.parts.items() if part.network]
        example = nets[0] if nets else "nic"
        raise WalkError(
            at, f"{about}; write the network between them before it, like '[{example}]'"
        )

    def _members(self, name: str, at: Path) -> tuple[int, int]:
        """Return a new place among the members that a file is striped over, and their number."""
        groups = self.tables.groups_of(name)
        if len(groups) > 1:
            about = f"{name} is in several groups of nodes; write the name of one of these"
            raise WalkError((*at, "of"), about)
        group = groups[0]
        plan = self.tables.groups[group]
        if group in self.tables.single:
            return self._single(group), plan.count
        if plan.parent >= 0 and (around := self._near(self.here, plan.parent)) is not None:
            return self._new(group, around=around), plan.each
        if self._decided is not None and self.places[self._decided].group == plan.parent:
            return self._new(group, around=self._decided), plan.each
        if any(place.group == plan.parent for place in self.places):
            inside = self.tables.groups[plan.parent].name
            about = f"{name} is in each {inside}, where the request has been already"
            raise WalkError((*at, "of"), f"{about}; write the stripes before the network to it")
        self._decided, self._decided_at = self._new(group), at
        return self._decided, plan.count

    # -- networks -----------------------------------------------------------------------------

    def _hop(self, name: str, to: str | None, at: Path, beside: Names, ahead: Names) -> None:
        """Go where a network leads."""
        self._dealt = None
        ends = self.tables.homes[name]
        decided = self._decided
        if to is not None:
            target = self._named(self.tables.group_of[to])
        elif decided is not None:
            target = decided
            for group in ends:
                found = self._near(decided, group)
                if found is not None:
                    target = found
                    break
        else:
            target = self._end(self._next(name, ends, at, (beside, ahead)))
        ports = [*self._port(name, self.here, OUT), *self._port(name, target, IN)]
        if not ports:
            here, there = self._group_name(self.here), self._group_name(target)
            known = " and ".join(self.tables.groups[group].name for group in ends)
            raise WalkError(at, f"{name} joins {known}, not {here} and {there}; write another")
        self._go_to(target)

    def _go_to(self, slot: int) -> None:
        self.here, self.free, self._decided = slot, False, None
        self._been.add(self.places[slot].group)

    def _named(self, group: int) -> int:
        """Return the place of a group that the file names as the end of a network."""
        if self._decided is not None and (found := self._near(self._decided, group)) is not None:
            return found
        return self._end(group)

    def _end(self, group: int) -> int:
        """Return where a network leads: into or out of a node, or to another place."""
        here = self.places[self.here].group
        if group != here and (
            here in self.tables.ancestors(group) or group in self.tables.ancestors(here)
        ):
            found = self._near(self.here, group)
            assert found is not None
            return found
        return self._new(group)

    def _next(self, name: str, ends: Sequence[int], at: Path, names: tuple[Names, Names]) -> int:
        """Return the group that a network leads to: what comes next tells, or there is one only.

        ``names`` are those beside it in its stage, which may be at either end, and those after it.
        """
        beside, ahead = names
        tables = self.tables
        here = set(tables.ancestors(self.places[self.here].group))
        for number, one in enumerate([*beside, *ahead]):
            if one in tables.machine.parts and tables.machine.parts[one].network:
                break
            for group in tables.groups_of(one):
                around = list(tables.ancestors(group))
                if group in tables.single:
                    continue
                local = not here.isdisjoint(around)
                if local and number < len(beside):
                    continue
                if end := [g for g in around if g in ends]:
                    return end[0]
                if local:
                    continue
                if len(ends) == 1 and ends[0] in here:
                    return around[-1]
        others = [group for group in ends if group not in here]
        if len(others) == 1:
            return others[0]
        if not others:  # Ports of one group only: to another node of the same group.
            return ends[0]
        known = ", ".join(tables.groups[group].name for group in others)
        about = f"{name} leads to {known}, and what comes after it does not tell which"
        example = f"{{part: {name}, to: {tables.groups[others[0]].name}}}"
        raise WalkError(at, f"{about}; write it like '[{example}]'")

    def _port(self, name: str, slot: int, way: str) -> list[Hold]:
        """Return the port of a place, which may be that of the node around it."""
        at = slot
        for group in self.tables.ancestors(self.places[slot].group):
            if (name, group) in self.tables.rows:
                return [Hold(_way(self.tables.rows[name, group], way), at)]
            if self.tables.groups[group].parent >= 0:
                at = self._around(at)
        return []

    def _rows(self, name: str, slot: int) -> Rows:
        return self.tables.rows[name, self.places[slot].group]

    def _meet(self, name: str, at: Path, why: str) -> None:
        if name in self._met:
            raise WalkError(at, f"{name} is on this path twice: {why}; leave one out")
        self._met.add(name)


def _is_stage(tier: TierPlan) -> bool:
    return tier.kind == STAGE


def _way(rows: Rows, way: str) -> int:
    """Return the row of a way, or the one for all ways."""
    return rows[way] if way in rows else rows[""]
