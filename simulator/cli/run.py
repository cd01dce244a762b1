"""``nwtsim run``: one workload on one machine.

Simulate a workload on a machine, and report how fast it read and wrote, what limits it (by running
it again with each resource twice as good) and where the time went, to the nanosecond. MACHINE and
WORKLOAD are YAML files or the names of shipped ones; every value in them can be overridden here.
The same command gives the same result, byte for byte.

Examples:
  nwtsim run nwt test-write
  nwtsim run nwt test-write --policy nwt-predicted --buffer '8 MB'
  nwtsim run nwt test-read --clients 40 --seed 1 --format json --out result.json
  nwtsim run nwt test-read --replications auto       (how far runs vary, with intervals)
  nwtsim run nwt test-write --html page.html         (the same as a page, with a block diagram)
  nwtsim run nwt test-write --timeline trace.json    (open it at https://ui.perfetto.dev)
  nwtsim run nwt test-write --curves curves.csv      (contents of each store over time)
  nwtsim run nwt test-write --store calls.parquet    (nwtsim trace rate calls.parquet)
"""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simulator.cli import many, options
from simulator.cli.knob_options import add_own_settings
from simulator.cli.shared import Table
from simulator.errors import InputError
from simulator.report import terminal
from simulator.stopping import DeferredInterrupt

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.run import Run
    from simulator.study.repeated import Repeated
    from simulator.study.replications import Replications

INTERRUPTED = 130
"""The exit code where an interrupt ended the replications, and what is done is reported."""

MOST_DRAWN_S = 5.0
"""Estimated time of a run up to which its page has curves of the stores without ``--curves``."""

configure_for = add_own_settings


def table() -> Table:
    """Return the options."""
    from simulator.report.report import report_names

    return {
        "inputs settings engine seed replications jobs progress": "",
        ":".join(["format", *report_names()]): "",
        "full limits job html": "",
        "--interference": "say who slows whom: run again without each job, and with each alone",
        "--out FILE file": "write the report to this file, not to the screen",
        "--timeline FILE file": "write every service as a Chrome trace (JSON), with one track per"
        " server",
        "--curves FILE file": "write the used and dirty bytes of each store over time, as CSV, or"
        " as JSON with the bytes of calls if FILE ends with .json",
        "--store FILE file": "write every call of the run, with its start and end, as 'nwtsim trace"
        " import' does; 'nwtsim trace' and 'nwtsim replay' read this file",
        "--debug": "check after the run that every byte and every nanosecond is accounted for",
        "--no-fast-forward": "carry out event by event what repeats to the nanosecond; the result"
        " is the same",
    }


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import placing_if
    from simulator.report.outcome import outcome_of
    from simulator.report.report import written

    replications = _checked(arguments)
    heard = terminal.Messages()
    asked = options.run_of(arguments, arguments.machine, arguments.workload, heard.listener)
    inputs, plan = asked.inputs, asked.plan
    if arguments.store is not None:
        _warn_of_store(plan)
    with (
        options.reporting(arguments, arguments.out) as report,
        placing_if(arguments.timeline) as timeline,
        placing_if(arguments.curves) as curves,
    ):
        with terminal.watching() as watching:
            result = asked.result(
                more=_more(arguments, replications),
                timeline=timeline is not None,
                debug=arguments.debug,
                record=arguments.store is not None,
                samples=asked.samples if curves is not None or _draws(arguments, asked) else 0,
                fast_forward=not arguments.no_fast_forward,
                watch=watching,
            )
        if arguments.debug and (reason := result.repeats.reason()):
            print(f"nothing was skipped by arithmetic: {reason}", file=sys.stderr)
        _keep(arguments, plan, result, timeline, curves)
        answers, held = dict[str, Any](), DeferredInterrupt()
        with held if arguments.out is arguments.html is None else nullcontext():
            answers = _answers(arguments, asked, result)
        outcome = replace(
            outcome_of(inputs, plan, result),
            **answers,
            command=_command(arguments, "run"),
            question=_command(arguments, "advise"),
            repeated=_repeated(arguments, asked, replications if held.stop is None else None),
            short=not arguments.full,
            warned=heard.warnings,
            again=_again(arguments),
        )
        told = outcome if options.limits_told(arguments) else replace(outcome, limits=None)
        browser = outcome.page() if arguments.html is not None else None
        report(written(arguments.format, told), browser)
        held.end("the run is whole, and what limits it was not found: --no-limits does not ask")
    interrupted = outcome.repeated is not None and outcome.repeated.interrupted
    return INTERRUPTED if interrupted else 0


