"""From an engine that has run to a result: the same that the reference engine gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.identities import Books
from simulator.engine.result import ClientResult, PartResult, Result, Transfer
from simulator.result.errors import SimulationError

if TYPE_CHECKING:
    from simulator.engine.native.flatten import Flat

COUNTS = (
    "hits",
    "misses",
    "fetched",
    "read_back",
    "written_back",
    "released",
    "rewrites_waited",
    "prestaged",
    "created",
    "evicted",
    "accepted_bytes",
    "overwritten_bytes",
    "fetched_bytes",
    "read_back_bytes",
    "written_back_bytes",
    "prestaged_bytes",
)
"""The counters of the cache, in the order of ``ssu.py``."""


def collect(flat: Flat, end_ns: int) -> Result:
    """Everything that came out; SimulationError names the clients that wait for ever."""
    plan, clients = flat.plan, flat.clients
    blocked = [job.name for c, job in enumerate(plan.jobs) if clients.ended[c] < 0]
    if blocked:
        raise SimulationError(f"clients wait for ever: {', '.join(blocked)}")
    cache = dict(zip(COUNTS, flat.ssu.counts, strict=True))
    cache["evicted"] = flat.ssu.cache.evicted
    return Result(
        machine=plan.machine.name,
        workload=plan.workload,
        engine="native",
        seed=plan.seed,
        run=plan.run,
        digest=plan.digest,
        elapsed_ns=max(clients.ended, default=0),
        end_ns=end_ns,
        clients=[one for c in range(len(plan.jobs)) for one in _job(flat, c)],
        parts=_parts(flat, cache),
        cache=cache,
        prestage_ns=flat.prestage_ns,
        events=flat.clock.alarms + flat.lan.rings,
        calls=flat.log,
    )


def _job(flat: Flat, c: int) -> list[ClientResult]:
    """The master's result, then those of the PEs that it shares data with."""
    job, clients, accounts = flat.plan.jobs[c], flat.clients, flat.accounts
    started, ended = clients.started[c], clients.ended[c]
    first = 3 * job.first_pe
    parts = {}
    for part in (*range(first, first + 3 * job.pes), *range(3 * flat.pes, len(flat.names))):
        place = accounts.place(c, part)
        spent = accounts.spent[place], accounts.spent[place + 1]
        if spent != (0, 0):
            parts[flat.names[part]] = spent
    master = ClientResult(
        name=job.name,
        started_ns=started,
        ended_ns=ended,
        read=Transfer(clients.read_bytes[c], clients.read_ns[c]),
        write=Transfer(clients.write_bytes[c], clients.write_ns[c]),
        compute_ns=clients.computed[c],
        idle_ns=0,
        parts=dict(sorted(parts.items())),
    )
    return [master, *(_other(master, f"pe{job.first_pe + r}", r) for r in range(1, job.pes))]


def _other(master: ClientResult, pe: str, rank: int) -> ClientResult:
    """A PE that the master shares data with: it packs, unpacks, and waits for the rest."""
    service = master.parts.get(pe, (0, 0))[1]
    return ClientResult(
        name=f"{master.name}/{rank}",
        started_ns=master.started_ns,
        ended_ns=master.ended_ns,
        read=Transfer(),
        write=Transfer(),
        compute_ns=0,
        idle_ns=master.elapsed_ns - service,
        parts={pe: (0, service)} if service else {},
    )


def _parts(flat: Flat, cache: dict[str, int]) -> dict[str, PartResult]:
    stations = flat.stations
    done = {
        name: PartResult(
            stations.requests[i],
            stations.bytes[i],
            stations.busy[i],
            stations.servers[i - stations.private] if i >= stations.private else 1,
        )
        for i, name in enumerate(flat.names)
        if stations.requests[i]
    }
    if cache["hits"] + cache["misses"]:
        done["ssu.cache"] = PartResult(cache["hits"] + cache["misses"], 0, 0)
    if cache["written_back"]:
        done["ssu.writeback"] = PartResult(
            cache["written_back"], cache["written_back_bytes"], 0, flat.ssu.workers
        )
    return dict(sorted(done.items()))


def books(flat: Flat) -> Books:
    """The counters that the sample-path identities need."""
    moved = dict(zip(flat.names, flat.stations.bytes, strict=True))
    disks = flat.names[flat.backing.first_part :]
    counts = dict(zip(COUNTS, flat.ssu.counts, strict=True))
    counts["evicted"] = flat.ssu.cache.evicted
    return Books(
        sent=sum(size for name, size in moved.items() if name.endswith(".out")),
        received=sum(size for name, size in moved.items() if name.endswith(".in")),
        on_paths=moved["frontend.paths"],
        on_disks=sum(moved[name] for name in disks),
        counts=counts,
        cache=flat.ssu.cache if flat.plan.machine.ssu is not None else None,
        only_cache=flat.plan.machine.lan is None,
    )
