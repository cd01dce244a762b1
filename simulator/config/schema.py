"""The JSON Schema of the file formats, for editors that complete and check while one writes."""

from __future__ import annotations

from typing import Any

from simulator.config.machine import Machine
from simulator.config.quantities import SCHEMA_KEY, Leaf
from simulator.config.section import Section
from simulator.config.systems import SYSTEMS, kinds_of
from simulator.config.workload import Workload

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_SOURCE = {
    "type": "string",
    "pattern": "^((paper|literature|calibrated|measured) +.*[^ ].*|assumed)$",
    "description": "paper SECTION, literature KEY, calibrated TABLES, measured HOW, or assumed",
}


def json_schema(kind: str) -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of a kind of file; it is data, ready for ``json``.

    It describes the structure of a file and the form of its values. What depends on several values
    (an SSU of whole units, a file system's storage) only loading can tell.
    """
    section = _sections()[kind]
    made = section.model_json_schema(mode="validation")
    leaves: dict[str, Leaf] = {}
    schema = _with_leaves(made, leaves)
    named = {name: _definition(leaf) for name, leaf in sorted(leaves.items())}
    schema["$defs"] = schema.get("$defs", {}) | named  # A file without sections has none yet.
    return {"$schema": DRAFT, "$id": f"urn:nwtsim:{kind}:1", **schema}


def schema_names() -> list[str]:
    """Name the kinds of files: what stands before the /1 of their formats."""
    systems = (key for one in SYSTEMS for key in (one.machine, one.workload))
    return ["machine", "workload", *(key.partition("/")[0] for key in systems)]


def _sections() -> dict[str, type[Section]]:
    sections: dict[str, type[Section]] = {"machine": Machine, "workload": Workload}
    for system in SYSTEMS:
        for kind in kinds_of(system):
            sections[kind.name] = kind.section
    return sections


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
            plain["default"] = leaf.show(plain["default"])
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
