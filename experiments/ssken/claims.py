"""The claims of the SS-ken report: the figures of each claim, from simulated runs.

The conditions on these figures are in the study's file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from simulator.study.change import Settings

from .runs import JobRun, SskenRuns

Figures: TypeAlias = dict[str, float]

LINK = 117.7e6
"""Rate of TCP on 1 Gbit/s, in bytes per second."""


def _set(**values: str) -> Settings:
    """Return settings of resources of a machine: ``_set(fefs__rate="2 GB/s")``."""
    return tuple((f"machine.{key.replace('__', '.')}", value) for key, value in values.items())


def _off(runs: SskenRuns, job: str, printed: float) -> float:
    """Return the relative deviation of a job's time from a printed one."""
    return abs(runs.run(job).elapsed_s / printed - 1)


def ior_c1(runs: SskenRuns) -> Figures:
    """Decide which command ran on ext4."""
    return {
        "off_with_64_blocks": _off(runs, "ior-ext4", 1587.30),
        "off_with_32_blocks": _off(runs, "ior-ext4-32", 1587.30),
    }


def ior_c2(runs: SskenRuns) -> Figures:
    """Decide which command ran on NFS."""
    return {
        "off_with_64_blocks": _off(runs, "ior-nfs-64", 1204.94),
        "off_with_32_blocks": _off(runs, "ior-nfs", 1204.94),
    }


def ior_c3(runs: SskenRuns) -> Figures:
    """Compare the rate of the first writes with the link's."""
    little = _set(stores__pages__dirty="1 %", stores__pages__high="0.5 %")
    figures = {}
    for name, settings in (("", Settings()), ("_with_1_percent_dirty", little)):
        run = runs.run("ior-nfs-2-begin", settings)
        rate = run.of(["write"]).bytes / run.elapsed_s
        figures[f"first_8_GB_over_link{name}"] = rate / LINK
    return figures


def ior_c4(runs: SskenRuns) -> Figures:
    """Compute user time over elapsed time."""
    jobs = ("ior-ext4", "ior-nfs", "ior-computing")
    return {f"share_{job}": _share(runs.run(job)) for job in jobs}


def _share(run: JobRun) -> float:
    return run.computing_s / run.elapsed_s


def jss_c1(runs: SskenRuns) -> Figures:
    """Compare the rate of writes with and without the client's cache."""
    figures = {}
    for node in range(1, 5):
        wrote = runs.run(f"fluid-{node}").of(["write"], ["result"])
        figures[f"GBps_node_{node}"] = wrote.bytes / wrote.seconds / 1e9
    through = runs.run("fluid-1", on="through").of(["write"], ["result"])
    figures["GBps_without_cache"] = through.bytes / through.seconds / 1e9
    return figures


def jss_c2(runs: SskenRuns) -> Figures:
    """Compare re-reading with a copy of the file in memory."""
    slow = _set(parts__memory__rate="{read: 1 GB/s, write: 1 GB/s}")
    now = runs.run("data").of(["read"]).seconds
    return {
        "in_memory_over_now": runs.run("data-in-memory").of(["read"]).seconds / now,
        "in_slow_memory_over_now": runs.run("data-in-memory", slow).of(["read"]).seconds / now,
    }


def jss_c3(runs: SskenRuns) -> Figures:
    """Compute the write rate of 50 nodes, on all RAID units and on four."""
    few = _set(parts__raid__servers="4")
    figures = {}
    for name, settings in (("", Settings()), ("_with_4_units", few)):
        run = runs.run("jss-50", settings)
        figures[f"GBps{name}"] = run.of(["write"]).bytes / run.elapsed_s / 1e9
    return figures


def jss_c4(runs: SskenRuns) -> Figures:
    """Compare writes of 50 nodes to files of 1 MB and of 100 MB, by calls of 1 MB."""
    small, large = (runs.run(f"jss-50-{one}").elapsed_s for one in ("small", "large"))
    return {"small_over_large_files": large / small}


def kyoto_c1(runs: SskenRuns) -> Figures:
    """Compare the writes before and after they were gathered."""
    figures = {}
    for month in ("04", "09"):
        run = runs.run(f"kyoto-2014-{month}")
        figures[f"s_all_writes_{month}"] = run.of(["write"]).seconds
        figures[f"s_tmpalldat_{month}"] = run.of(["write"], ["w-tmpalldat"]).seconds
    return figures


def kyoto_c2(runs: SskenRuns) -> Figures:
    """Compare opens with other kinds of calls."""
    run = runs.run("kyoto-2013")
    figures = {"s_open_and_close": run.of(["open", "close"]).seconds}
    for call in ("read", "write", "stat", "unlink"):
        figures[f"s_call_{call}"] = run.of([call]).seconds
    return figures


