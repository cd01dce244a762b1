"""``nwtsim reproduce``: published tables beside the simulator's.

Compare the printed numbers of published studies with simulated ones, and check the claims of their
authors. A number is borne out, or inside, if the simulated one is within 10 % of it, or within half
a unit of its last digit if that is more; or within the range that the paper prints, or of its own
runs. Each verdict is one of seven: by construction (the run could hardly say otherwise), calibrated
(a value was fitted to it, or to a sum with it), dependent (a total, or a repetition of a calibrated
number), predicted, undemanding (a claim that half of random machines bear out too, see
--demanding), contradicted, or not testable (with what is missing). Contradictions that the study
lists are expected and counted. One screen is printed for a study; --full adds every figure,
claim and assumption, and formulas without a machine, fitted to the same numbers: what they bear out
as well needs no simulator.

With --ablate, remove from all runs of each claim what the paper gives as its cause: its verdict
must turn. With --seeds, run only the cells of the tables, with many seeds, and count those that put
all means inside. With --assumptions, draw other machines from what is assumed, fit each again, and
count on how many each claim holds; after an interruption the same command continues. With
--demanding, count on how many machines of any rates and times, not fitted, each claim holds to
which nothing was fitted: one that half of them bear out demands nothing of the machine. Several
studies run side by side; with --short, or as `all`, each is one line. With --production (of nwt)
the jobs of its tables 2.1, 2.2 and 4.1 are run through a queue, and compared with predictions.

Examples:
  nwtsim reproduce nwt
  nwtsim reproduce nwt --full
  nwtsim reproduce ninf sr8000 --html page.html
  nwtsim reproduce nwt --runs 100 --seed 7 --format json
  nwtsim reproduce sr8000 orion ninf ssken --short
  nwtsim reproduce nwt --ablate
  nwtsim reproduce nwt --seeds 100
  nwtsim reproduce nwt --assumptions
  nwtsim reproduce ninf --demanding
  nwtsim reproduce nwt --production
  nwtsim reproduce all
"""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli import many, options, shared
from simulator.cli.shared import Table
from simulator.errors import InputError
from simulator.stopping import NOTHING, DeferredInterrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from simulator.report.progress import Progress
    from simulator.study.executors import Executor
    from simulator.study.ledger import Ledger
    from simulator.study.side_by_side import Made

ALL = "all"
OWN = 0
"""The option without a number: the study's own."""
POINT_S = {"nwt": 1.4, "sr8000": 9.0, "orion": 7.0, "ninf": 20.0, "ssken": 3.0}
"""CPU time of a point, as measured once."""


CODES = f"{options.CODES}; 1 if a verdict is not the expected one"


def table() -> Table:
    """Return the options."""
    from simulator.study.studies import DEFAULT_SEED, study_names

    names = [*study_names(), ALL]
    return {
        "studies STUDY +": (
            f"a shipped study, or several: {', '.join(names)}",
            {"choices": names},
        ),
        "--full": "print every figure, claim and assumption, and what formulas without a machine"
        " say",
        "--short": "print one line for each study",
        "--ablate": "remove from each claim's runs what must make it fail, and print the verdicts",
        "--production": "run the centre: five years of jobs in its queue, and table 4.1 beside a"
        " stored run of two months with their data; with --full run these, and changes, again"
        " (some minutes)",
        "--seeds N 1..10000": "count with how many of N seeds all cells are inside, in stratified"
        " and in free runs",
        "--assumptions N 1..100000": (
            "draw N machines (default: the study's own number) from the ranges of what is assumed,"
            " fit each again, and print on how many plausible ones each claim holds",
            {"nargs": "?", "const": OWN},
        ),
        "--demanding N 1..100000": (
            "draw N machines (default: 40) whose rates and times are all off by some factor within"
            " a decade, and print on how many each claim holds to which nothing was fitted",
            {"nargs": "?", "const": OWN},
        ),
        "--keep FILE file": "with --assumptions: keep the points in FILE, for a later command with"
        " more of them (default: STUDY.assumptions.part, until the end)",
        "executor": "",
        "--runs N 1..100000": "runs per cell (default: as many as published)",
        f"--seed N seed={DEFAULT_SEED}": "seed of the random variation of service times (default:"
        f" {DEFAULT_SEED})",
        f"--jobs N 1..{shared.MOST_JOBS}": "number of studies, or of machines, that run at the"
        " same time, each in a process (default: 2, or 1 on a single CPU); does not change the"
        " result",
        "engine format:table:json:csv html": "",
    }


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    _check(arguments)
    for name, (carry_out, _) in _WAYS.items():
        if _given(arguments, name):
            return carry_out(arguments)
    from simulator.study.studies import reproduce_study

    with options.reporting(arguments) as report:
        made, page = _each(arguments, reproduce_study), None
        if arguments.html is not None:
            from simulator.experiments.validation.ledger_page import repeated
            from simulator.report.html.study import study_page

            page = study_page([*map(repeated, made)], _command(arguments))
        report(_text(arguments, made), page)
    return 0 if all(one.passed for one in made) else 1


