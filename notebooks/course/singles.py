"""The end of lesson 6: single calls that took seconds and minutes, beside the longest of many.

Services are drawn: exponentially distributed, with the means that the study's machines have.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.config.lowering.replayed import Placing, replayed_plan
from simulator.experiments.filebench.model import calls
from simulator.experiments.filebench.steps import Thread, threads
from simulator.experiments.filebench.steps import script as of_script
from simulator.experiments.ssken.jobs import CODES, job_of, traced
from simulator.run import run_plan

from .exercises import Said
from .ssken import number, printed, runs

CYCLES = 100
"""That each thread of the Filebench script is drawn for."""
DRAWN = "{distribution: exponential}"


@dataclass(frozen=True)
class Run:
    """Calls of one machine, whose parts' services are drawn."""

    machine: str
    parts: tuple[str, ...]
    part: Mapping[str, Any]


@dataclass(frozen=True)
class Took:
    """Seconds that the calls of a kind took."""

    calls: int
    mean: float
    longest: float
    all: float


def _moves(do: str, file: str, count: int, size: int) -> dict[str, Any]:
    return {"do": do, "file": file, "count": count, "bytes": f"{count * size} B"}


def _local(*rows: Mapping[str, Any]) -> Run:
    return Run("naoj", (), {"filesystem": "local", "calls": rows})


OPENS = {"do": ["open", "write", "close"], "file": "config", "count": 50_000, "bytes": "2100 kB"}
RUNS = {
    "plot5": Run("naoj", ("line", "commit", "array"), {"filesystem": "nfs", "calls": [OPENS]}),
    "disk": Run(
        "naoj",
        ("line", "disk"),
        {
            "filesystem": "disk",
            "clients": 64,
            "files": {"inodes": "8 MB"},
            "calls": [_moves("read", "inodes", 1563, 4096)],
        },
    ),
    "local": _local(
        {"do": "stat", "file": "a", "count": 1000}, {"do": "seek", "file": "a", "count": 1000}
    ),
    "socket": _local(_moves("write", "socket", 3310, 145_000_000 // 3310)),
    "x11": _local(_moves("write", "socket", 1315, 351_000 // 1315)),
}
"""64 processes at a disk of NAOJ's server; one that opens, writes and closes a file there; calls
that stay in the client."""


@functools.cache
def drawn() -> list[Thread]:
    """Return the steps of the ten threads of the script that RIKEN's figure 4.5.1 prints."""
    return threads(of_script()["nthreads"], CYCLES)


def script() -> dict[str, float]:
    """Count what the drawn script has, beside what the printed one says."""
    found, said = drawn(), of_script()
    there = [length for one in found for length in one.before.values()]
    files = {file for one in found for file in (*one.before, *(step.file for step in one.steps))}
    folders = Counter(file // said["meandirwidth"] for file in files)
    steps = [step for one in found for step in one.steps]
    pieces = [size for step in steps for *_, size in calls(step, said["iosize"], many=False)]
    return {
        "files": 100 * len(there) / said["prealloc"],
        "percent there": 100 * len(there) / said["nfiles"],
        "mean file": sum(there) / len(there),
        "files of a folder": max(folders.values()),
        "threads": len(found),
        "longest call": max(pieces),
        "most appended": max(step.size for step in steps if step.do == "append"),
    }


def _steps() -> list[dict[str, Any]]:
    """Return the script's reads and writes as rows, each a call of its drawn length."""
    return [
        _moves("read" if step.do == "read" else "write", step.do, 1, step.size)
        for one in drawn()
        for step in one.steps
        if step.do in ("read", "write", "append")
    ]


@functools.cache
def took(name: str) -> Mapping[str, Took]:
    """Simulate a run; what its calls of each kind took."""
    if name == "filebench":
        part = {"filesystem": "direct", "clients": len(drawn()), "times": 4, "calls": _steps()}
        return _took(Run("riken", ("ssd",), {**part, "files": {"read": "1 GB"}}))
    return _took(RUNS[name])


def _took(run: Run) -> dict[str, Took]:
    job = job_of("drawn", {"ref": "", "machine": run.machine, "parts": [run.part]})
    settings = tuple((f"machine.parts.{one}.noise", DRAWN) for one in run.parts)
    machine = runs().machine_of(run.machine, settings)
    placing = Placing(run.part["filesystem"])
    result = run_plan(replayed_plan(machine, traced("drawn", job.parts[0]), placing), record=True)
    assert result.calls is not None
    names = {code: name for name, code in CODES.items()}
    times: dict[str, list[int]] = {}
    for kind, file, _, _, begin, end in zip(*result.calls.columns(), strict=True):
        if file >= 0:
            times.setdefault(names[kind], []).append(end - begin)
    return {
        name: Took(len(one), sum(one) / len(one) / 1e9, max(one) / 1e9, sum(one) / 1e9)
        for name, one in times.items()
    }


def table(*items: str) -> Said:
    """Show printed times beside the mean and the longest of simulated calls, in seconds."""
    lines = []
    for item in items:
        lines.append(f"{item:40} {'printed':>10} {'mean':>9} {'longest of':>19}  printed / longest")
        lines += [_line(row) for row in printed()["items"][item]]
    return Said("\n".join(lines))


def _line(row: Mapping[str, Any]) -> str:
    begin = f"  {row['what']:38} {row['printed']:>10}"
    if "simulated" not in row:
        return f"{begin} {'-':>9} {'-':>19}  {row['missing']}"
    run, kind = row["simulated"]
    found = took(run)["write" if kind == "all" else kind]
    mean, longest = f"{found.mean:.3g}", found.longest
    if kind == "all":
        mean, longest = "all:", found.all
    many = f"{longest:.4g} of {found.calls:,}"
    times = number(row) / longest
    ratio = f"{times:,.0f}" if times >= 100 else f"{times:.2g}"
    return f"{begin} {mean:>9} {many:>19}  {ratio:>10}"