NOCTO = _set(filesystems__nfs__close="free")
"""The mount option that omits the flush at a close."""
NFS_KEPT = ["read", "write", "open", "lookup", "close", "seek", "stat"]
"""Calls of SWarp that its tables time."""


def naoj_c1(runs: SskenRuns) -> Figures:
    """Compute shares of SWarp's time in calls, with and without close-to-open."""
    figures = {}
    for name, settings in (("", Settings()), ("_nocto", NOCTO)):
        run = runs.run("swarp", settings)
        whole = run.of(NFS_KEPT).seconds
        figures[f"close{name}"] = run.of(["close"]).seconds / whole
        figures[f"write{name}"] = run.of(["write"]).seconds / whole
    return figures


def naoj_c2(runs: SskenRuns) -> Figures:
    """Compare the rates of 1 and 8 processes."""
    figures = {}
    for name, job, on in (
        ("read", "health-read", ""),
        ("read_without_cache", "health-read", "uncached"),
        ("write", "health-write", ""),
    ):
        rates = []
        for count in (1, 8):
            run = runs.run(f"{job}-{count}", on=on)
            rates.append(run.of(["read", "write"]).bytes / run.elapsed_s)
        figures[f"{name}_8_over_1"] = rates[1] / rates[0]
    return figures


def naoj_c4(runs: SskenRuns) -> Figures:
    """Compare the lstats of ls with and without attributes in the client."""
    forget = _set(filesystems__nfs__attributes__max="0 s", filesystems__nfs__attributes__min="0 s")
    figures = {"s_lstat": runs.run("ls-fast").of(["stat"], ["lstat"]).seconds}
    forgot = runs.run("ls-fast", forget).of(["stat"], ["lstat"])
    figures["without_attributes_over_with"] = forgot.seconds / figures["s_lstat"]
    return figures


def naoj_c3(runs: SskenRuns) -> Figures:
    """Compare the slowest access of one process alone and beside 63 others."""
    return {
        f"ms_longest_of_{count}": 1e3 * runs.run(f"lookup-{count}").of(["read"]).longest_s
        for count in (1, 64)
    }


def superk_c1(runs: SskenRuns) -> Figures:
    """Count bytes moved by calls and by FEFS, with and without a cache."""
    file = 500e6
    run = runs.run("superk-before")
    figures = {"calls_over_file": run.of(["read"]).bytes / file}
    figures["fefs_over_file"] = run.moved["fefs"] / file
    bare = runs.run("superk-before", on="uncached")
    figures["fefs_over_file_without_cache"] = bare.moved["fefs"] / file
    return figures


def superk_c2(runs: SskenRuns) -> Figures:
    """Compare the job before and after the change."""
    before, after = runs.run("superk-before"), runs.run("superk-after")
    return {
        "lseeks": after.of(["seek"]).calls / before.of(["seek"]).calls,
        "bytes": after.of(["read"]).bytes / before.of(["read"]).bytes,
        "time_of_reads": after.of(["read"]).seconds / before.of(["read"]).seconds,
    }


def superk_c3(runs: SskenRuns) -> Figures:
    """Change FEFS and the cost of calls, one at a time."""
    base = runs.run("superk-before").elapsed_s
    changes = {
        "fefs_ten_times_as_fast": _set(parts__fefs__rate="2 GB/s"),
        "calls_at_half_the_cost": _set(parts__cpu__call_overhead="4.852 us"),
        "fefs_at_a_tenth": _set(parts__fefs__rate="20 MB/s"),
    }
    return {
        name: runs.run("superk-before", settings).elapsed_s / base
        for name, settings in changes.items()
    }


def riken_c1(runs: SskenRuns) -> Figures:
    """Compute the rate of direct calls of 1 MB."""
    three = _set(parts__ssd__count="3")
    figures = {}
    for job in ("riken-read", "riken-write"):
        for name, settings in (("4_SSDs", Settings()), ("3_SSDs", three)):
            run = runs.run(job, settings)
            figures[f"GBps_{name}_{job}"] = run.of(["read", "write"]).bytes / run.elapsed_s / 1e9
    return figures


CLAIMS: dict[str, Callable[[SskenRuns], Figures]] = {
    "ior-c1": ior_c1,
    "ior-c2": ior_c2,
    "ior-c3": ior_c3,
    "ior-c4": ior_c4,
    "jss-c1": jss_c1,
    "jss-c2": jss_c2,
    "jss-c3": jss_c3,
    "jss-c4": jss_c4,
    "kyoto-c1": kyoto_c1,
    "kyoto-c2": kyoto_c2,
    "naoj-c1": naoj_c1,
    "naoj-c4": naoj_c4,
    "naoj-c2": naoj_c2,
    "naoj-c3": naoj_c3,
    "superk-c1": superk_c1,
    "superk-c2": superk_c2,
    "superk-c3": superk_c3,
    "riken-c1": riken_c1,
}
