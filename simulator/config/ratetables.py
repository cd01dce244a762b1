"""Rates as tables of measured points: by the number of requests under way, by their size, by both.

A table is a mapping: ``{1: 510 MB/s, 8: 566 MB/s}`` by number, ``{4 KiB: 40 MB/s, 1 MiB: 1 GB/s}``
by size, ``{4 KiB: {1: 40 MB/s, 32: 400 MB/s}, 1 MiB: 500 MB/s}`` by both. Between two numbers the
rate is linear, between two sizes the time is; outside of them it is the rate of the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any

from simulator.config.quantities import Leaf, Rate, Size, each, keyed, keyed_schema, not_text
from simulator.config.rates import EachWay, Rates
from simulator.config.section import leaf_of
from simulator.service import ServiceSpec, SizePoint
from simulator.units import NUMERAL, RATE, SIZE, Nanoseconds, format_size, shown

_RATE, _SIZE, _RATES = leaf_of(Rate), leaf_of(Size), leaf_of(Rates)
_WAYS = ("read", "write")
_RATE_SCHEMA = {"type": "string", "pattern": f"^ *{NUMERAL} *({'|'.join(RATE.scales)}) *$"}
_SIZE_KEY = f"^ *{NUMERAL} *({'|'.join(SIZE.scales)}) *$"
MOST_TRANSFERS = 10_000
_BY_NUMBER = "{1: 66.6 MB/s, 8: 54.7 MB/s}"
_BY_SIZE = "{4 KiB: 40 MB/s, 1 MiB: 500 MB/s}"


@dataclass(frozen=True, slots=True)
class RateByLoad:
    """The total rate at some numbers of transfers under way; linear between, constant beyond."""

    points: tuple[tuple[int, float], ...]
    """(transfers, bytes per second), by rising number."""

    @property
    def alone(self) -> float:
        """Return what a single transfer gets."""
        return self.points[0][1]

    @property
    def fastest(self) -> float:
        """Return the highest rate."""
        return max(rate for _, rate in self.points)

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

    def services(self, overhead: Nanoseconds) -> list[ServiceSpec]:
        """Return the service of a request by how many are under way, from 1 on."""
        return [ServiceSpec(rate, overhead) for rate in self.rates()]

    def times(self, factor: float) -> RateByLoad:
        """Return the same with all rates multiplied."""
        return RateByLoad(tuple((number, rate * factor) for number, rate in self.points))


@dataclass(frozen=True, slots=True)
class RateBySize:
    """The rates of requests of some sizes; the time is linear between, the rate constant beyond."""

    points: tuple[tuple[int, RateByLoad], ...]
    """(bytes, rates by number), by rising size."""

    @property
    def alone(self) -> float:
        """Return what a single transfer of the largest size gets."""
        return self.points[-1][1].alone

    @property
    def fastest(self) -> float:
        """Return the highest rate."""
        return max(rates.fastest for _, rates in self.points)

    @property
    def by_number(self) -> bool:
        """Whether a size has rates by number too."""
        return any(len(rates.points) > 1 for _, rates in self.points)

    def way(self, way: str) -> RateBySize:
        """Return the rates of a direction: the same for both."""
        del way
        return self

    def services(self, overhead: Nanoseconds) -> list[ServiceSpec]:
        """Return the service of a request by how many are under way, from 1 on.

        >>> (one,) = RateBySize(((1000, RateByLoad(((1, 1e6),))),)).services(5)
        >>> one.points, one.overhead_ns
        ((SizePoint(size=1000, time_ns=1000000),), 5)
        """
        curves = [(size, rates.rates()) for size, rates in self.points]
        most = max(len(rates) for _, rates in curves)
        return [
            ServiceSpec(
                self.fastest,
                overhead,
                points=tuple(
                    SizePoint(size, _time_ns(size, rates[min(n, len(rates) - 1)]))
                    for size, rates in curves
                ),
            )
            for n in range(most)
        ]

    def times(self, factor: float) -> RateBySize:
        """Return the same with all rates multiplied."""
        return RateBySize(tuple((size, rates.times(factor)) for size, rates in self.points))


RateTable = RateByLoad | RateBySize


@dataclass(frozen=True, slots=True)
class LoadEachWay:
    """Tables for what reads and for what writes."""

    read: RateTable
    write: RateTable

    def way(self, way: str) -> RateTable:
        """Return the rates of a direction, ``read`` or ``write``."""
        return self.write if way == "write" else self.read


def fastest(rates: EachWay | RateTable | LoadEachWay, way: str) -> float:
    """Return the highest rate of a direction.

    >>> fastest(EachWay(10.0, 20.0), "write"), fastest(RateByLoad(((1, 5.0), (2, 8.0))), "read")
    (20.0, 8.0)
    """
    if isinstance(rates, EachWay):
        return rates.write if way == "write" else rates.read
    return rates.way(way).fastest


def by_number(rates: EachWay | RateTable | LoadEachWay) -> bool:
    """Return whether rates depend on how many requests are under way.

    >>> by_number(EachWay(10.0, 20.0)), by_number(RateByLoad(((1, 5.0), (2, 8.0))))
    (False, True)
    """
    if isinstance(rates, EachWay):
        return False
    tables = (rates.way(way) for way in _WAYS)
    return any(
        one.by_number if isinstance(one, RateBySize) else len(one.points) > 1 for one in tables
    )


def device_service(table: RateTable, overhead: Nanoseconds) -> ServiceSpec:
    """Return the service at a device of requests that come while 1, 2, .. are under way."""
    first, *deeper = table.services(overhead)
    return replace(first, deeper=tuple(deeper))


def _time_ns(size: int, rate: float) -> int:
    """Return the time of a point, to the nearest ns: at least one."""
    return max(1, int(size * (1e9 / rate) + 0.5))


# -- text to tables --------------------------------------------------------------------------------


def _read_loads(value: object) -> RateTable | LoadEachWay:
    """Read a rate or a table, or one of them for reading and one for writing."""
    if isinstance(value, LoadEachWay):
        return value
    if not isinstance(value, Mapping) or value.keys().isdisjoint(_WAYS):
        return _read_load(value)
    ways = dict.fromkeys(_WAYS, _read_load)
    return LoadEachWay(**keyed(value, ways, "'{read: 100 MB/s, write: 80 MB/s}'"))


def _read_load(value: object) -> RateTable:
    """Read a rate, rates by the number of transfers, or either of these by size."""
    if isinstance(value, RateByLoad | RateBySize):
        return value
    if not isinstance(value, Mapping) or not any(map(_is_size, value)):
        return _read_numbers(value)
    pairs = ((key, (str(key), given)) for key, given in value.items())
    points = sorted(each(_read_size, pairs).values(), key=lambda point: point[0])
    for (low, before), (high, after) in pairwise(points):
        _check_rising(low, before, high, after)
    return RateBySize(tuple(points))


def _is_size(key: object) -> bool:
    text = str(key).strip()
    return text[:1].isdigit() and not text.isdigit()


def _read_size(point: tuple[str, object]) -> tuple[int, RateByLoad]:
    text, rates = point
    if text.isdigit():
        about = f"{shown(text)} is a number of transfers beside sizes"
        raise ValueError(f"{about}; write a size, like {_BY_SIZE}, and numbers within sizes")
    return _SIZE.read(text), _read_numbers(rates)


def _check_rising(low: int, before: RateByLoad, high: int, after: RateByLoad) -> None:
    """Refuse a size whose requests take less time than smaller ones, with any number under way."""
    if low == high:
        raise ValueError(f"{format_size(low)} has two rates; write one")
    slow, fast = before.rates(), after.rates()
    for n in range(max(len(slow), len(fast))):
        most = slow[min(n, len(slow) - 1)] * high / low
        if fast[min(n, len(fast) - 1)] > most:
            less = f"{format_size(high)} would take less time than {format_size(low)}"
            with_n = f" with {n + 1} under way" if max(len(slow), len(fast)) > 1 else ""
            raise ValueError(f"{less}{with_n}; write {_RATE.show(most)} or less")


def _read_numbers(value: object) -> RateByLoad:
    """Read a rate, or rates by the number of transfers."""
    if isinstance(value, RateByLoad):
        return value
    if not isinstance(value, Mapping):
        return RateByLoad(((1, _RATE.read(value)),))
    if not value:
        raise ValueError(not_text(value, _BY_NUMBER))
    points = each(_read_point, ((key, (str(key), rate)) for key, rate in value.items()))
    return RateByLoad(tuple(sorted(points.values())))


def _read_point(point: tuple[str, object]) -> tuple[int, float]:
    """Read a number of transfers, and their rate."""
    text, rate = point
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST_TRANSFERS:
        about = f"is not a number of transfers from 1 to {MOST_TRANSFERS}"
        raise ValueError(f"{shown(text)} {about}; write it like {_BY_NUMBER}")
    return int(text), _RATE.read(rate)


def _show_load(rates: EachWay | RateTable | LoadEachWay) -> str:
    if isinstance(rates, EachWay):
        return _RATES.show(rates)
    if isinstance(rates, LoadEachWay):
        return f"{{read: {_show_load(rates.read)}, write: {_show_load(rates.write)}}}"
    if isinstance(rates, RateBySize):
        points = (f"{format_size(size)}: {_show_load(one)}" for size, one in rates.points)
        return f"{{{', '.join(points)}}}"
    if len(rates.points) == 1:
        return _RATE.show(rates.alone)
    return f"{{{', '.join(f'{n}: {_RATE.show(rate)}' for n, rate in rates.points)}}}"


def _read_device(value: object) -> EachWay | RateTable | LoadEachWay:
    """Read a rate, or one for each direction, as these; anything else as a table."""
    if isinstance(value, EachWay | RateByLoad | RateBySize | LoadEachWay):
        return value
    ways = isinstance(value, Mapping) and not value.keys().isdisjoint(_WAYS)
    tables = isinstance(value, Mapping) and any(isinstance(one, Mapping) for one in value.values())
    made: EachWay | RateTable | LoadEachWay
    if not isinstance(value, Mapping) or (ways and not tables) or not value:
        made = _RATES.read(value)
    else:
        made = _read_loads(value)
    return made


def _read_sized(value: object) -> EachWay | RateTable | LoadEachWay:
    """Read a rate, or one for each direction; or rates by size, of which no number is known."""
    made = _read_device(value)
    if by_number(made):
        about = "is by number, which that of a 'shared', 'disk' or 'ssd' may be"
        raise ValueError(f"{about}; write rates by size, like {_BY_SIZE}, or one rate")
    return made


def _mapping_schema(pattern: str, one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "patternProperties": {pattern: one},
        "additionalProperties": False,
        "minProperties": 1,
    }


_NUMBERS = [_RATE_SCHEMA, _mapping_schema("^[1-9][0-9]*$", _RATE_SCHEMA)]
_TABLES = [*_NUMBERS, _mapping_schema(_SIZE_KEY, {"anyOf": _NUMBERS})]
_SCHEMA = {"anyOf": [*_TABLES, keyed_schema({way: {"anyOf": _TABLES} for way in _WAYS})]}


def _leaf(name: str, read: Callable[[object], Any]) -> Leaf:
    return Leaf(name, "100 MB/s", read, _show_load, _SCHEMA, keyed=True)


Load = Annotated[RateTable | LoadEachWay, _leaf("rate-by-load", _read_loads)]
"""A rate, or a table of total rates; or one of these for each direction."""
DeviceRates = Annotated[EachWay | RateTable | LoadEachWay, _leaf("device-rates", _read_device)]
"""A rate of a device, or one for each direction; or tables."""
SizedRates = Annotated[EachWay | RateTable | LoadEachWay, _leaf("sized-rates", _read_sized)]
"""A rate of what does not count requests, or one for each direction; or tables by size."""
