"""A misspelt name of a file gets its near one, wherever files take a name: all of them are walked.

Keys and words are those of all sections that files can have; names of other things are what the
shipped files say, each with the machine or the workloads that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.config.errors import ConfigError, Problem
from simulator.config.fit_file import FIT
from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, WORKLOAD, load_machine
from simulator.config.load import Kind
from simulator.config.quantities import Leaf
from simulator.config.reader import Reader, expanded
from simulator.config.requirement_file import REQUIREMENT
from simulator.config.section import Choice, Items, Named, Section, Shape, fields_of
from simulator.config.sources import Document
from simulator.config.yamltree import Mapping, Node, Place, Scalar, Sequence
from simulator.errors import nearest
from simulator.sizing.loads import Loads
from simulator.study.fits import prepare
from tests.cli.test_names import RUNS

KINDS: tuple[Kind[Any], ...] = (MACHINE, WORKLOAD, FIT, REQUIREMENT)
MACHINE_OF = {
    "ninf-choice": "ninf",
    "ninf-wan-sites": "ninf",
    "nwt-each": "nwt",
    "nwt-job": "nwt",
    "checkpoint-failure": "raid-lab",
    "checkpoint-restarts": "raid-lab",
} | {workload: machine for machine, workload in RUNS.items()}
OWN = {"name", "title", "description", "note", "source", "format", "currency", "stream", "out"}
"""Keys whose texts are their authors' own."""


def swapped(name: str) -> str:
    """Return a name with two of its letters swapped, in the middle if they differ."""
    pairs = [at for at in range(1, len(name)) if name[at - 1 : at + 1].isalpha()]
    differ = [at for at in pairs if name[at - 1] != name[at]]
    if not differ:
        return name
    at = min(differ, key=lambda one: abs(one - len(name) / 2))
    return name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]


def shapes() -> Iterator[tuple[str, Shape]]:
    """Yield each shape that a file can have, once, and a key at which it stands."""
    left: list[tuple[str, Shape]] = [(kind.noun, kind.section) for kind in KINDS]
    seen: set[int] = set()
    while left:
        at, shape = left.pop()
        if id(shape) in seen:
            continue
        seen.add(id(shape))
        yield at, shape
        if isinstance(shape, Named | Items):
            left.append((at, shape.item))
        elif isinstance(shape, Choice):
            left += [(f"{at}.{name}", one) for name, one in shape.options.items()]
        elif isinstance(shape, type):
            left += [(f"{shape.__name__}.{key}", one) for key, one in fields_of(shape).items()]


def choices_of(schema: Any) -> list[str]:
    """Return the words that a JSON Schema lists, of the value or of its items."""
    if isinstance(schema, dict):
        listed = schema.get("enum", [])
        inner = [one for each in schema.values() for one in choices_of(each)]
        return [*(one for one in listed if isinstance(one, str)), *inner]
    return [one for each in schema for one in choices_of(each)] if isinstance(schema, list) else []


WORDS = [
    pytest.param(shape, name, id=f"{at}-{name}")
    for at, shape in shapes()
    if isinstance(shape, Leaf)
    for name in choices_of(shape.schema)
    if swapped(name) != name
]
SECTIONS = [one for _, one in shapes() if isinstance(one, type)]


def test_the_walk_meets_all_that_files_are_made_of() -> None:
    assert len(WORDS) > 60
    assert len(SECTIONS) > 80


@pytest.mark.parametrize(("leaf", "name"), WORDS)
def test_a_misspelt_word_gets_its_near_one(leaf: Leaf, name: str) -> None:
    """A word, or a list of words."""
    with pytest.raises(ValueError, match="did you mean") as raised:
        leaf.read([swapped(name)] if leaf.example.startswith("[") else swapped(name))
    assert f"did you mean {name!r}?" in str(raised.value)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda one: one.__name__)
