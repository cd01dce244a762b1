"""``nwtsim reproduce STUDY --assumptions``: claims on machines drawn from what is assumed."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from simulator.cli import options
from simulator.errors import InputError

MOST_POINTS = 100_000
OWN = 0
"""What the option is without a number: the study's own."""
POINT_S = {"nwt": 1.4, "sr8000": 9.0, "orion": 7.0, "ninf": 20.0, "ssken": 3.0}
"""CPU time of a point, as measured once."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sweep."""
    parser.add_argument(
        "--assumptions",
        metavar="N",
        nargs="?",
        const=OWN,
        type=_points,
        help="draw N machines (default: the study's own number) from the ranges of what is assumed,"
        " fit each again, and print on how many plausible ones each claim holds",
    )
    parser.add_argument(
        "--keep",
        metavar="FILE",
        type=Path,
        help="with --assumptions: keep the points in FILE, for a later command with more of them"
        " (default: STUDY.assumptions.part, until the end)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command with ``--assumptions``."""
    from simulator.experiments.validation.assumed import assumed_studies, load_assumptions
    from simulator.experiments.validation.assumption_tables import render_assumptions
    from simulator.experiments.validation.assumptions import sweep
    from simulator.output import show
    from simulator.report.progress import Progress
    from simulator.study.side_by_side import workers
    from simulator.study.studies import DEFAULT_SEED, check_engine, study_names

    if arguments.ablate or arguments.short or arguments.seeds is not None:
        raise InputError("--assumptions: takes neither --ablate nor --seeds nor --short")
    if arguments.format == "csv":
        raise InputError("--assumptions --format csv: there are table and json")
    known = assumed_studies(study_names())
    names = known if "all" in arguments.studies else list(dict.fromkeys(arguments.studies))
    if arguments.keep is not None and len(names) > 1:
        raise InputError("--keep: takes one study, whose points the file has")
    engine = options.engine_name(arguments.engine)
    check_engine(names, engine)
    counts = {name: arguments.assumptions or load_assumptions(name).points for name in names}
    weights = {name: POINT_S.get(name, 1.0) * count for name, count in counts.items()}
    jobs = arguments.jobs or workers()
    records = []
    with Progress(sys.stderr, weights, 1) as progress:
        for name in names:
            keep = arguments.keep or Path(f"{name}.assumptions.part")
            swept = sweep(
                name,
                points=counts[name],
                seed=DEFAULT_SEED if arguments.seed is None else arguments.seed,
                runs=arguments.runs,
                engine=engine,
                jobs=jobs,
                keep=keep,
                heard=partial(progress.heard, name),
            )
            for problem in swept.damaged:
                print(problem, file=sys.stderr)
            records.append(swept.to_json())
            if arguments.keep is None:
                keep.unlink(missing_ok=True)
    show(render_assumptions(records, arguments.format))
    return 0


def _points(text: str) -> int:
    return options.whole(text, 1, MOST_POINTS)
