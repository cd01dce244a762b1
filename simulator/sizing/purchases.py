"""Purchases that move a lever: more pieces, larger ones, those of a next generation.

Nobody sells "half the seek time": a lever becomes a number of pieces, a size, a device of the next
generation, flash instead of a disk, or the next speed of a network. What is a setting (a window, a
dirty limit), and times of software, are not for sale. Prices are none of this module's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.answers.levers import Lever, Value, level_of
from simulator.config.part import Part
from simulator.config.quantities import Leaf, Rate
from simulator.config.rates import ByGroup, EachWay, LoadEachWay, RateByLoad
from simulator.config.section import fields_of, leaf_of
from simulator.config.settings import POSITIONING, TIMES
from simulator.sizing.contradictions import kept_on_devices, units_in

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

SPEEDS = (0.1, 1.0, 10.0, 25.0, 40.0, 100.0, 200.0, 400.0, 800.0)
"""Networks as they are sold, Gbit/s: Ethernet from 1995 on, and InfiniBand."""
FLASH = 3.0
"""The rate of a flash drive, in those of a disk: 500 MB/s of SATA beside 170 MB/s."""
FLASH_SEEK = "0.1 ms"
"""The time of a random request to it, beside the transfer."""
TIMES_AS_MANY = (1, 2, 4)
PRICE = 1000
"""Of everything, until somebody writes what it costs; of flash twice as much."""
_FLASH = "flash-"


@dataclass(slots=True)
class Purchase:
    """One choice of a requirement: its lines, and what it takes from the catalogue."""

    lever: Lever
    name: str
    lines: list[str] = field(default_factory=list)
    items: dict[str, str] = field(default_factory=dict)
    """The pieces, each with a note on what one is."""

    @property
    def prices(self) -> dict[str, int]:
        """Return a price for each item, to be replaced."""
        return {item: PRICE * (2 if item.startswith(_FLASH) else 1) for item in self.items}


def purchases_of(levers: Iterator[Lever], machine: Machine) -> Iterator[Purchase]:
    """Yield a choice for each lever that something for sale moves; of one part one of devices."""
    known: set[str] = set()
    for lever in levers:
        if any(level_of(value.path) != "hardware" for value in lever.values):
            continue
        made = _purchase(lever, machine)
        if made is not None and made.name not in known:
            known.add(made.name)
            yield made


def _purchase(lever: Lever, machine: Machine) -> Purchase | None:
    value = lever.values[0]
    if lever.where not in ("part", "store", "nodes"):
        return None
    if lever.aspect == "number" and type(value.now) is int:
        return _more(lever, machine)
    if lever.aspect == "capacity" and type(value.now) is int:
        return _larger(lever, machine)
    part = machine.parts.get(lever.owner)
    own = lever.resource == lever.owner
    if part is None or lever.where != "part" or not own or not hasattr(part, "rate"):
        return None
    device = lever.what in ("rate", POSITIONING)
    return _newer(lever, part, _devices(machine, part)) if device else None


def _places(machine: Machine, section: Any) -> int:
    """Return how many nodes there are in the machine that have a part or a store."""
    at = section.at or ()
    groups = (at,) if isinstance(at, str) else at
    return max(1, sum(units_in(machine, group, None) for group in groups))


def _devices(machine: Machine, section: Any) -> int:
    """Return how many of a part or a store there are in all nodes together."""
    return _places(machine, section) * (section.devices if isinstance(section, Part) else 1)


def _more(lever: Lever, machine: Machine) -> Purchase:
    """Return a choice of a number: as many as there are, twice and four times as many."""
    value = lever.values[0]
    section = getattr(machine, {"part": "parts", "store": "stores"}.get(lever.where, "nodes"))
    owner = section[lever.owner]
    values = ", ".join(str(factor * value.now) for factor in TIMES_AS_MANY)
    name = f"{lever.owner}-{lever.what}"
    parts = [f"set: {value.path}", f"values: [{values}]"]
    made = Purchase(lever, name)
    software = isinstance(owner, Part) and "stage" not in type(owner).uses
    if not software:  # Threads cost nothing.
        item = lever.owner if lever.what == "count" else name
        if lever.where == "nodes":
            nodes = units_in(machine, owner.per, None) if owner.per is not None else 1
        else:
            nodes = (_places if lever.what == "count" else _devices)(machine, owner)
        made.items[item] = f"one of the {lever.noun} of {lever.owner}"
        parts.append(f"buys: {{{item}: {nodes}}}")
    made.lines.append(f"  {name}: {{{', '.join(parts)}}}")
    return made


def _larger(lever: Lever, machine: Machine) -> Purchase:
    """Return a choice of a size: as it is, twice and four times as large."""
    value = lever.values[0]
    if lever.where == "store" and (group := memory_of(machine, lever.owner)) is not None:
        return _more_memory(lever, machine, group)
    section = machine.stores if lever.where == "store" else machine.parts
    values = ", ".join(value.leaf.show(factor * value.now) for factor in TIMES_AS_MANY)
    item = f"{lever.owner}-{lever.what}"
    nodes = _devices(machine, section[lever.owner])
    return Purchase(
        lever,
        item,
        [
            f"  {item}: {{set: {value.path}, values: [{values}], unit: {value.text},"
            f" buys: {{{item}: {nodes}}}}}"
        ],
        {item: value.text},
    )


def memory_of(machine: Machine, store: str) -> str | None:
    """Return the nodes in whose memory a store is; None if it is on a device, or none is given."""
    at = machine.stores[store].at
    if at is None or store in kept_on_devices(machine):
        return None
    held = (one for one, node in machine.nodes.items() if node.memory is not None)
    return next((one for one in held if units_in(machine, at, one)), None)


def _more_memory(lever: Lever, machine: Machine, group: str) -> Purchase:
    """Return a choice of a store that is in memory, which is bought with it."""
    value = lever.values[0]
    store = machine.stores[lever.owner]
    memory, nodes = machine.nodes[group].memory, _devices(machine, store)
    assert memory is not None
    assert store.at is not None
    each = units_in(machine, store.at, group) * value.now
    item = f"{group}-memory"
    made = Purchase(lever, item, [f"  {item}:", "    options:", "      as it is: {}"])
    made.items[item] = f"{value.text} more, for {lever.owner}"
    for factor in TIMES_AS_MANY[1:]:
        more = factor - 1
        sizes = {
            value.path: value.leaf.show(factor * value.now),
            f"machine.nodes.{group}.memory": value.leaf.show(memory + more * each),
        }
        sets = ", ".join(f"{path}: {text}" for path, text in sizes.items())
        name, pieces = sizes[value.path], more * nodes
        made.lines.append(f"      {name}: {{set: {{{sets}}}, buys: {{{item}: {pieces}}}}}")
    return made


# -- devices --------------------------------------------------------------------------------------


def _newer(lever: Lever, part: Part, devices: int) -> Purchase | None:
    """Return a choice of devices: those that there are, and what is sold instead of them."""
    name = lever.owner
    ways = dict(_ways(f"machine.parts.{name}", name, part))
    if not ways:
        return None
    made = Purchase(lever, name, [f"  {name}:", "    options:", "      as it is: {}"])
    for way, (settings, note) in ways.items():
        item = f"{way}-{name}" if way in ("faster", "flash") else f"{name}-{way}"
        item = item.replace(" ", "-").replace("/", "-per-")
        made.items[item] = note
        sets = ", ".join(f"{path}: {_quoted(text)}" for path, text in settings.items())
        made.lines.append(f"      {way}: {{set: {{{sets}}}, buys: {{{item}: {devices}}}}}")
    return made


def _ways(path: str, name: str, part: Part) -> Iterator[tuple[str, tuple[dict[str, str], str]]]:
    """Yield what is sold instead of a part: its name, its settings, and a note."""
    rate = first_rate(getattr(part, "rate", None))
    if rate is None:
        return
    show = leaf_of(Rate).show
    if part.network:
        speed = next((one for one in SPEEDS if one * 1e9 / 8 > 1.05 * rate), None)
        if speed is not None:
            text = f"{speed:g} Gbit/s" if speed >= 1 else f"{1000 * speed:g} Mbit/s"
            faster = show(speed * 1e9 / 8)
            yield text, ({f"{path}.rate": faster}, f"{show(rate)} now")
        return
    leaf = fields_of(type(part))["rate"]
    assert isinstance(leaf, Leaf)
    value = Value(f"{path}.rate", leaf, part.rate)  # type: ignore[attr-defined]
    twice = dict(Lever("part", name, "rate", "rate", (value,)).settings("twice"))
    yield "faster", (twice, f"twice the {show(rate)} of now")
    moves = [key for key in TIMES if getattr(part, key, None)]
    if moves:
        still = {f"{path}.{key}": "0 ms" if key == "rotation" else FLASH_SEEK for key in moves}
        note = f"{FLASH:g} times the rate, and no arm"
        yield "flash", ({f"{path}.rate": show(FLASH * rate)} | still, note)


def first_rate(now: Any) -> float | None:
    """Return a rate in bytes per second: of reading, of one transfer, of the first group."""
    if isinstance(now, EachWay | LoadEachWay):
        return first_rate(now.read)
    if isinstance(now, RateByLoad):
        return now.alone
    if isinstance(now, ByGroup):
        return float(max(now.numbers))
    return None if now is None else float(now)


def _quoted(text: str) -> str:
    return f'"{text}"' if text[:1] in "{[" else text
