"""Requests for pieces of files drawn at random: buffer caches, RAID units, merged requests."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.kinds.parts.raid.section import DRAWN_BLOCKS as BLOCKS
from simulator.plan.codes import (
    BUFFERS,
    CLOSE_FLUSH,
    CLOSE_FREE,
    CLOSE_QUEUE,
    CLOSE_REPLACED,
    HOLD,
    REQUEST,
    STAGE,
    STRIPE,
    WORK,
)
from simulator.plan.jobs import AskedPlan
from simulator.plan.parts import BuffersPlan
from simulator.plan.paths import FilePlan, Hold, PathPlan, TierPlan
from simulator.runtime.iosteps import ExtentRows, Groups, Requests
from tests.draws.plans.paths import put, request
from tests.draws.plans.tables import CLIENT, SERVER, Machine, add_part, draw_kind

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice


def _columns(count: int) -> list[array[int]]:
    return [array("q") for _ in range(count)]


@dataclass
class Pieces:
    """Buffer caches of a machine, and what is asked of them."""

    dice: Dice
    buffers: list[BuffersPlan] = field(default_factory=list)
    paths: list[int] = field(default_factory=list)
    """The path to each."""
    slots: list[int] = field(default_factory=list)
    """The place of each."""
    pooled: list[bool] = field(default_factory=list)
    """Requests keep servers on the way, so that they must not wait for each other."""
    places: list[FilePlan] = field(default_factory=list)
    """The file behind each: where it lies, and how long it can get."""
    first_file: int = 0
    """The file of the first; those of the others follow."""
    requests: Requests = field(default_factory=lambda: Requests(*_columns(7)))
    groups: Groups = field(default_factory=lambda: Groups(*_columns(5)))
    extents: ExtentRows = field(default_factory=lambda: ExtentRows(*_columns(3)))
    ends: dict[tuple[int, int, int], tuple[int, int]] = field(default_factory=dict)
    """Buffers, member and process -> block and byte where its last request ended."""

    def plan(self) -> AskedPlan | None:
        """Return the tables of a plan; None if nothing is behind buffers."""
        if not self.buffers:
            return None
        return AskedPlan(requests=self.requests, groups=self.groups, extents=self.extents)

    def files(self) -> list[FilePlan]:
        """Return the files behind the buffers."""
        return self.places

    # -- requests ---------------------------------------------------------------------------

    def alone(self, process: int, node: int) -> tuple[int, int, int]:
        """Draw requests of one process, each for itself; return file, first row, and how many."""
        which = self.dice.int(0, len(self.buffers) - 1)
        members = self._members(which, node)
        first = len(self.requests.node)
        for member in members:
            span = self._extents(which, member, process)
            self._request(member, self._bytes(span), -1, span)
        return self.first_file + which, first, len(members)

    def together(
        self, processes: Sequence[tuple[int, int]]
    ) -> dict[int, tuple[int, int, int]] | None:
        """Draw requests of processes (each with its node) that are merged at each member.

        Returns for each process file, first row, and how many; None if none can be merged.
        """
        can = [which for which, pooled in enumerate(self.pooled) if not pooled]
        if not can:
            return None
        which = self.dice.some(*can)
        if self.slots[which] == 0:
            at = processes[0][1]
            processes = [one for one in processes if one[1] == at]
        members = self._members(which, processes[0][1])
        asks: dict[int, list[tuple[int, int]]] = {process: [] for process, _ in processes}
        for member in members:
            some = [one for one in asks if self.dice.maybe(75)] or [processes[0][0]]
            group = len(self.groups.members)
            span = self._extents(which, member, -1)
            row = (len(some), self._bytes(span), self.dice.some(0, 0, 9), *span)
            for column, value in zip(_values(self.groups), row, strict=True):
                column.append(value)
            for one in some:
                asks[one].append((member, group))
        found = {}
        for process, rows in asks.items():
            found[process] = self.first_file + which, len(self.requests.node), len(rows)
            for member, group in rows:
                self._request(member, self.dice.int(0, 90), group, (0, 0))
        return found

    def _members(self, which: int, node: int) -> list[int]:
        """Draw the members that are asked, in any order."""
        if self.slots[which] == 0:
            return [node]
        count = len(self.buffers[which].blocks)
        most = self.dice.int(1, count)
        return self.dice.rng.sample(range(count), most)

    def _request(self, member: int, size: int, group: int, span: tuple[int, int]) -> None:
        dice = self.dice
        row = (member, size, dice.some(0, 0, 12), dice.int(0, 5), group, *span)
        for column, value in zip(_values(self.requests), row, strict=True):
            column.append(value)

    def _bytes(self, span: tuple[int, int]) -> int:
        rows = range(span[0], span[0] + span[1])
        return sum(self.extents.high[row] - self.extents.low[row] for row in rows)

    def _extents(self, which: int, member: int, asker: int) -> tuple[int, int]:
        """Draw extents of a member, often after each other; return the first, and how many."""
        dice, row = self.dice, self.buffers[which]
        first = len(self.extents.block)
        block, low = dice.int(0, row.blocks[member] - 1), 0
        if dice.maybe(40):
            block, low = self.ends.get((which, member, asker), (block, 0))
        for _ in range(dice.some(1, 1, 2, 3, 6)):
            if low >= row.block:
                block, low = block + 1, 0
            if block >= row.blocks[member]:
                block, low = dice.int(0, row.blocks[member] - 1), 0
            high = row.block if dice.maybe(60) else dice.int(low + 1, row.block)
            for column, value in zip(_values(self.extents), (block, low, high), strict=True):
                column.append(value)
            self.ends[which, member, asker] = block, high
            low = high if dice.maybe(80) else 0
            block += dice.some(0, 0, 0, 1, 2)
        return first, len(self.extents.block) - first


def _values(table: Requests | Groups | ExtentRows) -> list[array[int]]:
    return [getattr(table, name) for name in table.__slots__]


# -- the machine --------------------------------------------------------------------------------


def draw_pieces(dice: Dice, machine: Machine, files: int) -> Pieces:
    """Draw buffer caches and paths to them, for one machine in three."""
    pieces = Pieces(dice, first_file=files)
    if not dice.maybe(35):
        return pieces
    for number in range(dice.some(1, 1, 2)):
        _draw_buffers(pieces, machine, number)
        pieces.places.append(_file(pieces, machine, number))
    return pieces


def _file(pieces: Pieces, machine: Machine, number: int) -> FilePlan:
    """Draw where a file lies on all members, and let it be as long as it can get there."""
    dice, buffers = pieces.dice, pieces.buffers[number]
    blocks = min(buffers.blocks)
    first = dice.int(0, blocks - 1)
    room = dice.int(1, blocks - first) * buffers.block
    size = room
    path = machine.paths[pieces.paths[number]]
    for tier in machine.tiers[path.top :]:
        if tier.kind == STRIPE:
            size = max(size, room // tier.size * tier.size * tier.width)
        elif tier.kind != REQUEST:
            break
    return FilePlan(
        name=f"{buffers.name}-file",
        path=pieces.paths[number],
        length=dice.int(0, size),
        size=size,
        base=first * buffers.block,
        room=room,
        lead=dice.some(0, 0, 1, 5),
    )


def _draw_buffers(pieces: Pieces, machine: Machine, number: int) -> None:
    dice = pieces.dice
    group = dice.some(CLIENT, SERVER, SERVER)
    block = dice.some(*BLOCKS)
    raid, io = f"raid{number}", f"io{number}"
    add_part(machine, raid, group, draw_kind(dice, "raid"))
    add_part(machine, io, group, draw_kind(dice, "pool"))
    blocks = tuple(dice.int(1, 12) for _ in range(machine.groups[group].count))
    stored = []
    for member, count in enumerate(blocks):
        for _ in range(dice.some(0, 1, 1, 2)):
            first = dice.int(0, count)
            stored.append((member, first, dice.int(0, count - first)))
    slot = 1 if group == SERVER or dice.maybe(80) else 0
    pooled = dice.maybe(10)
    pieces.slots.append(slot)
    pieces.pooled.append(pooled)
    pieces.paths.append(_draw_path(machine, number, slot, group, pooled=pooled))
    pieces.buffers.append(
        BuffersPlan(
            name=f"blocks{number}",
            group=group,
            slots=dice.some(1, 2, 3, 5, 20),
            block=block,
            ahead=dice.some(0, 0, 1, 2, 5),
            raid=machine.row(raid),
            column=machine.column(raid),
            blocks=blocks,
            stored=tuple(stored),
            request_ns=dice.time_ns(),
            piece_ns=dice.some(0, 0, 3),
            copy=dice.service(),
        )
    )


def _draw_path(machine: Machine, number: int, slot: int, group: int, *, pooled: bool) -> int:
    """Draw a path to buffers; return its row."""
    dice = machine.dice
    tiers = []
    if dice.maybe(60):
        tiers.append(request(machine))
    if slot and dice.maybe(75):
        width = dice.int(1, machine.groups[group].count)
        tiers.append(TierPlan(kind=STRIPE, size=dice.some(4, 10, 32, 64), width=width, slot=1))
    if dice.maybe(10):
        tiers.append(request(machine))
    memory = (Hold(machine.row("memory"), CLIENT),)
    if dice.maybe(30):
        tiers.append(TierPlan(kind=STAGE, down=memory, up=memory, header=dice.some(0, 7)))
    if slot:
        tiers.append(_network(machine, group))
    if pooled:
        tiers.append(TierPlan(kind=HOLD, down=(Hold(machine.row("slots"), CLIENT),)))
    if dice.maybe(20):
        tiers.append(TierPlan(kind=WORK, down=memory))
    processor = (Hold(machine.row(f"io{number}"), slot),)
    tiers.append(TierPlan(kind=BUFFERS, down=processor, slot=slot, row=number))
    metadata = [TierPlan(kind=WORK, down=memory)]
    machine.paths.append(
        PathPlan(
            name=f"pieces{number}",
            top=put(machine, tiers),
            metadata=put(machine, metadata) if dice.maybe(40) else -1,
            close=dice.some(CLOSE_FREE, CLOSE_QUEUE, CLOSE_FLUSH, CLOSE_REPLACED),
            places=(CLIENT, group)[: slot + 1],
            call_ns=dice.some(0, 4, 60),
            call_column=machine.column("calls"),
        )
    )
    return len(machine.paths) - 1


def _network(machine: Machine, group: int) -> TierPlan:
    """A stage from place 0 to place 1, and back; in one group of nodes it is left out at times."""
    dice = machine.dice
    near, far = "nic", "nic" if group == CLIENT else "port"
    out, into = machine.way(near, "out"), machine.way(far, "in")
    back, home = machine.way(far, "out"), machine.way(near, "in")
    return TierPlan(
        kind=STAGE,
        down=(Hold(out, 0), Hold(into, 1)),
        up=(Hold(back, 1), Hold(home, 0)),
        packets=dice.maybe(60),
        header=dice.some(0, 5, 40),
        remote_only=group == CLIENT or dice.maybe(10),
    )
