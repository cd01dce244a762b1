"""The JSON Schema of files fits what loading takes."""

import json
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from simulator.config.formats import (
    KINDS,
)
from simulator.config.load import Kind
from simulator.config.quantities import Leaf
from simulator.config.schema import KINDS as EVERY_KIND
from simulator.config.schema import _sections_in, json_schema, schema_names
from simulator.config.section import Choice, Items, Named, fields_of
from tests.config.machine_texts import SMALL_MACHINE as MACHINE
from tests.config.machine_texts import SMALL_WORKLOAD as WORKLOAD
from tests.config.queue_texts import PHASES, machine, workload

# -- JSON Schema ----------------------------------------------------------------------------


def fits(tree: object, schema: dict) -> bool:
    """Whether what YAML has read is valid; JSON has texts as keys."""
    return bool(Draft202012Validator(schema).is_valid(json.loads(json.dumps(tree))))


class Yaml12(yaml.SafeLoader):
    """Reads ``on`` and ``no`` as texts, as editors do and we."""

    yaml_implicit_resolvers = {
        first: [one for one in some if first in "tTfF" or not one[0].endswith(":bool")]
        for first, some in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@pytest.mark.few(2)
@pytest.mark.parametrize("name", schema_names())
def test_shipped_files_fit_their_schema(name: str) -> None:
    schema = json.loads(json.dumps(json_schema(name)))
    Draft202012Validator.check_schema(schema)
    (kind,) = (one for one in EVERY_KIND if name in (one.noun, one.format))
    texts = [path.read_text("utf-8") for path in kind.shipped().values()]
    own = {"machine": MACHINE, "workload": WORKLOAD}
    assert texts
    for text in [*texts, *([own[name]] if name in own else [])]:
        tree = yaml.load(text, Yaml12)
        assert fits(tree, schema)
        assert not fits({**tree, "titel": "x"}, schema)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("64 MB, b", "64, b"),
        ("64 MB, b", "64 KB, b"),
        ("60 %", "0.6"),
        ("count: 4", "count: 017"),
        ("kind: disk", "kind: dsk"),
        ("release: whole", "release: half"),
        ("64 MB, b", "{value: 64 MB, source: rumour}, b"),
        ("64 MB, b", "{source: assumed}, b"),
        (", capacity: 64 MB", ""),
    ],
)
def test_the_schema_refuses_what_loading_refuses(old: str, new: str) -> None:
    schema = json_schema("machine")
    assert old in MACHINE
    assert not fits(yaml.load(MACHINE.replace(old, new), Loader=yaml.BaseLoader), schema)


@pytest.mark.parametrize("kind", EVERY_KIND, ids=lambda kind: kind.noun)
def test_no_two_sections_of_a_file_have_one_name(kind: Kind[Any]) -> None:
    """The schema has one of them only."""
    names = [one.__name__ for one in _sections_in(kind.section, set())]
    assert sorted(names) == sorted(set(names))


def test_files_with_queues_fit_their_schema() -> None:
    off = "{at: 1 h, lasts: 1 h, every: 1 d, until: 9 d}"
    queue = f"{{order: fair-share, half_life: 1 d, backfill: easy, off: [{off}]}}"
    limits = "{limits: [{each: user, jobs: 4}, {name: a, nodes: 2}]}"
    for text in (machine(), machine(queue), machine(limits)):
        assert fits(yaml.load(text, Yaml12), json_schema("machine"))
    submit = "{every: 1 h, count: 3, day: [8 h, 18 h], week: 5}"
    jobs = [
        f"name: a, submit: {submit}, requested: 2 h, stage_in: b, hold: false, {PHASES}",
        "name: b, phases: [{do: compute, time: 1 h, spread: exponential}]",
        "name: c, log: {file: x.swf, queues: [0], most: 3}, phases: [{do: compute, of_run: 9 %}]",
    ]
    assert fits(yaml.load(workload(*jobs), Yaml12), json_schema("workload"))


def test_every_key_is_described() -> None:
    undescribed = [
        f"{name}.{key}"
        for kind in schema_names()
        for name, section in json_schema(kind)["$defs"].items()
        for key, inner in section.get("properties", {}).items()
        if not inner.keys() & {"description", "$ref"}
    ]
    assert undescribed == []


def test_every_leaf_has_an_example_that_it_reads() -> None:
    seen: set[object] = set()

    def leaves(shape: object) -> set[Leaf]:
        if isinstance(shape, Leaf):
            return {shape}
        if isinstance(shape, type):  # a loop has phases, and may be one
            if shape in seen:
                return set()
            seen.add(shape)
        if isinstance(shape, Named | Items):
            return leaves(shape.item)
        several = isinstance(shape, Choice)
        inner = shape.options.values() if several else fields_of(shape).values()
        return {leaf for one in inner for leaf in leaves(one)}

    for leaf in set().union(*(leaves(kind.section) for kind in KINDS)):
        example = yaml.load(leaf.example, Loader=yaml.BaseLoader)
        value = leaf.read(example)
        assert leaf.read(value) == value
        assert leaf.read(yaml.load(leaf.show(value), Loader=yaml.BaseLoader)) == value
