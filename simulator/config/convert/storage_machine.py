"""``machine/1`` -> ``machine/2``: PEs, crossbar, SSU, LAN, front end and volumes as parts.

Names of random streams are those of version 1, so that runs with noise draw alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from simulator.config.caches import EXTENT
from simulator.config.convert.old import (
    bare,
    beside,
    each_way,
    found,
    head_comment,
    head_of,
    kept,
    picked,
    valued,
)
from simulator.config.convert.storage_sections import MACHINE, OldMachine
from simulator.config.convert.writing import Flow, Value, document
from simulator.config.nodes import Mapping, Node
from simulator.config.quantities import show_percent
from simulator.units import format_size

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DISK_KEYS = (
    "count capacity rate seek turn:rotation rotation:rotational_delay overhead track_seek full_seek"
    " mount"
)
"""Keys of storage -> those of a part."""


def convert_machine(text: str, name: str) -> str:
    """Return the new text of a machine; ConfigError with the mistakes of the old one."""
    section, tree, _ = MACHINE.parse(text, name, ())
    return document(head_comment(text), _Storage(section, tree).sections())


class _Storage:
    """One machine on its way: what it has, and what its parts are called."""

    def __init__(self, machine: OldMachine, tree: Mapping) -> None:
        self.machine = machine
        self.tree = tree
        self._taken: set[str] = set()
        self.stored = {name: self._free(spelt(name)) for name in machine.storage}
        """Storage -> its part."""
        self.pes = machine.pe.small + machine.pe.large
        self.pe = self._free("pe" if self.pes > 1 else "pe0")
        self.ssu = self._free("ssu")
        self.cp = self._free("cp0")
        self.crossbar = self._free("crossbar")
        self.channel = self._free("channel")
        self.lan = self._free("lan")
        self.nfs = self._free("nfs")
        self.paths = self._free("paths")

    def sections(self) -> dict[str, Value]:
        """Return the whole new file."""
        made = head_of(self.tree, "machine/2", self.machine.name)
        made["nodes"] = self._nodes()
        made["parts"] = self._parts()
        if self.machine.ssu is not None:
            made["stores"] = {self.ssu: self._store()}
        systems = self._filesystems()
        if systems:
            made["filesystems"] = systems
        made["runtime"] = picked(self.tree, "policy buffer", "fortran")
        runtime: Any = made["runtime"]
        runtime.setdefault("policy", self.machine.fortran.policy)
        runtime.setdefault("buffer", format_size(self.machine.fortran.buffer))
        return made

    # -- reading ------------------------------------------------------------------------------

    def old(self, *path: str) -> Node | None:
        """Return a node of the old file."""
        return found(self.tree, *path)

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    # -- nodes and parts ------------------------------------------------------------------------

    def _nodes(self) -> dict[str, Value]:
        pe = self.machine.pe
        group: dict[str, Value] = {
            "count": self._count(),
            "memory": kept(self.old("pe", "small_memory")) or "",
        }
        if pe.large:
            larger = {"count": self.old("pe", "large"), "memory": self.old("pe", "large_memory")}
            group["larger"] = Flow({key: node for key, node in larger.items() if node is not None})
        made: dict[str, Value] = {self.pe: group}
        if self.machine.ssu is not None:
            made[self.ssu] = 1
        if self._has_lan:
            note = "the control processor, between LAN and crossbar"
            made[self.cp] = Flow({"count": valued(1, "", note)})
        return made

    def _count(self) -> Value:
        """Return the number of PEs that run jobs."""
        pe = self.machine.pe
        small, control = self.old("pe", "small"), self.old("pe", "control")
        notes = [beside(small, "note")]
        if pe.large:
            notes.append(f"{pe.small}, and {pe.large} with more memory")
        if pe.control:
            source = beside(control, "source") or "unstated"
            notes.append(f"{pe.control} control processors ({source}) run no jobs")
        return valued(self.pes, beside(small, "source"), "; ".join(filter(None, notes)))

    @property
    def _has_lan(self) -> bool:
        return self.machine.lan is not None and self.machine.nfs is not None

    def _parts(self) -> dict[str, Value]:
        made: dict[str, Value] = {self.pe: self._cpu(), self.crossbar: self._crossbar()}
        if self.machine.ssu is not None:
            made[self.channel] = self._channel()
        if self.machine.lan is not None and self._has_lan:
            kind = "shared" if self.machine.lan.sharing == "fair" else "queue"
            made[self.lan] = {
                "kind": kind,
                **picked(self.tree, "rate latency:overhead", "lan"),
                **self._noise("lan", "lan"),
            }
            made[self.nfs] = {
                "kind": "queue",
                **picked(self.tree, "server_overhead:overhead", "nfs"),
                **self._noise("frontend", "nfs.server"),
            }
        made[self.paths] = {
            "kind": "queue",
            **picked(self.tree, "paths:servers path_rate:rate path_overhead:overhead", "frontend"),
            **self._noise("frontend", "frontend.paths"),
        }
        for name, part in self.stored.items():
            made[part] = self._storage(name)
        return made

    def _cpu(self) -> Value:
        keys = "copy_rate record_overhead call_overhead"
        made = {"kind": "cpu", "at": self.pe, **picked(self.tree, keys, "pe")}
        made |= picked(self.tree, "turn_overhead:flush_overhead", "fortran")
        return made | self._noise("pe", "pe{i}")

    def _crossbar(self) -> Value:
        ssu = self.machine.ssu
        ends = [self.pe, *([self.ssu] if ssu else []), *([self.cp] if self._has_lan else [])]
        made: dict[str, Value] = {
            "kind": "network",
            "at": Flow(ends),
            **picked(self.tree, "port_rate:rate latency", "crossbar"),
            "switching": "circuit",
        }
        ports = self.old("ssu", "ports")
        if ports is not None:
            many: Value = {self.ssu: bare(ports) or 1}
            made["ports"] = valued(many, beside(ports, "source"), beside(ports, "note"))
        return made | self._noise("crossbar", "{node}.{way}")

    def _channel(self) -> Value:
        old = self.old
        made: dict[str, Value] = {
            "kind": "queue",
            "at": self.ssu,
            **picked(self.tree, "channels:servers", "ssu"),
            "rate": each_way(old("ssu", "read_rate"), old("ssu", "write_rate"), ""),
            **picked(self.tree, "request_overhead:overhead", "ssu"),
            "duplex": "full",
        }
        noise: dict[str, Value] = {}
        for key in ("run", "request"):
            read, write = old("noise", "crossbar", key), old("noise", "ssu", key)
            if read is not None or write is not None:
                noise[key] = each_way(read, write, "0 %")
        if noise:
            made["noise"] = {**noise, "stream": "ssu.{way}"}
        return made

    def _storage(self, name: str) -> Value:
        kind = self.machine.storage[name].kind
        made: dict[str, Value] = {"kind": "tape" if kind == "tape" else "disk"}
        made |= picked(self.tree, _DISK_KEYS, "storage", name)
        return made | self._noise("storage", f"{name}{{i}}")

    def _noise(self, kind: str, stream: str) -> dict[str, Value]:
        """Return how the service times of a kind of parts vary, if they do."""
        deviations = picked(self.tree, "run request", "noise", kind)
        return {"noise": {**deviations, "stream": stream}} if deviations else {}

    # -- the store --------------------------------------------------------------------------------

    def _store(self) -> Value:
        ssu = self.machine.ssu
        assert ssu is not None
        made: dict[str, Value] = {
            "at": self.ssu,
            **picked(self.tree, "capacity unit:block", "ssu"),
        }
        if ssu.unit < EXTENT:
            made["extent"] = valued(format_size(ssu.unit), "assumed", "a unit at a time")
        made["dirty"] = valued(show_percent(1.0), "assumed", "no limit of its own")
        marks = "start high_mark:high low_mark:low workers:writers"
        made |= picked(self.tree, marks, "ssu", "writeback")
        made |= picked(self.tree, "share:quota release", "ssu")
        if ssu.share is None and ssu.release != "none":
            made["quota"] = format_size(ssu.capacity)
        return made

    # -- file systems ---------------------------------------------------------------------------

    def _filesystems(self) -> dict[str, Value]:
        made: dict[str, Value] = {}
        for name, system in self.machine.filesystems.items():
            part = self.stored[system.storage]
            stripes = self.old("filesystems", name, "stripes")
            pieces = Flow({"pieces": kept(stripes) or system.stripes, "over": part})
            backing: list[Value] = [pieces, self.paths, part]
            paths = dict(self._paths(backing))
            if paths:
                made[name] = {"paths": paths}
        return made

    def _paths(self, backing: list[Value]) -> Iterable[tuple[str, Value]]:
        """Yield the ways to the files of a file system whose last tiers are ``backing``."""
        request = Flow({"request": kept(self.old("nfs", "rpc_size")) or "", "aligned": "false"})
        if self.machine.ssu is not None:
            yield "scfs", Flow([[self.crossbar, self.channel], self.ssu, *backing])
        if self._has_lan:
            way = [{"part": self.crossbar, "to": self.cp}]
            yield "nfs", Flow([request, way, self.lan, {"work": self.nfs}, *backing])
        if self.machine.ssu is not None and self._has_lan:
            copy = [request, self.lan, *backing]
            into = [self.crossbar, self.channel]
            yield "svio", {"tiers": Flow([into]), "drain": Flow(copy)}


def spelt(name: str) -> str:
    """Return a name that a part can have."""
    if _NAME.fullmatch(name):
        return name
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", name)
    return plain if plain[:1].isascii() and plain[:1].isalpha() else f"s{plain}"
