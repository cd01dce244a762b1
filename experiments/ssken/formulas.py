"""Formulas for the SS-ken jobs: the costs of calls and bytes.

A call takes the site's cost of any call, that of its kind if it has one, and a time for each byte;
counts and bytes are the report's (``jobs.yaml``). Where processes share a link or a disk they get
``min(n r, C)``. IOR moves at the array's rates, or at the link's if that is slower.

Not modelled: caches of limited size, page caches, read-ahead, deferred work of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TypeAlias

from ..validation.null_model import Constant, NullModel
from .claims import LINK, NFS_KEPT
from .figures import UNITS, raw_study, source_of
from .jobs import MOVING, load_jobs

Costs: TypeAlias = Mapping[str, float]
"""Costs by name: microseconds for a call, MB/s of bytes."""
Figures: TypeAlias = Mapping[str, float]

CALLS = {
    "kyoto": ("kyoto call", 3.0),
    "naoj": ("naoj call", 10.0),
    "superk": ("superk call", 10.0),
    "superk-rhel5": ("superk call, first test", 5.0),
}
"""Site, or job, and the cost of any of its calls: name and start in microseconds."""
KINDS = {
    ("jss", "cached", "open"): ("jss open", 50.0),
    ("kyoto", "zfs", "open"): ("kyoto open", 20.0),
    ("kyoto", "zfs", "stat"): ("kyoto lstat", 15.0),
    ("kyoto", "small", "stat"): ("kyoto stat", 1.0),
    ("kyoto", "zfs", "unlink"): ("kyoto unlink", 4e4),
    ("naoj", "nfs", "open"): ("naoj request", 90.0),
    ("naoj", "nfs", "lookup"): ("naoj request", 90.0),
    ("naoj", "nfs", "stat"): ("naoj request", 90.0),
    ("naoj", "nfs", "close"): ("naoj close", 1500.0),
    ("superk", "data", "close"): ("superk close", 5.0),
}
"""Additional cost of a kind of call, by site, file system and kind."""
RATES = {
    ("jss", "cached", "read"): ("jss cached read", 6e3),
    ("jss", "cached", "write"): ("jss cached write", 25e3),
    ("jss", "direct", "read"): ("jss direct read", 1.5e3),
    ("jss", "direct", "write"): ("jss direct write", 500.0),
    ("kyoto", "zfs", "read"): ("kyoto read", 30.0),
    ("kyoto", "zfs", "write"): ("kyoto write", 50.0),
    ("kyoto", "large", "read"): ("kyoto read, large calls", 40.0),
    ("kyoto", "large", "write"): ("kyoto write, large calls", 20.0),
    ("naoj", "nfs", "read"): ("naoj read", 3e3),
    ("naoj", "nfs", "write"): ("naoj write", 2e3),
    ("naoj", "nfs", "close"): ("naoj close", 100.0),
    ("superk", "data", "read"): ("superk read", 2e3),
    ("superk", "data", "write"): ("superk write", 800.0),
}
"""Rates of bytes; at a close, of those that were written."""
IOR = (("ior write", 140.0), ("ior read", 270.0), ("ior copy", 1500.0), ("ior user", 0.7))
"""MB/s of the array and of copying, and microseconds of user time for a call."""
CACHED_ATTRIBUTES = ("naoj", "nfs", "stat"), 0.5
"""Fraction of calls with cached attributes (report, 4.3.3)."""
IB, UNIT_WRITE = 2000.0, 200.0
"""MB/s of a node's link and of a RAID unit at JAXA (report, figure 4.1.3)."""
SATA = 300.0
"""MB/s of an SSD's interface."""
SEEK_MS, ROTATION_MS = 8.5, 8.33
"""Seek and rotation of a disk at NAOJ (data sheet)."""


def _rate_name(name: str) -> str:
    return f"{name}, MB/s"


def _call_name(name: str) -> str:
    return f"{name}, us"


def constants() -> tuple[Constant, ...]:
    """Return the fitted costs."""
    calls = dict([*CALLS.values(), *KINDS.values(), IOR[3]])
    rates = dict([*RATES.values(), *IOR[:3]])
    return (
        *(Constant(_call_name(name), start) for name, start in calls.items()),
        *(Constant(_rate_name(name), start) for name, start in rates.items()),
    )


