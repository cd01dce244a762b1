"""docs/validation.md: what the simulator says beside the paper and beside theory.

    python -m simulator.report.validation --out docs/validation.md

Everything on the page is computed when the command runs; nothing is written by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from simulator import __version__
from simulator.output import placing
from simulator.report.ablations import ablation_section
from simulator.report.calibration import estimate_table, prediction_table
from simulator.report.comparison import draw_comparison
from simulator.report.ledger_page import opening, study_section, table
from simulator.report.progress import Progress
from simulator.report.reality import reality_section
from simulator.report.theory import theory_section
from simulator.run import load_plan, run_plan
from simulator.study.calibrate import calibrate
from simulator.study.calibration import Calibration
from simulator.study.ledger import Ledger
from simulator.study.oracle_table import FEWER, Figure, run_table
from simulator.study.side_by_side import ablate_studies, reproduce_studies, workers
from simulator.study.studies import study_names
from simulator.study.study import load_study

RECORDS = [
    "1",
    "4",
    "16",
    "32",
    "40",
    "50",
    "64",
    "80",
    "100",
    "160",
    "250",
    "500",
    "1000",
    "2000",
    "4000",
]
"""Record lengths in kB for which the cells are run again. All divide 512 MB and 120 MB: a last
record that is shorter breaks the prediction, and its length is rewritten after a seek."""


SHORTER = 20
"""With ``--short`` the native engine gets so much fewer samples of what theory is about."""


def record_table(name: str) -> list[list[str]]:
    """Rows of (record length, cells inside, cells outside), without noise."""
    study = load_study(name)
    rows = []
    for record in RECORDS:
        outside = []
        for cell in study.cells:
            settings = (*cell.settings, ("record", f"{record} kB"))
            result = run_plan(load_plan(study.machine, cell.workload, settings=settings))
            if not cell.holds(result.rate(cell.work) / 1e6):
                outside.append(cell.id)
        inside = len(study.cells) - len(outside)
        rows.append([f"{record} kB", f"{inside} of {len(study.cells)}", ", ".join(outside)])
    return rows


def nwt_section(
    ledger: Ledger, calibration: Calibration, records: Sequence[Sequence[str]], picture: str
) -> str:
    """The NWT's study: what the fit predicts, then what was fitted, then figures and claims."""
    every, means = len(ledger.calibrated), len(calibration.estimates)
    return study_section(
        ledger,
        "### What the model predicts",
        "Every cell of the tables took part in the fit, so their verdicts are *calibrated*. This "
        "table shows what the model can predict: each cell in turn is left out, and predicted by a "
        "fit to the eleven others (`nwtsim calibrate nwt`).",
        prediction_table(calibration, "github"),
        f"{calibration.inside} of {len(calibration.fitted)} cells are predicted inside "
        f"the range of the paper's runs; the largest error is {(calibration.worst or 0) * 100:.1f} %.",
        "### What was fitted",
        f"{every} values of the machine are fitted, {means} to the means of the cells and "
        f"{every - means} to the spread of the runs only. The {means} are fitted to the "
        f"{len(calibration.fitted)} means by least squares on the simulator itself, without "
        "noise; their uncertainties are standard errors from the scatter "
        "of the residuals. The others are standard deviations of service times between runs: they "
        "move no mean, and are taken from the range of the paper's runs.",
        estimate_table(calibration, "github"),
        "### The length of the records",
        "The paper does not give the record length of its test job; 64 kB is assumed. Without "
        "noise and with the machine unchanged, the cells come out as follows. (All these lengths divide "
        "the files: a shorter last record breaks the prediction, and costs a write-back.)",
        table(records, ["record", "cells inside", "outside"]),
        f"### Cells and claims\n\n![paper and simulation]({picture})",
    )


INTRODUCTION = """\
Each study is run by `nwtsim reproduce STUDY`; `--ablate` removes from the runs of each claim what the
paper gives as its cause. A printed number is borne out if the simulated one lies within 10 % of it, or
in the range of the paper's own runs. *By construction*: the run could hardly say otherwise.
*Calibrated*: a value of the machine was fitted to it. *Predicted*: none was. *Contradicted*: runs do not
bear it out; the reason, as far as it is known, stands beside it. *Not testable*: what is missing stands
beside it. *Data* are printed numbers that are independent of each other; *left* are those that remain
when fitted values and choices made with them in view (*tuned*) are taken off."""


def page(studies: Mapping[str, Ledger], sections: Sequence[str], oracles: Sequence[Figure]) -> str:
    """The whole page, as Markdown; ``sections`` are those of the studies."""
    return (
        "\n\n".join(
            [
                "# Validation",
                f"Written by `make validation` with nwtsim {__version__}; nothing here is written by hand. "
                "What the parts do, and what they leave out, is in [model.md](model.md).",
                opening(studies),
                INTRODUCTION,
                *sections,
                theory_section(oracles),
                reality_section(),
            ]
        )
        + "\n"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page and its picture; 0 if everything on it holds, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("docs/validation.md"))
    parser.add_argument(
        "--short",
        action="store_true",
        help="every step in short, to see that all of them work; the page is not that of the project",
    )
    options = parser.parse_args(argv)
    out: Path = options.out
    runs = 1 if options.short else None
    calibration = calibrate("nwt")
    oracles = run_table(SHORTER, FEWER // SHORTER) if options.short else run_table()
    names = study_names()
    with Progress.of_studies(sys.stderr, names, workers()) as progress:
        made = reproduce_studies(names, runs=runs, jobs=workers(), heard=progress.heard)
        matrices = ablate_studies(names, runs=runs, jobs=workers(), heard=progress.heard)
    studies = dict(zip(names, made, strict=True))
    picture = out.with_suffix(".png")
    draw_comparison(studies["nwt"], picture)
    sections = []
    for ledger, matrix in zip(made, matrices, strict=True):
        if ledger.study.name == "nwt":
            text = nwt_section(ledger, calibration, record_table("nwt"), picture.name)
        else:
            text = study_section(ledger)
        sections.append(f"{text}\n\n{ablation_section(matrix)}")
    with placing(out) as part:
        part.write_text(page(studies, sections, oracles), encoding="utf-8")
    print(f"wrote {out} and {picture}")
    passed = all(one.passed for one in made) and all(one.passed for one in matrices)
    return 0 if passed and all(one.ok for one in oracles) else 1


if __name__ == "__main__":
    raise SystemExit(main())
