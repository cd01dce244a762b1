"""The machine file of a measurement: one node, its page cache and its device, each value sourced.

What is written is a tree of mappings and lists; a tuple is a list, and a :class:`Sourced` a value,
that stand in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from simulator.measure.derived import EXTENT, Derived, Direction
from simulator.measure.facts import Facts
from simulator.measure.fitting import FREE, SMALL, Number
from simulator.measure.probe import MIB
from simulator.measure.probing import Measurement

_BLOCK = 4096
_WRITERS = 16
_USUAL_MEMORY = 4 << 30
_USUAL_AHEAD = 128 << 10
_NO_TIME = "1000000000 MB/s"


class Sourced(NamedTuple):
    """A value and where it comes from."""

    value: Any
    source: str
    note: str | None = None


def machine_of(
    measurement: Measurement, derived: Derived, name: str, most_cores: int
) -> dict[str, Any]:
    """Return the sections of a machine/2 file with the values and where each comes from."""
    facts, writer = measurement.facts, _Writer(measurement.facts, most_cores)
    sections: dict[str, Any] = {
        "format": "machine/2",
        "name": name,
        "title": f"{facts.filesystem} as measured on {facts.host}, {facts.date}",
        "nodes": {"pc": writer.node()},
        "parts": writer.parts(derived),
    }
    if derived.read is not None:
        sections["stores"] = {"pages": writer.pages()}
    sections["filesystems"] = {"home": writer.tiers(derived)}
    return sections


def head_of(measurement: Measurement) -> list[str]:
    """Return the comment at the head of the file."""
    facts, limits = measurement.facts, measurement.limits
    return [
        f"# Measured by 'nwtsim measure' on {facts.host} ({facts.system}), {facts.date}:"
        f" file system {facts.filesystem}.",
        f"# {limits.size // MIB} MiB of files, up to {limits.processes} processes, seed"
        f" {limits.seed}, up to {limits.turns} repetitions; notes give medians and quartiles.",
    ]


def machine_name(text: str) -> str:
    """Make a name that a machine may have of any text.

    >>> machine_name("My disk.2"), machine_name("..")
    ('my-disk-2', 'measured')
    """
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words if words[:1].isalpha() else f"measured-{words}".strip("-")


class _Writer:
    """The sections, of values with their sources."""

    def __init__(self, facts: Facts, most_cores: int) -> None:
        self._facts, self._most = facts, most_cores
        self._measured = f"measured by nwtsim measure on {facts.host}, {facts.date}"

    def node(self) -> dict[str, Any]:
        memory, cores = self._facts.memory, self._facts.cores
        node: dict[str, Any] = {"count": self._said("1", "", "a folder is measured from one node")}
        if memory is not None:
            node["memory"] = self._said(f"{memory} B", "/proc/meminfo")
        if cores is not None:
            node["cores"] = self._said(f"{min(cores, self._most)}", "sched_getaffinity")
        return node

    def parts(self, found: Derived) -> Mapping[str, Any]:
        calls, copies = (found.read_call, found.write_call), (found.read_copy, found.write_copy)
        page = found.first_page
        parts: dict[str, Any] = {
            "cpu": {
                "kind": "cpu",
                "at": "pc",
                "copy_rate": self._said(_rate(FREE), "", "copying is in the rates of memory"),
                "call_overhead": self._value(_time(found.call.value), found.call),
                "record_overhead": self._said("0 s", "", "no Fortran program was measured"),
            },
            "memory": {
                "kind": "shared" if found.shared_copy else "core",
                "at": "pc",
                "overhead": self._ways(_time, *calls),
                "rate": self._copying(found) if found.shared_copy else self._ways(_rate, *copies),
            },
            **({} if page is None else {"first_page": self._first_page(page)}),
            "lookup": {
                "kind": "queue",
                "at": "pc",
                "servers": self._value(
                    f"{found.metadata_servers.value:.0f}", found.metadata_servers
                ),
                "overhead": self._value(_time(found.metadata.value), found.metadata),
            },
        }
        if found.read is None or found.write is None:
            return parts
        if found.commit is not None:
            overhead = self._value(_time(found.commit.value), found.commit)
            parts["commit"] = {"kind": found.commit_kind, "at": "pc", "overhead": overhead}
        parts.update(self._device(found.read, found.write))
        return parts

    def _first_page(self, page: Number) -> dict[str, Any]:
        """Return a part whose time is that of a page from 4 KiB on, and of less a part of it."""
        each = float(f"{SMALL / page.value:.4g}")
        write = {"4 KiB": _rate(each), "1 MiB": f"{each * MIB / SMALL / 1e6:.12g} MB/s"}
        rate = self._value({"read": _NO_TIME, "write": write}, page)
        return {"kind": "core", "at": "pc", "rate": rate}

    def _copying(self, found: Derived) -> Sourced:
        """Return the rates of copies that slow each other down, by their number."""
        one = {"read": found.read_copy, "write": found.write_copy}
        text = {
            way: {str(n): _rate(one[way].value * rate / curve[1]) for n, rate in curve.items()}
            for way, curve in found.shared_copy.items()
        }
        note = "; ".join(f"{way}: {number.note}" for way, number in one.items())
        return self._value(text, Number(0.0, note))

    def _device(self, read: Direction, write: Direction) -> dict[str, Any]:
        latency: dict[str, Any] = {
            "kind": "delay",
            "at": "pc",
            "overhead": self._ways(_time, read.latency, write.latency),
        }
        if min(read.alone.value, write.alone.value) < FREE:
            latency["rate"] = self._ways(_rate, read.alone, write.alone)
        return {
            "latency": latency,
            "device": {
                "kind": "queue",
                "at": "pc",
                "rate": self._ways(_rate, read.rate, write.rate),
                "overhead": self._ways(_time, read.overhead, write.overhead),
            },
        }

    def pages(self) -> dict[str, Any]:
        facts = self._facts
        memory = facts.available or _USUAL_MEMORY
        capacity = f"{max(memory // EXTENT, 1) * EXTENT // MIB} MiB"
        dirty = 20 if facts.dirty is None else facts.dirty
        high = min(10 if facts.background is None else facts.background, dirty)
        ahead = facts.read_ahead
        used = _USUAL_AHEAD if ahead is None else max(ahead // _BLOCK, 1) * _BLOCK
        return {
            "at": "pc",
            "capacity": self._system(capacity, facts.available, "MemAvailable of /proc/meminfo"),
            "extent": self._said(f"{EXTENT // MIB} MiB", "", "one latency for each write-back"),
            "dirty": self._system(f"{dirty} %", facts.dirty, "/proc/sys/vm/dirty_ratio"),
            "high": self._system(
                f"{high} %", facts.background, "/proc/sys/vm/dirty_background_ratio"
            ),
            "read_ahead": self._system(f"{used} B", ahead, "read_ahead_kb of the device"),
            "writers": self._said(f"{_WRITERS}", "", "the device limits write-back, not these"),
        }

    def tiers(self, derived: Derived) -> dict[str, Any]:
        tiers: list[Any] = [("memory",)]
        if derived.first_page is not None:
            tiers.append(("first_page",))
        if derived.read is not None:
            committed = [{"sync": "commit"}] if derived.commit is not None else []
            tiers += ["pages", *committed, "latency", "device"]
        costs = {
            kind: self._value(_time(number.value), number) for kind, number in derived.costs.items()
        }
        way: dict[str, Any] = {"work": "lookup", "costs": costs}
        if derived.others:
            way["others"] = {
                kind: self._value(_time(one.value), one) for kind, one in derived.others.items()
            }
        found: dict[str, Any] = {"tiers": tuple(tiers), "metadata": [way]}
        if (lock := derived.write_lock) is not None:
            found["write_lock"] = self._value(_time(lock.value), lock)
        return found

    def _system(self, text: str, known: int | None, where: str) -> Sourced:
        if known is not None:
            return self._said(text, where)
        return self._said(text, "", f"{where} could not be read here")

    def _said(self, text: str, where: str, note: str = "") -> Sourced:
        """Return a value that the system told, or one that is assumed."""
        source = f"measured {where}, {self._facts.date}" if where else "assumed"
        return Sourced(text, source, note or None)

    def _value(self, text: Any, number: Number) -> Sourced:
        return Sourced(text, self._measured if number.known else "assumed", number.note)

    def _ways(self, show: Callable[[float], str], read: Number, write: Number) -> Sourced:
        text = {"read": show(read.value), "write": show(write.value)}
        if read.known:
            note = f"read: {read.note}; write: {write.note}"
            return self._value(text, Number(0.0, note))
        return self._value(
            text, Number(0.0, f"write is measured ({write.note}); read {read.note}", known=False)
        )


def _time(seconds: float) -> str:
    """Write seconds in whole nanoseconds.

    >>> _time(81.2345e-6), _time(0.0)
    ('81234 ns', '0 ns')
    """
    return f"{round(seconds * 1e9)} ns"


def _rate(rate: float) -> str:
    """Write bytes per second in four digits.

    >>> _rate(3.48123e9), _rate(1e12)
    ('3481 MB/s', '1000000 MB/s')
    """
    return f"{float(f'{rate / 1e6:.4g}'):.12g} MB/s"
