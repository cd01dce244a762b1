"""Values that are one text or several: names, a rate for each direction or group of nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from simulator.config.quantities import (
    Count,
    Leaf,
    Name,
    Percent,
    Rate,
    Size,
    Time,
    each,
    keyed,
    keyed_schema,
    not_text,
)
from simulator.config.section import leaf_of
from simulator.units import Bytes, Nanoseconds

_RATE = leaf_of(Rate)
_NAME = leaf_of(Name)
_WAYS = ("read", "write")


# -- names -------------------------------------------------------------------------------------


def _read_names(value: object) -> tuple[str, ...]:
    """Read a name, or a list of different names."""
    if not isinstance(value, list | tuple):
        return (_NAME.read(value),)
    if not value:
        raise ValueError("the list is empty; write one name or more, like '[client, server]'")
    names = tuple(map(_NAME.read, value))
    if twice := [name for index, name in enumerate(names) if name in names[:index]]:
        raise ValueError(f"{twice[0]!r} is in the list twice; write it once")
    return names


def _show_names(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


_NAMES_SCHEMA = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
}
Names = Annotated[
    tuple[str, ...],
    Leaf("names", "[client, server]", _read_names, _show_names, _NAMES_SCHEMA, sourced=False),
]
"""One name, or a list of names."""


# -- a rate for each direction -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EachWay:
    """A value for reading and one for writing."""

    read: float
    write: float
    apart: bool = False
    """Written as two values, even if they are equal."""

    @property
    def one(self) -> bool:
        """Return whether it is one value for both."""
        return self.read == self.write and not self.apart


def _each_way(name: str, one: Leaf) -> Leaf:
    """Make the leaf of a value, or of one for reading and one for writing."""
    example = f"'{{read: {one.example}, write: {one.example}}}'"
    readers = dict.fromkeys(_WAYS, one.read)

    def read(value: object) -> EachWay:
        if isinstance(value, EachWay):
            return value
        if not isinstance(value, dict):
            number = one.read(value)
            return EachWay(number, number)
        return EachWay(**keyed(value, readers, example), apart=True)

    def show(value: EachWay) -> str:
        if value.one:
            return one.show(value.read)
        return f"{{read: {one.show(value.read)}, write: {one.show(value.write)}}}"

    both = keyed_schema(dict.fromkeys(_WAYS, one.schema))
    return Leaf(name, one.example, read, show, {"anyOf": [one.schema, both]}, keyed=True)


Rates = Annotated[EachWay, _each_way("rates", _RATE)]
"""A rate, or one for reading and one for writing."""
Percents = Annotated[EachWay, _each_way("percentages", leaf_of(Percent))]
"""A percentage, or one for reading and one for writing."""

_TIME = leaf_of(Time)
_BOTH_TIMES = _each_way("times", _TIME)


def _read_times(value: object) -> Nanoseconds | EachWay:
    """Read a time, or one for reading and one for writing."""
    reader = _BOTH_TIMES if isinstance(value, dict | EachWay) else _TIME
    number: Nanoseconds | EachWay = reader.read(value)
    return number


def _show_times(value: Nanoseconds | EachWay) -> str:
    return (_BOTH_TIMES if isinstance(value, EachWay) else _TIME).show(value)


Times = Annotated[
    Nanoseconds | EachWay,
    Leaf("times", _TIME.example, _read_times, _show_times, dict(_BOTH_TIMES.schema), keyed=True),
]
"""A time, or one for reading and one for writing."""


def time_of(times: Nanoseconds | EachWay, way: str) -> Nanoseconds:
    """Return the time of a direction, ``read`` or ``write``.

    >>> time_of(EachWay(10, 20), "write"), time_of(Nanoseconds(5), "read")
    (20, 5)
    """
    if not isinstance(times, EachWay):
        return times
    return Nanoseconds(int(times.write if way == "write" else times.read))


# -- a part of a whole -----------------------------------------------------------------------------

_PERCENT, _SIZE = leaf_of(Percent), leaf_of(Size)


def _read_share(value: object) -> float | Bytes:
    """Read a percentage as a float from 0 to 1, or a size as a whole number of bytes."""
    is_size = isinstance(value, int)
    if isinstance(value, str):
        is_size = not value.rstrip().endswith("%") and any(map(str.isalpha, value))
    share: float | Bytes = (_SIZE if is_size else _PERCENT).read(value)
    return share


def show_share(value: float | Bytes) -> str:
    """Write a part of a capacity as a file has it."""
    return (_SIZE if isinstance(value, int) else _PERCENT).show(value)


Share = Annotated[
    float | Bytes,
    Leaf(
        "share",
        _PERCENT.example,
        _read_share,
        show_share,
        {"anyOf": [_PERCENT.schema, _SIZE.schema]},
    ),
]
"""A part of a capacity: a percentage (a float) or a size (a whole number)."""


def bytes_of(share: float | Bytes, whole: int) -> float:
    """Return the bytes of a part of a whole.

    >>> bytes_of(0.2, 1000), bytes_of(Bytes(300), 1000)
    (200.0, 300)
    """
    return share if isinstance(share, int) else share * whole


# -- a number for each group of nodes --------------------------------------------------------------

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class ByGroup(Generic[Number]):
    """A number for each of some groups of nodes, and one for all others."""

    usual: Number
    groups: tuple[tuple[str, Number], ...] = ()

    def at(self, group: str) -> Number:
        """Return the number of a group.

        >>> ByGroup(1, (("server", 4),)).at("server"), ByGroup(2).at("client")
        (4, 2)
        """
        return dict(self.groups).get(group, self.usual)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of the groups, or the one for all."""
        return tuple(number for _, number in self.groups) or (self.usual,)

    def each(self, change: Callable[[Number], Number]) -> ByGroup[Number]:
        """Return the same with all numbers changed.

        >>> ByGroup(1, (("server", 4),)).each(lambda one: 2 * one).at("server")
        8
        """
        if not self.groups:
            return ByGroup(change(self.usual))
        return ByGroup(self.usual, tuple((name, change(number)) for name, number in self.groups))


