"""A trace as a job that can be replayed: clients, their calls, and who waits for whom.

A call that the models have a cost for becomes a row; what a process did between two rows is the
gap before the second: computing, and calls without a model. Sleeps, and waits for pipes, sockets
and locks, are pauses, which need no processor. Metadata operations are rows too; where a machine
has no cost for them their time stays in the gap as well. A child begins where its parent's fork
stands, and who waits for another does so (:mod:`simulator.replay.dependencies`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.explained import Spent
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
from simulator.replay.arrays import Numbers, cells_of, in_order, starts_of
from simulator.replay.dependencies import Dependencies
from simulator.replay.files import left_open, mark_closes, measure
from simulator.replay.operations import KIND_OF, MEETINGS
from simulator.replay.processes import NEVER
from simulator.replay.requests import POLL, Requests, submits
from simulator.replay.rows import CallRows
from simulator.replay.states import States, mark
from simulator.replay.tracer import TracerCosts, TracerGuess, TracerTime
from simulator.runtime.listed import CallTable
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

    from simulator.workload.languages import Language
    from simulator.workload.libraries import LibraryCosts


@dataclass(frozen=True)
class Observed:
    """A traced job, and what its log says of each row; for the comparison with a replay."""

    traced: Traced
    name: Numbers
    """Number of the call's name; -1 for rows that the trace does not have."""
    names: list[str]
    duration: Numbers
    """ns; 0 where the log does not say."""
    begin: Numbers
    """When the call began; ns since the trace did."""
    counts: Numbers
    """1 for each call; 0 for the second row of a call that has two, and for rows that are none."""
    unmodelled: int
    unmodelled_ns: int
    without_duration: int
    languages: tuple[Language, ...]
    """The language of each client."""
    placed: int
    """Calls whose offset the log does not say, that have got one."""
    at_once: int
    """Processes that lived at the same time, at most."""
    elapsed_ns: int
    """From the first call to the end of the last."""
    programs: tuple[str, ...] = ()
    """The program that each client has become by itself; empty for threads and other copies."""
    excluded: int = 0
    """Calls that were left out since their files are in excluded folders."""
    spent: Spent = field(default_factory=Spent)
    """Its time, by what was done in it."""
    tracer: TracerTime | None = None
    """What was done about the tracer's own time; None if nobody looked."""

    def meeting(self, barriers: tuple[int, ...]) -> Observed:
        """Return the same with barriers at which so many clients meet."""
        met = replace(self.traced.meetings, barriers=barriers)
        return replace(self, traced=replace(self.traced, meetings=met))


TAKES = (SEEK, READ, WRITE, WAIT, SEND, RECEIVE)
"""Rows whose time is a model's, and not between calls."""
LATER = 2**61
"""The order of rows that are added at the end of a process."""


