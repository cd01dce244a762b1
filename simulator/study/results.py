"""The store of results: nothing that it has is simulated again.

One SQLite file. A row is text under a key, and under its owner. Of the store that outlives a study
that is the program that made the row: its code, its plugins, and the versions of what it computes
with (:mod:`simulator.study.program`); the key is what was simulated (:func:`key_of`). Rows of
another owner are never found, so that studies of all versions may use one file, several at a time.
A sweep under way has a store of its own in its folder (:mod:`simulator.study.folder`). A batch of
rows is one transaction; a process that is killed loses the one under way. A row that is not as it
was written is as if it were not there.

The store of all studies is not for file systems of a network: SQLite's log in shared memory (WAL)
is of one computer. A store with an owner of its own has one writer, and no such log.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simulator import __version__
from simulator.errors import InputError
from simulator.host import network_of
from simulator.study.program import CHANGED, ProgramError, program

Key = str
Row = dict[str, Any]
"""Column -> value, as JSON has them."""

APPLICATION = int.from_bytes(b"nwts")
"""Application id in the head of a store's file."""
LAYOUT = 1
BUSY_S = 60.0
"""Time to wait while another study writes, which takes milliseconds."""
BATCH_S = 0.1
"""A batch of light points: what a kill may cost."""
AT_ONCE = 500
"""Keys that are looked up by one question."""

_TABLES = """
CREATE TABLE IF NOT EXISTS programs (
    id INTEGER PRIMARY KEY, digest TEXT UNIQUE NOT NULL, version TEXT NOT NULL, since TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS results (
    program INTEGER NOT NULL, key TEXT NOT NULL, "row" TEXT NOT NULL, "check" INTEGER NOT NULL,
    PRIMARY KEY (program, key)
);
"""
_FOUND = 'SELECT key, "row", "check" FROM results WHERE program = ? AND key'


class StoreError(InputError):
    """A file that is no store, or cannot be read or written."""


class DamagedStoreError(StoreError):
    """A file with something else in it than what was written."""


def key_of(digest: str, seed: int | None, *, engine: str = "auto", kind: str = "row") -> Key:
    """Name a result by what it follows from.

    ``digest``: of the machine and the workload; ``seed``: None where service times do not vary;
    ``kind``: which figures are kept. All engines have the same results, so ``auto`` is one word for
    whichever runs; who names an engine wants it to run, and gets what it has made.

    >>> key_of("5f0c", 1)
    '5f0c seed=1 row'
    >>> key_of("5f0c", None, engine="reference", kind="limits")
    '5f0c engine=reference limits'
    """
    words = [digest]
    words += [f"seed={seed}"] if seed is not None else []
    words += [f"engine={engine}"] if engine != "auto" else []
    return " ".join([*words, kind])


