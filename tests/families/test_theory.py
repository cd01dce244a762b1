"""Families of machines against arithmetic by hand, on both engines.

Each is written as docs/machines.md has it, with a processor that costs nothing. The answer is
computed here, before the run; where one resource limits, no run may be faster than it.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass

import pytest

from simulator.inputfile import Text
from simulator.run import EngineName, load_plan, run_plan
from tests.twins.plans.faults import faults

FREE = "cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 s, record_overhead: 0 s}"


ROUNDED = 1e-6
"""Rates by load are whole numbers of 2**-20 of that of one transfer; and copies take 1 ns each."""


@dataclass(frozen=True)
class Family:
    """A machine, a job, and how long it takes; seconds."""

    name: str
    nodes: str
    parts: str
    tiers: str
    files: str
    job: str
    answer_s: float
    tolerance: float = 0.0
    """By how much of the answer it may take longer."""
    stores: str = ""


DISK = "disk: {kind: disk, rate: 100 MB/s, seek: 8 ms, rotation: 8 ms}"
POSITION_S, BYTE_S = 0.008 + 0.008 / 2, 1 / 100e6
READ, WRITE = "[{do: read, file: f}]", "[{do: write, file: f}]"
THERE = "size: 10 MB, exists: true"
NET = "net: {kind: network, at: [client, server], rate: 1 GB/s}"
SLOW = "disk: {kind: queue, at: server, rate: 100 MB/s}"

FAMILIES = (
    Family(
        *("one disk, one stream", "{client: 1}", DISK, "[disk]", THERE),
        *(f"record: 1 MB, phases: {READ}", POSITION_S + 10e6 * BYTE_S),
    ),
    Family(  # Two streams in turn: each request positions.
        *("one disk, two streams", "{client: 2}", DISK, "[disk]", THERE),
        *(f"processes: 2, record: 1 MB, phases: {READ}", 20 * (POSITION_S + 1e6 * BYTE_S)),
    ),
    Family(
        *(
            "page cache, flushed at close",
            "{client: 1}",
            DISK,
            "{tiers: [pages, disk], close: flush}",
        ),
        *("size: 40 MB", f"record: 1 MB, phases: {WRITE}", 40e6 * BYTE_S, 0.05),
        stores="pages: {capacity: 1 GB, high: 0 %, extent: 16 MiB}",
    ),
    Family(
        *("NFS, sixteen clients", "{client: 16, server: 1}", f"{NET}, {SLOW}"),
        *("[{route: [net], request: 1 MB, header: 128 B}, disk]", THERE),
        *(f"processes: 16, record: 10 MB, phases: {READ}", 16 * 10e6 * BYTE_S, 0.02),
    ),
    Family(
        *("stripes over four servers", "{client: 1, server: 4}", f"{NET}, {SLOW}"),
        *("[{request: 1 MB, window: 16}, {stripe: 1 MB, of: server}, [net], disk]", "size: 40 MB"),
        *(f"record: 40 MB, phases: {WRITE}", 40e6 * BYTE_S / 4, 0.05),
    ),
    Family(  # More servers than the client's port has room for.
        *(
            "stripes over eight servers",
            "{client: 1, server: 8}",
            f"{NET}, {SLOW}".replace("1 GB", "400 MB"),
        ),
        *(
            "[{request: 100 kB, window: 64}, {stripe: 100 kB, of: server}, [net], disk]",
            "size: 80 MB",
        ),
        *(f"record: 80 MB, phases: {WRITE}", 80e6 / 400e6, 0.02),
    ),
    Family(  # Sixteen requests, four at one time, 10 ms each.
        *("a window of four requests", "{client: 1}", "line: {kind: delay, overhead: 10 ms}"),
        *("[{request: 1 MB, window: 4}, line]", "size: 16 MB"),
        *(f"record: 16 MB, phases: {WRITE}", 16 / 4 * 0.010),
    ),
    # The first commit has one sync; the seven that came meanwhile share the next.
    Family(
        "group commit",
        "{client: 8}",
        "log: {kind: journal, overhead: 10 ms}, bus: {kind: delay, rate: 1 TB/s}",
        "[{sync: log}, bus]",
        "size: 1 kB",
        "processes: 8, record: 1 kB, phases: [{do: write, file: f, synchronous: true}]",
        2 * 0.010,
        1e-6,
    ),
    Family(
        *("creates at a server of eight threads", "{client: 16, server: 1}"),
        *(f"{NET}, {SLOW}, inodes: {{kind: queue, at: server, servers: 8, overhead: 1 ms}}",),
        *("{tiers: [[net], disk], metadata: [[net], {work: inodes}]}", "size: 1 kB"),
        *("processes: 16, phases: [{do: create, file: f, count: 20}]", 16 * 20 * 0.001 / 8, 0.01),
    ),
    Family(  # Sixty MB at 60 MB/s, since four transfers are always under way.
        *("a rate that falls with the load", "{client: 4}"),
        *("sata: {kind: shared, rate: {1: 100 MB/s, 4: 60 MB/s}}", "[sata]", "size: 15 MB"),
        *(f"processes: 4, record: 15 MB, phases: {WRITE}", 4 * 15e6 / 60e6, 1e-5),
    ),
    Family(
        *("tapes to be mounted", "{client: 3}", "drive: {kind: tape, rate: 100 MB/s, mount: 10 s}"),
        *("[drive]", "size: 100 MB, exists: true"),
        *(f"processes: 3, record: 100 MB, phases: {READ}", 3 * (10 + 100e6 * BYTE_S)),
    ),
    Family(
        *("two I/O nodes for eight programs", "{client: 8, ion: 2}"),
        f"{NET}, {SLOW}".replace("server", "ion"),
        *("[{forward: ion}, [net], disk]", "size: 10 MB"),
        *(f"processes: 8, record: 1 MB, phases: {WRITE}", 8 * 10e6 * BYTE_S / 2, 0.02),
    ),
    Family(
        *("a fair link", "{client: 5}", "link: {kind: shared, rate: 125 MB/s}", "[link]"),
        *("size: 1 MB", f"processes: 5, record: 1 MB, phases: {WRITE}", 5 * 1e6 / 125e6, 1e-6),
    ),
)


def seconds(family: Family, engine: EngineName) -> float:
    """Carry out a family, with all identities checked; return how long it takes."""
    stores = f"stores: {{{family.stores}}}\n" if family.stores else ""
    machine = f"""\