def _by_group(name: str, one: Leaf, example: str, usual: float) -> Leaf:
    """Make the leaf of a value, or of one for each of some groups; ``usual`` for the others."""
    whole = isinstance(usual, int)

    def number(value: object) -> float:
        return int(one.read(value)) if whole else float(one.read(value))

    def read(value: object) -> ByGroup[Any]:
        if isinstance(value, ByGroup):
            return value
        if not isinstance(value, Mapping):
            return ByGroup(number(value))
        if not value:
            raise ValueError(not_text(value, example))
        pairs = ((key, (key, given)) for key, given in value.items())
        numbers = each(lambda pair: (_NAME.read(pair[0]), number(pair[1])), pairs)
        return ByGroup(usual, tuple(numbers.values()))

    def show(value: ByGroup[Any]) -> str:
        if not value.groups:
            return one.show(value.usual)
        return f"{{{', '.join(f'{group}: {one.show(given)}' for group, given in value.groups)}}}"

    schema = {
        "anyOf": [
            one.schema,
            {"type": "object", "additionalProperties": one.schema, "minProperties": 1},
        ]
    }
    return Leaf(name, one.example, read, show, schema, keyed=True)


CountByGroup = Annotated[
    ByGroup[int], _by_group("count-by-group", leaf_of(Count), "{server: 4}", 1)
]
"""A whole number, or one for each of some groups of nodes; 1 for the others."""
TimeByGroup = Annotated[ByGroup[int], _by_group("time-by-group", _TIME, "{client: 5 us}", 0)]
"""A time, or one for each of some groups of nodes; 0 for the others."""
RateByGroup = Annotated[
    ByGroup[float],
    _by_group("rate-by-group", _RATE, "{client: 1 GB/s, server: 5 GB/s}", 0.0),
]
"""A rate, or one for each group of nodes."""
