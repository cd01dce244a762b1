"""``python -m experiments.swarp``: predictions beside the open series, or ``write`` all of them.

``predictions.csv`` was committed before any measured series but the open one was seen; ``compare
FILE`` judges it by a table of results with the columns of ``open.csv``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import astuple, fields
from functools import cache
from math import log
from statistics import fmean, linear_regression

import yaml

from ..frozen import Frozen, Judged, Row, tabulate
from .model import CORES, FOLDER, Asked, Times, asked, predict, workflow

KEYS = tuple(one.name for one in fields(Asked))
PARTS = (*(one.name for one in fields(Times)), "makespan")
FROZEN = Frozen(FOLDER, KEYS, PARTS)


def _made() -> Iterator[tuple[object, ...]]:
    for one in asked():
        made = predict(one)
        yield (*astuple(one), *(round(getattr(made, part), 2) for part in PARTS))


def write() -> None:
    """Predict all runs."""
    FROZEN.write((*KEYS, *PARTS), _made(), len(asked()))


@cache
def _lines() -> dict[str, tuple[float, float]]:
    """Return slope and intercept of each part over the files staged, in the open series."""
    rows = FROZEN.rows("open.csv")
    files = [float(row["files"]) for row in rows]
    found: dict[str, tuple[float, float]] = {}
    for part in ("stage_in", "resample", "combine", "stage_out"):
        took = [float(row[part]) for row in rows]
        if part in ("stage_in", "resample"):
            slope, start = linear_regression(files, took, proportional=part == "stage_in")
            found[part] = slope, start
        else:
            found[part] = 0.0, fmean(took)
    return found


def formula(row: Row) -> Times:
    """Return the times by formulas without a machine: the open series' lines over the files.

    Tasks are twice as fast on twice the cores, and faster as a core is on the other machine.
    """
    share = CORES / int(row["cores"]) / workflow()["speed"][row["machine"]]
    parts = {name: slope * int(row["files"]) + start for name, (slope, start) in _lines().items()}
    return Times(**{**parts, **{task: parts[task] * share for task in ("resample", "combine")}})


def series(row: Row) -> str:
    """Return the measured series of a result, as the peer's errors are given."""
    if int(row["pipelines"]) > 1:
        return f"{row['machine']} pipelines"
    if int(row["cores"]) != CORES:
        return f"{row['machine']} cores"
    return f"{row['machine']} {row['mode']} {row['fits']}"


def judged(results: list[Row], part: str) -> list[Judged]:
    """Return the errors in the seconds of a part; what takes no time has none."""
    made, told = FROZEN.predicted(), []
    for row in results:
        found, here = float(row[part]), float(made[FROZEN.key(row)][part])
        there = getattr(formula(row), part)
        if found > 0 and here > 0:
            told.append(Judged(series(row), log(here / found), log(there / found)))
    return told


def beside_the_peer(results: list[Row]) -> list[str]:
    """Return a line for each series: the mean error of the makespan, and the peer's."""
    peer: dict[str, str] = yaml.safe_load((FOLDER / "peer.yaml").read_text("utf-8"))
    made = FROZEN.predicted()
    lines = ["mean error of the makespan, %:  simulated  WRENCH (computing times measured)"]
    for name in dict.fromkeys(series(row) for row in results):
        off = [
            abs(float(made[FROZEN.key(row)]["makespan"]) / float(row["makespan"]) - 1)
            for row in results
            if series(row) == name
        ]
        lines.append(f"{name:<31} {100 * fmean(off):>10.1f}  {peer.get(name, 'not printed')}")
    return lines


def compare(results: list[Row]) -> str:
    """Judge the predictions by results: each part's errors, and the makespan's by series."""
    ours, lines = FROZEN.known(results), list[str]()
    for part in PARTS:
        lines += [*tabulate(judged(ours, part), part), ""]
    return "\n".join([*lines, *beside_the_peer(ours), *FROZEN.unknown(results), ""])


def main(words: list[str]) -> int:
    """Carry out what is asked for."""
    return FROZEN.main(words, write, compare)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
