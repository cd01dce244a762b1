"""``nwtsim reproduce``: published tables beside the simulator's."""

from __future__ import annotations

import argparse
import sys

from simulator.cli import options

_TEXT = """\
Compare the tables of a published study with simulated ones, cell by cell, with a verdict for each,
and check the claims of its authors against simulated runs. A cell is inside if the mean of the
simulated runs lies between the smallest and the largest of the published runs, or in the band that
the study defines for a single figure. `all` prints one line per study."""

_EXAMPLES = """\
  nwtsim reproduce nwt
  nwtsim reproduce nwt --runs 100 --seed 7 --format json
  nwtsim reproduce all"""

ALL = "all"
MOST_RUNS = 100_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from simulator.study.studies import DEFAULT_SEED, study_names

    options.describe(parser, _TEXT, _EXAMPLES)
    parser.epilog = f"{parser.epilog}; 1 if a cell is outside or a claim fails"
    names = [*study_names(), ALL]
    parser.add_argument(
        "study", metavar="STUDY", choices=names, help=f"a shipped study: {', '.join(names)}"
    )
    parser.add_argument(
        "--runs", metavar="N", type=_runs, help="runs per cell (default: as many as published)"
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=options.seed,
        help=f"seed of the random variation of service times (default: {DEFAULT_SEED})",
    )
    options.add_engine(parser)
    options.add_format(parser, "table", "json", "csv")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import show
    from simulator.study.studies import (
        DEFAULT_SEED,
        check_engine,
        render_all,
        render_study,
        reproduce_study,
        study_names,
    )

    every = arguments.study == ALL
    names = study_names() if every else [arguments.study]
    check_engine(names, options.engine_name(arguments.engine))
    made = [
        reproduce_study(
            name,
            runs=arguments.runs,
            seed=DEFAULT_SEED if arguments.seed is None else arguments.seed,
            engine=options.engine_name(arguments.engine),
            progress=sys.stderr.isatty(),
        )
        for name in names
    ]
    form = arguments.format
    show(render_all(made, form) if every else render_study(arguments.study, made[0], form))
    return 0 if all(one.passed for one in made) else 1


def _runs(text: str) -> int:
    return options.whole(text, 1, MOST_RUNS)
