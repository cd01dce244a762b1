"""What can be set in a machine or a workload: in a file that is right, and in one that is not."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass
from typing import Any

from simulator.config.errors import Path, dotted
from simulator.config.load import Kind
from simulator.config.plain import expanded, unwrapped, written
from simulator.config.quantities import Leaf, Time
from simulator.config.section import Choice, Items, Named, OneOf, Section, Shape, fields_of, leaf_of
from simulator.config.settings import (
    IMPLIED,
    POSITIONING,
    mean_positioning,
    positioned,
    positioning_times,
)
from simulator.config.sources import Document, provenance
from simulator.config.yamltree import Mapping, Node, Scalar, Sequence, read_tree
from simulator.kinds.parts.cpu.section import Cpu


@dataclass(frozen=True, slots=True)
class Value:
    """One value that can be set."""

    path: str
    """Its path in the file."""
    text: str
    """What it is; empty if nothing is there."""
    counted: bool = False
    """It is a count of nodes or parts that the file writes, or a count of devices."""
    key: str = ""
    """Of one of several numbers of a value: the end of its path, which says which one."""


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one file."""

    noun: str
    """What the file is: ``machine`` or ``workload``."""
    name: str
    """What it is called."""
    file: str
    values: tuple[Value, ...]
    unset: tuple[str, ...] = ()
    """Paths of values that are left out and have no default."""


def values_of(section: Document) -> Values:
    """Return the values of a machine or a workload, in the order of its sections."""
    stated = section.origin.sources
    parts = getattr(section, "parts", {})
    means = dict(_positioned(parts))
    devices = {f"parts.{name}.count" for name, one in parts.items() if one.counted}
    rows: list[Value] = []
    for one in provenance(section):
        counted = _is_count(one.path) and one.path in {*stated, *devices}
        rows += _with_numbers(Value(one.path, one.value, counted))
        if one.path in means:
            rows.append(means[one.path])
    noun = getattr(section, "format", "").partition("/")[0]
    unset = tuple(_unset(section, ()))
    return Values(noun, section.name, section.origin.file, tuple(rows), unset)


def _unset(value: Any, path: Path) -> Iterator[str]:
    """Yield the paths of values that could be in the sections of a typed one, but are not."""
    if isinstance(value, Section):
        for key, shape in fields_of(type(value)).items():
            inner = getattr(value, key)
            if inner is not None:
                yield from _unset(inner, (*path, key))
            elif isinstance(shape, Leaf | type):
                yield from _keys_of(shape, (*path, key))
    elif isinstance(value, dict | tuple):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in pairs:
            yield from _unset(inner, (*path, step))


def _keys_of(shape: Leaf | type[Section], path: Path) -> Iterator[str]:
    """Yield the path of a value, or those of the keys of a section that is left out."""
    if isinstance(shape, Leaf):
        if shape.sourced:
            yield dotted(path)
        return
    for key, inner in fields_of(shape).items():
        if isinstance(inner, Leaf) and inner.sourced:
            yield dotted((*path, key))


def _positioned(parts: Mapping_[str, Section]) -> Iterator[tuple[str, Value]]:
    """Yield the mean time of positioning of each disk, after the path that it follows."""
    for at, section in positioned(parts):
        text = leaf_of(Time).show(mean_positioning(positioning_times(section)))
        path = dotted(("parts", *at))
        yield f"{path}.rotation", Value(f"{path}.{POSITIONING}", text)


def _with_numbers(value: Value) -> Iterator[Value]:
    """Yield a value, and each number of one that has several: points of a curve, directions."""
    yield value
    if value.text.startswith("{"):
        tree, _ = read_tree(value.text, "")
        for key, inner in tree.entries.items() if isinstance(tree, Mapping) else ():
            more = f"{value.key}.{key}"
            yield from _with_numbers(Value(f"{value.path}.{key}", written(inner), key=more))


def values_in(kind: Kind[Any], text: str, file: str) -> Values | None:
    """Return the values that a text has or could have, whatever is wrong with it.

    None, or ConfigError, if it has no keys at all.
    """
    tree, _ = read_tree(text, file)
    if not isinstance(tree, Mapping):
        return None
    rows = list(_leaves(tree, kind.section, ()))
    if kind.noun == "machine" and not any(row.path.startswith("parts.cpu.") for row in rows):
        rows += _leaves(Mapping(tree.place), Cpu, ("parts", IMPLIED))
    name = tree.entries.get("name")
    called = name.text if isinstance(name, Scalar) and name.text else file
    return Values(kind.noun, called, file, tuple(rows))


def _is_count(path: str) -> bool:
    first, _, rest = path.partition(".")
    return first in ("nodes", "parts") and rest.count(".") == 1 and rest.endswith(".count")


def _leaves(node: Node | None, shape: Shape, path: Path) -> Iterator[Value]:
    """Walk over the keys that the sections of a tree have, written or not."""
    if isinstance(shape, Leaf):
        if shape.sourced:
            text = "" if node is None else written(unwrapped(node))
            here = dotted(path)
            yield from _with_numbers(Value(here, text, _is_count(here) and node is not None))
        return
    node = None if node is None else expanded(node, shape)
    if isinstance(shape, type):
        entries = node.entries if isinstance(node, Mapping) else {}
        for key, inner in fields_of(shape).items():
            yield from _leaves(entries.get(key), inner, (*path, key))
    elif isinstance(node, Sequence) and isinstance(shape, Items):
        for index, one in enumerate(node.items):
            yield from _leaves(one, shape.item, (*path, index))
    elif isinstance(node, Mapping) and isinstance(shape, Named):
        for key, one in node.entries.items():
            yield from _leaves(one, shape.item, (*path, key))
    elif isinstance(node, Mapping) and isinstance(shape, Choice | OneOf):
        if isinstance(shape, OneOf):
            chosen = shape.chosen(node.entries) or ""
        else:
            tag = node.entries.get(shape.key)
            chosen = tag.text if isinstance(tag, Scalar) else ""
        if chosen in shape.options:
            yield from _leaves(node, shape.options[chosen], path)
