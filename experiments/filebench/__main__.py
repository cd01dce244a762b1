"""``python -m experiments.filebench``: what was predicted beside what was measured.

``write`` predicts on the machine of ``host.yaml`` (``nwtsim measure DIR -o host.yaml``),
``run DIR`` compiles ``steps.c`` and makes the same steps in a folder, ``compare FILE`` judges other
measurements.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory

from ..frozen import Frozen, Row
from .model import Found, simulate
from .steps import FOLDER, Thread, path_of, script, threads

FROZEN = Frozen(FOLDER, ("threads", "what"), ("value",), seen="measured.csv")
HEAD = ("threads", "what", "unit", "value")
ROUNDS = 9
PACE = ("elapsed", "processor")


def counts() -> tuple[int, int]:
    """Return the numbers of threads: one alone, and those of the script."""
    return 1, script()["nthreads"]


def told(count: int, found: Found) -> Iterator[tuple[str, str, float]]:
    """Yield what is compared, its unit and value: of one thread its steps, of ten their time."""
    if count == 1:
        yield from ((do, "us", time / 1e3) for do, time in sorted(found.medians_ns.items()))
    else:
        times = (found.elapsed_ns, found.processor_ns)
        yield from ((what, "s", time / 1e9) for what, time in zip(PACE, times, strict=True))


def _made() -> Iterator[tuple[object, ...]]:
    for count in counts():
        for what, unit, value in told(count, simulate(FOLDER / "host.yaml", count)):
            yield count, what, unit, f"{value:.4g}"


def write() -> None:
    """Predict on the measured machine."""
    FROZEN.write(HEAD, _made(), 10)


def measure(folder: Path) -> None:
    """Make the steps in a folder, some rounds; write medians, and the least and most of them."""
    rows: dict[tuple[int, str, str], list[float]] = {}
    with TemporaryDirectory(dir=folder) as name:
        place = Path(name)
        program = place / "steps"
        words = ["cc", "-O2", "-pthread", "-o", str(program), str(FOLDER / "steps.c")]
        subprocess.run(words, check=True)
        for turn in range(ROUNDS):  # Each in a folder of its own: none is after deletions.
            for count in counts():
                found = _run(program, place / f"{turn}-{count}", threads(count))
                for what, unit, value in told(count, found):
                    rows.setdefault((count, what, unit), []).append(value)
    with (FOLDER / FROZEN.seen).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow((*HEAD, "least", "most", "rounds"))
        for key, values in rows.items():
            numbers = (f"{value:.4g}" for value in (median(values), min(values), max(values)))
            table.writerow((*key, *numbers, len(values)))


def _run(program: Path, folder: Path, lists: list[Thread]) -> Found:
    folder.mkdir()
    files = []
    for one in lists:
        for file in set(one.before) | {step.file for step in one.steps}:
            (folder / path_of(file)).parent.mkdir(exist_ok=True)
        files.append(folder / f"list{one.number}")
        files[-1].write_text("\n".join(_lines(one)) + "\n", "ascii")
    words = [str(program), str(folder), *map(str, files)]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    found = {what: float(value) for what, value in (line.split() for line in out.splitlines())}
    elapsed, processor = (int(found.pop(what)) for what in PACE)
    return Found(found, elapsed, processor)


def _lines(one: Thread) -> Iterator[str]:
    for file, size in one.before.items():
        path = path_of(file)
        yield from (f"create {path} 0", f"write {path} {size}", f"close {path} 0")
    yield "begin - 0"
    yield from (f"{step.do} {path_of(step.file)} {step.size}" for step in one.steps)


def compare(results: list[Row]) -> str:
    """Judge the predictions by measurements: each number, and their median and mean error."""
    made, ours = FROZEN.predicted(), FROZEN.known(results)
    heads = f"{'predicted':>12}{'measured':>10}{'least':>9}{'most':>9}"
    lines = [f"{'threads':<9}{'what':<11}{heads}{'error':>9}"]
    off = []
    for row in ours:
        here, there = float(made[FROZEN.key(row)]["value"]), float(row["value"])
        off.append(abs(log(here / there)))
        unit, ends = row["unit"], f"{row.get('least', ''):>9}{row.get('most', ''):>9}"
        lines.append(
            f"{row['threads']:<9}{row['what']:<11}{here:>9.4g} {unit:<2}{there:>10.4g}{ends}"
            f"{100 * (here / there - 1):>+8.0f} %"
        )
    middle, mean = (100 * (exp(kind(off)) - 1) for kind in (median, fmean))
    lines.append(f"{len(off)} numbers: median error {middle:.0f} %, geometric mean {mean:.0f} %")
    return "\n".join([*lines, *FROZEN.unknown(results), ""])


def main(words: list[str]) -> int:
    """Carry out what is asked for."""
    if len(words) == 2 and words[0] == "run" and Path(words[1]).is_dir():
        measure(Path(words[1]))
        return 0
    return FROZEN.main(words, write, compare, more=" | run DIR")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