@cache
def _counted(job: str) -> tuple[tuple[str, str, str, float, float], ...]:
    """Return (file system, kind, file, calls, bytes) of a job, as counted by the report."""
    rows = []
    for part in load_jobs()[job].parts:
        for row in part.rows:
            moves = row.moves * row.scale
            whole = moves * row.size
            for step in row.steps:
                calls = moves if step in MOVING else float(row.count)
                moved = whole if step in MOVING or (step == "close" and len(row.steps) > 1) else 0.0
                rows.append((part.filesystem, step, row.file, calls, moved))
    return tuple(rows)


def seconds(
    costs: Costs, job: str, calls: Sequence[str], files: Sequence[str] = (), free: str = ""
) -> float:
    """Return the time of some calls of a job, on some files or on all.

    ``free``: a kind of call with its site's cost of any call only.
    """
    site = load_jobs()[job].machine
    any_call, _ = CALLS.get(job, CALLS.get(site, ("", 0.0)))
    total = 0.0
    for filesystem, step, file, count, moved in _counted(job):
        if step not in calls or (files and file not in files):
            continue
        key = (site, filesystem, step)
        total += count * costs.get(_call_name(any_call), 0.0) / 1e6
        if step == free:
            continue
        if key in KINDS:
            share = CACHED_ATTRIBUTES[1] if key == CACHED_ATTRIBUTES[0] else 1.0
            total += count * share * costs[_call_name(KINDS[key][0])] / 1e6
        if key in RATES:
            total += moved / costs[_rate_name(RATES[key][0])] / 1e6
    return total


def _bytes(job: str, *kinds: str, files: Sequence[str] = ()) -> float:
    rows = (one for one in _counted(job) if one[1] in kinds and (not files or one[2] in files))
    return sum(moved for *_, moved in rows)


def _calls(job: str, *kinds: str) -> float:
    return sum(one[3] for one in _counted(job) if one[1] in kinds)


# -- IOR ----------------------------------------------------------------------------------------


def ior_MBps(costs: Costs, job: str, kind: str) -> float:
    """Return the rate of a job of IOR: the array's, or the link's share if that is less."""
    array = costs[_rate_name(f"ior {kind}")]
    parts = load_jobs()[job].parts
    if parts[0].filesystem == "ext4":
        return array
    return min(array, LINK / 1e6) / parts[0].clients


def ior_user_s(costs: Costs, job: str) -> float:
    """Return the user time of a job of IOR: of its calls, or of computing before each."""
    calls = _calls(job, *MOVING)
    gap_ns = load_jobs()[job].parts[0].rows[0].gap_ns
    computed = calls * gap_ns / 1e9 if gap_ns > 1e6 else 0.0
    return computed + calls * costs[_call_name("ior user")] / 1e6


def ior_s(costs: Costs, job: str) -> float:
    """Return the elapsed time of a job of IOR."""
    moving = sum(_bytes(job, kind) / 1e6 / ior_MBps(costs, job, kind) for kind in MOVING)
    return moving + ior_user_s(costs, job)


def _of_ior(costs: Costs, job: str, what: str, kind: str) -> float:
    if what == "elapsed":
        return ior_s(costs, job)
    if what == "computing":
        return ior_user_s(costs, job)
    if what == "system":
        return _bytes(job, *MOVING) / 1e6 / costs[_rate_name("ior copy")]
    return ior_MBps(costs, job, kind)


# -- figures ------------------------------------------------------------------------------------


def figures() -> dict[str, Callable[[Costs], float]]:
    """Return the formula of each printed number that does not hold by construction."""
    made: dict[str, Callable[[Costs], float]] = {}
    for raw in raw_study()["figures"]:
        if raw["role"] == "by construction":
            continue
        asked, unit = source_of(raw), UNITS[raw["unit"]]
        if asked.job.startswith("ior-"):
            kind = next((one for one in MOVING if one in asked.calls), "")
            scale = unit / 1e6 if raw["unit"].endswith("/s") else unit
            made[raw["id"]] = partial(_scaled, _of_ior, scale, asked.job, asked.what, kind)
        elif asked.what == "longest":
            made[raw["id"]] = lambda _costs: access_ms()
        else:
            made[raw["id"]] = partial(_scaled, seconds, unit, asked.job, asked.calls, asked.files)
    return made


