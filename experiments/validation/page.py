"""docs/validation.md, and a page for each study, theory and real programs in docs/validation/.

    python -m experiments.validation.page --out docs/validation.md

Everything on the pages is computed when the command runs; nothing is written by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator import __version__
from simulator.output import placing
from simulator.report.calibration import estimate_table
from simulator.report.progress import Progress
from simulator.study.ledger import Ledger
from simulator.study.side_by_side import side_by_side, workers
from simulator.study.studies import DEFAULT_SEED, reproduce_study, study_names
from simulator.wording import command_line

from ..nwt.prediction_tables import prediction_blocks
from ..nwt.predictions import predictions
from .ablations import AblationResults, ablate, summary
from .assumption_tables import assumption_section
from .blind import blind_page
from .comparison import draw_comparison
from .in_a_minute import in_a_minute
from .ledger_page import study_page, unpadded
from .null_tables import null_section
from .nulls import NullStudy, null_study
from .oracle_table import FEWER, run_table, theory_section
from .reality import reality_page
from .seeds import count_seeds, seeds_text

if TYPE_CHECKING:
    from simulator.study.ledger import Ledger

    from ..nwt.predictions import Predictions
    from .seeds import Seeds


SEEDS = 100
SHORTER = 20
"""Divisor of the native engine's samples for theory with ``--short``."""

PROVES = """\
**What a verdict means.** A printed number is confirmed if the simulated one is within 10 % of it, or
half a unit of its last digit if that is more; or in the printed range, or in that of the paper's own
runs. *By construction*: the run could hardly differ. *Calibrated*: a value of the machine was fitted to
it, or to a sum of which it is an addend. *Dependent*: it is a total of others, or repeats one to which a
value was fitted. *Predicted*: neither, as the study's file states (SS-ken: as what each measures tells);
of claims only those that fewer than half of 40 random machines bear out
([assumptions.md](assumptions.md#claims-that-demand-nothing)), the others being *undemanding*. *Contradicted*:
runs contradict it. *Not testable*: something is missing, or the text does not determine it; both are
counted over numbers and claims of every role. Only predicted claims in the papers' own words are counted.
*Data* are printed numbers that are independent of each other; *left* is their number less fitted values
and choices made with them in view (*tuned*). A fitted value counts once, wherever it stands, and not if
it is fitted to the spread of runs.

**What it proves.** Claims depend on their stated causes: each confirmed claim that could fail does fail
without its cause. Those that hold on every plausible machine do not depend on what the papers leave open.
Both engines agree with theory, and with each other to the nanosecond where both can run (Orion and Ninf
run on one).

**What it does not prove.** The simulator does not predict these numbers better than formulas, or than no
model at all, where the table above says so. The fitted values need not be those of the machines: most
studies have fewer printed numbers than fitted values and choices (*left* below 0), so that agreement of
calibrated numbers proves little. Assumed values may be wrong; [assumptions.md](assumptions.md) lists
the claims that would change."""


def front_page(first: str, studies: Mapping[str, Ledger], picture: str) -> str:
    """Return docs/validation.md: the result, the evidence, and links to the rest."""
    links = [
        *(f"- [{one.study.title}](validation/{name}.md)" for name, one in studies.items()),
        "- [Theory](validation/theory.md): queues, caches and disks whose law is known exactly",
        "- [Real programs](validation/reality.md): slow programs of this year, timed with their cures",
        "- [Blind predictions](validation/blind.md): committed before their results were measured, or seen",
    ]
    return unpadded(
        "\n\n".join(
            [
                "# Validation",
                f"Written by `make validation` with nwtsim {__version__}, from runs; nothing here is "
                "written by hand. What the parts do, and what they leave out, is in [model.md](model.md).",
                "## The result",
                first,
                f"![the NWT's tables: paper, fitted and predicted]({picture})",
                "## What it proves, and what not",
                "\n\n".join(" ".join(one.split()) for one in PROVES.split("\n\n")),
                "## Page by page",
                "\n".join(links),
                "`nwtsim reproduce STUDY --full` prints each figure, claim and rule, `--ablate` what turns "
                "each claim, `--assumptions` its strength on other machines, `--seeds` how much is the seed.",
            ]
        )
        + "\n"
    )


