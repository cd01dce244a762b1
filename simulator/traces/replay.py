"""From a trace to a job that can be replayed: clients, their calls, and who waits for whom.

A call that the models have a cost for becomes a row; what a process did between two rows is the
gap before the second: computing, and calls without a model. Sleeps, and waits for pipes, sockets
and locks, are pauses, which need no processor. Metadata operations are rows too; where a machine
has no cost for them their time stays in the gap as well. A child begins where its parent's fork
stands, and who waits for another does so (:mod:`simulator.traces.ties`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import (
    CLOSE,
    PASS,
    PAUSE,
    PLAIN,
    READ,
    RECEIVE,
    SEEK,
    SEND,
    WAIT,
    WRITE,
)
from simulator.runtime.listed import CallTable
from simulator.traces.asynchronous import POLL, Requests, submits
from simulator.traces.ends import left_open, mark_closes
from simulator.traces.gather import Gathered
from simulator.traces.lengths import measure
from simulator.traces.modelled import KIND_OF, MEETING_OF
from simulator.traces.observed import Observed
from simulator.traces.states import States, mark
from simulator.traces.ties import Ties
from simulator.traces.tracer import Guess, Taken, Tolls, in_order
from simulator.workload.extents import Extents
from simulator.workload.libraries import library_ns
from simulator.workload.traced import (
    BESIDE,
    Meetings,
    Traced,
    TracedClient,
    TracedFile,
    deal_places,
    digest_of,
)

if TYPE_CHECKING:
    import pyarrow

    from simulator.answers.languages import Language
    from simulator.workload.libraries import LibraryCosts

    Numbers = np.ndarray[Any, Any]

TAKES = (SEEK, READ, WRITE, WAIT, SEND, RECEIVE)
"""Rows whose time is a model's, and not between calls."""
LATER = 2**61
"""The order of rows that are added at the end of a process."""


def observe(
    name: str,
    batches: Iterable[pyarrow.RecordBatch],
    *,
    origin: int | None = None,
    costs: tuple[int, ...] | None = None,
    whole: bool = False,
    meetings: Meetings | None = None,
    exclude: Iterable[str] = (),
    tracer: Tolls | Guess | None = None,
    states: States | None = None,
) -> Observed:
    """Read the rows of a trace; ``origin`` is when it began, if not with its first call.

    ``costs``: stats and syncs are rows too, and calls of these kinds have a cost of their own, so
    that their time is not between calls. ``whole``: the trace has every close; none is added.
    ``meetings``: so are locks, barriers and messages, which a simulated run has named.
    ``exclude``: calls on files below these folders are no rows. ``tracer`` says how much of its
    own time the trace has, and takes it out of the gaps if that was measured. ``states``: what
    operations cost in their other state, so that rows which were in it say so.
    """
    gathered = Gathered(
        metadata=costs is not None, meetings=meetings is not None, exclude=exclude, tracer=tracer
    )
    costs = (*(costs or ()), *(MEETING_OF.values() if meetings is not None else ()))
    gathered.take(batches)
    rows = {}
    for column in gathered.columns:
        parts = gathered.rows.pop(column)
        rows[column] = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    files = measure(rows, gathered)
    if states:
        more = tracer.more_ns if isinstance(tracer, Tolls) else 0.0
        mark(rows, states, _took(rows, gathered), more)
    return _Weaver(gathered, rows, origin, costs=costs, whole=whole).weave(name, files, meetings)


def _took(rows: dict[str, Numbers], gathered: Gathered) -> Numbers:
    """Return how long calls took, without what the tracer is known to add to each."""
    took: Numbers = rows["end"] - rows["begin"]
    if isinstance(gathered.tracer, Tolls):
        inside = np.append(gathered.tracer.inside(gathered.calls.texts), 0.0)[rows["name"]]
        took = np.maximum(took - np.rint(inside).astype(np.int64), 0)
    return took


