"""Values of requirement files: money, powers, growth, redundancy, and what may be chosen."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from simulator.config.axis import read_axis
from simulator.config.quantities import Leaf, each, not_text
from simulator.errors import InputError, nearest
from simulator.units import shown


def _number(value: object, example: str) -> float:
    """Read a number of 0 or more, with commas between thousands if the author likes."""
    text = str(value).strip()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(not_text(value, example))
    if not re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?|\d+(\.\d+)?([eE]\+?\d{1,2})?", text):
        raise ValueError(f"{shown(text)} is no amount; write a number, like {example!r}")
    return float(text.replace(",", ""))


def _read_money(value: object) -> float:
    priced = re.fullmatch(r"(\D{0,4}?)\s*([\d,]+(?:\.\d+)?)\s*(\D{0,4})", str(value).strip())
    if priced and (priced[1] or priced[3]) and isinstance(value, str) and priced[1] != "-":
        about = f"write {priced[2]} alone: the currency of all stands behind 'currency:'"
        raise ValueError(f"{shown(value.strip())} is no amount; {about}")
    return _number(value, "8000")


_WATTS = {"W": 1.0, "kW": 1e3, "MW": 1e6}


def _read_power(value: object) -> float:
    number, _, unit = str(value).strip().partition(" ")
    if not isinstance(value, str) or unit.strip() not in _WATTS:
        raise ValueError(f"{shown(str(value))} is no power; write it like '500 W' or '20 kW'")
    return _number(number, "500 W") * _WATTS[unit.strip()]


def show_amount(value: float) -> str:
    """Write an amount of money for people: thousands apart, no more digits than it has."""
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def show_forecast(value: float) -> str:
    """Write an amount of years to come: four digits, and from 100 on no parts of a unit.

    >>> [show_forecast(value) for value in (8344.25, 1234567.0, 361.25, 0.98765, 0.0)]
    ['8,344', '1,235,000', '361', '0.99', '0']
    """
    places = 3 - math.floor(math.log10(abs(value))) if value else 0
    return show_amount(round(value, min(places, 0) if abs(value) >= 100 else places))


def show_power(value: float) -> str:
    """Write watts in the unit that people read them in."""
    unit = max((one for one in _WATTS if _WATTS[one] <= value), key=_WATTS.__getitem__, default="W")
    return f"{value / _WATTS[unit]:.6g} {unit}"


def _read_height(value: object) -> float:
    match = re.fullmatch(r"(\d{1,5}(?:\.[05])?) U", str(value).strip())
    if match is None:
        about = "write rack units, whole or half, like '2 U' or '0.5 U'"
        raise ValueError(f"{shown(str(value))} is no height; {about}")
    return float(match[1])


def show_height(value: float) -> str:
    """Write rack units for people."""
    return f"{value:.1f}".removesuffix(".0") + " U"


def _read_growth(value: object) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", str(value).strip())
    if match is None or not isinstance(value, str):
        about = "write a percentage from 0 % on, like '30 %'"
        raise ValueError(f"{shown(str(value))} is no growth; {about}")
    return float(Fraction(match[1]) / 100)


@dataclass(frozen=True, slots=True)
class Redundancy:
    """How many pieces of a group hold data, and how many more are there to lose."""

    data: int
    parity: int

    @property
    def usable(self) -> Fraction:
        """The part of what is bought that holds data."""
        return Fraction(self.data, self.data + self.parity)

    @property
    def group(self) -> int:
        """Pieces that belong together."""
        return self.data + self.parity

    def __str__(self) -> str:
        return "mirror" if (self.data, self.parity) == (1, 1) else f"{self.data}+{self.parity}"


@dataclass(frozen=True, slots=True)
class Raid:
    """RAID 5 or RAID 6 of as many disks as the machine, or a unit that is bought, has."""

    parity: int

    def __str__(self) -> str:
        return f"raid{4 + self.parity}"


_LEVELS: dict[str, Redundancy | Raid] = {
    **{str(one): one for one in (Raid(1), Raid(2))},
    **dict.fromkeys(("raid1", "raid10"), Redundancy(1, 1)),
}


def _read_redundancy(value: object, levels: tuple[str, ...] = ()) -> Redundancy:
    if isinstance(value, Redundancy):
        return value
    if value == "mirror":
        return Redundancy(1, 1)
    match = re.fullmatch(r"([1-9]\d{0,3}) ?\+ ?(\d{1,3})", str(value))
    if match is None:
        about = "write data and parity pieces of a group, like '8+2' (RAID 6), '4+1' or 'mirror'"
        if near := nearest(str(value), ("mirror", *levels)):
            about = f"did you mean {near!r}?"
        raise ValueError(f"{shown(str(value))} is no redundancy; {about}")
    return Redundancy(int(match[1]), int(match[2]))


def _read_bought(value: object) -> Redundancy | Raid:
    level = re.sub(r"[ _-]", "", str(value)).lower()
    if level in _LEVELS:
        return _LEVELS[level]
    return _read_redundancy(value, ("raid5", "raid6"))


def _read_values(value: object) -> tuple[str, ...]:
    """Read a list of settings' values, or a range as --vary takes it."""
    if isinstance(value, list | tuple):
        texts = tuple(each(_read_one, enumerate(value)).values())
        spec = ", ".join(texts)
    else:
        spec = _read_one(value)
    try:
        return read_axis("values", "", spec).texts
    except InputError as error:
        raise ValueError(str(error).partition(": ")[2]) from None


