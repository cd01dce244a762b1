"""Values of a machine and a workload that the page can set, and the stops of their sliders.

A slider has a value that is a number with a unit, one of several words, or true and false. Values
of other shapes, and texts such as names of files, are not offered: what is not offered is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.config.knobs import Knob, knobs_of
from simulator.config.sources import all_leaves
from simulator.units import (
    format_size,
    parse_count,
    parse_percent,
    parse_rate,
    parse_size,
    parse_speed,
    parse_time,
)

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Workload

NUMBER, WORD, FLAG = "number", "word", "flag"
HALVINGS = 4
"""A slider reaches from a 16th of the value in the file to 16 times as much."""
MOST_OWN = 8
"""Sliders that the page shows first on a machine for which ``own.yaml`` names none."""
_SHARES = (5, 10, 20, 40, 60, 80, 100)
_OF_JOBS = ("processes", "record", "buffer", "policy")
_OF_USED = (".rate", "", ".servers", ".capacity")
"""Ends of names that are shown of a resource: its rate, count, servers and capacity."""
_WHAT = {
    "processes": "processes",
    "record": "bytes of one call",
    "buffer": "buffer of the library",
    "policy": "how records are written",
    "rate": "rate",
    "count": "how many",
    "servers": "requests at a time",
    "capacity": "size",
    "size": "size",
}
"""Last keys of the values that are shown first, in words."""
_QUANTITY = re.compile(r"(?P<number>\d+(\.\d+)?)(?P<unit> ?[A-Za-z%/]*)")
_SIZE = re.compile(r"workload\.files\.[^.]+\.size")
_READERS: tuple[Callable[[str], Any], ...] = (
    *(parse_count, parse_size, parse_rate, parse_time, parse_percent, parse_speed),
)


class Stop(NamedTuple):
    """A place of a slider: the text of the value, and its number in the unit of the axis."""

    text: str
    number: float | None


@dataclass(frozen=True, slots=True)
class Slider:
    """A value that can be set."""

    name: str
    """Its short name, as ``--set`` takes it."""
    path: str
    """Its full path."""
    kind: str
    """``number``, ``word`` or ``flag``."""
    now: str
    """Its value in the files."""
    stops: tuple[Stop, ...]
    label: str = ""
    """What it is, in words; empty where the page has none."""
    own: bool = False
    """True if the page shows it without being asked."""

    def record(self) -> dict[str, Any]:
        """Return it for the page."""
        return {**asdict(self), "stops": [one._asdict() for one in self.stops]}


def sliders_of(
    machine: Machine, workload: Workload, more: Iterable[tuple[str, str]] = ()
) -> dict[str, Slider]:
    """Return what can be set, by short names; ``more`` are values that get a stop of their own."""
    leaves = {
        ".".join([noun, *map(str, path)]): leaf.schema
        for noun, file in (("machine", machine), ("workload", workload))
        for path, leaf, _, _ in all_leaves(file)
    }
    found: dict[str, Slider] = {}
    seen: set[str] = set()  # A count has two names: that of one is enough.
    for name, knob in knobs_of(machine, workload).items():
        if knob.path in seen:
            continue
        seen.add(knob.path)
        schema = leaves.get(knob.path.replace(".*.", ".0."), {})
        if (slider := _slider(name, knob, schema)) is not None:
            found[name] = slider
    for name, text in more:
        if name in found:
            found[name] = _with_stops(found[name], [text])
    return found


def _slider(name: str, knob: Knob, schema: Any) -> Slider | None:
    """Return the slider of a value; None if it has another shape."""
    if schema.get("enum") and knob.value in schema["enum"]:
        stops = tuple(Stop(word, None) for word in schema["enum"])
        return Slider(name, knob.path, WORD, knob.value, stops)
    if schema.get("type") == "boolean":
        stops = Stop("false", None), Stop("true", None)
        return Slider(name, knob.path, FLAG, knob.value, stops)
    if number_of(knob.value) is None:
        return None
    return _with_stops(Slider(name, knob.path, NUMBER, knob.value, ()), around(knob.value))


def _with_stops(slider: Slider, texts: Iterable[str]) -> Slider:
    """Return a slider with more stops, each value once; that in the file keeps its text."""
    if slider.kind != NUMBER:
        return slider
    stops = {number_of(text): text for text in (*texts, *(one.text for one in slider.stops))}
    stops[number_of(slider.now)] = slider.now
    ordered = sorted((number, text) for number, text in stops.items() if number is not None)
    return replace(slider, stops=tuple(Stop(text, float(number)) for number, text in ordered))


def number_of(text: str) -> float | None:
    """Return a quantity in bytes, ns, bytes per second, or as a share; None if it is none.

    >>> number_of("8 MB"), number_of("2 ms"), number_of("3"), number_of("{read: 1 MB/s}")
    (8000000, 2000000, 3, None)
    """
    if not _QUANTITY.fullmatch(text):
        return None
    for read in _READERS:
        try:
            number: float = read(text)
        except ValueError:
            continue
        return number
    return None


def around(text: str) -> Iterator[str]:
    """Yield halves and doubles of a quantity; of a share the usual ones, of no time some times.

    >>> [*around("4")], [*around("0 B")]
    (['1', '2', '4', '8', '16', '32', '64'], ['0 B'])
    >>> [*around("4.5 MB/s")][2:5]
    ['1.125 MB/s', '2.25 MB/s', '4.5 MB/s']
    """
    found = _QUANTITY.fullmatch(text)
    assert found is not None
    value, unit = Fraction(found["number"]), found["unit"]
    if unit.strip() == "%":
        yield from (f"{share} %" for share in _SHARES)
    elif not value:
        times = ("10 us", "100 us", "1 ms", "10 ms", "100 ms")
        yield from (text, *(times if unit.strip().endswith("s") and "/" not in unit else ()))
    else:
        for place in range(-HALVINGS, HALVINGS + 1):
            number = value * Fraction(2) ** place
            if unit.strip() and unit.strip()[-1] == "B":
                yield _size(f"{_decimal(number)}{unit}")
            elif unit or number.denominator == 1:
                yield f"{_decimal(number)}{unit}"


def _size(text: str) -> str:
    """Return a size in the largest unit that has it exactly; as it is, if no byte is divided."""
    try:
        return format_size(parse_size(text))
    except ValueError:
        return text


def _decimal(number: Fraction) -> str:
    """Write a fraction whose denominator divides a power of ten.

    >>> _decimal(Fraction(9, 8)), _decimal(Fraction(600))
    ('1.125', '600')
    """
    places = 0
    while (number * 10**places).denominator != 1 and places < 12:
        places += 1
    return f"{float(number):.{places}f}"


# -- which come first ----------------------------------------------------------------------------


@cache
def own_of(machine: str) -> dict[str, Any]:
    """Return what ``own.yaml`` says of a machine: a job, sliders, and that of the curve."""
    from simulator.study.studies import read_own

    text = (Path(__file__).parent / "own.yaml").read_text("utf-8")
    found: dict[str, Any] = read_own(text).get(machine, {})
    return found


def own_first(
    sliders: dict[str, Slider], machine: str, used: Iterable[str] = ()
) -> dict[str, Slider]:
    """Mark the sliders that the page shows, and put them first.

    Those that ``own.yaml`` names; else those of jobs, and of parts and stores that are ``used``.
    """
    told: dict[str, dict[str, Any]] = own_of(machine).get("sliders", {})
    names = [*_OF_JOBS, *(f"{one}{key}" for one in used for key in _OF_USED)]
    names += [one.name for one in sliders.values() if _SIZE.fullmatch(one.path)]
    names = [name for name in told or names if name in sliders][:MOST_OWN]
    first = {name: _as_told(sliders[name], told.get(name, {})) for name in names}
    return first | {name: one for name, one in sliders.items() if name not in first}


def _as_told(slider: Slider, told: dict[str, Any]) -> Slider:
    """Return a slider that is shown, with the label and the stops that are told."""
    own = replace(slider, own=True, label=told.get("label") or words_of(slider.path))
    if "stops" not in told:
        return own
    return _with_stops(replace(own, stops=()), map(str, told["stops"]))


def words_of(path: str) -> str:
    """Return what a value is in words, by its full path; its resource as ``own.yaml`` calls it.

    >>> words_of("workload.jobs.*.record"), words_of("machine.parts.my-disk.rate")
    ('Bytes of one call', 'My-disk: rate')
    >>> words_of("machine.parts.nic.count"), words_of("workload.files.source.size")
    ('Network ports: how many', 'File source: size')
    """
    _, section, name, *_, last = path.split(".")
    text = _WHAT.get(last, last)
    if section == "files":
        text = f"file {name}: {text}"
    elif section != "jobs":
        text = f"{own_of('words').get(name, name)}: {text}"
    return text[:1].upper() + text[1:]
