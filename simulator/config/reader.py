"""Sections read from the nodes of a file, in one pass.

A reader goes down a tree of nodes beside the shapes of the sections, and makes each section once
those inside of it are made. It takes values out of ``{value: ..., source: ..., note: ...}``,
remembers where each is written and where it comes from, and reports what has the wrong shape:
unknown keys, a list where keys belong, a section without a kind. Instead of what it reports it
returns None; instead of a section with a mistake in it, the values of that section.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Mapping as PlainMapping
from dataclasses import replace
from typing import Any

from simulator.config.errors import Fault, PartsError, Path, Problem, dotted
from simulator.config.quantities import Leaf, check_name
from simulator.config.range import HAVE_ONE, Fitted, read_range
from simulator.config.renamed import old_keys, with_names
from simulator.config.section import (
    Choice,
    Items,
    Named,
    Section,
    Shape,
    fields_of,
    keys_in,
    keys_of,
)
from simulator.config.sources import BY_USER, UNSTATED, Origin, Source, parse_source
from simulator.config.yamltree import (
    Mapping,
    Node,
    Place,
    Scalar,
    Sequence,
    is_set,
    unwrapped,
    written,
)
from simulator.errors import did_you_mean, nearest
from simulator.units import shown

_WRAPPER = ("value", "source", "note", "range")
ALONE = ("store", "cache", "part", "disk", "device", "name", "kind")
"""Keys that one might expect before a name that stands alone."""
_NULLS = ("", "~", "null", "Null", "NULL")


NodeCache = dict[int, tuple[Node, Shape, Any]]
"""What was made of nodes, by their identity: the node itself, which is kept, its shape, a value."""


class Reader:
    """Reads one tree; fills ``problems``, ``reported`` (their paths), ``origin`` and ``made``."""

    def __init__(self, file: str, tree: Mapping, known: NodeCache | None = None) -> None:
        """``known``: what was made of nodes without a problem before; it is not made again."""
        self.problems: list[Problem] = []
        self.reported: set[Path] = set()
        self.origin = Origin(file)
        self.made: NodeCache = {}
        self._known: NodeCache = known or {}
        self._faults: PartsError | None = None
        """What is wrong with the last section that was read: the outermost at the end."""
        self._around: list[dict[str, Shape]] = []
        """The keys of the sections that the walk is in, outermost first."""
        self._synonyms: list[PlainMapping[str, str]] = []
        """The other words for their keys."""
        self._sections: dict[Path, type[Section]] = {}
        """The sections that were read, whether or not they are right."""
        self._fits: list[tuple[Path, Place, Fitted]] = []
        """The ranges that name other values, and where they are."""
        references = tree.entries.get(nearest("references", tree.entries) or "")
        self._references = references.entries if isinstance(references, Mapping) else {}

    def read(self, node: Node, shape: Shape, path: Path = ()) -> Any:
        """Return the section of ``node``, or its texts; None if it has the wrong shape."""
        self.origin.places.setdefault(path, node.place)
        if isinstance(shape, Leaf):
            return self._leaf(node, shape, path)
        known = self._known.get(id(node))
        if known is not None and known[1] is shape:
            return known[2]
        value = self._value(expanded(node, shape), shape, path)
        self.made[id(node)] = node, shape, value
        return value

    def _value(self, node: Node, shape: Shape, path: Path) -> Any:
        if isinstance(shape, Items):
            return self._items(node, shape, path)
        if not isinstance(node, Mapping):
            return self._report(node.place, path, f"{_read(node)}; write {keys_of(shape)}")
        if node.merged and path:
            return self.reported.add(path)
        if isinstance(shape, Named):
            return self._named(node, shape, path)
        if isinstance(shape, Choice):
            chosen = shape.chosen(node.entries)
            if chosen is None:
                return (self._unnamed if shape.key else self._none_of)(node, shape, path)
            shape = chosen
        assert isinstance(shape, type)
        return self._section(node, shape, path)

    def _section(
        self, node: Mapping, section: type[Section], path: Path
    ) -> Section | dict[str, Any] | None:
        fields = fields_of(section)
        old_names = old_keys(node, section)
        for key, new in old_names.items():
            self.origin.warn(node.keys[key], (*path, key), f"has another name now; write {new!r}")
        node = with_names(node, old_names)
        for key in node.entries:
            if key in section.mistaken:  # What else this section lacks is not meant.
                self._report(node.keys[key], (*path, key), section.mistaken[key])
                self.reported.add(path)
                return None
        self._around.append(fields)
        self._synonyms.append(section.synonyms)
        values = {}
        before = ""
        self._sections[path] = section
        old, known = self._known_as(node, section)
        base = vars(known) if known is not None else None
        for key, inner in node.entries.items():
            name = key if key in fields else self._unknown(node, key, path, fields, before)
            if name is None:
                continue
            before = name
            if base and old.entries.get(key) is inner:
                values[name] = base[name]
                continue
            self.origin.places[(*path, name)] = node.keys[key]
            values[name] = self.read(inner, fields[name], (*path, name))
        self._around.pop()
        self._synonyms.pop()
        try:
            made = section.of_values(values, base or {})
        except PartsError as error:
            self._faults = error
            return values
        self._faults = None
        return made

    def _known_as(self, node: Mapping, wanted: type) -> tuple[Mapping, Any]:
        """Return what a node was before settings, and the section or names made of it then."""
        while node.before is not None:
            node = node.before
            known = self._known.get(id(node))
            if known is not None and type(known[2]) is wanted:
                return node, known[2]
        return node, None

    def _is_needed(self, path: Path) -> bool:
        """Return whether a value cannot be left out, or others of its section may need it."""
        section = self._sections.get(path[:-1]) if path else None
        return section is not None and any(
            key.name == path[-1] and (key.required or key.name in section.asked_for)
            for key in keys_in(section)
        )

    def faults(self) -> list[Fault]:
        """Return what is wrong with the values of the whole tree and has not been reported."""
        found = self._faults.faults if self._faults is not None else ()
        return [
            (path, about)
            for path, about in found
            if not any(path[:end] in self.reported for end in range(len(path) + 1))
        ]

    def _unknown(
        self, node: Mapping, key: str, path: Path, fields: dict[str, Shape], before: str
    ) -> str | None:
        """Report a key that its section does not have: perhaps it is in the wrong column.

        Return the key as which it is read, so that those who name what is in it find that.
        """
        shape = fields.get(before)
        meant, read = nearest(key, fields), None
        first, *mark = re.split(r"(?=[\s:])", key, maxsplit=1)
        rest = "".join(mark)[1:].strip()
        if mark and first in fields:  # Inside of brackets, where YAML takes it for a key.
            what = (
                "a space is missing after the ':'"
                if mark[0][0] == ":"
                else "has no ':' after its key"
            )
            about = f"{what}; write {shown(f'{first}: {rest}'.rstrip())}"
            self.reported.add((*path, first))
        elif isinstance(shape, type) and key in fields_of(shape):
            about = f"is a key of {before}; indent it as the keys of {before} are"
            self.reported.add((*path, before, key))  # So it is not missing there.
        elif any(key in outer for outer in self._around[:-1]) and key != meant:
            outer = next(one for one in reversed(self._around[:-1]) if key in one)
            column = "the section around this one"
            if outer is self._around[0]:
                column = "the file"
                self.reported.add((key,))
            about = f"is a key of {column}; indent it less, as the keys there are"
        elif re.fullmatch(r"\d+(\s*[A-Za-z%/]+)?", key):
            about = "unknown key; a comma begins it: write decimals with a point, like '1.5 MB/s'"
            self.reported.add((*path, before))  # What is before the comma is part of it.
        elif key in (words := self._synonyms[-1]) and words[key] in fields:
            about = f"unknown key; write {words[key]!r}"
            self.reported.add((*path, words[key]))
        else:
            about = f"unknown key; {did_you_mean(key, fields)}"
            if meant is not None and meant not in node.entries:
                self.reported.add((*path, meant))  # It is misspelt, so it is not missing.
                read = meant if abs(len(meant) - len(key)) <= 1 else None
        self._report(node.keys[key], (*path, key), about)
        return read

    def _named(self, node: Mapping, shape: Named, path: Path) -> dict[str, Any]:
        values: dict[str, Any] = {}
        old, known = self._known_as(node, dict)
        for key, inner in node.entries.items():
            if known and old.entries.get(key) is inner:
                values[key] = known[key]
                continue
            self.origin.places[(*path, key)] = node.keys[key]
            if wrong := check_name(key):
                self._report(node.keys[key], (*path, key), wrong)
                continue
            values[key] = self.read(inner, shape.item, (*path, key))
        return values

    def _items(self, node: Node, shape: Items, path: Path) -> list[Any] | None:
        if not isinstance(node, Sequence):
            self._report(node.place, path, f"{_read(node)}; begin each item with '- '")
            return None
        return [self.read(one, shape.item, (*path, i)) for i, one in enumerate(node.items)]

    def _unnamed(self, node: Mapping, choice: Choice, path: Path) -> Any:
        """Report a section without a key that says which one it is, and what else is wrong in it.

        If the word is nearly that of a section, the keys that are there are read as those of it.
        """
        offered = ", ".join(choice.options)
        tag = node.entries.get(choice.key)
        if tag is None and (meant := self._meant(node, path, (choice.key,))) is not node:
            return self._value(meant, choice, path)
        if tag is None:
            about = f"{choice.key} is missing; write '{choice.key}: ' and one of {offered}"
            self._report(self.origin.place(path), path, about)
        else:
            word = unwrapped(tag)
            near = nearest(word.text, choice.options) if isinstance(word, Scalar) else None
            about = f"did you mean {near!r}?" if near else f"write one of {offered}"
            self._report(tag.place, (*path, choice.key), f"{_read(tag)}; {about}")
            if near:
                section = choice.options[near]
                self.reported |= {(*path, key) for key in fields_of(section).keys() - node.entries}
                values = self._section(node, section, path)
                return {**values, choice.key: near} if isinstance(values, dict) else values
            self.reported.add(path)
        known = {key for one in choice.options.values() for key in (*fields_of(one), *one.synonyms)}
        for key in node.entries.keys() - known:
            about = f"unknown key of every {choice.key}; {did_you_mean(key, known)}"
            self._report(node.keys[key], (*path, key), about)
        return None

    def _meant(self, node: Mapping, path: Path, keys: Collection[str]) -> Mapping:
        """Report a key that nearly is one of ``keys``; return the section as it is meant."""
        for key, place in node.keys.items():
            near = nearest(key, keys)
            if near and near not in node.entries:
                self._report(place, (*path, key), f"unknown key; did you mean {near!r}?")
                return with_names(node, {key: near})
        return node

    def _none_of(self, node: Mapping, choice: Choice, path: Path) -> Any:
        """Report a section with none of the keys of which it needs one."""
        if "text" in choice.shorthand and len(node.entries) == 1:
            ((word, value),) = node.entries.items()
            if word in ALONE and isinstance(value, Scalar):
                about = f"unknown key; write the name alone, like {shown(value.text)}"
                self._report(node.keys[word], (*path, word), about)
                return self.reported.add(path)
        if (meant := self._meant(node, path, choice.options)) is not node:
            return self._value(meant, choice, path)
        self.reported.add(path)
        about = f"has none of the keys {', '.join(choice.options)}; write one of them"
        return self._report(node.place, path, about)

    def _leaf(self, node: Node, leaf: Leaf, path: Path) -> Any:
        source = None
        wrapped = isinstance(node, Mapping) and not (
            leaf.keyed and node.entries.keys().isdisjoint(_WRAPPER)
        )
        if wrapped and isinstance(node, Mapping):
            if not leaf.sourced:
                about = f"takes no source; write its value alone, like {leaf.example!r}"
                return self._report(node.place, path, about)
            if "value" not in node.entries:
                node = self._meant(node, path, ("value",))
            source = self._source(node, path)
            if "value" not in node.entries:
                about = f"value is missing; write it like '{{value: {leaf.example}}}'"
                return self._report(self.origin.place(path), path, about)
            if "range" in node.entries:
                source = self._ranged(node, source, path)
            node = node.entries["value"]
        if isinstance(node, Scalar) and node.plain and node.text in _NULLS:
            about = f"has no value; write one like {leaf.example!r}"
            about += "" if self._is_needed(path) else ", or omit the key if no other needs it"
            return self._report(node.place, path, about)
        if leaf.sourced:
            key = dotted(path)
            self.origin.sources[key] = source or (BY_USER if is_set(node) else UNSTATED)
            self.origin.texts[key] = written(node)
        return self._raw(node, path)

    def _source(self, node: Mapping, path: Path) -> Source | None:
        """Read the source and the note beside a value; None if there is no source."""
        for key, place in node.keys.items():
            if key not in _WRAPPER:
                about = f"unknown key next to a value; {did_you_mean(key, _WRAPPER)}"
                self._report(place, (*path, key), about)
        texts = {}
        for key in ("source", "note"):
            inner = node.entries.get(key, Scalar(node.place, ""))
            if isinstance(inner, Scalar):
                texts[key] = " ".join(inner.text.split())
            else:
                self._report(inner.place, (*path, key), f"{_read(inner)}; write some text")
        if "source" not in node.entries or "source" not in texts:
            return replace(BY_USER if is_set(node) else UNSTATED, note=texts.get("note", ""))
        try:
            return parse_source(texts["source"], self._references, texts.get("note", ""))
        except ValueError as error:
            self._report(node.entries["source"].place, (*path, "source"), str(error))
            return None

    def _ranged(self, node: Mapping, source: Source | None, path: Path) -> Source | None:
        """Return the source of a value with its range, which is read here."""
        inner = node.entries["range"]
        if source is not None and source.kind not in HAVE_ONE:
            about = "only an assumed or calibrated value has a range"
            hint = "write 'source: assumed' too" if source.kind == "unstated" else "omit it"
            self._report(inner.place, (*path, "range"), f"{about}; {hint}")
            return source
        try:
            found = read_range(inner, node.entries["value"])
        except ValueError as error:
            self._report(inner.place, (*path, "range"), str(error))
            return source
        if isinstance(found, Fitted):
            self._fits.append(((*path, "range"), inner.place, found))
        return None if source is None else replace(source, range=found)

    def check_fits(self) -> None:
        """Report correlations with values that the file does not have; after the whole walk."""
        for path, place, fitted in self._fits:
            for other in fitted.correlations:
                if other not in self.origin.sources:
                    hint = did_you_mean(other, self.origin.sources)
                    self._report(place, path, f"with: the file has no value {other!r}; {hint}")

    def _raw(self, node: Node, path: Path) -> Any:
        """Return the texts of a value, and remember the place of each."""
        self.origin.places[path] = node.place
        if isinstance(node, Sequence):
            return [self._raw(one, (*path, i)) for i, one in enumerate(node.items)]
        if isinstance(node, Mapping):
            return {key: self._raw(one, (*path, key)) for key, one in node.entries.items()}
        return node.text

    def _report(self, place: Place, path: Path, about: str) -> None:
        self.problems.append(place.problem(dotted(path), about))
        self.reported.add(path)


def expanded(node: Node, shape: Shape) -> Node:
    """Return a text or a list as the mapping that it is short for, where its section has such."""
    shorthand = shape.shorthand if isinstance(shape, Choice | type) else {}
    if not shorthand:
        return node
    form = "list" if isinstance(node, Sequence) else "text"
    if isinstance(node, Mapping) and not (
        "value" in node.entries and node.entries.keys() <= {*_WRAPPER}
    ):
        return node
    key = shorthand.get(form)
    if key is None:
        return node
    keys = fields_of(shape) if isinstance(shape, type) else {}
    if isinstance(node, Scalar) and isinstance(keys.get(key), Items):
        node = Sequence(node.place, [node])
    return Mapping(node.place, {key: node}, {key: node.place})


def _read(node: Node) -> str:
    """Return what was read, for messages."""
    if isinstance(node, Scalar):
        return "is empty" if node.plain and node.text in _NULLS else f"{shown(node.text)} was read"
    return "a list was read" if isinstance(node, Sequence) else "a mapping with keys was read"
