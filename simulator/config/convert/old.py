"""The text of an old file: its comments, and its values with their sources and notes."""

from __future__ import annotations

import re
from collections.abc import Mapping as PlainMapping

from simulator.config.convert.writing import Flow, Value
from simulator.config.nodes import Mapping, Node, Scalar, Sequence

_WRAPPER = ("value", "source", "note")


def head_comment(text: str) -> list[str]:
    """Return the comment lines that a file begins with."""
    lines = []
    for line in text.removeprefix("\ufeff").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.rstrip())
    return lines


_QUOTED = re.compile(r"""(?<![^\s\[{,:])("(\\\\.|[^"\\\\])*"|'([^']|'')*')""")
_COMMENT = re.compile(r"(?:^|\s)#\s*(.*\S)")


def comments(text: str) -> dict[int, str]:
    r"""Return the comments of a file by line, from 1 on.

    >>> comments("a: 1  # one\nb: 'x # y'\n# two\n")
    {1: 'one', 3: 'two'}
    """
    listed = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if found_one := _COMMENT.search(_QUOTED.sub("_", line)):
            listed[number] = found_one[1]
    return listed


def found(tree: Node | None, *path: str) -> Node | None:
    """Return the node at a path of keys; None if there is none."""
    for key in path:
        if not isinstance(tree, Mapping):
            return None
        tree = tree.entries.get(key)
    return tree


def is_valued(node: Node | None) -> bool:
    """Whether a node is a value with a source or note beside it."""
    return (
        isinstance(node, Mapping)
        and "value" in node.entries
        and all(key in _WRAPPER for key in node.entries)
    )


def bare(node: Node | None) -> Node | None:
    """Return a value without its source and note."""
    return node.entries["value"] if isinstance(node, Mapping) and is_valued(node) else node


def beside(node: Node | None, key: str) -> str:
    """Return the source or note beside a value; empty if there is none."""
    if not isinstance(node, Mapping) or not is_valued(node):
        return ""
    one = node.entries.get(key)
    return " ".join(one.text.split()) if isinstance(one, Scalar) else ""


def valued(value: Value, source: str = "", note: str = "") -> Value:
    """Return a value with what is to stand beside it."""
    if not source and not note:
        return Flow(value) if isinstance(value, PlainMapping | list) else value
    texts = {"source": source, "note": note}
    return Flow({"value": value, **{key: text for key, text in texts.items() if text}})


def each_way(read: Node | None, write: Node | None, otherwise: str) -> Value:
    """Return one value for each direction from two, with the sources and notes of both."""
    value = {"read": bare(read) or otherwise, "write": bare(write) or otherwise}
    sources = [beside(read, "source"), beside(write, "source")]
    notes = [beside(read, "note"), beside(write, "note")]
    if sources[0] == sources[1]:
        return valued(value, sources[0], "; ".join(dict.fromkeys(filter(None, notes))))
    reading = ", ".join(filter(None, [sources[0], notes[0]]))
    writing = f"writing{': ' if notes[1] else ''}{notes[1]}"
    return valued(value, sources[1], f"{writing}; reading: {reading or 'unstated'}")


def kept(node: Node | None) -> Value | None:
    """Return a node as it is to be written: on one line."""
    return Flow(node) if isinstance(node, Mapping | Sequence) else node


def head_of(tree: Mapping, format_: str, name: str) -> dict[str, Value]:
    """Return what every file begins with: format, name, title, references."""
    made: dict[str, Value] = {"format": format_, "name": name}
    for key in ("title", "references"):
        node = tree.entries.get(key)
        if node is not None:
            made[key] = node.entries if isinstance(node, Mapping) else node
    return made


def picked(tree: Node, keys: str, *path: str) -> dict[str, Value]:
    """Return values of the old section at a path that are there, under their new keys.

    ``keys`` are words: an old key, and the new one behind a colon if it is another.
    """
    pairs = (word.partition(":") for word in keys.split())
    values = {new or old: kept(found(tree, *path, old)) for old, _, new in pairs}
    return {key: value for key, value in values.items() if value is not None}