format: machine/2
name: family
nodes: {family.nodes}
parts: {{{FREE}, {family.parts}}}
{stores}filesystems: {{fs: {family.tiers}}}
"""
    jobs = f"""\
format: workload/2
name: family
files: {{f: {{{family.files}}}}}
jobs: [{{name: job, {family.job}}}]
"""
    plan = load_plan(Text(machine, "machine"), Text(jobs, "jobs"))
    assert faults(plan) == []
    return run_plan(plan, engine=engine, debug=True).elapsed_ns / 1e9


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_it_takes_what_arithmetic_says(family: Family, engine: EngineName) -> None:
    taken = seconds(family, engine)
    assert taken >= family.answer_s * (1 - ROUNDED)
    assert taken <= family.answer_s * (1 + family.tolerance + ROUNDED)


# -- memory -------------------------------------------------------------------------------------

BURST = """
format: machine/2
name: burst
nodes: {{client: 1}}
parts: {{{free}, disk: {{kind: queue, at: client, rate: 1 GB/s}}}}
stores: {{burst: {{at: client, capacity: {capacity}, block: 1 MB}}}}
filesystems: {{fs: [burst, [disk]]}}
"""
LARGE = """
format: workload/2
name: burst
files: {f: {size: 2 GB}}
jobs: [{name: client, record: 10 MB, phases: [{do: write, file: f}]}]
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_store_costs_what_it_holds(engine: EngineName) -> None:
    """A store of 128 TB that holds 2 GB takes no more memory than one of 4 GB."""
    taken = []
    for capacity in ("4 GB", "128 TB"):
        plan = load_plan(Text(BURST.format(free=FREE, capacity=capacity), "m"), Text(LARGE, "w"))
        tracemalloc.start()
        (store,) = run_plan(plan, engine=engine).stores.values()
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert store.counts["created"] == 2000
    assert taken[1] < 1.5 * taken[0] + 100_000
