"""A first requirement for a machine: what could be bought to make a workload of it faster.

Nobody sells "half the seek time": a lever becomes a number of pieces, a size, a device of the next
generation, flash instead of a disk, or the next speed of a network. What is a setting (a window, a
dirty limit), and times of software, are not for sale. Prices are none of this module's business.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.answers.again import InputsAgain, ask_limits
from simulator.answers.levers import Lever, Value, level_of
from simulator.answers.limits import Limits
from simulator.config.errors import ConfigError, Problem
from simulator.config.formats import load_machine
from simulator.config.part import Part
from simulator.config.quantities import Leaf, Rate
from simulator.config.rates import ByGroup, EachWay
from simulator.config.ratetables import LoadEachWay, RateByLoad, RateBySize
from simulator.config.section import fields_of, leaf_of
from simulator.config.settings import POSITIONING, TIMES
from simulator.config.writing import scalar
from simulator.errors import InputError
from simulator.run import load_inputs, run_plan
from simulator.sizing.contradictions import kept_on_devices
from simulator.sizing.ledger import units_in
from simulator.study.starter import FIRST, name_from
from simulator.units import format_time
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.run import Inputs

MOST = 3
"""Choices of a first requirement."""
FASTER = 0.9
"""The target: this part of the time that it takes now, or what half of the best lever saves."""
LEAST = 0.01
"""Part of the time that a choice saves at least."""

_TEXT = """\
# What machine do we need? Written by 'nwtsim new requirement'; docs/sizing.md explains the rest.
#
#   {check}          lists every mistake, and what to write instead
#   {size}           what to buy, what binds, what one step more costs and brings
#
# To add something, remove the '#' in front of its line.
format: requirement/1
name: {name}
machine: {machine}
currency: USD

# What the machine is to carry. 'growth' is that of its files in a year; see years.
workloads:
  load: {{workload: {workload}}}
#  other: {{workload: my-workload.yaml, weight: 2, growth: 20 %, set: {{processes: 4}}}}
#years: 3
#plan: {{discount: 4 %}}      # what to buy in which of these years

# What has to hold; {workload} takes {now} now. Others: end, read_time, write_time, read_p95,
# write_p99, open_p95, job_mean, job_p99 (at most), read, write, stable (at least, as 100 MB/s),
# capacity (what can be kept), and of arrays loss_per_year, mttdl, rebuild, degraded.
targets:
  - {{workload: load, elapsed: {target}}}
#  - {{workload: load, elapsed: {now}, states: [one less]}}
#  - {{capacity: 10 TB}}

# What may have failed: so many units of a choice less, or other settings.
#states:
#  one less: {{less: {{servers: 1}}}}

#budget: {{price: 100000, power: 5 kW}}
#ownership: {{years: 5, power_price: 0.25, pue: 1.4, support: 8 %, residual: 10 %}}
#minimise: total       # of these years, and not the price
#rack_units: 42 U      # in which all that has a height has to have room
#probability: 95 %     # that what is bought meets all targets; now each of five runs has to

# THESE PRICES ARE INVENTED: write those of your offers, and where they are from
# ('source: measured offer of May'). A size lets capacities be required, a power the budget of it.
catalogue:
{catalogue}
#  server: {{price: 8000, power: 500 W, height: 2 U, takes: {{disk: 24}}}}
#  disk: {{price: {{value: 300, source: measured offer of May}}, power: 8 W, size: 4 TB}}

