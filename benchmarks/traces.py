"""Import of logs: GB per CPU second, compared with a reader written with Python's ``re``.

The log is captures of real programs (benchmarks/data: cp, tar, git, find and grep, dd, Python, and
``make -j4``, eight threads of ``git grep`` and 64 threads of a small program, which capture.sh
made; as ``strace -f -tt -T -o`` writes them, with neutral paths), repeated with other pids and
paths each time: all of them in turn, and each kind alone. Both readers alternate, each in a process
of its own: nwtsim does the whole import, with Parquet; ``re``, on a part of the log, extracts time,
duration, result and file of each call (by its process's descriptors) to a list of rows, ignores
forks, and writes nothing. CPU seconds are those of the process, with all its threads and its start;
the minimum of each counts.

    python -m benchmarks.traces [--size SIZE] [--kind-size SIZE] [--part SIZE] [--rounds N] [--json]
    python -m benchmarks.traces --kinds threads makej [--kind-size SIZE] [--part SIZE] [--rounds N]
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from io import StringIO
from itertools import cycle
from pathlib import Path
from typing import Any

from tabulate import tabulate

from simulator.units import parse_size

DATA = Path(__file__).resolve().parent / "data"
LINE = re.compile(
    r"(?P<pid>\d+)\s+(?P<time>[\d.:]+)\s+(?:<\.\.\. )?(?P<call>\w+)(?: resumed>|\()(?P<args>.*?)"
    r"(?:\)\s+= (?P<result>-?\d+|0x[0-9a-f]+|\?)(?: (?P<error>E[A-Z]+))?.*?(?: <(?P<took>[\d.]+)>)?"
    r"| <unfinished \.\.\.>)$"
)
FIRST_NUMBER = re.compile(r"\d+")
KEPT = 100_000
DAY = 86_400
FIRST = 1_700_000_000
MOST_PID = 4_000_000
CHILD = re.compile(
    rb"(?m)^((?:\S+ +){2}(?:<\.\.\. )?(?:clone3?|v?fork|wait4)\b[^\n]*? = )([1-9]\d*)(?= |$)"
)
"""A line whose call returns the pid of a child."""


def captures() -> dict[str, bytes]:
    """Return the logs that are repeated, by kind."""
    files = sorted(DATA.glob("*.strace.gz"))
    return {path.name.split(".")[0]: gzip.decompress(path.read_bytes()) for path in files}


def renewed(text: bytes, k: int) -> bytes:
    """Return a capture with other pids (those of children too), days and paths."""

    def stamp(found: re.Match[bytes]) -> bytes:
        pid, hour, minute, second = map(int, found.groups())
        time = FIRST + k * DAY + (hour * 60 + minute) * 60 + second
        return b"%d %d" % ((pid + 131 * k) % MOST_PID, time)

    def child(found: re.Match[bytes]) -> bytes:
        return b"%s%d" % (found[1], (int(found[2]) + 131 * k) % MOST_PID)

    text = re.sub(rb"(?m)^(\d+) +(\d\d):(\d\d):(\d\d)", stamp, text)
    text = re.sub(CHILD, child, text)
    return text.replace(b"dsrc", b"dsrc%d" % k).replace(b"/user/work", b"/user/work%d" % k)


def pieces(texts: Sequence[bytes]) -> Iterator[bytes]:
    """Yield captures in turn, without end."""
    for k, text in enumerate(cycle(texts)):
        yield renewed(text, k)


def write_log(path: Path, size: int, texts: Sequence[bytes]) -> int:
    """Write a log of these captures of an approximate size; return the exact one."""
    written = 0
    with path.open("wb") as file:
        for text in pieces(texts):
            if written and written + len(text) > size:
                return written
            written += file.write(text)
    return written


def with_re(path: str) -> int:
    """Read a log in the straightforward way; return the number of calls."""
    calls = 0
    rows: list[tuple[object, ...]] = []
    files: dict[tuple[str, int], str] = {}
    heads: dict[str, tuple[str, str]] = {}
    with open(path, encoding="utf-8", errors="replace") as log:  # noqa: PTH123
        for line in log:
            found = LINE.match(line)
            if found is None:
                continue
            pid, time, call, args, result, error, duration = found.groups()
            if result is None:
                heads[pid] = (time, args)
                continue
            if pid in heads:
                time, head = heads.pop(pid)
                args = head + args
            number = whole(result) if result != "?" else None
            file = None
            if call.startswith("open") and '"' in args:
                file = args.split('"', 2)[1]
                if number is not None and number >= 0:
                    files[pid, number] = file
            elif (first := FIRST_NUMBER.match(args)) is not None:
                file = files.get((pid, int(first[0])))
            elif '"' in args:
                file = args.split('"', 2)[1]
            took = int(float(duration) * 1e9) if duration else None
            rows.append((nanoseconds(time), took, int(pid), call, file, number, error))
            calls += 1
            if len(rows) == KEPT:  # the memory of a list is not measured
                rows.clear()
    return calls


def whole(number: str) -> int:
    """Read a number as C writes it: 12, -1, 0x1f, 022."""
    return int(number, 8 if number[0] == "0" and number.isdigit() else 0)


def nanoseconds(time: str) -> int:
    """Read seconds with a fraction."""
    whole, _, fraction = time.partition(".")
    return int(whole) * 10**9 + int(fraction.ljust(9, "0"))


def with_nwtsim(path: str) -> int:
    """Import a log with the command; return the number of calls."""
    from simulator.cli.main import main as nwtsim

    out = Path(path).with_suffix(".parquet")
    with redirect_stdout(StringIO()) as printed:
        sys.argv = ["nwtsim", "trace", "import", path, "-o", str(out), "--no-progress"]
        if nwtsim():
            raise SystemExit(2)
    return int(printed.getvalue().split("wrote ")[1].split()[0].replace(",", ""))


def measured(reader: str, path: Path) -> dict[str, float]:
    """Run a reader in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.traces", "--reader", reader, path],
        cwd=Path(__file__).resolve().parent.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    result: dict[str, float] = json.loads(ran.stdout)
    result["GB_per_cpu_s"] = path.stat().st_size / 1e9 / result["cpu_s"]
    return result


