"""Requests of ``io_submit``: done beside their process, by clients of their own.

A submission passes a mark, at which its requests begin; whoever waits for completions
(``io_getevents``) takes as many as the call returned, whichever they are. The log does not say
which requests those were, so that the oldest of the context count as the ones observed. What was
never waited for (a program may look at its completions without a call) is done all the same.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

import numpy as np

from simulator.plan.codes import PASS, PAUSE, RECEIVE, SEND, WAIT
from simulator.traces.columns import REAPS, REQUESTS, SUBMITS

if TYPE_CHECKING:
    from simulator.replay.arrays import Batch, Codes, Numbers
    from simulator.replay.rows import CallRows


POLL = -2
"""The offset of a pause that only looked for completions which had not come yet."""
SPARE, LEAST, MOST = 16, 64, 1024
"""Clients for each request that was under way at the same time, at least and at most: they take
turns, and a request waits for its client only if that one's last request lasts as long as those of
all others."""


class Contexts:
    """The calls that submit requests, and those that wait for them, in the order of the log."""

    def __init__(self) -> None:
        self._parts: list[Numbers] = []

    def take(self, batch: Batch) -> tuple[Numbers, Numbers]:
        """Add the calls of a batch; return which rows submit, and which wait."""
        submits = batch.called(SUBMITS) & (batch.returned > 0)
        reaps = batch.called(REAPS) & (batch.returned >= 0)
        which = np.flatnonzero(submits | reaps)
        if len(which):
            columns = (batch.order, batch.process, batch.offset, batch.returned, reaps)
            self._parts.append(np.stack([column[which].astype(np.int64) for column in columns]))
        return submits, reaps

    def calls(self) -> list[tuple[int, int, int, int, int]]:
        """Return order, process, context, result, and whether it waits, of each call."""
        if not self._parts:
            return []
        return [(*column,) for column in np.concatenate(self._parts, axis=1).T.tolist()]


class Requests:
    """The rows of requests, as rows of clients of their own."""

    def __init__(self, log: CallRows, rows: dict[str, Numbers], origin: int) -> None:
        self.owner: dict[int, int] = {}
        """Client of requests -> the process that submitted them."""
        self.waiters: list[int] = []
        """Of each count of completions the process that takes them."""
        self.marks = 0
        self._rows = rows
        self._counters: dict[tuple[int, int], int] = {}
        self._mark: dict[int, int] = {}
        """Row of a request -> the mark of its submission; in ``_sent`` its count, in ``_end``
        when it was complete."""
        self._sent: dict[int, int] = {}
        self._end: dict[int, int] = {}
        self._taken: dict[int, tuple[int, int]] = {}
        """Row of a call that waits -> how many it took, and of which count."""
        self._peak: dict[int, int] = defaultdict(int)
        codes = log.calls.number
        self._is_request = np.isin(rows["name"], [codes[one] for one in REQUESTS if one in codes])
        if calls := log.contexts.calls():
            self._match(calls)
            if self._mark:
                self._give_clients(log, origin)
            self._expand()

    def _match(self, calls: list[tuple[int, int, int, int, int]]) -> None:
        """Find the requests of each submission, and those that each wait was for."""
        rows = self._rows
        order, process = rows["order"], rows["process"]
        under_way: dict[int, deque[int]] = defaultdict(deque)
        many: dict[int, int] = defaultdict(int)
        for when, who, context, result, waits in calls:
            place = int(np.searchsorted(order, when))
            if place == len(order) or order[place] != when:
                continue
            queue = under_way[context]
            if not waits:
                last = int(np.searchsorted(order, when + 2 * result, side="right"))
                found = np.flatnonzero(self._is_request[place + 1 : last]) + place + 1
                mine = [row for row in found.tolist() if process[row] == who]
                self._submit(place, mine)
                queue.extend(mine)
                many[who] += len(mine)
                self._peak[who] = max(self._peak[who], many[who])
            elif result:
                done = [queue.popleft() for _ in range(min(result, len(queue)))]
                for row in done:
                    many[int(process[row])] -= 1
                self._reap(place, done, (context, who))
            elif queue:
                rows["offset"][place] = POLL

    def _submit(self, place: int, requests: list[int]) -> None:
        if requests:
            self._mark |= dict.fromkeys(requests, self.marks)
            self._rows["offset"][place] = self.marks
            self.marks += 1
        else:
            self._rows["kind"][place] = PAUSE

    def _reap(self, place: int, done: list[int], who: tuple[int, int]) -> None:
        if not done:
            return
        count = self._counters.setdefault(who, len(self.waiters))
        if count == len(self.waiters):
            self.waiters.append(who[1])
        self._taken[place] = (len(done), count)
        self._sent |= dict.fromkeys(done, count)
        self._end |= dict.fromkeys(done, int(self._rows["end"][place]))

    def _give_clients(self, log: CallRows, origin: int) -> None:
        """Distribute the requests of each process over its clients in turn."""
        rows, lives = self._rows, log.lifetimes
        places = np.array(sorted(self._mark), np.int64)
        owner = rows["process"][places].astype(np.int64)
        rows["end"][places] = [
            self._end.get(row, begin)
            for row, begin in zip(places.tolist(), rows["begin"][places].tolist(), strict=True)
        ]
        for process in np.unique(owner).tolist():
            mine = places[owner == process]
            peak = self._peak[process]
            many = min(max(SPARE * peak, LEAST) if peak > 1 else 1, len(mine), MOST)
            first = len(lives.first)
            number = first + np.arange(len(mine)) % many
            self.owner |= dict.fromkeys(range(first, first + many), process)
            last = np.full(many, origin)
            np.maximum.at(last, number - first, rows["end"][mine])
            lives.add(np.full(many, origin), last, int(lives.pid[process]))
            rows["process"][mine] = number

    def _expand(self) -> None:
        """Put the waits and messages beside the requests, and a message for each completion."""
        rows = self._rows
        times = np.ones(len(rows["order"]), np.int64)
        requests = np.array(sorted(self._mark), np.int64)
        times[requests] = 2
        sent = np.array(sorted(self._sent), np.int64)
        times[sent] = 3
        reaps = np.array(sorted(self._taken), np.int64)
        times[reaps] = [self._taken[row][0] for row in reaps.tolist()]
        start = np.cumsum(times) - times
        for name, column in rows.items():
            rows[name] = np.repeat(column, times)
        for place, kind, which, offset in (
            (start[requests], WAIT, requests, self._mark),
            (start[sent] + 2, SEND, sent, self._sent),
        ):
            rows["kind"][place] = kind
            rows["offset"][place] = [offset[row] for row in which.tolist()]
            rows["name"][place] = rows["file"][place] = -1
            rows["size"][place] = 0
            rows["order"][place] += 1
            side = "begin" if kind == WAIT else "end"
            rows["begin"][place] = rows["end"][place] = rows[side][place]
        again = np.repeat(reaps, times[reaps])
        place = np.repeat(start[reaps], times[reaps])
        number = np.arange(len(place)) - np.repeat(
            np.cumsum(times[reaps]) - times[reaps], times[reaps]
        )
        place += number
        rows["kind"][place] = RECEIVE
        rows["offset"][place] = [self._taken[row][1] for row in again.tolist()]
        rows["size"][place] = 0
        rest = place[number > 0]
        rows["order"][rest] += 1
        rows["begin"][rest] = rows["end"][rest]
        if "lost" in rows and len(requests):
            rows["lost"][rows["process"] >= min(self.owner)] = 0.0

    def owners(self, process: Numbers) -> Numbers:
        """Return the processes that submitted what clients of requests do; of others themselves."""
        found = np.arange(int(process.max(initial=-1)) + 1, dtype=np.int64)
        for client, owner in self.owner.items():
            if client < len(found):
                found[client] = owner
        return np.asarray(found[process])

    def beside(self, process: Numbers) -> Numbers:
        """Return which rows are of clients of requests."""
        return np.asarray(process >= min(self.owner, default=2**31 - 1))


def submits(name: Numbers, kind: Numbers, calls: Codes) -> Numbers:
    """Return which rows are submissions."""
    return np.asarray((kind == PASS) & calls.among(name, SUBMITS))
