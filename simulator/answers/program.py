"""A traced program as patterns see it: its calls, its language, and the machine it runs on.

The language is guessed from the files that the program used - the library of a Fortran compiler,
Python's own modules - and from the programs that were started. What is not known is taken for C.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from simulator.answers.advise import Concerned, Finding
from simulator.answers.calls import READS, WRITES, Columns, Numbers
from simulator.answers.way import Way
from simulator.plan.codes import CREATE, LOOKUP, OPEN, RENAME, UNLINK, name_of
from simulator.units import format_size, format_time

if TYPE_CHECKING:
    from simulator.answers.advise import Cure
    from simulator.config.machine_file import Machine
    from simulator.workload.traced import Traced


Language = Literal["Fortran", "Python", "shell", "C"]

_MARKS: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("Fortran", re.compile(r"/lib(gfortran|flang|f18|ifcore|nvf|fj90)[^/]*\.so")),
    ("Python", re.compile(r"/python3\.[0-9]+/encodings|/libpython[^/]*\.so")),
)
_COMMANDS = frozenset(("cat", "cp", "dd", "gzip", "head", "tail", "tar", "tee"))


def language_of(names: Sequence[str], programs: Sequence[str] = ()) -> Language:
    """Return the language of a program that used files of these names.

    >>> language_of(["/lib/x86_64-linux-gnu/libgfortran.so.5", "out.dat"])
    'Fortran'
    >>> language_of(["/usr/lib/python3.11/encodings/utf_8.py"]), language_of(["out.dat"])
    ('Python', 'C')
    >>> language_of(["out.dat"], ["/usr/bin/dd"])
    'shell'
    """
    for language, mark in _MARKS:
        if any(mark.search(name) for name in names):
            return language
    last = {name.rpartition("/")[2] for name in programs[-1:]}
    return "shell" if last & _COMMANDS else "C"


_HOW: dict[str, dict[Language, str]] = {
    "buffer": {
        "C": "After fopen: setvbuf(file, NULL, _IOFBF, {size});  with read and write: call them"
        " with {shown} at a time.",
        "Python": "open(name, ..., buffering={size}), and read or write through that file object.",
        "Fortran": "GFORTRAN_UNFORMATTED_BUFFER_SIZE={size} GFORTRAN_FORMATTED_BUFFER_SIZE={size}"
        " ./program  (gfortran 10 or later; no change of the program).",
        "shell": "dd bs={size} ...; tar --blocking-factor={blocks} ...",
    },
    "keep in memory": {
        "C": "Read the file once into memory (malloc, fread), and use that copy.",
        "Python": "Read the file once, data = open(name, 'rb').read(), and use data; or put"
        " functools.lru_cache on the function that reads.",
        "Fortran": "Read the array once, before the loop, and keep it in a variable of a module (or"
        " with SAVE).",
        "shell": "Copy the file to /dev/shm first, and read the copy.",
    },
    "read as a whole": {
        "C": "Read what is needed of the file with one fread at first, and pick from memory.",
        "Python": "Read the file as a whole, data = open(name, 'rb').read(), and pick from data.",
        "Fortran": "Read the whole array with one READ (ACCESS='STREAM'), and pick from memory.",
        "shell": "Copy the file to /dev/shm first (dd bs=8M), and read the copy.",
    },
    "keep open": {
        "C": "Open the file once before the loop (fopen), close it after the loop, and keep the"
        " FILE * in between; fflush if others have to see what was written.",
        "Python": "Put the loop inside of one 'with open(name, ...) as file:'.",
        "Fortran": "OPEN the file once before the loop and CLOSE it after the loop.",
        "shell": "Redirect the whole loop, 'while ...; do ...; done >> FILE', not each command in"
        " it.",
    },
    "sync once": {
        "C": "Call fsync once, after the last write, or every few seconds; not after each record.",
        "Python": "Call os.fsync(file.fileno()) once, after the last write; not after each record.",
        "Fortran": "Call FLUSH and fsync once, after the last WRITE; not after each record.",
        "shell": "Sync once after the loop (sync FILE; dd conv=fsync), not for each record.",
    },
    "align": {
        "C": "setvbuf(file, NULL, _IOFBF, {size}) right after fopen, or write multiples of {size}"
        " bytes at offsets that are multiples of it.",
        "Python": "open(name, 'wb', buffering={size}), or write multiples of {size} bytes.",
        "Fortran": "Write records that fill multiples of {size} bytes (ACCESS='STREAM'), from byte"
        " 0.",
        "shell": "dd obs={size} ...",
    },
    "list with types": {
        "C": "Use d_type of readdir, or fts with FTS_NOSTAT, instead of a stat for each entry.",
        "Python": "Use os.scandir (entry.is_dir(), entry.name), or os.walk, instead of os.listdir"
        " and a stat for each entry.",
        "Fortran": "List the folder once, and keep what is known of its files.",
        "shell": "Use find -type f, or ls -U without -l, which need no stat for each entry.",
    },
}


def how_to(what: str, language: Language, size: int = 0) -> str:
    """Say how a program does one of :data:`_HOW`; ``size``: bytes of its buffer, or of a unit."""
    return _HOW[what][language].format(size=size, shown=format_size(size), blocks=-(-size // 512))


def runtime_buffer(size: int) -> str:
    """Say how a Fortran program gets a buffer that holds a whole record."""
    return (
        f"Give the Fortran runtime a buffer of {format_size(size)}, so that a whole record fits:"
        f" GFORTRAN_UNFORMATTED_BUFFER_SIZE={size} ./program  (gfortran 10 or later); or write the"
        " file with ACCESS='STREAM', which has no lengths of records."
    )


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
        programs: Sequence[str] = (),
    ) -> None:
        """``costs``: kinds of calls that take time on the machine, beside reads and writes.

        ``path`` is that of the file system by which files are reached. ``began``: when each row
        began, ns since the program's start; None if the log has no times. ``programs``: the names
        of those that were started.
        """
        self.traced = traced
        self.machine = machine
        self.filesystem = filesystem
        self.costs = costs
        self.began = began
        self.prestaged = prestaged
        self.placed = False
        """Whether each file has a place that a simulated run gave it."""
        self.programs = programs
        self.way = Way(machine, filesystem, path)
        self.columns = Columns(traced)

    @cached_property
    def language(self) -> Language:
        """The language that the program seems to be written in."""
        return language_of([one.name for one in self.traced.files], self.programs)

    def written(self, files: Numbers) -> Numbers:
        """Return which files a process writes to."""
        found: Numbers = np.isin(files, np.unique(self.columns.file[self._writes]))
        return found

    def written_by_others(self, pairs: Numbers) -> Numbers:
        """Return of which streams another client writes to the file."""
        writers = np.unique(self.columns.pair[self._writes])
        count = np.bincount(writers & 0xFFFFFFFF, minlength=len(self.traced.files))
        found: Numbers = count[pairs & 0xFFFFFFFF] > np.isin(pairs, writers)
        return found

    def replaced(self, pairs: Numbers) -> Numbers:
        """Return of which streams the file is another one in between: removed, renamed, made anew.

        What their own client does before its first call on the file, or after its last, is not in
        between.
        """
        columns = self.columns
        made, times = np.unique(columns.file[columns.kind == CREATE], return_counts=True)
        found: Numbers = np.isin(pairs & 0xFFFFFFFF, made[times > 1])
        gone = np.flatnonzero(np.isin(columns.kind, (UNLINK, RENAME)))
        used = columns.streams((OPEN, CREATE, *READS, *WRITES))
        if not len(gone) or not len(used):
            return found
        place = np.minimum(np.searchsorted(used.pairs, pairs), len(used) - 1)
        first, last = used.rows[used.first], used.rows[used.first + used.counts - 1]
        number = {int(pair): one for one, pair in enumerate(pairs.tolist())}
        on = np.unique(columns.file[gone])
        found |= np.isin(pairs & 0xFFFFFFFF, on)
        # Those that only their own client removes, before or after, are not.
        own = gone[np.isin(columns.pair[gone], pairs)]
        many = np.bincount(columns.file[gone], minlength=len(self.traced.files))
        outside = np.zeros(len(pairs), np.int64)
        for row in own.tolist():
            one = number[int(columns.pair[row])]
            outside[one] += not first[place[one]] < row < last[place[one]]
        again = np.isin(pairs & 0xFFFFFFFF, made[times > 1])
        found &= again | (outside < many[pairs & 0xFFFFFFFF])
        return found

    @cached_property
    def _writes(self) -> Numbers:
        columns = self.columns
        return np.flatnonzero(np.isin(columns.kind, WRITES) & (columns.size > 0))

    def files(self, rows: Numbers) -> tuple[Concerned, ...]:
        """Return the files of some rows, those with most calls first."""
        if not len(rows):
            return ()
        file, which = np.unique(self.columns.file[rows], return_inverse=True)
        calls = np.bincount(which)
        moves = np.isin(self.columns.kind[rows], (*READS, *WRITES))
        moved = np.zeros(len(file), np.int64)
        np.add.at(moved, which, np.where(moves, self.columns.size[rows], 0))
        files = self.traced.files
        order = np.lexsort((file, -calls))
        return tuple(
            Concerned(files[int(file[one])].name, int(calls[one]), int(moved[one]))
            for one in order.tolist()
        )

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
        """Say which call a row is: what, of which file, by whom, and when."""
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
