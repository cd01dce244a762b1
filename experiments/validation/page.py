"""docs/validation.md: what the simulator says beside the paper and beside theory.

    python -m experiments.validation.page --out docs/validation.md

Everything on the page is computed when the command runs; nothing is written by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from simulator import __version__
from simulator.output import placing
from simulator.report.progress import Progress
from simulator.study.side_by_side import ABLATE, REPRODUCE, side_by_side, workers
from simulator.study.studies import DEFAULT_SEED, study_names

from ..nwt.predictions import predictions
from .ablation_tables import ablation_section
from .assumption_tables import assumption_section
from .cells_page import nwt_section, record_table
from .comparison import draw_comparison
from .in_a_minute import in_a_minute
from .ledger_page import study_section
from .mutants import mutants_section
from .null_tables import null_blocks
from .nulls import null_study
from .oracle_table import FEWER, Figure, run_table
from .reality import reality_section
from .seeds import count_seeds
from .theory_section import theory_section

SEEDS = 100
SHORTER = 20
"""With ``--short`` the native engine gets so much fewer samples of what theory is about."""


INTRODUCTION = """\
Each study is run by `nwtsim reproduce STUDY`; `--ablate` removes from the runs of each claim what the
paper gives as its cause. A printed number is borne out if the simulated one lies within 10 % of it, or
in the range of the paper's own runs. *By construction*: the run could hardly say otherwise.
*Calibrated*: a value of the machine was fitted to it. *Predicted*: none was. *Contradicted*: runs do not
bear it out; the reason, as far as it is known, stands beside it. *Not testable*: what is missing stands
beside it. *Formulas without a machine* have about as many constants as the simulator has fitted values,
and are fitted to the same numbers: what they bear out as well is no proof of a simulator. *Data* are
printed numbers that are independent of each other; *left* are those that remain when fitted values and
choices made with them in view (*tuned*) are taken off."""


def page(first: str, sections: Sequence[str], oracles: Sequence[Figure]) -> str:
    """The whole page, as Markdown: what can be read in a minute, studies, and the other proofs."""
    return (
        "\n\n".join(
            [
                "# Validation",
                f"Written by `make validation` with nwtsim {__version__}; nothing here is written by hand. "
                "What the parts do, and what they leave out, is in [model.md](model.md).",
                first,
                INTRODUCTION,
                *sections,
                f"## How strong the claims are\n\n{assumption_section()}",
                theory_section(oracles),
                reality_section(),
                *filter(None, [mutants_section()]),
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
    predicted = predictions("nwt")
    seeds = count_seeds("nwt", 2 if options.short else SEEDS, first=DEFAULT_SEED)
    oracles = run_table(SHORTER, FEWER // SHORTER) if options.short else run_table()
    names = study_names()
    with Progress.of_studies(sys.stderr, names, workers()) as progress:
        made = side_by_side(REPRODUCE, names, runs=runs, jobs=workers(), heard=progress.heard)
        matrices = side_by_side(ABLATE, names, runs=runs, jobs=workers(), heard=progress.heard)
    studies = dict(zip(names, made, strict=True))
    nulls = {name: null_study(one) for name, one in studies.items()}
    picture = out.with_suffix(".png")
    left_out = {one.cell.id: one.rates[0] for one in predicted.models[0].left_out if one.rates}
    draw_comparison(studies["nwt"], picture, left_out)
    sections = []
    for ledger, matrix in zip(made, matrices, strict=True):
        null = nulls[ledger.study.name]
        if ledger.study.name == "nwt":
            text = nwt_section(ledger, predicted, null, seeds, record_table("nwt"), picture.name)
        else:
            text = study_section(ledger, *null_blocks(null, "github"), "### Figures and claims")
        sections.append(f"{text}\n\n{ablation_section(matrix)}")
    with placing(out) as part:
        first = in_a_minute(studies, nulls, matrices, predicted, seeds, oracles)
        part.write_text(page(first, sections, oracles), encoding="utf-8")
    print(f"wrote {out} and {picture}")
    passed = all(one.passed for one in made) and all(one.passed for one in matrices)
    return 0 if passed and all(one.ok for one in oracles) else 1


if __name__ == "__main__":
    raise SystemExit(main())