class _Weaver:
    """Puts the rows of each process together, and ties processes to each other."""

    def __init__(
        self,
        gathered: Gathered,
        rows: dict[str, Numbers],
        origin: int | None,
        *,
        costs: tuple[int, ...],
        whole: bool,
    ) -> None:
        self.takes = (*TAKES, *costs)
        self.whole = whole
        self.gathered = gathered
        self.rows = rows
        lived = gathered.lives.first < 2**62
        self.alive = np.flatnonzero(lived)
        earliest = int(gathered.lives.first[lived].min()) if lived.any() else 0
        self.origin = earliest if origin is None else origin
        self._real = self.alive
        """Processes of the log, without those that carry out requests."""
        real = self.alive.tolist()
        self.requests = Requests(gathered, rows, self.origin)
        self.ties = Ties(gathered, rows, real, self.requests.marks)
        self.alive = np.append(self.alive, np.array(sorted(self.requests.owner), np.int64))
        self.at_once = 0
        self.spoken: list[tuple[Language, LibraryCosts]] = []
        """Of each process that lived, its language and what its libraries cost."""

    def weave(
        self, name: str, found: tuple[Extents, list[TracedFile]], meetings: Meetings | None
    ) -> Observed:
        """Make the table."""
        extents, files = found
        gathered = self.gathered
        self.ties.tie()
        self._end_processes()
        rows = self.rows
        place = in_order(rows["process"])
        for column in gathered.columns:  # One after the other: each frees what it replaces.
            rows[column] = rows[column][place]
        del place
        gap, start = self._gaps()
        numbers = rows["process"][start].tolist()
        self.spoken = [gathered.spoken.of(one, self.ties.parent) for one in numbers]
        gap, taken = self._settled(gap, start, np.flatnonzero(self._idles()))
        polls = (rows["kind"] == PAUSE) & (rows["offset"] == POLL)
        rows["size"][self._idles() & (self.ties.needless() | polls)] = 0
        rows["offset"][polls] = 0
        aside = self._asides()
        rows["name"][aside] = -1
        table = CallTable(
            kind=_cells("b", rows["kind"], np.int8),
            file=_cells("i", rows["file"], np.int32),
            offset=_cells("q", rows["offset"], np.int64),
            size=_cells("q", rows["size"], np.int64),
            gap=_cells("q", gap, np.int64),
            marks=self.ties.marks,
        )
        clients, digest = self._clients(start), digest_of(table)
        lived = [one for one in self.alive.tolist() if one not in self.requests.owner]
        last = gathered.lives.last[lived].tolist()
        counters = tuple(np.searchsorted(self.alive, self.requests.waiters).tolist())
        met = replace(meetings or Meetings(), counters=counters)
        traced = Traced(name, table, clients, tuple(files), digest, met)
        return Observed(
            traced=traced,
            name=rows["name"],
            names=gathered.calls.texts,
            duration=_took(rows, gathered),
            begin=rows["begin"] - self.origin,
            counts=((rows["order"] % 2 == 0) & (rows["order"] < LATER) & ~aside).astype(np.int8),
            placed=int(extents.placed),  # Interpreted, it is a number of numpy.
            languages=tuple(language for language, _ in self.spoken),
            at_once=self.at_once,
            elapsed_ns=max(last) - self.origin if last else 0,
            unmodelled=gathered.unmodelled,
            unmodelled_ns=gathered.unmodelled_ns,
            without_duration=gathered.without_duration,
            excluded=gathered.excluded,
            spent=gathered.spending.spent(gathered, self._real, self._births),
            tracer=taken,
        )

    # -- ends -----------------------------------------------------------------------------------

    def _end_processes(self) -> None:
        """Add to each process what its end does: it closes what it has written, and is over."""
        gathered = self.gathered
        added: list[tuple[int, int, int, int, int]] = []
        owners = self.requests.owners(self.rows["process"])
        mark_closes(self.rows, owners)
        for process, file in () if self.whole else left_open(self.rows, owners):
            added.append((process, CLOSE, file, 0, 1))
        for process in self.alive.tolist():
            added.append((process, PAUSE, -1, 0, 0))
            if process in self.ties.ended:
                added.append((process, PASS, -1, self.ties.ended[process], 0))
        new = np.array(added, np.int64).reshape(-1, 5)
        ends = gathered.lives.last[new[:, 0]]
        more = {
            "process": new[:, 0],
            "kind": new[:, 1],
            "file": new[:, 2],
            "offset": new[:, 3],
            "size": new[:, 4],
            "begin": ends,
            "end": ends,
            "name": np.full(len(new), -1),
            "order": LATER + np.arange(len(new)),
        }
        if isinstance(gathered.tracer, Tolls):
            more |= gathered.tracer.ends(self.requests.owners(new[:, 0]))
            more["lost"][self.requests.beside(new[:, 0])] = 0.0
        for column in gathered.columns:
            old = self.rows[column]
            self.rows[column] = np.concatenate([old, more[column].astype(old.dtype)])

    # -- times --------------------------------------------------------------------------------

    def _gaps(self) -> tuple[Numbers, Numbers]:
        """The gap before each row; and for each process that lived, its first row."""
        rows = self.rows
        takes = self._takes()
        until = np.where(takes, rows["end"], rows["begin"])
        process = rows["process"]
        first = np.flatnonzero(np.diff(process, prepend=-1)) if len(process) else np.zeros(0, int)
        before = np.roll(until, 1)
        for row, number in zip(first.tolist(), process[first].tolist(), strict=True):
            before[row] = self._began(number)
        gap: Numbers = np.maximum(rows["begin"] - before, 0)
        gap[self.requests.beside(process)] = 0
        return gap, first

    def _takes(self) -> Numbers:
        """Return which rows have a cost of their own, so that their time is in no gap."""
        kind = self.rows["kind"] & PLAIN
        found: Numbers = np.isin(kind, self.takes) | self._idles()
        return found | submits(self.rows["name"], kind, self.gathered.calls)

    def _asides(self) -> Numbers:
        """Return which rows are calls that are replayed as pauses, or as marks of others."""
        texts = self.gathered.calls.texts
        ties = np.array([*(KIND_OF.get(text) in (PASS, WAIT) for text in texts), True])
        kind, name = self.rows["kind"], self.rows["name"]
        found: Numbers = np.isin(kind, (PAUSE, PASS, WAIT)) & ~ties[name]
        return found

    def _idles(self) -> Numbers:
        """Return which rows are sleeps and waits for others, whose time is their size."""
        found: Numbers = (self.rows["kind"] == PAUSE) & (self.rows["size"] > 0)
        return found

    def _settled(self, gap: Numbers, first: Numbers, idle: Numbers) -> tuple[Numbers, Taken | None]:
        """Return the gaps without the tracer's time, as far as that is known."""
        tracer, rows = self.gathered.tracer, self.rows
        if isinstance(tracer, Guess):
            return gap, tracer.taken(int(gap.sum()), self.gathered.unmodelled)
        if tracer is None or not len(gap):
            return gap, None
        lost = np.diff(rows["lost"], prepend=0.0)
        lost[first] = rows["lost"][first]
        made = [place for place in first.tolist() if int(rows["process"][place]) in self.ties.born]
        lost[made] += tracer.inside(("clone",))[0]
        timed = self._takes() & (rows["name"] >= 0)
        texts = self.gathered.calls.texts
        # The time of a row that takes it is in no gap, nor is what the tracer adds to that.
        within = np.where(timed, np.append(tracer.inside(texts), 0.0)[rows["name"]], 0.0)
        after = np.roll(within, 1)
        after[first] = 0.0
        once = timed & (rows["order"] % 2 == 0)
        once[idle] = False
        modelled = np.append(tracer.untraced(texts), 0.0)[rows["name"][once]].sum()
        rows["size"][idle] = tracer.idle_ns(rows["name"][idle], texts, rows["size"][idle])
        lost = np.maximum(lost - after, 0.0)
        alike = self._alike(lost)
        return tracer.settle(gap, lost, self._least(), self._likely(), alike, float(modelled))

    def _likely(self) -> Numbers:
        """Return before which rows a program computes first of all: writes, and what follows reads.

        There it makes what it writes, or makes something of what it has read.
        """
        kind, moves = self.rows["kind"] & PLAIN, self.rows["size"] > 0
        likely: Numbers = moves & (kind == WRITE)
        likely[1:] |= (moves & (kind == READ))[:-1]
        return likely

    def _alike(self, lost: Numbers) -> Numbers:
        """Number the gaps that are between the same calls: of rows, and others in between."""
        name = self.rows["name"].astype(np.int64)
        # What the tracer adds tells the calls in between apart.
        between = np.unique(np.rint(lost).astype(np.int64), return_inverse=True)[1]
        pair = (np.roll(name, 1) + 1) * (int(name.max()) + 2) + name + 1
        pair = pair * (int(between.max()) + 1) + between
        found: Numbers = np.unique(pair, return_inverse=True)[1]
        return found

    def _least(self) -> Numbers:
        """Return what the libraries of its program compute for each row."""
        number = np.searchsorted(self.alive, self.rows["process"])
        return library_ns(self.rows["kind"], [library for _, library in self.spoken], number)

    def _began(self, process: int) -> int:
        """When a process began: with its parent's fork, or with its first call."""
        return self._births.get(process, int(self.gathered.lives.first[process]))

    @cached_property
    def _births(self) -> dict[int, int]:
        """When each process that a fork made began."""
        forks = np.flatnonzero(self.rows["kind"] == PASS)
        marks, begins = self.rows["offset"][forks], self.rows["begin"][forks]
        when = dict(zip(marks.tolist(), begins.tolist(), strict=True))
        return {child: when[mark] for child, mark in self.ties.born.items()}

    def _clients(self, first: Numbers) -> tuple[TracedClient, ...]:
        ends = [*first[1:].tolist(), len(self.rows["process"])][: len(first)]
        numbers = self.rows["process"][first].tolist()
        lives = [(self._began(one), int(self.gathered.lives.last[one])) for one in numbers]
        owner = self.requests.owner
        alone = [row for row, one in enumerate(numbers) if one not in owner]
        dealt, self.at_once = deal_places([lives[row] for row in alone])
        at = {numbers[row]: place for row, place in zip(alone, dealt, strict=True)}
        places = [at[owner.get(one, one)] for one in numbers]
        clients = []
        names: dict[str, int] = {}
        tracer = self.gathered.tracer
        memory = tracer.memory_ns if isinstance(tracer, Tolls) else (0, 0)
        each = zip(first.tolist(), ends, numbers, places, self.spoken, strict=True)
        for row, end, process, place, (_, library) in each:
            pid = int(self.gathered.lives.pid[process])
            name = f"pid{pid}" if pid else "process"
            name += BESIDE if process in owner else ""
            again = names[name] = names.get(name, 0) + 1
            clients.append(
                TracedClient(
                    name=name if again == 1 else f"{name}.{again}",
                    start_ns=max(0, self._began(process) - self.origin),
                    born=self.ties.born.get(process, -1),
                    first=row,
                    calls=end - row,
                    place=place,
                    library=library._replace(page=memory[0], far=memory[1]),
                )
            )
        return tuple(clients)


def _cells(code: str, numbers: Numbers, kind: Any) -> array[int]:
    cells = array(code)
    cells.frombytes(np.ascontiguousarray(numbers, kind).view(np.uint8).data)
    return cells
