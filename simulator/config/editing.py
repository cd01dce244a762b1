"""Values put into the text of a YAML file, so that its comments and its order stay."""

from __future__ import annotations

import yaml

from simulator.config.errors import Path
from simulator.config.settings import IMPLIED


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
        kind = "kind: cpu, " if key == IMPLIED and step == rest[0] else ""
        value = f"{{{kind}{step}: {value}}}"
    start = node.start_mark.index
    if whole:
        return f"{text.rstrip()}\n{key}: {value}\n"
    if node.flow_style:
        comma = ", " if node.value else ""
        return f"{text[: start + 1]}{key}: {value}{comma}{text[start + 1 :]}"
    margin = " " * node.start_mark.column
    return f"{text[:start]}{key}: {value}\n{margin}{text[start:]}"
