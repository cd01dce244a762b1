"""docs/validation.md: what the simulator says beside the paper and beside theory.

    python -m simulator.report.validation --out docs/validation.md

Everything on the page is computed when the command runs; nothing is written by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from simulator import __version__
from simulator.output import placing
from simulator.report.calibration import estimate_table, prediction_table
from simulator.report.comparison import draw_comparison
from simulator.report.ledger_page import ledger_sections, untestable_claims
from simulator.report.progress import Progress
from simulator.report.reality import reality_section
from simulator.report.tables import fitted_values
from simulator.run import load_plan, run_plan
from simulator.study.calibrate import calibrate
from simulator.study.calibration import Calibration
from simulator.study.oracle_rows import OracleRow
from simulator.study.oracle_table import FEWER, Figure, run_table
from simulator.study.reproduce import Reproduction, reproduce
from simulator.study.side_by_side import reproduce_studies, workers
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


def page(
    reproduction: Reproduction,
    calibration: Calibration,
    records: Sequence[Sequence[str]],
    oracles: Sequence[Figure],
    picture: str,
    ledger: str,
) -> str:
    """The whole page, as Markdown."""
    return (
        "\n\n".join(
            [
                "# Validation",
                f"Written by `make validation` with nwtsim {__version__}; nothing here is written by hand. "
                "What the parts do, and what they leave out, is in [model.md](model.md).",
                f"## The tables of the NWT paper\n\n![paper and simulation]({picture})",
                f"Rates in MB/s (10^6 bytes per second); seed {reproduction.seed}, each cell run as "
                f"often as in the paper. The rule: {reproduction.study.rule}.",
                _cells(reproduction),
                "## What was fitted, and what the fit predicts",
                f"{fitted_values(reproduction)}. The {len(calibration.estimates)} are fitted to the "
                f"{len(calibration.fitted)} means by least squares on the simulator itself, without "
                "noise (`nwtsim calibrate nwt`); their uncertainties are standard errors from the scatter "
                "of the residuals. The others are standard deviations of service times between runs: they "
                "move no mean, and are taken from the range of the paper's runs.",
                estimate_table(calibration, "github"),
                "Because every cell takes part in the fit, the table above does not show what the "
                "model can predict. This one does: each cell in turn is left out, and predicted by a "
                "fit to the eleven others.",
                prediction_table(calibration, "github"),
                f"{calibration.inside} of {len(calibration.fitted)} cells are predicted inside "
                f"the range of the paper's runs; the largest error is {(calibration.worst or 0) * 100:.1f} %.",
                "## The length of the records",
                "The paper does not give the record length of its test job; 64 kB is assumed. Without "
                "noise and with the machine unchanged, the cells come out as follows. (All these lengths divide "
                "the files: a shorter last record breaks the prediction, and costs a write-back.)",
                _table(records, ["record", "cells inside", "outside"]),
                "## The claims of the paper",
                _claims(reproduction),
                ledger,
                "## Theory",
                "Queueing theory and other exact results, against machines and jobs that are written as a user "
                "would write them (`simulator/study/oracles*.py`), with fixed seeds. The tolerance is 4 to 5 standard errors of "
                "the simulated figure, or what the theory leaves open. Both engines compute each figure, the reference "
                f"engine from a {FEWER}th of the samples, and so with ten times the tolerance; services run on the "
                "reference engine alone, with all samples.",
                _oracles(oracles),
                reality_section(),
            ]
        )
        + "\n"
    )


def _table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    return tabulate(rows, headers=head, tablefmt="github", disable_numparse=True)


def _cells(reproduction: Reproduction) -> str:
    rows = []
    for one in reproduction.cells:
        cell = one.cell
        rows.append(
            [
                cell.table,
                cell.id,
                f"{cell.mean:.1f} ({cell.low:.1f} - {cell.high:.1f})",
                f"{one.mean:.1f} ({min(one.rates):.1f} - {max(one.rates):.1f})",
                f"{(one.mean / cell.mean - 1) * 100:+.1f} %",
                cell.role,
                "inside" if one.inside else "**outside**",
            ]
        )
    head = ["table", "cell", "paper (range)", "simulated (range)", "error", "role", "verdict"]
    return _table(rows, head)


def _claims(reproduction: Reproduction) -> str:
    rows = []
    for one in reproduction.claims:
        figures = "; ".join(f"{key} {value:.4g}" for key, value in one.figures.items())
        verdict = "holds" if one.holds else "**fails**"
        rows.append([one.claim.id, one.claim.text, one.claim.rule, figures, verdict])
    return _table(rows, ["claim", "the paper says", "rule", "figures", "verdict"])


def _oracles(oracles: Sequence[Figure]) -> str:
    rows = []
    for one in oracles:
        row = one.reference
        figures = [_simulated(one.native), _simulated(row)]
        verdict = "agrees" if one.ok else "**disagrees**"
        rows.append([row.id, row.name, f"{row.expected:.7g}", *figures, verdict])
    head = ["oracle", "figure", "theory", "native engine", "reference engine", "verdict"]
    return _table(rows, head)


def _simulated(row: OracleRow | None) -> str:
    if row is None:
        return ""
    return f"{row.simulated:.7g} ± {row.tolerance:.2g}" if row.tolerance else f"{row.simulated:.7g}"


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
    reproduction = reproduce("nwt", runs=runs)
    calibration = calibrate("nwt")
    oracles = run_table(SHORTER, FEWER // SHORTER) if options.short else run_table()
    others = [name for name in study_names() if name != "nwt"]
    with Progress.of_studies(sys.stderr, others, workers()) as progress:
        made = reproduce_studies(others, runs=runs, jobs=workers(), heard=progress.heard)
    studies = dict(zip(others, made, strict=True))
    untestable = untestable_claims(
        load_study("nwt").untestable, "Claims of the NWT paper that no run can decide:"
    )
    ledger = ledger_sections({"nwt": reproduction, **studies}, [untestable])
    picture = out.with_suffix(".png")
    draw_comparison(reproduction, picture)
    text = page(reproduction, calibration, record_table("nwt"), oracles, picture.name, ledger)
    with placing(out) as part:
        part.write_text(text, encoding="utf-8")
    print(f"wrote {out} and {picture}")
    passed = all(one.passed for one in (reproduction, *studies.values()))
    return 0 if passed and all(one.ok for one in oracles) else 1


if __name__ == "__main__":
    raise SystemExit(main())
