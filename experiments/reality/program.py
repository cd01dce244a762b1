"""A timed program: its compilation, its requirements, and its variants."""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

KIB, MIB = 1 << 10, 1 << 20
SOURCES = Path(__file__).parent / "programs"
SEED = 20261126
"""Seed of the bytes of all inputs."""
COMPILERS = {".c": "cc", ".cpp": "c++", ".f90": "gfortran", ".go": "go"}
COMPILERS |= {".java": "javac", ".rs": "rustc"}


@dataclass(frozen=True, slots=True)
class Way:  # As the frozen programs call it: their digests are of results on record.
    """A variant of a program: slow, or with a cure."""

    name: str
    command: tuple[str, ...]
    """Name of the program, or of an installed one, and its arguments. ``{binaries}`` in them is the
    folder of compiled programs.
    """
    patterns: tuple[str, ...] = ()
    """Patterns of ``nwtsim advise`` with this cure."""
    what: str = ""
    """The cure in words."""
    environment: dict[str, str] = field(default_factory=dict)
    words: str = ""
    """A regular expression; an advice that matches it means this cure whatever its pattern."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program, its input, and its variants."""

    name: str
    about: str
    ways: tuple[Way, ...]
    """The slow one first."""
    inputs: Callable[[Path], None] | None = None
    """Creates its input files in an empty folder."""
    cold: tuple[str, ...] = ()
    """Files dropped from the page cache before each run."""
    fresh: tuple[str, ...] = ()
    """Files and folders removed before each run."""
    copied: tuple[tuple[str, str], ...] = ()
    """Overwritten inputs: (original, copy), copied before each run."""
    results: tuple[str, ...] = ("out",)
    """Files whose bytes must agree in all variants, in addition to the standard output."""
    sources: tuple[str, ...] = ()
    language: str = ""

    @property
    def slow(self) -> Way:
        """The traced variant."""
        return self.ways[0]


def missing(program: Program) -> list[str]:
    """Return the required commands that are not installed."""
    own = {Path(one).stem for one in program.sources if Path(one).suffix in COMPILERS}
    needed = {COMPILERS.get(Path(one).suffix, "") for one in program.sources} - {""}
    needed |= {way.command[0] for way in program.ways} - own
    return sorted(one for one in needed if shutil.which(one) is None)


def random_file(name: str, size: int) -> Callable[[Path], None]:
    """Make a file of ``size`` random bytes from ``SEED``."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / name).open("wb") as file:
            for _ in range(size // MIB):
                file.write(drawn.randbytes(MIB))

    return make


def digest(programs: Iterable[Program], files: Iterable[Path]) -> str:
    """Return the SHA-256 of ``files`` and of the sources of ``programs``, in hexadecimal."""
    names = {"io.h"}
    for one in programs:
        names |= {*one.sources, *(Path(word).name for word in one.slow.command)}
    whole = hashlib.sha256()
    for file in (*files, *sorted(one for one in SOURCES.iterdir() if one.name in names)):
        whole.update(file.read_bytes())
    return whole.hexdigest()
