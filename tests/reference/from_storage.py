"""Today's storage plans as composed plans, and their results in common words."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from simulator.plan import codes
from simulator.plan.jobs import Operations, PhasePlan, ProcessPlan
from simulator.plan.parts import GroupPlan, NoisePlan, PartPlan, StorePlan
from simulator.plan.paths import FilePlan, Hold, PathPlan, TierPlan
from simulator.plan.plan import Plan

if TYPE_CHECKING:
    from simulator.engine import plan as old
    from simulator.engine.result import Result as OldResult
    from simulator.result.result import Result

PE, SSU, CP, FRONT, DISKS = range(5)
COLUMNS = (
    "pe",
    "pe.in",
    "pe.out",
    "ssu.in",
    "ssu.out",
    "ssu.read",
    "ssu.write",
    "cp0.in",
    "cp0.out",
    "lan",
    "nfs.server",
    "frontend.paths",
    "ssu.cache",
    "ssu.writeback",
    "other.processes",
)


class Translation:
    """One plan on its way."""

    def __init__(self, plan: old.Plan) -> None:
        self.old = plan
        self.columns = [*COLUMNS, *(group.name for group in plan.machine.volumes)]
        self.parts: list[PartPlan] = []
        self.rows: dict[str, int] = {}
        self.tiers: list[TierPlan] = []
        self.paths: list[PathPlan] = []
        self.known: dict[tuple[str, int, int], int] = {}

    def plan(self) -> Plan:
        plan, machine = self.old, self.old.machine
        groups = [
            GroupPlan(name="pe", count=max(1, plan.pes)),
            GroupPlan(name="ssu", count=1),
            GroupPlan(name="cp0", count=1),
            GroupPlan(name="frontend", count=1),
            *(
                GroupPlan(name=group.name, count=group.count, parent=FRONT, each=group.count)
                for group in machine.volumes
            ),
        ]
        self.add_parts(groups)
        files = tuple(self.file(number, file) for number, file in enumerate(plan.files))
        operations, marks = self.operations()
        processes = tuple(self.process(job) for job in plan.jobs)
        return Plan(
            machine=machine.name,
            workload=plan.workload,
            groups=tuple(groups),
            parts=tuple(self.parts),
            stores=self.stores(),
            tiers=tuple(self.tiers),
            paths=tuple(self.paths),
            files=files,
            processes=processes,
            operations=operations,
            marks=marks,
            columns=tuple(self.columns),
            others_column=self.columns.index("other.processes"),
            seed=plan.seed,
            run=plan.run,
            runs=plan.runs,
            noisy=plan.noisy,
            digest=plan.digest,
        )

    def add(self, name: str, kind: str, group: int, noise: str, count: int = 1, **row: Any) -> None:
        deviations = self.old.machine.noise.get(noise)
        first = sum(part.count for part in self.parts)
        stem, _, way = name.partition(".")
        stream = (
            f"{stem}{{i}}{'.' if way else ''}{way}" if group in (PE, *range(DISKS, 9)) else name
        )
        self.rows[name] = len(self.parts)
        self.parts.append(
            PartPlan(
                name=stem,
                way=way,
                kind=kind,
                group=group,
                first=first,
                count=count,
                column=self.columns.index(name),
                stream=stream,
                noise=NoisePlan(run_sd=deviations.run_sd, request_sd=deviations.request_sd)
                if deviations
                else NoisePlan(),
                **row,
            )
        )

    def add_parts(self, groups: list[GroupPlan]) -> None:
        machine = self.old.machine
        pes = groups[PE].count
        self.add("pe", "cpu", PE, "pe", pes, cpu=machine.pe)
        self.add("pe.in", "queue", PE, "crossbar", pes, service=machine.port)
        self.add("pe.out", "queue", PE, "crossbar", pes, service=machine.port)
        if machine.channels:
            one = machine.channels
            for way in ("in", "out"):
                self.add(
                    f"ssu.{way}", "queue", SSU, "crossbar", service=machine.port, servers=one.ports
                )
            self.add("ssu.read", "queue", SSU, "crossbar", service=one.read, servers=one.count)
            self.add("ssu.write", "queue", SSU, "ssu", service=one.write, servers=one.count)
        if machine.lan:
            kind = "shared" if machine.lan.fair else "queue"
            self.add("cp0.in", "queue", CP, "crossbar", service=machine.port)
            self.add("cp0.out", "queue", CP, "crossbar", service=machine.port)
            self.add("lan", kind, CP, "lan", service=machine.lan.link)
            self.add("nfs.server", "queue", FRONT, "frontend", service=machine.lan.server)
        self.add(
            "frontend.paths",
            "queue",
            FRONT,
            "frontend",
            service=machine.path,
            servers=machine.paths,
        )
        for i, group in enumerate(machine.volumes):
            self.add(group.name, "disk", DISKS + i, "storage", group.count, disk=group.spec)

    def stores(self) -> tuple[StorePlan, ...]:
        spec = self.old.machine.ssu
        if spec is None:
            return ()
        return (
            StorePlan(
                name="ssu",
                group=SSU,
                first=0,
                count=1,
                slots=spec.slots,
                block=spec.unit,
                quota=max(1, spec.share // spec.unit),
                release=spec.release,
                triggers=frozenset(spec.triggers),
                high=spec.units_at(spec.high_mark),
                low=spec.units_at(spec.low_mark),
                workers=spec.workers,
                first_worker=len(self.old.jobs),
                cache_column=self.columns.index("ssu.cache"),
                writeback_column=self.columns.index("ssu.writeback"),
            ),
        )

    # -- paths --------------------------------------------------------------------------------

    def path(self, name: str, where: Any) -> int:
        key = (name, where.volumes, where.stripes)
        if key not in self.known:
            self.known[key] = len(self.paths)
            self.paths.append(getattr(self, name)(where))
        return self.known[key]

    def holds(self, *parts: tuple[str, int]) -> tuple[Hold, ...]:
        return tuple(Hold(self.rows[name], slot) for name, slot in parts)

    def stage(self, down: tuple[Hold, ...], up: tuple[Hold, ...], **row: Any) -> None:
        self.tiers.append(TierPlan(kind=codes.STAGE, down=down, up=up, **row))

    def backing(self, where: Any) -> None:
        group = self.old.machine.volumes[where.volumes]
        dealt: dict[str, Any] = {"pieces": where.stripes, "slot": 3, "width": group.count}
        for parts in (self.holds(("frontend.paths", 2)), self.holds((group.name, 3))):
            self.stage(parts, parts, **dealt)
        self.tiers.append(TierPlan(kind=codes.END))

    def scfs(self, where: Any) -> PathPlan:
        top = len(self.tiers)
        down = self.holds(("pe.out", 0), ("ssu.in", 1), ("ssu.write", 1))
        up = self.holds(("ssu.out", 1), ("pe.in", 0), ("ssu.read", 1))
        self.stage(down, up)
        self.tiers.append(TierPlan(kind=codes.STORE, slot=1))
        self.backing(where)
        return PathPlan(
            name="scfs",
            top=top,
            places=(PE, SSU, FRONT, DISKS + where.volumes),
            close=codes.CLOSE_QUEUE,
            first_store=top + 1,
        )

    def rpc(self) -> None:
        lan = self.old.machine.lan
        assert lan is not None
        self.tiers.append(TierPlan(kind=codes.REQUEST, size=lan.rpc_size, aligned=False))

    def nfs(self, where: Any) -> PathPlan:
        top = len(self.tiers)
        self.rpc()
        down = self.holds(("pe.out", 0), ("cp0.in", 1))
        self.stage(down, self.holds(("cp0.out", 1), ("pe.in", 0)))
        self.stage(self.holds(("lan", 1)), self.holds(("lan", 1)))
        self.tiers.append(TierPlan(kind=codes.WORK, down=self.holds(("nfs.server", 2))))
        self.backing(where)
        return PathPlan(name="nfs", top=top, places=(PE, CP, FRONT, DISKS + where.volumes))

    def svio(self, where: Any) -> PathPlan:
        top = len(self.tiers)
        self.stage(self.holds(("pe.out", 0), ("ssu.in", 1), ("ssu.write", 1)), ())
        self.tiers.append(TierPlan(kind=codes.END))
        drain = len(self.tiers)
        self.rpc()
        # places of this path: the LAN is at the control processor, which is its only member
        self.stage(self.holds(("lan", 1)), ())
        self.backing(where)
        return PathPlan(
            name="svio", top=top, drain=drain, places=(PE, CP, FRONT, DISKS + where.volumes)
        )

    # -- what runs ----------------------------------------------------------------------------

    def file(self, number: int, file: old.FilePlan) -> FilePlan:
        phases = [phase for job in self.old.jobs for phase in job.phases if phase.file == number]
        printed = any(phase.path == "svio" for phase in phases)
        return FilePlan(
            name=file.name,
            path=self.path("svio" if printed else file.path, file.where),
            length=file.length,
            size=file.size,
            base=file.where.base,
            lead=file.where.first,
            prestaged=file.prestaged and file.cached,
        )

    def operations(self) -> tuple[Operations, int]:
        table, calls = Operations(), self.old.calls
        if calls is None:
            return table, 0
        for i in range(len(calls)):
            row = (calls.kind[i], calls.file[i], calls.offset[i], calls.size[i])
            table.add(*row, gap=calls.gap[i])
        return table, calls.marks

    def process(self, job: old.JobPlan) -> ProcessPlan:
        exchange = -1
        if job.pes > 1:
            exchange = len(self.tiers)
            self.stage(self.holds(("pe.out", 0), ("pe.in", 1)), ())
            self.tiers.append(TierPlan(kind=codes.END))
        return ProcessPlan(
            name=job.name,
            job=job.name,
            group=PE,
            node=job.first_pe,
            nodes=job.pes,
            cpu=self.rows["pe"],
            exchange=exchange,
            start_ns=job.start_ns,
            born=job.born,
            repeat=job.repeat,
            phases=tuple(self.phase(phase) for phase in job.phases),
        )

    def phase(self, phase: old.PhasePlan) -> PhasePlan:
        if phase.work == "compute":
            return PhasePlan(kind=codes.COMPUTE, compute_ns=phase.compute_ns)
        if phase.work == "calls":
            return PhasePlan(kind=codes.LISTED, first=phase.first_call, count=phase.calls)
        return PhasePlan(
            kind=codes.STREAM,
            write=phase.work == "write",
            file=phase.file,
            path=self.path(phase.path, self.old.files[phase.file].where),
            lengths=phase.lengths,
            buffer=phase.buffer,
            policy=phase.policy,
        )


def composed(plan: old.Plan) -> Plan:
    """Return a composed plan that does what a storage plan does."""
    return Translation(plan).plan()


def old_words(plan: old.Plan, result: OldResult) -> dict[str, Any]:
    """Return what both results have in common, from the old one."""
    disks = {f"{group.name}{i}": group.name for group in plan.machine.volumes for i in range(9)}

    def column(name: str) -> str:
        return disks.get(name) or re.sub(r"^pe\d+", "pe", name)

    clients = []
    for one in result.clients:
        spent: dict[str, list[int]] = {}
        for name, times in one.parts.items():
            entry = spent.setdefault(column(name), [0, 0])
            entry[0] += times[0]
            entry[1] += times[1]
        clients.append(_client(one, {name: tuple(times) for name, times in spent.items()}))
    parts = {
        name: (part.requests, part.bytes, part.busy_ns)
        for name, part in result.parts.items()
        if name not in ("ssu.cache", "ssu.writeback")
    }
    cache = {name: count for name, count in result.cache.items() if count}
    return _words(result, clients, sorted(parts.values()), cache)


def new_words(result: Result) -> dict[str, Any]:
    """Return what both results have in common, from the new one."""
    clients = [_client(one, one.spent) for one in result.processes]
    parts = [(part.requests, part.bytes, part.busy_ns) for part in result.parts.values()]
    counts = result.stores["ssu"].counts if "ssu" in result.stores else {}
    more = ("resident", "dirty", "dirty_bytes")
    cache = {name: count for name, count in counts.items() if count and name not in more}
    return _words(result, clients, sorted(parts), cache)


def _client(one: Any, spent: dict[str, tuple[int, int]]) -> dict[str, Any]:
    return {
        "name": one.name,
        "times": (one.started_ns, one.ended_ns, one.compute_ns, one.idle_ns),
        "moved": (asdict(one.read), asdict(one.write)),
        "spent": dict(sorted(spent.items())),
    }


def _words(result: Any, clients: Any, parts: Any, cache: dict[str, int]) -> dict[str, Any]:
    if not cache.keys() - {"prestaged", "prestaged_bytes"}:
        cache = {}  # a store that only was prestaged is not in the new results
    return {
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "events": result.events,
        "clients": clients,
        "parts": parts,
        "cache": cache,
        "prestage_ns": result.prestage_ns,
        "spans": [(one.start_ns, one.service_ns, one.bytes) for one in result.spans],
        "calls": [column.tolist() for column in result.calls.columns()] if result.calls else None,
    }
