"""From a plan to an engine: names become numbers, specifications become rows of integers.

The parts are numbered: three for each PE that a job uses (the PE, its port inwards, its
port outwards), then the parts that all share, in the order of ``SHARED``, then the disks.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.engine.marks import OTHERS_PART
from simulator.engine.native.backing import Backing
from simulator.engine.native.clients import Clients
from simulator.engine.native.clock import Clock
from simulator.engine.native.codes import PATHS, WORKS
from simulator.engine.native.engine import Engine
from simulator.engine.native.lan import FairLan
from simulator.engine.native.listing import Listing
from simulator.engine.native.ssu import Ssu
from simulator.engine.native.stations import Accounts, Stations
from simulator.machine.cache import UnitCache
from simulator.machine.sharing import FairShare
from simulator.machine.volumes import unloaded_read_ns
from simulator.result.calls import CallLog
from simulator.runtime.lengthtable import LengthTable
from simulator.runtime.listed import CallTable
from simulator.runtime.policies import POLICY_NAMES
from simulator.runtime.records import NO_LIMIT
from simulator.runtime.streams import RecordStreams

if TYPE_CHECKING:
    from simulator.engine.plan import MachinePlan, Plan
    from simulator.machine.station import ServiceSpec
    from simulator.runtime.lengths import Lengths

SHARED = (
    "frontend.paths",
    "ssu.in",
    "ssu.out",
    "ssu.read",
    "ssu.write",
    "ssu.cache",
    "ssu.writeback",
    OTHERS_PART,
    "cp0.in",
    "cp0.out",
    "lan",
    "nfs.server",
)
"""Parts that all clients share, before the disks."""


class Flat:
    """An engine made from a plan, and the names of its parts."""

    def __init__(self, plan: Plan) -> None:
        machine = plan.machine
        self.plan = plan
        self.log: CallLog | None = None
        self.pes = plan.pes
        self.names = _names(machine, self.pes)
        self.number = {name: i for i, name in enumerate(self.names)}
        count = len(plan.jobs)
        workers = machine.ssu.workers if machine.ssu else 0
        prints = any(one.path == "svio" for job in plan.jobs for one in job.phases)
        copiers = count if prints else 0
        lan_actor = count + workers + copiers
        self.clock = Clock(lan_actor + 1)
        private = 3 * self.pes
        self.accounts = Accounts(
            array("q", [job.first_pe for job in plan.jobs]),
            array("q", [job.pes for job in plan.jobs]),
            private,
            len(self.names) - private,
        )
        self.stations = Stations(
            self.clock,
            self.accounts,
            private,
            array("q", self._servers(machine, private)),
            alike=not plan.noisy and self.pes > 0,
        )
        self._fill_stations(plan)
        self.backing = self._backing(plan)
        self.cached: dict[int, int] = {}
        self.ssu = self._ssu(plan, count + workers)
        senders = lan_actor if machine.lan is not None and machine.lan.fair else 0
        self.lan = FairLan(
            self.clock,
            self.stations,
            FairShare(senders),
            self.number["lan"],
            lan_actor,
            senders,
        )
        self.clients = self._clients(plan)
        self.engine = Engine(self.clock, self.ssu, self.clients, count, workers, copiers)
        self.prestage_ns = self._prestage(plan)
        self.ssu.first_worker = count
        self.ssu.workers = workers
        for worker in range(count, count + workers):
            self.ssu.idle[worker] = 1
        for number, job in enumerate(plan.jobs):
            if job.born < 0:
                self.clock.at(number, job.start_ns)
            else:
                self.listing.wait(number, job.born)

    # -- stations -----------------------------------------------------------------------------

    def _servers(self, machine: MachinePlan, private: int) -> list[int]:
        """How many servers each part has that all share."""
        servers = [1] * (len(self.names) - private)
        servers[self.number["frontend.paths"] - private] = machine.paths
        if machine.channels is not None:
            servers[self.number["ssu.read"] - private] = machine.channels.count
            servers[self.number["ssu.write"] - private] = machine.channels.count
            servers[self.number["ssu.in"] - private] = machine.channels.ports
            servers[self.number["ssu.out"] - private] = machine.channels.ports
        return servers

    def _fill_stations(self, plan: Plan) -> None:
        stations = self.stations
        for part, spec in _specs(plan.machine, range(0, 3 * self.pes, 3), self.number):
            if part < 3 or part >= stations.alike:
                row = stations.row(part)
                stations.overhead[row] = spec.overhead_ns
                stations.ns_per_byte[row] = spec.ns_per_byte
        if plan.noisy:
            self._fill_noise(plan)

    def _fill_noise(self, plan: Plan) -> None:
        """Each part has a row of its own then."""
        stations = self.stations
        tables: dict[tuple[int, ...], int] = {}
        factors = array("q")
        kinds = _kinds(plan.machine, self.pes)
        for part, name in enumerate(self.names):
            noise = plan.noise(kinds[part], name)
            stations.key[part] = noise.key
            stations.run_factor[part] = noise.run_factor
            if noise.table:
                if noise.table not in tables:
                    tables[noise.table] = len(factors)
                    factors.extend(noise.table)
                stations.table[part] = tables[noise.table]
        if factors:
            stations.factors = factors

    # -- storage ------------------------------------------------------------------------------

    def _backing(self, plan: Plan) -> Backing:
        groups = plan.machine.volumes
        disks = sum(group.count for group in groups)
        backing = Backing(
            self.stations, self.number["frontend.paths"], len(plan.files), len(groups), disks
        )
        backing.first_part = len(self.names) - disks
        first = 0
        for g, group in enumerate(groups):
            spec = group.spec
            backing.first_disk[g] = first
            backing.volumes[g] = group.count
            backing.seek[g] = spec.seek_ns
            backing.turn[g] = spec.turn_ns
            backing.mount[g] = spec.mount_ns
            backing.capacity[g] = spec.capacity
            backing.track_seek[g] = spec.track_seek_ns
            backing.full_seek[g] = spec.full_seek_ns
            backing.rotation_drawn[g] = spec.rotation_drawn
            first += group.count
        for f, file in enumerate(plan.files):
            backing.group[f] = file.where.volumes
            backing.stripes[f] = file.where.stripes
            backing.base[f] = file.where.base
            backing.lead[f] = file.where.first
        return backing

    def _ssu(self, plan: Plan, actors: int) -> Ssu:
        spec = plan.machine.ssu
        unit = spec.unit if spec else 1
        files = [(f, file) for f, file in enumerate(plan.files) if file.cached and spec]
        blocks = [-(-max(file.size, file.length) // unit) for _, file in files]
        cache = UnitCache(
            slots=spec.slots if spec else 1,
            unit=unit,
            share=max(1, spec.share // unit) if spec else 1,
            files=len(files),
            release=("none", "whole", "full").index(spec.release) if spec else 0,
        )
        ssu = Ssu(self.clock, self.stations, self.backing, cache, actors, len(files))
        ssu.unit = unit
        ssu.cache_part = self.number["ssu.cache"]
        ssu.writeback_part = self.number["ssu.writeback"]
        if spec:
            ssu.on_mark = "mark" in spec.triggers
            ssu.eager = "eager" in spec.triggers
            ssu.on_close = "close" in spec.triggers
            ssu.on_rewrite = "rewrite" in spec.triggers
            ssu.high = spec.units_at(spec.high_mark)
            ssu.low = spec.units_at(spec.low_mark)
        block = 0
        for index, (f, file) in enumerate(files):
            self.cached[f] = index
            ssu.first_block[index] = block
            ssu.volume_file[index] = f
            ssu.length[index] = file.length
            block += blocks[index]
        return ssu

    def _prestage(self, plan: Plan) -> int:
        """Load what is to be prestaged, outside the clock; returns how long it would take."""
        total = 0
        for f, file in enumerate(plan.files):
            if file.prestaged and f in self.cached:
                loaded = self.ssu.prestage(self.cached[f])
                group = plan.machine.volumes[file.where.volumes]
                total += unloaded_read_ns(
                    group.spec, plan.machine.path, file.where, group.count, loaded, self.ssu.unit
                )
        return total

    # -- clients ------------------------------------------------------------------------------

    def _clients(self, plan: Plan) -> Clients:
        machine = plan.machine
        phases = sum(len(job.phases) for job in plan.jobs)
        self.lengths = LengthTable()
        self.streams = RecordStreams(len(plan.jobs), self.lengths)
        self.listing = Listing(self.clock, len(plan.jobs), plan.calls or CallTable())
        clients = Clients(
            self.clock,
            self.stations,
            self.backing,
            self.ssu,
            self.lan,
            self.streams,
            self.listing,
            len(plan.jobs),
            phases,
            len(plan.files),
        )
        number = self.number
        clients.ssu_in, clients.ssu_out = number["ssu.in"], number["ssu.out"]
        clients.ssu_read, clients.ssu_write = number["ssu.read"], number["ssu.write"]
        clients.cp_in, clients.cp_out = number["cp0.in"], number["cp0.out"]
        clients.lan_part, clients.server = number["lan"], number["nfs.server"]
        clients.others_part = number[OTHERS_PART]
        if machine.lan is not None:
            clients.lan_fair = machine.lan.fair
            clients.rpc_size = machine.lan.rpc_size
        clients.record_overhead = machine.pe.record_overhead_ns
        clients.copy_ns_per_byte = 1e9 / machine.pe.copy_rate
        clients.call_overhead = machine.pe.call_overhead_ns
        clients.turn_overhead = machine.pe.turn_overhead_ns
        for file, index in self.cached.items():
            clients.cached_file[file] = index
        for f, one in enumerate(plan.files):
            clients.file_path[f] = PATHS.index(one.path)
        self._fill_jobs(plan, clients)
        return clients

    def _fill_jobs(self, plan: Plan, clients: Any) -> None:
        self.rows: dict[int, int] = {}
        row = 0
        for c, job in enumerate(plan.jobs):
            clients.first_phase[c] = row
            clients.phases[c] = len(job.phases)
            clients.repeat[c] = job.repeat
            clients.first_pe[c] = job.first_pe
            clients.pes[c] = job.pes
            printed: dict[int, int] = {}
            for phase in job.phases:
                clients.work[row] = WORKS.index(phase.work)
                clients.compute[row] = phase.compute_ns
                clients.first_call[row] = phase.first_call
                clients.calls[row] = phase.calls
                clients.file[row] = max(0, phase.file)
                clients.path[row] = PATHS.index(phase.path)
                clients.print_row[row] = -1
                if phase.path == "svio" and phase.work == "write":
                    clients.print_row[row] = printed.setdefault(phase.file, row)
                if phase.lengths is not None:
                    clients.policy[row] = POLICY_NAMES.index(phase.policy)
                    clients.buffer[row] = phase.buffer
                    clients.lengths[row] = self._lengths(phase.lengths)
                    self.streams.check(
                        clients.policy[row], phase.buffer, NO_LIMIT, clients.lengths[row]
                    )
                row += 1

    def record(self) -> None:
        """Have the clients write down their calls: count them first, without the clock."""
        self.log = log = CallLog([], [])
        total = 0
        for c, job in enumerate(self.plan.jobs):
            rows = range(self.clients.first_phase[c], self.clients.first_phase[c] + len(job.phases))
            log.first.append(total)
            log.count.append(job.repeat * sum(self._calls(c, row) for row in rows))
            total += log.count[c]
        for column in log.columns():
            column.frombytes(bytes(column.itemsize * total))
        self.listing.record(log)

    def _calls(self, c: int, row: int) -> int:
        """How many rows of the log a phase writes."""
        work = WORKS[self.clients.work[row]]
        if work == "compute":
            return 0
        if work == "calls":
            return int(self.clients.calls[row])
        self.streams.restart(
            c,
            self.clients.policy[row],
            work == "write",
            self.clients.buffer[row],
            NO_LIMIT,
            self.clients.lengths[row],
        )
        return 2 + self.streams.count_calls(c)

    def _lengths(self, lengths: Lengths) -> int:
        """The row of a phase's record lengths; clients with the same ones share it."""
        row = self.rows.get(id(lengths), -1)
        if row < 0:
            row = self.rows[id(lengths)] = lengths.add_to(self.lengths)
        return row


