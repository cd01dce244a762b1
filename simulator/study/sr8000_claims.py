"""The claims of the SR8000 paper: each decided from runs, with the figures that decide it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from simulator.plan.codes import ASK_READ, ASK_WRITE
from simulator.study.sr8000_runs import (
    COUNT,
    LAYOUT,
    METHOD,
    MOST,
    OPERATIONS,
    PROCESSES,
    IoRun,
    Sr8000Runs,
)

if TYPE_CHECKING:
    from simulator.plan.plan import Plan

Verdict: TypeAlias = tuple[bool, dict[str, float]]

NO_STRIDE = ("machine.runtime.mpi_io.stride_io", "false")
NO_LIST = ("machine.runtime.mpi_io.list_io", "false")
NO_LOCK = ("machine.runtime.mpi_io.file_lock", "false")
NO_PREFETCH = ("machine.buffer_caches.buffers.prefetch", "0")
SKEW = ("workload.jobs.0.skew", "1 s")
NAMES = {"seek": "unix", "stride": "stride"}
"""Method -> what the figures of sr-c9 call it."""
BLOCKS = 16384
"""64 KiB each, of 1 GiB."""


def views_win(runs: Sr8000Runs) -> Verdict:
    """sr-c1."""
    figures = {
        f"{operation}_fv_ut_{count}": runs.ratio(operation, "fv", "ut", count)
        for operation in OPERATIONS
        for count in PROCESSES
    }
    return min(figures.values()) >= 2, figures


def calls_cost(runs: Sr8000Runs) -> Verdict:
    """sr-c2."""
    figures = {}
    for operation in OPERATIONS:
        plain = runs.rate(operation, "fv", MOST, NO_STRIDE, NO_LIST)
        listed = runs.rate(operation, "fv", MOST, NO_STRIDE)
        figures[f"{operation}_fv_without_both_ut"] = plain / runs.rate(operation, "ut", MOST)
        figures[f"{operation}_list_stride"] = listed / runs.rate(operation, "fv", MOST)
    near = {"ut": 0.01, "de": 0.05}
    return all(abs(one - 1) <= near[name[-2:]] for name, one in figures.items()), figures


def reads_grow(runs: Sr8000Runs) -> Verdict:
    """sr-c3."""
    figures = {
        "read_fv_growth_2_8": runs.growth("read", "fv", 2),
        "read_fv_growth_4_8": runs.growth("read", "fv", 4),
        "read_ut_growth_2_8": runs.growth("read", "ut", 2),
        "read_fv_growth_2_8_without_prefetch": runs.growth("read", "fv", 2, NO_PREFETCH),
    }
    read, later, unix, plain = figures.values()
    return read > 4 and later > 2 and unix < 4 and plain < 4, figures


def blocks_touched(plan: Plan, process: int) -> int:
    """How many different blocks a process's own requests ask for."""
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


def blocks_shared(runs: Sr8000Runs) -> Verdict:
    """sr-c4."""
    figures: dict[str, float] = {}
    good = True
    for count in PROCESSES:
        plan = runs.plan("read-fv", (COUNT, str(count)))
        result = runs.case("read", "fv", count)
        touched = [blocks_touched(plan, thread) for thread in range(count)]
        looks = result.total("hits") + result.total("misses")
        figures[f"blocks_touched_{count}"] = float(touched[0])
        figures[f"blocks_from_disk_{count}"] = float(result.total("disk_reads"))
        figures[f"found_{count}"] = result.total("hits") / looks
        wanted = BLOCKS if count <= 4 else BLOCKS // 2
        good = good and set(touched) == {wanted} and result.total("disk_reads") == BLOCKS
    return good and figures["found_4"] == 0.75, figures


def neighbours_come(runs: Sr8000Runs) -> Verdict:
    """sr-c5."""
    figures: dict[str, float] = {}
    for count in PROCESSES:
        ahead = runs.case("read", "fv", count).total("read_ahead")
        figures[f"read_ahead_share_{count}"] = ahead / BLOCKS
    most = runs.case("read", "fv", MOST)
    figures["wanted_of_read_ahead_8"] = most.total("used_ahead") / max(1, most.total("read_ahead"))
    plain = runs.case("read", "fv", MOST, NO_PREFETCH)
    figures["time_without_prefetch_8"] = plain.elapsed_ns / most.elapsed_ns
    few = figures["read_ahead_share_2"] + figures["read_ahead_share_4"]
    good = figures["read_ahead_share_8"] >= 0.9 and figures["wanted_of_read_ahead_8"] == 1
    return good and few == 0 and figures["time_without_prefetch_8"] >= 1.3, figures


def lock_share(run: IoRun) -> float:
    """The share of the processes' time that they wait for the lock."""
    return run.spent_ns("locks") / sum(one.elapsed_ns for one in run.result.processes)


def lock_serialises(runs: Sr8000Runs) -> Verdict:
    """sr-c6."""
    figures = {
        f"write_{interface}_lock_share": lock_share(runs.case("write", interface, MOST))
        for interface in ("ut", "fv", "col")
    }
    free = runs.rate("write", "fv", MOST, NO_LOCK)
    figures["write_fv_growth_2_8"] = runs.growth("write", "fv", 2)
    figures["write_fv_without_lock_fv"] = free / runs.rate("write", "fv", MOST)
    figures["write_col_fv_without_lock"] = runs.rate("write", "col", MOST) / free
    figures["write_col_fv"] = runs.ratio("write", "col", "fv")
    good = figures["write_fv_lock_share"] > 0.4
    good = good and figures["write_ut_lock_share"] == figures["write_col_lock_share"] == 0
    good = good and figures["write_fv_growth_2_8"] <= 1.05
    good = good and figures["write_fv_without_lock_fv"] >= 2
    good = good and abs(figures["write_col_fv_without_lock"] - 1) <= 0.25
    return good and abs(figures["write_col_fv"] / 2.6 - 1) <= 0.1, figures


