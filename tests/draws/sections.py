"""Sections of files drawn from their own definitions: each key, with a value of its kind.

Whatever a section of a machine or workload file gets as a new key is drawn without a word here;
what a value names (a part, a file) comes from who draws the whole file. A draw need not fit the
others of its file: :mod:`tests.draws.mended` leaves out what is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from simulator.config.part import Part
from simulator.config.quantities import Leaf
from simulator.config.section import Choice, Items, Key, Named, Section, Shape, keys_in
from simulator.kinds.dice import LEFT_OUT, Dice
from tests.draws.values import DRAWN

Names = Callable[[type[Section], str], Sequence[str]]
"""What a key of a section can name; nothing if there is no such thing in the file."""
MOST_ITEMS = 2
OPTIONAL = 35
"""Percent of the optional keys that are written."""


class Draws:
    """Draws of values by their kinds."""

    def __init__(self, dice: Dice, names: Names) -> None:
        self.dice = dice
        self.names = names

    def section(self, kind: type[Section], /, **fixed: Any) -> dict[str, Any]:
        """Draw a section: keys that it needs, and some of the others; ``fixed`` ones as given."""
        values: dict[str, Any] = {}
        for key in keys_in(kind):
            if key.name in fixed:
                values[key.name] = fixed[key.name]
            elif key.required or self.dice.maybe(OPTIONAL):
                values[key.name] = self._key(kind, key)
        return {name: value for name, value in values.items() if value is not LEFT_OUT}

    def part(self, kind: type[Part], tag: str, /, **fixed: Any) -> dict[str, Any]:
        """Draw a section of a part: by the draw of its kind, if that has one for files."""
        given = kind.drawn_keys(self.dice)
        return self.section(kind, kind=tag, **{**given, **fixed})

    def one_of(self, shape: Choice, **fixed: Any) -> dict[str, Any]:
        """Draw one of several sections."""
        tag = self.dice.some(*shape.options)
        tags = {shape.key: tag} if shape.key else {}
        return self.section(shape.options[tag], **tags, **fixed)

    def _key(self, kind: type[Section], key: Key) -> Any:
        return self._value(kind, key.name, key.shape)

    def _value(self, kind: type[Section], key: str, shape: Shape) -> Any:
        many = range(self.dice.int(1, MOST_ITEMS))
        if isinstance(shape, Leaf):
            return self._leaf(kind, key, shape)
        if isinstance(shape, Named):
            return {f"{key}{n}": self._value(kind, key, shape.item) for n in many}
        if isinstance(shape, Items):
            return [self._value(kind, key, shape.item) for _ in many]
        return self.one_of(shape) if isinstance(shape, Choice) else self.section(shape)

    def _leaf(self, kind: type[Section], key: str, leaf: Leaf) -> Any:
        some = self.dice.some
        if leaf.name in ("name", "names"):
            known = self.names(kind, key)
            return some(*known) if known else LEFT_OUT
        if "enum" in leaf.schema:
            return some(*leaf.schema["enum"])
        if "enum" in leaf.schema.get("items", {}):
            words = leaf.schema["items"]["enum"]
            return [one for one in words if self.dice.maybe()] or [some(*words)]
        drawn = DRAWN.get((leaf.name, leaf.example), DRAWN.get(leaf.name))
        return leaf.example if drawn is None else drawn(self.dice)


def written(value: Any) -> str:
    """Return what was drawn as the text of a file, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return str(value)
