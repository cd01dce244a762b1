"""The values that a fit file names, found in its machine: units, first guesses, ranges, steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.config.errors import Path, Problem, dotted
from simulator.config.knobs import Knobs, knobs_of
from simulator.config.quantities import Count, Leaf, Percent, Rate, Size, Time
from simulator.config.rates import ByGroup, EachWay
from simulator.config.ratetables import LoadEachWay, RateByLoad, RateBySize
from simulator.config.section import leaf_of
from simulator.config.settings import (
    POSITIONING,
    Setting,
    mean_positioning,
    positioned,
    positioning_times,
)
from simulator.config.sources import leaves
from simulator.units import DECIMAL_UNITS, SPEED, TIME, format_size

if TYPE_CHECKING:
    from simulator.config.fit_file import Fit
    from simulator.config.fit_file import Parameter as Asked
    from simulator.config.machine_file import Machine

BASE = {"size": "B", "time": "ns", "rate": "B/s", "percentage": "%", "speed": "flop/s"}
"""Units of numbers that are written with all their digits, by their dimensions."""
_COUNTS = ("count", "count-or-none")
_WHOLE = ("size", "time", *_COUNTS)
_UNITS = {
    "size": DECIMAL_UNITS,
    "time": {unit: TIME.scales[unit] for unit in ("ns", "us", "ms", "s")},
    "rate": {f"{unit}/s": size for unit, size in DECIMAL_UNITS.items()},
    "speed": {unit: size for unit, size in SPEED.scales.items() if "flop" in unit},
}
"""Units for people."""
_INNER = {
    "rates": leaf_of(Rate),
    "times": leaf_of(Time),
    "percentages": leaf_of(Percent),
    "rate-by-load": leaf_of(Rate),
    "device-rates": leaf_of(Rate),
    "sized-rates": leaf_of(Rate),
    "rate-by-group": leaf_of(Rate),
    "time-by-group": leaf_of(Time),
    "count-by-group": leaf_of(Count),
}
"""Leaves of the numbers of values that have several."""
_IN_BLOCKS = ("capacity", "quota", "extent")
RANGE = 100.0
"""Factor between a first guess and the ends of its range, unless the file says so."""
FINE = 10_000
"""From so many steps on a whole value is as good as a continuous one."""
_DIGITS = 6
"""Of a value that is written to a file."""


@dataclass(frozen=True)
class Parameter:
    """One number of the machine that is fitted; numbers are in ns, bytes, bytes per second, ..."""

    name: str
    """As the fit file has it."""
    steps: Path
    """Path of the value in the machine file; a positioning time is several values there."""
    key: str
    """Key of the number in its value: ``write``, or a number of transfers; empty: the only one."""
    leaf: Leaf
    """Of the number."""
    value: Any
    """The whole value in the machine file."""
    current: float
    """The number in the machine file."""
    start: float
    low: float
    high: float
    step: float
    """The number is a multiple of it; 0 if of nothing."""

    @property
    def path(self) -> str:
        """The full path of the value, as settings have it."""
        return f"machine.{dotted(self.steps)}"

    def text(self, number: float) -> str:
        """Return a number as a setting takes it, with all its digits."""
        if self.leaf.name == "percentage":
            return f"{100 * float(number)!r} %"
        digits = str(round(number)) if self.leaf.name in _WHOLE else repr(float(number))
        return f"{digits} {BASE.get(self.leaf.name, '')}".strip()

    def rounded(self, number: float) -> float:
        """Return a number as it is written to a file: six digits, and a whole number of steps."""
        if self.blocks:
            return max(1, round(number / self.step)) * self.step
        digits = float(f"{number:.{_DIGITS}g}")
        return round(digits) if self.leaf.name in _WHOLE else digits

    def shown(self, number: float) -> str:
        """Return a number as it is written to a file, as text."""
        rounded = self.rounded(number)
        if self.blocks:
            return self.leaf.show(int(rounded))
        unit, scale = self.unit(rounded)
        return f"{rounded / scale:.{_DIGITS}g} {unit}"

    @property
    def base_unit(self) -> str:
        """The unit of its numbers: B, ns, B/s, flop/s; percentages are fractions."""
        return "" if self.leaf.name == "percentage" else BASE.get(self.leaf.name, "")

    def unit(self, number: float) -> tuple[str, float]:
        """Return the unit in which people read a number, and its size: ms for 2,510,000 ns.

        The largest one, of the decimal ones and up to seconds, that leaves 1 or more.
        """
        if self.leaf.name in _COUNTS:
            return "", 1.0
        if self.leaf.name == "percentage":
            return "%", 0.01
        units = _UNITS[self.leaf.name].items()
        fitting = [(unit, scale) for unit, scale in units if scale <= number]
        unit, scale = max(fitting or list(units)[:1], key=lambda one: one[1])
        return unit, float(scale)

    @property
    def blocks(self) -> bool:
        """True if it is counted in steps that matter: disks, or blocks of a store."""
        return self.step > 1 or self.leaf.name in _COUNTS

    @property
    def stepped(self) -> bool:
        """True if figures are interpolated between two steps."""
        return self.blocks or self.start < FINE * self.step


def settings_of(parameters: Sequence[Parameter], numbers: Sequence[float]) -> list[Setting]:
    """Return the settings that give parameters these numbers."""
    by_path: dict[str, list[tuple[Parameter, str]]] = {}
    for one, number in zip(parameters, numbers, strict=True):
        by_path.setdefault(one.path, []).append((one, one.text(number)))
    return [(path, whole_text(given)) for path, given in by_path.items()]


def whole_text(given: Sequence[tuple[Parameter, str]]) -> str:
    """Return a value with the texts of some of its numbers replaced."""
    first, text = given[0]
    if not first.key:
        return text
    texts = {key: first.leaf.show(number) for key, number in numbers_in(first.value).items()}
    texts |= {one.key: text for one, text in given}
    return f"{{{', '.join(f'{key}: {text}' for key, text in texts.items())}}}"


def parameters_of(fit: Fit, machine: Machine) -> tuple[list[Parameter], list[Problem]]:
    """Find the values that a fit names in its machine, and what is wrong with them."""
    values = {f"machine.{dotted(one[0])}": one for one in leaves(machine)}
    for one in leaves(machine.mpi_io, ("runtime", "mpi_io")):
        values.setdefault(f"machine.{dotted(one[0])}", one)
    for place, section in positioned(machine.parts):
        inside: Path = ("parts", *place, POSITIONING)
        mean = mean_positioning(positioning_times(section))
        values[f"machine.{dotted(inside)}"] = (inside, leaf_of(Time), mean, "")
    knobs = knobs_of(machine)
    found: list[Parameter] = []
    problems: list[Problem] = []
    for name, asked in fit.parameters.items():
        at: tuple[str, ...] = ("parameters", name)
        try:
            path, key = _place(name, knobs, values)
            steps, leaf, value, _ = values[path]
            inner, current = _number(leaf, value, name, key)
            twin = next((one for one in found if (one.steps, one.key) == (steps, key)), None)
            if twin is not None:
                raise _Wrong(f"is {twin.name} once more; leave one of them out")
            step = _step(machine, steps, inner)
            low, start, high = _range(asked, inner, current)
        except _Wrong as wrong:
            where = (*at, wrong.key) if wrong.key else at
            problems.append(fit.origin.problem(where, str(wrong)))
            continue
        found.append(Parameter(name, steps, key, inner, value, current, start, low, high, step))
    return found, problems


class _Wrong(Exception):  # noqa: N818 - it is caught here, and becomes a problem
    def __init__(self, about: str, key: str = "") -> None:
        super().__init__(about)
        self.key = key


def _place(
    name: str, knobs: Knobs, values: Mapping[str, tuple[Path, Leaf, Any, str]]
) -> tuple[str, str]:
    """Return the path of a value and the key of a number in it."""
    for whole, key in ((name, ""), (name.rpartition(".")[0], name.rpartition(".")[2])):
        knob = knobs.find(whole)
        path = whole if knob is None else knob.path
        if path in values and (not key or values[path][1].name in _INNER):
            return path, key
    try:
        knobs.look_up(name)
    except ValueError as error:
        raise _Wrong(str(error)) from error
    raise _Wrong("is no value of the machine")


def numbers_in(value: Any) -> dict[str, float]:
    """Return the numbers of a value by their keys; empty if it is not several."""
    if isinstance(value, EachWay):
        return {"read": value.read, "write": value.write}
    if isinstance(value, LoadEachWay):
        return {"read": value.read.alone, "write": value.write.alone}
    if isinstance(value, RateByLoad):
        return {str(count): rate for count, rate in value.points}
    if isinstance(value, RateBySize) and not value.by_number:
        return {format_size(size): rates.alone for size, rates in value.points}
    if isinstance(value, ByGroup):
        return {name: float(count) for name, count in value.groups}
    return {}


def _number(leaf: Leaf, value: Any, name: str, key: str) -> tuple[Leaf, float]:
    """Return the leaf of one number of a value, and the number."""
    inner = _INNER.get(leaf.name, leaf)
    if leaf.name == "share":
        inner = leaf_of(Size) if isinstance(value, int) else leaf_of(Percent)
    if inner.name not in (*BASE, *_COUNTS):
        raise _Wrong(f"{leaf.show(value)!r} is no number; only numbers can be fitted")
    if (
        isinstance(value, LoadEachWay)
        and max(map(len, (value.read.points, value.write.points))) > 1
    ):
        raise _Wrong(f"is {leaf.show(value)}; only one rate for each direction can be fitted")
    if isinstance(value, RateBySize) and value.by_number:
        raise _Wrong(f"is {leaf.show(value)}; only one rate for each size can be fitted")
    numbers = numbers_in(value)
    if key:
        if key not in numbers:
            whole = name.removesuffix(f".{key}")
            offered = ", ".join(f"{whole}.{one}" for one in numbers)
            raise _Wrong(f"has no {key!r}; write {f'one of {offered}' if numbers else whole}")
        return inner, numbers[key]
    alone = list(dict.fromkeys(numbers.values()))
    if isinstance(value, ByGroup) and not numbers:
        alone = [value.usual]
    if len(alone) > 1 or isinstance(value, LoadEachWay) or getattr(value, "apart", False):
        offered = " and ".join(f"{name}.{one}" for one in numbers)
        raise _Wrong(f"is {leaf.show(value)}; fit {offered}, or one of them")
    return inner, float(alone[0] if alone else value)


def _step(machine: Machine, steps: Path, leaf: Leaf) -> float:
    """Return what a number has to be a multiple of."""
    return block_of(machine, steps) or (1.0 if leaf.name in _WHOLE else 0.0)


def block_of(machine: Machine, steps: Path) -> int:
    """Return the block that a size of a store is a whole number of; 0 for any other value."""
    in_blocks = steps[0] == "stores" and steps[-1] in _IN_BLOCKS
    return int(machine.stores[str(steps[1])].block) if in_blocks else 0


def _range(asked: Asked, leaf: Leaf, current: float) -> tuple[float, float, float]:
    """Read the range and the first guess; the guess is what the machine has if it is left out."""
    read = {key: _read(leaf, text, key) for key, text in _said(asked)}
    start = read.get("start", current)
    if not start > 0:
        raise _Wrong(f"is 0 in the machine; write a first guess, like 'start: {leaf.example}'")
    most = 1.0 if leaf.name == "percentage" else math.inf
    least = 1.0 if leaf.name in (*_WHOLE, "rate", "speed") else 0.0
    low = read.get("low", max(start / RANGE, least))
    high = read.get("high", min(start * RANGE, most))
    for key, number in (("low", low), ("high", high)):
        if key in read and (number > start if key == "low" else number < start):
            side = "above" if key == "low" else "below"
            about = f"{leaf.show(number)} is {side} the first guess, {leaf.show(start)}"
            raise _Wrong(f"{about}; write it on the other side of it", key)
    if not low < high:
        raise _Wrong("has no range; write a high that is above the low")
    return low, start, high


def _said(asked: Asked) -> Iterator[tuple[str, str]]:
    for key in ("start", "low", "high"):
        text = getattr(asked, key)
        if text is not None:
            yield key, text


def _read(leaf: Leaf, text: str, key: str) -> float:
    try:
        number = float(leaf.read(text))
    except ValueError as error:
        raise _Wrong(str(error), key) from error
    if not number:
        raise _Wrong(f"0 was read; write more than 0, like {leaf.example!r}", key)
    return number