# What is to be decided: ways with their settings, or a value that a setting takes; here what makes
# {workload} faster by 1 % or more, and can be bought. What a device of another kind or generation
# does is a guess: write what its data sheet says. Settings: {knobs}
choices:
{choices}
#  servers: {{set: oss, values: 2..16 x2, buys: {{server: 1}}}}
#  disks: {{set: ost.count, values: [1, 2, 4], per: servers, buys: {{disk: 10}}, redundancy: 8+2}}
"""
SPEEDS = (0.1, 1.0, 10.0, 25.0, 40.0, 100.0, 200.0, 400.0, 800.0)
"""Networks as they are sold, Gbit/s: Ethernet from 1995 on, and InfiniBand."""
FLASH = 3.0
"""The rate of a flash drive, in those of a disk: 500 MB/s of SATA beside 170 MB/s."""
FLASH_SEEK = "0.1 ms"
"""The time of a random request to it, beside the transfer."""
TIMES_AS_MANY = (1, 2, 4)
PRICE = 1000
"""Price of everything, until somebody writes what it costs; of flash twice as much."""
_FLASH = "flash-"


def starter_requirement(name: str, file: str, machine: str, workload: str | None = None) -> str:
    """Return the text of a first requirement; ``file`` is where it will be.

    ConfigError or InputError if no workload, or not that one, runs on the machine.
    """
    load_machine(machine)  # Its mistakes are told, not that no workload runs on it.
    sources = [workload] if workload else [*FIRST]
    for source in sources:
        try:
            inputs = load_inputs(machine, source, noisy=False)
        except (ConfigError, InputError):
            if workload:
                raise
            continue
        return _written(name, file, inputs)
    about = f"none of {', '.join(sources)} runs on it; write --workload, and one that does"
    raise ConfigError([Problem(machine, 0, 0, "", about)])


def _written(name: str, file: str, inputs: Inputs) -> str:
    machine, workload = (scalar(name_from(file, str(source))) for source in inputs.sources)
    plan = inputs.plan()
    result = run_plan(plan)
    limits = ask_limits(InputsAgain(inputs), plan, result, wanted=True, chosen=True)
    assert isinstance(limits, Limits)
    found = [one for one in limits.limits if one.saves_ns > LEAST * limits.elapsed_ns]
    for_sale = purchases_of((one.lever for one in found), inputs.machine)
    choices = [*itertools.islice(for_sale, MOST)]
    if not choices:
        about = f"nothing that could be bought makes {workload} faster; write --workload, and"
        raise InputError(f"{machine}: {about} another one")
    items = {item: note for one in choices for item, note in one.items.items()}
    prices = {item: price for one in choices for item, price in one.prices.items()}
    saves = {one.lever: one.saves_ns for one in found}
    saved = max(saves[one.lever] for one in choices) / limits.elapsed_ns
    part = max(FASTER, 1 - saved / 2)
    return _TEXT.format(
        name=name,
        check=command_line("nwtsim", "check", file),
        size=command_line("nwtsim", "size", file),
        knobs=command_line("nwtsim", "show", inputs.sources[0], "--knobs"),
        machine=machine,
        workload=workload,
        now=format_time(result.elapsed_ns),
        target=f"{float(f'{part * result.elapsed_ns / 1e9:.3g}'):g} s",
        catalogue="\n".join(
            f'  {item}: {{price: {{value: {prices[item]}, source: assumed, note: "{note}"}}}}'
            for item, note in items.items()
        ),
        choices="\n".join(line for one in choices for line in one.lines),
    )


# -- what moves a lever ---------------------------------------------------------------------------


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
    groups = machine.stores[store].groups
    if not groups or store in kept_on_devices(machine):
        return None
    held = (one for one, node in machine.nodes.items() if node.memory is not None)
    return next((one for one in held if any(units_in(machine, at, one) for at in groups)), None)


def _more_memory(lever: Lever, machine: Machine, group: str) -> Purchase:
    """Return a choice of a store that is in memory, which is bought with it."""
    value = lever.values[0]
    store = machine.stores[lever.owner]
    memory, nodes = machine.nodes[group].memory, _devices(machine, store)
    assert memory is not None
    each = sum(units_in(machine, at, group) for at in store.groups) * value.now
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
    if isinstance(now, RateByLoad | RateBySize):
        return now.alone
    if isinstance(now, ByGroup):
        return float(max(now.numbers))
    return None if now is None else float(now)


def _quoted(text: str) -> str:
    return f'"{text}"' if text[:1] in "{[" else text
