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

from simulator.config.formats import load_machine
from simulator.study.modelerror import FILE, FORMAT
from simulator.study.nearest import kinds_of

from .twenty import RESULTS, load_twenty

_DECIMALS = 4


def found() -> dict[str, Any]:
    """Run the studies, and return the record."""
    times, rates = published("ssken")
    cached, merged = (published(study)[0] for study in ("pagecache", "merge"))
    return {
        "format": FORMAT,
        "fits": FITS,
        "studies": studies(),
        "times": [
            _entry(
                "ssken", "printed times of the SS-ken report", "docs/validation/ssken.md", times
            ),
            _entry(
                "pagecache",
                "held-out times of the page-cache study",
                "docs/validation/pagecache.md",
                cached,
            ),
            _entry(
                "merge", "held-out times of merges of an image", "docs/validation/merge.md", merged
            ),
            programs(load_twenty(RESULTS)),
        ],
        "rates": [
            _entry(
                "ssken", "printed rates of the SS-ken report", "docs/validation/ssken.md", rates
            ),
            _entry(
                "nwt",
                "printed rates of the NWT, each left out",
                "docs/validation/nwt.md",
                fitted("nwt"),
            ),
            _entry(
                "page-cache",
                "dd from the page cache",
                "nwtsim calibrate page-cache",
                fitted("page-cache"),
            ),
        ],
    }


MACHINES = {
    "ssken": "experiments/ssken/{ior,jss,kyoto,naoj,riken,superk}.yaml",
    "pagecache": "experiments/pagecache/machine.yaml",
    "merge": "experiments/merge/machine.yaml",
    "nwt": "nwt",
    "page-cache": "workstation",
}
"""The machines of each study. Real programs ran on what their logs said of a host: on no file."""

FITS = ["nwt", "page-cache"]
"""Studies whose errors are of numbers that were left out of a fit."""


def studies() -> dict[str, dict[str, list[str]]]:
    """Return the kinds of resources of each study's machines, by which a nearest one is found."""
    return {
        study: {_named(name): sorted(kinds_of(load_machine(name))) for name in _each(names)}
        for study, names in MACHINES.items()
    }


def _each(names: str) -> list[str]:
    head, _, rest = names.partition("{")
    inner, _, tail = rest.partition("}")
    return [f"{head}{one}{tail}" for one in inner.split(",")] if rest else [names]


def _named(name: str) -> str:
    return name.removeprefix("experiments/").removesuffix(".yaml").replace("/machine", "")


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
    return _entry("", "real programs, replayed", "docs/validation/reality.md", errors)


def fitted(name: str) -> list[float]:
    """Return the errors of a fit's measurements, each predicted from the others, or held out."""
    from simulator.study.calibrate import calibrate

    comparisons = calibrate(name).comparisons
    each = [one.error if one.measure.held_out else one.prediction_error for one in comparisons]
    return [error for error in each if error is not None]


def _entry(study: str, what: str, where: str, errors: Sequence[float]) -> dict[str, Any]:
    listed = [round(one, _DECIMALS) for one in errors]
    return {"study": study, "what": what, "where": where, "errors": listed}


def text() -> str:
    """Return the text of the file, with the errors of an entry on a line."""
    lines = json.dumps(found(), indent=1)
    record = json.loads(lines)
    every = [entry["errors"] for entry in record["times"] + record["rates"]]
    every += [record["fits"]]
    every += [kinds for study in record["studies"].values() for kinds in study.values()]
    for each in every:
        listed = json.dumps(each, indent=1).replace("\n", "\n   ")
        lines = lines.replace(listed, json.dumps(each))
    return lines + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