def _keep(
    arguments: argparse.Namespace,
    plan: Plan,
    result: Result,
    timeline: Path | None,
    curves: Path | None,
) -> None:
    """Write what files a run keeps beside its report: calls, a timeline, curves."""
    if arguments.store is not None:
        _store(plan, result, arguments.store)
    if timeline is not None:
        from simulator.report.timeline import write_timeline

        write_timeline(result, timeline)
    if curves is not None:
        from simulator.report.curves import write_curves

        write_curves(result, curves, as_json=arguments.curves.suffix.lower() == ".json")


def _draws(arguments: argparse.Namespace, asked: Run) -> bool:
    """Return whether the page draws curves without ``--curves``: runs are not skipped then."""
    from simulator.cost import Estimate

    if arguments.html is None:
        return False
    return Estimate(asked.plan, asked.engine).cost().seconds <= MOST_DRAWN_S


def _checked(arguments: argparse.Namespace) -> Replications | None:
    """Check what options need each other; return how often it is to run."""
    from simulator.study.replications import DEFAULT_SEED

    options.check_files(arguments, "out", "html", "timeline", "curves", "store")
    if arguments.store is not None:
        from simulator.extras import need

        need("pyarrow", purpose="--store")
    replications = many.replications_of(arguments)
    if arguments.jobs is not None and replications is None:
        raise InputError("--jobs is about --replications: one run is one process; omit it")
    if replications is not None and arguments.seed is None:
        arguments.seed = DEFAULT_SEED
    return replications


def _warn_of_store(plan: Plan) -> None:
    """State what of a run a store does not have."""
    from simulator.replay.simulated import lacking, unstored

    for what in unstored(plan):
        print(f"--store: warning: {lacking(what)}", file=sys.stderr)


def _more(arguments: argparse.Namespace, replications: Replications | None) -> int:
    """Return how many runs like the first will follow, as far as it is known."""
    limits = options.MOST_LIMITS if arguments.limits else 0
    return limits + (replications.looks()[0] - 1 if replications is not None else 0)


def _repeated(
    arguments: argparse.Namespace, asked: Run, replications: Replications | None
) -> Repeated | None:
    """Make the replications that are wanted, the first of which is the run itself."""
    if replications is None:
        return None
    from simulator.study.repetition import repeat_of

    return repeat_of(asked, replications, **options.values(arguments, "jobs progress"))


def _store(plan: Plan, result: Result, path: Path) -> None:
    """Write the calls of a run as a store of a trace."""
    from simulator.replay.simulated import SimulatedTrace
    from simulator.traces.store import write

    write(SimulatedTrace(plan, result), path)


def _again(arguments: argparse.Namespace) -> list[str]:
    """Return the words of the command that makes the page again."""
    words = [*_command(arguments, "run"), *options.words_of(arguments, "limits")]
    words += ["--interference"] if arguments.interference else []
    return words + many.words_of_replications(many.replications_of(arguments))


def _answers(arguments: argparse.Namespace, asked: Run, result: Result) -> dict[str, Any]:
    """Ask what limits, and for people what would help; nothing if that is not wanted."""
    from simulator.answers.again import InputsAgain, ask_limits
    from simulator.answers.limits import Limits

    again = InputsAgain(asked.inputs, seed=asked.seed, engine=asked.engine)
    answers = dict[str, Any]()
    if arguments.interference:
        from simulator.answers.interference import interference_of

        answers["interference"] = interference_of(again, result, progress=arguments.progress)
    if not options.limits_wanted(arguments):
        if arguments.job is not None:
            raise InputError("--job says which job limits are about; add --limits, or omit it")
        return answers
    limits = ask_limits(again, asked.plan, result, wanted=arguments.limits, job=arguments.job)
    for_people = arguments.format in options.FOR_PEOPLE or arguments.html
    if not isinstance(limits, Limits) or not for_people:
        return {**answers, "limits": limits}
    from simulator.answers.jobs import JobRun, first_advice

    job = JobRun(again, result, limits, _command(arguments, "run"))
    return {**answers, "limits": limits, "advised": first_advice(job, limits)}


def _command(arguments: argparse.Namespace, name: str) -> tuple[str, ...]:
    """Return the words of a command about the same run."""
    words = ["nwtsim", name, arguments.machine, arguments.workload]
    return (*words, *options.words_of(arguments))
