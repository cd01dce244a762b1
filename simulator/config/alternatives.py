"""Alternatives of a requirement: several machines for the same loads, targets and prices.

An alternative is read as a requirement of its own: that of the file, with its machine, its choices,
its settings and its states. What is wrong with it is told where it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path, Problem, dotted
from simulator.config.sources import Origin

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement
    from simulator.config.yamltree import Place

OWN = ("machine", "choices")
"""Keys that a requirement has, or each of its alternatives."""
ADDED = ("set", "states")
"""Keys of which an alternative adds its own to those of the requirement."""


@dataclass(frozen=True)
class OriginOfAlternative(Origin):
    """The origin of a requirement that an alternative is read as."""

    name: str = ""
    own: frozenset[Path] = frozenset()
    """What it adds to that of all alternatives."""

    def place(self, path: Path) -> Place:
        """Return the place of a value in the file."""
        return super().place(self.inside(path))

    def problem(self, path: Path, about: str) -> Problem:
        """Report what is wrong with a value, by its path in the file."""
        return self.place(path).problem(dotted(self.inside(path)), about)

    def inside(self, path: Path) -> Path:
        """Return where a value of the alternative stands in the file."""
        own = path[:1] in {(key,) for key in OWN} or path[:2] in self.own
        return ("alternatives", self.name, *path) if own else path


def alternative(requirement: Requirement, name: str) -> Requirement:
    """Return the requirement that an alternative is read as."""
    one, origin = requirement.alternatives[name], requirement.origin
    made = requirement.with_value("alternatives", {})
    for key in OWN:
        made = made.with_value(key, getattr(one, key))
    for key in ADDED:
        made = made.with_value(key, getattr(requirement, key) | getattr(one, key))
    own = frozenset((key, each) for key in ADDED for each in getattr(one, key))
    known = origin.file, origin.places, origin.sources, origin.texts, origin.warnings
    made.remember(OriginOfAlternative(*known, name, own))
    return made


def faults_of_alternatives(requirement: Requirement) -> Iterator[Fault]:
    """Find what is wrong with any alternative, or with a requirement that has none."""
    if not requirement.alternatives:
        for key, like in zip(OWN, ("machine: nfs-lab", "choices: {...}"), strict=True):
            if key not in requirement.given:
                yield (key,), f"is missing; write it like '{like}', or 'alternatives' with it"
        return
    for key in OWN:
        if key in requirement.given:
            about = "is that of one machine, and there are alternatives; write it in each of them"
            yield (key,), about
    found: dict[Fault, list[str]] = {}
    for name in requirement.alternatives:
        made = alternative(requirement, name)
        for path, about in made.faults():
            found.setdefault((inside(made, path), about), []).append(name)
    every = len(requirement.alternatives)
    for (path, about), names in found.items():
        whose = path[0] == "alternatives" or len(names) == every
        yield path, about if whose else f"{about} (of {' and '.join(names)})"


def inside(requirement: Requirement, path: Path) -> Path:
    """Return where a value of a requirement stands in the file."""
    origin = requirement.origin
    return origin.inside(path) if isinstance(origin, OriginOfAlternative) else path
