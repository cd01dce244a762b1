"""Levers of a machine: what can be made better in it, each with the settings that move it.

A lever is one aspect of one resource - rate, overhead, number, capacity. It moves by settings that
``nwtsim run --set`` takes, so that every lever is a command. They follow from the machine file:
each rate, time, number and size in it that costs or saves time is one.

An event of a machine or a workload is one, too: that it does not happen.

Not levers: sizes that decide how work is divided (blocks, extents, requests, stripes, buffers), and
other
values of the workload.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from simulator.config.quantities import Leaf
from simulator.config.rates import ByGroup, EachWay
from simulator.config.ratetables import LoadEachWay, RateByLoad, RateBySize
from simulator.config.section import Named, Section, fields_of
from simulator.config.settings import POSITIONING, TIMES

if TYPE_CHECKING:
    from simulator.answers.advise import Level
    from simulator.config.events import Event
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload

Aspect = Literal["rate", "overhead", "number", "capacity", "event"]
Kind = Literal["bandwidth", "latency", "wait", "number", "capacity", "event"]
"""Kinds of limits, by the lever that helps; ``wait``: requests wait for a free device or server,
``number``: not enough nodes, members of a stripe, requests or write-backs at one time; ``event``: a
part has failed, or is slower than usual."""
Where = Literal["part", "store", "cache", "nodes", "tier", "library", "service", "event"]
Move = Literal["better", "worse", "twice", "four", "sixteen"]
"""By 10 % or one either way; or twice, 4 or 16 times as good."""
_FACTORS: dict[Move, float] = {
    "better": 1.1,
    "worse": 0.9,
    "twice": 2.0,
    "four": 4.0,
    "sixteen": 16.0,
}
_SHARES: dict[Move, tuple[int, int]] = {
    "better": (9, 10),
    "worse": (11, 10),
    "twice": (1, 2),
    "four": (1, 4),
    "sixteen": (1, 16),
}
"""Of a time, which is better the less it is."""

_SPEEDS = (
    *("rate", "rates", "rate-by-load", "device-rates", "sized-rates"),
    *("rate-by-group", "speed"),
)
_TIMES = ("time", "times", "time-by-group")
_COUNTS = ("count", "cores", "count-or-none", "count-by-group", "width")
_DEVICES = ("servers", "count", "ports", "pes")
_NUMBERS = (*_DEVICES, "cores", "writers", "window", "over", "prefetch", "at_once")
_SIZES = ("capacity", "quota", "dirty", "cache", "resident", "size", "read_ahead")
_OF_WRITE_BACK = ("writers", "dirty", "quota")
MPI_IO = "mpi_io"
"""The library of programs with MPI-IO, which every machine has."""
_NOUNS = {
    "dirty": "dirty limit",
    "positioning": "positioning time",
    "call_overhead": "time of a call",
    "record_overhead": "time of a record",
    "flush_overhead": "time of a flush",
    "item_overhead": "time of an item",
    "lock_overhead": "time of a lock",
    "barrier_overhead": "time of a barrier",
    "mount": "mount time",
    "update": "time of an update",
    "piece": "time of a piece",
    "line_time": "time of a cache line",
    "interval": "polling interval",
    "poll": "time of a poll",
    "send": "time of a send",
    "deliver": "time of a delivery",
    "accept": "time to accept a call",
    "start": "time to start a call",
    "conversion": "conversion rate",
    "resident": "resident memory",
}
"""Keys that are no words; others are, and those of metadata are kinds of operations."""
_SETTINGS = (
    *("dirty", "high", "low", "read_ahead", "prefetch", "writers", "quota", "interval"),
    *("window", "over", "at_once"),
)
"""Keys of values that an administrator sets: of Linux (vm.dirty_ratio, read_ahead_kb), of a mount,
of a striped file."""
_MOST_NUMBER = 10**6
NEVER_NS = 3600 * 10**15
"""A million hours: when an event happens that does not."""
_WHERE: dict[str, Where] = {
    "parts": "part",
    "stores": "store",
    "buffer_caches": "cache",
    "services": "service",
}


class Value(NamedTuple):
    """One value of a machine file."""

    path: str
    """Its full path, as a setting has it."""
    leaf: Leaf
    now: Any
    block: int = 1
    """Bytes of which a size has to be a whole number."""

    @property
    def text(self) -> str:
        """The value as a file would have it."""
        return self.leaf.show(self.now)


class Lever(NamedTuple):
    """One aspect of one resource, and the values that decide it."""

    where: Where
    resource: str
    """The resource by its name in the machine file, with that of a section in it."""
    aspect: Aspect
    what: str
    """The aspect that is changed: ``rate``, ``positioning``, ``servers``, ``capacity``, ..."""
    values: tuple[Value, ...]
    owner: str = ""
    """The resource alone."""

    @property
    def name(self) -> str:
        """The name of its value as settings take it; unique within a machine."""
        if self.what == POSITIONING:
            return f"{self.resource}.{self.what}"
        if self.where == "event":
            return self.values[0].path.rpartition(".")[0]
        return self.values[0].path.split(".", 2)[2]

    @property
    def noun(self) -> str:
        """The noun of what is changed: ``rate``, ``dirty limit``, ``time of a create``."""
        if self.where == "tier" and self.aspect == "overhead":
            return f"time of {'an' if self.what[0] in 'aeiou' else 'a'} {self.what}"
        return _NOUNS.get(self.what, self.what.replace("_", " "))

    @property
    def kind(self) -> Kind:
        """The kind of limit if moving this helps."""
        if self.aspect == "number":
            own = self.where in ("part", "service") and self.what in _DEVICES
            return "wait" if own else "number"
        kinds: dict[Aspect, Kind] = {"rate": "bandwidth", "overhead": "latency", "event": "event"}
        return kinds.get(self.aspect, "capacity")

    def settings(self, move: Move) -> tuple[Setting, ...]:
        """Return the settings that move it; empty if it cannot be moved that way.

        Twice as good is twice the rate, number or capacity, and half the time; and so on. An event
        does not happen, and is nothing by degrees.
        """
        moved = []
        for value in self.values:
            new = _MOVES[self.aspect](value, move)
            if new is not None and (text := value.leaf.show(new)) != value.text:
                moved.append((value.path, text))
        return tuple(moved)


def set_to(path: str, section: Section, key: str, value: Any) -> Setting:
    """Return the setting of a typed value of a section."""
    return path, _leaf(section, key).show(value)


def _leaf(section: Section, key: str) -> Leaf:
    shape = fields_of(type(section))[key]
    assert isinstance(shape, Leaf)
    return shape


def level_of(*paths: str) -> Level:
    """Return what settings change, by their full paths.

    Who has to change most decides: hardware, or a program, before a value that somebody sets.

    >>> level_of("machine.stores.pages.read_ahead"), level_of("machine.parts.disk.rate")
    ('setting', 'hardware')
    >>> level_of("machine.filesystems.home.tiers.1.over"), level_of("workload.jobs.0.record")
    ('setting', 'program')
    """
    levels = [_level_of(path) for path in paths]
    order: tuple[Level, ...] = ("hardware", "program", "setting")
    return min(levels, key=order.index, default="program")


def _level_of(path: str) -> Level:
    room, _, rest = path.partition(".")
    key = rest.rpartition(".")[2]
    if rest.startswith("events."):
        return "hardware"
    if room == "workload":
        return "setting" if key in ("buffer", "prestage", "filesystem", "processes") else "program"
    own = rest.startswith(("filesystems.", "runtime.")) and ".metadata." not in rest
    return "setting" if own or key in _SETTINGS else "hardware"


# -- moving values -----------------------------------------------------------------------------


def _rate(value: Value, move: Move) -> Any:
    """Return a rate of any form, or the rates of one, times a factor."""
    return _times(value.now, _FACTORS[move])


def _times(now: Any, factor: float) -> Any:
    """Return a rate, or all rates of one, times a factor."""
    if isinstance(now, EachWay | LoadEachWay):
        return replace(now, read=_times(now.read, factor), write=_times(now.write, factor))
    if isinstance(now, RateByLoad | RateBySize):
        return now.times(factor)
    if isinstance(now, ByGroup):
        return now.each(lambda rate: rate * factor)
    return now * factor


def _time(value: Value, move: Move) -> Any:
    """Return a time in whole nanoseconds, or one for each direction; half is twice as good."""
    up, down = _SHARES[move]

    def moved(time: float) -> int:
        """Return a time that is moved, rounded to whole ns."""
        return (2 * int(time) * up + down) // (2 * down)

    now = value.now
    if isinstance(now, EachWay):
        return replace(now, read=moved(now.read), write=moved(now.write))
    return now.each(moved) if isinstance(now, ByGroup) else moved(now)


def _number(value: Value, move: Move) -> Any:
    """Return a number, or numbers by groups; one more is better."""
    if isinstance(value.now, ByGroup):
        return value.now.each(lambda number: _counted(number, move) or 1)
    return _counted(value.now, move)


def _counted(now: int, move: Move) -> int | None:
    by_one = {"better": now + 1, "worse": now - 1}
    new = by_one[move] if move in by_one else int(_FACTORS[move]) * now
    return new if 1 <= new <= _MOST_NUMBER else None


def _size(value: Value, move: Move) -> Any:
    """Return a size in whole blocks, or a share of one, at most all of it."""
    factor = _FACTORS[move]
    if isinstance(value.now, float):
        return min(1.0, value.now * factor)
    if move not in ("better", "worse"):
        return int(factor) * value.now
    blocks = value.now // value.block
    moved = int(blocks * factor)
    if moved == blocks:  # Fewer than ten blocks.
        moved += 1 if move == "better" else -1
    return moved * value.block if moved > 0 else None


def _never(_: Value, move: Move) -> Any:
    """Return a time after all runs, for when something happens."""
    return NEVER_NS if move == "twice" else None


_MOVES: dict[Aspect, Callable[[Value, Move], Any]] = {
    "event": _never,
    "rate": _rate,
    "overhead": _time,
    "number": _number,
    "capacity": _size,
}


# -- finding them ------------------------------------------------------------------------------


def levers_of(machine: Machine) -> list[Lever]:
    """Return all levers of a machine that are values of it, in the order of its file."""
    found: list[Lever] = []
    for name, group in machine.nodes.items():
        found += _of_section("nodes", name, f"machine.nodes.{name}", group, keys=("count", "cores"))
    for key, where in _WHERE.items():
        for name, section in getattr(machine, key).items():
            found += _of_section(where, name, f"machine.{key}.{name}", section)
    for name, system in machine.filesystems.items():
        found += _of_tiers(name, f"machine.filesystems.{name}", system)
    return found + list(_of_section("library", MPI_IO, "machine.runtime.mpi_io", machine.mpi_io))


def with_events(machine: Machine, workload: Workload | None) -> list[Lever]:
    """Return all levers of a machine, and the events of both: each as if it did not happen."""
    more = _of_events("workload", () if workload is None else workload.events)
    return [*levers_of(machine), *_of_events("machine", machine.events), *more]


def _of_events(room: str, events: Sequence[Event]) -> Iterator[Lever]:
    for index, event in enumerate(events):
        key = "at" if event.at is not None else "mtbf"
        value = Value(f"{room}.events.{index}.{key}", _leaf(event, key), getattr(event, key))
        what = "failure" if event.fails else "slowness"
        yield Lever("event", event.part, "event", what, (value,), event.part)


def _of_section(
    where: Where,
    resource: str,
    path: str,
    section: Section,
    keys: tuple[str, ...] = (),
    owner: str = "",
) -> Iterator[Lever]:
    """Yield the levers of a section and of those in it; ``keys``: of these alone."""
    owner = owner or resource
    positioning: list[Value] = []
    for key, shape in fields_of(type(section)).items():
        now = getattr(section, key)
        at = f"{path}.{key}"
        if now is None or (keys and key not in keys):
            continue
        if isinstance(shape, type):
            yield from _of_section(where, f"{resource}.{key}", at, now, owner=owner)
        elif isinstance(shape, Named):
            for name, inner in now.items():
                if isinstance(inner, Section) and key not in getattr(section, "unchanged", ()):
                    label = f"{resource}.{name}"
                    yield from _of_section(where, label, f"{at}.{name}", inner, owner=owner)
        elif isinstance(shape, Leaf) and (aspect := _aspect(where, section, key, shape, now)):
            value = Value(at, shape, now, _block(section))
            if key in TIMES:
                positioning.append(value)
            else:
                yield Lever(where, resource, aspect, key, (value,), owner)
    if positioning:
        yield Lever(where, resource, "overhead", POSITIONING, tuple(positioning), owner)


def _aspect(where: Where, section: Section, key: str, leaf: Leaf, now: Any) -> Aspect | None:
    """Return what a value of a section is an aspect of; None if it is no lever."""
    if getattr(section, "write", "back") != "back" and key in _OF_WRITE_BACK:
        return None
    if leaf.name in _SPEEDS:
        return "rate"
    if leaf.name in _TIMES:
        return "overhead" if any(now.numbers if isinstance(now, ByGroup) else (now,)) else None
    if leaf.name in _COUNTS and key in _NUMBERS:
        return "number" if now else None
    if key not in _SIZES or (where == "library" and leaf.name == "size"):
        return None
    if leaf.name == "size":
        # The capacity of a disk says how far its arm moves, not how much is kept.
        return None if where == "part" and key == "capacity" else "capacity"
    if leaf.name == "share":
        return "capacity" if isinstance(now, int) or now < 1 else None
    return "capacity" if leaf.name == "percentage" and now < 1 else None


def _block(section: Section) -> int:
    size = getattr(section, "block", getattr(section, "page", None))
    return size if isinstance(size, int) else 1


def _of_tiers(name: str, path: str, system: Any) -> Iterator[Lever]:
    """Yield the levers of a file system: costs of metadata, requests at one time, stripes."""
    for index, tier in enumerate(system.metadata or ()):
        costs = getattr(tier, "costs", None)
        if costs is not None:
            at = f"{path}.metadata.{index}.costs"
            yield from _of_section("tier", name, at, costs, owner=tier.work)
    for at, way in system.ways().values():
        keys = ".".join(map(str, at))
        resource = f"{name}.{at[-1]}" if at else name
        inner = f"{path}.{keys}" if keys else path
        for index, tier in enumerate(way.tiers):
            for key in ("window", "over"):
                shape = fields_of(type(tier)).get(key)
                now = getattr(tier, key, None)
                if isinstance(shape, Leaf) and shape.name in _COUNTS and now:
                    # A plain list is short for tiers; a setting has them under their key.
                    value = Value(f"{inner}.tiers.{index}.{key}", shape, now)
                    what = f"{key} (tier {index})"
                    yield Lever("tier", resource, "number", what, (value,), name)
