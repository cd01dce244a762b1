"""Dependencies of the processes of a trace: forks, waits for children, threads that wake others.

A child begins where its parent's fork stands, and who waited for its end does so. A fork that
lasted until its child had started a program (``vfork``) waits for that. A thread that waited for
another (``futex``), or for a pipe, goes on where the other woke it, moved bytes of a pipe, or
ended: logs do not keep which futex or pipe it was, so that it is the last such call, or the last
end, in the same family of processes, before it went on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from simulator.plan.codes import PASS, PAUSE, WAIT
from simulator.replay.arrays import starts_of
from simulator.replay.operations import RUN
from simulator.traces.columns import MOVES

if TYPE_CHECKING:
    from simulator.replay.arrays import Numbers
    from simulator.replay.rows import CallRows


_NEAR_NS = 1_000_000
"""Who waits for a pipe goes on so soon after the other end's call, or in a tenth of its wait."""
_MOST = 0.95
"""Share of its life that who looks on waits."""


class Dependencies:
    """Puts marks where others wait for a process, and waits for them."""

    def __init__(
        self, log: CallRows, rows: dict[str, Numbers], alive: list[int], marks: int = 0
    ) -> None:
        """``marks``: how many there are already."""
        self.log = log
        self.rows = rows
        self.alive = alive
        self.born: dict[int, int] = {}
        """Process -> the mark at its parent's fork."""
        self.ended: dict[int, int] = {}
        """Process -> the mark at its end, if somebody waits for it."""
        self.parent: dict[int, int] = {}
        """Process -> the one that forked it."""
        self.daemons: list[int] = []
        """Those that another ends with the whole program: nothing has to wait for them."""
        self.marks = marks

    def find(self) -> None:
        """Assign each fork whose child the trace has a mark, and each wait that of an end."""
        log = self.log
        by_pid: dict[int, list[int]] = defaultdict(list)
        for process in self.alive:
            by_pid[int(log.lifetimes.pid[process])].append(process)
        at = _places(self.rows, PASS)
        made: list[tuple[int, int]] = []
        for order, pid in log.forks:
            row = at[order]
            begin = self.rows["begin"][row]
            parent = int(self.rows["process"][row])
            child = self._child(by_pid[pid], begin, parent)
            self.rows["kind"][row] = PAUSE if child < 0 else PASS
            if child >= 0:
                self.rows["offset"][row] = self.born[child] = self._mark()
                self.parent[child] = parent
                made.append((order, child))
        at = _places(self.rows, WAIT)
        for order, pid in log.waits:
            row = at[order]
            child = self._gone(by_pid[pid], self.rows["end"][row])
            self.rows["kind"][row] = PAUSE if child < 0 else WAIT
            if child < 0:
                self.rows["size"][row] = self.rows["end"][row] - self.rows["begin"][row]
            if child >= 0:
                self.rows["offset"][row] = self.ended[child] = self._mark()
        self._hold(made)
        self._find_threads()

    def _hold(self, made: list[tuple[int, int]]) -> None:
        """Have forks wait whose call lasted until the child had started a program, or had ended.

        So it is with ``vfork`` and ``posix_spawn``. Orders of forks are ``made``, with children.
        """
        rows, last = self.rows, self.log.lifetimes.last
        second = _places(rows, RUN)
        started: dict[int, int] = {}
        for row in second.values():
            if rows["order"][row] % 2 == 0:
                started.setdefault(int(rows["process"][row]), row)
        for order, child in made:
            row = second[order + 1]
            end, begun = rows["end"][row], started.get(child, -1)
            if begun >= 0 and rows["begin"][begun] <= end:
                self._wait(row, child, begun)
            elif last[child] <= end:
                self._wait(row, child, -1)
        keep = rows["kind"] != RUN
        for column in self.log.columns:
            rows[column] = rows[column][keep]

    def _find_threads(self) -> None:
        """Assign to each thread that another has made go on the mark of that, or of its end."""
        rows, log = self.rows, self.log
        left, over = (_set(some) for some in (log.left, log.over))
        family = {process: self._family(process) for process in self.alive}
        at = _places(rows, PAUSE)
        events: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        """Of each family: when, who, and in which row (-1: at its end)."""
        for order in sorted(_set(log.wakes)):
            row = at[order]
            process = int(rows["process"][row])
            events[family[process]].append((int(rows["begin"][row]), process, row))
        for process in left:
            events[family[process]].append((int(log.lifetimes.last[process]), process, -1))
        for some in events.values():
            some.sort()
        for order in sorted(_set(log.locked)):
            row = at[order]
            process = int(rows["process"][row])
            among = events[family[process]]
            begin, end = int(rows["begin"][row]), int(rows["end"][row])
            if log.calls.texts[rows["name"][row]] in MOVES:  # Of the other end of the pipe.
                begin = max(begin, end - max(_NEAR_NS, (end - begin) // 10))
            place = bisect_right(among, (end, 2**62, 0)) - 1
            while place >= 0 and among[place][0] >= begin:
                _, other, where = among[place]
                if other != process:
                    self._wait(row, other, where)
                    break
                place -= 1
        over_at = {family[one]: int(log.lifetimes.last[one]) for one in over}
        known = left | set(self.ended)
        self.daemons = [
            one
            for one in self.alive
            if one not in known and log.lifetimes.called[one] <= over_at.get(family[one], -1)
        ]

    def needless(self) -> Numbers:
        """Return which rows are pauses that nothing has to wait for; rows are in order.

        They are those of who is ended with the program, or looks on, and those that lead to a wait
        for another: who looks again and again whether it is time goes on when it is.
        """
        kind, process = self.rows["kind"], self.rows["process"]
        aside = [*self.daemons, *self._onlookers()]
        found: Numbers = np.isin(process, aside) & (kind == PAUSE)
        if not len(kind):
            return found
        beside = np.isin(kind, (PAUSE, PASS))
        new = np.ones(len(kind), bool)
        new[1:] = ~beside[1:] | ~beside[:-1] | (process[1:] != process[:-1])
        first = np.flatnonzero(new)
        after = np.append(first[1:], len(kind))
        texts = self.log.calls.texts
        looked = (kind == WAIT) & ~np.array([*(text in MOVES for text in texts), False])[
            self.rows["name"]
        ]
        whole = np.append(looked, False)[after]
        whole &= np.append(process, -1)[after] == process[first]
        found |= np.repeat(whole, np.diff(np.append(first, len(kind)))) & (kind == PAUSE)
        return found

    def _onlookers(self) -> list[int]:
        """Return the processes that only wait for others of the program, which go on without them.

        They use no file, never sleep, and are not waited for before their longest wait has ended,
        but for the moment in which who waits for them ends that.
        """
        rows, kind = self.rows, self.rows["kind"]
        first = starts_of(rows["process"])
        files = np.maximum.reduceat(rows["file"], first) if len(first) else first
        waited = np.flatnonzero(kind == WAIT)
        waited = waited[np.argsort(-rows["begin"][waited], kind="stable")]  # The first one counts.
        marked = (rows[name][waited].tolist() for name in ("offset", "begin"))
        since = dict(zip(*marked, strict=True))
        slept, found = _set(self.log.slept), []
        for begin, end, file in zip(first, np.append(first[1:], len(kind)), files, strict=True):
            process = int(rows["process"][begin])
            part = slice(int(begin), int(end))
            if file >= 0 or process in slept or process not in self.born:
                continue
            starts, ends = rows["begin"][part], rows["end"][part]
            took = np.where(kind[part] == PAUSE, ends - starts, 0)
            over, near = ends[int(took.argmax())], min(_NEAR_NS, took.max() // 1000)
            marks = rows["offset"][part][(starts >= over) & (kind[part] == PASS)].tolist()
            waits = took.sum() >= _MOST * (ends.max() - starts.min()) > 0
            if waits and all(since.get(one, over) >= over - near for one in marks):
                found.append(process)
        return found

    def _wait(self, row: int, other: int, place: int) -> None:
        """Make a row wait for a row of another process, or (-1) for its end."""
        rows = self.rows
        if place < 0:
            if other not in self.ended:
                self.ended[other] = self._mark()
            mark = self.ended[other]
        else:
            if rows["kind"][place] != PASS:
                rows["kind"][place], rows["offset"][place] = PASS, self._mark()
            mark = int(rows["offset"][place])
        rows["kind"][row], rows["offset"][row], rows["size"][row] = WAIT, mark, 0

    def _family(self, process: int) -> int:
        """Return the first of those that have made a process."""
        while process in self.parent:
            process = self.parent[process]
        return process

    def _mark(self) -> int:
        self.marks += 1
        return self.marks - 1

    def _child(self, among: list[int], begin: int, parent: int) -> int:
        """Return the process that a fork made: the first of its pid afterwards; -1 for none."""
        for process in among:
            later = self.log.lifetimes.first[process] >= begin
            if process not in self.born and process != parent and later:
                return process
        return -1

    def _gone(self, among: list[int], end: int) -> int:
        """Return the child whose end was waited for: the last of its pid before; -1 for none."""
        for process in reversed(among):
            born = process in self.born and process not in self.ended
            if born and self.log.lifetimes.first[process] <= end:
                return process
        return -1


def _set(parts: list[Numbers]) -> set[int]:
    """Return the numbers of some arrays."""
    return {number for part in parts for number in part.tolist()}


def _places(rows: dict[str, Numbers], kind: int) -> dict[int, int]:
    """Return the row of each order, of the rows of a kind."""
    found = np.flatnonzero(rows["kind"] == kind)
    return dict(zip(rows["order"][found].tolist(), found.tolist(), strict=True))
