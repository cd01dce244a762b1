"""The JSON Schema of the file formats, for editors that complete and check while one writes."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from simulator.config import formats
from simulator.config.fit_file import FIT
from simulator.config.quantities import SCHEMA_KEY, Leaf
from simulator.config.section import (
    Choice,
    Items,
    Named,
    OneOf,
    Section,
    Shape,
    fields_of,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"

KINDS = (*formats.KINDS, FIT)
"""All kinds of files."""

_SOURCE = {
    "type": "string",
    "pattern": "^((paper|literature|calibrated|measured) +.*[^ ].*|assumed)$",
    "description": "paper SECTION, literature KEY, calibrated TABLES, measured HOW, or assumed",
}


def json_schema(kind: str) -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of a kind of file; it is data, ready for ``json``.

    It describes the structure of a file and the form of its values. What depends on several values
    (a store of whole blocks, the parts of a path) only loading can tell.
    """
    (found,) = (one for one in KINDS if kind in (one.noun, one.format))
    section = found.section
    made = section.model_json_schema(mode="validation")
    leaves: dict[str, Leaf] = {}
    _describe(section, made)
    schema = _with_leaves(made, leaves)
    _add_shorthands(section, schema.get("$defs", {}))
    named = {name: _definition(leaf) for name, leaf in sorted(leaves.items())}
    schema["$defs"] = schema.get("$defs", {}) | named  # A file without sections has none yet.
    return {"$schema": DRAFT, "$id": f"urn:nwtsim:{found.format.replace('/', ':')}", **schema}


def schema_names() -> list[str]:
    """Name the kinds of files: what they are, and their formats."""
    return [*(kind.noun for kind in KINDS), *(kind.format for kind in KINDS)]


def _describe(section: type[Section], made: dict[str, Any]) -> None:
    """Add the sentences under the fields of all sections, as descriptions."""
    for one in _sections_in(section, set()):
        schema = made if one is section else made["$defs"][one.__name__]
        for base in one.__mro__:
            for key, sentence in _sentences(base).items() if issubclass(base, Section) else ():
                if key in schema["properties"]:
                    schema["properties"][key].setdefault("description", sentence)


@functools.cache
def _sentences(section: type[Section]) -> dict[str, str]:
    """Read the sentence under each field of a section from its source."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(section))).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, after in pairwise(tree.body):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
            found[ast.unparse(field.target)] = inspect.cleandoc(ast.literal_eval(after.value))
    return found


def _add_shorthands(section: type[Section], definitions: dict[str, Any]) -> None:
    """Let a plain text or list stand for a section that has a shorthand."""
    for one in _sections_in(section, set()):
        found = definitions.get(one.__name__)
        if not one.shorthand or found is None:
            continue
        forms = []
        for form, key in one.shorthand.items():
            inner = dict(found["properties"][key])
            listed = inner.get("type") == "array"
            forms.append({"type": "string"} if form == "text" and listed else inner)
        definitions[one.__name__] = {"anyOf": [found, *forms]}


def _sections_in(shape: Shape, seen: set[type[Section]]) -> Iterator[type[Section]]:
    """Yield the sections within a shape, each once."""
    if isinstance(shape, Named | Items):
        yield from _sections_in(shape.item, seen)
    elif isinstance(shape, Choice | OneOf):
        for option in shape.options.values():
            yield from _sections_in(option, seen)
    elif isinstance(shape, type) and shape not in seen:
        seen.add(shape)
        yield shape
        for inner in fields_of(shape).values():
            yield from _sections_in(inner, seen)


def _with_leaves(schema: Any, leaves: dict[str, Leaf]) -> Any:
    """Replace the marked leaves by references to definitions, and collect these."""
    if isinstance(schema, list):
        return [_with_leaves(one, leaves) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema = _without_null(schema)
    if len(schema.get("allOf", [])) == 1:  # How older versions of pydantic describe a section.
        schema = {**schema["allOf"][0], **{k: one for k, one in schema.items() if k != "allOf"}}
    leaf = schema.get(SCHEMA_KEY)
    plain = {key: _with_leaves(one, leaves) for key, one in schema.items() if key != SCHEMA_KEY}
    if isinstance(leaf, Leaf):
        leaves[leaf.name] = leaf
        plain["$ref"] = f"#/$defs/{leaf.name}"
        if "default" in plain:
            plain["default"] = leaf.show(leaf.read(plain["default"]))
    elif isinstance(plain.get("default"), dict):
        del plain["default"]  # Of a section: its keys have theirs.
    return plain


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Take out the null of an optional key: in a file such a key is left out, not empty."""
    choices = [one for one in schema.get("anyOf", []) if one != {"type": "null"}]
    if len(choices) == len(schema.get("anyOf", [])):
        return schema
    rest = {key: one for key, one in schema.items() if key != "anyOf"}
    if rest.get("default", ...) is None:
        del rest["default"]
    return {**choices[0], **rest} if len(choices) == 1 else {"anyOf": choices, **rest}


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
        },
        "required": ["value"],
        "additionalProperties": False,
    }
    return {"anyOf": [leaf.schema, sourced], "description": f"written like {leaf.example}"}
