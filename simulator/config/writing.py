"""YAML as people write it: whole files, and values put into the text of one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Union

import yaml

from simulator.config import yamltree
from simulator.config.errors import Path
from simulator.config.part import CPU

WIDTH = 160
"""Characters of the longest line that can be wrapped."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A mapping or list that is written in brackets."""

    value: Value


Value = Union[str, int, yamltree.Node, Flow, Mapping[str, "Value"], Sequence["Value"]]  # noqa: UP007
"""What can be written: texts, numbers, nodes of another file, and mappings and lists of these."""

_UNSAFE_START = re.compile(r"""[-?:](\s|$)|[!&*|>@%`"'#,\[\]{}]""")
_UNSAFE = re.compile(r"[,\[\]{}\n]|:(\s|$)|\s#|^$|^\s|\s$|^(~|null|Null|NULL)$")


def scalar(text: str, *, quoted: bool = False) -> str:
    r"""Write a text, in quotes if it must be or is to be.

    >>> scalar("8 MB"), scalar("a, b"), scalar("- x"), scalar("600 kB", quoted=True)
    ('8 MB', '"a, b"', '"- x"', '"600 kB"')
    """
    if quoted or _UNSAFE_START.match(text) or _UNSAFE.search(text) or not text.isprintable():
        return json.dumps(text, ensure_ascii=False)
    return text


def document(comment: Sequence[str], sections: Mapping[str, Value]) -> str:
    """Write a file: its head comment, then its sections, with a blank line before each block."""
    lines = [*comment]
    for key, value in sections.items():
        written = list(_entry(key, value, 0))
        if len(written) > 1:
            lines.append("")
        lines += written
    return "\n".join(lines) + "\n"


def _entry(key: str, value: Value, indent: int) -> Iterator[str]:
    """Write one key and its value."""
    margin, name = " " * indent, scalar(key)
    if isinstance(value, Mapping) and value:
        yield f"{margin}{name}:"
        for inner, one in value.items():
            yield from _entry(inner, one, indent + 2)
    elif isinstance(value, Sequence) and value and not isinstance(value, str):
        yield f"{margin}{name}:"
        for one in value:
            yield from _item(one, indent + 2)
    else:
        yield from _wrapped(f"{margin}{name}: ", pieces(value), indent + 4)


def _item(value: Value, indent: int) -> Iterator[str]:
    """Write one item of a list in blocks."""
    if isinstance(value, Mapping) and value:
        mark = "- "
        for key, one in value.items():
            first, *rest = _entry(key, one, indent + 2)
            yield f"{' ' * indent}{mark}{first[indent + 2 :]}"
            yield from rest
            mark = "  "
    else:
        yield from _wrapped(f"{' ' * indent}- ", pieces(value), indent + 4)


def _wrapped(start: str, words: list[str], indent: int) -> Iterator[str]:
    """Fill lines with the items of a value."""
    line = start
    for number, word in enumerate(words):
        if number and len(line) + len(word) > WIDTH:
            yield line.rstrip()
            line = " " * indent
        line += f"{word} "
    yield line.rstrip()


def pieces(value: Value) -> list[str]:
    """Write a value in brackets: its items, between which a line may be broken.

    >>> pieces({"value": 4, "note": "a, b", "of": ["x", "y"]})
    ['{value: 4,', 'note: "a, b",', 'of: [x, y]}']
    """
    if isinstance(value, Flow):
        return pieces(value.value)
    if isinstance(value, yamltree.Scalar):
        return [scalar(value.text, quoted=not value.plain)]
    if isinstance(value, int):
        return [str(value)]
    if isinstance(value, str):
        return [scalar(value)]
    if isinstance(value, yamltree.Mapping | Mapping):
        entries = value.entries if isinstance(value, yamltree.Mapping) else value
        inner = [f"{scalar(key)}: {' '.join(pieces(one))}" for key, one in entries.items()]
        return _bracketed("{", inner, "}")
    items = value.items if isinstance(value, yamltree.Sequence) else value
    return _bracketed("[", [" ".join(pieces(one)) for one in items], "]")


def _bracketed(opening: str, inner: list[str], closing: str) -> list[str]:
    if not inner:
        return [f"{opening}{closing}"]
    joined = [f"{one}," for one in inner[:-1]] + [f"{inner[-1]}{closing}"]
    joined[0] = f"{opening}{joined[0]}"
    return joined


def with_value(text: str, path: Path, value: str) -> str:
    r"""Return a file's text with another value at a path, which may be missing in it.

    ``value`` is YAML on one line. A list or a plain text may stand for a section there, as for
    ``{tiers: [..]}``. Whether the new text means what it should must be checked by reading it.

    >>> with_value("parts:\n  disk: {rate: 1 MB/s} # old\n", ("parts", "disk", "rate"), "2 MB/s")
    'parts:\n  disk: {rate: 2 MB/s} # old\n'
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None  # It has been read before.
    node, steps = root, list(path)
    while steps:
        inner = _inside(node, str(steps[0]))
        if inner is not None:
            node = inner
        elif isinstance(node, yaml.MappingNode):
            return _inserted(text, node, steps, value, whole=node is root)
        # Else it is short for a section: the step is the key that is left out.
        del steps[0]
    end = node.end_mark.index
    while text[end - 1].isspace():  # A block ends where the next thing begins.
        end -= 1
    return text[: node.start_mark.index] + value + text[end:]


def _inside(node: yaml.Node, step: str) -> yaml.Node | None:
    """Return what is at a step of a mapping or a list; None if nothing is."""
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and step.isdecimal():
        return node.value[int(step)] if int(step) < len(node.value) else None
    return None


def _inserted(
    text: str, node: yaml.MappingNode, steps: list[str | int], value: str, *, whole: bool
) -> str:
    """Return the text with a new key in a mapping; further steps become mappings in brackets."""
    key, *rest = map(str, steps)
    for step in reversed(rest):
        kind = "kind: cpu, " if key == CPU and step == rest[0] else ""
        value = f"{{{kind}{step}: {value}}}"
    start = node.start_mark.index
    if whole:
        return f"{text.rstrip()}\n{key}: {value}\n"
    if node.flow_style:
        comma = ", " if node.value else ""
        return f"{text[: start + 1]}{key}: {value}{comma}{text[start + 1 :]}"
    margin = " " * node.start_mark.column
    return f"{text[:start]}{key}: {value}\n{margin}{text[start:]}"
