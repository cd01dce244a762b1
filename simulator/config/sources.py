"""Sources of the numbers of a file, and reasons of defaults that several sections have."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any, Literal, NamedTuple, Protocol

from simulator.config.errors import ConfigError, Path, Problem, dotted
from simulator.config.quantities import FileName, Leaf, Text
from simulator.config.range import Range
from simulator.config.section import Section, fields_of
from simulator.config.yamltree import Place
from simulator.errors import did_you_mean
from simulator.units import shown

SINGLE = "neutral: one"
FREE = "neutral: it costs nothing unless the file says so"
STILL = "neutral: a device without moving parts"
A_CORE = "assumed: a core of a server of about 2015 copies 5 GB/s and more"
A_CALL = "assumed: a system call on a file takes 1 to 3 us beside its copying"
ONE_WAY = "a device serves reads and writes alike; channels and links have each way for itself"

Kind = Literal[
    "paper",
    "literature",
    "calibrated",
    "assumed",
    "measured",
    "unstated",
    "set by the user",
    "default",
]
"""``unstated``: a plain value. ``default``: the file leaves the key out. The rest as written."""

_DETAILS: dict[str, tuple[Kind, str]] = {
    "paper": ("paper", "the section, as in 'paper 2.1'"),
    "literature": ("literature", "a key of references, as in 'literature mynavi'"),
    "calibrated": ("calibrated", "the tables, as in 'calibrated 4.2(1)'"),
    "measured": ("measured", "what was measured, as in 'measured with dd, 2024'"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where one value comes from."""

    kind: Kind
    detail: str = ""
    """What follows the kind: the section, the key under ``references``, the tables."""
    note: str = ""
    """The file's note on this value."""
    text: str = ""
    """The source as written."""
    range: Range | None = None
    """How far an assumed or calibrated value may be from what is written."""


UNSTATED = Source("unstated")
BY_USER = Source("set by the user", text="set by the user")
DEFAULT = Source("default", text="default")


def parse_source(text: str, references: Container[str], note: str = "") -> Source:
    """Read ``paper 2.1``, ``literature KEY``, ``calibrated TABLES``, ``measured HOW``, ``assumed``.

    ValueError if it is none of these, or KEY is not among ``references``.

    >>> parse_source("paper 2.1", {}).detail
    '2.1'
    """
    first, _, detail = (text := " ".join(text.split())).partition(" ")
    if first == "assumed":
        if detail:
            raise ValueError(f"{shown(text)} says more; write 'assumed', and the rest as note")
        return Source("assumed", "", note, text)
    if first not in _DETAILS:
        kinds = "paper, literature, calibrated, measured or assumed"
        raise ValueError(f"{shown(text)} is not a source; begin with {kinds}")
    kind, what = _DETAILS[first]
    if not detail:
        raise ValueError(f"{shown(text)} lacks {what}")
    if kind == "literature" and detail not in references:
        known = list(references) if isinstance(references, dict) else []
        raise ValueError(f"{shown(detail)} is not in references; {did_you_mean(detail, known)}")
    return Source(kind, detail, note, text)


@dataclass(frozen=True)
class Origin:
    """What a section remembers of its file."""

    file: str = "<python>"
    places: dict[Path, Place] = field(default_factory=dict)
    """The place of each key and value."""
    sources: dict[str, Source] = field(default_factory=dict)
    """The source of each value that can have one, by its dotted path."""
    texts: dict[str, str] = field(default_factory=dict)
    """Each of these values as written."""
    warnings: list[Problem] = field(default_factory=list)

    def place(self, path: Path) -> Place:
        """Return the place of a value, or of the nearest thing around it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(self.file))

    def warn(self, place: Place, path: Path, about: str) -> None:
        """Remember a warning about a key or a value."""
        self.warnings.append(replace(place.problem(dotted(path), about), severity="warning"))

    def problem(self, path: Path, about: str) -> Problem:
        """Report what is wrong with a value."""
        return self.place(path).problem(dotted(path), about)


class Stated(NamedTuple):
    """One value and where it comes from."""

    path: str
    value: str
    kind: Kind
    detail: str
    note: str


class FromFile(Protocol):
    """A machine or a workload."""

    @property
    def origin(self) -> Origin:
        """The file it was read from."""
        ...


def provenance(section: FromFile) -> list[Stated]:
    """List every value that can have a source, in the order of the sections, defaults too.

    The text of a value is that of its author; of a default, the shortest that means it.
    """
    origin = section.origin
    explained = getattr(section, "format", "").endswith("/2")
    lines = []
    for path, leaf, value, why in leaves(section):
        key = dotted(path)
        source = origin.sources.get(key, DEFAULT)
        text = origin.texts.get(key) or leaf.show(value)
        note = why if source is DEFAULT and explained else source.note
        lines.append(Stated(key, text, source.kind, source.detail, note))
    return lines


def unproven(section: FromFile) -> dict[Kind, list[Stated]]:
    """List the assumed, calibrated and unstated values and those set by the user, by kind."""
    kinds: tuple[Kind, ...] = ("assumed", "calibrated", "unstated", "set by the user")
    listed = provenance(section)
    return {kind: [one for one in listed if one.kind == kind] for kind in kinds}


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Leaf, Any, str]]:
    """Walk over the values of a typed section that are not None, each with its default's reason."""
    return (one for one in all_leaves(value, path) if one[2] is not None)


def all_leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Leaf, Any, str]]:
    """Walk over all values, those that are left out too, or whose section is: these are None."""
    if isinstance(value, Section):
        for name, shape in fields_of(type(value)).items():
            inner = getattr(value, name)
            if isinstance(shape, Leaf):
                if shape.sourced:
                    yield (*path, name), shape, inner, value.reasons.get(name, "")
            elif inner is None and isinstance(shape, type):
                for key, leaf in fields_of(shape).items():
                    if isinstance(leaf, Leaf) and leaf.sourced:
                        yield (*path, name, key), leaf, None, shape.reasons.get(key, "")
            else:
                yield from all_leaves(inner, (*path, name))
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from all_leaves(inner, (*path, name))
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from all_leaves(inner, (*path, index))


class Document(Section):
    """A whole file, with the place and the source of each of its values."""

    format: str
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""

    @cached_property
    def origin(self) -> Origin:
        """The file this was read from."""
        return Origin()

    def remember(self, origin: Origin) -> None:
        """Remember which file this was read from; it counts in no comparison."""
        vars(self)["origin"] = origin

    def refused(self, path: Path, about: str) -> ConfigError:
        """Return the error about one place of the file."""
        return ConfigError([self.origin.problem(path, about)])

    def beside(self, name: str) -> str:
        """Return what a name in the file stands for: a file beside it, or a shipped name."""
        path = FilePath(self.origin.file).parent / name
        like_a_path = "/" in name or name.endswith((".yaml", ".yml"))
        return str(path) if like_a_path or path.is_file() else name

    @property
    def sources(self) -> Mapping[str, Source]:
        """Return where the numbers come from, by their dotted paths."""
        return self.origin.sources
