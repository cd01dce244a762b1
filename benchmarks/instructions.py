"""Instructions and cache misses per operation, counted by callgrind.

The jobs of benchmarks/engines.py (166 clients) and benchmarks/striped.py, each in two sizes: the
difference is the cost of additional operations, without a program's start. Of the native engine
only its loop is counted. The caches are those of no machine in particular (L1: 32 KiB in 8 ways,
last level: 1 MiB in 16), so that instructions do not depend on other work, and are equal on other
machines with the same compiler; misses of the first level vary by a third with the addresses of
arrays. ``--check`` counts instructions alone, in half of the time, and compares the engine's with
those of the program in C++ that the same compiler made: their ratio may be 5 % over the recorded
one.

    python -m benchmarks.instructions [--check | --record] [--format table|json]

Needs valgrind.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import engines, job, striped
from benchmarks.compiler import compiled
from benchmarks.table import print_figures
from simulator.plan.plan import Plan

RECORD = Path(__file__).with_name("data") / "instructions.json"
MARGIN = 1.05
CACHES = ("--cache-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64")
LOOP = "*run_advance*"
"""Name of the kernel's event loop in module.cpp."""
COUNTED = {"instructions": "Ir", "L1_read_misses": "D1mr", "last_level_misses": "DLmr"}
"""Figures, and callgrind's events; all but the first need the caches."""
NATIVE = """
import sys
from benchmarks.instructions import JOBS
from simulator.native.run import run_native
run_native(JOBS[sys.argv[1]][0](int(sys.argv[2])))
"""


def job_of(thousands: int) -> Plan:
    """Return the job of 166 clients with a number of thousand operations."""
    return job.make_plan(engines.CLIENTS, 1000 * thousands)


def striped_of(percent: int) -> Plan:
    """Return the striped machine's job, its files scaled in percent."""
    return striped.make_plan(percent / 100)


JOBS: dict[str, tuple[Callable[[int], Plan], Callable[[Plan], str], Path, tuple[int, int]]] = {
    "job": (job_of, job.as_numbers, engines.LIMIT, (20, 60)),
    "striped": (striped_of, striped.as_numbers, striped.LIMIT, (10, 30)),
}
"""By job: plan of a size, its numbers for the C++ program, the program, and the two sizes."""


def counts(
    command: Sequence[str], numbers: str = "", loop: str = "", caches: Sequence[str] = CACHES
) -> dict[str, int]:
    """Return callgrind's counts of a command, or of one of its functions."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        some = [f"--toggle-collect={loop}", "--collect-atstart=no"] if loop else []
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *caches, *some]
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        subprocess.run(
            [*words, *command],
            input=numbers,
            text=True,
            check=True,
            capture_output=True,
            env=environment,
        )
        text = out.read_text(encoding="utf-8")
    names, totals = (
        re.search(rf"^{key}: (.*)$", text, re.MULTILINE) for key in ("events", "totals")
    )
    assert names is not None
    if totals is None:
        sys.exit(f"no function {loop} ran: compile the native engine (make setup)")
    found = dict(zip(names[1].split(), map(int, totals[1].split()), strict=False))
    return {name: found[event] for name, event in COUNTED.items() if event in found}


def of_an_operation(name: str, scale: float, caches: Sequence[str]) -> dict[str, float]:
    """Return the counts per operation of a job: native, the C++ program, and their ratio."""
    make, as_numbers, source, whole = JOBS[name]
    sizes = [max(1, round(size * scale)) for size in whole]
    plans = [make(size) for size in sizes]
    more = job.operations_of(plans[1]) - job.operations_of(plans[0])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        program = str(compiled(source, Path(folder)))
        native = [[sys.executable, "-c", NATIVE, name, str(size)] for size in sizes]
        made = [pool.submit(counts, words, "", LOOP, caches) for words in native]
        made += [pool.submit(counts, [program], as_numbers(plan), "", caches) for plan in plans]
        small, large, least, most = (one.result() for one in made)
    figures: dict[str, float] = {"operations": more}
    for one in small:
        own, limit = (large[one] - small[one]) / more, (most[one] - least[one]) / more
        figures |= {f"{one}_native": own, f"{one}_limit": limit}
    figures["instructions_native_over_limit"] = (
        figures["instructions_native"] / figures["instructions_limit"]
    )
    return figures


def measure(scale: float = 1, *, caches: bool = True) -> dict[str, Any]:
    """Return the counts per operation of each job, for scaled sizes."""
    if shutil.which("valgrind") is None:
        sys.exit("there is no valgrind (on Debian or Ubuntu: apt install valgrind)")
    found = {name: of_an_operation(name, scale, CACHES if caches else ()) for name in JOBS}
    return {f"{name}_{key}": value for name in JOBS for key, value in found[name].items()}


def check(figures: dict[str, Any]) -> list[str]:
    """Return for each job above the recorded ratio a message with the excess."""
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    return [
        f"{key}: {figures[key]:.3f}, {figures[key] / least - 1:.1%} over the recorded {least:.3f}; "
        f"{MARGIN - 1:.0%} is the most"
        for key, least in recorded.items()
        if figures[key] > MARGIN * least
    ]


def main() -> None:
    """Print the figures; exit 1 if they are too high."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if more than recorded")
    parser.add_argument("--record", action="store_true", help="write them down for --check")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    figures = measure(caches=not options.check)
    print_figures(figures, options.format)
    if options.record:
        kept = {key: value for key, value in figures.items() if key.endswith("_over_limit")}
        RECORD.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    if options.check and (worse := check(figures)):
        sys.exit("\n".join(worse))


if __name__ == "__main__":
    main()
