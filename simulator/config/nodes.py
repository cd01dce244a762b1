"""The nodes of a YAML tree: texts, lists and mappings that know where they were written."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.config.errors import Problem


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file, counted from 1; or a setting of the user, which has no line."""

    file: str
    line: int = 0
    column: int = 0
    setting: str = ""
    """The path that the user set, such as ``machine.stores.ssu.block``; empty in a file."""

    def problem(self, key: str, message: str) -> Problem:
        """Report a mistake at this place; of a setting, name only what its path does not say.

        >>> print(Place("--set machine.lan={}", setting="machine.lan").problem("lan.rate", "..."))
        --set machine.lan={}: rate: ...
        """
        steps, keys = self.setting.split(".")[1:], key.split(".")
        if steps and all(step in ("*", one) for step, one in zip(steps, keys, strict=False)):
            key = ".".join(keys[len(steps) :])
        return Problem(self.file, self.line, self.column, key, message)


@dataclass(slots=True)
class Scalar:
    """A text; ``plain`` if it was written without quotes."""

    place: Place
    text: str
    plain: bool = True
    values: int = 1
    depth: int = 1


@dataclass(slots=True)
class Sequence:
    """A list of nodes."""

    place: Place
    items: list[Node] = field(default_factory=list)
    values: int = 1
    depth: int = 1


@dataclass(slots=True)
class Mapping:
    """Nodes by key, with the places of the keys."""

    place: Place
    entries: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Place] = field(default_factory=dict)
    values: int = 1
    depth: int = 1
    merged: bool = False
    """It has a merge key, which is refused: other keys may be missing for that reason only."""


Node = Scalar | Sequence | Mapping
