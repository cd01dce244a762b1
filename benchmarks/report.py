"""docs/performance.md: the benchmarks' figures on this machine.

python -m benchmarks.report --out docs/performance.md
python -m benchmarks.report --out /tmp/page.md --short     whether every benchmark still works
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import simpy

from benchmarks import (
    answers,
    engines,
    executors,
    first_minutes,
    instructions,
    page,
    replay,
    reports,
    sizing,
    striped,
    sweep,
    traces,
)
from benchmarks.shapes import flatness, many_operations, state_per_client
from benchmarks.table import as_text, markdown
from simulator import __version__
from simulator.output import write_text
from simulator.units import parse_size

GROWTH = """`job` is the benchmark's job, which overloads its machine: more clients wait more often, and an operation causes more events. In `plain`
no client waits for space. The state of a client is what the memory of the process grows by. The many operations are those of the plain job: wall-clock
time and peak memory."""

LIMITS = """Before it runs (`--engine auto` then takes the reference engine): a store whose blocks have 2 GiB (2^31 bytes) or more, a file of 2^31
blocks or more, and paths whose branches of branches would need numbers of more than 62 bits; while it runs, more than 2^26 blocks in all stores together
(a table of 6 GiB; write larger blocks). A block that is used takes 100 bytes, whatever the capacity of the stores."""

WHERE = "Which files and functions they are in: `python -m benchmarks.instructions`."

COMMANDS = (
    ("nwtsim --help", ["--help"]),
    ("nwtsim run nwt test-write", ["run", "nwt", "test-write"]),
)


def start_ups(rounds: int) -> list[tuple[str, str, str]]:
    """Return median and maximum wall-clock seconds of whole commands, after a warm-up."""
    rows = []
    for name, arguments in COMMANDS:
        times = []
        for _ in range(rounds + 1):
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "simulator", *arguments], check=True, capture_output=True
            )
            times.append(time.perf_counter() - began)
        times = times[1:]
        rows.append((f"`{name}`", f"{statistics.median(times):.2f} s", f"{max(times):.2f} s"))
    return rows


def as_table(figures: dict[str, Any]) -> str:
    """Return figures as a table in Markdown."""
    rows = [
        (name.replace("_", " "), as_text(value))
        for name, value in figures.items()
        if not name.endswith("makespan_ns")  # Equal for all programs, which is checked.
    ]
    right = ("left", "right")
    headers = ["figure", "value"]
    return markdown(rows, headers, disable_numparse=True, colalign=right)


def reports_table(calls: int, rounds: int) -> str:
    """Return the time of each report on a trace, with and without its plot."""
    plain, _ = reports.measure(calls, rounds)
    drawn, _ = reports.measure(calls, 1, plots=True)
    rows = [
        (f"`{one['report']}`", f"{one['seconds']:.2f} s", f"{other['seconds']:.2f} s")
        for one, other in zip(plain, drawn, strict=True)
    ]
    return markdown(rows, headers=["report", "table", "with plot"])


def about(module: ModuleType) -> str:
    """Return what a benchmark measures; how, and what its words mean, is in its module."""
    name = module.__name__.rpartition(".")[2]
    summary = (module.__doc__ or "").partition("\n\n")[0]
    return f"{summary} ([{name}.py](../benchmarks/{name}.py))"


def of_traces(calls: int, log_bytes: int, rounds: int) -> list[str]:
    """Return the part of the page on traces."""
    few = min(3, rounds)
    return [
        "## Traces: from a log to a store",
        about(traces),
        as_table(traces.measure(log_bytes, min(20_000_000, log_bytes), few)),
        "By kind of capture: `python -m benchmarks.traces`.",
        "## Traces: reports",
        about(reports),
        f"Here of {calls:,} calls:",
        reports_table(calls, few),
        "## Traces: replay",
        about(replay),
        as_table(replay.measure(calls, min(100_000, calls), few)),
    ]


def of_first_minutes(short: bool) -> list[str]:
    """Return the part of the page on the two commands of the README."""
    page = ["## From a fresh clone to the tables", about(first_minutes)]
    if short:
        return [*page, first_minutes.as_table(first_minutes.measure(1, tests=False))]
    pure = first_minutes.measure(1, tests=False, pure=True)
    return [
        *page,
        first_minutes.as_table(first_minutes.measure(3)),
        "Without a C++ compiler runs are made by the reference engine:",
        first_minutes.as_table(pure),
    ]


def of_engines(operations: int, rounds: int, short: bool) -> list[str]:
    """Return the part of the page on the engines."""
    growth = flatness(rounds, *((100_000,) if short else ()))
    growth |= state_per_client() | many_operations(*((100_000,) if short else ()))
    return [
        "## The engines",
        about(engines),
        as_table(engines.measure(operations, rounds)),
        "### How the cost grows",
        GROWTH,
        as_table(growth),
        "### What the native engine refuses",
        LIMITS,
        "### A striped file system",
        about(striped),
        as_table(striped.measure(0.05 if short else 1.0, rounds)),
    ]


def of_instructions(short: bool) -> list[str]:
    """Return the part of the page on the machine-independent cost of an operation."""
    figures, _ = instructions.measure(0.1 if short else 1)
    return ["## Instructions of an operation", about(instructions), as_table(figures), WHERE]


def of_sizing(rounds: int, short: bool) -> list[str]:
    """Return the part of the page on requirements, and on the cost of the store and Dask."""
    rows = sizing.measure(rounds, short=short)
    headers = {name: name.replace("_", " ") for name in rows[0]}
    cells = [{name: as_text(value) for name, value in row.items()} for row in rows]
    figures = executors.measure(400 if short else 20_000, rounds)
    return [
        "## Sizing",
        about(sizing),
        markdown(cells, headers=headers, disable_numparse=True),
        "## The store of results, and Dask",
        about(executors),
        as_table(figures),
        "\n".join(f"- {one}" for one in executors.target_sentences(figures)),
    ]


def of_the_rest(rounds: int, short: bool) -> list[str]:
    """Return the parts of the page on sweeps, answers, the page with sliders, whole commands."""
    return [
        "## Sweeps",
        about(sweep),
        as_table(sweep.measure(100 if short else 4_000, min(3, rounds))),
        "## Answers",
        about(answers),
        as_table(answers.measure(1 if short else rounds)),
        "## The page with sliders",
        about(page),
        as_table(page.measure(1 if short else min(3, rounds))),
        "## From the command to the answer",
        "Whole commands as a user starts them, wall clock, with a warm disk cache.",
        markdown(start_ups(rounds), headers=["command", "median", "longest"]),
    ]


def introduction() -> str:
    """Return the head of the page: its command and machine."""
    return (
        "# Performance\n\n"
        f"How fast nwtsim is. Written by `make bench` with nwtsim {__version__}, Python "
        f"{platform.python_version()}, SimPy {simpy.__version__}, on {os.cpu_count()} cores "
        f"({platform.machine()}). Speeds are medians of alternated runs; ratios are taken pair by "
        "pair. Each section names the module that says how it is measured.\n\n"
    )


def with_parts(page: str, parts: Sequence[str]) -> str:
    """Replace the sections of a page that were measured again, by title."""
    head, *old = re.split(r"(?m)^(?=## )", page)
    new = re.split(r"(?m)^(?=## )", "\n\n".join(parts) + "\n\n")[1:]
    measured = {text.partition("\n")[0]: text for text in new}
    sections = [measured.pop(text.partition("\n")[0], text) for text in old]
    return "\n\n".join(text.strip("\n") for text in (head, *sections, *measured.values())) + "\n"


PARTS = ("first", "engines", "instructions", "traces", "sizing", "rest")


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/performance.md"))
    parser.add_argument("--operations", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=10_000_000, help="of the traces")
    parser.add_argument("--log", type=parse_size, default=parse_size("1 GB"), help="that is read")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--only", choices=PARTS, action="append", help="measure this part, and keep the others"
    )
    parser.add_argument(
        "--short", action="store_true", help="small sizes, once: whether every benchmark works"
    )
    options = parser.parse_args(argv)
    short = options.short
    rounds = 1 if short else options.rounds
    operations = 20_000 if short else options.operations
    calls = 20_000 if short else options.calls
    log = 2_000_000 if short else options.log
    measured = {
        "first": lambda: of_first_minutes(short),
        "engines": lambda: of_engines(operations, rounds, short),
        "instructions": lambda: of_instructions(short),
        "traces": lambda: of_traces(calls, log, rounds),
        "sizing": lambda: of_sizing(min(3, rounds), short),
        "rest": lambda: of_the_rest(rounds, short),
    }
    text = introduction()
    if options.only and options.out.exists():
        text = options.out.read_text(encoding="utf-8")
    for name in options.only or PARTS:
        text = with_parts(text, measured[name]())
        write_text(options.out, text)  # After each part: an interrupt loses one at most.
    print(text)


if __name__ == "__main__":
    main()