class Results:
    """The rows of an owner in a store; the file is made when it is first needed.

    A connection must not cross a fork: :meth:`close` before one, and the next use opens another.
    Sent to another process, it is opened there.
    """

    def __init__(self, path: Path, *, optional: bool = False, owner: str = "") -> None:
        """``owner``: whose rows these are; this program's if left out.

        With an owner of its own the file is open only while it is read or written.
        """
        self.path = path
        self.optional = optional
        """Nobody asked for it: a study goes on without it where it cannot be written to."""
        self._owner = owner
        self._program = ""
        self._opened: tuple[sqlite3.Connection, int] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return _sent, (self.path, self.optional, program())

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        if self._opened is not None:
            opened, self._opened = self._opened, None
            opened[0].close()

    def get(self, keys: Iterable[Key]) -> dict[Key, Row]:
        """Return the rows that are there, by their keys."""
        return {key: json.loads(text) for key, text in self.texts(keys).items()}

    def put(self, rows: Mapping[Key, Row]) -> None:
        """Keep rows, all or none of them; StoreError if that cannot be."""
        self.put_texts((key, json.dumps(row)) for key, row in rows.items())

    def texts(self, keys: Iterable[Key]) -> dict[Key, str]:
        """Return the rows that are there as JSON, as they were written."""
        wanted, found = list(keys), dict[Key, str]()
        with self._at_work() as (database, program):
            for start in range(0, len(wanted), AT_ONCE):
                some = wanted[start : start + AT_ONCE]
                places = ",".join("?" * len(some))
                asked = f"{_FOUND} IN ({places})"
                for key, text, check in database.execute(asked, (program, *some)):
                    if check == _check(key, text):
                        found[key] = text
        return found

    def between(self, first: Key, last: Key) -> Iterator[tuple[Key, str | None]]:
        """Yield the rows with keys from a first to a last one, in their order; None if damaged."""
        with self._at_work() as (database, program):
            asked = f"{_FOUND} BETWEEN ? AND ? ORDER BY key"
            for key, text, check in database.execute(asked, (program, first, last)):
                yield key, text if check == _check(key, text) else None

    def put_texts(self, rows: Iterable[tuple[Key, str]]) -> None:
        """Keep rows that are JSON already, all or none of them."""
        with self._at_work() as (database, program):
            made = ((program, key, text, _check(key, text)) for key, text in rows)
            with _transaction(database):
                database.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", made)

    def count(self) -> int:
        """Return how many rows this program has."""
        with self._at_work() as (database, program):
            asked = "SELECT count(*) FROM results WHERE program = ?"
            return int(database.execute(asked, (program,)).fetchone()[0])

    def trim(self, most: int) -> None:
        """Make room if rows take more than ``most`` bytes: of other programs, then the oldest."""
        with self._at_work() as (database, program):
            if _used(database) > most:
                database.execute("DELETE FROM results WHERE program != ?", (program,))
            if _used(database) > most:
                middle = "(SELECT (min(rowid) + max(rowid)) / 2 FROM results)"
                database.execute(f"DELETE FROM results WHERE rowid <= {middle}")

    # -- the file ----------------------------------------------------------------------------------

    @contextmanager
    def _at_work(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        """Yield the database and the number of this program; StoreError if anything is wrong."""
        try:
            if self._opened is None:
                if not self._owner and self._program not in ("", program()):
                    raise ProgramError(f"nwtsim {CHANGED}")
                self._opened = _opened(self.path, self._owner)
            yield self._opened
        except (sqlite3.Error, OSError) as error:
            raise _error(self.path, error) from error
        finally:
            if self._owner:
                self.close()


def _sent(path: Path, optional: bool, program_there: str) -> Results:
    """Make in another process what has been sent to it."""
    results = Results(path, optional=optional)
    results._program = program_there
    return results


def _opened(path: Path, owner: str) -> tuple[sqlite3.Connection, int]:
    """Open a store, made if it is not there, and find an owner in it, this program by default."""
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        _check_file(database, path)
        if not owner:
            _until_free(lambda: database.execute("PRAGMA journal_mode = WAL"))
        # A crash of the computer may cost the last batches, but never leaves half of one.
        database.execute("PRAGMA synchronous = NORMAL")
        return database, _number_of(database, owner or program())
    except BaseException:
        database.close()
        raise


def _check_file(database: sqlite3.Connection, path: Path) -> None:
    """Raise DamagedStoreError unless a file is empty, or a store of this layout."""
    asked = "PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master"
    with _transaction(database, "BEGIN"):  # Another process may be making it.
        application, layout, tables = (database.execute(one).fetchone()[0] for one in asked)
    if not tables:
        return
    if application != APPLICATION:
        raise DamagedStoreError(f"{path}: is a database of another program; name another file")
    if layout != LAYOUT:
        raise DamagedStoreError(
            f"{path}: is a store of another layout ({layout}, not {LAYOUT}); name another file"
        )


def _number_of(database: sqlite3.Connection, owner: str) -> int:
    """Return the number of an owner, which is entered if it is new."""
    asked = "SELECT id FROM programs WHERE digest = ?"
    try:
        found = database.execute(asked, (owner,)).fetchone()
    except sqlite3.OperationalError:  # There are no tables yet.
        found = None
    if found is None:
        with _transaction(database):
            for statement in _TABLES.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id = {APPLICATION}")
            database.execute(f"PRAGMA user_version = {LAYOUT}")
            now = time.strftime("%Y-%m-%d %H:%M:%S")
            said = "INSERT OR IGNORE INTO programs (digest, version, since) VALUES (?, ?, ?)"
            database.execute(said, (owner, __version__, now))
        found = database.execute(asked, (owner,)).fetchone()
    return int(found[0])


@contextmanager
def _transaction(database: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    database.execute(begin)
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _until_free(act: Callable[[], object]) -> None:
    """Try again while another process has the file: SQLite does not wait to switch to WAL."""
    end = time.monotonic() + BUSY_S
    while True:
        try:
            act()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _used(database: sqlite3.Connection) -> int:
    """Return how many bytes rows take; what was deleted is used again, though the file keeps it."""
    asked = "page_count", "freelist_count", "page_size"
    pages, free, size = (database.execute(f"PRAGMA {one}").fetchone()[0] for one in asked)
    return int((pages - free) * size)


def _check(key: Key, text: str) -> int:
    return zlib.crc32(text.encode(), zlib.crc32(key.encode()))


def _error(path: Path, error: Exception) -> StoreError:
    """Return the error for what is wrong with a store, and what to do."""
    reason = getattr(error, "strerror", None) or str(error)
    if "not a database" in reason or "malformed" in reason:
        about = f"is damaged, or no store ({reason}); delete it, or name another file"
        return DamagedStoreError(f"{path}: {about}")
    if "locked" in reason:
        about = f"another study has held it for {BUSY_S:.0f} s; wait for its end"
        return StoreError(f"{path}: {about}, or name another file")
    return StoreError(f"{path}: cannot be used as a store ({reason}); name another file")


class Saving:
    """Rows on their way to a store, in batches of ``BATCH_S``; with no store they go nowhere.

    A store that nobody asked for (``optional``) and that cannot be written to is left alone from
    then on, which is ``said``.
    """

    def __init__(self, results: Results | None, said: Callable[[str], None]) -> None:
        self._results = results
        self._said = said
        self._rows: list[tuple[Key, str]] = []
        self._last = -math.inf

    def __enter__(self) -> Saving:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            self.flush()
        except StoreError:
            if kind is None:  # Else there is something else to tell.
                raise

    def add(self, rows: Iterable[tuple[Key, str]]) -> None:
        """Take rows; they are written now if the last batch was some time ago."""
        if self._results is not None:
            self._rows += rows
            if time.monotonic() - self._last > BATCH_S:
                self.flush()

    def flush(self) -> None:
        """Write what has been taken."""
        if self._results is None or not self._rows:
            return
        rows, self._rows = self._rows, []
        try:
            self._results.put_texts(rows)
        except StoreError as error:
            if not self._results.optional:
                raise
            self._said(f"{error}; going on without it")
            self._results = None
        self._last = time.monotonic()


# -- where it is -----------------------------------------------------------------------------------

STORE = "NWTSIM_STORE"
"""The environment variable with the file of the store; empty for none."""
MOST_BYTES = 2_000_000_000
"""Rows of the store that nobody named; what is over goes, of other programs first."""


def open_results(
    path: Path | None = None, said: Callable[[str], None] = lambda _line: None
) -> Results | None:
    """Open the store at ``path``, or the one that NWTSIM_STORE names, or the user's own.

    None if NWTSIM_STORE is empty, and where the user's own cannot be: without a home, on a file
    system of a network, or where nothing can be written, which is ``said``. StoreError if one that
    was named cannot be used, or if there is something else in any.
    """
    named = os.environ.get(STORE)
    if path is None and named == "":
        return None
    asked = path or (Path(named) if named else None)
    place = asked or user_path()
    if place is None:
        return None
    results = Results(place, optional=asked is None)
    if kind := network_of(results.path):
        if asked is None:
            return None
        raise StoreError(
            f"{asked}: is on a network's file system ({kind}), where several computers at once"
            " would damage it; name a file on a disk of this computer"
        )
    try:
        results.get([]) if asked else results.trim(MOST_BYTES)
    except (StoreError, ProgramError) as error:
        if asked or isinstance(error, DamagedStoreError):
            raise
        said(f"{error}; going on without it")
        return None
    return results


def user_path() -> Path | None:
    """Return where the user's own store is; None if the user has no home."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not cache.is_absolute():
        try:
            cache = Path.home() / ".cache"
        except RuntimeError:
            return None
    return cache / "nwtsim" / "results.sqlite"
