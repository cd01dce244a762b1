"""Measured values: one, several of the same thing, or a mean with the smallest and the largest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any

from simulator.config.errors import Fault, PartsError, did_you_mean
from simulator.config.quantities import Leaf, Percent, Rate, Time, not_text
from simulator.config.section import leaf_of

_KEYS = ("mean", "min", "max")


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured, in ns, bytes per second, or as a fraction."""

    mean: float
    low: float
    """The smallest of the repeated values; the mean if there is one value."""
    high: float
    runs: tuple[float, ...] = ()
    """The repeated values, if they were given."""

    @property
    def range(self) -> float:
        """The largest less the smallest; 0 of one value."""
        return self.high - self.low

    def holds(self, figure: float) -> bool:
        """Return whether a figure lies between the smallest and the largest."""
        return self.low <= figure <= self.high


def _measured(name: str, one: Leaf) -> Leaf:
    """Make the leaf of measured values of one dimension."""
    example = f"[{one.example}, {one.example}]"
    fields = f"{{mean: {one.example}, min: {one.example}, max: {one.example}}}"

    def number(value: object) -> float:
        read = float(one.read(value))
        if not read:
            raise ValueError(f"0 was read; write a value above 0, like {one.example!r}")
        return read

    def several(values: Sequence[object]) -> Measured:
        if not values:
            raise ValueError(not_text(values, example))
        numbers = tuple(_each(number, dict(enumerate(values))).values())
        return Measured(fmean(numbers), min(numbers), max(numbers), numbers)

    def bounded(values: Mapping[Any, object]) -> Measured:
        faults: list[Fault] = [
            ((key,), f"unknown key; {did_you_mean(str(key), _KEYS)}")
            for key in values
            if key not in _KEYS
        ]
        if not faults:
            missing = [key for key in _KEYS if key not in values]
            faults = [((), f"{key} is missing; write it like '{fields}'") for key in missing]
        if faults:
            raise PartsError(faults)
        mean, low, high = _each(number, {key: values[key] for key in _KEYS}).values()
        if not low <= mean <= high:
            raise ValueError("the mean is not between min and max; write it so")
        return Measured(mean, low, high)

    def read(value: object) -> Measured:
        if isinstance(value, Measured):
            return value
        if isinstance(value, Mapping):
            return bounded(value)
        if isinstance(value, list | tuple):
            return several(value)
        single = number(value)
        return Measured(single, single, single)

    def show(value: Measured) -> str:
        if not value.range:
            return one.show(value.mean)
        if value.runs:
            return f"[{', '.join(map(one.show, value.runs))}]"
        numbers = zip(_KEYS, (value.mean, value.low, value.high), strict=True)
        return f"{{{', '.join(f'{key}: {one.show(number)}' for key, number in numbers)}}}"

    keyed = {
        "type": "object",
        "properties": dict.fromkeys(_KEYS, one.schema),
        "required": list(_KEYS),
        "additionalProperties": False,
    }
    listed = {"type": "array", "items": one.schema, "minItems": 1}
    return Leaf(name, one.example, read, show, {"anyOf": [one.schema, listed, keyed]}, keyed=True)


def _each(read: Any, values: Mapping[Any, object]) -> dict[Any, float]:
    """Read several values; PartsError with the places of those that are wrong."""
    numbers: dict[Any, float] = {}
    faults: list[Fault] = []
    for key, value in values.items():
        try:
            numbers[key] = read(value)
        except ValueError as error:
            faults.append(((key,), str(error)))
    if faults:
        raise PartsError(faults)
    return numbers


Times = Annotated[Measured, _measured("measured-time", leaf_of(Time))]
"""Measured times; ns."""
Rates = Annotated[Measured, _measured("measured-rate", leaf_of(Rate))]
"""Measured rates; bytes per second."""
Percents = Annotated[Measured, _measured("measured-percentage", leaf_of(Percent))]
"""Measured percentages; fractions."""


def _read_setting(value: object) -> str:
    """Read the value of a setting, as ``--set`` takes it."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_read_setting(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_read_setting, value))}]"
    if not isinstance(value, str):
        raise ValueError(not_text(value, "8 MB"))
    return value


_FORMS = ("string", "number", "boolean", "array", "object")
_SETTING: dict[str, Any] = {"anyOf": [{"type": form} for form in _FORMS]}
SettingText = Annotated[
    str, Leaf("setting", "8 MB", _read_setting, str, _SETTING, sourced=False, keyed=True)
]
"""The value of a setting."""
