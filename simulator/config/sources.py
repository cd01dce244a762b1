"""Where each number of a file comes from."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from simulator.config.defaults import why
from simulator.config.errors import Path, did_you_mean, dotted
from simulator.config.nodes import Place
from simulator.config.quantities import Leaf
from simulator.config.section import Section, fields_of
from simulator.unit_names import shown

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

    def place(self, path: Path) -> Place:
        """Return the place of a value, or of the nearest thing around it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(self.file))


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
    for path, leaf, value, owner in leaves(section):
        key = dotted(path)
        source = origin.sources.get(key, DEFAULT)
        text = origin.texts.get(key) or leaf.show(value)
        note = why(owner, str(path[-1])) if source is DEFAULT and explained else source.note
        lines.append(Stated(key, text, source.kind, source.detail, note))
    return lines


def unproven(section: FromFile) -> dict[Kind, list[Stated]]:
    """List the assumed, calibrated and unstated values and those set by the user, by kind."""
    kinds: tuple[Kind, ...] = ("assumed", "calibrated", "unstated", "set by the user")
    listed = provenance(section)
    return {kind: [one for one in listed if one.kind == kind] for kind in kinds}


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Leaf, Any, str]]:
    """Walk over the values of a typed section that are not None, each with its section's name."""
    if isinstance(value, Section):
        for name, shape in fields_of(type(value)).items():
            inner = getattr(value, name)
            if isinstance(shape, Leaf):
                if shape.sourced and inner is not None:
                    yield (*path, name), shape, inner, type(value).__name__
            else:
                yield from leaves(inner, (*path, name))
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