def _names(machine: MachinePlan, pes: int) -> list[str]:
    own = [name for p in range(pes) for name in (f"pe{p}", f"pe{p}.in", f"pe{p}.out")]
    disks = [f"{group.name}{i}" for group in machine.volumes for i in range(group.count)]
    return [*own, *SHARED, *disks]


def _kinds(machine: MachinePlan, pes: int) -> list[str]:
    """The kind of noise of every part."""
    shared = {
        "frontend.paths": "frontend",
        "nfs.server": "frontend",
        "ssu.write": "ssu",
        "lan": "lan",
    }
    disks = sum(group.count for group in machine.volumes)
    own = ["pe", "crossbar", "crossbar"] * pes
    return [*own, *(shared.get(name, "crossbar") for name in SHARED), *["storage"] * disks]


def _specs(
    machine: MachinePlan, pes: range, number: dict[str, int]
) -> Iterator[tuple[int, ServiceSpec]]:
    """The parts that have a service of their own; PEs have none, their ports are alike."""
    for first in pes:
        yield first + 1, machine.port
        yield first + 2, machine.port
    for name in ("ssu.in", "ssu.out", "cp0.in", "cp0.out"):
        yield number[name], machine.port
    yield number["frontend.paths"], machine.path
    if machine.channels is not None:
        yield number["ssu.read"], machine.channels.read
        yield number["ssu.write"], machine.channels.write
    if machine.lan is not None:
        yield number["lan"], machine.lan.link
        yield number["nfs.server"], machine.lan.server
    part = number[SHARED[-1]]
    for group in machine.volumes:
        spec = group.spec.transfer()
        for _ in range(group.count):
            part += 1
            yield part, spec
