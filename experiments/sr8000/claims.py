"""The claims of the SR8000 paper: the figures of their conditions, from runs.

The conditions are in experiments/sr8000/study.yaml.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from simulator.plan.codes import ASK_READ, ASK_WRITE

from .runs import (
    CACHE,
    COMPUTED,
    LAYOUT,
    METHOD,
    MOST,
    OPERATIONS,
    PREFETCH,
    PROCESSES,
    IoRun,
    Sr8000Runs,
)

if TYPE_CHECKING:
    from simulator.plan.plan import Plan

Figures: TypeAlias = dict[str, float]

NO_STRIDE = ("machine.runtime.mpi_io.stride_io", "false")
NO_LIST = ("machine.runtime.mpi_io.list_io", "false")
NO_LOCK = ("machine.runtime.mpi_io.file_lock", "false")
NO_PREFETCH = (PREFETCH, "0")
NO_CACHE = (CACHE, "64 KiB")
"""A single block: the minimum of a buffer cache."""
EXISTING = ("workload.files.array.exists", "true")
SKEW = ("workload.jobs.0.skew", "1 s")
NAMES = {"seek": "unix", "stride": "stride"}
"""Method -> its name in the figures of sr-c9."""


def views_win(runs: Sr8000Runs) -> Figures:
    """sr-c1: compare views with a call for each piece."""
    return {
        f"{operation}_fv_ut_{count}": runs.ratio(operation, "fv", "ut", count)
        for operation in OPERATIONS
        for count in PROCESSES
    }


def calls_cost(runs: Sr8000Runs) -> Figures:
    """sr-c2: compare views without stride and list I/O with a call for each piece."""
    return {
        f"{operation}_fv_without_both_ut": runs.rate(operation, "fv", MOST, NO_STRIDE, NO_LIST)
        / runs.rate(operation, "ut", MOST)
        for operation in OPERATIONS
    }


def reads_grow(runs: Sr8000Runs) -> Figures:
    """sr-c3: growth of the rate of views, with and without buffer cache and read-ahead."""
    return {
        "read_fv_growth_2_8": runs.growth("read", "fv", 2),
        "read_fv_growth_4_8": runs.growth("read", "fv", 4),
        "write_fv_growth_2_8": runs.growth("write", "fv", 2),
        "read_fv_growth_2_8_without_prefetch": runs.growth("read", "fv", 2, NO_PREFETCH),
        "read_fv_growth_2_8_without_cache": runs.growth("read", "fv", 2, NO_CACHE),
    }


def writes_grow(runs: Sr8000Runs) -> Figures:
    """sr-c3-write: growth of the rate of writes through views, for three methods."""
    return {
        "write_fv_growth_2_8": runs.growth("write", "fv", 2),
        "write_fv_ut_2": runs.ratio("write", "fv", "ut", 2),
        "without_lock_fv_growth_2_8": runs.growth("write", "fv", 2, NO_LOCK),
        "existing_fv_growth_2_8": runs.growth("write", "fv", 2, EXISTING),
        "existing_fv_ut_2": runs.ratio("write", "fv", "ut", 2, EXISTING),
    }


def blocks_of(plan: Plan) -> int:
    """Return the number of blocks of the array's file."""
    return sum(plan.buffers[0].blocks)


def blocks_touched(plan: Plan, process: int) -> int:
    """Return the number of distinct blocks of a process's own requests."""
    assert plan.asked is not None
    operations, requests, extents = plan.operations, plan.asked.requests, plan.asked.extents
    touched: set[tuple[int, int]] = set()
    for phase in plan.processes[process].phases:
        for row in range(phase.first, phase.first + phase.count):
            if operations.kind[row] not in (ASK_READ, ASK_WRITE):
                continue
            asked = range(operations.offset[row], operations.offset[row] + operations.size[row])
            for request in asked:
                first = requests.first[request]
                rows = range(first, first + requests.count[request])
                touched.update((requests.node[request], extents.block[at]) for at in rows)
    return len(touched)


