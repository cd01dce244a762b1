"""What all sections share, and what shape each has: needed to walk a YAML tree beside them."""

from __future__ import annotations

import functools
import types
from collections.abc import Container, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from simulator.config.errors import Path, PathStep
from simulator.config.quantities import Leaf, word


class Section(BaseModel):
    """A part of a file: frozen, and without room for unknown keys.

    The sentence under a field is its description in the JSON Schema, which reads it from the source
    when it is asked for: to have pydantic do so would take a tenth of a second in every run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    shorthand: ClassVar[Mapping[str, str]] = {}
    """The key that is meant where a plain ``text`` or ``list`` stands instead of the section."""
    synonyms: ClassVar[Mapping[str, str]] = {}
    """Other words that authors may write for keys, and the keys."""

    def with_value(self, key: str, value: Any) -> Self:
        """Return a copy with another value, which has been checked already."""
        fields = type(self).model_fields
        new = copy(self)
        values = vars(new)
        for name in [name for name in values if name not in fields]:  # what follows from others
            del values[name]
        values[key] = value
        new.model_fields_set.add(key)
        return new


@dataclass(frozen=True)
class Named:
    """A mapping whose keys are names that the author chose."""

    item: Shape


@dataclass(frozen=True)
class Items:
    """A list."""

    item: Shape


@dataclass(frozen=True)
class Choice:
    """One of several sections; the value of ``key`` tells which."""

    key: str
    options: Mapping[str, type[Section]]


@dataclass(frozen=True)
class OneOf:
    """One of several sections; the first of these keys that is there tells which."""

    options: Mapping[str, type[Section]]
    shorthand: Mapping[str, str]
    """Those of the sections."""

    def chosen(self, keys: Container[str]) -> str | None:
        """Return the key that tells which section it is; None if none does."""
        return next((key for key in self.options if key in keys), None)


class ByKey:
    """Marks a union of sections that are told apart by their first field, as :class:`OneOf`."""

    def shape(self, sections: Sequence[type[Section]]) -> OneOf:
        """Return the shape of a union of these sections."""
        shorthand = {form: key for one in sections for form, key in one.shorthand.items()}
        return OneOf({next(iter(one.model_fields)): one for one in sections}, shorthand)

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Have pydantic choose a section by its key."""
        shape = self.shape(get_args(source))

        def tag(value: object) -> str | None:
            if isinstance(value, Section):
                return next(iter(type(value).model_fields))
            return shape.chosen(value) if isinstance(value, dict) else None

        choices = {key: handler.generate_schema(one) for key, one in shape.options.items()}
        return core_schema.tagged_union_schema(choices, tag)


Shape = Leaf | type[Section] | Named | Items | Choice | OneOf
"""What is expected at some place of a file."""


@functools.cache
def fields_of(section: type[Section]) -> dict[str, Shape]:
    """Give the shape of each key of a section."""
    fields = section.model_fields.items()
    return {name: shape_of(field.rebuild_annotation()) for name, field in fields}


def shape_of(annotation: Any) -> Shape:
    """Give the shape that a type annotation stands for; TypeError if it stands for none."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        marked = (_marked(mark, args[0]) for mark in args[1:])
        return next((shape for shape in marked if shape is not None), None) or shape_of(args[0])
    if origin is Literal:  # The key of a choice: pydantic wants it bare.
        return word("choice", *args, sourced=False)
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
    """Give the shape that a mark of an annotated type stands for; None if it stands for none."""
    if isinstance(mark, Leaf):
        return mark
    if isinstance(mark, ByKey):
        return mark.shape(get_args(inner))
    if isinstance(mark, FieldInfo) and isinstance(mark.discriminator, str):
        return _choice(mark.discriminator, get_args(inner))
    return None


def leaf_of(annotation: Any) -> Leaf:
    """Return the leaf of an annotated type of :mod:`simulator.config.quantities`."""
    leaf = shape_of(annotation)
    if not isinstance(leaf, Leaf):
        raise TypeError(f"{annotation} has no leaf")
    return leaf


def _choice(key: str, sections: tuple[type[Section], ...]) -> Choice:
    tags = ((get_args(one.model_fields[key].annotation), one) for one in sections)
    return Choice(key, {tag: section for some, section in tags for tag in some})


def shorthand_of(shape: Shape) -> Mapping[str, str]:
    """Give the key that a plain text or list stands for, by its form; empty for most shapes."""
    if isinstance(shape, OneOf) or (isinstance(shape, type) and issubclass(shape, Section)):
        return shape.shorthand
    return {}


def child(shape: Shape, step: PathStep) -> Shape | None:
    """Give the shape one step further down; None where there is none of that name."""
    if isinstance(shape, Named | Items):
        return shape.item
    if isinstance(shape, type):
        return fields_of(shape).get(str(step))
    return None


def keys_of(shape: Shape | None) -> str:
    """Say what keys to write in a section or mapping."""
    if isinstance(shape, Choice):
        return f"its keys, '{shape.key}: ' first"
    if isinstance(shape, OneOf):
        return f"one of {', '.join(shape.options)}"
    if isinstance(shape, type):
        fields = list(fields_of(shape))
        either = "a list, or " if "list" in shape.shorthand else ""
        return f"{either}its keys ({', '.join(fields[:4])}{', ...' if len(fields) > 4 else ''})"
    return "a name and what it stands for" if isinstance(shape, Named) else "a list of items"


def located(loc: Path, shape: Shape | None) -> tuple[Path, Shape | None]:
    """Give the path in the file for pydantic's location of an error, and the shape there.

    Pydantic adds a step where it chose between sections; the file has none.
    """
    path: list[PathStep] = []
    for step in loc:
        if isinstance(shape, Choice | OneOf):
            shape = shape.options.get(str(step))
        else:
            path.append(step)
            shape = child(shape, step) if shape is not None else None
    return tuple(path), shape
