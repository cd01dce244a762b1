"""Lessons 2 and 6: what counters of the SS-ken report print beside what a simulated job counts."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.experiments.ssken.jobs import CODES, job_of, traced
from simulator.run import run_plan

from . import singles
from .chart import Chart, Point
from .exercises import Said
from .ssken import number, printed, runs

if TYPE_CHECKING:
    from simulator.result.result import Result

ONE_IN = 64
"""Of as many calls of IOR one is simulated, on files and caches that are as much smaller."""
CALL, REQUEST, HEADER = 2**18, 2**15, 130
"""Bytes of a call of IOR, of a request of NFS, and of what a request has beside its data."""
PAGES_GB = 32.0
"""The client's cache as the machine of the study has it."""
LOOKS = (31_074_297_546, 42_289_819_898)
"""Of figure 2.13: bytes written by one process at the first look, and read by the other later."""
WRITE, READ = CODES["write"], CODES["read"]

Counts = Mapping[str, float]


# -- IOR from its command ---------------------------------------------------------------------


@dataclass(frozen=True)
class Pass:
    """What a process wrote, or read, from the first of such calls to the last."""

    bytes: int
    ns: int


@dataclass(frozen=True)
class Ior:
    """A simulated run of IOR, and what its processes did in each pass."""

    result: Result
    passes: tuple[tuple[Pass, ...], ...]
    reads: int
    writes: int
    longest: int
    """Bytes of the longest file."""
    between_s: float
    """Between the looks of figure 2.13."""

    def moved(self, first: int, process: int = 0) -> int:
        """Return the bytes of each second pass of a process: of its writes from 0, reads from 1."""
        return ONE_IN * sum(one.bytes for one in self.passes[process][first::2])

    def rate(self, number: int, process: int) -> float:
        """Return the MiB/s of a process in one of its passes."""
        one = self.passes[process][number - 1]
        return one.bytes / 2**20 / (one.ns / 1e9)

    def requests(self, way: str) -> float:
        """Return the requests of NFS with data, of 32 KiB, that went out of the client, or in."""
        link = self.result.parts[f"client.nic.{way}"]
        return ONE_IN * (link.bytes - HEADER * link.requests) / REQUEST


@functools.cache
def ior(name: str, pages_GB: float = PAGES_GB, rule: str = "lru") -> Ior:
    """Simulate a command of the study's file, with a cache of this size and rule in the client."""
    raw = printed()["commands"][name]
    asked = {key: int(count) for key, count in re.findall(r"-([nbsi]) (\d+)", raw["command"])}
    count = asked["b"] * 2**30 * asked["s"] // CALL
    move = {"file": "test", "count": count, "bytes": f"{asked['b'] * asked['s']} GiB"}
    gap = {"gap_ns": 724.8}  # What a call computes, as in the study.
    calls = [
        {"do": "write", **move, **gap},
        {"do": ["sync", "close"], "file": "test", "count": 1},
        {"do": "read", **move, **gap},
    ]
    part = {"filesystem": raw["filesystem"], "clients": asked.get("n", 1), "times": asked["i"]}
    job = job_of(
        name, {**raw, "machine": "ior", "one_in": ONE_IN, "parts": [{**part, "calls": calls}]}
    )
    pages, server = (f"{1000 * size / ONE_IN} MB" for size in (pages_GB, 16))
    stores = {"pages.capacity": pages, "pages.policy": rule, "server-pages.capacity": server}
    settings = tuple((f"machine.stores.{key}", value) for key, value in stores.items())
    machine = runs().machine_of("ior", settings)
    plan = replayed_plan(machine, traced(name, job.parts[0]), Placing(raw["filesystem"]))
    return _ior(run_plan(plan, record=True))


