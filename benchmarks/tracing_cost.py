"""Overhead of tracing: programs with and without strace, as a table.

``python benchmarks/tracing_cost.py`` runs each program in turn under each method of tracing, in a
temporary folder, ``--rounds`` (5) times, and prints for the quickest run of each: seconds,
slowdown, the log's lines and bytes, and microseconds per line (of a log with 10,000 lines or more).
The quickest run is used because other work on the machine only makes runs longer. It needs Linux
and strace; a program that is missing is left out. The numbers are of one machine: its kernel and
strace are printed with them. docs/tracing.md has its seconds.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FEWEST = 10_000
"""Minimum number of lines for a time per line."""
CLASSES = "trace=%file,%desc,%process"
WAYS = {
    "without": [],
    "all calls": ["strace", "-f", "-ttt", "-T"],
    "all, -y": ["strace", "-f", "-ttt", "-T", "-y"],
    f"-e {CLASSES}": ["strace", "-f", "-ttt", "-T", "-e", CLASSES],
    "the same, --seccomp-bpf": ["strace", "-f", "--seccomp-bpf", "-ttt", "-T", "-e", CLASSES],
}

SCRIPT = """
import hashlib, json
for turn in range(200):
    with open(f"file-{turn % 10}", "w") as file:
        json.dump(list(range(2000)), file)
    with open(f"file-{turn % 10}", "rb") as file:
        hashlib.sha256(file.read()).hexdigest()
"""
NO_FILES = """
import os
for turn in range(100000):
    os.getppid()
"""
SOURCE = (
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint f%d(void) { return %d; }\n"
)


def programs(folder: Path) -> dict[str, list[str]]:
    """Return the traced programs; each makes its own files."""
    (folder / "script.py").write_text(SCRIPT)
    (folder / "no_files.py").write_text(NO_FILES)
    for number in range(12):
        (folder / f"unit{number}.c").write_text(SOURCE % (number, number))
    units = " ".join(f"unit{number}.c" for number in range(12))
    dd = ["dd", "if=/dev/zero", "of=records", "status=none"]
    found = {
        "dd, 50,000 records of 512 bytes": [*dd, "bs=512", "count=50000"],
        "dd, 2,000 records of 1 MiB": [*dd, "bs=1M", "count=2000", "of=/dev/null"],
        "Python, 400 files of 10 kB": [sys.executable, "script.py"],
        "Python, 100,000 calls, no file": [sys.executable, "no_files.py"],
        "cc, 12 small files": ["sh", "-c", f"for f in {units}; do cc -O2 -c $f; done"],
    }
    return {what: run for what, run in found.items() if shutil.which(run[0])}


def seconds(command: list[str], folder: Path) -> float:
    """Return the wall-clock time of one run."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(run: list[str], folder: Path, rounds: int) -> list[list[str]]:
    """Return the rows of the table for one program: all methods in turn."""
    log = folder / "trace.log"
    took: dict[str, list[float]] = {way: [] for way in WAYS}
    logs: dict[str, tuple[int, int]] = {"without": (0, 0)}
    for turn in range(rounds + 1):
        for way, strace in WAYS.items():
            command = [*strace, "-o", str(log), *run] if strace else run
            spent = seconds(command, folder)
            if turn:  # The first round warms the caches.
                took[way].append(spent)
            if strace:
                text = log.read_bytes()
                logs[way] = (text.count(b"\n"), len(text))
    base = min(took["without"])
    return [row(way, min(took[way]), base, *logs[way]) for way in WAYS]


def row(way: str, spent: float, base: float, lines: int, size: int) -> list[str]:
    """Return one line of the table."""
    if not lines:
        return [way, f"{spent:.2f}", "1", "", "", ""]
    # In a short log, stops without a line and noise dominate.
    each = f"{(spent - base) / lines * 1e6:.0f}" if lines >= FEWEST else ""
    return [way, f"{spent:.2f}", f"{spent / base:.1f}", f"{lines:,}", f"{size / 1e6:.1f}", each]


def machine() -> str:
    """Return a description of this machine."""
    strace = subprocess.run(["strace", "--version"], capture_output=True, text=True, check=True)
    return (
        f"{os.cpu_count()} processors ({platform.machine()}), Linux {platform.release()}, "
        f"strace {strace.stdout.split()[3]}, Python {platform.python_version()}"
    )


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, after one to warm up")
    parser.add_argument(
        "--only", default="", metavar="WORD", help="programs with it in their names"
    )
    options = parser.parse_args()
    if not shutil.which("strace"):
        sys.exit("strace is not installed (on Debian or Ubuntu: apt install strace)")
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = {what: run for what, run in programs(folder).items() if options.only in what}
        for what, run in chosen.items():
            rows += [[f"**{what}**", *[""] * 5], *measure(run, folder, options.rounds)]
    headers = ["program, and how it is traced", "s", "times", "lines", "MB", "us/line"]
    print(f"{machine()}; the quickest of {options.rounds} runs.\n")
    for cells in (headers, ["---", *["---:"] * 5], *rows):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
