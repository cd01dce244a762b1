"""Recording of curves during a run; :mod:`simulator.result.curves` has the results.

When the time passes the last of at most ``most`` bins, they are added up in pairs, and the width of
a bin doubles. This bounds the memory, and the bins depend only on the end of the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.result.curves import FIRST_NS, CallCurve, Level, StoreCurve

if TYPE_CHECKING:
    from simulator.reference.actor import Clock


def halve(sums: list[int]) -> list[int]:
    """Add up bins in pairs.

    >>> halve([1, 2, 3])
    [3, 3]
    """
    return [sum(sums[i : i + 2]) for i in range(0, len(sums), 2)]


class StoreRecorder:
    """Recorder of one instance of a store."""

    def __init__(self, clock: Clock, most: int) -> None:
        """``most``: maximum number of bins."""
        self._clock = clock
        self._most = most
        self._width_ns = FIRST_NS
        self._since_ns = 0
        """Time up to which the levels have been added up."""
        self._used = Level()
        self._dirty = Level()

    def change_used(self, by: int) -> None:
        """Record that bytes of blocks have come into use; negative if they are free."""
        self._change(self._used, by)

    def change_dirty(self, by: int) -> None:
        """Record that bytes have become dirty; negative if they have been written back."""
        self._change(self._dirty, by)

    def _change(self, level: Level, by: int) -> None:
        now = self._clock.now
        self._pass(now)
        level.last += by
        level.moment += by * now

    def _pass(self, now: int) -> None:
        """Extend both curves to a time."""
        if now == self._since_ns:
            return
        while now > self._most * self._width_ns:
            self._width_ns *= 2
            for level in (self._used, self._dirty):
                level.sums = halve(level.sums)
        for level in (self._used, self._dirty):
            if level.last > level.most:
                level.most, level.most_ns = level.last, self._since_ns
            self._add(level, now)
        self._since_ns = now

    def _add(self, level: Level, now: int) -> None:
        width, since = self._width_ns, self._since_ns
        for number in range(since // width, -(-now // width)):
            if number == len(level.sums):
                level.sums.append(0)
            time = min(now, (number + 1) * width) - max(since, number * width)
            level.sums[number] += level.last * time

    def finish(self, end_ns: int, store: str, capacity: int, left: int) -> StoreCurve:
        """Return the curves up to the end of the run."""
        self._pass(end_ns)
        return StoreCurve(store, capacity, self._width_ns, end_ns, self._used, self._dirty, left)


class CallRecorder:
    """Recorder of the calls of all processes."""

    def __init__(self, most: int) -> None:
        """``most``: maximum number of bins."""
        self._most = most
        self._made = CallCurve(FIRST_NS, 0, [], [])

    def ended(self, end_ns: int, size: int, *, write: bool) -> None:
        """Record a read or write that has ended."""
        number = self._reach(end_ns)
        made = self._made.written if write else self._made.read
        self._fill(made, number)
        made[number] += size

    def finish(self, end_ns: int) -> CallCurve:
        """Return the curve up to the end of the run."""
        made = self._made
        if end_ns:
            number = self._reach(end_ns)
            for bins in (made.read, made.written):
                self._fill(bins, number)
        made.end_ns = end_ns
        return made

    def _reach(self, time_ns: int) -> int:
        """Return the bin of a time."""
        made = self._made
        while time_ns > self._most * made.width_ns:
            made.width_ns *= 2
            made.read, made.written = halve(made.read), halve(made.written)
        return max(0, time_ns - 1) // made.width_ns

    @staticmethod
    def _fill(bins: list[int], number: int) -> None:
        """Have bins up to a number."""
        bins.extend([0] * (number + 1 - len(bins)))
