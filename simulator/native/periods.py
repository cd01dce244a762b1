"""A run whose state repeats is carried on by arithmetic, where that is exact; decisions/0054.

A process is watched that repeats something: each time it begins that again the run can be left, and
the state be compared with one that was kept. Where they are the same, as many periods are added as
pass before anything comes to an end; then the run goes on. It costs a fiftieth of the run at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.change import Change
from simulator.native.moments import DiffersError, Moment, Tables
from simulator.result.repeats import Repeats

if TYPE_CHECKING:
    from simulator.native.flatten import Flat

SHARE = 50
"""Comparing may cost one event's time in so many."""
FIXED, CELLS = 3000, 40
"""What looking at a state costs, in events: so many, and one more for so many cells."""
LOOKS = 4
"""Blocks that a store looks at, for the time of an event."""
WALK = 30
"""Events for the time of comparing a block that is in another row than it was."""
GAIN = 4
"""Where all but the blocks is the same, comparing these may cost such a part of what is to come;
half of it the next time, if they differed."""
HOOKED = ("disk", "tape", "ssd")
"""Kinds of parts with methods of their own whose state is what change.py knows."""


def refused(flat: Flat) -> str:
    """Return what of a plan, if anything, keeps its runs from being carried on; in words."""
    parts = flat.parts
    if flat.clients.recording or parts.timing:
        return "every call or service is recorded"
    if flat.plan.events:
        return "parts fail or change at times of their own"
    for store in flat.plan.stores:
        if store.flushers:
            return f"{store.name} writes back what is old at times of its own"
        if store.slow_ns:
            return f"{store.name} slows writers down by what they did before"
    for number, part in enumerate(flat.plan.parts):
        row = number * c.P_ROWS
        first = parts.spec[row + c.P_NOISE]
        if parts.spec[row + c.P_DRAWS]:
            return f"{part.label} draws at random"
        if first >= 0 and any(at >= 0 for at in parts.table[first : first + part.count]):
            return f"the service times of {part.label} vary"
        if parts.spec[row + c.P_HOOK] >= 0 and part.kind not in HOOKED:
            return f"{part.label} is of a kind whose state is not known"
    return ""


class Level:
    """What a watched process repeats: its phases, or those of a loop."""

    def __init__(self) -> None:
        self.kept: Moment | None = None
        self.since = 0
        """Passes since then,"""
        self.most = 1
        """and after how many another moment is kept."""
        self.last = 0
        """What the run had done at the last pass."""


