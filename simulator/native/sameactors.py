"""Whether the same is under way at two moments: actors, their requests, and who waits for whom.

An actor is known by its number; the slot that it has does not count.
"""

from __future__ import annotations

from simulator.native import codes as c
from simulator.native.changedcells import Cells
from simulator.native.moments import DiffersError, Moment, Tables, differing
from simulator.native.statekinds import SINCE

QUEUES = (
    ("Tiers.pool", 3, (1,), ((2, 1),)),
    ("Locks.lock", c.LK_ROWS, (c.LK_HEAD, c.LK_FIRST), ((c.LK_LAST, c.LK_FIRST),)),
    ("Asking.latest", 1, (0,), ()),
)
"""Tables of slots that wait: the width of a row, where in it slots are, and where the last one of a
queue and its first, without which the last does not count."""


class SameActors(Cells):
    """Who is under way, and until when."""

    def __init__(self, then: Moment, tables: Tables) -> None:
        super().__init__(then, tables)
        self.slots = self._pair_slots()
        """Of each slot that was taken then, the one that its actor has now."""
        self.taken = set(self.slots.values())
        self.stayed = all(one == other for one, other in self.slots.items())
        """Whether all have the slots that they had."""

    def _pair_slots(self) -> dict[int, int]:
        """Return of the slots of all who are under way then those that they have now."""
        copies, view = self.then.copies, self.tables.view
        one = _numbered(copies["Frames.actor"], copies["Clock.alarm"])
        other = _numbered(view("Frames.actor"), view("Clock.alarm"))
        if one.keys() != other.keys():
            raise DiffersError("who is under way")
        return {slot: other[number] for number, slot in one.items()}

    def slot(self, then: int) -> int:
        """The slot that an actor has now; -1 for none."""
        return self.slots.get(then, -1)

    def _compare_actors(self) -> None:
        """Compare who is under way, with which requests, and until when."""
        if self.slot(self.then.numbers["Engine.left_off"]) != self.flat.engine.left_off:
            raise DiffersError("whose turn it is")
        for then, now in self.slots.items():
            self._compare_actor(then, now)

    def _compare_actor(self, old: int, new: int) -> None:
        then, actor = self.then.copies["Frames.actor"], self.tables.view("Frames.actor")
        was = then[old * c.ACTOR : (old + 1) * c.ACTOR].tolist()
        value = actor[new * c.ACTOR : (new + 1) * c.ACTOR].tolist()
        role, bottom = value[c.ROLE], value[c.BOTTOM]
        waits = self._compare_alarm(old, new)
        if waits and self.slot(was[c.AFTER]) != self.slot_now(value[c.AFTER]):
            raise DiffersError(f"who waits behind actor {new}")
        if role == c.BRANCH:
            if self.slot(was[c.PARENT_SLOT]) != value[c.PARENT_SLOT]:
                raise DiffersError(f"whose branch actor {new} is")
            size = self.flat.frames.depth * self.flat.frames.stride | 8
            was[c.PARENT] += (value[c.PARENT_SLOT] - was[c.PARENT_SLOT]) * size
        height = was[c.TOP] - was[c.BOTTOM]
        fields = (c.ROLE, c.INDEX, c.PARENT) if role != c.PROCESS else (c.ROLE, c.INDEX)
        if height != value[c.TOP] - bottom or any(was[one] != value[one] for one in fields):
            raise DiffersError(f"actor {new}")
        for up in range(0, height + 1, self.flat.frames.stride):
            self._compare_frame(was[c.BOTTOM] + up, bottom + up)
        self._compare_account(old, new, role)

    def slot_now(self, slot: int) -> int:
        """A slot of now; -1 for one that nobody has, as what is left from before may say."""
        return slot if slot in self.taken else -1

    def _compare_alarm(self, old: int, new: int) -> bool:
        """Compare when an actor goes on; returns whether it waits for another one."""
        then, alarm = self.then.copies["Clock.alarm"], self.tables.view("Clock.alarm")
        first, row = old * c.ALARM, new * c.ALARM
        idle = alarm[row + c.ALARM_BEFORE] == c.IDLE
        if (then[first + c.ALARM_BEFORE] == c.IDLE) != idle:
            raise DiffersError(f"whether actor {new} waits")
        if idle:
            return new != self.flat.engine.left_off
        was, value = then[first + c.ALARM_TIME], alarm[row + c.ALARM_TIME]
        if was == value:  # It does nothing until then.
            self.limit((value - self.now - 1) // self.passed)
        elif value - was == self.passed:
            self._add(alarm, row + c.ALARM_TIME, self.passed)
        else:
            raise DiffersError(f"the alarm of actor {new}")
        return False

    def _compare_frame(self, old: int, new: int) -> None:
        """Compare a request; since when it waits is a time."""
        then, frame = self.then.copies["Frames.frame"], self.tables.view("Frames.frame")
        stride = self.flat.frames.stride
        was, value = then[old : old + stride].tolist(), frame[new : new + stride].tolist()
        since = was[c.SINCE], value[c.SINCE]
        was[c.SINCE] = value[c.SINCE]
        asked = c.FIRST_ASKED - value[c.FILE]
        if asked >= 0 and self.flat.asking.group[asked] >= 0:  # It heads a queue.
            was[c.AT], value[c.AT] = self.slot(was[c.AT]), self.slot_now(value[c.AT])
        if was != value:
            raise DiffersError(f"the request at {new}")
        if since[0] != since[1]:
            self.cell("Frames.frame", SINCE, frame, new + c.SINCE, *since)

    def _compare_account(self, old: int, new: int, role: int) -> None:
        """Compare what an actor has spent: a process's grows, a branch's counts once it has ended.

        Nobody looks at those of others.
        """
        if role not in (c.PROCESS, c.BRANCH):
            return
        width = 2 * self.flat.parts.columns
        then, spent = self.then.copies["Parts.spent"], self.tables.view("Parts.spent")
        was = then[old * width : (old + 1) * width].tolist()
        value = spent[new * width : (new + 1) * width].tolist()
        if was == value:
            return
        if role == c.BRANCH:
            raise DiffersError(f"the account of actor {new}")
        for number, (one, other) in enumerate(zip(was, value, strict=True), new * width):
            if one != other:
                self._add(spent, number, other - one)

    def _compare_queues(self) -> None:
        """Compare who stands first and last for a server of a pool, for a lock, or at a node."""
        for name, width, slots, lasts in QUEUES:
            then, cells = self.then.copies[name], self.tables.view(name)
            rows = {number - number % width for number, _, _ in differing(then, cells)}
            if not self.stayed:
                rows.update(range(0, len(cells) - width + 1, width))
            for row in sorted(rows):
                was, value = then[row : row + width].tolist(), cells[row : row + width].tolist()
                for field in slots:
                    was[field], value[field] = self.slot(was[field]), self.slot_now(value[field])
                for last, first in lasts:
                    there = value[first] >= 0  # else it is left from before
                    was[last] = self.slot(was[last]) if there else -1
                    value[last] = self.slot_now(value[last]) if there else -1
                if was != value:
                    raise DiffersError(f"who waits in {name}")

    # -- shared parts -----------------------------------------------------------------------------

    def _compare_shares(self) -> None:
        """Compare the transfers that are under way at shared parts."""
        then, share = self.then.copies["Sharing.share"], self.tables.view("Sharing.share")
        for row in range(0, self.flat.sharing.count * c.S_ROWS, c.S_ROWS):
            was, value = then[row : row + c.S_ROWS].tolist(), share[row : row + c.S_ROWS].tolist()
            if was[c.S_ACTIVE] != value[c.S_ACTIVE]:
                self._add(share, row + c.S_ACTIVE, value[c.S_ACTIVE] - was[c.S_ACTIVE])
            fields = (c.S_COUNT, c.S_WRITING, c.S_BEHIND, c.S_PART, c.S_INSTANCE)
            if not was[c.S_COUNT] and not value[c.S_COUNT]:
                continue
            if any(was[field] != value[field] for field in fields):
                raise DiffersError("what shares a part")
            if self.slot(was[c.S_TIMER]) != value[c.S_TIMER]:
                raise DiffersError("who ends what shares a part")
            moved = value[c.S_SINCE] != was[c.S_SINCE]
            if moved:
                self.cell(
                    "Sharing.share", SINCE, share, row + c.S_SINCE, *_of(c.S_SINCE, was, value)
                )
            virtual = value[c.S_VIRTUAL] - was[c.S_VIRTUAL]
            if virtual:
                self._add(share, row + c.S_VIRTUAL, virtual)
            self._compare_transfers(row, virtual)

    def _compare_transfers(self, row: int, virtual: int) -> None:
        """Compare the transfers of an instance, whose virtual time has moved by so much."""
        copies, view = self.then.copies, self.tables.view
        names = ("share", "child", "sibling")
        slots = _transfers(row, *(copies[f"Sharing.{name}"] for name in names))
        others = _transfers(row, *(view(f"Sharing.{name}") for name in names))
        if {self.slot(slot) for slot in slots} != set(others):
            raise DiffersError("which transfers share a part")
        for old in slots:
            new = self.slots[old]
            for name in ("behind", "service", "size", "writes"):
                if copies[f"Sharing.{name}"][old] != view(f"Sharing.{name}")[new]:
                    raise DiffersError(f"the {name} of a transfer")
            goal, began = view("Sharing.goal"), view("Sharing.began")
            if goal[new] - copies["Sharing.goal"][old] != virtual:
                raise DiffersError("the goal of a transfer")
            if virtual:
                self._add(goal, new, virtual)
            was = copies["Sharing.began"][old]
            if was != began[new]:
                self.cell("Sharing.began", SINCE, began, new, was, began[new])


def _of(field: int, was: list[int], value: list[int]) -> tuple[int, int]:
    return was[field], value[field]


def _numbered(actor: memoryview[int], alarm: memoryview[int]) -> dict[int, int]:
    """The slots of all who are under way, by their numbers, which nobody else has."""
    numbers = alarm[c.ALARM_NUMBER :: c.ALARM].tolist()
    active = actor[c.ACTIVE :: c.ACTOR].tolist()
    found = {numbers[slot]: slot for slot, one in enumerate(active) if one}
    if len(found) != sum(active):
        raise DiffersError("two actors of one number")
    return found


def _transfers(
    row: int, share: memoryview[int], child: memoryview[int], sibling: memoryview[int]
) -> list[int]:
    """The slots of an instance's transfers: those of its heap, in whatever shape that is."""
    found: list[int] = []
    waiting = [share[row + c.S_ROOT]] if share[row + c.S_COUNT] else []
    while waiting:
        slot = waiting.pop()
        found.append(slot)
        both = (child[slot], sibling[slot] if len(found) > 1 else -1)
        waiting.extend(other for other in both if other >= 0)
    return found
