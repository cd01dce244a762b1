"""In which language a traced program seems to be written, and how it is told what to do.

It is guessed from the files that the program used - the library of a Fortran compiler, Python's own
modules - and from the programs that were started. What is not known is taken for C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from simulator.units import format_size

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
