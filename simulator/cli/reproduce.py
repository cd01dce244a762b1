"""``nwtsim reproduce``: published tables beside the simulator's."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from simulator.cli import options, reproduce_assumptions
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.study.ledger import Ledger

_TEXT = """\
Compare the printed numbers of published studies with simulated ones, and check the claims of their
authors. A number is borne out if the simulated one is within 10 % of it, or within the range that
the paper prints. Each verdict is one of five: by construction (the run could hardly say otherwise),
calibrated (a value was fitted to it), predicted, contradicted, or not testable (with what is
missing). Contradictions that the study lists are expected and counted. One screen is printed for
a study; --full adds every figure, claim and assumption, and formulas without a machine, fitted to
the same numbers: what they bear out as well needs no simulator.

With --ablate, remove from all runs of each claim what the paper gives as its cause: its verdict
must turn. With --seeds, run only the cells of the tables, with many seeds, and count those that put
all means inside. With --assumptions, draw other machines from what is assumed, fit each again, and
count on how many each claim holds; after an interruption the same command continues. Several
studies run side by side; with --short, or as `all`, each is one line."""

_EXAMPLES = """\
  nwtsim reproduce nwt
  nwtsim reproduce nwt --full
  nwtsim reproduce nwt --runs 100 --seed 7 --format json
  nwtsim reproduce sr8000 orion ninf ssken --short
  nwtsim reproduce nwt --ablate
  nwtsim reproduce nwt --seeds 100
  nwtsim reproduce nwt --assumptions
  nwtsim reproduce all"""

ALL = "all"
MOST_RUNS = 100_000
MOST_SEEDS = 10_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from simulator.study.studies import DEFAULT_SEED, study_names

    options.describe(parser, _TEXT, _EXAMPLES)
    parser.epilog = f"{parser.epilog}; 1 if a verdict is not the expected one"
    names = [*study_names(), ALL]
    parser.add_argument(
        "studies",
        metavar="STUDY",
        nargs="+",
        choices=names,
        help=f"a shipped study, or several: {', '.join(names)}",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="print every figure, claim and assumption, and what formulas without a machine say",
    )
    parser.add_argument("--short", action="store_true", help="print one line for each study")
    parser.add_argument(
        "--ablate",
        action="store_true",
        help="remove from each claim's runs what must make it fail, and print the verdicts",
    )
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=_seeds,
        help="count with how many of N seeds all cells are inside, in stratified and in free runs",
    )
    reproduce_assumptions.add_options(parser)
    parser.add_argument(
        "--runs", metavar="N", type=_runs, help="runs per cell (default: as many as published)"
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=options.seed,
        help=f"seed of the random variation of service times (default: {DEFAULT_SEED})",
    )
    parser.add_argument(
        "--jobs",
        type=options.jobs,
        metavar="N",
        help="number of studies, or of machines, that run at the same time, each in"
        " a process (default: 2, or 1 on a single CPU); does not change the result",
    )
    options.add_engine(parser)
    options.add_format(parser, "table", "json", "csv")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    if arguments.keep is not None and arguments.assumptions is None:
        raise InputError("--keep: goes with --assumptions, whose points it keeps")
    if arguments.assumptions is not None:
        return reproduce_assumptions.run(arguments)
    if arguments.seeds is not None:
        return _count_seeds(arguments)
    from simulator.experiments.validation.ablation_tables import render_ablations
    from simulator.output import show
    from simulator.report.first_screen import first_screen, study_line
    from simulator.report.ledger import render_all, render_ledger, render_studies
    from simulator.report.progress import Progress
    from simulator.study.side_by_side import ABLATE, REPRODUCE, side_by_side, workers
    from simulator.study.studies import DEFAULT_SEED, check_engine, study_names

    every = ALL in arguments.studies
    names = study_names() if every else list(dict.fromkeys(arguments.studies))
    if arguments.ablate and arguments.format == "csv":
        raise InputError("--ablate --format csv: there are table and json")
    engine = options.engine_name(arguments.engine)
    check_engine(names, engine)
    jobs = min(arguments.jobs or workers(), len(names))
    options_of_all = {
        "runs": arguments.runs,
        "seed": DEFAULT_SEED if arguments.seed is None else arguments.seed,
        "engine": engine,
        "jobs": jobs,
    }
    form = arguments.format
    with Progress.of_studies(sys.stderr, names, jobs, arguments.runs) as progress:
        if arguments.ablate:
            matrices = side_by_side(ABLATE, names, **options_of_all, heard=progress.heard)
        else:
            made = side_by_side(REPRODUCE, names, **options_of_all, heard=progress.heard)
    if arguments.ablate:
        show(render_ablations(matrices, form))
        return 0 if all(one.passed for one in matrices) else 1
    if form == "table" and arguments.short:
        show("\n".join(map(study_line, made)) + "\n")
    elif every or arguments.short:
        show(render_all(made, form))
    elif form != "table":
        show(render_ledger(made[0], form) if len(made) == 1 else render_studies(made, form))
    else:
        show("\n\n".join(map(_full if arguments.full else first_screen, made)))
    return 0 if all(one.passed for one in made) else 1


def _full(made: Ledger) -> str:
    """All that there is of a study."""
    from simulator.experiments.nwt.prediction_tables import predicted_blocks
    from simulator.experiments.validation.ledger_page import claim_rules
    from simulator.experiments.validation.null_tables import formula_blocks
    from simulator.report.ledger import render_ledger

    text = render_ledger(made, "table", [*predicted_blocks(made), *formula_blocks(made)])
    return f"{text}\n{claim_rules(made)}"


def _count_seeds(arguments: argparse.Namespace) -> int:
    """Carry out the command with many seeds."""
    from simulator.experiments.validation.seeds import count_seeds, render_seeds
    from simulator.output import show
    from simulator.report.progress import Progress
    from simulator.study.studies import DEFAULT_SEED
    from simulator.study.study import calibrated_names

    if arguments.ablate or arguments.short or len(arguments.studies) > 1:
        raise InputError("--seeds: takes one study, without --ablate and --short")
    if arguments.format == "csv":
        raise InputError("--seeds --format csv: there are table and json")
    (name,) = arguments.studies
    if name not in calibrated_names():
        known = ", ".join(calibrated_names())
        raise InputError(f"--seeds: {name} has no tables of repeated runs; {known} has")
    with Progress(sys.stderr, {name: 0.5 * arguments.seeds}, 1) as progress:
        made = count_seeds(
            name,
            arguments.seeds,
            first=DEFAULT_SEED if arguments.seed is None else arguments.seed,
            runs=arguments.runs,
            engine=options.engine_name(arguments.engine),
            tell=lambda share: progress.heard(name, share),
        )
    show(render_seeds(made, arguments.format))
    return 0


def _seeds(text: str) -> int:
    return options.whole(text, 1, MOST_SEEDS)


def _runs(text: str) -> int:
    return options.whole(text, 1, MOST_RUNS)