def page_of(ledger: Ledger, matrix: AblationResults, null: NullStudy, *own: str) -> str:
    """Return the page of a study; ``own``: its additional sections."""
    name = ledger.study.name
    command = command_line("nwtsim", "reproduce", name, "--ablate")
    ablated = f"## Without its cause\n\n{summary(matrix)} `{command}` prints each."
    return study_page(ledger, *own, ablated, *assumption_section(name), *null_section(null))


def main(argv: Sequence[str] | None = None) -> int:
    """Write the pages and the picture; 0 if all results are as expected, otherwise 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("docs/validation.md"))
    parser.add_argument(
        "--short",
        action="store_true",
        help="every step in short, to see that all of them work; the pages are not those of the project",
    )
    options = parser.parse_args(argv)
    out: Path = options.out
    folder = out.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    runs = 1 if options.short else None
    predicted = predictions("nwt")
    seeds = count_seeds("nwt", 2 if options.short else SEEDS, first=DEFAULT_SEED)
    oracles = run_table(SHORTER, FEWER // SHORTER) if options.short else run_table()
    names = study_names()
    with Progress.of_studies(sys.stderr, names, workers()) as progress:
        made = side_by_side(reproduce_study, names, runs=runs, jobs=workers(), heard=progress.heard)
        matrices = side_by_side(ablate, names, runs=runs, jobs=workers(), heard=progress.heard)
    studies = dict(zip(names, made, strict=True))
    nulls = {name: null_study(one) for name, one in studies.items()}
    picture = out.with_suffix(".png")
    left_out = {one.cell.id: one.rates[0] for one in predicted.models[0].left_out if one.rates}
    draw_comparison(studies["nwt"], picture, left_out)
    first = in_a_minute(studies, nulls, matrices, predicted, seeds, oracles)
    pages = {
        out: front_page(first, studies, picture.name),
        folder / "theory.md": unpadded(theory_section(oracles)),
        folder / "reality.md": reality_page(),
        folder / "blind.md": blind_page(),
    }
    own = {"nwt": nwt_blocks(studies["nwt"], predicted, seeds)}
    for (name, ledger), matrix in zip(studies.items(), matrices, strict=True):
        text = page_of(ledger, matrix, nulls[name], *own.get(name, ()))
        pages[folder / f"{name}.md"] = text
    for path, text in pages.items():
        with placing(path) as part:
            part.write_text(text, encoding="utf-8")
    print(f"wrote {out}, {picture} and {len(pages) - 1} pages in {folder}")
    passed = all(one.passed for one in made) and all(one.passed for one in matrices)
    return 0 if passed and all(one.ok for one in oracles) else 1


# -- the page of the NWT ---------------------------------------------------------------------------


def nwt_blocks(ledger: Ledger, predictions: Predictions, seeds: Seeds) -> list[str]:
    """Return the additional sections of the NWT's page: predictions, fitted values, the seed."""
    calibration = predictions.calibration
    every, means = len(ledger.calibrated), len(calibration.estimates)
    return [
        "## What the model predicts",
        "Every cell of the tables took part in the fit, so their verdicts are *calibrated*. What "
        "the model can predict is here.",
        *prediction_blocks(predictions, "github"),
        "## What was fitted",
        f"{every} values of the machine are fitted, {means} to the means of the cells and "
        f"{every - means} to the spread of the runs only. The {means} are fitted to the "
        f"{len(calibration.fitted)} means by least squares on the simulator itself, without "
        "noise (`nwtsim calibrate nwt`); their uncertainties are standard errors from the scatter "
        "of the residuals. The others are standard deviations of service times between runs: they "
        "move no mean, and are taken from the range of the paper's runs.",
        estimate_table(calibration),
        "## Seeds",
        seeds_text(seeds),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
