"""The claims of the SS-ken report, decided by simulated runs and by runs in which they must fail.

Every function takes the runs and returns whether the claim holds and the figures that decide it.
The rules stand in the study's file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from simulator.study.ssken_runs import JobRun, Settings, SskenRuns

Figures: TypeAlias = dict[str, float]
Verdict: TypeAlias = tuple[bool, Figures]

LINK = 117.7e6
"""What TCP leaves of 1 Gbit/s, in bytes per second."""


def near(value: float, printed: float, share: float = 0.1) -> bool:
    """Whether a value is a printed one within a share of it.

    >>> near(1447.0, 1587.3), near(726.0, 1587.3)
    (True, False)
    """
    return abs(value - printed) <= share * printed


def _set(**values: str) -> Settings:
    """Return settings of parts of a machine: ``_set(fefs__rate="2 GB/s")``."""
    return tuple((f"machine.{key.replace('__', '.')}", value) for key, value in values.items())


def _either_length(runs: SskenRuns, long: str, short: str, printed: float) -> Verdict:
    times = {"s_with_64_blocks": runs.run(long).elapsed_s}
    times["s_with_32_blocks"] = runs.run(short).elapsed_s
    return near(times["s_with_64_blocks"], printed), times


def ior_c1(runs: SskenRuns) -> Verdict:
    """Decide which command ran on ext4."""
    holds, times = _either_length(runs, "ior-ext4", "ior-ext4-32", 1587.30)
    return holds and not near(times["s_with_32_blocks"], 1587.30), times


def ior_c2(runs: SskenRuns) -> Verdict:
    """Decide which command ran on NFS."""
    holds, times = _either_length(runs, "ior-nfs-64", "ior-nfs", 1204.94)
    return near(times["s_with_32_blocks"], 1204.94) and not holds, times


def ior_c3(runs: SskenRuns) -> Verdict:
    """Compare the rate of the first writes with the link's."""
    little = _set(stores__pages__dirty="1 %", stores__pages__high="0.5 %")
    figures = {"MBps_link": LINK / 1e6}
    for name, settings in (("", Settings()), ("_with_1_percent_dirty", little)):
        run = runs.run("ior-nfs-2-begin", settings)
        figures[f"MBps_first_8_GB{name}"] = run.of(["write"]).bytes / run.elapsed_s / 1e6
    held = figures["MBps_first_8_GB_with_1_percent_dirty"] < 1.5 * LINK / 1e6
    return held and figures["MBps_first_8_GB"] > 2 * LINK / 1e6, figures


def ior_c4(runs: SskenRuns) -> Verdict:
    """Compute user time over elapsed time."""
    jobs = ("ior-ext4", "ior-nfs", "ior-computing")
    shares = {f"share_{job}": _share(runs.run(job)) for job in jobs}
    io = all(shares[f"share_{job}"] < 0.1 for job in jobs[:2])
    return io and shares["share_ior-computing"] >= 0.1, shares


def _share(run: JobRun) -> float:
    return run.computing_s / run.elapsed_s


def jss_c1(runs: SskenRuns) -> Verdict:
    """Compare the rate of writes with and without the client's cache."""
    figures = {}
    for node in range(1, 5):
        wrote = runs.run(f"fluid-{node}").of(["write"], ["result"])
        figures[f"GBps_node_{node}"] = wrote.bytes / wrote.seconds / 1e9
    through = runs.run("fluid-1", on="through").of(["write"], ["result"])
    figures["GBps_without_cache"] = through.bytes / through.seconds / 1e9
    cached = [value for name, value in figures.items() if "node" in name]
    return min(cached) > 22 and figures["GBps_without_cache"] < 2, figures


def jss_c2(runs: SskenRuns) -> Verdict:
    """Compare re-reading with a copy of the file in memory."""
    slow = _set(parts__memory__rate="{read: 1 GB/s, write: 1 GB/s}")
    now = runs.run("data").of(["read"]).seconds
    figures = {"s_now": now, "s_in_memory": runs.run("data-in-memory").of(["read"]).seconds}
    figures["s_in_slow_memory"] = runs.run("data-in-memory", slow).of(["read"]).seconds
    return figures["s_in_memory"] < now / 2 < figures["s_in_slow_memory"], figures


def jss_c3(runs: SskenRuns) -> Verdict:
    """Compute what 50 nodes write, on all RAID units and on four."""
    few = _set(parts__raid__servers="4")
    figures = {}
    for name, settings in (("", Settings()), ("_with_4_units", few)):
        run = runs.run("jss-50", settings)
        figures[f"GBps{name}"] = run.of(["write"]).bytes / run.elapsed_s / 1e9
    return figures["GBps"] >= 1 > figures["GBps_with_4_units"], figures


def kyoto_c1(runs: SskenRuns) -> Verdict:
    """Compare the writes before and after they were gathered."""
    figures = {}
    for month in ("04", "09"):
        run = runs.run(f"kyoto-2014-{month}")
        figures[f"s_all_writes_{month}"] = run.of(["write"]).seconds
        figures[f"s_tmpalldat_{month}"] = run.of(["write"], ["w-tmpalldat"]).seconds
    return figures["s_all_writes_09"] >= figures["s_all_writes_04"], figures


