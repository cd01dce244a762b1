"""Mistakes in a file, in words by which its author can mend them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from simulator.errors import did_you_mean, nearest
from simulator.units import shown

PathStep = str | int
Path = tuple[PathStep, ...]
"""Where a value is in a file: keys, and indices of lists."""

Fault = tuple[Path, str]
"""Where something is wrong, and what."""

_LONGEST_KEY = 120
_MOST_LINES = 50


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake (or, with ``severity="warning"``, one doubt) and its place.

    >>> print(Problem("nwt.yaml", 39, 9, "ssu.unit", "'8 M' is ambiguous; write '8 MB'"))
    nwt.yaml:39:9: ssu.unit: '8 M' is ambiguous; write '8 MB'
    """

    file: str
    """The file as the user named it, or ``--set path=value``."""
    line: int
    """Counted from 1; 0 where there is none (a missing file, a value set by the user)."""
    column: int
    """Counted from 1, in characters; 0 where there is none."""
    key: str
    """The path of the value, ``storage.disk.rate``; empty for the file as a whole."""
    message: str
    """What was read, and what to write instead."""
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        warning = "warning: " if self.severity == "warning" else ""
        key = self.key if len(self.key) <= _LONGEST_KEY else f"{self.key[: _LONGEST_KEY - 3]}..."
        key = f"{key}: " if key else ""
        return one_line(f"{where}: {warning}{key}{self.message}")


class ConfigError(Exception):
    """Files or settings that cannot be used; ``str()`` of it is what the user should read."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = in_order(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        lines = list(map(str, self.problems[:_MOST_LINES]))
        more = len(self.problems) - len(lines)
        return "\n".join([*lines, f"... and {more} more"] if more else lines)


class PartsError(ValueError):
    """Several mistakes inside one value, each with its path from there."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(message for _, message in faults))


def faults_at(step: PathStep, error: ValueError) -> list[Fault]:
    """Return the mistakes of a value that is one of several, by its key or index among them."""
    inner = error.faults if isinstance(error, PartsError) else [((), str(error))]
    return [((step, *path), about) for path, about in inner]


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Sort problems by file and line, each once: what an alias repeats is one mistake."""
    once: dict[object, Problem] = {}
    for one in problems:
        place = (one.file, one.line, one.column, one.message) if one.line else one
        once.setdefault(place, one)
    return sorted(once.values(), key=lambda p: (p.file, p.line, p.column))


def dotted(path: Path) -> str:
    """Write a path as the user reads and sets it.

    >>> dotted(("jobs", 0, "phases", 1, "file"))
    'jobs.0.phases.1.file'
    """
    return ".".join(map(str, path))


def places_of(at: Path) -> tuple[int, ...]:
    """Return the numbers in the place of a phase, from the outside in.

    >>> places_of(("phases", 1, "phases", 0))
    (1, 0)
    """
    return tuple(int(number) for number in at[1::2])


@lru_cache(maxsize=1 << 10)
def label_of(at: Path) -> str:
    """Return what a phase at a place is called.

    >>> label_of(("phases", 1, "phases", 0))
    '1.0'
    """
    return ".".join(map(str, places_of(at)))


def one_line(text: str) -> str:
    r"""Escape what does not print, so that a hostile name cannot forge a line of its own.

    >>> one_line("a\nb")
    'a\\nb'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def meant_word(text: str, words: Iterable[str]) -> None:
    """Raise ValueError for a text that is nearly one of the words which may stand for a number.

    >>> meant_word("rnak", ["rank"])
    Traceback (most recent call last):
    ValueError: 'rnak' is unknown; did you mean 'rank'?
    """
    if text[:1].isalpha() and (near := nearest(text, words)):
        raise ValueError(f"{shown(text)} is unknown; did you mean {near!r}?")


def unknown_name(name: str, what: str, known: Iterable[str]) -> str:
    """Return the message about a name that does not stand for what it should.

    >>> unknown_name("sssd", "a part", ["ssd", "lan"])
    "'sssd' is not a part; did you mean 'ssd'?"
    """
    return f"{shown(name)} is not {what}; {did_you_mean(name, known)}"


def raise_errors(problems: Iterable[Problem]) -> list[Problem]:
    """Raise ConfigError if there is an error among the problems; else give the warnings back."""
    listed = list(problems)
    errors = [one for one in listed if one.severity == "error"]
    if errors:
        raise ConfigError(errors)
    return listed