def _given(arguments: argparse.Namespace, name: str) -> bool:
    value = getattr(arguments, name)
    return value is not None and value is not False  # 0 is the study's own number.


def _check(arguments: argparse.Namespace) -> None:
    """Raise InputError for options that do not go together."""
    if arguments.keep is not None and arguments.assumptions is None:
        raise InputError("--keep: goes with --assumptions, whose points it keeps")
    drawn = arguments.assumptions is not None or arguments.demanding is not None
    if not drawn and (arguments.executor or arguments.scheduler):
        about = "go with --assumptions or --demanding, whose points they run"
        raise InputError(f"--executor, --scheduler: {about}")
    for name, (_, refused) in _WAYS.items():
        if not _given(arguments, name):
            continue
        if other := next((one for one in refused.split() if _given(arguments, one)), None):
            raise InputError(f"--{name}: takes no --{other}; omit one of them")
        if name != "production" and arguments.html is not None:
            raise InputError(f"--html: the page has figures and claims; omit it, or --{name}")
        if name != "production" and arguments.format == "csv":
            raise InputError(f"--{name} --format csv: there are table and json")


def _ablate(arguments: argparse.Namespace) -> int:
    """Carry out the command with ``--ablate``."""
    from simulator.experiments.validation.ablations import ablate, render_ablations
    from simulator.output import show

    matrices = _each(arguments, ablate)
    show(render_ablations(matrices, arguments.format))
    return 0 if all(one.passed for one in matrices) else 1


def _production(arguments: argparse.Namespace) -> int:
    """Run the NWT as a centre."""
    from simulator.experiments.nwt.centre.page import production_page
    from simulator.experiments.nwt.centre.runs import CentreRuns
    from simulator.report.progress import Progress

    if arguments.studies != ["nwt"]:
        raise InputError("--production: only nwt is a centre; write 'nwtsim reproduce nwt'")
    full, arguments.full = arguments.full, True
    with options.reporting(arguments) as report:
        with Progress(sys.stderr, {"nwt": 300.0 if full else 30.0}, 1) as progress:
            runs = CentreRuns(
                arguments.engine,
                arguments.seed,
                full=full,
                tell=lambda share: progress.heard("nwt", share),
            )
            page = production_page(runs)
        report(page)
    return 0


def _names(arguments: argparse.Namespace) -> list[str]:
    from simulator.study.studies import study_names

    return study_names() if ALL in arguments.studies else list(dict.fromkeys(arguments.studies))


def _each(arguments: argparse.Namespace, task: Callable[..., Made]) -> list[Made]:
    """Carry out a task for the studies that are wanted, with a sign of how far it is.

    Where an interrupt ends it, a line is printed for each study that was done.
    """
    from simulator.output import show
    from simulator.report.first_screen import study_line
    from simulator.report.progress import Progress
    from simulator.study.side_by_side import side_by_side, workers
    from simulator.study.studies import check_engine

    names = _names(arguments)
    check_engine(names, arguments.engine)
    jobs = min(arguments.jobs or workers(), len(names))
    held, ended, made = DeferredInterrupt(), dict[str, Any](), list[Any]()
    with held, Progress.of_studies(sys.stderr, names, jobs, arguments.runs) as progress:
        made = side_by_side(
            task,
            names,
            jobs=jobs,
            heard=progress.heard,
            **options.values(arguments, "runs seed engine"),
            made=ended,
        )
    if held.stop is not None and arguments.format == "table" and not arguments.ablate:
        show("".join(f"{study_line(one)}\n" for one in ended.values()))
    held.end(f"{len(ended)} of {len(names)} studies done; {NOTHING}")
    return made


def _text(arguments: argparse.Namespace, made: Sequence[Ledger]) -> str:
    """Write what is printed of the studies."""
    from simulator.report.first_screen import first_screen, study_line
    from simulator.report.ledger import render_all, render_ledger

    form = arguments.format
    if form == "table" and arguments.short:
        return "\n".join(map(study_line, made)) + "\n"
    if ALL in arguments.studies or arguments.short or (form != "table" and len(made) > 1):
        return render_all(made, form)
    if form != "table":
        return render_ledger(made[0], form)
    return "\n\n".join(map(_full if arguments.full else first_screen, made))


