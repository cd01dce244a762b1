"""Programs recorded and replayed on the machine they ran on: predicted and real times.

``python benchmarks/recorded.py DIR`` measures DIR's file system (or takes ``--machine FILE``), runs
each program ``--rounds`` (5) times without strace, records it once (``nwtsim trace record``) and
replays the log in three ways: with strace's time as computing (``--think keep``), with that scaled
to the user time (``--think scale=X``), and with the tracer's time subtracted. It prints a table of
real medians and of the three predictions. docs/decisions/0059 has its results. It needs Linux and
strace; a program that is missing is left out. All files are in one new folder, which is removed.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from simulator.config.formats import load_machine
from simulator.replay.replay import Replay, ReplayOptions, replay
from simulator.traces.record import Ended, beside
from simulator.traces.recording.attend import attend
from simulator.traces.recording.session import RecordOptions, Session

PYTHON = sys.executable
JSON = """
import hashlib, json
for turn in range(100):
    with open(f"file-{turn % 10}", "w") as file:
        json.dump(list(range(2000)), file)
    with open(f"file-{turn % 10}", "rb") as file:
        hashlib.sha256(file.read()).hexdigest()
"""
SQL = """
import sqlite3
base = sqlite3.connect("base.db")
base.execute("create table if not exists t(a, b)")
for n in range(60):
    base.execute("insert into t values(?, ?)", (n, "x" * 100))
    base.commit()
"""
SMALL = """
with open("small", "wb", buffering=0) as file:
    for n in range(30000):
        file.write(b"0123456789abcdef")
"""
SLEEPS = "import time\nfor n in range(10): time.sleep(0.03)"
SUMS = "sum(n * n % 7 for n in range(3_000_000))"
STATS = "import os\nfor n in range(20000): os.stat('text')"
LINES = r'open F, ">", "lines"; for (1..20000) { print F "line $_\n"; F->flush if $_ % 2 } close F'
COMMANDS: dict[str, list[str]] = {
    "dd bs=512": ["dd", "if=/dev/zero", "of=records", "bs=512", "count=50000", "status=none"],
    "dd bs=1M": ["dd", "if=/dev/zero", "of=records", "bs=1M", "count=64", "status=none"],
    "gzip": ["gzip", "-kf", "text"],
    "sort": ["sort", "-o", "sorted", "text"],
    "python sums": [PYTHON, "-c", SUMS],
    "python json": [PYTHON, "-c", JSON],
    "python stats": [PYTHON, "-c", STATS],
    "python write(16)": [PYTHON, "-c", SMALL],
    "python sleeps": [PYTHON, "-c", SLEEPS],
    "sqlite commits": [PYTHON, "-c", SQL],
    "perl flush": ["perl", "-MIO::Handle", "-e", LINES],
    "bash loop": ["bash", "-c", "for n in {1..100}; do head -c 10 text > n; done"],
    "pipe of small": ["sh", "-c", "dd if=text bs=512 status=none | cat | wc -c > count"],
    "tar": ["tar", "-cf", "all.tar", "tree"],
    "grep": ["sh", "-c", "grep -c 99 text > count"],
    "cc": ["cc", "-O1", "-c", "unit.c", "-o", "unit.o"],
}
TEXT_LINES = 400_000
TREE_FILES = 1000


@dataclass(frozen=True)
class Row:
    """One program."""

    name: str
    real: list[Ended]
    traced_ns: int
    calls: int
    predicted: dict[str, int]

    @property
    def median_ns(self) -> float:
        """Median of the real runs, without the time spent waiting for a processor."""
        return statistics.median(one.elapsed_ns - one.waiting_ns for one in self.real)

    def off(self, way: str) -> float:
        """Return predicted over real time."""
        return self.predicted[way] / self.median_ns


def prepare() -> None:
    """Write the inputs into the working folder."""
    with Path("text").open("w") as text:
        text.writelines(
            f"{n * 2654435761 % 2**32:010} a line of text {n}\n" for n in range(TEXT_LINES)
        )
    for number in range(TREE_FILES):
        file = Path("tree", f"{number % 10}", f"{number}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(os.urandom(2000))
    functions = (
        f"double f{n}(double x) {{ return x * {n} + {n} / (x + 1); }}\n" for n in range(300)
    )
    Path("unit.c").write_text("#include <stdio.h>\n#include <math.h>\n" + "".join(functions))
    os.sync()


def measured(name: str, words: list[str], machine_path: str, rounds: int) -> Row:
    """Run, record and replay one program."""
    attend(words)  # Warms the page cache.
    real = [attend(words) for _ in range(rounds)]
    log = Path("log.strace")
    record = Session(RecordOptions(tuple(words)), lambda _: None).record(log)
    beside(log).write_text(record.to_json())
    machine = load_machine(machine_path)

    def put(think: Fraction | None) -> Replay:
        return replay([log], machine, ReplayOptions(think=think), progress=False)

    kept, out = put(Fraction(1)), put(None)
    computing = sum(one.compute_ns for one in kept.result.processes)
    user = statistics.mean(one.user_ns for one in real)
    scaled = put(Fraction(min(1.0, user / computing)).limit_denominator(10**9))
    taken = out.observed.tracer
    assert taken is not None
    predicted = {"keep": kept, "scale": scaled, "out": out}
    elapsed = {way: one.result.elapsed_ns for way, one in predicted.items()}
    return Row(name, real, record.traced.elapsed_ns, taken.calls, elapsed)


def line(row: Row) -> str:
    """Return a row of the table."""
    times = [(one.elapsed_ns - one.waiting_ns) / 1e6 for one in row.real]
    waiting = statistics.median(one.waiting_ns for one in row.real) / 1e6
    user = statistics.mean(one.user_ns for one in row.real) / 1e6
    system = statistics.mean(one.system_ns for one in row.real) / 1e6
    cells = [
        row.name,
        f"{row.calls:,}",
        f"{row.median_ns / 1e6:.1f} ({min(times):.1f}-{max(times):.1f})",
        f"{waiting:.0f}",
        f"{user:.0f} + {system:.0f}",
        f"{row.traced_ns / 1e6:.0f}",
        *(f"{row.predicted[way] / 1e6:.1f} ({row.off(way) - 1:+.0%})" for way in row.predicted),
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--machine", metavar="FILE", help="of the file system, measured before")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", metavar="WORD")
    options = parser.parse_args()
    machine = options.machine and str(Path(options.machine).resolve())
    rows = []
    back = Path.cwd()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        os.chdir(folder)
        prepare()
        if machine is None:
            from simulator.cli.main import main as nwtsim

            machine = str(Path("machine.yaml").resolve())
            nwtsim(["measure", ".", "-o", machine])
        heads = ["program", "calls", "real, ms", "busy", "user + system", "under strace"]
        print(f"| {' | '.join([*heads, '--think keep', 'scaled to user', 'taken out'])} |")
        for name, words in COMMANDS.items():
            if options.only in name and shutil.which(words[0]):
                rows.append(measured(name, words, machine, options.rounds))
                print(line(rows[-1]), flush=True)
        os.chdir(back)
    for way in ("keep", "scale", "out"):
        off = [abs(math.log(row.off(way))) for row in rows]
        near = sum(0.75 <= row.off(way) <= 1.25 for row in rows)
        mean = math.expm1(statistics.fmean(off))
        print(f"{way}: geometric mean error {mean:.0%}, within 25 %: {near} of {len(rows)}")


if __name__ == "__main__":
    main()
