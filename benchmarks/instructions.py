"""Instructions and cache misses per operation, counted by callgrind.

The jobs of benchmarks/engines.py (166 clients) and benchmarks/striped.py, each in two sizes: the
difference is the cost of additional operations, without a program's start. Of the native engine
only its loop is counted. The caches are those of no machine in particular (L1: 32 KiB in 8 ways,
last level: 1 MiB in 16), so that instructions do not depend on other work, and are equal on other
machines with the same compiler; misses of the first level vary by a third with the addresses of
arrays. Below the figures: where instructions and misses are, by source file of the engine (code
that is inlined counts where it is written), and by function of the program in C++. ``--check``
counts instructions alone, in half of the time, and compares the engine's with those of the program
in C++ that the same compiler made: their ratio may be 5 % over the recorded one.

    python -m benchmarks.instructions [--check | --record] [--format table|json]

Needs valgrind.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import engines, job, striped
from benchmarks.callgrind import profile, spent, totals
from benchmarks.compiler import compiled, kernel_with_lines
from benchmarks.table import as_text, print_figures, print_rows
from simulator.native import kernel
from simulator.native.columns import columns_of
from simulator.plan.plan import Plan

RECORD = Path(__file__).with_name("data") / "instructions.json"
MARGIN = 1.05
CACHES = ("--cache-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64")
LOOP = "*run_advance*"
"""Name of the kernel's event loop in module.cpp."""
COUNTED = {"instructions": "Ir", "L1_read_misses": "D1mr", "last_level_misses": "DLmr"}
"""Figures, and callgrind's events; all but the first need the caches."""
MOST_PLACES = 5
"""Rows of a table of where the instructions are."""
NATIVE = """
import importlib.util, pickle, sys
spec = importlib.util.spec_from_file_location("kernel", sys.argv[1])
kernel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernel)
with open(sys.argv[2], "rb") as file:
    run = kernel.Run(pickle.load(file))
while not run.advance(100_000):
    pass
"""
"""Runs a kernel on the columns of a plan, importing little: under valgrind an import is slow."""


def job_of(thousands: int) -> Plan:
    """Return the job of 166 clients with a number of thousand operations."""
    return job.make_plan(engines.CLIENTS, 1000 * thousands)


def striped_of(percent: int) -> Plan:
    """Return the striped machine's job, its files scaled in percent."""
    return striped.make_plan(percent / 100)


Tables = dict[str, list[dict[str, str]]]
"""By job and engine: where the instructions are."""
JOBS: dict[str, tuple[Callable[[int], Plan], Callable[[Plan], str], Path, tuple[int, int]]] = {
    "job": (job_of, job.as_numbers, engines.LIMIT, (20, 60)),
    "striped": (striped_of, striped.as_numbers, striped.LIMIT, (10, 30)),
}
"""By job: plan of a size, its numbers for the C++ program, the program, and the two sizes."""


Profiles = tuple[str, str]
"""What callgrind wrote of the smaller and of the larger size."""


def profiles(
    name: str, scale: float, caches: Sequence[str], module: str, folder: Path
) -> dict[str, Any]:
    """Return a job's additional operations, and the profiles of the engine and the program."""
    make, as_numbers, source, whole = JOBS[name]
    plans = [make(max(1, round(size * scale))) for size in whole]
    program = str(compiled(source, folder))
    loop = [*caches, f"--toggle-collect={LOOP}", "--collect-atstart=no"]
    with ThreadPoolExecutor() as pool:
        made = []
        for number, plan in enumerate(plans):
            columns = folder / f"columns-{number}"
            columns.write_bytes(pickle.dumps(columns_of(plan)))
            words = [sys.executable, "-c", NATIVE, module, str(columns)]
            made.append(pool.submit(profile, words, "", loop))
        made += [pool.submit(profile, [program], as_numbers(plan), caches) for plan in plans]
        small, large, least, most = (one.result() for one in made)
    if not totals(large):
        sys.exit(f"no function {LOOP} ran in {module}")
    more = job.operations_of(plans[1]) - job.operations_of(plans[0])
    return {"operations": more, "native": (small, large), "limit": (least, most)}


def of_an_operation(found: dict[str, Any]) -> dict[str, float]:
    """Return the counts per operation of a job: native, the C++ program, and their ratio."""
    figures: dict[str, float] = {"operations": found["operations"]}
    for one, event in COUNTED.items():
        for engine in ("native", "limit"):
            small, large = (totals(text) for text in found[engine])
            if event in small:
                figures[f"{one}_{engine}"] = (large[event] - small[event]) / found["operations"]
    figures["instructions_native_over_limit"] = (
        figures["instructions_native"] / figures["instructions_limit"]
    )
    return figures


def places(texts: Profiles, by: str, operations: int) -> list[dict[str, str]]:
    """Return where the most instructions of an operation are, with shares and misses."""
    more: dict[str, Counter[str]] = {}
    for event in ("Ir", "D1mr"):
        small, large = (spent(text, by)[event] for text in texts)
        more[event] = Counter()
        for place in large:
            more[event][short(place)] += large[place] - small[place]
    whole = {event: sum(counts.values()) for event, counts in more.items()}
    rows = []
    for place, instructions in more["Ir"].most_common(MOST_PLACES):
        misses = more["D1mr"][place]
        rows.append(
            {
                by: place,
                "instructions": as_text(instructions / operations),
                "share": f"{instructions / whole['Ir']:.1%}",
                "L1 read misses": as_text(misses / operations),
                "share of misses": f"{misses / whole['D1mr']:.1%}",
            }
        )
    return rows


def short(place: str) -> str:
    """Return a function without its types, a file from its room on, or only its name.

    >>> short("void ask<0>(int)"), short("./simulator/native/part.hpp"), short("/usr/c++/a.h")
    ('ask<0>', 'native/part.hpp', 'a.h')
    """
    _, room, rest = place.rpartition("simulator/")
    return rest if room else re.sub(r"^(int|long|void) |\(.*|.*/", "", place)


def measure(scale: float = 1, *, caches: bool = True) -> tuple[dict[str, Any], Tables]:
    """Return the counts per operation of each job, for scaled sizes, and tables of where."""
    if shutil.which("valgrind") is None:
        sys.exit("there is no valgrind (on Debian or Ubuntu: apt install valgrind)")
    figures: dict[str, Any] = {}
    tables: Tables = {}
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        module = str(kernel_with_lines(folder)) if caches else kernel.__file__
        for name in JOBS:
            found = profiles(name, scale, CACHES if caches else (), module, folder)
            figures |= {f"{name}_{key}": value for key, value in of_an_operation(found).items()}
            for engine, by in (("native", "file"), ("limit", "function")) if caches else ():
                tables[f"{name}, {engine}"] = places(found[engine], by, found["operations"])
    return figures, tables


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
    figures, tables = measure(caches=not options.check)
    if options.format == "json":
        figures |= tables
    print_figures(figures, options.format)
    for title, rows in tables.items() if options.format == "table" else ():
        print_rows(title, rows)
    if options.record:
        kept = {key: value for key, value in figures.items() if key.endswith("_over_limit")}
        RECORD.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    if options.check and (worse := check(figures)):
        sys.exit("\n".join(worse))


if __name__ == "__main__":
    main()
