"""The finished points of a sweep, in a store in its folder until its files are there.

A point is kept as soon as it is done, so that an interrupt costs only the points under way, and a
kill those of the last tenth of a second too. One row of the store says which sweep it is of. A row
that is not as it was written is told, and its point is run again. The store goes when the finished
files are there; a command that goes on from these makes it again. In memory there is only whether
each point is done.
"""

from __future__ import annotations

import errno
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from simulator.config.errors import Problem
from simulator.errors import InputError
from simulator.filelock import locked
from simulator.output import OutputError
from simulator.study.figures import COLUMNS, Row
from simulator.study.results import AT_ONCE, Results, Saving, StoreError

if TYPE_CHECKING:
    from simulator.study.grid import Sweep

STORE = "points.sqlite"
LOCK = "sweep.lock"
"""The lock file of the command that writes to the folder."""
MANIFEST = "sweep.json"
POINTS = "points.json"
PARQUET = "points.parquet"
FILES = (MANIFEST, POINTS, "points.csv", PARQUET, "plot.png", "plot.svg")
"""Files of a finished sweep."""
_STORES = (STORE, f"{STORE}-journal")
_IDENTITY = "sweep"
"""The owner of the rows, and the key of the row that says which sweep they are of."""
_ALL = "0", "9" * 8
"""The keys of all points: numbers of eight digits, so that their order is that of the points."""
_WHOLE = frozenset(("digest", *COLUMNS))

Identity = dict[str, Any]
"""Identity of a sweep: its points, and the programs that run them."""

Found = tuple[int, dict[str, Any]]
"""The number of a point, and its record."""


class FolderError(InputError):
    """A folder that results cannot go to: of another sweep, or not writable."""


class Folder:
    """The finished points of a sweep, or of a part of it, in its folder; open for more.

    FolderError if the folder has another sweep in it; with ``force`` that is thrown away.
    """

    def __init__(
        self, folder: Path, identity: Identity, part: range, *, force: bool = False
    ) -> None:
        self.folder = folder
        self.identity = identity
        self.part = part
        self.store = store_in(folder)
        self.damaged: list[Problem] = []
        """Points whose rows are not as they were written."""
        self._done = bytearray(len(part))
        self._saving = Saving(self.store, lambda _line: None)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stranger = _stranger(folder, identity)
            if stranger and not force:
                raise FolderError(
                    f"{folder} {stranger}; name another folder, or replace it with --force"
                )
            for name in (*_STORES, *FILES) if stranger else ():
                (folder / name).unlink(missing_ok=True)
            self._open()
        except OSError as error:
            raise _no_folder(folder, error) from error

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *error: object) -> None:
        self._saving.__exit__(*error[:1])

    def __contains__(self, number: int) -> bool:
        return bool(self._done[self.part.index(number)])

    @property
    def count(self) -> int:
        """The number of points that are done."""
        return self._done.count(1)

    def add(self, rows: Iterable[tuple[int, str]]) -> None:
        """Keep points: their numbers, and rows that :func:`row_text` made."""
        named = [(_key(number), text) for number, text in rows]
        try:
            self._saving.add(named)
        except StoreError as error:
            if "disk is full" in str(error):
                raise OutputError(self.store.path, OSError(errno.ENOSPC, "")) from error
            raise
        for key, _ in named:
            self._done[self.part.index(int(key))] = 1

    def repeat(self, twins: Mapping[int, int]) -> None:
        """Set the rows of points to those of others that are equal, as far as these are done."""
        self._saving.flush()
        pairs = ((number, other) for number, other in twins.items() if other in self)
        while some := list(itertools.islice(pairs, AT_ONCE)):
            texts = self.store.texts(_key(other) for _, other in some)
            self.add((number, texts[_key(other)]) for number, other in some)
            self._saving.flush()

    def _open(self) -> None:
        """Begin the store, with the points of a finished sweep if any; read what is done."""
        if not self.store.texts([_IDENTITY]):
            head = [(_IDENTITY, json.dumps(self.identity))]
            self.store.put_texts(itertools.chain(head, _finished(self.folder, self.part)))
        for key, text in self.store.between(*_ALL):
            if text is not None:
                self._done[self.part.index(int(key))] = 1
                continue
            about = f"point {int(key) + 1:,} of the grid is not as it was written; it is run again"
            self.damaged.append(Problem(str(self.store.path), 0, 0, "", about, "warning"))


