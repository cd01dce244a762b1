"""``python -m experiments.mlperf``: predictions beside the open results, or ``write`` all of them.

``predictions.csv`` was committed before any result but the 34 open ones was seen; ``compare FILE``
judges it by a table of results with the columns of ``open.csv``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import astuple, fields
from math import log
from statistics import median

from ..frozen import WITHIN, Frozen, Judged, Row, tabulate
from .model import FOLDER, Asked, asked, models, predict, rows

HEAD = (*(one.name for one in fields(Asked)), "utilisation", "samples_per_s", "fed")
FROZEN = Frozen(
    FOLDER,
    ("submitter", "system", "model", "accelerator", "accelerators", "hosts"),
    ("samples_per_s",),
)


def _made() -> Iterator[tuple[object, ...]]:
    for one in asked():
        made = predict(one)
        rate = round(made.samples_per_s, 2)
        yield (*astuple(one), round(made.utilisation, 4), rate, made.fed)


def write() -> None:
    """Predict all reports."""
    FROZEN.write(HEAD, _made(), len(asked()))


def formula(row: Row) -> float:
    """Return the samples per second of a formula: all accelerators at the mean of the open rows."""
    means = {
        model: [float(one["AU_percent"]) for one in rows("open.csv") if one["model"] == model]
        for model in models()
    }
    mine = means[row["model"]]
    loop = models()[row["model"]]
    full = int(row["accelerators"]) * loop["batch"] / loop[row["accelerator"]]["time_s"]
    return float(full * sum(mine) / len(mine) / 100)


def judged(results: list[Row]) -> list[Judged]:
    """Return the errors in samples per second of what was predicted, and of the formula."""
    made = FROZEN.predicted()
    return [
        Judged(
            row["model"],
            log(float(made[FROZEN.key(row)]["samples_per_s"]) / float(row["samples_per_s"])),
            log(formula(row) / float(row["samples_per_s"])),
        )
        for row in sorted(results, key=lambda row: list(models()).index(row["model"]))
    ]


def compare(results: list[Row]) -> str:
    """Judge the predictions by results: median error, and how many are within 10 %."""
    made, ours = FROZEN.predicted(), FROZEN.known(results)
    ratios = [int(made[FROZEN.key(row)]["fed"]) / int(row["accelerators"]) for row in ours]
    near = sum(1 / WITHIN <= ratio <= WITHIN for ratio in ratios)
    return "\n".join(
        [
            *tabulate(judged(ours), "model"),
            "accelerators that could be fed, over those of the report: "
            f"median {median(ratios):.2f},",
            f"{near} of {len(ratios)} within 10 % (a report need not have all that could be)",
            *FROZEN.unknown(results),
            "",
        ]
    )


def main(words: list[str]) -> int:
    """Carry out what is asked for."""
    return FROZEN.main(words, write, compare)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