def reads_in_parallel(runs: Sr8000Runs) -> Verdict:
    """sr-c7."""
    figures = {
        f"read_col_fv_{count}": runs.ratio("read", "col", "fv", count) for count in PROCESSES
    }
    most = max(figures.values())
    late = {one: runs.case("read", one, MOST, SKEW) for one in ("fv", "col")}
    figures["read_col_fv_8_within_1s"] = late["fv"].elapsed_ns / late["col"].elapsed_ns
    for interface, result in late.items():
        wait = result.spent_ns("barriers") / MOST / 1e9
        figures[f"read_{interface}_barrier_s_within_1s"] = wait
    locks = sum(runs.case("read", one, MOST).spent_ns("locks") for one in ("fv", "col"))
    figures["read_lock_s"] = locks / 1e9
    good = most <= 1.02 and not locks and figures["read_fv_barrier_s_within_1s"] == 0
    good = good and figures["read_col_barrier_s_within_1s"] > 0
    return good and figures["read_col_fv_8_within_1s"] < figures["read_col_fv_8"], figures


def strong_for_writes(runs: Sr8000Runs) -> Verdict:
    """sr-c8."""
    figures = {f"{one}_col_fv": runs.ratio(one, "col", "fv") for one in OPERATIONS}
    read, write = figures["read_col_fv"], figures["write_col_fv"]
    return write >= 2 * read and read <= 1.02, figures


def sieving_and_gaps(runs: Sr8000Runs) -> Verdict:
    """sr-c9."""
    figures: dict[str, float] = {}
    for gap in (16, 4096):
        sieved = runs.sieved(gap, "sieving")
        for method in ("seek", "stride"):
            other = runs.sieved(gap, method)
            figures[f"sieving_{NAMES[method]}_gap_{gap}KiB"] = other.elapsed_ns / sieved.elapsed_ns
        moved = sieved.total("disk_read_bytes")
        figures[f"useful_share_gap_{gap}KiB"] = sieved.bytes / moved
    figures["break_even_unix_KiB"] = runs.break_even_KiB("seek")
    figures["break_even_stride_KiB"] = runs.break_even_KiB("stride")
    good = figures["sieving_unix_gap_16KiB"] >= 2 and figures["sieving_unix_gap_4096KiB"] <= 0.5
    return good and figures["sieving_stride_gap_4096KiB"] < 1, figures


def extra_costs(runs: Sr8000Runs) -> Verdict:
    """sr-c10."""
    figures: dict[str, float] = {}
    good = True
    for operation in OPERATIONS:
        disk = runs.case(operation, "col", MOST)
        for method in ("server-directed", "two-phase"):
            other = runs.case(operation, "col", MOST, (METHOD, method))
            name = f"{operation}_{method}"
            figures[f"{name}_time"] = other.elapsed_ns / disk.elapsed_ns
            figures[f"{name}_bytes_sent"] = other.sent / disk.sent
            memory = other.memory / disk.memory
            figures[f"{name}_memory"] = memory
            figures[f"{name}_system_calls"] = other.calls / disk.calls
            good = good and figures[f"{name}_time"] >= 1
        good = good and figures[f"{operation}_two-phase_bytes_sent"] >= 1.8
        good = good and figures[f"{operation}_two-phase_memory"] >= 8
        good = good and abs(figures[f"{operation}_server-directed_bytes_sent"] - 1) <= 0.01
    return good, figures


def own_disks(runs: Sr8000Runs) -> Verdict:
    """sr-c11."""
    own, usual, one = (
        runs.striped("read-ut", stripe).elapsed_ns for stripe in ("16 KiB", "64 KiB", "128 KiB")
    )
    figures = {"read_ut_own_disks": usual / own, "read_ut_one_disk_at_a_time": usual / one}
    for count in (1, 4):
        fewer = runs.run("read-fv", (LAYOUT, f"[{{stripe: 64 KiB, over: {count}}}]")).rate
        figures[f"read_fv_subfiles_{count}"] = fewer / runs.striped("read-fv", "64 KiB").rate
    both = runs.run("regions").elapsed_ns
    figures["read_ut_two_regions"] = both / ((own + usual) / 2)
    good = figures["read_ut_own_disks"] >= 3 and figures["read_ut_one_disk_at_a_time"] <= 1.01
    good = good and figures["read_fv_subfiles_4"] <= 0.6 and figures["read_fv_subfiles_1"] <= 0.2
    return good and abs(figures["read_ut_two_regions"] - 1) <= 0.05, figures


CLAIMS: dict[str, Callable[[Sr8000Runs], Verdict]] = {
    "sr-c1": views_win,
    "sr-c2": calls_cost,
    "sr-c3": reads_grow,
    "sr-c4": blocks_shared,
    "sr-c5": neighbours_come,
    "sr-c6": lock_serialises,
    "sr-c7": reads_in_parallel,
    "sr-c8": strong_for_writes,
    "sr-c9": sieving_and_gaps,
    "sr-c10": extra_costs,
    "sr-c11": own_disks,
}