def _scaled(of: Callable[..., float], unit: float, *given: object) -> float:
    """Return a formula's number in its unit; the costs come last of the arguments given."""
    *about, costs = given
    return of(costs, *about) / unit


def access_ms() -> float:
    """Return the mean time of a random access of 4 KiB to a disk at NAOJ."""
    return SEEK_MS + ROTATION_MS / 2


# -- claims -------------------------------------------------------------------------------------


def _ior_c1(costs: Costs) -> Figures:
    jobs = {"64": "ior-ext4", "32": "ior-ext4-32"}
    return {f"off_with_{n}_blocks": _off(costs, job, 1587.30) for n, job in jobs.items()}


def _ior_c2(costs: Costs) -> Figures:
    jobs = {"64": "ior-nfs-64", "32": "ior-nfs"}
    return {f"off_with_{n}_blocks": _off(costs, job, 1204.94) for n, job in jobs.items()}


def _off(costs: Costs, job: str, printed: float) -> float:
    return abs(ior_s(costs, job) / printed - 1)


def _ior_c4(costs: Costs) -> Figures:
    jobs = ("ior-ext4", "ior-nfs", "ior-computing")
    return {f"share_{job}": ior_user_s(costs, job) / ior_s(costs, job) for job in jobs}


def _jss_c1(costs: Costs) -> Figures:
    """Without a cache a write takes its copy, the link and a RAID unit."""
    made = {}
    for node in range(1, 5):
        job, of = f"fluid-{node}", ["result"]
        taken = seconds(costs, job, ["write"], of)
        made[f"GBps_node_{node}"] = _bytes(job, "write", files=of) / taken / 1e9
    steps = 1 / costs[_rate_name("jss cached write")] + 1 / IB + 1 / UNIT_WRITE
    return made | {"GBps_without_cache": 1 / steps / 1e3}


def _jss_c2(costs: Costs) -> Figures:
    now = seconds(costs, "data", ["read"])
    once = _bytes("data-in-memory", "read", files=["whole"])
    first = 70.0 / costs[_rate_name("jss direct read")]
    again = once / 1e6 - 70.0
    return {
        "in_memory_over_now": (first + again / costs[_rate_name("jss cached read")]) / now,
        "in_slow_memory_over_now": (first + again / 1000) / now,
    }


def _jss_c3(_costs: Costs) -> Figures:
    """50 nodes share the RAID units: min(n r, C)."""
    units = {"": 90, "_with_4_units": 4}
    return {f"GBps{name}": min(50 * IB, n * UNIT_WRITE) / 1e3 for name, n in units.items()}


def _jss_c4(costs: Costs) -> Figures:
    """Each of 50 nodes has a RAID unit for itself: a file costs an additional open."""
    moving, an_open = 100 / UNIT_WRITE + 100 / IB, costs[_call_name("jss open")] / 1e6
    return {"small_over_large_files": (moving + an_open) / (moving + 100 * an_open)}


def _kyoto_c1(costs: Costs) -> Figures:
    months = ("04", "09")
    return {f"s_all_writes_{one}": seconds(costs, f"kyoto-2014-{one}", ["write"]) for one in months}


def _kyoto_c2(costs: Costs) -> Figures:
    kinds = ("read", "write", "stat", "unlink")
    made = {f"s_call_{one}": seconds(costs, "kyoto-2013", [one]) for one in kinds}
    return made | {"s_open_and_close": seconds(costs, "kyoto-2013", ["open", "close"])}


def _naoj_c1(costs: Costs) -> Figures:
    def share(call: str, free: str = "") -> float:
        whole = seconds(costs, "swarp", NFS_KEPT, free=free)
        return seconds(costs, "swarp", [call], free=free) / whole

    return {
        "close": share("close"),
        "write": share("write"),
        "close_nocto": share("close", "close"),
    }


