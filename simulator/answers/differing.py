"""Values that differ between two machines, or two workloads, key by key.

Keys that change no result are left out: names, titles, references, sources and notes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.config.quantities import Leaf
from simulator.config.section import Section, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Workload

_NO_VALUES = ("name", "title", "references")


@dataclass(frozen=True, slots=True)
class Differing:
    """A value that two files have differently."""

    key: str
    """Its path, as a setting has it."""
    a: str | None
    """As a file would have it; None if that side has no such key, or it is not set."""
    b: str | None

    @property
    def resource(self) -> str:
        """The resource, store or job that has it."""
        return self.key.split(".")[2] if self.key.count(".") > 1 else ""

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {"key": self.key, "a": self.a, "b": self.b}


def differing(a: tuple[Machine, Workload], b: tuple[Machine, Workload]) -> tuple[Differing, ...]:
    """Return the values that differ between two machines with their workloads."""
    found: list[Differing] = []
    for noun, mine, other in zip(("machine", "workload"), a, b, strict=True):
        before, after = (dict(_values(one, noun, top=True)) for one in (mine, other))
        found += [
            Differing(key, before.get(key), after.get(key))
            for key in dict.fromkeys((*before, *after))
            if before.get(key) != after.get(key)
        ]
    return tuple(found)


def _values(value: Any, path: str, *, top: bool = False) -> Iterator[tuple[str, str]]:
    """Walk over the values of a section that are set."""
    if isinstance(value, Section):
        for name, shape in fields_of(type(value)).items():
            inner = getattr(value, name)
            if inner is None or (top and name in _NO_VALUES):
                continue
            if isinstance(shape, Leaf):
                yield f"{path}.{name}", shape.show(inner)
            else:
                yield from _values(inner, f"{path}.{name}")
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _values(inner, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _values(inner, f"{path}.{number}")
    elif value is not None:
        yield path, str(value)
