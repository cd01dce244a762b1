"""In which language a traced program seems to be written, and how it is told what to do.

It is guessed from the files that the program used: the library of a Fortran compiler, Python's own
modules. What is not known is taken for C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from simulator.units import format_size

Language = Literal["Fortran", "Python", "C"]

_MARKS: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("Fortran", re.compile(r"/lib(gfortran|flang|f18|ifcore|nvf|fj90)[^/]*\.so")),
    ("Python", re.compile(r"/python3?[0-9.]*/|/libpython[^/]*\.so|\.pyc?$")),
)


def language_of(names: Sequence[str]) -> Language:
    """Return the language of a program that used files of these names.

    >>> language_of(["/lib/x86_64-linux-gnu/libgfortran.so.5", "out.dat"])
    'Fortran'
    >>> language_of(["/usr/lib/python3.11/os.py"]), language_of(["out.dat"])
    ('Python', 'C')
    """
    for language, mark in _MARKS:
        if any(mark.search(name) for name in names):
            return language
    return "C"


_BUFFERS: dict[Language, str] = {
    "C": "After fopen: setvbuf(file, NULL, _IOFBF, {size});  with read and write: call them with"
    " {shown} at a time.",
    "Python": "open(name, ..., buffering={size}), and read or write through that file object.",
    "Fortran": "GFORTRAN_UNFORMATTED_BUFFER_SIZE={size} GFORTRAN_FORMATTED_BUFFER_SIZE={size}"
    " ./program  (gfortran 10 or later; no change of the program).",
}


def buffer_of(language: Language, size: int) -> str:
    """Say how a program gets a buffer of so many bytes for its files."""
    return _BUFFERS[language].format(size=size, shown=format_size(size))
