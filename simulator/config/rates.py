"""Values that are one text or several: names, a rate for each direction, a rate by load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

from simulator.config.errors import PartsError, Path, did_you_mean, faults_at
from simulator.config.quantities import Count, Leaf, Name, Percent, Rate, Time, not_text
from simulator.config.section import leaf_of
from simulator.unit_names import NUMERAL, RATE, shown
from simulator.units import Nanoseconds

_RATE = leaf_of(Rate)
_NAME = leaf_of(Name)
_WAYS = ("read", "write")
_RATE_SCHEMA = {"type": "string", "pattern": f"^ *{NUMERAL} *({'|'.join(RATE.scales)}) *$"}


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
        """Whether it is one value for both."""
        return self.read == self.write and not self.apart


def _ways_read(
    value: Mapping[Any, object], read: Callable[[object], Any], example: str
) -> dict[str, Any]:
    """Read a value for reading and one for writing; PartsError names what is wrong or missing."""
    faults: list[tuple[Path, str]] = [
        ((key,), f"unknown key; {did_you_mean(str(key), _WAYS)}")
        for key in value
        if key not in _WAYS
    ]
    numbers = {}
    for way in _WAYS:
        try:
            if way not in value:
                faults.append(((), f"{way} is missing; write it like '{example}'"))
            else:
                numbers[way] = read(value[way])
        except ValueError as error:
            faults += faults_at(way, error)
    if faults:
        raise PartsError(faults)
    return numbers


def _each_way(name: str, one: Leaf) -> Leaf:
    """Make the leaf of a value, or of one for reading and one for writing."""
    example = f"{{read: {one.example}, write: {one.example}}}"

    def read(value: object) -> EachWay:
        if isinstance(value, EachWay):
            return value
        if not isinstance(value, dict):
            number = one.read(value)
            return EachWay(number, number)
        return EachWay(**_ways_read(value, one.read, example), apart=True)

    def show(value: EachWay) -> str:
        if value.one:
            return one.show(value.read)
        return f"{{read: {one.show(value.read)}, write: {one.show(value.write)}}}"

    both = {
        "type": "object",
        "properties": dict.fromkeys(_WAYS, one.schema),
        "required": list(_WAYS),
        "additionalProperties": False,
    }
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


# -- a number for each group of nodes --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ByGroup:
    """A whole number for each of some groups of nodes, and one for all others."""

    usual: int = 1
    groups: tuple[tuple[str, int], ...] = ()

    def at(self, group: str) -> int:
        """Return the number of a group.

        >>> ByGroup(1, (("server", 4),)).at("server"), ByGroup(2).at("client")
        (4, 2)
        """
        return dict(self.groups).get(group, self.usual)


_COUNT = leaf_of(Count)
_BY_GROUP_EXAMPLE = "{server: 4}"


def _read_by_group(value: object) -> ByGroup:
    """Read a number, or numbers by the names of groups."""
    if isinstance(value, ByGroup):
        return value
    if not isinstance(value, Mapping):
        return ByGroup(_COUNT.read(value))
    if not value:
        raise ValueError(not_text(value, _BY_GROUP_EXAMPLE))
    faults: list[tuple[Path, str]] = []
    numbers: list[tuple[str, int]] = []
    for key, number in value.items():
        try:
            numbers.append((_NAME.read(key), _COUNT.read(number)))
        except ValueError as error:
            faults += faults_at(key, error)
    if faults:
        raise PartsError(faults)
    return ByGroup(1, tuple(numbers))


def _show_by_group(value: ByGroup) -> str:
    if not value.groups:
        return str(value.usual)
    return f"{{{', '.join(f'{name}: {number}' for name, number in value.groups)}}}"


_BY_GROUP_SCHEMA: dict[str, Any] = {
    "anyOf": [
        _COUNT.schema,
        {"type": "object", "additionalProperties": _COUNT.schema, "minProperties": 1},
    ]
}
CountByGroup = Annotated[
    ByGroup,
    Leaf("count-by-group", "2", _read_by_group, _show_by_group, dict(_BY_GROUP_SCHEMA), keyed=True),
]
"""A whole number, or one for each of some groups of nodes; 1 for the others."""


# -- a rate by the number of transfers -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RateByLoad:
    """The total rate at some numbers of transfers under way; linear between, constant beyond."""

    points: tuple[tuple[int, float], ...]
    """(transfers, bytes per second), by rising number."""

    @property
    def alone(self) -> float:
        """What a single transfer gets."""
        return self.points[0][1]

    def rates(self) -> list[float]:
        """Return the total rate of 1, 2, ... transfers, up to the last number given.

        >>> RateByLoad(((1, 100.0), (3, 80.0))).rates()
        [100.0, 90.0, 80.0]
        """
        rates = [self.alone] * self.points[0][0]
        for (low, slow), (high, fast) in pairwise(self.points):
            step = (fast - slow) / (high - low)
            rates += [slow + step * (n - low) for n in range(low + 1, high + 1)]
        return rates

    def way(self, way: str) -> RateByLoad:
        """Return the rates of a direction: the same for both."""
        del way
        return self


@dataclass(frozen=True, slots=True)
class LoadEachWay:
    """Rates by the number of transfers under way, for what reads and for what writes."""

    read: RateByLoad
    write: RateByLoad

    def way(self, way: str) -> RateByLoad:
        """Return the rates of a direction, ``read`` or ``write``."""
        return self.write if way == "write" else self.read


MOST_TRANSFERS = 10_000
_LOAD_EXAMPLE = "{1: 66.6 MB/s, 8: 54.7 MB/s}"


def _read_loads(value: object) -> RateByLoad | LoadEachWay:
    """Read a rate or rates by load, or one of them for reading and one for writing."""
    if isinstance(value, LoadEachWay):
        return value
    if not isinstance(value, Mapping) or value.keys().isdisjoint(_WAYS):
        return _read_load(value)
    return LoadEachWay(**_ways_read(value, _read_load, "{read: 100 MB/s, write: 80 MB/s}"))


def _read_load(value: object) -> RateByLoad:
    """Read a rate, or rates by the number of transfers."""
    if isinstance(value, RateByLoad):
        return value
    if not isinstance(value, Mapping):
        return RateByLoad(((1, _RATE.read(value)),))
    faults: list[tuple[Path, str]] = []
    points: dict[int, float] = {}
    for key, rate in value.items():
        text = str(key)
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST_TRANSFERS:
            about = f"is not a number of transfers from 1 to {MOST_TRANSFERS}"
            faults.append(((key,), f"{shown(text)} {about}; write it like {_LOAD_EXAMPLE}"))
            continue
        try:
            points[int(text)] = _RATE.read(rate)
        except ValueError as error:
            faults += faults_at(key, error)
    if not value:
        raise ValueError(not_text(value, _LOAD_EXAMPLE))
    if faults:
        raise PartsError(faults)
    return RateByLoad(tuple(sorted(points.items())))


def _show_load(rates: RateByLoad | LoadEachWay) -> str:
    if isinstance(rates, LoadEachWay):
        return f"{{read: {_show_load(rates.read)}, write: {_show_load(rates.write)}}}"
    if len(rates.points) == 1:
        return _RATE.show(rates.alone)
    return f"{{{', '.join(f'{n}: {_RATE.show(rate)}' for n, rate in rates.points)}}}"


_LOAD_SCHEMAS: list[dict[str, Any]] = [
    _RATE_SCHEMA,
    {
        "type": "object",
        "patternProperties": {"^[1-9][0-9]*$": _RATE_SCHEMA},
        "additionalProperties": False,
        "minProperties": 1,
    },
]
_LOADS_SCHEMA: dict[str, Any] = {
    "anyOf": [
        *_LOAD_SCHEMAS,
        {
            "type": "object",
            "properties": {way: {"anyOf": _LOAD_SCHEMAS} for way in _WAYS},
            "required": list(_WAYS),
            "additionalProperties": False,
        },
    ]
}
Load = Annotated[
    RateByLoad | LoadEachWay,
    Leaf("rate-by-load", "100 MB/s", _read_loads, _show_load, _LOADS_SCHEMA, keyed=True),
]
"""A rate, or the total rate by the number of transfers; or one of these for each direction."""
