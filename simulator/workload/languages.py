"""The language of a process: that of the interpreter it runs, or of the libraries it loaded.

What a process was started as counts first: a Python program that loads libgfortran for its arrays
is one in Python. A compiled program is told by its libraries; without any of them it is ``any``,
for which there are neutral words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from simulator.workload.libraries import LibraryCosts

Language = Literal["Python", "Perl", "awk", "shell", "SQLite", "Java", "Fortran", "C++", "C", "any"]

_INTERPRETERS: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("Python", re.compile(r"(python|pypy)[0-9.]*|.*\.py")),
    ("Perl", re.compile(r"perl[0-9.]*|.*\.pl")),
    ("awk", re.compile(r"(g|m|n|original-)?awk|.*\.awk")),
    ("SQLite", re.compile(r"sqlite3?")),
    ("Java", re.compile(r"java")),
    ("shell", re.compile(r"(ba|da|z|k|mk|c|tc|a)?sh|.*\.(ba|z|k)?sh|busybox")),
)
_COMMANDS = re.compile(
    "bsdtar|cat|cp|cpio|cut|dd|find|grep|gzip|head|install|ls|mv|rm|rsync|sed|sort|split|tail"
    "|tar|tee|touch|unzip|wc|xargs|xz|zip|zstd"
)
"""Programs that are called from a shell, by options."""
_COPIERS = re.compile("cat|cp|dd|install|mv|tee")
"""Of these, those that do nothing with the bytes that they move."""
_LIBRARIES: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("Python", re.compile(r"/(lib)?python3\.[0-9]+(/encodings|[^/]*\.so)")),
    ("Perl", re.compile(r"/libperl[^/]*\.so|/perl5?/")),
    ("Java", re.compile(r"/libjvm\.so")),
    ("Fortran", re.compile(r"/lib(gfortran|flang|f18|ifcore|nvf|fj90)[^/]*\.so")),
    ("C++", re.compile(r"/lib(std)?c\+\+[^/]*\.so")),
    ("any", re.compile(r"/libgcc_s\.so")),
    ("C", re.compile(r"/libc(\.so|-[0-9])")),
)
"""The first that was loaded counts. libgcc_s without those before it: Rust, for one."""

_INTERPRETED = re.compile(
    r"(ruby|irb|lua|php|R|Rscript|tclsh|wish|guile|octave|gnuplot)[0-9.-]*(cli)?"
)
_COMPILING = re.compile(r"(node|nodejs|deno|bun)[0-9.-]*")
"""They compile what they run, and are in C++ themselves, which the program is not."""

OWN_BUFFER: Mapping[Language, int] = {
    "Fortran": 8192,
    "C": 4096,
    "C++": 8192,
    "Python": 8192,
    "Perl": 8192,
}
"""Bytes of the buffer that a language's files have by themselves, at least."""

LIBRARIES: Mapping[Language, LibraryCosts] = {
    "any": LibraryCosts(30, 60, 10),
    "C": LibraryCosts(30, 600, 10),
    "SQLite": LibraryCosts(30, 60, 10, search=2.5),
    "C++": LibraryCosts(100, 650, 10),
    "Fortran": LibraryCosts(140, 1200, 10),
    "Java": LibraryCosts(130, 450, 100),
    "Perl": LibraryCosts(80, 1050, 360, turn=10),
    "Python": LibraryCosts(130, 3100, 520, turn=40),
    "awk": LibraryCosts(100, 1000, 10, turn=40),
    "shell": LibraryCosts(30, 2200, 10, turn=880),
}
"""User time of a call, measured by benchmarks/library_calls.py: of C the system's functions, but
that C, C++ and Fortran open by a stream, whose first line takes longer than others. Of a shell a
redirection, with the six copies of descriptors around it (1 us of the system), and for the rest
what its commands do, which are in C. SQLite's search of a page in its own cache costs 2.5 times
what a copy of a page costs that is as far from the processor."""


def language_of_file(name: str) -> Language | None:
    """Return the language that a program shows by loading a file; None if it shows none.

    >>> language_of_file("/usr/lib/x86_64-linux-gnu/libgfortran.so.5")
    'Fortran'
    >>> language_of_file("/data/out.dat") is None
    True
    """
    return next((one for one, mark in _LIBRARIES if mark.search(name)), None)


def language_of(program: str, loaded: Iterable[Language] = ()) -> Language:
    """Return the language of a process by its program, and by what files that it loaded show.

    >>> language_of("/usr/bin/python3.11", ["Fortran", "C"]), language_of("/usr/bin/dd", ["C"])
    ('Python', 'shell')
    >>> language_of("/home/me/a.out", ["C", "Fortran"]), language_of("/home/me/a.out")
    ('Fortran', 'any')
    >>> language_of("/usr/bin/node", ["C++", "C"])
    'any'
    """
    name = _name(program)
    if _COMMANDS.fullmatch(name):
        return "shell"
    for language, mark in _INTERPRETERS:
        if mark.fullmatch(name):
            return language
    if _INTERPRETED.fullmatch(name) or _COMPILING.fullmatch(name):
        return "any"
    shown = set(loaded)
    return next((one for one, _ in _LIBRARIES if one in shown), "any")


def is_interpreted(program: str, language: Language) -> bool:
    """Return whether a process is run by an interpreter, which takes long for each byte.

    >>> is_interpreted("/usr/bin/tclsh8.6", "C"), is_interpreted("/usr/bin/perl", "Perl")
    (True, True)
    >>> is_interpreted("/home/me/a.out", "C")
    False
    """
    interpreted = language in ("Python", "Perl", "awk", "shell")
    return interpreted or _INTERPRETED.fullmatch(_name(program)) is not None


def library_of(program: str, language: Language) -> LibraryCosts:
    """Return what the libraries of a program in a language compute for its calls.

    >>> library_of("/usr/bin/dd", "shell").only, library_of("/usr/bin/sort", "shell").only
    (True, False)
    """
    return LIBRARIES[language]._replace(only=_COPIERS.fullmatch(_name(program)) is not None)


def _name(program: str) -> str:
    return program.rpartition("/")[2]
