"""docs/performance.md: the benchmarks' figures as this machine gives them.

python -m benchmarks.report --out docs/performance.md
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import simpy
from tabulate import tabulate

from benchmarks import stations
from simulator import __version__

COMMANDS = (
    ("nwtsim --help", ["--help"]),
    ("nwtsim run nwt test-write", ["run", "nwt", "test-write"]),
)


def start_ups(rounds: int) -> list[tuple[str, str, str]]:
    """Median and maximum wall-clock seconds of whole commands, after a warm-up."""
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


def page(accesses: int, rounds: int) -> str:
    """The page as Markdown."""
    figures = stations.measure(accesses, rounds)
    served = [(name.replace("_", " "), f"{value:,.5g}") for name, value in figures.items()]
    return (
        "\n\n".join(
            [
                "# Performance",
                f"Written by `make bench` with nwtsim {__version__}, Python "
                f"{platform.python_version()}, SimPy {simpy.__version__}, on {os.cpu_count()} cores "
                f"({platform.machine()}). Speeds are medians of alternated runs; the ratio is taken "
                "pair by pair, so that it holds while the machine's own speed drifts.",
                "## The reference engine's stations",
                (stations.__doc__ or "").split("\n\n", 1)[1].split("\n\n    python")[0].strip(),
                tabulate(served, headers=["figure", "value"], tablefmt="github"),
                "## From the command to the answer",
                "Whole commands as a user starts them, wall clock, with a warm disk cache.",
                tabulate(
                    start_ups(rounds), headers=["command", "median", "longest"], tablefmt="github"
                ),
            ]
        )
        + "\n"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/performance.md"))
    parser.add_argument("--accesses", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(argv)
    text = page(options.accesses, options.rounds)
    part = options.out.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(options.out)
    print(text)


if __name__ == "__main__":
    main()
