"""The JSON Schema of files fits what loading takes."""

import json

import pytest
import yaml
from jsonschema import Draft202012Validator

from simulator.config.formats import (
    KINDS,
)
from simulator.config.quantities import Leaf
from simulator.config.schema import KINDS as EVERY_KIND
from simulator.config.schema import json_schema, schema_names
from simulator.config.section import Choice, Items, Named, fields_of
from tests.config.machine_texts import SMALL_MACHINE as MACHINE
from tests.config.machine_texts import SMALL_WORKLOAD as WORKLOAD

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
