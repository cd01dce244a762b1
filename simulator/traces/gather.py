"""What of a trace is replayed: the rows that a model has a cost for, as numbers.

Row by row, in the order of the store: calls that read, write and seek in files, metadata
operations, forks and waits for children. Everything else only leaves its time between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import (
    CLOSE,
    CREATE,
    DIRECT,
    LOOKUP,
    METADATA,
    OPEN,
    PASS,
    PAUSE,
    READ,
    RENAME,
    RMDIR,
    SEEK,
    SETATTR,
    STAT,
    SYNC,
    SYNCED,
    UNLINK,
    WAIT,
    WRITE,
)
from simulator.traces import named
from simulator.traces.asynchronous import Contexts
from simulator.traces.columns import (
    LOCK_NS,
    LOCKS,
    MOVES,
    REAPS,
    REQUESTS,
    SLEEPS,
    TERMINALS,
    WAITS,
)
from simulator.traces.lives import Lives
from simulator.traces.modelled import COPY, KIND_OF, MEETING_OF, METADATA_OF, NOTHING
from simulator.traces.numbered import Codes, filled
from simulator.traces.spent import PAGE, Mappings, Spending
from simulator.traces.spoken import Spoken
from simulator.traces.tracer import Guess, Tolls

if TYPE_CHECKING:
    import pyarrow

    Numbers = np.ndarray[Any, Any]
FUTEX = ("futex", "futex_time64")
LOCKED_NS = 100_000  # A call that may have woken nobody has waited if it took so long.
EXITS = ("exit", "exit_group")
KEPT = (*METADATA, named.MAYBE)
_TYPES: dict[str, Any] = {
    "process": np.int32,
    "kind": np.int8,
    "file": np.int32,
    "name": np.int16,
    "lost": np.float64,
}
"""Of the columns that have no times, offsets and sizes."""

COLUMNS = ("process", "kind", "file", "offset", "size", "begin", "end", "name", "order")
TOLLED = ("lost",)
"""One more column where the tracer's time is known: what ``Tolls.take`` gives."""