def test_a_misspelt_key_is_one_error(section: type[Section]) -> None:
    """What it holds is read as that of the key that is meant: nothing else is wrong with it."""
    keys = fields_of(section)
    place = Place("f", 1, 1)
    for key in keys:
        if swapped(key) == key or nearest(swapped(key), keys) != key:
            continue
        reader = Reader("f", Mapping(place, {}, {}))
        node = Mapping(place, {swapped(key): Scalar(place, "x")}, {swapped(key): place})
        reader.read(node, section)
        about = [one.message for one in reader.problems if one.key == swapped(key)]
        assert about == [f"unknown key; did you mean {key!r}?"], key


# -- names of other things ------------------------------------------------------------------------


def named(node: Node, shape: Shape, key: str = "") -> Iterator[tuple[str, Place]]:
    """Yield texts that may name something else, and where they are; no words, no own names."""
    node = expanded(node, shape)
    if isinstance(shape, Leaf):
        if isinstance(node, Mapping) and "value" in node.entries:
            node = node.entries["value"]
        if key not in OWN and not choices_of(shape.schema):
            yield from leaves(node)
    elif isinstance(node, Sequence) and isinstance(shape, Items):
        for one in node.items:
            yield from named(one, shape.item, key)
    elif isinstance(node, Mapping):
        if isinstance(shape, Choice):
            chosen = shape.chosen(node.entries)
            assert chosen is not None
            shape = chosen
        fields = {} if isinstance(shape, Named | Items) else fields_of(shape)
        for name, inner in node.entries.items():
            if key in ("set", "parameters"):
                yield name, node.keys[name]
            yield from named(inner, shape.item if isinstance(shape, Named) else fields[name], name)


def leaves(node: Node) -> Iterator[tuple[str, Place]]:
    """Yield the scalars of a node, and where they are."""
    if isinstance(node, Scalar):
        yield node.text, node.place
    for one in node.items if isinstance(node, Sequence) else ():
        yield from leaves(one)


def problems_of(kind: Kind[Any], name: str, text: str, folder: Path) -> list[Problem]:
    """Check a text as the commands do that use it; return what is wrong."""
    try:
        read: Document = kind.parse(text, name, ())[0]
        if kind is WORKLOAD and name in MACHINE_OF:
            machine = load_machine(MACHINE_OF[name])
            found = fit(machine, read)  # type: ignore[arg-type]
            return [one for one in found if one.severity == "error"]
        if kind is FIT:
            prepare(read)  # type: ignore[arg-type]
        if kind is REQUIREMENT:
            (folder / "r.yaml").write_text(text, "utf-8")
            Loads(folder / "r.yaml")
    except ConfigError as error:
        return error.problems
    return []


def misspelt(text: str, name: str, place: Place) -> str:
    """Return a text with two letters swapped in a name that stands somewhere in it."""
    lines = text.split("\n")
    line, at = lines[place.line - 1], place.column - 1
    at = line.index(name, at)
    lines[place.line - 1] = line[:at] + swapped(name) + line[at + len(name) :]
    return "\n".join(lines)


@pytest.mark.few(7)
@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in KINDS for name in kind.shipped()]
)
def test_a_misspelt_name_of_something_else_gets_its_near_one(
    kind: Kind[Any], name: str, tmp_path: Path
) -> None:
    """One error that names what is meant, wherever a shipped file names a part, a file, a key."""
    text = kind.shipped()[name].read_text("utf-8")
    tree = kind.parse(text, name, ())[1]
    seen: set[str] = set()
    for word, place in named(tree, kind.section):
        if word in seen or not re.fullmatch(r"[a-z][a-z0-9_.-]{2,40}", word):
            continue
        if (wrong := swapped(word)) == word:
            continue
        seen.add(word)
        about = [str(one) for one in problems_of(kind, name, misspelt(text, word, place), tmp_path)]
        if not about and kind is WORKLOAD and name not in MACHINE_OF:
            continue  # Without its machine nobody knows what this names.
        assert len(about) == 1, (place, wrong, about)
        near = re.search(r"did you mean '(.*)'\?", about[0])
        assert near, about
        assert near[1].endswith(word) or near[1] in word.split("."), about
