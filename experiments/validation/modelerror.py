"""Validation errors by kind of figure, as ``nwtsim uncertainty`` reports them.

python -m experiments.validation.modelerror

Only predicted numbers count: of published studies those to which nothing was fitted, or the
held-out ones if there are any; of fits the measurements that were left out or held out; of real
programs the twenty that were frozen before any of them was predicted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.study.modelerror import FILE, FORMAT

from .twenty import RESULTS, load_twenty

_DECIMALS = 4


def found() -> dict[str, Any]:
    """Run the studies, and return the record."""
    times, rates = published("ssken")
    cached, merged = (published(study)[0] for study in ("pagecache", "merge"))
    return {
        "format": FORMAT,
        "times": [
            _entry("printed times of the SS-ken report", "docs/validation/ssken.md", times),
            _entry(
                "held-out times of the page-cache study", "docs/validation/pagecache.md", cached
            ),
            _entry("held-out times of merges of an image", "docs/validation/merge.md", merged),
            programs(load_twenty(RESULTS)),
        ],
        "rates": [
            _entry("printed rates of the SS-ken report", "docs/validation/ssken.md", rates),
            _entry(
                "printed rates of the NWT, each left out", "docs/validation/nwt.md", fitted("nwt")
            ),
            _entry("dd from the page cache", "nwtsim calibrate page-cache", fitted("page-cache")),
        ],
    }


def published(study: str) -> tuple[list[float], list[float]]:
    """Return the errors of a study's predicted times, and of its predicted rates.

    For a study with held-out numbers, only these count.
    """
    from simulator.study.studies import reproduce_study

    times: list[float] = []
    rates: list[float] = []
    record = reproduce_study(study).to_json()
    held_out = record["freedom"].get("held_out", ())
    for cell in record["cells"]:
        paper, simulated = cell["paper"]["mean"], cell["simulated"]["mean"]
        if cell["role"] != "predicted" or not paper or simulated is None:
            continue
        if held_out and cell["id"] not in held_out:
            continue
        if cell["unit"] in ("s", "ms"):
            times.append(simulated / paper - 1)
        elif cell["unit"].endswith("B/s"):
            rates.append(simulated / paper - 1)
    return times, rates


def programs(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the errors of programs without cures, each predicted from its log."""
    every = [*results["programs"], *results["predicted"]]
    errors = [one["predicted_s"] / one["observed"]["median_s"] - 1 for one in every]
    return _entry("real programs, replayed", "docs/validation/reality.md", errors)


def fitted(name: str) -> list[float]:
    """Return the errors of a fit's measurements, each predicted from the others, or held out."""
    from simulator.study.calibrate import calibrate

    comparisons = calibrate(name).comparisons
    each = [one.error if one.measure.held_out else one.prediction_error for one in comparisons]
    return [error for error in each if error is not None]


def _entry(what: str, where: str, errors: Sequence[float]) -> dict[str, Any]:
    return {"what": what, "where": where, "errors": [round(one, _DECIMALS) for one in errors]}


def text() -> str:
    """Return the text of the file, with the errors of an entry on a line."""
    lines = json.dumps(found(), indent=1)
    for entry in json.loads(lines)["times"] + json.loads(lines)["rates"]:
        listed = json.dumps(entry["errors"], indent=1).replace("\n", "\n   ")
        lines = lines.replace(listed, json.dumps(entry["errors"]))
    return lines + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