def _ior(result: Result) -> Ior:
    log = result.calls
    assert log is not None
    rows = list(zip(*log.columns(), strict=True))
    ends = [*log.first[1 : len(result.processes)], len(rows)]
    own = [
        [one for one in rows[first:end] if one[1] >= 0]
        for first, end in zip(log.first, ends, strict=False)
    ]
    moves = [one for found in own for one in found if one[0] in (WRITE, READ)]
    return Ior(
        result,
        tuple(tuple(_passes(found)) for found in own),
        ONE_IN * sum(one[0] == READ for one in moves),
        ONE_IN * sum(one[0] == WRITE for one in moves),
        ONE_IN * max(one[2] + one[3] for one in moves),
        ONE_IN * (_until(own[-1], READ, LOOKS[1]) - _until(own[0], WRITE, LOOKS[0])) / 1e9,
    )


def _passes(rows: Sequence[Sequence[int]]) -> Iterator[Pass]:
    """Yield the passes of a process: reads, or writes with what follows them."""
    first, moved = 0, 0
    for place, (kind, _, _, size, _, end) in enumerate(rows):
        moved += size if kind in (WRITE, READ) else 0
        after = rows[place + 1][0] if place + 1 < len(rows) else None
        if after is None or (after == READ) != (kind == READ):
            yield Pass(moved, end - rows[first][4])
            first, moved = place + 1, 0


def _until(rows: Sequence[Sequence[int]], kind: int, size: int) -> int:
    """Return when so many bytes of the whole job were moved; when it ended, if there are less."""
    moved = 0
    for one in rows:
        moved += ONE_IN * one[3] if one[0] == kind else 0
        if moved >= size:
            return one[5]
    return rows[-1][5]


def _of_ior(made: Ior) -> dict[str, float]:
    count = len(made.passes)
    written, read = made.moved(0), made.moved(1)
    found = {
        "written": written,
        "read": read,
        "moved": written + read,
        "all written": sum(made.moved(0, one) for one in range(count)),
        "all read": sum(made.moved(1, one) for one in range(count)),
        "reads": made.reads,
        "writes": made.writes,
        "length": made.longest,
        "s between looks": made.between_s,
    }
    found |= {"all moved": found["all written"] + found["all read"]}
    found |= {"sectors": found["all written"] / 512}
    for turn in range(1, len(made.passes[0]) + 1):
        rates = [made.rate(turn, one) for one in range(count)]
        found |= {f"MiB/s {turn}": sum(rates)}
        found |= {f"MiB/s {turn} of {one}": rate for one, rate in enumerate(rates)}
    if "client.nic.in" in made.result.parts:
        found |= {"READ": made.requests("in"), "WRITE": made.requests("out")}
        found |= {"B of a WRITE": found["all written"] / found["WRITE"]}
    return found


# -- other counts -----------------------------------------------------------------------------


def _of_job(name: str) -> dict[str, float]:
    """Return the times, and the number of reads, of a job of the study."""
    run = runs().run(name)
    return {
        "user ticks": 100 * run.computing_s,
        "system ticks": 100 * run.system_s,
        "real ticks": 100 * run.elapsed_s,
        "user / real": run.computing_s / run.elapsed_s,
        "reads": run.of(["read"]).calls,
    }


RECORDS = {"cat-2013": 318_169, "nawk-2014": 199_064}
"""Files that the update of Kyoto's catalogue reads: by a cat for each, or by one program."""


def _of_kyoto(name: str) -> dict[str, float]:
    """Simulate the opens of an update, one in 1,000: a program that starts opens its libraries."""
    count = RECORDS[name]
    files = ["data", "libc", "libc_psr"] if name.startswith("cat") else ["data"]
    calls: list[dict[str, object]] = [{"do": "open", "file": one, "count": count} for one in files]
    if len(files) > 1:
        calls.append({"do": "lookup", "file": "config", "count": count})
    part = {"filesystem": "zfs", "calls": calls}
    job = job_of(name, {"ref": "", "machine": "kyoto", "one_in": 1000, "parts": [part]})
    asked = traced(name, job.parts[0])
    result = run_plan(replayed_plan(runs().machine_of("kyoto"), asked, Placing("zfs")), record=True)
    assert result.calls is not None
    _, numbers, *_ = result.calls.columns()
    scales = {file: scale for (_, file), scale in job.parts[0].scales().items()}
    made = [asked.files[one].name for one in numbers if one >= 0]
    return {file: made.count(file) * scale for file, scale in scales.items()}


