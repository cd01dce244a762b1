"""What all sections share, and what shape each has: needed to walk a YAML tree beside them."""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

from simulator.config.errors import Path, PathStep
from simulator.config.quantities import Leaf, word


class Section(BaseModel):
    """A part of a file: frozen, and without room for unknown keys.

    The sentence under a field is its description in the JSON Schema.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


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


Shape = Leaf | type[Section] | Named | Items | Choice
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
        for mark in args[1:]:
            if isinstance(mark, Leaf):
                return mark
            if isinstance(mark, FieldInfo) and isinstance(mark.discriminator, str):
                return _choice(mark.discriminator, get_args(args[0]))
        return shape_of(args[0])
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


def _choice(key: str, sections: tuple[type[Section], ...]) -> Choice:
    tags = ((get_args(one.model_fields[key].annotation), one) for one in sections)
    return Choice(key, {tag: section for some, section in tags for tag in some})


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
    if isinstance(shape, type):
        fields = list(fields_of(shape))
        return f"its keys ({', '.join(fields[:4])}{', ...' if len(fields) > 4 else ''})"
    return "a name and what it stands for" if isinstance(shape, Named) else "a list of items"


def located(loc: Path, shape: Shape | None) -> tuple[Path, Shape | None]:
    """Give the path in the file for pydantic's location of an error, and the shape there.

    Pydantic adds a step where it chose between sections; the file has none.
    """
    path: list[PathStep] = []
    for step in loc:
        if isinstance(shape, Choice):
            shape = shape.options.get(str(step))
        else:
            path.append(step)
            shape = child(shape, step) if shape is not None else None
    return tuple(path), shape