def _naoj_c4(costs: Costs) -> Figures:
    """Without attributes every lstat is a request to the server."""
    known = seconds(costs, "ls-fast", ["stat"], ["lstat"])
    asked = (
        CACHED_ATTRIBUTES[1]
        * _calls_on("ls-fast", "lstat")
        * costs[_call_name("naoj request")]
        / 1e6
    )
    return {"s_lstat": known, "without_attributes_over_with": (known + asked) / known}


def _calls_on(job: str, file: str) -> float:
    return sum(one[3] for one in _counted(job) if one[2] == file)


def _naoj_c2(costs: Costs) -> Figures:
    """Of n processes each copies for itself; link and array are shared: min(n r, C)."""
    link, array = LINK / 1e6, costs[_rate_name("naoj close")]
    copied, written = (costs[_rate_name(f"naoj {one}")] for one in MOVING)
    through = 1 / (1 / copied + 1 / link)
    onto = 1 / (1 / written + 1 / array)
    return {
        "read_8_over_1": 8.0,
        "read_without_cache_8_over_1": min(8 * through, link) / through,
        "write_8_over_1": min(8 * onto, array) / onto,
    }


def _naoj_c3(_costs: Costs) -> Figures:
    """Of n processes at one disk the last waits for all others."""
    return {f"ms_longest_of_{n}": n * access_ms() for n in (1, 64)}


def _superk_c1(_costs: Costs) -> Figures:
    moved = _bytes("superk-before", "read") / 500e6
    return {"calls_over_file": moved, "fefs_over_file_without_cache": moved}


def _superk_c2(costs: Costs) -> Figures:
    before, after = "superk-before", "superk-after"
    times = [seconds(costs, job, ["read"]) for job in (after, before)]
    return {
        "lseeks": _calls(after, "seek") / _calls(before, "seek"),
        "bytes": _bytes(after, "read") / _bytes(before, "read"),
        "time_of_reads": times[0] / times[1],
    }


def _superk_c3(costs: Costs) -> Figures:
    kinds = ("seek", "read", "write", "close")
    half = {**costs, _call_name("superk call"): costs[_call_name("superk call")] / 2}
    now, then = (seconds(one, "superk-before", kinds) for one in (costs, half))
    return {"calls_at_half_the_cost": then / now}


def _riken_c1(_costs: Costs) -> Figures:
    jobs = ("riken-read", "riken-write")
    return {f"GBps_{n}_SSDs_{job}": n * SATA / 1e3 for n in (3, 4) for job in jobs}


def model() -> NullModel[Costs]:
    """Return the formulas of the SS-ken study."""
    names = [one.name for one in constants()]
    return NullModel(
        study="ssken",
        about="for each site a time of a call, of some kinds of calls and of a byte read and "
        "written, with the report's counts; IOR moves at the array's rates or the link's. (Told "
        "what caches hold - the file that superk reads stays there, and 6.4 GB of the pages of ior "
        "may be dirty - they would bear out superk-c1, superk-c3 and ior-c3 too)",
        given="the rates of links, RAID units and SSDs, and a disk's data sheet",
        constants=constants(),
        kind=lambda *values: dict(zip(names, values, strict=True)),
        figures=figures(),
        claims={
            "ior-c1": _ior_c1,
            "ior-c2": _ior_c2,
            "ior-c4": _ior_c4,
            "jss-c1": _jss_c1,
            "jss-c2": _jss_c2,
            "jss-c3": _jss_c3,
            "jss-c4": _jss_c4,
            "kyoto-c1": _kyoto_c1,
            "kyoto-c2": _kyoto_c2,
            "naoj-c1": _naoj_c1,
            "naoj-c2": _naoj_c2,
            "naoj-c3": _naoj_c3,
            "naoj-c4": _naoj_c4,
            "superk-c1": _superk_c1,
            "superk-c2": _superk_c2,
            "superk-c3": _superk_c3,
            "riken-c1": _riken_c1,
        },
    )
