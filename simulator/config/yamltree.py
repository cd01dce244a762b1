"""YAML text -> a tree of nodes that know their line, safe against any input.

Every scalar stays the text that was written: nothing is resolved, so ``017``, ``12:30:45``,
``1_000`` and ``yes`` mean nothing until a section reads them. The tree is built from the stream
of parse events, not by PyYAML's composer: that one recurses, expands aliases without limit and
takes the last of two equal keys without a word.

Read: mappings, sequences, scalars, anchors and aliases. Refused: other tags than the plain ones,
merge keys, recursive aliases, several documents, more than 10,000 values (aliases expanded) or
50 levels, keys of more than 1000 characters.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from simulator.config.errors import ConfigError, Problem, dotted
from simulator.units import shown


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file, counted from 1; or a setting of the user, which has no line."""

    file: str
    line: int = 0
    column: int = 0
    setting: str = ""
    """The path that the user set, such as ``machine.stores.ssu.block``; empty in a file."""

    def problem(self, key: str, message: str) -> Problem:
        """Report a mistake at this place; of a setting, name only what its path does not say.

        >>> print(Place("--set machine.lan={}", setting="machine.lan").problem("lan.rate", "..."))
        --set machine.lan={}: rate: ...
        """
        steps, keys = self.setting.split(".")[1:], key.split(".")
        if steps and all(step in ("*", one) for step, one in zip(steps, keys, strict=False)):
            key = ".".join(keys[len(steps) :])
        return Problem(self.file, self.line, self.column, key, message)


@dataclass(slots=True)
class Scalar:
    """A text; ``plain`` if it was written without quotes."""

    place: Place
    text: str
    plain: bool = True
    values: int = 1
    depth: int = 1


@dataclass(slots=True)
class Sequence:
    """A list of nodes."""

    place: Place
    items: list[Node] = field(default_factory=list)
    values: int = 1
    depth: int = 1


@dataclass(slots=True)
class Mapping:
    """Nodes by key, with the places of the keys."""

    place: Place
    entries: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Place] = field(default_factory=dict)
    values: int = 1
    depth: int = 1
    before: Mapping | None = None
    """What it was before a setting."""
    merged: bool = False
    """It has a merge key, which is refused: other keys may be missing for that reason only."""


Node = Scalar | Sequence | Mapping


MOST_VALUES = 10_000
DEEPEST = 50
LONGEST_KEY = 1000
"""Characters; composing the accents of a key takes the square of their number."""

LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML was built with it; ten times faster, the same trees."""

_UNREADABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPACES = "\t\xa0\u2000-\u200b\u202f\u3000"
_INDENT = re.compile(f"^ *([{_SPACES}])[ {_SPACES}]*+[^\\s#]", re.MULTILINE)
"""A line that is indented with something else than spaces."""
_STANDARD = "tag:yaml.org,2002:"
_PLAIN_TAGS = {
    "scalar": {"str", "int", "float", "bool"},
    "mapping": {"map"},
    "sequence": {"seq"},
}


def read_tree(text: str, file: str, *, set_by: Place | None = None) -> tuple[Node, list[Problem]]:
    """Read the one document of ``text``, with the mistakes that do not end the reading.

    ConfigError with those that do. An empty document is an empty plain scalar. With ``set_by``
    the text is the value of a setting, and every node gets that place.
    """
    reader = _Reader(file, set_by)
    reader.check_characters(text)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            reader.take(event)
    except yaml.MarkedYAMLError as error:
        from simulator.config.yamlmistakes import find_mistake

        found = find_mistake(text, error)
        place = set_by or Place(file, found.line + 1, found.column + 1)
        raise ConfigError([*reader.problems, place.problem("", found.message)]) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML converts the numbers of escapes (\U99999999) and of %YAML without looking.
        wrong = reader.place(None).problem("", "this is not YAML: a number in it is too large")
        raise ConfigError([*reader.problems, wrong]) from error
    return reader.root or Scalar(reader.place(None), ""), reader.problems


@dataclass(slots=True)
class _Open:
    """A mapping or sequence that has not ended yet, and the key its next value belongs to."""

    node: Sequence | Mapping
    anchor: str | None
    key: str | None = None
    dropped: bool = False
    """The key is a mistake already reported: read its value, but do not keep it."""
    spelt: dict[str, str] = field(default_factory=dict)
    """Each key as it was written, by its composed form."""


class _Reader:
    """Builds the tree from events; collects problems, and raises at those it cannot go on from."""

    def __init__(self, file: str, set_by: Place | None) -> None:
        self.file = file
        self.set_by = set_by
        self.problems: list[Problem] = []
        self.root: Node | None = None
        self._open: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}  # None: its node has not ended yet.
        self._values = 0
        self._documents = 0

    def place(self, mark: Any) -> Place:
        """Return the place of a PyYAML mark (None: the whole file)."""
        if self.set_by is not None:
            return self.set_by
        return Place(self.file, mark.line + 1, mark.column + 1) if mark else Place(self.file)

    def check_characters(self, text: str) -> None:
        """Refuse what PyYAML's messages do not explain: control characters and tabs."""
        if wrong := _UNREADABLE.search(text):
            start, why = wrong.start(), _unreadable(wrong[0])
        elif wrong := _INDENT.search(text):
            start = wrong.start(1)
            what = "a tab" if wrong[1] == "\t" else f"the character U+{ord(wrong[1]):04X}"
            why = f"{what} indents this line; indent with spaces"
        else:
            return
        from simulator.config.yamlmistakes import LINE_END

        before = LINE_END.split(text[:start])
        place = self.set_by or Place(self.file, len(before), len(before[-1]) + 1)
        raise ConfigError([place.problem("", why)])

    def take(self, event: Any) -> None:
        """Read the next event."""
        match event:
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    self._stop(event, "a second document starts here; write one a file")
            case yaml.AliasEvent():
                self._add(self._aliased(event), event)
            case yaml.ScalarEvent():
                self._check_tag(event, "scalar")
                text = event.value
                if wrong := _UNREADABLE.search(text):
                    self._report(event, _unreadable(wrong[0]))
                place = self.place(event.start_mark)
                node = Scalar(place, text, plain=not event.style)
                self._count(event, 1)
                self._name(event.anchor, event, node)
                self._add(node, event)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._start(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                ended = self._open.pop()
                if ended.anchor:
                    self._anchors[ended.anchor] = ended.node
                self._add(ended.node, event)

    def _start(self, event: Any) -> None:
        mapping = isinstance(event, yaml.MappingStartEvent)
        self._check_tag(event, "mapping" if mapping else "sequence")
        if self._wants_key():
            self._stop(event, "a list or mapping is the key here; write a plain name")
        place = self.place(event.start_mark)
        self._count(event, 1)
        self._check_depth(event, 1)
        self._name(event.anchor, event, None)
        node = Mapping(place) if mapping else Sequence(place)
        self._open.append(_Open(node, event.anchor))

    def _add(self, node: Node, event: Any) -> None:
        """Add a finished node to the mapping or sequence it is in."""
        if not self._open:
            self.root = node
            return
        into = self._open[-1]
        if self._wants_key():
            self._take_key(into, node, event)
            return
        parent = into.node
        parent.values += node.values
        parent.depth = max(parent.depth, node.depth + 1)
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif into.key is not None and not into.dropped:
            parent.entries[into.key] = node
        into.key, into.dropped = None, False

    def _take_key(self, into: _Open, node: Node, event: Any) -> None:
        mapping = into.node
        if not isinstance(node, Scalar) or not isinstance(mapping, Mapping):
            self._stop(event, "a list or mapping is the key here; write a plain name")
        if len(node.text) > LONGEST_KEY:
            self._stop(event, f"a key has more than {LONGEST_KEY} characters; write a shorter one")
        key = unicodedata.normalize("NFC", node.text)
        into.key = key
        if key == "<<" and node.plain:
            into.dropped = mapping.merged = True
            self._report(event, "a merge key is not supported; write the keys themselves")
        elif key in mapping.keys:
            into.dropped = True
            first = mapping.keys[key].line
            form = "" if into.spelt[key] == node.text else ", in another Unicode form"
            self._report(event, f"is here for the second time{form}; the first is line {first}")
        else:
            mapping.keys[key] = self.place(event.start_mark)
            into.spelt[key] = node.text

    def _wants_key(self) -> bool:
        into = self._open[-1] if self._open else None
        return into is not None and isinstance(into.node, Mapping) and into.key is None

    def _aliased(self, event: Any) -> Node:
        if event.anchor not in self._anchors:
            self._stop(event, f"no anchor &{event.anchor} comes before *{event.anchor}")
        node = self._anchors[event.anchor]
        if node is None:
            self._stop(event, f"*{event.anchor} is inside &{event.anchor}, so it has no end")
        self._count(event, node.values)
        self._check_depth(event, node.depth)
        return node

    def _name(self, anchor: str | None, event: Any, node: Node | None) -> None:
        if anchor is None:
            return
        if anchor in self._anchors:
            self._stop(event, f"&{anchor} is here for the second time; use another name")
        self._anchors[anchor] = node

    def _count(self, event: Any, values: int) -> None:
        self._values += values
        if self._values > MOST_VALUES:
            self._stop(event, f"more than {MOST_VALUES} values (aliases expanded) up to here")

    def _check_depth(self, event: Any, depth: int) -> None:
        if len(self._open) + depth > DEEPEST:
            self._stop(event, f"more than {DEEPEST} levels of nesting")

    def _check_tag(self, event: Any, kind: str) -> None:
        tag = event.tag
        if tag and tag.removeprefix(_STANDARD) not in _PLAIN_TAGS[kind]:
            tag = tag.replace(_STANDARD, "!!", 1)
            self._report(event, f"the tag {shown(tag)} is not supported; leave it out")

    def _key(self) -> str:
        path = []
        for one in self._open:
            step = one.key if isinstance(one.node, Mapping) else len(one.node.items)
            path += [step] if step is not None else []
        return dotted(tuple(path))

    def _report(self, event: Any, message: str) -> None:
        self.problems.append(self.place(event.start_mark).problem(self._key(), message))

    def _stop(self, event: Any, message: str) -> NoReturn:
        self._report(event, message)
        raise ConfigError(self.problems)


def _unreadable(character: str) -> str:
    hint = "; if the file is UTF-16, save it as UTF-8" if character == "\0" else "; take it out"
    return f"the character U+{ord(character):04X} is here{hint}"


def unwrapped(node: Node) -> Node:
    """Return the value of ``{value: .., source: ..}``; another node as it is."""
    return node.entries.get("value", node) if isinstance(node, Mapping) else node


def written(node: Node) -> str:
    """Write a value as its author did, lists and mappings on one line."""
    if isinstance(node, Sequence):
        return f"[{', '.join(map(written, node.items))}]"
    if isinstance(node, Mapping):
        return f"{{{', '.join(f'{key}: {written(one)}' for key, one in node.entries.items())}}}"
    return node.text


def is_set(node: Node) -> bool:
    """Return whether a value, or a number in it, was set by the user."""
    inner = node.entries.values() if isinstance(node, Mapping) else ()
    return bool(node.place.setting) or any(map(is_set, inner))