def blocks_shared(runs: Sr8000Runs) -> Figures:
    """sr-c4: blocks requested by a process, and reads of each from a disk."""
    figures: Figures = {}
    for count in PROCESSES:
        result = runs.case("read", "fv", count)
        blocks = blocks_of(result.plan)
        touched = [blocks_touched(result.plan, process) for process in range(count)]
        looks = result.total("hits") + result.total("misses")
        figures[f"share_touched_{count}_least"] = min(touched) / blocks
        figures[f"share_touched_{count}_most"] = max(touched) / blocks
        figures[f"found_{count}"] = result.total("hits") / looks
        for name, given in (("", ()), ("_within_1s", (SKEW,))):
            reads = runs.case("read", "fv", count, *given).total("disk_reads")
            figures[f"block_reads_{count}{name}"] = reads / blocks
    return figures


def neighbours_come(runs: Sr8000Runs) -> Figures:
    """sr-c5: read-ahead blocks, and their value."""
    figures: Figures = {}
    for count in PROCESSES:
        result = runs.case("read", "fv", count)
        figures[f"read_ahead_share_{count}"] = result.total("read_ahead") / blocks_of(result.plan)
    most = runs.case("read", "fv", MOST)
    figures["wanted_of_read_ahead_8"] = most.total("used_ahead") / max(1, most.total("read_ahead"))
    plain = runs.case("read", "fv", MOST, NO_PREFETCH)
    figures["time_without_prefetch_8"] = plain.elapsed_ns / most.elapsed_ns
    return figures


def lock_share(run: IoRun) -> float:
    """Return the fraction of the processes' time spent waiting for the lock."""
    return run.spent_ns("locks") / sum(one.elapsed_ns for one in run.result.processes)


def lock_serialises(runs: Sr8000Runs) -> Figures:
    """sr-c6: waiting of processes for the lock, the rate without it, and growth."""
    figures = {
        f"write_{interface}_lock_share": lock_share(runs.case("write", interface, MOST))
        for interface in ("ut", "fv", "col")
    }
    free = runs.rate("write", "fv", MOST, NO_LOCK)
    figures["write_fv_without_lock_fv"] = free / runs.rate("write", "fv", MOST)
    figures["write_col_fv_without_lock"] = runs.rate("write", "col", MOST) / free
    figures["write_col_fv"] = runs.ratio("write", "col", "fv")
    figures["write_fv_growth_2_8"] = runs.growth("write", "fv", 2)
    return figures


def reads_in_parallel(runs: Sr8000Runs) -> Figures:
    """sr-c7: compare collective reads with views, and waiting of processes for each other."""
    figures = _reads_together(runs)
    late = {one: runs.case("read", one, MOST, SKEW) for one in ("fv", "col")}
    figures["read_col_fv_8_within_1s"] = late["fv"].elapsed_ns / late["col"].elapsed_ns
    for interface, result in late.items():
        wait = result.spent_ns("barriers") / MOST / 1e9
        figures[f"read_{interface}_barrier_s_within_1s"] = wait
    locks = sum(runs.case("read", one, MOST).spent_ns("locks") for one in ("fv", "col"))
    figures["read_lock_s"] = locks / 1e9
    return figures


def _reads_together(runs: Sr8000Runs) -> Figures:
    return {f"read_col_fv_{count}": runs.ratio("read", "col", "fv", count) for count in PROCESSES}


def reads_fall_behind(runs: Sr8000Runs) -> Figures:
    """sr-c7-trend: compare collective reads with views for growing numbers of processes."""
    figures = _reads_together(runs)
    for count in PROCESSES:
        late = runs.ratio("read", "col", "fv", count, SKEW)
        figures[f"within_1s_col_fv_{count}"] = late
    return figures


def strong_for_writes(runs: Sr8000Runs) -> Figures:
    """sr-c8: compare collective calls with views, and views with the disks' streaming rate."""
    figures = {f"{one}_col_fv": runs.ratio(one, "col", "fv") for one in OPERATIONS}
    figures["read_streaming_fv"] = runs.streaming / runs.rate("read", "fv", MOST)
    return figures


