"""The calls of a log or a store, chosen and ready for questions in SQL.

A log is read into a temporary store first. DuckDB reads the store column by column within a limit
of memory, and puts what is more into a temporary folder: a store may be larger than memory.

The relation ``calls`` has the chosen rows with the store's columns; :attr:`Opened.reads` and
:attr:`Opened.writes` are conditions on them. A call that copies from one file to another reads
the one and writes the other.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.traces import unread
from simulator.traces.columns import BOTH, COLUMNS, MOVES, READS, WRITES
from simulator.traces.reports.choice import Choice, meant, moment, text

MEMORY = "1GB"
"""What DuckDB may take; more goes to the temporary folder."""
MOST_COMPARED = 100
"""Names among which the one that is meant is looked for."""
FETCHED = 10_000
"""Rows fetched at once."""

IN_FILES = (
    "(coalesce(kind IN ('file', 'directory', 'device'), file IS NOT NULL)"
    " AND call NOT IN ('execve', 'execveat', 'mmap', 'mmap2', 'munmap'))"
)
"""A call of file I/O, as SQL; pipes, sockets and the start of programs are something else."""


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
            with self._telling():
                self._answers[query] = self._connection.execute(query).fetchall()
        return self._answers[query]

    def keep(self, name: str, query: str) -> None:
        """Keep the answer to a query as a relation of this name; no other may have it."""
        self.rows(f"CREATE TEMP TABLE {name} AS {query}")

    def put(self, name: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Keep rows as a relation of this name; no other may have it."""
        import pyarrow as pa

        made = ", ".join(columns)
        values = zip(*rows, strict=True)
        table = pa.table([pa.array(one) for one in values], [one.split()[0] for one in columns])
        with self._telling():
            self._connection.execute(f"CREATE TEMP TABLE {name} ({made})")
            self._connection.register("given", table)
            self._connection.execute(f"INSERT INTO {name} SELECT * FROM given")
            self._connection.unregister("given")

    def row(self, query: str) -> tuple[Any, ...]:
        """Return the first row of the answer to a query."""
        return self.rows(query)[0]

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield the answer to a query row by row; no other query may run before its end."""
        with self._telling():
            answer = self._connection.execute(query)
            while some := answer.fetchmany(FETCHED):
                yield from some

    def chosen(self, names: Sequence[str]) -> set[str]:
        """Return the file names that are among the chosen ones."""
        keeps = self.choice.keeps("name")
        query = f"SELECT name FROM unnest(?) AS names(name) WHERE {keeps}"
        with self._telling():
            found = self._connection.execute(query, [list(names)]).fetchall()
        return {name for (name,) in found}

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

    @property
    def lacks(self) -> list[str]:
        """What the log lacks of what the program did to files, a sentence each."""
        if self.darshan is None:
            return unread.shortfalls(self.unknown)
        from simulator.traces.darshan_log import shortfalls

        return shortfalls(self.darshan)

    @cached_property
    def span(self) -> tuple[int, int]:
        """First beginning and last beginning of all calls of the trace, chosen or not, in ns."""
        if "begin_ns" in self.about:
            return self.about["begin_ns"], self.about["end_ns"]
        first, last = self.row(f"SELECT min(time_ns), max(time_ns) FROM {self.source}")
        return first or 0, last or 0

    @property
    def start(self) -> int:
        """When the log began, in ns."""
        return self.span[0]

    @cached_property
    def reads(self) -> str:
        """The condition, as SQL, under which a call reads what was chosen."""
        return self._way(READS, "file")

    @cached_property
    def writes(self) -> str:
        """The condition, as SQL, under which a call writes what was chosen."""
        return self._way(WRITES, "to_file")

    @cached_property
    def moves(self) -> str:
        """The condition, as SQL, under which a call moves bytes."""
        return self._among(MOVES)

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
        if self.darshan is not None and not self.darshan["segments"]:
            raise InputError(
                f"{self._shown}: this Darshan log has totals, but not the single calls that"
                f" '{report}' needs; run the job with DXT_ENABLE_IO_TRACE=1 for a log with them"
            )

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
            self._check(where)

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

    def _check(self, where: str) -> None:
        """InputError if nothing was chosen, saying what there is to choose."""
        if self.row(f"SELECT count(*) FROM (SELECT 1 FROM {self.source}{where} LIMIT 1)")[0]:
            return
        choice = self.choice
        for name in choice.calls:
            known = Choice(calls=(name,)).names_call("call")
            if not self._has(known):
                raise InputError(f"no call is named {name}; {self._meant(name, 'call')}")
        for name in choice.files:
            one = Choice(files=(name,))
            if not self._has(f"({one.keeps('file')} OR {one.keeps('to_file')})"):
                raise InputError(f"no call matches --file {name}; {self._meant(name, 'file')}")
        raise InputError(f"{self._shown}: no call is left by these options together; leave one out")

    def _has(self, condition: str) -> bool:
        return bool(self.rows(f"SELECT 1 FROM {self.source} WHERE {condition} LIMIT 1"))

    def _meant(self, name: str, column: str) -> str:
        """Name the call or the file that is meant, or the most used."""
        rows = self.rows(
            f"SELECT {column} FROM {self.source} WHERE {column} IS NOT NULL"
            f" GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {MOST_COMPARED}"
        )
        return meant(name, [one for (one,) in rows], f"{column}s")

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn what DuckDB says into what the user should read."""
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
    from simulator.traces.store import Store, load_without_numpy, record_of, write

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
        with closing(_connect(Path(folder), memory)) as connection:
            record = record_of(store, connection) if trace is None else None
            if record is None:
                known = trace or Store(paths[0])
                record = {"about": known.about, "unknown": known.unknown}
            about, unknown = record["about"], record["unknown"]
            names = [str(path) for path in paths]
            yield Opened(connection, store, choice, about=about, unknown=unknown, names=names)


def _connect(folder: Path, memory: str) -> Any:
    import duckdb

    return duckdb.connect(
        config={
            "memory_limit": memory,
            "temp_directory": str(folder / "more"),
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )
