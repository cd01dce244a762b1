"""The calls of a log or a store, chosen and ready for questions in SQL.

A log is read into a temporary store first. DuckDB reads the store column by column within a limit
of memory, and puts what is more into a temporary folder: a store may be larger than memory.

The relation ``calls`` has the chosen rows with the store's columns; :attr:`Opened.reads` and
:attr:`Opened.writes` are conditions on them. A call that copies from one file to another reads
the one and writes the other. Reports of counted calls ask :attr:`Opened.groups`, which single calls
and Darshan's counters fill alike.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from simulator.errors import InputError
from simulator.traces import unread
from simulator.traces.columns import BOTH, COLUMNS, EXECS, MAPS, READS, SEEKS, WRITES
from simulator.traces.darshan_records import CALLS, READING, WRITING
from simulator.traces.reports.choice import Choice, meant, moment, text
from simulator.traces.reports.counters import Counters
from simulator.traces.reports.table import MOVING
from simulator.traces.store import MEMORY

MOST_COMPARED = 100
"""Names among which the one that is meant is looked for."""
FETCHED = 10_000
"""Rows fetched at once."""

IN_FILES = (
    "(coalesce(kind IN ('file', 'directory', 'device'), file IS NOT NULL)"
    f" AND call NOT IN {(*EXECS, *MAPS, 'munmap')})"
)
"""A call of file I/O, as SQL; pipes, sockets and the start of programs are something else."""
SEEKING = f"call IN {(*SEEKS, 'fseek')}"
"""A call that only moves in its file."""


class Lives(NamedTuple):
    """The time from first to last call of each of some processes and threads; in ns."""

    first: int | None
    """When the first of them began; None without times, as of the next three."""
    last: int | None
    whole: int | None
    """Their times added up, and the part of that in calls."""
    inside: int | None
    many: int


class Groups(NamedTuple):
    """Relations of calls, and the sums over a group of their rows, as SQL.

    The columns that groups are made of are ``call``, ``kind``, ``file`` and ``to_file``.
    """

    calls: str
    """All calls."""
    lowest: str
    """Each call once: of layers above one another the lowest."""
    sums: str
    """Calls; errors; known times, their sum, least and most; known lengths, and the same of them.
    What the log does not say is null."""


OF_CALLS = Groups(
    "calls",
    "calls",
    "count(*) AS n, count(error) AS errors, count(duration_ns) AS timed,"
    " sum(duration_ns)::HUGEINT AS time, min(duration_ns) AS quickest,"
    " max(duration_ns) AS slowest, count(returned) AS moved, sum(returned)::HUGEINT AS bytes,"
    " min(returned) AS smallest, max(returned) AS largest",
)
OF_COUNTERS = Groups(
    "counted",
    "lowest",
    "sum(many)::BIGINT AS n, NULL AS errors, sum(many)::BIGINT AS timed,"
    " CASE WHEN count(took_ns) = count(*) THEN sum(took_ns) END AS time, NULL AS quickest,"
    " nullif(max(longest_ns), 0) AS slowest, sum(many)::BIGINT AS moved,"
    " sum(moved_bytes)::HUGEINT AS bytes, NULL AS smallest, NULL AS largest",
)


class Opened:
    """The chosen calls of one trace."""

    def __init__(
        self,
        connection: Any,
        store: Path,
        choice: Choice,
        *,
        about: dict[str, Any],
        unknown: dict[str, dict[str, int]],
        names: Sequence[str],
    ) -> None:
        """``connection`` is DuckDB's, for as long as questions are asked."""
        self.about = about
        self.unknown = unknown
        self.names = tuple(names)
        self.choice = choice
        self._connection = connection
        self.source = f"read_parquet({text(str(store))}, file_row_number = true)"
        self._answers: dict[str, list[tuple[Any, ...]]] = {}
        self._define()

    # -- questions --------------------------------------------------------------------------

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the answer to a query; answers are kept, so that each query runs once."""
        if query not in self._answers:
            with self._errors_in_words():
                self._answers[query] = self._connection.execute(query).fetchall()
        return self._answers[query]

    def keep(self, name: str, query: str) -> None:
        """Keep the answer to a query as a relation of this name; no other may have it."""
        self.rows(f"CREATE TEMP TABLE {name} AS {query}")

    def put(self, name: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Keep rows as a relation of this name; no other may have it."""
        import pyarrow as pa

        made = ", ".join(columns)
        values = zip(*rows, strict=True) if rows else [()] * len(columns)
        table = pa.table([pa.array(one) for one in values], [one.split()[0] for one in columns])
        with self._errors_in_words():
            self._connection.execute(f"CREATE TEMP TABLE {name} ({made})")
            self._connection.register("given", table)
            self._connection.execute(f"INSERT INTO {name} SELECT * FROM given")
            self._connection.unregister("given")

    def row(self, query: str) -> tuple[Any, ...]:
        """Return the first row of the answer to a query."""
        return self.rows(query)[0]

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield the answer to a query row by row; no other query may run before its end."""
        with self._errors_in_words():
            answer = self._connection.execute(query)
            while some := answer.fetchmany(FETCHED):
                yield from some

    # -- what the trace has -----------------------------------------------------------------

    @property
    def times(self) -> str | None:
        """What times the log has, or None."""
        times: str | None = self.about.get("times")
        return times

    @property
    def darshan(self) -> dict[str, Any] | None:
        """The counters of a Darshan log, if it is one."""
        found: dict[str, Any] | None = self.about.get("darshan")
        return found

    @cached_property
    def counters(self) -> Counters | None:
        """The chosen counters of a Darshan log, if it is one."""
        return None if self.darshan is None else Counters(self, self.darshan)

    @property
    def groups(self) -> Groups:
        """The relations of counted calls."""
        return OF_CALLS if self.counters is None else OF_COUNTERS

    @property
    def lacks(self) -> list[str]:
        """What the log lacks of what the program did to files, a sentence each."""
        return unread.lacks_of(self.about, self.unknown)

    @cached_property
    def span(self) -> tuple[int, int]:
        """First beginning and last beginning of all calls of the trace, chosen or not, in ns."""
        if "begin_ns" in self.about:
            return self.about["begin_ns"], self.about["end_ns"]
        first, last = self.row(f"SELECT min(time_ns), max(time_ns) FROM {self.source}")
        return first or 0, last or 0

    @cached_property
    def lives(self) -> Lives:
        """The lives of the processes and threads that made the chosen calls."""
        return Lives(
            *self.row(
                "SELECT min(begins), max(ends), sum(ends - begins)::HUGEINT,"
                " sum(least(inside, ends - begins))::HUGEINT, count(*)"
                " FROM (SELECT min(time_ns) AS begins,"
                " max(time_ns + coalesce(duration_ns, 0)) AS ends,"
                " coalesce(sum(duration_ns), 0)::HUGEINT AS inside FROM calls GROUP BY process)"
            )
        )

    @property
    def start(self) -> int:
        """When the log began, in ns."""
        return self.span[0]

    @cached_property
    def reads(self) -> str:
        """The condition, as SQL, under which a call reads what was chosen."""
        return self._way(READS | READING, "file")

    @cached_property
    def writes(self) -> str:
        """The condition, as SQL, under which a call writes what was chosen."""
        return self._way(WRITES | WRITING, "to_file")

    @cached_property
    def moves(self) -> str:
        """The condition, as SQL, under which a call moves bytes."""
        return self._among(MOVING)

    @cached_property
    def copies(self) -> bool:
        """Whether some chosen call has two files."""
        return bool(self.rows("SELECT 1 FROM calls WHERE to_file IS NOT NULL LIMIT 1"))

    def need_times(self, report: str) -> None:
        """InputError if the log does not say when its calls began."""
        if self.darshan is not None:
            self.need_calls(report)
        elif self.times is None:
            raise InputError(
                f"{self._shown}: the log has no times, which '{report}' needs;"
                " trace with strace -ttt -T, or truss -d -D -E"
            )

    def need_calls(self, report: str) -> None:
        """InputError if a Darshan log has totals only."""
        unread.need_calls(self.about, self._shown, f"'{report}'")

    def need_single_calls(self, report: str) -> None:
        """InputError if the log is one of Darshan, with or without its single reads and writes."""
        if self.darshan is not None:
            raise InputError(
                f"{self._shown}: Darshan counts the calls that succeed, not what '{report}' needs;"
                " trace with strace -f -ttt -T"
            )

    @property
    def _shown(self) -> str:
        return ", ".join(self.names)

    # -- choosing ---------------------------------------------------------------------------

    @cached_property
    def _present(self) -> frozenset[str]:
        if self.darshan is not None:
            return frozenset(call for calls in CALLS.values() for call in calls)
        return frozenset(call for (call,) in self.rows("SELECT DISTINCT call FROM calls"))

    def _among(self, names: frozenset[str]) -> str:
        """Return the condition that a call is one of these, without those that do not occur."""
        present = sorted(names & self._present)
        return f"(call IN ({', '.join(map(text, present))}))" if present else "false"

    def _way(self, names: frozenset[str], column: str) -> str:
        """Return the condition that a call is one of these, or copies from or to a chosen file."""
        both = self._among(BOTH)
        if both == "false":
            return self._among(names)
        keeps = self.choice.keeps(column) if self.choice.by_name else "true"
        return f"({self._among(names)} OR {both} AND {keeps})"

    def _define(self) -> None:
        conditions = []
        choice = self.choice
        if choice.by_name:
            both = f"to_file IS NOT NULL AND {choice.keeps('to_file')}"
            conditions.append(f"({choice.keeps('file')} OR {both})")
        if choice.calls:
            conditions.append(choice.names_call("call"))
        conditions += self._time_conditions()
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        columns = ", ".join((*(f'"{name}"' for name in COLUMNS), "file_row_number AS place"))
        view = f"CREATE VIEW calls AS SELECT {columns} FROM {self.source}{where}"
        self.rows(view)
        if conditions and self.darshan is None:
            self.need_some(self.source, where)

    def _time_conditions(self) -> list[str]:
        since, until = self.choice.since, self.choice.until
        if since is None and until is None:
            return []
        self.need_times("--since" if since is not None else "--until")
        start, end = self.span
        bounds = {
            option: moment(written, option, times=self.times or "", start=start, end=end)
            for option, written in (("--since", since), ("--until", until))
            if written is not None
        }
        if len(bounds) == 2 and bounds["--since"] >= bounds["--until"]:
            raise InputError(f"--since {since} is not before --until {until}; nothing is between")
        signs = {"--since": ">=", "--until": "<"}
        return [f"time_ns {signs[option]} {bound}" for option, bound in bounds.items()]

    def need_some(self, source: str, where: str, number: str = "count(*)") -> None:
        """InputError if nothing of a relation was chosen, saying what there is to choose.

        ``number``: how many calls a group of its rows are, as SQL.
        """
        if self._has(source, where):
            return
        choice = self.choice
        for name in choice.calls:
            known = Choice(calls=(name,)).names_call("call")
            if not self._has(source, f" WHERE {known}"):
                close = self._meant(name, "call", source, number)
                raise InputError(f"no call is named {name}; {close}")
        for name in choice.files:
            one = Choice(files=(name,))
            if not self._has(source, f" WHERE {one.keeps('file')} OR {one.keeps('to_file')}"):
                close = self._meant(name, "file", source, number)
                raise InputError(f"no call matches --file {name}; {close}")
        raise InputError(f"{self._shown}: no call is left by these options together; leave one out")

    def _has(self, source: str, where: str) -> bool:
        return bool(self.rows(f"SELECT 1 FROM {source}{where} LIMIT 1"))

    def _meant(self, name: str, column: str, source: str, number: str) -> str:
        """Name the call or the file that is meant, or the most used."""
        rows = self.rows(
            f"SELECT {column} FROM {source} WHERE {column} IS NOT NULL"
            f" GROUP BY 1 ORDER BY {number} DESC, 1 LIMIT {MOST_COMPARED}"
        )
        return meant(name, [one for (one,) in rows], f"{column}s")

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        """Raise an error of DuckDB as an InputError that names the log."""
        import duckdb

        try:
            yield
        except duckdb.OutOfMemoryException as error:
            raise InputError(
                f"{self._shown}: not enough memory or temporary space: {error}"
            ) from error
        except duckdb.ParserException:  # A defect here, not in the store.
            raise
        except duckdb.Error as error:
            first = str(error).partition("\n")[0]
            raise InputError(
                f"{self._shown}: a damaged store ({first}); import it again"
            ) from error


@contextmanager
def opened(
    paths: Sequence[Path],
    choice: Choice,
    *,
    cwd: str | None = None,
    lenient: bool = False,
    memory: str = MEMORY,
    alone: bool = False,
) -> Iterator[Opened]:
    """Open logs, or one store, or one Darshan log, for questions.

    ``alone``: the process ends with them, and does without numpy.
    """
    from simulator.traces.logs import is_darshan, is_one_store, read_logs
    from simulator.traces.store import Store, connect, load_without_numpy, record_of, write

    stored = is_one_store(paths, "duckdb", "pyarrow")
    with tempfile.TemporaryDirectory(prefix="nwtsim-", ignore_cleanup_errors=True) as folder:
        # Under this name, since DuckDB takes * and [ in a name for a pattern.
        store = Path(folder) / "store.parquet"
        if stored:
            store.symlink_to(os.path.abspath(paths[0]))  # noqa: PTH100 - links stay links
            trace = None
        else:
            trace = read_logs(paths, cwd=cwd, lenient=lenient)
            if alone and not is_darshan(paths[0]):
                load_without_numpy()
            write(trace, store)
        with closing(connect(Path(folder), memory)) as connection:
            record = record_of(store, connection) if trace is None else None
            if record is None:
                known = trace or Store(paths[0])
                record = {"about": known.about, "unknown": known.unknown}
            about, unknown = record["about"], record["unknown"]
            names = [str(path) for path in paths]
            yield Opened(connection, store, choice, about=about, unknown=unknown, names=names)