@functools.cache
def measured(run: str) -> Counts:
    """Return the counts of a simulated run by what the study's file calls them."""
    if run in printed()["commands"]:
        return _of_ior(ior(run))
    if run in RECORDS:
        return _of_kyoto(run)
    return singles.script() if run == "filebench" else _of_job(run)


def _computed(rule: Mapping[str, Sequence[float | str]]) -> float:
    """Return the sum of printed numbers or values of machines, times some, over others."""
    total = sum(map(_value, rule.get("sum", (1,)))) * math.prod(map(_value, rule.get("times", ())))
    return total / math.prod(map(_value, rule.get("over", ())))


def _value(one: float | str) -> float:
    """Return a number, or a value of a site's machine: ``jss:nodes.node.count``."""
    if not isinstance(one, str):
        return one
    site, _, path = one.partition(":")
    found: Any = runs().machine_of(site)
    for name in path.split("."):
        if name.isdigit():
            found = found[int(name)]
        else:
            found = found[name] if isinstance(found, Mapping) else getattr(found, name)
    return float(found)


def expected(row: Mapping[str, Any]) -> float | None:
    """Return what a simulated run or the other numbers give for a printed one, if they do."""
    if "computed" in row:
        return _computed(row["computed"])
    if "simulated" not in row:
        return None
    run, count = row["simulated"]
    return measured(run)[count]


def table(*items: str) -> Said:
    """Show what items of the report print, what is expected, and how far the printed is off."""
    lines = []
    for item in items:
        lines.append(f"{item:46} {'printed':>18} {'expected':>18}  printed less that")
        lines += [_line(one) for one in printed()["items"][item]]
    return Said("\n".join(lines))


def _line(row: Mapping[str, Any]) -> str:
    begin = f"  {row['what']:44}"
    if "from" in row:
        begin = f"  {row['what']}: {_shown(row['printed'])} less {_shown(row['from'])}\n{'':46}"
    text = _shown(f"{number(row):.0f}" if "from" in row else row["printed"])
    found = expected(row)
    if found is None:
        return f"{begin} {text:>18} {'-':>18}  {row['missing']}"
    said = f"{found:,.0f}" if found >= 10_000 or found == int(found) else f"{found:.4g}"
    off = number(row) - found
    share = f"{100 * off / found:+.2f} %"
    least = f"{off:+,.0f}" if found >= 10_000 and abs(off) < 0.01 * found else share
    return f"{begin} {text:>18} {said:>18}  {least if off else 0}"


def _shown(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


# -- lesson 2: a cache of which only a count is known -----------------------------------------

SIZES_GB = (32, 40, 48, 52, 56, 60, 64, 66, 68, 70)
RULES = ("active-inactive", "two-queue", "arc")


def hidden() -> Chart:
    """Draw the requests for data that a cache leaves, over its size; and how many were counted."""
    curves = {
        rule: [(size, ior("two-nfs", size, rule).requests("in") / 1e6) for size in SIZES_GB]
        for rule in RULES
    }
    counted = number(printed()["items"]["fig. 2.15"][0]) / 1e6
    wherever = [(size, counted) for size in SIZES_GB]  # It is of one cache, whose size is unknown.
    title = "Two processes read 2 x 32 GiB twice: a cache hides nothing, some, or all of it"
    axes = ("the client's cache, GB", "million READs of 32 KiB")
    return Chart(title, *axes, curves, wherever, even=True)


def looks() -> Chart:
    """Draw the time between two looks at the counters over the requests that each cache leaves."""
    curves: dict[str, list[Point]] = {}
    for rule in RULES:
        made = [ior("two-nfs", size, rule) for size in SIZES_GB]
        curves[rule] = sorted({(one.requests("in") / 1e6, one.between_s) for one in made})
    items = printed()["items"]
    point = number(items["fig. 2.15"][0]) / 1e6, number(items["fig. 2.13"][-1])
    title = "Requests that a cache saves are time: with half of them, 1,133 s were printed"
    return Chart(title, "million READs of 32 KiB", "s", curves, [point], even=True)
