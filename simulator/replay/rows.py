"""Rows of a replay: the calls of a trace that a model has a cost for, as numbers.

Row by row, in the order of the store: calls that read, write and seek in files, metadata
operations, forks and waits for children. Everything else only leaves its time between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import (
    CLOSE,
    CREATE,
    LOOKUP,
    METADATA,
    OPEN,
    PASS,
    PAUSE,
    READ,
    RENAME,
    SEEK,
    SETATTR,
    SYNC,
    WAIT,
    WRITE,
)
from simulator.replay.arrays import TEXTS, Batch, Codes, Numbers
from simulator.replay.breakdown import PAGE, Breakdown, Mappings
from simulator.replay.names import EMPTIED, EXCHANGED, Stored
from simulator.replay.operations import (
    COPY,
    KIND_OF,
    LINK,
    MAYBE,
    MEETING_OF,
    MEETINGS,
    METADATA_OF,
    NOTHING,
    RUN,
    durable,
    is_creat,
    metadata_operations,
)
from simulator.replay.processes import Languages, Lifetimes
from simulator.replay.requests import Contexts
from simulator.replay.tracer import TracerCosts, TracerGuess
from simulator.traces.columns import (
    EXECS,
    LINKS,
    LOCK_NS,
    LOCKS,
    MOVES,
    REAPS,
    REQUESTS,
    SLEEPS,
    TERMINALS,
    WAITS,
)

if TYPE_CHECKING:
    import pyarrow

FUTEX = ("futex", "futex_time64")
LOCKED_NS = 100_000
"""A ``futex`` that may have woken no thread has waited if it took so long."""
EXITS = ("exit", "exit_group")
_TYPES: dict[str, Any] = {
    "process": np.int32,
    "kind": np.int8,
    "file": np.int32,
    "name": np.int16,
    "lost": np.float64,
}
"""Of the columns that have no times, offsets and sizes."""
COLUMNS = ("process", "kind", "file", "offset", "size", "begin", "end", "name", "order")


class CallRows:
    """The rows of a trace that are replayed, and what its calls say of its processes."""

    def __init__(
        self,
        *,
        metadata: bool = False,
        meetings: bool = False,
        exclude: Iterable[str] = (),
        tracer: TracerCosts | TracerGuess | None = None,
    ) -> None:
        """``metadata``: the calls of :data:`METADATA_OF` are rows too; so are ``meetings``.

        ``exclude``: calls on files below these folders are none. ``tracer`` sees all calls.
        """
        self.metadata = metadata
        self.tracer = tracer
        self.columns = (*COLUMNS, "lost") if isinstance(tracer, TracerCosts) else COLUMNS
        """``lost``, the tracer's time before a call, is there where that is known."""
        self.kind_of = {
            **KIND_OF,
            **(METADATA_OF if metadata else {}),
            **(MEETING_OF if meetings else {}),
        }
        self.codes = {name: Codes() for name in TEXTS}
        self.calls, self.files = self.codes["call"], self.codes["file"]
        self.stored = Stored(exclude)
        self.excluded = 0
        """Calls on files that are left out."""
        self._among = np.full(1, -1, np.int64)
        """Of second names the numbers among all files."""
        self.rows: dict[str, list[Numbers]] = {name: [] for name in self.columns}
        self._lost: dict[str, Numbers] = {}
        self.forks: list[tuple[int, int]] = []
        """Order and returned pid of each fork; of each wait in ``waits``."""
        self.waits: list[tuple[int, int]] = []
        self.wakes: list[Numbers] = []
        """Orders of calls that woke a thread, or moved bytes of a pipe at once; in ``locked`` of
        those that one of them ended."""
        self.locked: list[Numbers] = []
        self.left: list[Numbers] = []
        """Processes that ended by themselves; in ``over`` those that ended their whole program."""
        self.over: list[Numbers] = []
        self.slept: list[Numbers] = []
        """Processes that slept, or waited until a time passed."""
        self.seen = 0
        self.lifetimes = Lifetimes()
        self.contexts = Contexts()
        self.without_duration = 0
        self.unmodelled = 0
        """Calls that only leave their time, and that time."""
        self.unmodelled_ns = 0
        self.languages = Languages()
        self.breakdown = Breakdown()
        self.mappings = Mappings()

    def take(self, batches: Iterable[pyarrow.RecordBatch]) -> None:
        """Add the calls of all batches."""
        for one in batches:
            if one.num_rows:
                self._take(Batch(one, self.codes, self.seen))
                self.seen += one.num_rows

    def joined(self) -> dict[str, Numbers]:
        """Return the rows as one array for each column; they are here no more."""
        rows = {}
        for column in self.columns:  # One after the other: each frees what it replaces.
            parts = self.rows.pop(column)
            rows[column] = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        return rows

    def _take(self, batch: Batch) -> None:
        self.lifetimes.take(batch)
        names = batch.codes("call")
        kinds = [self.kind_of.get(text, NOTHING) for text in self.calls.texts]
        what: Numbers = np.array(kinds, np.int64)[names]
        first = len(self.rows["order"])
        self._lost = self._lost_of(batch)
        self.languages.take(batch, self.files)
        used = self._on_files(batch, what)
        used |= self._of_children(batch, what)
        used |= self._meetings(batch, what)
        used |= self._mapped(batch)
        used |= self._of_requests(batch)
        self.slept.append(self.breakdown.take(batch, self._idle(batch, what)))
        self._sort(first)
        requests = batch.called(REQUESTS)
        self.without_duration += int(((batch.duration < 0) & used & ~requests).sum())
        self.unmodelled += int((~used).sum())
        self.unmodelled_ns += int(batch.took[~used].sum())

    def _lost_of(self, batch: Batch) -> dict[str, Numbers]:
        """Show the tracer the calls; return the column that it adds."""
        if isinstance(self.tracer, TracerGuess):
            calls = ~batch.called(REQUESTS)
            if calls.any():
                columns = (batch.process, batch.begin, batch.duration)
                self.tracer.take(*(column[calls] for column in columns))
        if isinstance(self.tracer, TracerCosts):
            return self.tracer.take(batch.process, batch.codes("call"), self.calls.texts)
        return {}

    # -- which calls are rows -----------------------------------------------------------------

    def _idle(self, batch: Batch, what: Numbers) -> Numbers:
        """Keep the calls that sleep, or wait for others, as pauses of that length.

        Return which they are, with the waits for children.
        """
        for ends, listed in ((EXITS, self.left), (EXITS[1:], self.over)):
            listed.append(batch.process[batch.called(ends)])
        elsewhere = ~batch.of_kind("file", "directory", "device", null=True)
        if batch.of_kind("device").any():
            terminal = re.compile(TERMINALS).search
            elsewhere |= self.files.where(batch.codes("file"), lambda name: bool(terminal(name)))
        waits = batch.called(WAITS, SLEEPS)
        waits |= batch.called(LOCKS) & (batch.took >= LOCK_NS)
        waits |= elsewhere & batch.called(MOVES)
        reaps = batch.called(REAPS)
        idle: Numbers = waits & ~reaps  # Waiting for requests is time of calls on files.
        # The wait for a child is a row, as meetings and other waits for requests are.
        waits &= ((what != WAIT) | (batch.returned <= 0)) & ~np.isin(what, MEETINGS)
        waits &= ~reaps | (batch.returned < 0)
        futex = batch.called(FUTEX)
        woke = futex & (batch.returned > 0)
        pipe, long = batch.of_kind("pipe") & batch.called(MOVES), batch.took >= LOCKED_NS
        served = pipe & (batch.returned > 0) & (batch.took > 0) & ~long
        self.wakes.append(batch.order[woke | served])
        waited = (futex & (batch.returned == 0)) | (pipe & (batch.returned >= 0))
        self.locked.append(batch.order[waited & long])
        kept = woke | (waits & (batch.took > 0))
        self._keep(kept, PAUSE, batch, size=np.where(woke, 0, batch.took))
        return idle

    def _on_files(self, batch: Batch, what: Numbers) -> Numbers:
        """Keep the calls on files; return which rows they are."""
        stored, folder = batch.of_kind("file", null=True), batch.of_kind("directory")
        file, out = self.stored.of(batch.codes("file"), self.files.number)
        size = np.maximum(batch.returned, 0)
        known = file >= 0
        plain = stored & known & (what >= SEEK) & ((what < CLOSE) | (what == SYNC))
        plain |= folder & known & (what == SYNC)  # fsync of a directory is a commit, too.
        self.excluded += int((out & (what != NOTHING)).sum())
        used: Numbers
        if self.metadata:
            plain &= what != OPEN
            used = plain | self._metadata(batch, what, file)
        else:
            plain |= stored & known & (what == CLOSE)
            plain &= (what != OPEN) | (batch.returned >= 0)
            used = plain.copy()
        moved = np.where((what == READ) | (what == WRITE), size, 0)
        kinds = what | durable(what, batch)
        self._keep(plain, kinds, batch, file=file, offset=batch.offset, size=moved)
        copies = what == COPY
        if not copies.any():
            return used
        source = copies & known & stored
        self._keep(source, READ, batch, file=file, offset=batch.offset, size=size)
        target = self._target(batch)
        into = copies & (target >= 0)
        self._keep(
            into,
            WRITE,
            batch,
            file=target,
            offset=batch.numbers("to_offset", -1),
            size=size,
            begin=np.where(source, batch.end, batch.begin),
            later=source,
        )
        used |= source | into
        return used

    def _metadata(self, batch: Batch, what: Numbers, file: Numbers) -> Numbers:
        """Keep metadata operations, of directories too; return which rows they are."""
        found = metadata_operations(what, batch)
        links, renames = found == LINK, found == RENAME
        place = np.zeros(len(what), np.int64)
        if links.any() or renames.any():  # Both have the number of their other name.
            target = self._target(batch)
            hard = links & batch.called(LINKS)
            place[hard] = file[hard] + 1
            place[renames] = target[renames] + 1
            file = np.where(links, target, file)
            found = np.where(links, CREATE, found)
        which = batch.of_kind("file", "directory", null=True) & (file >= 0)
        which &= np.isin(found, (*METADATA, MAYBE))
        absent = which & (found == LOOKUP)
        if absent.any():  # They are looked for in their folder, by the number of their name.
            place[absent] = file[absent]
            file = file.copy()
            file[absent] = self.stored.folders(file[absent], self.files.number)
        place[renames & batch.flagged("RENAME_EXCHANGE")] = EXCHANGED
        truncates = batch.flagged("O_TRUNC")
        place[truncates & (found == SETATTR)] = EMPTIED
        self._keep(which, found, batch, file=file, offset=place)
        empties = which & (batch.returned >= 0) & np.isin(found, (OPEN, MAYBE))
        empties &= truncates | is_creat(batch)
        self._keep(empties, SETATTR, batch, file=file, offset=EMPTIED, begin=batch.end, later=1)
        return which

    def _target(self, batch: Batch) -> Numbers:
        """Return the numbers, among all files, of the second names."""
        numbers, known = batch.codes("to_file"), self.files.number
        more = self.codes["to_file"].texts[len(self._among) - 1 :]
        new = [known.setdefault(text, len(known)) for text in more]
        self._among = np.concatenate([self._among[:-1], np.array([*new, -1], np.int64)])
        return self.stored.of(self._among[numbers], known)[0]

    def _of_children(self, batch: Batch, what: Numbers) -> Numbers:
        """Keep forks and waits that returned a process; return which rows they are.

        Kept besides, until it is known who waits for what: where a program is started, and a second
        row of each fork.
        """
        used = np.zeros(len(what), bool)
        for kind, listed in ((PASS, self.forks), (WAIT, self.waits)):
            found = (what == kind) & (batch.returned > 0)
            columns = (batch.order[found].tolist(), batch.returned[found].tolist())
            listed.extend(zip(*columns, strict=True))
            self._keep(found, kind, batch, offset=-1)
            used |= found
        made = (what == PASS) & (batch.returned > 0)
        self._keep(made, RUN, batch, offset=-1, later=1)
        self._keep(batch.called(EXECS) & (batch.returned == 0), RUN, batch, offset=-1)
        return used

    def _meetings(self, batch: Batch, what: Numbers) -> Numbers:
        """Keep locks, barriers and messages; return which rows they are."""
        found = np.isin(what, MEETINGS)
        self._keep(found, what, batch, offset=batch.offset, size=batch.numbers("requested", 0))
        return found

    def _mapped(self, batch: Batch) -> Numbers:
        """Keep each sync of a mapping: a write of a page, at least, and a sync of the file."""
        file, _ = self.stored.of(self.mappings.synced(batch, self.files), self.files.number)
        found: Numbers = (file >= 0) & self.metadata
        self._keep(found, WRITE, batch, file=file, offset=-1, size=PAGE, end=batch.begin)
        self._keep(found, SYNC, batch, file=file, later=1)
        return found

    def _of_requests(self, batch: Batch) -> Numbers:
        """Keep calls that submit requests, or wait for them; return which rows they are."""
        submits, reaps = self.contexts.take(batch)
        self._keep(submits, PASS, batch)
        self._keep(reaps, PAUSE, batch, size=batch.took)
        return submits | reaps

    # -- keeping them -------------------------------------------------------------------------

    def _keep(  # noqa: PLR0913 - all by their names
        self,
        which: Numbers,
        kind: Numbers | int,
        batch: Batch,
        *,
        file: Numbers | int = -1,
        offset: Numbers | int = 0,
        size: Numbers | int = 0,
        begin: Numbers | None = None,
        end: Numbers | None = None,
        later: Numbers | int = 0,
    ) -> None:
        """Keep some calls as rows; ``later``: as a second row of its call, behind the first."""
        if not which.any():
            return
        row: dict[str, Any] = {
            "process": batch.process,
            "kind": kind,
            "file": file,
            "offset": offset,
            "size": size,
            "begin": batch.begin if begin is None else begin,
            "end": batch.end if end is None else end,
            "name": batch.codes("call"),
            "order": batch.order + later,
            **self._lost,
        }
        for name in self.columns:
            values = np.broadcast_to(row[name], which.shape)[which]
            self.rows[name].append(values.astype(_TYPES.get(name, np.int64), copy=False))

    def _sort(self, first: int) -> None:
        """Put what was kept of a batch, from part ``first`` on, in the order of its calls."""
        if len(self.rows["order"]) <= first + 1:
            return
        parts = {name: np.concatenate(self.rows[name][first:]) for name in self.columns}
        place = np.argsort(parts["order"], kind="stable")
        for name in self.columns:
            self.rows[name][first:] = [parts[name][place]]
