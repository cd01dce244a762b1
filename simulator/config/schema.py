"""The JSON Schema of the file formats, for editors that complete and check while one writes."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from simulator.config import formats
from simulator.config.fit_file import FIT
from simulator.config.quantities import Leaf
from simulator.config.requirement_file import REQUIREMENT
from simulator.config.section import (
    TAG,
    Choice,
    Items,
    Key,
    Named,
    Section,
    Shape,
    cached,
    fields_of,
    keys_in,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"

KINDS = (*formats.KINDS, FIT, REQUIREMENT)
"""All kinds of files."""

_RANGE: dict[str, Any] = {
    "description": "20 %, the two ends, or the standard error of a fit and its correlations",
    "anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": ["string", "number"]}, "minItems": 2, "maxItems": 2},
        {
            "type": "object",
            "properties": {
                "error": {"type": "string"},
                "freedom": {"type": "integer", "minimum": 1},
                "with": {"type": "object", "additionalProperties": {"type": "number"}},
            },
            "required": ["error"],
            "additionalProperties": False,
        },
    ],
}
_SOURCE = {
    "type": "string",
    "pattern": "^((paper|literature|calibrated|measured) +.*[^ ].*|assumed)$",
    "description": "paper SECTION, literature KEY, calibrated TABLES, measured HOW, or assumed",
}


def json_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of file; it is data, ready for ``json``.

    It describes the structure of a file and the form of its values. What depends on several values
    (a store of whole blocks, the parts of a path) only loading can tell.
    """
    (found,) = (one for one in KINDS if kind in (one.noun, one.format))
    leaves: dict[str, Leaf] = {}
    sections: dict[str, dict[str, Any]] = {}
    for one in _sections_in(found.section, set()):
        schema = _section(one, leaves)
        forms = [_form(schema, *each) for each in one.shorthand.items()]
        sections[one.__name__] = {"anyOf": [schema, *forms]} if forms else schema
    top = sections.pop(found.section.__name__)
    named = {name: _definition(leaf) for name, leaf in sorted(leaves.items())}
    about = {"$schema": DRAFT, "$id": f"urn:nwtsim:{found.format.replace('/', ':')}"}
    return {**about, "$defs": dict(sorted(sections.items())) | named, **top}


def schema_names() -> list[str]:
    """Name the kinds of files: what they are, and their formats."""
    return [*(kind.noun for kind in KINDS), *(kind.format for kind in KINDS)]


def _section(section: type[Section], leaves: dict[str, Leaf]) -> dict[str, Any]:
    """Describe a section; add the leaves in it."""
    required = [key.name for key in keys_in(section) if key.required]
    return {
        "additionalProperties": False,
        "description": inspect.getdoc(section),
        "properties": {key.name: _key(section, key, leaves) for key in keys_in(section)},
        **({"required": required} if required else {}),
        "title": section.__name__,
        "type": "object",
    }


def _key(section: type[Section], key: Key, leaves: dict[str, Leaf]) -> dict[str, Any]:
    """Describe a key of a section; add the leaves in it."""
    shape = key.shape
    made = _shape(shape, leaves)
    if not isinstance(shape, type):
        made["title"] = key.name.replace("_", " ").title()
    if isinstance(shape, Leaf) and not key.required and key.default is not None:
        made["default"] = shape.show(key.default)
    if sentence := _sentence(section, key.name):
        made["description"] = sentence
    return made


def _shape(shape: Shape, leaves: dict[str, Leaf]) -> dict[str, Any]:
    """Describe what is expected at some place; add the leaves in it."""
    if isinstance(shape, Leaf) and shape.name == TAG:
        tags = shape.schema["enum"]
        return {**({"enum": tags} if len(tags) > 1 else {"const": tags[0]}), "type": "string"}
    if isinstance(shape, Leaf):
        leaves[shape.name] = shape
        return {"$ref": f"#/$defs/{shape.name}"}
    if isinstance(shape, Named):
        made = {"additionalProperties": _shape(shape.item, leaves), "type": "object"}
        return {**made, "minProperties": 1} if shape.full else made
    if isinstance(shape, Items):
        made = {"items": _shape(shape.item, leaves), "type": "array"}
        return {**made, "minItems": 1} if shape.full else made
    if isinstance(shape, type):
        return {"$ref": f"#/$defs/{shape.__name__}"}
    refs = {tag: f"#/$defs/{one.__name__}" for tag, one in shape.options.items()}
    either: dict[str, Any] = {"oneOf": [{"$ref": ref} for ref in dict.fromkeys(refs.values())]}
    if shape.key:
        either["discriminator"] = {"mapping": refs, "propertyName": shape.key}
    return either


def _form(schema: dict[str, Any], form: str, key: str) -> dict[str, Any]:
    """Describe a plain text or list that stands for a section: a key's value alone."""
    inner: dict[str, Any] = schema["properties"][key]
    return {"type": "string"} if form == "text" and inner.get("type") == "array" else inner


def _sentence(section: type[Section], key: str) -> str | None:
    """Return the sentence under a key, of the section or a base of it."""
    bases = (base for base in section.__mro__ if issubclass(base, Section))
    return next((found for base in bases if (found := _sentences(base).get(key))), None)


@cached
def _sentences(section: type[Section]) -> dict[str, str]:
    """Read the sentence under each field of a section from its source."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(section))).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, after in pairwise(tree.body):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
            found[ast.unparse(field.target)] = inspect.cleandoc(ast.literal_eval(after.value))
    return found


def _sections_in(shape: Shape, seen: set[type[Section]]) -> Iterator[type[Section]]:
    """Yield the sections within a shape, each once."""
    if isinstance(shape, Named | Items):
        yield from _sections_in(shape.item, seen)
    elif isinstance(shape, Choice):
        for option in shape.options.values():
            yield from _sections_in(option, seen)
    elif isinstance(shape, type) and shape not in seen:
        seen.add(shape)
        yield shape
        for inner in fields_of(shape).values():
            yield from _sections_in(inner, seen)


def _definition(leaf: Leaf) -> dict[str, Any]:
    """Describe a leaf as it can be written: plain, or with its source."""
    if not leaf.sourced:
        return dict(leaf.schema)
    sourced = {
        "type": "object",
        "properties": {
            "value": leaf.schema,
            "source": _SOURCE,
            "note": {"type": "string"},
            "range": _RANGE,
        },
        "required": ["value"],
        "additionalProperties": False,
    }
    return {"anyOf": [leaf.schema, sourced], "description": f"written like {leaf.example}"}