class Gathered:
    """The rows of a trace that are replayed, and the lives of its processes."""

    def __init__(
        self,
        *,
        metadata: bool = False,
        meetings: bool = False,
        exclude: Iterable[str] = (),
        tracer: Tolls | Guess | None = None,
    ) -> None:
        """``metadata``: the calls of :data:`METADATA_OF` are rows too; so are ``meetings``.

        ``exclude``: calls on files below these folders are none. ``tracer`` sees all calls.
        """
        self.metadata = metadata
        self.tracer = tracer
        self.columns = (*COLUMNS, *TOLLED) if isinstance(tracer, Tolls) else COLUMNS
        self.kind_of = {
            **KIND_OF,
            **(METADATA_OF if metadata else {}),
            **(MEETING_OF if meetings else {}),
        }
        self.calls = Codes()
        self.kinds = Codes()
        self.files = Codes()
        self.to_files = Codes()
        self.errors = Codes()
        self.flags = Codes()
        self.stored = named.Stored(exclude)
        self.excluded = 0
        """Calls on files that are left out."""
        self._among = np.full(1, -1, np.int64)
        """Of second names the numbers among all files."""
        self.rows: dict[str, list[Numbers]] = {name: [] for name in self.columns}
        self.forks: list[tuple[int, int]] = []
        """Order and returned pid of each fork; of each wait in ``waits``."""
        self.waits: list[tuple[int, int]] = []
        self.wakes: list[Numbers] = []
        """Orders of calls that woke a thread; of those that one of them ended in ``locked``."""
        self.locked: list[Numbers] = []
        self.left: list[Numbers] = []
        """Processes that ended by themselves; in ``over`` those that ended their whole program."""
        self.over: list[Numbers] = []
        self.seen = 0
        self.lives = Lives()
        self.contexts = Contexts()
        self.without_duration = 0
        self.unmodelled = 0
        """Calls that only leave their time, and that time."""
        self.unmodelled_ns = 0
        self.spoken = Spoken()
        self.spending = Spending()
        self.mappings = Mappings()

    def take(self, batches: Iterable[pyarrow.RecordBatch]) -> None:
        """Take in all rows."""
        for batch in batches:
            if batch.num_rows:
                self._take(batch)

    def _take(self, batch: pyarrow.RecordBatch) -> None:
        column = {name: batch.column(name) for name in batch.schema.names}
        process = filled(column["process"], 0).astype(np.int64, copy=False)
        begin = filled(column["time_ns"], 0).astype(np.int64, copy=False)
        duration = filled(column["duration_ns"], -1).astype(np.int64, copy=False)
        end = begin + np.maximum(duration, 0)
        self.lives.take(process, begin, end, filled(column["pid"], 0))
        names = self.calls.of(column["call"])
        what = np.array([self.kind_of.get(text, NOTHING) for text in self.calls.texts], np.int64)[
            names
        ]
        returned = filled(column["returned"], -1).astype(np.int64, copy=False)
        order = self.seen + np.arange(len(names), dtype=np.int64)
        self.seen += len(names)
        one = {"process": process, "begin": begin, "end": end, "name": names, "order": 2 * order}
        first = len(self.rows["order"])
        one |= self._tolls(names, one, duration)
        self._started(column, names, returned, process)
        used = self._files_of(column, what, returned, one)
        used |= self._others(what, returned, one)
        used |= self._meetings(column, what, one)
        used |= self._mapped(column, one)
        used |= self._contexts(column, names, returned, one)
        waits = self._idle(column, what, names, returned, one)
        error, file = self.errors.of(column["error"]), self.files.of(column["file"])
        one |= {"pid": filled(column["pid"], 0), "fd": filled(column["fd"], -1)}
        self.spending.take(one, waits, returned, error, file, self)
        advice = self.flags.among(self.flags.of(column["flags"]), ("POSIX_FADV_DONTNEED",))
        self.spending.dropped += int((advice & (returned >= 0)).sum())
        self._sort(first)
        requests = self.calls.among(names, REQUESTS)
        self.without_duration += int(((duration < 0) & used & ~requests).sum())
        self.unmodelled += int((~used).sum())
        self.unmodelled_ns += int((end - begin)[~used].sum())

    def _tolls(
        self, names: Numbers, one: dict[str, Numbers], duration: Numbers
    ) -> dict[str, Numbers]:
        """Show the tracer the calls; gives the columns that it has more."""
        tracer, process = self.tracer, one["process"]
        if isinstance(tracer, Guess):
            calls = ~self.calls.among(names, REQUESTS)
            if calls.any():
                tracer.take(process[calls], one["begin"][calls], duration[calls])
        return tracer.take(process, names, self.calls.texts) if isinstance(tracer, Tolls) else {}

    def _idle(
        self,
        column: dict[str, Any],
        what: Numbers,
        names: Numbers,
        returned: Numbers,
        one: dict[str, Numbers],
    ) -> Numbers:
        """Keep the calls that sleep, or wait for others, as pauses of that length.

        Return which they are, with the waits for children.
        """
        for ends, listed in ((EXITS, self.left), (EXITS[1:], self.over)):
            listed.append(one["process"][self.calls.among(names, ends)])
        kind = self.kinds.of(column["kind"])
        elsewhere = ~self.kinds.among(kind, ("file", "directory", "device"), null=True)
        if self.kinds.among(kind, ("device",)).any():
            elsewhere |= self.files.matching(self.files.of(column["file"]), TERMINALS)
        took = one["end"] - one["begin"]
        waits = self.calls.among(names, WAITS, SLEEPS)
        waits |= self.calls.among(names, LOCKS) & (took >= LOCK_NS)
        waits |= elsewhere & self.calls.among(names, MOVES)
        reaps = self.calls.among(names, REAPS)
        idle: Numbers = waits & ~reaps  # Waiting for requests is time of calls on files.
        waits &= (what != WAIT) | (returned <= 0)  # The wait for a child is a row, as meetings are.
        waits &= ~np.isin(what, tuple(MEETING_OF.values()))
        none = np.zeros_like(what)
        futex = self.calls.among(names, FUTEX)
        woke = futex & (returned > 0)
        waits &= ~reaps | (returned < 0)  # Others are rows already.
        self.wakes.append(one["order"][woke])
        self.locked.append(one["order"][futex & (returned == 0) & (took >= LOCKED_NS)])
        kept = woke | (waits & (took > 0))
        self._keep(kept, none + PAUSE, none - 1, none, np.where(woke, 0, took), one)
        return idle

    def _started(
        self, column: dict[str, Any], names: Numbers, returned: Numbers, process: Numbers
    ) -> None:
        """Note which programs were started, and what they loaded."""
        calls = self.calls.number
        started = (names == calls.get("execve", NOTHING - 1)) & (returned == 0)
        opens = [number for call, number in calls.items() if KIND_OF.get(call) == OPEN]
        opened = np.isin(names, opens) & (returned >= 0)
        file = self.files.of(column["file"])
        self.spoken.take(process, started, opened, file, self.files.texts)

    def _files_of(
        self, column: dict[str, Any], what: Numbers, returned: Numbers, one: dict[str, Numbers]
    ) -> Numbers:
        """Keep the calls on files; gives which rows they are."""
        kind = self.kinds.of(column["kind"])
        stored = self.kinds.among(kind, ("file",), null=True)
        file, out = self.stored.of(self.files.of(column["file"]), self.files.number)
        size = np.maximum(returned, 0)
        plain = stored & (file >= 0) & (what >= SEEK) & ((what < CLOSE) | (what == SYNC))
        folder = self.kinds.among(kind, ("directory",))
        plain |= folder & (file >= 0) & (what == SYNC)  # fsync of a directory is a commit, too.
        self.excluded += int((out & (what != NOTHING)).sum())
        offset = filled(column["offset"], -1).astype(np.int64, copy=False)
        moves = (what == READ) | (what == WRITE)
        if self.metadata:
            plain &= what != OPEN
            asked = self._named(column, what, file, returned, one)
        else:
            plain |= stored & (file >= 0) & (what == CLOSE)
            plain &= (what != OPEN) | (returned >= 0)
            asked = np.zeros(len(what), bool)
        kinds = what | np.where(moves, self._bits(column, what), 0)
        self._keep(plain, kinds, file, offset, np.where(moves, size, 0), one)
        copies = what == COPY
        used: Numbers = plain | asked
        if not copies.any():
            return used
        source = copies & (file >= 0) & stored
        self._keep(source, np.full_like(what, READ), file, offset, size, one)
        target = self._target(column["to_file"])
        known = copies & (target >= 0)
        to_offset = filled(column["to_offset"], -1).astype(np.int64, copy=False)
        after = {
            **one,
            "begin": np.where(source, one["end"], one["begin"]),
            "order": one["order"] + source,
        }
        self._keep(known, np.full_like(what, WRITE), target, to_offset, size, after)
        used |= source | known
        return used

    def _bits(self, column: dict[str, Any], what: Numbers) -> Numbers:
        """Return the bits of the kinds of reads and writes, by their flags."""
        if column["flags"].null_count == len(what):
            return np.zeros_like(what)
        flags = self.flags.of(column["flags"])
        synced = (what == WRITE) & self.flags.having(flags, "O_DSYNC", "O_SYNC")
        found: Numbers = DIRECT * self.flags.having(flags, "O_DIRECT") | SYNCED * synced
        return found

    def _named(
        self,
        column: dict[str, Any],
        what: Numbers,
        file: Numbers,
        returned: Numbers,
        one: dict[str, Numbers],
    ) -> Numbers:
        """Keep metadata operations, of directories too; gives which rows they are."""
        kind = self.kinds.of(column["kind"])
        stored = self.kinds.among(kind, ("file", "directory"), null=True)
        error = self.errors.of(column["error"])
        found = named.kinds(what, error, self.errors.number, returned)
        flags = self.flags.of(column["flags"])
        found = named.opened(found, one["name"], self.calls.number, flags, self.flags.number)
        found = np.where((found == UNLINK) & self.flags.having(flags, "AT_REMOVEDIR"), RMDIR, found)
        of_open = self.calls.among(one["name"], named.BESIDE)
        of_open &= (found == STAT) & (filled(column["fd"], -1) >= 0)
        found = np.where(of_open, NOTHING, found)
        links, renames = found == named.LINK, found == RENAME
        place = np.zeros(len(what), np.int64)
        if links.any() or renames.any():  # Both have the number of their other name.
            target = self._target(column["to_file"])
            hard = self.calls.among(one["name"], named.HARD)
            place[links & hard] = file[links & hard] + 1
            place[renames] = target[renames] + 1
            file = np.where(links, target, file)
            found = np.where(links, CREATE, found)
        which: Numbers = stored & (file >= 0) & np.isin(found, KEPT)
        absent = which & (found == LOOKUP)
        if absent.any():  # They are looked for in their folder, by the number of their name.
            place[absent] = file[absent]
            file = file.copy()
            file[absent] = self.stored.folders(file[absent], self.files.number)
        place[renames & self.flags.having(flags, "RENAME_EXCHANGE")] = named.EXCHANGED
        truncates = self.flags.having(flags, "O_TRUNC")
        place[truncates & (found == SETATTR)] = named.EMPTIED
        self._keep(which, found, file, place, np.zeros_like(what), one)
        empties = which & (returned >= 0) & np.isin(found, (OPEN, named.MAYBE))
        empties &= truncates | named.by_creat(one["name"], self.calls.number)
        after = {**one, "begin": one["end"], "order": one["order"] + 1}
        emptied = np.full_like(what, named.EMPTIED)
        self._keep(empties, np.full_like(what, SETATTR), file, emptied, np.zeros_like(what), after)
        return which

    def _target(self, column: Any) -> Numbers:
        """The numbers, among all files, of the second names."""
        numbers = self.to_files.of(column)
        known = self.files.number
        more = self.to_files.texts[len(self._among) - 1 :]
        new = [known.setdefault(text, len(known)) for text in more]
        self._among = np.concatenate([self._among[:-1], np.array([*new, -1], np.int64)])
        found, _ = self.stored.of(self._among[numbers], known)
        return found

    def _others(self, what: Numbers, returned: Numbers, one: dict[str, Numbers]) -> Numbers:
        """Keep forks and waits that returned a process; gives which rows they are."""
        used = np.zeros(len(what), bool)
        none = np.full_like(what, -1)
        for kind, listed in ((PASS, self.forks), (WAIT, self.waits)):
            found = (what == kind) & (returned > 0)
            if found.any():
                pairs = zip(one["order"][found], returned[found], strict=True)
                listed += [(int(order), int(pid)) for order, pid in pairs]
                self._keep(found, what, none, none, np.zeros_like(what), one)
                used |= found
        return used

    def _meetings(self, column: dict[str, Any], what: Numbers, one: dict[str, Numbers]) -> Numbers:
        """Keep locks, barriers and messages; gives which rows they are."""
        found: Numbers = np.isin(what, tuple(MEETING_OF.values()))
        if found.any():
            which = filled(column["offset"], -1).astype(np.int64, copy=False)
            size = filled(column["requested"], 0).astype(np.int64, copy=False)
            self._keep(found, what, np.full_like(what, -1), which, size, one)
        return found

    def _mapped(self, column: dict[str, Any], one: dict[str, Numbers]) -> Numbers:
        """Keep each sync of a mapping: a write of a page, at least, and a sync of the file."""
        file = self.mappings.synced(one, self.files.of(column["file"]), self)
        file, _ = self.stored.of(file, self.files.number)
        found: Numbers = (file >= 0) & self.metadata
        none = np.zeros_like(file)
        self._keep(found, none + WRITE, file, none - 1, none + PAGE, one | {"end": one["begin"]})
        self._keep(found, none + SYNC, file, none, none, one | {"order": one["order"] + 1})
        return found

    def _contexts(
        self, column: dict[str, Any], names: Numbers, returned: Numbers, one: dict[str, Numbers]
    ) -> Numbers:
        """Keep calls that submit requests, or wait for them; gives which rows they are."""
        offset = filled(column["offset"], -1).astype(np.int64, copy=False)
        submits, reaps = self.contexts.take(self.calls, names, one, offset, returned)
        none = np.zeros_like(one["begin"])
        self._keep(submits, none + PASS, none - 1, none, none, one)
        self._keep(reaps, none + PAUSE, none - 1, none, one["end"] - one["begin"], one)
        return submits | reaps

    def _sort(self, first: int) -> None:
        """Put what was kept of a batch, from part ``first`` on, in the order of its calls."""
        if len(self.rows["order"]) <= first + 1:
            return
        parts = {name: np.concatenate(self.rows[name][first:]) for name in self.columns}
        place = np.argsort(parts["order"], kind="stable")
        for name in self.columns:
            self.rows[name][first:] = [parts[name][place]]

    def _keep(
        self,
        which: Numbers,
        kind: Numbers,
        file: Numbers,
        offset: Numbers,
        size: Numbers,
        one: dict[str, Numbers],
    ) -> None:
        if not which.any():
            return
        row = {**one, "kind": kind, "file": file, "offset": offset, "size": size}
        for name in self.columns:
            self.rows[name].append(row[name][which].astype(_TYPES.get(name, np.int64), copy=False))