def _read_one(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(not_text(value, "4..32 x2"))
    return value


def _read_names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(not_text(value, "servers"))
    return tuple(each(_read_one, enumerate(value)).values())


def _read_groups(value: object) -> str | tuple[str, ...]:
    names = _read_names(value)
    if twice := next((one for one in names if names.count(one) > 1), None):
        raise ValueError(f"{twice!r} is in the list twice; write it once")
    return names[0] if len(names) == 1 else names


def _show_groups(groups: str | tuple[str, ...]) -> str:
    return groups if isinstance(groups, str) else _listed(groups)


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


_TEXT = {"type": "string"}
_NUMBER = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}]}
_ONE_OR_MORE: dict[str, Any] = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
_SPEC: dict[str, Any] = {"anyOf": [_TEXT, {"type": "number"}, {"type": "array", "minItems": 1}]}

Money = Annotated[float, Leaf("amount", "8000", _read_money, show_amount, _NUMBER)]
"""An amount of the file's currency."""
Power = Annotated[float, Leaf("power", "500 W", _read_power, show_power, _TEXT)]
"""Watts."""
Height = Annotated[float, Leaf("height", "2 U", _read_height, show_height, _TEXT)]
"""Rack units; halves are exact."""
Growth = Annotated[
    float, Leaf("growth", "30 %", _read_growth, lambda value: f"{100 * value:.6g} %", _TEXT)
]
"""By which part something grows in a year; more than 100 % is allowed."""
Weight = Annotated[
    float,
    Leaf("weight", "1", lambda value: _number(value, "1"), lambda value: f"{value:g}", _NUMBER),
]
"""How much a load counts beside others, or how often it comes in a day."""
Group = Annotated[Redundancy, Leaf("redundancy", "8+2", _read_redundancy, str, _TEXT)]
"""Data and parity pieces of a group."""
Bought = Annotated[Redundancy | Raid, Leaf("bought-as", "raid6", _read_bought, str, _TEXT)]
"""The same of pieces that are bought, also by the level of a RAID."""
Values = Annotated[
    tuple[str, ...], Leaf("values", "4..32 x2", _read_values, _listed, _SPEC, sourced=False)
]
"""What a setting may be: a list, or a range as ``--vary`` takes it."""
Groups = Annotated[
    str | tuple[str, ...],
    Leaf("groups", "client", _read_groups, _show_groups, _ONE_OR_MORE, sourced=False),
]
"""The name of a group, or of several; of one it is no tuple, as digests have it."""
Names = Annotated[
    tuple[str, ...],
    Leaf("one-or-more", "servers", _read_names, _listed, _ONE_OR_MORE, sourced=False),
]
"""One name, or several."""