def _full(made: Ledger) -> str:
    """All that there is of a study."""
    from simulator.experiments.validation.ledger_page import repeated
    from simulator.report.ledger import render_ledger

    known = repeated(made)
    return f"{render_ledger(made, 'table', known.fits)}\n{known.rules}"


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command that makes the same numbers."""
    words = options.words_of(arguments, "runs seed engine")
    return ["nwtsim", "reproduce", *arguments.studies, *words]


def _count_seeds(arguments: argparse.Namespace) -> int:
    """Carry out the command with many seeds."""
    from simulator.experiments.validation.seeds import count_seeds, render_seeds
    from simulator.output import show
    from simulator.report.progress import Progress
    from simulator.study.study_file import calibrated_names

    name, *others = arguments.studies
    if others:
        raise InputError("--seeds: takes one study")
    if name not in calibrated_names():
        known = ", ".join(calibrated_names())
        raise InputError(f"--seeds: {name} has no tables of repeated runs; {known} has")
    with Progress(sys.stderr, {name: 0.5 * arguments.seeds}, 1) as progress:
        made = count_seeds(
            name,
            arguments.seeds,
            first=arguments.seed,
            **options.values(arguments, "runs engine"),
            tell=lambda share: progress.heard(name, share),
        )
    show(render_seeds(made, arguments.format))
    return 0


@contextmanager
def _running(
    arguments: argparse.Namespace, counts: Mapping[str, int]
) -> Iterator[tuple[Executor, Progress]]:
    """Yield what runs so many machines of each study, and shows how far it is."""
    from simulator.report.progress import Progress
    from simulator.study.side_by_side import workers

    weights = {name: POINT_S.get(name, 1.0) * count for name, count in counts.items()}
    arguments.jobs = arguments.jobs or workers()
    with many.executor_of(arguments) as executor, Progress(sys.stderr, weights, 1) as progress:
        yield executor, progress


def _assumed(arguments: argparse.Namespace) -> list[str]:
    """Return the studies that are wanted, of all those of which anything is assumed."""
    from simulator.experiments.validation.assumed import assumed_studies

    names = _names(arguments)
    return assumed_studies(names) if ALL in arguments.studies else names


def _with_assumptions(arguments: argparse.Namespace) -> int:
    """Carry out the command with ``--assumptions``."""
    from simulator.experiments.validation.assumed import load_assumptions
    from simulator.experiments.validation.assumption_tables import render_assumptions
    from simulator.experiments.validation.assumptions import sweep
    from simulator.output import show
    from simulator.study.studies import check_engine

    names = _assumed(arguments)
    if arguments.keep is not None and len(names) > 1:
        raise InputError("--keep: takes one study, whose points the file has")
    check_engine(names, arguments.engine)
    counts = {name: arguments.assumptions or load_assumptions(name).points for name in names}
    records = []
    with _running(arguments, counts) as (executor, progress):
        for name, count in counts.items():
            keep = arguments.keep or Path(f"{name}.assumptions.part")
            swept = sweep(
                name,
                points=count,
                keep=keep,
                **options.values(arguments, "runs seed engine"),
                heard=partial(progress.heard, name),
                executor=executor,
            )
            for problem in swept.damaged:
                print(problem, file=sys.stderr)
            records.append(swept.to_json())
            if arguments.keep is None:
                keep.unlink(missing_ok=True)
    show(render_assumptions(records, arguments.format))
    return 0


def _demanding(arguments: argparse.Namespace) -> int:
    """Carry out the command with ``--demanding``."""
    from simulator.experiments.validation.demanding import demanding, render_demanding
    from simulator.output import show
    from simulator.study.study_file import LEAST_MACHINES

    counts = dict.fromkeys(_assumed(arguments), arguments.demanding or LEAST_MACHINES)
    with _running(arguments, counts) as (executor, progress):
        records = [
            demanding(
                name,
                machines=count,
                **options.values(arguments, "runs seed"),
                heard=partial(progress.heard, name),
                executor=executor,
            )
            for name, count in counts.items()
        ]
    show(render_demanding(records, arguments.format))
    return 0


_WAYS: dict[str, tuple[Callable[[argparse.Namespace], int], str]] = {
    "production": (_production, "ablate seeds assumptions short runs jobs keep executor"),
    "assumptions": (_with_assumptions, "ablate seeds short demanding"),
    "demanding": (_demanding, "ablate seeds short"),
    "seeds": (_count_seeds, "ablate short"),
    "ablate": (_ablate, ""),
}
"""Options that make something else of studies: what does, and options that none goes with."""
