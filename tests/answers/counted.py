"""Records of Darshan's counters, made of few numbers."""

from __future__ import annotations

from typing import Any

from simulator.answers.advise import Finding
from simulator.answers.patterns.of_counters.every import counted_findings

FILE = "/scratch/run/out.dat"


def shared(
    *,
    slowest: tuple[int, float, int] = (3, 50.0, 0),
    fastest: tuple[int, float, int] = (1, 45.0, 0),
    variance: tuple[float, float] = (0.0, 0.0),
    file: str = FILE,
    module: str = "POSIX",
    **counters: float,
) -> dict[str, Any]:
    """Return the record of a file that all ranks opened."""
    times = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
    seconds = {"-1": sum(counters.get(name, 0.0) for name in times)}
    ends = {"fastest": list(fastest), "slowest": list(slowest), "variance": list(variance)}
    return {
        "module": module,
        "file": file,
        "counters": counters,
        "ranks": 1,
        "negative": [],
        "seconds": seconds,
        **ends,
    }


def own(rank: int, *, file: str = FILE, seconds: float = 0.0, **counters: float) -> dict[str, Any]:
    """Return the record of a file that one rank alone used."""
    moved = int(counters.get("BYTES_READ", 0) + counters.get("BYTES_WRITTEN", 0))
    one = [rank, seconds, moved]
    moving = {way: int(counters.get(f"BYTES_{way}", 0) > 0) for way in ("READ", "WRITTEN")}
    return {
        "module": "POSIX",
        "file": file,
        "counters": counters,
        "ranks": 1,
        "negative": [],
        "seconds": {str(rank): seconds},
        "fastest": one,
        "slowest": one,
        "heaviest": one,
        "moving": moving,
    }


def log(*files: dict[str, Any], nprocs: int = 8, seconds: float = 100.0, **more: Any) -> Any:
    """Return what is read of a log with these files."""
    ranks: dict[str, list[float]] = {}
    for one in files:
        if "heaviest" in one:
            rank, time, _ = one["heaviest"]
            counts = one["counters"]
            sums = ranks.setdefault(str(rank), [0, 0, 0.0, 0.0])
            sums[0] += counts.get("BYTES_READ", 0)
            sums[1] += counts.get("BYTES_WRITTEN", 0)
            sums[2] += time
            sums[3] += counts.get("F_META_TIME", 0.0)
    job = {"nprocs": nprocs, "run_time": seconds, "exe": "job"}
    return {"job": job, "files": list(files), "ranks": ranks, "partial": [], **more}


def patterns(found: Any) -> dict[str, Finding]:
    """Return the findings of a log by their names."""
    return {one.finding.pattern: one.finding for one in counted_findings(found)}


def how(finding: Finding) -> str:
    """Return the cure of a finding."""
    return finding.cures[0].how