class Rows(Sequence[Row]):
    """One row for each point of a part, read from the store in its folder when it is wanted."""

    def __init__(self, sweep: Sweep, part: range, folder: Path) -> None:
        self.sweep = sweep
        self.part = part
        self._folder = folder
        self._figures = sweep.figures

    def __len__(self) -> int:
        return len(self.part)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        numbers = self.part[index]
        if isinstance(numbers, range):
            return [self._row(number) for number in numbers]
        return self._row(numbers)

    def __iter__(self) -> Iterator[Row]:
        rows = zip(self.part, store_in(self._folder).between(*_ALL), strict=True)
        return (self._made(number, text) for number, (_, text) in rows)

    def _row(self, number: int) -> Row:
        key = _key(number)
        return self._made(number, store_in(self._folder).texts([key]).get(key))

    def _made(self, number: int, text: str | None) -> Row:
        assert text is not None  # No other command writes to the folder.
        record = json.loads(text)
        figures = {column: record[column] for column in self._figures}
        return {**self.sweep.values(number), **figures, "digest": record["digest"]}


def row_text(digest: str, figures: str) -> str:
    """Return the row of a point as the store has it; ``figures`` is JSON already."""
    return f'{{"digest": "{digest}", {figures[1:]}'


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Hold a folder, made if it is not there; LockedError if another command does.

    At the end the store of a finished sweep goes, and folders that were made and are empty.
    """
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_folder(folder, error) from error
    try:
        with locked(folder, folder / LOCK):
            yield
            for name in _STORES if (folder / MANIFEST).exists() else ():
                (folder / name).unlink(missing_ok=True)
    finally:
        with suppress(OSError):  # It is not empty.
            for one in made:
                one.rmdir()


def store_in(folder: Path) -> Results:
    """Return the store of the sweep in a folder."""
    return Results(folder / STORE, owner=_IDENTITY)


def _key(number: int) -> str:
    return f"{number:08d}"


def _no_folder(folder: Path, error: OSError) -> FolderError:
    reason = error.strerror or str(error)
    return FolderError(f"{folder} is no folder to write to ({reason}); name one")


def _stranger(folder: Path, identity: Identity) -> str:
    """Return what else than a sweep is in its folder, in words; empty if nothing is."""
    found = identities(folder)
    for other in found:
        if other != identity:
            return f"has the results of another sweep, {difference(identity, other)}"
    there = [name for name in FILES if (folder / name).exists()]
    return f"has a {there[0]} that no sweep.json belongs to" if there and not found else ""


def difference(identity: Identity, other: Any) -> str:
    """Return the words for what two sweeps differ in."""
    known = other if isinstance(other, dict) else {}
    keys = dict.fromkeys([*identity, *known])
    differing = [key for key in keys if known.get(key) != identity.get(key)]
    return f"which differs in its {', '.join(differing)}"


def identities(folder: Path) -> list[Any]:
    """Read which sweep a folder says its results are of, in its manifest and in its store."""
    found = []
    if (folder / MANIFEST).exists():
        manifest = document(folder / MANIFEST)
        found.append(manifest.get("identity") if isinstance(manifest, dict) else None)
    if (folder / STORE).exists():
        found += store_in(folder).get([_IDENTITY]).values()
    return found


def points_in(folder: Path, part: range, *, finished: bool) -> Iterator[Found]:
    """Read the points of a part that are done: from the finished files, or from the store."""
    if finished:
        yield from _finished_points(folder, part)
    elif (folder / STORE).exists():
        for key, text in store_in(folder).between(*_ALL):
            if text is not None and int(key) in part:
                yield int(key), json.loads(text)


def _finished(folder: Path, part: range) -> Iterator[tuple[str, str]]:
    """Yield the rows of a finished sweep as its store had them; none if some are missing."""
    if (folder / MANIFEST).exists():
        if sum(1 for _ in _finished_points(folder, part)) == len(part):
            for number, record in _finished_points(folder, part):
                yield _key(number), json.dumps(record)
        else:
            (folder / MANIFEST).unlink()


def _finished_points(folder: Path, part: range) -> Iterator[Found]:
    """Read the points of a finished sweep, in their order."""
    if not (folder / POINTS).exists():
        return
    numbers = iter(part)
    with (folder / POINTS).open("rb") as file:
        for line in file:
            record = _record(line)
            if record is not None and (number := next(numbers, None)) is not None:
                yield number, record


def _record(line: bytes) -> dict[str, Any] | None:
    """Read a record; None if the line is torn, or something else."""
    try:
        record = json.loads(line.rstrip(b",\r\n").decode("utf-8"))
    except ValueError:
        return None
    whole = isinstance(record, dict) and record.keys() >= _WHOLE
    return record if whole else None


def document(path: Path) -> Any:
    """Read a JSON file; None if it is not there, or is none."""
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
