"""A traced program as patterns see it: its calls, its languages, and the machine it runs on.

Each process has the language of the program that it is (:mod:`simulator.workload.languages`), so
that what a shell script's Python program does is told in words of Python.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Concerned, Finding
from simulator.answers.calls import MOVES, OPENS, READS, WRITES, Columns, Numbers
from simulator.answers.filerewrites import later_rounds
from simulator.answers.paths import MachinePath
from simulator.plan.codes import CREATE, LOOKUP, RENAME, UNLINK, name_of
from simulator.units import format_size, format_time
from simulator.wording import brief_size, counted
from simulator.workload.languages import is_interpreted

if TYPE_CHECKING:
    from simulator.answers.advise import Cure
    from simulator.config.machine_file import Machine
    from simulator.workload.languages import Language
    from simulator.workload.traced import Traced


LEAST_ROUNDS = 8
"""Times that a file is opened and read after the first, if it is polled."""
_VERBS = {"stat": "stat of", "sync": "fsync of", "open": "open of", "close": "close of"}


class Program:
    """The calls of a program, its machine, and what its calls cost there."""

    def __init__(
        self,
        traced: Traced,
        machine: Machine,
        *,
        filesystem: str,
        path: str = "",
        costs: frozenset[int] = frozenset(),
        began: Numbers | None = None,
        prestaged: bool = False,
        languages: Sequence[Language] = (),
    ) -> None:
        """``costs``: kinds of calls that take time on the machine, beside reads and writes.

        ``path`` is that of the file system by which files are reached. ``began``: when each row
        began, ns since the program's start; None if the log has no times. ``languages``: those of
        its clients; without them nothing is known of any.
        """
        self.traced = traced
        self.machine = machine
        self.filesystem = filesystem
        self.costs = costs
        self.began = began
        self.prestaged = prestaged
        self.placed = False
        """True if each file has a place that a simulated run gave it."""
        self.programs: Sequence[str] = ()
        """The program that each client has started in its own place; empty for others."""
        self.languages = languages
        self.path = MachinePath(machine, filesystem, path)
        self.columns = Columns(traced)

    def language(self, rows: Numbers) -> Language:
        """Return the language of the clients that made most of some calls."""
        if not self.languages or not len(rows):
            return "any"
        calls = np.bincount(self.columns.client[rows], minlength=len(self.languages))
        counts: Counter[Language] = Counter()
        for client in np.flatnonzero(calls).tolist():
            counts[self.languages[client]] += int(calls[client])
        return counts.most_common(1)[0][0]

    def interprets(self, rows: Numbers) -> bool:
        """Return whether the client that makes the first of some calls is run by an interpreter."""
        client = int(self.columns.client[rows[0]])
        name = self.programs[client] if self.programs else ""
        return is_interpreted(name, self.language(rows))

    # -- memory -----------------------------------------------------------------------------------

    @cached_property
    def memory(self) -> int | None:
        """Bytes of memory of a node that its clients run on; None if the machine does not say."""
        return next(iter(self.machine.nodes.values())).memory

    def holds(self, pairs: Numbers, sizes: Numbers | int) -> bool:
        """Return whether nodes have the memory for so many bytes of each stream at a time.

        Its client keeps them from its first call to its last.
        """
        if self.memory is None or not len(pairs):
            return True
        count = next(iter(self.machine.nodes.values())).count
        used = self.columns.streams(range(128))
        at = np.searchsorted(used.pairs, pairs)
        first, last = used.rows[used.first[at]], used.rows[used.last[at]]
        amount = np.broadcast_to(np.asarray(sizes, np.int64), pairs.shape)
        # What a client uses at the same time; clients that share a place live one after the other.
        at_place: dict[int, int] = defaultdict(int)
        for client in np.unique(pairs >> 32).tolist():
            mine = pairs >> 32 == client
            change = np.concatenate([amount[mine], -amount[mine]])
            when = np.concatenate([first[mine], last[mine] + 1])
            kept = int(np.cumsum(change[np.lexsort((change, when))]).max())
            place = self.traced.clients[client].place
            at_place[place] = max(at_place[place], kept)
        on_node: Counter[int] = Counter()
        for place, kept in at_place.items():
            on_node[place % count] += kept
        return max(on_node.values()) <= self.memory

    @cached_property
    def polled(self) -> Numbers:
        """The streams that open and read a file again and again, and find nothing new."""
        opens = self.columns.streams(OPENS)
        if not len(opens):
            return opens.rows
        pairs = opens.pairs[opens.counts > LEAST_ROUNDS]
        pairs = pairs[~self.written_by_others(pairs) & ~self.replaced(pairs)]
        rows = later_rounds(self.columns, pairs)
        rows = rows[np.isin(self.columns.kind[rows], READS) & (self.columns.size[rows] > 0)]
        found, counts = np.unique(self.columns.pair[rows], return_counts=True)
        polls: Numbers = found[counts >= LEAST_ROUNDS]
        return polls

    def written(self, files: Numbers) -> Numbers:
        """Return which files a process writes to."""
        return self._are_of(files, WRITES)

    def read(self, files: Numbers) -> Numbers:
        """Return which files a process reads."""
        return self._are_of(files, READS)

    def _are_of(self, files: Numbers, kinds: Sequence[int]) -> Numbers:
        """Return which files some kinds of calls move bytes of."""
        moved = self.columns.file[self.columns.moving(kinds)]
        found: Numbers = np.isin(files, np.unique(moved))
        return found

    def written_by_others(self, pairs: Numbers) -> Numbers:
        """Return of which streams another client writes to the file."""
        writers = np.unique(self.columns.pair[self.columns.moving(WRITES)])
        count = np.bincount(writers & 0xFFFFFFFF, minlength=len(self.traced.files))
        found: Numbers = count[pairs & 0xFFFFFFFF] > np.isin(pairs, writers)
        return found

    def replaced(self, pairs: Numbers) -> Numbers:
        """Return of which streams the file is another one in between: removed, renamed, made anew.

        What is done before a stream's first call on the file, or after its last, is not in between:
        by its own client, or by any where the log has times. What is open stays the same file as
        long as nobody opens its name again.
        """
        columns = self.columns
        made, times = np.unique(columns.file[columns.kind == CREATE], return_counts=True)
        found: Numbers = np.isin(pairs & 0xFFFFFFFF, made[times > 1])
        gone = np.flatnonzero(np.isin(columns.kind, (UNLINK, RENAME)) & (columns.file >= 0))
        used = columns.streams((*OPENS, *MOVES))
        if not len(gone) or not len(used):
            return found
        place = np.minimum(np.searchsorted(used.pairs, pairs), len(used) - 1)
        first, last = used.rows[used.first][place], used.rows[used.last][place]
        gone = gone[np.argsort(columns.file[gone], kind="stable")]
        begin, end = (
            np.searchsorted(columns.file[gone], pairs & 0xFFFFFFFF, side)
            for side in ("left", "right")
        )
        stream = np.repeat(np.arange(len(pairs)), end - begin)
        nth = np.arange(len(stream)) - np.repeat(
            np.cumsum(end - begin) - (end - begin), end - begin
        )
        row = gone[begin[stream] + nth]
        own = columns.pair[row] == pairs[stream]
        inside = ~own
        if self.began is not None:
            inside &= self.began[row] > self.began[first[stream]]
            inside &= self.began[row] < self.began[last[stream]]
        inside |= own & (first[stream] < row) & (row < last[stream])
        found[stream[inside & self._is_another(pairs[stream], row)]] = True
        return found

    def _is_another(self, streams: Numbers, rows: Numbers) -> Numbers:
        """Return whether streams use another file after rows that remove or rename theirs.

        Not where it is open: then its name is removed, and nobody opens that again.
        """
        columns = self.columns
        opens = np.flatnonzero(np.isin(columns.kind, OPENS) & (columns.file >= 0))
        when = np.arange(len(columns)) if self.began is None else self.began
        latest = np.full(len(self.traced.files), np.iinfo(np.int64).max)
        np.minimum.at(latest, columns.file[opens], when[opens])
        open_before = latest[columns.file[rows]] < when[rows]
        latest.fill(-1)
        np.maximum.at(latest, columns.file[opens], when[opens])
        kept = open_before & (latest[columns.file[rows]] < when[rows])
        kept &= columns.kind[rows] == UNLINK
        if self.began is None:  # Rows tell the order of one client only.
            kept &= columns.pair[rows] == streams
        found: Numbers = ~kept
        return found

    def made(self, pairs: Numbers) -> Numbers:
        """Return how many files each stream is about: one, or as many as it makes by that name."""
        creates = self.columns.streams((CREATE,))
        found = np.ones(len(pairs), np.int64)
        if len(creates):
            at = np.minimum(np.searchsorted(creates.pairs, pairs), len(creates) - 1)
            found = np.where(creates.pairs[at] == pairs, creates.counts[at], found)
        return found

    def files(self, rows: Numbers) -> tuple[Concerned, ...]:
        """Return the files of some rows, those with most calls first."""
        if not len(rows):
            return ()
        file, which = np.unique(self.columns.file[rows], return_inverse=True)
        calls = np.bincount(which)
        moves = np.isin(self.columns.kind[rows], MOVES)
        moved = np.zeros(len(file), np.int64)
        np.add.at(moved, which, np.where(moves, self.columns.size[rows], 0))
        files = self.traced.files
        order = np.lexsort((file, -calls))
        return tuple(
            Concerned(files[int(file[one])].name, int(calls[one]), int(moved[one]))
            for one in order.tolist()
        )

    def counts(self, rows: Numbers, **kinds: Sequence[int]) -> list[str]:
        """Return how many of some rows are calls of these kinds, in words: ``3 opens``, ..."""
        kind = self.columns.kind[rows]
        return [counted(int(np.isin(kind, some).sum()), noun) for noun, some in kinds.items()]

    def mean_size(self, rows: Numbers) -> str:
        """Return the mean bytes of some rows, in words."""
        return brief_size(int(self.columns.size[rows].sum()) // len(rows))

    def finding(self, pattern: str, found: str, rows: Numbers, cures: Iterable[Cure]) -> Finding:
        """Return the finding about some rows, of which the one in the middle is the example."""
        return Finding(
            pattern=pattern,
            found=found,
            cures=tuple(cures),
            files=self.files(rows),
            calls=len(rows),
            example=self.example(int(rows[len(rows) // 2])),
        )

    def example(self, row: int) -> str:
        """State which call a row is: what, of which file, by whom, and when."""
        columns = self.columns
        kind, name = int(columns.kind[row]), self.traced.files[int(columns.file[row])].name
        word = name_of(kind)
        if columns.size[row] > 0 and word.startswith(("read", "write")):
            told = f"{word} of {format_size(int(columns.size[row]))} at byte"
            told += f" {int(columns.offset[row]):,} of {name}"
        else:
            if kind == LOOKUP:
                name = f"an absent name in {name}"
            told = f"{_VERBS.get(word, f'{word} of')} {name}"
        told += f" by {self.traced.clients[int(columns.client[row])].name}"
        if self.began is not None:
            told += f", {format_time(int(self.began[row]))} after the start"
        return told