class Periods:
    """Watches a run of an engine that has begun, and carries it on."""

    def __init__(self, flat: Flat) -> None:
        self.flat = flat
        self.repeats = Repeats()
        self._tables: Tables | None = None
        self._levels: dict[int, Level] = {}
        self._spent = 0
        """What looking has cost so far, in events."""
        self._skipped = 0
        """What went by arithmetic, of what the run seems to have done,"""
        self._gain = GAIN
        self._leader = -1
        self._lead()
        if self._leader >= 0:
            self.repeats.why = refused(flat)
            if self.repeats.why:
                self._watch(0)

    # -- who is watched ---------------------------------------------------------------------------

    def _lead(self) -> None:
        """Watch the process that will repeat most, if any does."""
        process, phase = self.flat.clients.process, self.flat.clients.phase
        if self._leader >= 0:
            self._watch(0)
        most = 1
        for number, one in enumerate(self.flat.plan.processes):
            x = number * self.flat.stride
            if process[x + c.X_ENDED] >= 0:
                continue
            first = process[x + c.X_FIRST_PHASE]
            rows = range(first * c.H_ROWS, (first + len(one.phases)) * c.H_ROWS, c.H_ROWS)
            times = [one.repeat - process[x + c.X_ROUND]]
            times += [phase[row + c.H_COUNT] for row in rows if phase[row + c.H_KIND] == c.W_LOOP]
            if one.arrivals >= 0:
                times.append(self.flat.plan.arrivals[one.arrivals].count)
            if one.until >= 0:
                times.append(2)
            if max(times) > most:
                most, self._leader = max(times), number
        self._levels.clear()
        if self._leader >= 0:
            self._watch(1)

    def _watch(self, events: int) -> None:
        """Leave the run when the leader begins anything again, from so many events on; 0: never."""
        process, phase = self.flat.clients.process, self.flat.clients.phase
        x = self._leader * self.flat.stride
        process[x + c.X_WATCH] = events
        first = process[x + c.X_FIRST_PHASE]
        for row in range(first, first + len(self.flat.plan.processes[self._leader].phases)):
            if phase[row * c.H_ROWS + c.H_KIND] == c.W_LOOP:
                phase[row * c.H_ROWS + c.H_WATCH] = events
        if not events:
            self._leader = -1

    # -- looking ----------------------------------------------------------------------------------

    def look(self) -> None:
        """Look at a run that has been left: compare, and carry on, if the leader came again."""
        turned, self.flat.clients.turned = self.flat.clients.turned, c.NOT_TURNED
        if self._leader < 0:
            return
        if turned == c.NOT_TURNED:
            if self.flat.clients.process[self._leader * self.flat.stride + c.X_ENDED] >= 0:
                self._lead()
            return
        level = self._levels.setdefault(turned, Level())
        work = self._work()
        coming = (work - level.last) * self._left(turned)
        level.last = work
        if self._tables is None:
            self._tables = Tables(self.flat)
            if self._tables.unknown:
                self.repeats.why = f"{self._tables.unknown[0]} is not known here"
                self._watch(0)
                return
        cost = FIXED + self._tables.size() // CELLS
        missing = SHARE * (self._spent + cost) - work - coming
        if missing > 0:
            events = int(self.flat.clock.alarms)
            self._watch(events + missing * (events - self.repeats.events) // work)
            return
        self._spent += cost
        self._compare(level, coming)

    def _work(self) -> int:
        """What was carried out of the run so far, about as much as so many events."""
        inst = memoryview(self.flat.blocks.inst)
        looks = sum(sum(inst[field :: c.I_ROWS]) for field in (c.C_HITS, c.C_MISSES))
        return int(self.flat.clock.alarms) + looks // LOOKS - self._skipped

    def _left(self, turned: int) -> int:
        """How often the leader will begin again at a level."""
        process, phase = self.flat.clients.process, self.flat.clients.phase
        x = self._leader * self.flat.stride
        if turned >= 0:
            return int(phase[turned + c.H_COUNT] - phase[turned + c.H_PASSES])
        row = process[x + c.X_ARRIVALS]
        if row >= 0:
            arrivals = self.flat.clients.arrivals
            return int(arrivals[row * c.G_ROWS + c.G_COUNT] - arrivals[row * c.G_ROWS + c.G_TAKEN])
        if process[x + c.X_UNTIL] >= 0:
            return 1
        return int(process[x + c.X_REPEAT] - process[x + c.X_ROUND])

    def _compare(self, level: Level, coming: int) -> None:
        """Compare the state with the one kept; keep another one now and then (R. Brent, 1980)."""
        assert self._tables is not None
        if self.flat.buffers.settle():
            self.repeats.differed = "what RAID units have not done yet"
            return
        if level.kept is not None:
            try:
                change = Change(level.kept, self._tables, coming // (self._gain * WALK))
            except DiffersError as differs:
                self.repeats.differed = str(differs)
                if differs.walked:
                    self._gain *= 2
            else:
                if level.kept.whole:
                    self._carry_on(level, change)
                elif self._tables.blocks() // CELLS < coming // self._gain:
                    level.kept, level.since = Moment(self._tables, whole=True), 0
                return
        level.since += 1
        if level.kept is None or level.since >= level.most:
            whole = self._tables.blocks() <= FIXED
            level.kept = Moment(self._tables, whole=whole)
            level.most *= 2
            level.since = 0

    def _carry_on(self, level: Level, change: Change) -> None:
        """Let periods pass that are as the one just ended."""
        assert level.kept is not None
        if change.most > 0:
            events = int(self.flat.clock.alarms) - level.kept.events
            work = self._work()
            change.carry_on(change.most)
            self._skipped += self._work() - work
            self.repeats.periods += change.most
            self.repeats.events += change.most * events
            self.repeats.ns += change.most * change.passed
        level.kept, level.since, level.most = None, 0, 1