def run_reader(reader: str, path: str) -> None:
    """Entry point of that process."""
    calls = with_re(path) if reader == "re" else with_nwtsim(path)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "calls": calls,
                "cpu_s": used.ru_utime + used.ru_stime,
                "max_rss_MB": used.ru_maxrss * 1024 / 1e6,
            }
        )
    )


def compared(
    texts: Sequence[bytes], size: int, part: int, rounds: int
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Run both readers in turn; return each run, and the best GB per CPU second of each."""
    with tempfile.TemporaryDirectory() as folder:
        whole, some = Path(folder, "whole.log"), Path(folder, "part.log")
        write_log(whole, size, texts)
        write_log(some, part, texts)
        runs = [
            {"reader": reader, **measured(reader, log)}
            for _ in range(rounds)
            for reader, log in (("nwtsim", whole), ("re", some))
        ]
    best = {
        reader: max(run["GB_per_cpu_s"] for run in runs if run["reader"] == reader)
        for reader in ("nwtsim", "re")
    }
    return runs, best


def by_kind(size: int, part: int, rounds: int, kinds: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Compare the readers on a log of each kind of capture (or of some)."""
    table = []
    for kind, text in captures().items():
        if kinds and kind not in kinds:
            continue
        _, best = compared([text], size, part, rounds)
        lines = text.count(b"\n")
        table.append(
            {
                "kind": kind,
                "joined": f"{text.count(b' resumed>') / lines:.0%}",
                "nwtsim_GB_per_cpu_s": best["nwtsim"],
                "re_GB_per_cpu_s": best["re"],
                "nwtsim_over_re": best["nwtsim"] / best["re"],
            }
        )
    return table


def measure(size: int, part: int, rounds: int) -> dict[str, Any]:
    """Return the figures for the page on performance."""
    runs, best = compared(list(captures().values()), size, part, rounds)
    ours = [run for run in runs if run["reader"] == "nwtsim"]
    return {
        "log_GB": size / 1e9,
        "calls": round(ours[0]["calls"]),
        "rounds": rounds,
        "nwtsim_GB_per_cpu_s": best["nwtsim"],
        "nwtsim_peak_MB": max(run["max_rss_MB"] for run in ours),
        "re_GB_per_cpu_s": best["re"],
        "nwtsim_over_re": best["nwtsim"] / best["re"],
    }


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=parse_size, default=parse_size("1 GB"))
    parser.add_argument("--kind-size", type=parse_size, default=parse_size("400 MB"))
    parser.add_argument("--part", type=parse_size, default=parse_size("20 MB"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--kinds", nargs="+", choices=captures(), help="only these, each alone")
    parser.add_argument("--reader", choices=["re", "nwtsim"], help=argparse.SUPPRESS)
    parser.add_argument("log", nargs="?", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.reader:
        run_reader(arguments.reader, arguments.log)
        return
    kinds = by_kind(arguments.kind_size, arguments.part, arguments.rounds, arguments.kinds or ())
    if arguments.kinds:
        print(tabulate(kinds, headers="keys", floatfmt=".3f"))
        return
    figures = measure(arguments.size, arguments.part, arguments.rounds)
    if arguments.json:
        print(json.dumps({"kinds": kinds, "whole": figures}, indent=2))
        return
    print(tabulate(kinds, headers="keys", floatfmt=".3f"))
    print(tabulate(figures.items(), floatfmt=".3f"))


if __name__ == "__main__":
    main()
