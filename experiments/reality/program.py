"""A program that is timed: how it is compiled, what it needs, and the ways to run it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

KIB, MIB = 1 << 10, 1 << 20
SOURCES = Path(__file__).parent / "programs"
SEED = 20261126
"""Of the bytes of all inputs."""
COMPILERS = {".c": "cc", ".cpp": "c++", ".f90": "gfortran", ".java": "javac"}


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to run a program: slow, or with a cure."""

    name: str
    command: tuple[str, ...]
    """The program's name, or that of one that is installed, and its arguments.

    ``{binaries}`` in them is the folder of what was compiled.
    """
    patterns: tuple[str, ...] = ()
    """The patterns of ``nwtsim advise`` whose cure this is."""
    what: str = ""
    """The cure in words."""
    environment: dict[str, str] = field(default_factory=dict)
    words: str = ""
    """A regular expression; an advice that it is found in means this cure whatever its pattern."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program, its input, and the ways to run it."""

    name: str
    about: str
    ways: tuple[Mode, ...]
    """The slow one first."""
    inputs: Callable[[Path], None] | None = None
    """Makes the files that it needs in an empty folder."""
    cold: tuple[str, ...] = ()
    """Files that leave the page cache before each run."""
    fresh: tuple[str, ...] = ()
    """Files and folders that are removed before each run."""
    copied: tuple[tuple[str, str], ...] = ()
    """Inputs that are overwritten: (original, copy), copied before each run."""
    results: tuple[str, ...] = ("out",)
    """Files whose bytes have to be the same in all ways, beside the standard output."""
    sources: tuple[str, ...] = ()
    language: str = ""

    @property
    def slow(self) -> Mode:
        """The way that is traced."""
        return self.ways[0]


def missing(program: Program) -> list[str]:
    """Return the commands that a program needs and that are not installed."""
    own = {Path(one).stem for one in program.sources if Path(one).suffix in COMPILERS}
    needed = {COMPILERS.get(Path(one).suffix, "") for one in program.sources} - {""}
    needed |= {way.command[0] for way in program.ways} - own
    return sorted(one for one in needed if shutil.which(one) is None)


def random_file(name: str, size: int) -> Callable[[Path], None]:
    """Make a file of ``size`` bytes that are drawn from ``SEED``."""

    def make(folder: Path) -> None:
        drawn = random.Random(SEED)
        with (folder / name).open("wb") as file:
            for _ in range(size // MIB):
                file.write(drawn.randbytes(MIB))

    return make
