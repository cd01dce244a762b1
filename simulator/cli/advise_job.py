"""``nwtsim advise MACHINE WORKLOAD``: what would make a job faster."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from simulator.cli import options

if TYPE_CHECKING:
    from simulator.answers.advise import Advised
    from simulator.answers.limits import Limits
    from simulator.run import Run


def advise_job(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import placing_if, show
    from simulator.report.advise import advice_json, advice_text
    from simulator.run import prepare_run

    machine, workload = arguments.inputs
    asked = prepare_run(
        machine,
        workload,
        arguments.settings,
        seed=arguments.seed,
        engine=arguments.engine,
        hears=options.Heard().listener,
    )
    options.check_files(arguments, "out", "html")
    with placing_if(arguments.out) as out, placing_if(arguments.html) as html:
        advised = _advised(arguments, asked)
        if html is not None:
            from simulator.report.html.advise import advice_page

            words = ["nwtsim", "advise", machine, workload, *options.words_of(arguments)]
            title = f"{asked.plan.workload} on {asked.plan.machine}"
            show(advice_page(advised, title, options.with_limits(words, arguments)), html)
        as_json = arguments.format == "json"
        show(advice_json(advised) if as_json else advice_text(advised), out)
    return 0


def _advised(arguments: argparse.Namespace, asked: Run) -> Advised:
    """Run the job, its levers and its cures."""
    from simulator.answers.again import InputsAgain
    from simulator.answers.ask import NotAsked, ask_limits
    from simulator.answers.jobs import JobRun, advise_job
    from simulator.report.composed import sources_of

    with options.watching() as watching:
        more = options.MOST_LIMITS if arguments.limits else 0
        result = asked.result(more=more, watch=watching)
    again = InputsAgain(asked.inputs, seed=asked.seed, engine=asked.engine)
    shown = arguments.progress
    limits: Limits | NotAsked | None = None
    if arguments.limits is not False:
        wanted, job = arguments.limits, arguments.job
        limits = ask_limits(again, asked.plan, result, wanted=wanted, job=job, progress=shown)
    notes = []
    if isinstance(limits, NotAsked):
        notes.append(NOT_ASKED.format(runs=limits.runs))
        limits = None
    command = ["nwtsim", "run", *arguments.inputs, *options.words_of(arguments)]
    made = JobRun(again, result, limits, command, arguments.job)
    sources = sources_of(asked.inputs.machine, asked.inputs.workload)
    values = {_DOUBTFUL[kind]: count for kind, count in sources.items() if kind in _DOUBTFUL}
    unknown = {"values": values}
    return advise_job(made, limits, unknown=unknown, notes=notes, progress=shown)


NOT_ASKED = (
    "Changes of the machine were not looked for, since that takes up to {runs} runs as long as this"
    " one (--limits does)."
)
_DOUBTFUL = {
    "calibrated": "calibrated",
    "assumed": "assumed",
    "unstated": "unsourced",
    "default": "default",
}
"""Sources of values that nobody has measured or printed, and what they are called."""