def kyoto_c2(runs: SskenRuns) -> Verdict:
    """Compare opens with other kinds of calls."""
    run = runs.run("kyoto-2013")
    opens = run.of(["open", "close"]).seconds
    figures = {"s_open_and_close": opens}
    for call in ("read", "write", "stat", "unlink"):
        figures[f"s_{call}"] = run.of([call]).seconds
    return opens == max(figures.values()), figures


NOCTO = _set(filesystems__nfs__close="free")
"""The mount option, which leaves the flush at a close out."""
NFS_KEPT = ["read", "write", "open", "lookup", "close", "seek", "stat"]
"""Calls of SWarp that its tables time."""


def naoj_c1(runs: SskenRuns) -> Verdict:
    """Compute shares of SWarp's time in calls, with and without close-to-open."""
    figures = {}
    for name, settings in (("", Settings()), ("_nocto", NOCTO)):
        run = runs.run("swarp", settings)
        whole = run.of(NFS_KEPT).seconds
        figures[f"close{name}"] = run.of(["close"]).seconds / whole
        figures[f"write{name}"] = run.of(["write"]).seconds / whole
    shares = near(figures["close"], 0.832) and figures["write"] <= 0.1
    return shares and figures["close_nocto"] < 0.5, figures


def naoj_c2(runs: SskenRuns) -> Verdict:
    """Compare what 1 and 8 processes get."""
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
    cached = figures["read_8_over_1"] >= 7 and figures["read_without_cache_8_over_1"] <= 2
    return cached and figures["write_8_over_1"] <= 1.1, figures


def naoj_c4(runs: SskenRuns) -> Verdict:
    """Compare the lstats of ls with and without attributes in the client."""
    forget = _set(filesystems__nfs__attributes__max="0 s", filesystems__nfs__attributes__min="0 s")
    figures = {"s_lstat": runs.run("ls-fast").of(["stat"], ["lstat"]).seconds}
    forgot = runs.run("ls-fast", forget).of(["stat"], ["lstat"])
    figures["s_lstat_without_attributes"] = forgot.seconds
    known = near(figures["s_lstat"], 0.795326)
    return known and forgot.seconds >= 1.5 * figures["s_lstat"], figures


def naoj_c3(runs: SskenRuns) -> Verdict:
    """Compare the slowest access of one process with that beside 63 others."""
    figures = {
        f"ms_longest_of_{count}": 1e3 * runs.run(f"lookup-{count}").of(["read"]).longest_s
        for count in (1, 64)
    }
    return figures["ms_longest_of_1"] <= 20 and figures["ms_longest_of_64"] >= 500, figures


def superk_c1(runs: SskenRuns) -> Verdict:
    """Count what calls and FEFS move, with and without a cache."""
    file = 500e6
    run = runs.run("superk-before")
    figures = {"calls_over_file": run.of(["read"]).bytes / file}
    figures["fefs_over_file"] = run.moved["fefs"] / file
    bare = runs.run("superk-before", on="uncached")
    figures["fefs_over_file_without_cache"] = bare.moved["fefs"] / file
    cached = near(figures["calls_over_file"], 52) and figures["fefs_over_file"] <= 1.2
    return cached and figures["fefs_over_file_without_cache"] > 40, figures


def superk_c2(runs: SskenRuns) -> Verdict:
    """Compare the job before and after the change."""
    before, after = runs.run("superk-before"), runs.run("superk-after")
    figures = {
        "lseeks": after.of(["seek"]).calls / before.of(["seek"]).calls,
        "bytes": after.of(["read"]).bytes / before.of(["read"]).bytes,
        "time_of_reads": after.of(["read"]).seconds / before.of(["read"]).seconds,
    }
    printed = {"lseeks": 2 / 3, "bytes": 0.5, "time_of_reads": 25.7 / 48.0}
    return all(near(figures[name], value) for name, value in printed.items()), figures


def superk_c3(runs: SskenRuns) -> Verdict:
    """Change FEFS and the cost of calls, one at a time."""
    base = runs.run("superk-before").elapsed_s
    changes = {
        "fefs_ten_times_as_fast": _set(parts__fefs__rate="2 GB/s"),
        "calls_at_half_the_cost": _set(parts__cpu__call_overhead="4.852 us"),
        "fefs_at_a_tenth": _set(parts__fefs__rate="20 MB/s"),
    }
    figures = {
        name: runs.run("superk-before", settings).elapsed_s / base
        for name, settings in changes.items()
    }
    fast, cheap, slow = figures.values()
    return fast >= 0.9 and cheap <= 0.8 and slow > 1.2, figures


def riken_c1(runs: SskenRuns) -> Verdict:
    """Compute what direct calls of 1 MB move."""
    three = _set(parts__ssd__count="3")
    figures = {}
    for job in ("riken-read", "riken-write"):
        for name, settings in (("", Settings()), ("-with-3", three)):
            run = runs.run(job, settings)
            figures[f"GBps_{job}{name}"] = run.of(["read", "write"]).bytes / run.elapsed_s / 1e9
    four = [value for name, value in figures.items() if not name.endswith("3")]
    rest = [value for name, value in figures.items() if name.endswith("3")]
    return 1 <= min(four) <= max(four) <= 1.2 and max(rest) < 1, figures


RULES: dict[str, Callable[[SskenRuns], Verdict]] = {
    "ior-c1": ior_c1,
    "ior-c2": ior_c2,
    "ior-c3": ior_c3,
    "ior-c4": ior_c4,
    "jss-c1": jss_c1,
    "jss-c2": jss_c2,
    "jss-c3": jss_c3,
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
