"""Sections of files, and their shapes, beside which a reader walks a tree of nodes."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

from simulator.config.errors import Fault, PartsError, faults_at
from simulator.config.quantities import Leaf, each, word
from simulator.errors import did_you_mean

Found = TypeVar("Found")
EMPTY: Mapping[str, Any] = {}
_REQUIRED = object()
TAG = "choice"
"""The leaf of a ``Literal``, by which one of several sections is chosen."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Section:
    """A part of a file: frozen, and without room for unknown keys.

    Its annotated attributes are its keys, with their defaults; they are read when it is made, from
    texts or from values that are typed already. Raises PartsError, which has all that is wrong.
    The sentence under a key describes it in the JSON Schema.
    """

    shorthand: ClassVar[Mapping[str, str]] = {}
    """The key that is meant where a plain ``text`` or ``list`` stands instead of the section."""
    synonyms: ClassVar[Mapping[str, str]] = {}
    """Other words that authors may write for keys, and the keys; beside those of its base."""
    naming: ClassVar[Mapping[str, str]] = {}
    """Keys that name something else in the file, and what that should be; see tier.py."""
    reasons: ClassVar[Mapping[str, str]] = {}
    """Reasons of defaults by keys, as :func:`default` has them."""
    later: ClassVar[frozenset[str]] = frozenset()
    """Keys that came later: identities of files leave them out where they have their defaults."""
    asked_for: ClassVar[frozenset[str]] = frozenset()
    """Keys without a default of which a section needs some, or which others need."""
    mistaken: ClassVar[Mapping[str, str]] = {}
    """Keys that show that another section is meant, and what is said then instead of all else."""
    given: ClassVar[frozenset[str]] = frozenset()
    """Of one section: the keys that were given, not left out."""

    def __init_subclass__(cls) -> None:
        cls.synonyms = {**getattr(cls.__base__, "synonyms", {}), **cls.synonyms}
        for key, one in [*vars(cls).items()]:
            if isinstance(one, _Default):
                setattr(cls, key, one[0])
                cls.reasons = {**cls.reasons, key: one[1]}

    def __init__(self, **values: Any) -> None:
        self._fill(values)

    def _fill(self, values: Mapping[str, Any], known: Mapping[str, Any] = EMPTY) -> None:
        """Read all values but those that are known; PartsError for what is missing or wrong."""
        values = self._completed(values)
        faults: list[Fault] = []
        typed = vars(self)
        left = len(values)
        for key in keys_in(type(self)):
            name = key.name
            try:
                if name in values:
                    left -= 1
                    typed[name] = key.read(values[name], typed, known.get(name, EMPTY))
                else:
                    typed[name] = key.usual(typed)
            except ValueError as error:
                faults += faults_at(name, error)
        if left:
            known = fields_of(type(self))
            unknown = (name for name in values if name not in known)
            faults += [((one,), f"unknown key; {did_you_mean(one, known)}") for one in unknown]
        if faults:
            raise PartsError(faults)
        typed["given"] = frozenset(values)

    @classmethod
    def _completed(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Add what a file need not say, because it follows from the rest."""
        return values

    @classmethod
    def of_values(cls, values: Mapping[str, Any], known: Mapping[str, Any] = EMPTY) -> Self:
        """Read a section; values that are ``known`` of another one are not read again."""
        section = cls.__new__(cls)
        section._fill(values, known)
        return section

    def with_value(self, key: str, value: Any) -> Self:
        """Return a copy with another value, which has been read and checked already."""
        new, mine = object.__new__(type(self)), vars(self)
        kept = {name: mine[name] for name in fields_of(type(self))}
        vars(new).update(kept, **{key: value, "given": self.given | {key}})
        return new

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; make another")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, key) == getattr(other, key) for key in fields_of(type(self)))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = (f"{key}={getattr(self, key)!r}" for key in fields_of(type(self)))
        return f"{type(self).__name__}({', '.join(values)})"


def cached(make: Callable[[type[Section]], Found]) -> Callable[[type[Section]], Found]:
    """Return ``functools.cache(make)``, for which mypy wants the sections too to have a hash."""
    return cast("Callable[[type[Section]], Found]", functools.cache(make))


class _Default(tuple[Any, str]):
    """A default and its reason."""


def default(value: Found, why: str) -> Found:
    """Return the default of a key, with the reason why it is what it is."""
    return cast("Found", _Default((value, why)))


def check(*keys: str, always: bool = False) -> Callable[[Found], Found]:
    """Mark a static method that raises ValueError for a value of these keys that is wrong.

    Its other parameters are earlier keys of the section; it is called where all of these are right.
    A value that it returns is taken instead. None, and a default, are checked only ``always``.
    """

    def mark(method: Found) -> Found:
        _, *others = inspect.signature(method).parameters  # type: ignore[arg-type]
        method._checks = keys, others, always  # type: ignore[attr-defined]
        return method

    return mark


@dataclass(frozen=True)
class Key:
    """One key of a section."""

    name: str
    shape: Shape
    optional: bool
    """None stands for a value that is left out."""
    default: Any
    checks: tuple[tuple[Callable[..., Any], list[str], bool], ...]
    """What checks its values, given those of which keys; and whether None and its default too."""

    @property
    def required(self) -> bool:
        """Return whether it has to be written."""
        return self.default is _REQUIRED

    def read(self, value: object, earlier: Mapping[str, Any], known: object = EMPTY) -> Any:
        """Return the typed value; ValueError if it is wrong. One that is known is typed already."""
        if value is not known and (value is not None or not self.optional):
            value = _take(self.shape, value)
        return self._checked(value, earlier, left_out=value is None) if self.checks else value

    def usual(self, earlier: Mapping[str, Any]) -> Any:
        """Return the default; ValueError if there is none, or it does not fit what is earlier."""
        value = self.default
        if value is _REQUIRED:
            about = keys_of(self.shape)
            if isinstance(self.shape, Leaf):
                about = f"it like '{self.name}: {self.shape.example}'"
            raise ValueError(f"is missing; write {about}")
        value = self._checked(value, earlier, left_out=True)
        return dict(value) if isinstance(value, dict) else value

    def _checked(self, value: Any, earlier: Mapping[str, Any], *, left_out: bool) -> Any:
        for one, others, always in self.checks:
            if (always or not left_out) and all(other in earlier for other in others):
                made = one(value, *(earlier[other] for other in others))
                value = value if made is None else made
        return value


@cached
def keys_in(section: type[Section]) -> tuple[Key, ...]:
    """Return the keys of a section, in order: those of its bases first."""
    defaults: dict[str, Any] = {}
    checks: dict[str, tuple[tuple[str, ...], list[str], bool]] = {}
    for base in reversed(section.__mro__):
        own = vars(base)
        defaults |= {name: own.get(name, _REQUIRED) for name in inspect.get_annotations(base)}
        checks |= {name: one._checks for name, one in own.items() if hasattr(one, "_checks")}
    return tuple(
        Key(
            name,
            shape_of(annotation := _evaluated(section, name)),
            types.NoneType in get_args(annotation),
            defaults[name],
            tuple(
                (getattr(section, one), others, always)
                for one, (of, others, always) in checks.items()
                if name in of
            ),
        )
        for name in _annotations(section)
    )


@cached
def _annotations(section: type[Section]) -> dict[str, tuple[Any, str]]:
    """Return what the keys of a section are annotated with, as text or not; and in which module."""
    found: dict[str, tuple[Any, str]] = {}
    for base in reversed(section.__mro__):
        own = inspect.get_annotations(base)
        found |= {name: (annotation, base.__module__) for name, annotation in own.items()}
    return {name: one for name, one in found.items() if "ClassVar[" not in str(one[0])}


def _evaluated(section: type[Section], key: str) -> Any:
    found, module = _annotations(section)[key]
    return eval(found, vars(sys.modules[module])) if isinstance(found, str) else found


def tags_of(section: type[Section], key: str) -> tuple[str, ...]:
    """Return the words of a key that is a ``Literal``: the section's tags; empty if it is none."""
    annotation = _evaluated(section, key)
    return get_args(annotation) if get_origin(annotation) is Literal else ()


FULL = "full"
"""Marks a list or a mapping that must not be empty."""


@dataclass(frozen=True)
class Named:
    """A mapping whose keys are names that the author chose."""

    item: Shape
    full: bool = False
    """It must not be empty."""


@dataclass(frozen=True)
class Items:
    """A list."""

    item: Shape
    full: bool = False
    """It must not be empty."""


@dataclass(frozen=True)
class Choice:
    """One of several sections."""

    options: Mapping[str, type[Section]]
    key: str = ""
    """The key whose value tells which; if empty, the first of the options that is a key does."""
    shorthand: Mapping[str, str] = field(default_factory=dict)
    """Those of the sections."""

    def chosen(self, values: Mapping[str, Any]) -> type[Section] | None:
        """Return the section that plain values, or nodes, are meant for; None if nothing tells."""
        if not self.key:
            return next((one for key, one in self.options.items() if key in values), None)
        tag = getattr(values.get(self.key), "text", values.get(self.key))
        return self.options.get(tag) if isinstance(tag, str) else None


@dataclass(frozen=True)
class UnionOf:
    """Marks a union of sections, distinguished by a ``Literal`` in each, or by their first keys."""

    key: str = ""
    kinds: Callable[[], Sequence[type[Section]]] | None = None
    """Finds the sections, whose base is marked then instead of their union."""

    def shape(self, sections: Sequence[type[Section]]) -> Choice:
        """Return the shape of a union of these sections."""
        if self.key:
            tags = {tag: one for one in sections for tag in tags_of(one, self.key)}
            return Choice(tags, self.key)
        shorthand = {form: key for one in sections for form, key in one.shorthand.items()}
        first = {next(iter(_annotations(one))): one for one in sections}
        return Choice(first, shorthand=shorthand)


@dataclass(frozen=True)
class Called:
    """Marks a ``Literal``: the leaf of one of these words has a name in the JSON Schema."""

    name: str
    sourced: bool = True


Shape = Leaf | type[Section] | Named | Items | Choice
"""What is expected at some place of a file."""


def _take(shape: Shape, value: Any) -> Any:
    """Return the typed value of a plain one; ValueError or PartsError for what is wrong."""
    if isinstance(shape, Leaf):
        return shape.read(value)
    if isinstance(shape, Choice):
        if type(value) in shape.options.values():
            return value
        shape = (shape.chosen(value) if isinstance(value, Mapping) else None) or shape
    elif isinstance(shape, type) and isinstance(value, shape):
        return value
    if isinstance(shape, type) and isinstance(value, Mapping):
        return shape.of_values(value)
    if isinstance(shape, Named) and isinstance(value, Mapping):
        return dict(_each(shape, value.items()))
    if isinstance(shape, Items) and isinstance(value, list | tuple):
        return tuple(one for _, one in _each(shape, enumerate(value)))
    raise ValueError(f"{value!r} was read; write {keys_of(shape)}")


def _each(shape: Named | Items, pairs: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Read each of several values; PartsError has what is wrong with any."""
    typed = list(each(partial(_take, shape.item), pairs).items())
    if shape.full and not typed:
        raise ValueError("is empty; write one or more")
    return typed


@cached
def fields_of(section: type[Section]) -> dict[str, Shape]:
    """Return the shape of each key of a section."""
    return {key.name: key.shape for key in keys_in(section)}


def shape_of(annotation: Any) -> Shape:
    """Return the shape that a type annotation stands for; TypeError if it stands for none."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        marked = (_marked(mark, args[0]) for mark in args[1:])
        return next((shape for shape in marked if shape is not None), None) or shape_of(args[0])
    if origin is Literal:
        return word(TAG, *args, sourced=False)
    if origin in (Union, types.UnionType):
        (only,) = (one for one in args if one is not types.NoneType)
        return shape_of(only)
    if origin is dict:
        return Named(shape_of(args[1]))
    if origin is tuple:
        return Items(shape_of(args[0]))
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    raise TypeError(f"{annotation} is neither a section nor made of leaves")


def _marked(mark: object, inner: Any) -> Shape | None:
    """Return the shape that a mark of an annotated type stands for; None if it stands for none."""
    if isinstance(mark, Leaf):
        return mark
    if isinstance(mark, Called):
        return word(mark.name, *get_args(inner), sourced=mark.sourced)
    if isinstance(mark, UnionOf):
        return mark.shape(mark.kinds() if mark.kinds else get_args(inner))
    shape = shape_of(inner) if mark == FULL else None
    return replace(shape, full=True) if isinstance(shape, Named | Items) else None


def leaf_of(annotation: Any) -> Leaf:
    """Return the leaf of an annotated type of :mod:`simulator.config.quantities`."""
    leaf = shape_of(annotation)
    if not isinstance(leaf, Leaf):
        raise TypeError(f"{annotation} has no leaf")
    return leaf


def keys_of(shape: Shape | None) -> str:
    """Return what to write: the keys of a section, or of a mapping."""
    if isinstance(shape, Choice):
        by_key = f"one of {', '.join(shape.options)}"
        return f"its keys, '{shape.key}: ' first" if shape.key else by_key
    if isinstance(shape, type):
        fields = list(fields_of(shape))
        either = "a list, or " if "list" in shape.shorthand else ""
        return f"{either}its keys ({', '.join(fields[:4])}{', ...' if len(fields) > 4 else ''})"
    return "a name and what it stands for" if isinstance(shape, Named) else "a list of items"
