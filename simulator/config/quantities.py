"""The values that sections are made of: types that read text with a unit.

A :class:`Leaf` in an ``Annotated`` type reads the text of a YAML scalar (or takes a value that
is already typed, when Python code makes a section), writes a value for people, and describes
itself to the JSON Schema.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from simulator.config.errors import Fault, PartsError, faults_at, meant_word
from simulator.errors import did_you_mean, nearest
from simulator.plan.cores import MOST_CORES
from simulator.units import (
    LARGEST,
    MOST,
    NUMERAL,
    PERCENT,
    RATE,
    SIZE,
    SPEED,
    TIME,
    Bytes,
    BytesPerSecond,
    Dimension,
    Nanoseconds,
    decimal,
    format_size,
    parse_count,
    parse_percent,
    parse_rate,
    parse_size,
    parse_speed,
    parse_time,
    shown,
)

Found = TypeVar("Found")
LONGEST_NAME = 200
"""Characters of the longest name of a file, job or store."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """How one kind of value is read, shown and described."""

    name: str
    """Its name in the JSON Schema."""
    example: str
    """What to write, for messages."""
    read: Callable[[object], Any]
    """Text (or texts in a list or mapping), or a typed value -> the typed value; or ValueError."""
    show: Callable[[Any], str]
    """The typed value -> text for people."""
    schema: Mapping[str, Any]
    """The JSON Schema of the text."""
    sourced: bool = True
    """It can have a source; a name has none."""
    keyed: bool = False
    """It can be written as a mapping."""


def not_text(value: object, example: str) -> str:
    """Return the message about a ``value`` of the wrong shape for a single one."""
    read = repr(value)
    if isinstance(value, list | tuple):
        read = "a list"
    elif isinstance(value, dict):
        read = "a mapping with keys"
    return f"{read} was read; write it like {example!r}"


def each(read: Callable[[Any], Found], pairs: Iterable[tuple[Any, object]]) -> dict[Any, Found]:
    """Read several values by key or index; PartsError has what is wrong with any."""
    found: dict[Any, Found] = {}
    faults: list[Fault] = []
    for step, value in pairs:
        try:
            found[step] = read(value)
        except ValueError as error:
            faults += faults_at(step, error)
    if faults:
        raise PartsError(faults)
    return found


def keyed(
    values: Mapping[Any, object], readers: Mapping[str, Callable[[Any], Any]], example: str
) -> dict[str, Any]:
    """Read a mapping with exactly these keys; PartsError has what is wrong, unknown or missing."""
    faults: list[Fault] = [
        ((key,), f"unknown key; {did_you_mean(str(key), readers)}")
        for key in values
        if key not in readers
    ]
    meant = {nearest(str(key), readers) for key in values}
    missing = [key for key in readers if key not in values and key not in meant]
    faults += [((), f"{key} is missing; write it like {example}") for key in missing]
    found = {}
    for key in [one for one in readers if one in values]:
        try:
            found[key] = readers[key](values[key])
        except ValueError as error:
            faults += faults_at(key, error)
    if faults:
        raise PartsError(faults)
    return found


def keyed_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a mapping with exactly these keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _numeric(
    parse: Callable[[str], float], show: Callable[[Any], str], dimension: Dimension, least: float
) -> Callable[[object], Any]:
    """Make a reader of texts and of numbers from ``least`` on."""
    example = dimension.example
    unit, scale = max(dimension.scales.items(), key=lambda one: one[1])
    most = LARGEST if dimension in (SIZE, TIME) else float(LARGEST)  # Rates are no whole numbers.

    def read(value: object) -> float:
        if isinstance(value, str):
            number, text = parse(value), shown(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            number, text = value, repr(value)
        else:
            raise ValueError(not_text(value, example))
        if number > most:
            raise ValueError(f"{text} is too large; write {LARGEST // scale} {unit} or less")
        if not number >= least:
            raise ValueError(f"{text} is less than {show(least)}; write it like {example!r}")
        return number

    return read


def _pattern(dimension: Dimension) -> dict[str, Any]:
    units = "|".join(re.escape(unit) for unit in dimension.scales)
    return {
        "type": "string",
        "pattern": f"^ *{NUMERAL} *({units}) *$",
        "examples": [dimension.example],
        "description": f"a {dimension.noun} with its unit ({', '.join(dimension.scales)})",
    }


def quantity(
    dimension: Dimension,
    parse: Callable[[str], float],
    *,
    least: float,
    show: Callable[[Any], str],
) -> Leaf:
    """Make the leaf of a quantity with a unit."""
    read = _numeric(parse, show, dimension, least)
    return Leaf(dimension.noun, dimension.example, read, show, _pattern(dimension))


def counting(name: str, least: int, most: int = MOST) -> Leaf:
    """Make the leaf of a whole number from ``least`` to ``most``."""

    def read(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise ValueError(not_text(value, "4"))
        return parse_count(value, least=least, most=most)

    forms = [
        {"type": "integer", "minimum": least, "maximum": most},
        {"type": "string", "pattern": "^(0|[1-9][0-9]*)$"},
    ]
    about = f"a whole number from {least} to {most}"
    return Leaf(name, "4", read, str, {"anyOf": forms, "description": about})


def word(
    name: str, *choices: str, sourced: bool = True, instead: Mapping[str, str] | None = None
) -> Leaf:
    """Make the leaf of one word out of a few; ``instead``: what words of another key are."""
    offered = " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))

    def read(value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(not_text(value, choices[0]))
        if instead and value in instead:
            raise ValueError(f"{shown(value)} is {instead[value]}")
        if value not in choices:
            near = nearest(value, choices)
            meant = [f"write {offered}"] if len(choices) > 1 or not near else []
            meant += [f"did you mean {near!r}?"] if near else []
            raise ValueError(f"{shown(value)} is unknown; {'; '.join(meant)}")
        return value

    return Leaf(name, choices[0], read, str, {"enum": list(choices)}, sourced)


def words(name: str, *choices: str) -> Leaf:
    """Make the leaf of a list of words out of a few, each at most once."""
    one = word(name, *choices)
    example = f"[{', '.join(choices[:2])}]"

    def read(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{shown(str(value))} is not a list; write it like {example!r}")
        if not value:
            raise ValueError(f"the list is empty; write one or more of {', '.join(choices)}")
        read_words = tuple(map(one.read, value))
        if twice := [w for w in choices if read_words.count(w) > 1]:
            raise ValueError(f"{twice[0]!r} is in the list twice; write it once")
        return read_words

    items = {"type": "array", "items": one.schema, "minItems": 1, "uniqueItems": True}
    return Leaf(name, example, read, lambda value: f"[{', '.join(value)}]", items)


def word_or(
    name: str,
    number: Leaf,
    words: Mapping[str, Any],
    *,
    example: str,
    wrong: str = "",
    sourced: bool = True,
) -> Leaf:
    """Make the leaf of a number, or of a word that stands for one, or for itself.

    ``wrong``: what is said of another text, instead of what is wrong with it as a number.
    """
    spelt = {value: text for text, value in words.items()}

    def read(value: object) -> Any:
        if isinstance(value, float):  # It has been read.
            return value if value in spelt else number.read(value)
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError(not_text(value, example))
        if value in words or value in spelt:
            return words.get(str(value), value)
        if isinstance(value, str):
            meant_word(value, words)
        try:
            return number.read(value)
        except ValueError:
            if wrong:
                raise ValueError(f"{shown(str(value))} {wrong}") from None
            raise

    schema: dict[str, Any] = {"type": "string"}
    if "anyOf" in number.schema:
        least = number.schema["anyOf"][0]["minimum"]
        schema = {"anyOf": [{"type": "integer", "minimum": least}, schema]}
    return Leaf(
        name, example, read, lambda one: spelt.get(one) or number.show(one), schema, sourced
    )


def _read_flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    text = shown(value) if isinstance(value, str) else repr(value)
    near = nearest(value, ("true", "false")) if isinstance(value, str) else None
    meant = f"did you mean {near!r}?" if near else "write one of these"
    raise ValueError(f"{text} is neither true nor false; {meant}")


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(not_text(value, "some text"))
    return " ".join(value.split())


def check_name(name: str) -> str | None:
    """Return what is wrong with the name of a file, job or store; None if nothing is."""
    if not name or name != name.strip() or name == "*" or not name.isprintable():
        return f"{shown(name)} is no name; write letters, digits, '-', '_', '.' or '/'"
    if len(name) > LONGEST_NAME:
        return f"{shown(name)} is too long for a name; write at most {LONGEST_NAME} characters"
    return None


def _read_name(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(not_text(value, "NAME"))
    # Composing takes the square of a name's accents; what is cut off here is refused below.
    name = unicodedata.normalize("NFC", value[: 8 * LONGEST_NAME])
    if wrong := check_name(name):
        raise ValueError(wrong)
    return name


def _read_title_name(value: object) -> str:
    name = _read_name(value)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ValueError(f"{shown(name)} names files of results; write it like 'nwt-1998'")
    return name


def _show_flag(value: bool) -> str:
    return "true" if value else "false"


def _show_rate(value: float) -> str:
    units = [(unit, scale) for unit, scale in RATE.scales.items() if scale <= value]
    return min((f"{value / scale:.12g} {unit}" for unit, scale in units), key=len)


def _show_speed(value: float) -> str:
    units = [(unit, scale) for unit, scale in SPEED.scales.items() if scale <= value]
    return min((f"{value / scale:.12g} {unit}" for unit, scale in units if "flop" in unit), key=len)


def _show_time(value: int) -> str:
    if not value:
        return "0 s"
    scales = [(unit, TIME.scales[unit]) for unit in ("ns", "us", "ms", "s")]
    return min((f"{decimal(Fraction(value, scale))} {unit}" for unit, scale in scales), key=len)


def show_percent(value: float) -> str:
    """Write a fraction as a percentage."""
    return f"{value * 100:.12g} %"


_TEXT = {"type": "string"}

Size = Annotated[Bytes, quantity(SIZE, parse_size, least=1, show=format_size)]
"""More than zero bytes."""
SizeOrNone = Annotated[Bytes, quantity(SIZE, parse_size, least=0, show=format_size)]
"""Zero or more bytes."""
MOST_HEADER = (1 << 31) - 1
"""Bytes of a header, or of a block of an I/O node, at most."""


def _read_small(value: object) -> Any:
    size = _SIZE_LEAF.read(value)
    if size > MOST_HEADER:
        raise ValueError(f"{format_size(size)} is 2 GiB or more; write '1 GiB' or less")
    return size


_SIZE_LEAF = quantity(SIZE, parse_size, least=1, show=format_size)
SmallSize = Annotated[Bytes, replace(_SIZE_LEAF, read=_read_small)]
"""More than zero bytes, and less than 2 GiB."""
Rate = Annotated[BytesPerSecond, quantity(RATE, parse_rate, least=1, show=_show_rate)]
"""At least one byte per second."""
Time = Annotated[Nanoseconds, quantity(TIME, parse_time, least=0, show=_show_time)]
"""Zero or more nanoseconds."""
Speed = Annotated[float, quantity(SPEED, parse_speed, least=1, show=_show_speed)]
"""At least one operation per second."""
Percent = Annotated[float, quantity(PERCENT, parse_percent, least=0, show=show_percent)]
"""A fraction from 0 to 1, written as 0 % to 100 %."""
Count = Annotated[int, counting("count", 1)]
"""From 1 to 10**6."""
CountOrNone = Annotated[int, counting("count-or-none", 0)]
"""From 0 to 10**6."""
Cores = Annotated[int, counting("cores", 1, MOST_CORES)]
"""From 1 to 4,096."""
ALL = 0
"""The width of a file that is striped over all members."""
Width = Annotated[int, word_or("width", counting("", 1), {"all": ALL}, example="all")]
"""How many members a file is striped over, or ``all``."""
Flag = Annotated[bool, Leaf("flag", "true", _read_flag, _show_flag, {"type": "boolean"})]
"""True or false, and no other spelling."""
Text = Annotated[str, Leaf("text", "some text", _read_text, str, _TEXT, sourced=False)]
"""Free text on one line."""
Name = Annotated[str, Leaf("name", "NAME", _read_name, str, _TEXT, sourced=False)]
"""The name of something in this file or in the other one."""
FileName = Annotated[str, Leaf("id", "nwt", _read_title_name, str, _TEXT, sourced=False)]
"""The name of a machine or workload, which names files of results."""
