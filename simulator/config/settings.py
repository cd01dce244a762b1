"""``--set path=value``: single values of the files replaced by the user.

A path begins with ``machine.`` or ``workload.`` and goes on with the keys of the file; items of
a list have their index, and ``*`` stands for all items or all names. A value is YAML: a scalar,
``[a list]`` or ``{a: mapping}``. One of several numbers of a value has its key as the last step:
``machine.parts.sata.rate.8``, ``machine.parts.disk.rate.read``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from simulator.config.errors import ConfigError, Problem
from simulator.config.part import CPU
from simulator.config.quantities import Leaf, Time
from simulator.config.reader import expanded
from simulator.config.renamed import RENAMED, old_keys, with_names
from simulator.config.section import Choice, Items, Named, Section, Shape, fields_of, leaf_of
from simulator.config.yamltree import Mapping, Node, Place, Scalar, Sequence, read_tree, unwrapped
from simulator.errors import did_you_mean
from simulator.units import Nanoseconds

POSITIONING = "positioning"
TIMES = ("seek", "rotation", "track_seek", "full_seek")
"""The keys of a disk that positioning consists of."""


def positioning_times(section: Section) -> dict[str, int]:
    """Return the times of positioning of a part, in ns; empty if it has none."""
    values = {key: getattr(section, key, None) for key in TIMES}
    return {key: value for key, value in values.items() if value}


def positioned(parts: AnyMapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Section]]:
    """Yield the parts that have times of positioning, or sections in them, by their places."""
    for name, section in parts.items():
        if not isinstance(section, Section):
            continue
        if positioning_times(section):
            yield (name,), section
        inner = {key: getattr(section, key) for key in fields_of(type(section))}
        yield from (((name, *at), one) for at, one in positioned(inner))


def mean_positioning(times: AnyMapping[str, int]) -> Nanoseconds:
    """Return the mean time to a random place: the seek, and half a rotation.

    A seek that grows linearly with its distance takes, over a third of the disk on the average,
    ``track_seek + (full_seek - track_seek) / 3``.

    >>> mean_positioning({"seek": 8_000_000, "rotation": 8_000_000})
    12000000
    >>> mean_positioning({"track_seek": 1_000_000, "full_seek": 16_000_000})
    6000000
    """
    return Nanoseconds(round(_mean(times)))


def _mean(times: AnyMapping[str, int]) -> Fraction:
    track, full = times.get("track_seek", 0), times.get("full_seek", 0)
    seek = times.get("seek", 0) if not full else Fraction(2 * track + full, 3)
    return Fraction(seek) + Fraction(times.get("rotation", 0), 2)


def with_mean(texts: AnyMapping[str, str], mean: str, leaf: Leaf) -> dict[str, str]:
    """Return the texts of times multiplied so that their mean is another one.

    ``leaf`` reads and writes a time. ValueError if a text is wrong, or all times are 0.
    """
    times = {key: leaf.read(text) for key, text in texts.items()}
    wanted, now = leaf.read(mean), _mean(times)
    if not now:
        raise ValueError("has no seek and no rotation that could be multiplied; set these")
    return {key: leaf.show(round(time * wanted / now)) for key, time in times.items()}


Setting = tuple[str, str]
"""A path and the text of its value."""

HEADS = ("machine", "workload")
_WAYS, _ALONE = ("read", "write"), ("1",)
"""Keys of values that may be written as one number."""
BY_GROUP = "-by-group"
"""How the names of leaves end that may have a number for each group of nodes."""


def full_path(name_or_path: str) -> bool:
    """Return whether this is a full path, no short name.

    >>> full_path("machine.stores.ssu.block"), full_path("block")
    (True, False)
    """
    return name_or_path.partition(".")[0] in HEADS


def apply_settings(
    tree: Mapping, shape: Shape, head: str, settings: Iterable[Setting]
) -> tuple[Mapping, list[Problem]]:
    """Return ``tree`` with the settings in it that begin with ``head``, in their order.

    A setting that cannot be applied is among the problems. The given tree stays as it is.
    """
    problems: list[Problem] = []
    for setting in settings:
        try:
            path, value = setting
            if not full_path(path):
                about = "unknown; write a path that begins with machine. or workload."
                raise ConfigError([_place(setting).problem("", about)])
            first, *steps = unicodedata.normalize("NFC", path).split(".")
            if first != head:
                continue
            place = _place((path, value))
            if not steps:
                raise ConfigError([place.problem("", f"write a key after '{head}.'")])
            node, mistakes = read_tree(value, place.file, set_by=place)
            problems += mistakes
            changed = _Change(node, steps).applied(tree, shape, 0)
            assert isinstance(changed, Mapping)  # A section stays one.
            tree = changed
        except ConfigError as error:
            problems += error.problems
    return tree, problems


def called(setting: Setting) -> str:
    """Return what messages call a setting, as the file that they are about."""
    path, value = (text if len(text) <= 60 else f"{text[:57]}..." for text in setting)
    return f"--set {path}={value}"


def _place(setting: Setting) -> Place:
    return Place(called(setting), setting=unicodedata.normalize("NFC", setting[0]))


@dataclass(frozen=True)
class _Change:
    """One setting on its way down a tree; nodes are replaced, since aliases share them."""

    value: Node
    steps: list[str]

    def applied(self, node: Node | None, shape: Shape, at: int) -> Node:
        """Return ``node``, which is ``at`` that many steps, with the value somewhere in it."""
        if at == len(self.steps):
            return self.value
        if node is None or (isinstance(node, Scalar) and node.text == "" and node.plain):
            node = Mapping(self.value.place)
        if isinstance(shape, Leaf):
            if not shape.keyed:
                about = f"{self._before(at)} is one value without keys; set it as a whole"
                raise self._refused(about)
            return self._in_value(unwrapped(node), at)
        if isinstance(shape, Items):
            return self._in_items(node, shape, at)
        node = expanded(node, shape)
        if not isinstance(node, Mapping):
            return node  # The walk reports what is wrong with it.
        if isinstance(shape, Named):
            return self._in_named(node, shape, at)
        if isinstance(shape, Choice):
            section = shape.chosen(node.entries)
            return node if section is None else self._in_section(node, section, at)
        return self._in_section(node, shape, at)

    def _in_value(self, node: Node, at: int) -> Node:
        """Return a value of several numbers with one of them replaced, or one more."""
        if at == len(self.steps):
            return self.value
        step = self.steps[at]
        if isinstance(node, Scalar):
            # One number stands for that of both directions, or for that of a single transfer.
            keys = _WAYS if step in _WAYS else _ALONE if step.isdecimal() else ()
            if not keys:
                raise self._refused(f"{self._before(at)} is one number; set it as a whole")
            node = Mapping(node.place, dict.fromkeys(keys, node), dict.fromkeys(keys, node.place))
        if not isinstance(node, Mapping):
            return node
        inner = node.entries.get(step, Mapping(self.value.place))
        return self._with(node, step, self._in_value(inner, at + 1))

    def _in_section(self, node: Mapping, section: type[Section], at: int) -> Mapping:
        key, fields = self.steps[at], fields_of(section)
        node = with_names(node, old_keys(node, section))
        key = RENAMED.get(section.__name__, {}).get(key, key)
        if key == POSITIONING and {*TIMES} & fields.keys() and at == len(self.steps) - 1:
            return self._positioned(node)
        if key not in fields:
            raise self._unknown("key ", key, fields, at)
        if each := self._for_each_group(node, fields[key], at):
            raise self._refused(
                f"{self._before(at + 1)} is one number for all groups; write {each}"
            )
        return self._with(node, key, self.applied(node.entries.get(key), fields[key], at + 1))

    def _for_each_group(self, node: Mapping, shape: Shape, at: int) -> str:
        """Return how to write a number for each group of a part that has one for all; or nothing.

        ``node`` is the part; the others keep the number that they have.
        """
        key, *group = self.steps[at:]
        if not isinstance(shape, Leaf) or not shape.name.endswith(BY_GROUP) or len(group) != 1:
            return ""
        if not {key, "at"} <= node.entries.keys() or not isinstance(self.value, Scalar):
            return ""
        now, places = (unwrapped(node.entries[one]) for one in (key, "at"))
        if not isinstance(now, Scalar):
            return ""
        listed = places.items if isinstance(places, Sequence) else [places]
        groups = [one.text for one in map(unwrapped, listed) if isinstance(one, Scalar)]
        numbers = dict.fromkeys(groups, now.text) | {group[0]: self.value.text}
        if len(numbers) > max(1, len(groups)):
            return f"it of {' or '.join(groups)}, which are its groups"
        pairs = ", ".join(f"{one}: {text}" for one, text in numbers.items())
        return f"'{{{'.'.join(self.steps[at - 1 : at + 1])}: {{{pairs}}}}}'"

    def _positioned(self, node: Mapping) -> Mapping:
        """Return a disk whose seeks and rotation are multiplied so that the value is their mean."""
        there = {key: unwrapped(one) for key, one in node.entries.items() if key in TIMES}
        texts = {key: one.text for key, one in there.items() if isinstance(one, Scalar)}
        mean = self.value.text if isinstance(self.value, Scalar) else ""
        try:
            moved = with_mean(texts, mean, leaf_of(Time))
        except ValueError as error:
            raise self._refused(str(error)) from error
        for key, text in moved.items():
            node = self._with(node, key, Scalar(self.value.place, text))
        return node

    def _in_named(self, node: Mapping, shape: Named, at: int) -> Mapping:
        if self.steps[at] == "*":
            inner = self._in_all(list(node.entries.values()), shape.item, at + 1)
            for name, changed in zip(node.entries, inner, strict=True):
                node = self._with(node, name, changed)
            return node
        # A name may have points in it: the longest that is there.
        for end in range(len(self.steps), at, -1):
            name = ".".join(self.steps[at:end])
            if name in node.entries:
                return self._with(node, name, self.applied(node.entries[name], shape.item, end))
        if isinstance(self.value, Mapping) or isinstance(shape.item, Leaf):
            return self._with(node, ".".join(self.steps[at:]), self.value)  # A new entry.
        if self._is_unwritten(node, shape, self.steps[at]):
            kind = Scalar(self.value.place, CPU)
            empty = Mapping(self.value.place, {"kind": kind}, {"kind": self.value.place})
            return self._with(node, CPU, self.applied(empty, shape.item, at + 1))
        raise self._unknown("", self.steps[at], node.entries, at)

    @staticmethod
    def _is_unwritten(node: Mapping, shape: Named, name: str) -> bool:
        """Return whether this is the part that a machine has without its file saying so."""
        choice = shape.item
        if name != CPU or not isinstance(choice, Choice) or CPU not in choice.options:
            return False
        kinds = (
            one.entries.get(choice.key) for one in node.entries.values() if isinstance(one, Mapping)
        )
        return not any(isinstance(kind, Scalar) and kind.text == CPU for kind in kinds)

    def _in_items(self, node: Node, shape: Items, at: int) -> Node:
        if not isinstance(node, Sequence):
            return node
        step, items = self.steps[at], list(node.items)
        if step == "*":
            return replace(node, items=self._in_all(items, shape.item, at + 1))
        indices = list(map(str, range(len(items))))
        if step not in indices:
            offered = f"0 to {indices[-1]}, or * for all" if items else "nothing: it is empty"
            raise self._refused(f"no item {step!r} in {self._before(at)}; there is {offered}")
        items[int(step)] = self.applied(items[int(step)], shape.item, at + 1)
        return replace(node, items=items)

    def _in_all(self, nodes: list[Node], shape: Shape, at: int) -> list[Node]:
        """Change all nodes that have such a key (a phase that computes has no record)."""
        changed: list[Node] = []
        refusals: list[ConfigError] = []
        for node in nodes:
            try:
                changed.append(self.applied(node, shape, at))
            except ConfigError as refused:
                refusals.append(refused)
                changed.append(node)
        if refusals and len(refusals) == len(nodes):
            raise refusals[0]
        return changed

    def _with(self, node: Mapping, key: str, inner: Node) -> Mapping:
        new = key not in node.keys or inner is self.value
        keys = node.keys | ({key: self.value.place} if new else {})
        return replace(node, entries=node.entries | {key: inner}, keys=keys, before=node)

    def _before(self, at: int) -> str:
        return ".".join(self.steps[:at]) or "the file"

    def _unknown(self, what: str, name: str, known: Iterable[str], at: int) -> ConfigError:
        about = f"no {what}{name!r} in {self._before(at)}; {did_you_mean(name, known)}"
        return self._refused(about)

    def _refused(self, message: str) -> ConfigError:
        return ConfigError([self.value.place.problem("", message)])