def observe(  # noqa: PLR0913 - all by their names
    name: str,
    batches: Iterable[pyarrow.RecordBatch],
    *,
    origin: int | None = None,
    costs: tuple[int, ...] | None = None,
    whole: bool = False,
    meetings: Meetings | None = None,
    exclude: Iterable[str] = (),
    tracer: TracerCosts | TracerGuess | None = None,
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
    log = CallRows(
        metadata=costs is not None, meetings=meetings is not None, exclude=exclude, tracer=tracer
    )
    log.take(batches)
    rows = log.joined()
    files = measure(rows, log)
    if states:
        more = tracer.more_ns if isinstance(tracer, TracerCosts) else 0.0
        mark(rows, states, _took(rows, log), more)
    takes = (*TAKES, *(costs or ()), *(MEETINGS if meetings is not None else ()))
    return _Job(log, rows, origin, takes=takes, whole=whole).observed(name, files, meetings)


def _took(rows: dict[str, Numbers], log: CallRows) -> Numbers:
    """Return how long calls took, without what the tracer is known to add to each."""
    took: Numbers = rows["end"] - rows["begin"]
    if isinstance(log.tracer, TracerCosts):
        inside = np.append(log.tracer.inside(log.calls.texts), 0.0)[rows["name"]]
        took = np.maximum(took - np.rint(inside).astype(np.int64), 0)
    return took


class _Job:
    """The rows of each process put together, with the dependencies of processes."""

    def __init__(
        self,
        log: CallRows,
        rows: dict[str, Numbers],
        origin: int | None,
        *,
        takes: tuple[int, ...],
        whole: bool,
    ) -> None:
        self.takes = takes
        self.whole = whole
        self.log = log
        self.rows = rows
        lived = log.lifetimes.first < NEVER
        self.alive = np.flatnonzero(lived)
        earliest = int(log.lifetimes.first[lived].min()) if lived.any() else 0
        self.origin = earliest if origin is None else origin
        self._real = self.alive
        """Processes of the log, without those that carry out requests."""
        real = self.alive.tolist()
        self.requests = Requests(log, rows, self.origin)
        self.dependencies = Dependencies(log, rows, real, self.requests.marks)
        self.alive = np.append(self.alive, np.array(sorted(self.requests.owner), np.int64))
        self.at_once = 0
        self.programs: list[tuple[Language, LibraryCosts]] = []
        """Of each process that lived, its language and what its libraries cost."""

    def observed(
        self, name: str, found: tuple[Extents, list[TracedFile]], meetings: Meetings | None
    ) -> Observed:
        """Return the job."""
        extents, files = found
        log = self.log
        self.dependencies.find()
        self._end_processes()
        rows = self.rows
        place = in_order(rows["process"])
        for column in log.columns:  # One after the other: each frees what it replaces.
            rows[column] = rows[column][place]
        del place
        gap, start = self._gaps()
        numbers = rows["process"][start].tolist()
        self.programs = [log.languages.of(one, self.dependencies.parent) for one in numbers]
        gap, taken = self._settled(gap, start, np.flatnonzero(self._idles()))
        polls = (rows["kind"] == PAUSE) & (rows["offset"] == POLL)
        rows["size"][self._idles() & (self.dependencies.needless() | polls)] = 0
        rows["offset"][polls] = 0
        aside = self._asides()
        rows["name"][aside] = -1
        table = CallTable(
            kind=cells_of("b", rows["kind"]),
            file=cells_of("i", rows["file"]),
            offset=cells_of("q", rows["offset"]),
            size=cells_of("q", rows["size"]),
            gap=cells_of("q", gap),
            marks=self.dependencies.marks,
        )
        clients, digest = self._clients(start), digest_of(table)
        lived = [one for one in self.alive.tolist() if one not in self.requests.owner]
        last = log.lifetimes.last[lived].tolist()
        counters = tuple(np.searchsorted(self.alive, self.requests.waiters).tolist())
        met = replace(meetings or Meetings(), counters=counters)
        traced = Traced(name, table, clients, tuple(files), digest, met)
        return Observed(
            traced=traced,
            name=rows["name"],
            names=log.calls.texts,
            duration=_took(rows, log),
            begin=rows["begin"] - self.origin,
            counts=((rows["order"] % 2 == 0) & (rows["order"] < LATER) & ~aside).astype(np.int8),
            placed=int(extents.placed),  # Interpreted, it is a number of numpy.
            languages=tuple(language for language, _ in self.programs),
            programs=tuple(log.languages.program(one) for one in numbers),
            at_once=self.at_once,
            elapsed_ns=max(last) - self.origin if last else 0,
            unmodelled=log.unmodelled,
            unmodelled_ns=log.unmodelled_ns,
            without_duration=log.without_duration,
            excluded=log.excluded,
            spent=log.breakdown.spent(log, self._real, self._births),
            tracer=taken,
        )

    # -- ends -----------------------------------------------------------------------------------

    def _end_processes(self) -> None:
        """Add to each process what its end does: it closes what it has written, and is over."""
        log = self.log
        added: list[tuple[int, int, int, int, int]] = []
        owners = self.requests.owners(self.rows["process"])
        mark_closes(self.rows, owners)
        for process, file in () if self.whole else left_open(self.rows, owners):
            added.append((process, CLOSE, file, 0, 1))
        for process in self.alive.tolist():
            added.append((process, PAUSE, -1, 0, 0))
            if process in self.dependencies.ended:
                added.append((process, PASS, -1, self.dependencies.ended[process], 0))
        new = np.array(added, np.int64).reshape(-1, 5).T
        ends = log.lifetimes.last[new[0]]
        named = zip(("process", "kind", "file", "offset", "size"), new, strict=True)
        more = dict(named) | {"begin": ends, "end": ends}
        more |= {"name": np.full(len(ends), -1), "order": LATER + np.arange(len(ends))}
        if isinstance(log.tracer, TracerCosts):
            more |= log.tracer.ends(self.requests.owners(new[0]))
            more["lost"][self.requests.beside(new[0])] = 0.0
        for column in log.columns:
            old = self.rows[column]
            self.rows[column] = np.concatenate([old, more[column].astype(old.dtype)])

    # -- times --------------------------------------------------------------------------------

    def _gaps(self) -> tuple[Numbers, Numbers]:
        """Return the gap before each row; and for each process that lived, its first row."""
        rows = self.rows
        takes = self._takes()
        until = np.where(takes, rows["end"], rows["begin"])
        process = rows["process"]
        first = starts_of(process)
        before = np.roll(until, 1)
        for row, number in zip(first.tolist(), process[first].tolist(), strict=True):
            before[row] = self._began(number)
        gap: Numbers = np.maximum(rows["begin"] - before, 0)
        gap[self.requests.beside(process)] = 0
        return gap, first

    def _takes(self) -> Numbers:
        """Return which rows have a cost of their own, so that their time is in no gap."""
        kind = self.rows["kind"] & PLAIN
        found = np.isin(kind, self.takes) | self._idles()
        return found | submits(self.rows["name"], kind, self.log.calls)

    def _asides(self) -> Numbers:
        """Return which rows are calls that are replayed as pauses, or as marks of others."""
        texts = self.log.calls.texts
        ties = np.array([*(KIND_OF.get(text) in (PASS, WAIT) for text in texts), True])
        kind, name = self.rows["kind"], self.rows["name"]
        return np.asarray(np.isin(kind, (PAUSE, PASS, WAIT)) & ~ties[name])

    def _idles(self) -> Numbers:
        """Return which rows are sleeps and waits for others, whose time is their size."""
        return np.asarray((self.rows["kind"] == PAUSE) & (self.rows["size"] > 0))

    def _settled(
        self, gap: Numbers, first: Numbers, idle: Numbers
    ) -> tuple[Numbers, TracerTime | None]:
        """Return the gaps without the tracer's time, as far as that is known."""
        tracer, rows = self.log.tracer, self.rows
        if isinstance(tracer, TracerGuess):
            return gap, tracer.taken(int(gap.sum()), self.log.unmodelled)
        if tracer is None or not len(gap):
            return gap, None
        lost = np.diff(rows["lost"], prepend=0.0)
        lost[first] = rows["lost"][first]
        made = [
            place
            for place in first.tolist()
            if int(rows["process"][place]) in self.dependencies.born
        ]
        lost[made] += tracer.inside(("clone",))[0]
        timed = self._takes() & (rows["name"] >= 0)
        texts = self.log.calls.texts
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
        return np.asarray(np.unique(pair, return_inverse=True)[1])

    def _least(self) -> Numbers:
        """Return what the libraries of its program compute for each row."""
        number = np.searchsorted(self.alive, self.rows["process"])
        return library_ns(self.rows["kind"], [library for _, library in self.programs], number)

    def _began(self, process: int) -> int:
        """Return when a process began: with its parent's fork, or with its first call."""
        return self._births.get(process, int(self.log.lifetimes.first[process]))

    @cached_property
    def _births(self) -> dict[int, int]:
        """When each process that a fork made began."""
        forks = np.flatnonzero(self.rows["kind"] == PASS)
        marks, begins = self.rows["offset"][forks], self.rows["begin"][forks]
        when = dict(zip(marks.tolist(), begins.tolist(), strict=True))
        return {child: when[mark] for child, mark in self.dependencies.born.items()}

    def _clients(self, first: Numbers) -> tuple[TracedClient, ...]:
        ends = [*first[1:].tolist(), len(self.rows["process"])][: len(first)]
        numbers = self.rows["process"][first].tolist()
        lives = [(self._began(one), int(self.log.lifetimes.last[one])) for one in numbers]
        owner = self.requests.owner
        alone = [row for row, one in enumerate(numbers) if one not in owner]
        dealt, self.at_once = deal_places([lives[row] for row in alone])
        at = {numbers[row]: place for row, place in zip(alone, dealt, strict=True)}
        places = [at[owner.get(one, one)] for one in numbers]
        clients = []
        names: dict[str, int] = {}
        tracer = self.log.tracer
        memory = tracer.memory_ns if isinstance(tracer, TracerCosts) else (0, 0)
        each = zip(first.tolist(), ends, numbers, places, self.programs, strict=True)
        for row, end, process, place, (_, library) in each:
            pid = int(self.log.lifetimes.pid[process])
            name = f"pid{pid}" if pid else "process"
            name += BESIDE if process in owner else ""
            again = names[name] = names.get(name, 0) + 1
            clients.append(
                TracedClient(
                    name=name if again == 1 else f"{name}.{again}",
                    start_ns=max(0, self._began(process) - self.origin),
                    born=self.dependencies.born.get(process, -1),
                    first=row,
                    calls=end - row,
                    place=place,
                    library=library._replace(page=memory[0], far=memory[1]),
                )
            )
        return tuple(clients)
