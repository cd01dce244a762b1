"""How often the interval of a log without DXT holds the time of the replay of its DXT.

Each log with DXT, and each of its files with calls enough, is a case. It is replayed by its DXT on
each machine; then DXT is thrown away, and samples of calls that have its counters are replayed.
Opens, stats and syncs are left out of both: DXT has none. Printed: the share of the cases whose
time by DXT is within the stated interval, how wide that is, and how far its middle is off.

    python -m benchmarks.counters LOG.. [--on MACHINE,..] [--samples N] [--files N] [--format F]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.table import print_figures
from simulator.config.formats import load_machine
from simulator.progress import progress_bar
from simulator.replay.family import SAMPLES, Family, moving_of
from simulator.replay.replay import ReplayOptions, replay
from simulator.traces.darshan_log import DarshanTrace
from simulator.traces.sampled.records import Job
from simulator.traces.sampled.rows import batches_of, rows_of
from simulator.traces.store import write

MACHINES = "lustre-scratch,beegfs-like,nfs-lab,workstation"
LEAST = 16
"""Calls that a file needs to be a case of its own."""


@dataclass
class Kept:
    """Rows of a trace that are kept as one of its own."""

    paths: list[Path]
    about: dict[str, Any]
    rows: list[pa.RecordBatch]
    unknown: dict[str, dict[str, int]] = field(default_factory=dict)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows."""
        yield from self.rows


@dataclass(frozen=True)
class Case:
    """A log, or one file of it, by its DXT and by its counters."""

    name: str
    file: str | None
    trace: DarshanTrace
    rows: list[pa.RecordBatch]
    job: Job


def cases_of(path: Path, most: int) -> Iterator[Case]:
    """Yield a log, and those of its files that have most calls, ``most`` of them."""
    trace = DarshanTrace(path)
    rows = list(trace.batches())
    counts: Counter[str] = Counter()
    for batch in rows:
        for one in batch.column("file").value_counts().to_pylist():
            counts[one["values"]] += one["counts"]
    counters = DarshanTrace(path, dxt=False, sample=0)
    for _ in counters.batches():
        pass
    assert counters.job is not None
    yield Case(path.stem, None, trace, rows, counters.job.moving())
    big = [file for file, many in counts.most_common(most) if many >= LEAST]
    for file in big if len(counts) > 1 else ():
        mine = [batch.filter(pc.equal(batch.column("file"), file)) for batch in rows]
        yield Case(f"{path.stem}: {Path(file).name}", file, trace, mine, counters.job.moving(file))


def by_counters(case: Case, seed: int) -> Kept:
    """Return a sample of the calls of a case, of reads and writes alone."""
    rows = rows_of(case.job, seed)
    about = {name: value for name, value in case.trace.about.items() if name != "darshan"}
    about["meetings"] = rows.barriers
    return Kept([], about, list(batches_of(rows, case.trace.about["begin_ns"])))


def times(case: Case, machine: Any, samples: int, folder: Path) -> tuple[int, Family]:
    """Return the time by DXT, in ns, and those by counters."""
    about = {name: value for name, value in case.trace.about.items() if name != "darshan"}
    found, moving = [], []
    for number in range(-1, samples):
        kept = Kept([], about, case.rows) if number < 0 else by_counters(case, number)
        store = folder / f"{number}.parquet"
        store.unlink(missing_ok=True)
        write(kept, store)
        ran = replay([store], machine, ReplayOptions(engine="native"), progress=False)
        found.append(ran.result.elapsed_ns)
        moving.append(moving_of(ran.result))
    return found[0], Family(0, tuple(found[1:]), statistics.median(moving[1:]))


def measure(logs: Sequence[Path], machines: Sequence[str], samples: int, most: int) -> list[Any]:
    """Return a record for each case and machine."""
    cases = [case for path in logs for case in cases_of(path, most)]
    found = []
    bar = progress_bar(len(cases) * len(machines), unit="replay")
    with tempfile.TemporaryDirectory() as folder, bar as on:
        for name in machines:
            machine = load_machine(name)
            for case in cases:
                real, family = times(case, machine, samples, Path(folder))
                low, high = family.interval
                drawn = family.elapsed_ns
                record = {"case": case.name, "on": name, "dxt_s": real / 1e9}
                record |= {"low_s": low / 1e9, "high_s": high / 1e9}
                record |= {"middle_s": statistics.median(drawn) / 1e9, "held": low <= real <= high}
                record |= {"moving": family.moving, "samples_s": [one / 1e9 for one in drawn]}
                found.append(record)
                on(1)
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--on", default=MACHINES)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--files", type=int, default=8, help="of a log, as cases of their own")
    parser.add_argument("--format", choices=["table", "json"], default="table")
    wanted = parser.parse_args(argv)
    found = measure(wanted.logs, wanted.on.split(","), wanted.samples, wanted.files)
    if wanted.format == "json":
        print(json.dumps(found, indent=2))
        return
    for one in found:
        row = (
            f"{one['dxt_s']:10.4g} {one['low_s']:10.4g} {one['middle_s']:10.4g}"
            f" {one['high_s']:10.4g} {'' if one['held'] else 'missed':7}"
        )
        print(row, one["on"], one["case"])
    width = statistics.median(one["high_s"] / one["low_s"] for one in found)
    off = [one["middle_s"] / one["dxt_s"] for one in found]
    print_figures(
        {
            "cases": len(found),
            "held": statistics.mean(one["held"] for one in found),
            "upper end over lower end, median": width,
            "middle over DXT, least": min(off),
            "middle over DXT, most": max(off),
        },
        "table",
    )


if __name__ == "__main__":
    main(sys.argv[1:])