def sieving_and_gaps(runs: Sr8000Runs) -> Figures:
    """sr-c9: compare data sieving with other methods at small and at large gaps."""
    figures: Figures = {}
    for gap in (16, 4096):
        sieved = runs.sieved(gap, "sieving")
        for method in ("seek", "stride"):
            other = runs.sieved(gap, method)
            figures[f"sieving_{NAMES[method]}_gap_{gap}KiB"] = other.elapsed_ns / sieved.elapsed_ns
        moved = sieved.total("disk_read_bytes")
        figures[f"useful_share_gap_{gap}KiB"] = sieved.bytes / moved
    return figures


def extra_costs(runs: Sr8000Runs) -> Figures:
    """sr-c10: compare the methods of a collective call with the disk-directed one."""
    figures: Figures = {}
    for operation in OPERATIONS:
        disk = runs.case(operation, "col", MOST)
        for method in ("server-directed", "two-phase"):
            other = runs.case(operation, "col", MOST, (METHOD, method))
            name = f"{operation}_{method}"
            figures[f"{name}_time"] = other.elapsed_ns / disk.elapsed_ns
            figures[f"{name}_bytes_sent"] = other.sent / disk.sent
            figures[f"{name}_memory"] = other.memory / disk.memory
            figures[f"{name}_system_calls"] = other.calls / disk.calls
    return figures


def own_disks(runs: Sr8000Runs) -> Figures:
    """sr-c11: compare stripes, numbers of sub-files, and a file of two regions."""
    own, usual, one = (
        runs.striped("read-ut", stripe).elapsed_ns for stripe in ("16 KiB", "64 KiB", "128 KiB")
    )
    figures = {"read_ut_own_disks": usual / own, "read_ut_one_disk_at_a_time": usual / one}
    for count in (1, 4):
        fewer = runs.run("read-fv", (LAYOUT, f"[{{stripe: 64 KiB, over: {count}}}]")).rate
        figures[f"read_fv_subfiles_{count}"] = fewer / runs.striped("read-fv", "64 KiB").rate
    both = runs.run("regions").elapsed_ns
    figures["read_ut_two_regions"] = both / ((own + usual) / 2)
    return figures


def strides_are_short(runs: Sr8000Runs) -> Figures:
    """sr-c12: compare stride I/O with list I/O."""
    return {
        f"{operation}_stride_list": runs.rate(operation, "fv", MOST)
        / runs.rate(operation, "fv", MOST, (METHOD, "list"))
        for operation in OPERATIONS
    }


def offsets_save_seeks(runs: Sr8000Runs) -> Figures:
    """sr-c13: compare calls with explicit offsets with a seek before each call."""
    figures: Figures = {}
    for operation in OPERATIONS:
        seek = runs.case(operation, "ut", MOST)
        named = runs.case(operation, "ut", MOST, (METHOD, "offset"))
        figures[f"{operation}_calls_offset_seek"] = named.calls / seek.calls
        figures[f"{operation}_offset_seek"] = named.rate / seek.rate
    return figures


def calls_overlap(runs: Sr8000Runs) -> Figures:
    """sr-c14: compare non-blocking calls with blocking ones."""
    beside, waiting = runs.two_files(waits=False), runs.two_files(waits=True)
    only, in_turn = (runs.two_files(waits=one, computed_s=0) for one in (False, True))
    return {
        "nonblocking_computing": beside / (COMPUTED * 1e9),
        "waiting_nonblocking": waiting / beside,
        "files_in_turn_at_once": in_turn / only,
    }


CLAIMS: dict[str, Callable[[Sr8000Runs], Figures]] = {
    "sr-c1": views_win,
    "sr-c2": calls_cost,
    "sr-c3": reads_grow,
    "sr-c3-write": writes_grow,
    "sr-c4": blocks_shared,
    "sr-c5": neighbours_come,
    "sr-c6": lock_serialises,
    "sr-c7": reads_in_parallel,
    "sr-c7-trend": reads_fall_behind,
    "sr-c8": strong_for_writes,
    "sr-c9": sieving_and_gaps,
    "sr-c10": extra_costs,
    "sr-c11": own_disks,
    "sr-c12": strides_are_short,
    "sr-c13": offsets_save_seeks,
    "sr-c14": calls_overlap,
}
