"""The first minutes of a new user: a fresh clone, the published tables, the tests.

Each round clones the project into an empty folder, with empty caches of packages, and runs ``make
tables``, and in the first round then ``make test``, as the README says. Reported are wall-clock
seconds and CPU seconds (of all processes together, user and system): of ``make tables`` until the
last line of the NWT's tables is on the screen, and until its end; of ``make test`` including
installation and compilation. Packages are downloaded in every round, so the wall clock depends on
the network too.

    python -m benchmarks.first_minutes [--rounds N] [--format table|json] [--no-tests] [--pure]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.table import markdown

ROOT = Path(__file__).resolve().parent.parent
TABLES_DONE = re.compile(r"Next +nwtsim ")
"""Begin of a line after the NWT's tables."""

OURS = {
    "PYTHONPATH",
    "MAKEFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
    "MFLAGS",
    "ARGS",
    "N",
    "SEED",
    "PYTHON",
}
"""Variables of a developer, or of a ``make`` that runs this benchmark, which are not passed on."""

Times = dict[str, tuple[float, float]]
"""Step -> seconds of the wall clock and of the processors."""


def fresh_round(folder: Path, *, tests: bool, pure: bool) -> Times:
    """Clone into ``folder`` and run a new user's commands."""
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    environment = {
        **{name: value for name, value in os.environ.items() if name not in OURS},
        "UV_CACHE_DIR": str(folder / "uv"),
        "PIP_CACHE_DIR": str(folder / "pip"),
        **({"NWTSIM_PURE": "1"} if pure else {}),
    }
    began = time.perf_counter()
    process = subprocess.Popen(
        ["make", "tables"],
        cwd=clone,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    times: Times = {}
    lines = []
    for line in process.stdout:
        lines.append(line)
        if not times and TABLES_DONE.match(line):
            times["make tables, until the NWT tables"] = (
                time.perf_counter() - began,
                cpu_of_tree(process.pid),
            )
    _, status, usage = os.wait4(process.pid, 0)
    if status or not times:
        raise SystemExit("make tables failed:\n" + "".join(lines))
    times["make tables, whole"] = (time.perf_counter() - began, usage.ru_utime + usage.ru_stime)
    if tests:
        times["make test"] = timed(["make", "test"], clone, environment)
    return times


def timed(words: Sequence[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Run a command; return its seconds of the wall clock and of the processors."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=said, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            said.seek(0)
            raise SystemExit(f"{' '.join(words)} failed:\n{said.read().decode()[-5000:]}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def cpu_of_tree(pid: int) -> float:
    """Return the CPU seconds of a process, its living descendants, and those it waited for."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text()
            except OSError:
                continue  # It has ended meanwhile.
            fields = text.rpartition(")")[2].split()
            parents[int(entry.name)] = int(fields[1])
            ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    tree = {pid}
    while found := {one for one, parent in parents.items() if parent in tree} - tree:
        tree |= found
    return sum(ticks.get(one, 0) for one in tree) / os.sysconf("SC_CLK_TCK")


def measure(rounds: int, *, tests: bool = True, pure: bool = False) -> list[dict[str, object]]:
    """Return a row for each step: its times in every round, in seconds."""
    found: dict[str, list[tuple[float, float]]] = {}
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            times_of = fresh_round(Path(folder), tests=tests and not number, pure=pure)
            for step, times in times_of.items():
                found.setdefault(step, []).append(times)
    return [
        {
            "step": step,
            "wall_s": [round(wall, 1) for wall, _ in times],
            "cpu_s": [round(cpu, 1) for _, cpu in times],
        }
        for step, times in found.items()
    ]


def as_table(rows: list[dict[str, object]]) -> str:
    """Return the times as a table, with the median of the rounds first."""

    def cell(times: object) -> str:
        assert isinstance(times, list)
        return f"{statistics.median(times):.0f} s ({', '.join(f'{one:.0f}' for one in times)})"

    body = [(row["step"], cell(row["wall_s"]), cell(row["cpu_s"])) for row in rows]
    headers = ["step", "wall clock: median (each round)", "CPU: median (each round)"]
    return markdown(body, headers=headers)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.add_argument("--no-tests", action="store_true", help="make tables only")
    parser.add_argument("--pure", action="store_true", help="as without a C++ compiler")
    options = parser.parse_args(argv)
    rows = measure(options.rounds, tests=not options.no_tests, pure=options.pure)
    print(json.dumps(rows, indent=2) if options.format == "json" else as_table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
