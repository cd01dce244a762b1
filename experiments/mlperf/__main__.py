"""``python -m experiments.mlperf``: predictions beside the open results, or ``write`` all of them.

``predictions.csv`` was committed before any result but the 34 open ones was seen; ``compare FILE``
judges it by a table of results with the columns of ``open.csv``.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import astuple, fields
from math import exp, log
from pathlib import Path
from statistics import median

from simulator.output import placing
from simulator.progress import progress_bar

from .model import FOLDER, Asked, asked, models, predict, rows

PREDICTIONS = FOLDER / "predictions.csv"
KEYS = ("submitter", "system", "model", "accelerator", "accelerators", "hosts")
HEAD = (*(one.name for one in fields(Asked)), "utilisation", "samples_per_s", "fed")


def write() -> None:
    """Predict all reports."""
    every = asked()
    with (
        placing(PREDICTIONS) as place,
        place.open("w", encoding="utf-8", newline="") as file,
        progress_bar(len(every), unit="report") as advance,
    ):
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEAD)
        for one in every:
            made = predict(one)
            rate = round(made.samples_per_s, 2)
            table.writerow([*astuple(one), round(made.utilisation, 4), rate, made.fed])
            advance(1)


def formula(row: dict[str, str]) -> float:
    """Return the samples per second of a formula: all accelerators at the mean of the open rows."""
    means = {
        model: [float(one["AU_percent"]) for one in rows("open.csv") if one["model"] == model]
        for model in models()
    }
    mine = means[row["model"]]
    loop = models()[row["model"]]
    full = int(row["accelerators"]) * loop["batch"] / loop[row["accelerator"]]["time_s"]
    return float(full * sum(mine) / len(mine) / 100)


def errors(results: list[dict[str, str]]) -> Iterator[tuple[dict[str, str], float, float]]:
    """Yield results with the log errors of what was predicted, and of the formula."""
    made = {tuple(row[key] for key in KEYS): row for row in rows("predictions.csv")}
    for row in results:
        found = float(row["samples_per_s"])
        here = float(made[tuple(row[key] for key in KEYS)]["samples_per_s"])
        yield row, log(here / found), log(formula(row) / found)


def compare(results: list[dict[str, str]]) -> str:
    """Judge the predictions by results: median error, and how many are within 10 %."""
    told = list(errors(results))
    head = ("results", "simulated", "within 10 %", "formula", "within 10 %")
    lines = ["".join([f"{'model':<12}", *(f"{one:>13}" for one in head)])]
    for model in (*models(), "all"):
        some = [one for one in told if model in ("all", one[0]["model"])]
        cells = [f"{model:<12}", f"{len(some):>13}"]
        for sizes in ([abs(one[1]) for one in some], [abs(one[2]) for one in some]):
            inside = sum(size <= log(1.1) for size in sizes)
            cells += [f"{100 * (exp(median(sizes)) - 1):>11.1f} %", f"{inside:>13}"]
        lines.append("".join(cells))
    made = {tuple(row[key] for key in KEYS): int(row["fed"]) for row in rows("predictions.csv")}
    ratios = [
        made[tuple(one[key] for key in KEYS)] / int(one["accelerators"]) for one, _, _ in told
    ]
    near = sum(1 / 1.1 <= ratio <= 1.1 for ratio in ratios)
    lines.append(
        f"accelerators that could be fed, over those of the report: median {median(ratios):.2f},"
    )
    lines.append(f"{near} of {len(ratios)} within 10 % (a report need not have all that could be)")
    better = sum(abs(here) < abs(there) for _, here, there in told)
    return "\n".join([*lines, f"nearer than the formula: {better} of {len(told)}", ""])


def main(words: list[str]) -> int:
    """Carry out what is asked for."""
    if words == ["write"]:
        write()
    elif not words:
        print(compare(rows("open.csv")), end="")
    elif len(words) == 2 and words[0] == "compare" and Path(words[1]).is_file():
        with Path(words[1]).open(encoding="utf-8", newline="") as file:
            print(compare(list(csv.DictReader(file))), end="")
    else:
        print("usage: python -m experiments.mlperf [write | compare FILE.csv]", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
