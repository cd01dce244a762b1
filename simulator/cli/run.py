"""``nwtsim run``: one workload on one machine."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from simulator.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence


_TEXT = """\
Simulate a workload on a machine, and report how fast it read and wrote, which resource was the
bottleneck and where the time went, to the nanosecond. MACHINE and WORKLOAD are YAML files or the
names of shipped ones; every value in them can be overridden here. The same command gives the same
result, byte for byte."""

_EXAMPLES = """\
  nwtsim run nwt test-write
  nwtsim run nwt test-write --policy nwt-predicted --buffer '8 MB'
  nwtsim run nwt test-read --clients 40 --seed 1 --format json --out result.json
  nwtsim run nwt test-write --timeline trace.json    (open it at https://ui.perfetto.dev)
  nwtsim run nwt test-write --store calls.parquet    (nwtsim trace rate calls.parquet)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from simulator.report.report import report_names

    options.describe(parser, _TEXT, _EXAMPLES)
    options.add_inputs(parser)
    options.add_engine(parser)
    options.add_seed(parser)
    options.add_format(parser, *report_names())
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=options.file,
        help="write the report to this file, not to the screen",
    )
    parser.add_argument(
        "--timeline",
        metavar="FILE",
        type=options.file,
        help="write every service as a Chrome trace (JSON), with one track per server",
    )
    parser.add_argument(
        "--store",
        metavar="FILE",
        type=options.file,
        help="write every call of the run, with its start and end, as 'nwtsim trace import' does;"
        " 'nwtsim trace' and 'nwtsim replay' read this file",
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        help="check after the run that every byte and every nanosecond is accounted for",
    )


def configure_for(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options that follow from the machine and the workload."""
    options.add_own_settings(parser, words)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import placing_if, show
    from simulator.report.composed import outcome_of
    from simulator.report.report import written
    from simulator.report.timeline import write_timeline
    from simulator.report.unused import unused_settings
    from simulator.run import load_inputs, run_plan

    _check_files(arguments)
    if arguments.store is not None:
        from simulator.extras import need

        need("pyarrow")
    seed = arguments.seed
    inputs = load_inputs(
        arguments.machine, arguments.workload, arguments.settings, noisy=seed is not None
    )
    for doubt in inputs.doubts:
        print(doubt, file=sys.stderr)
    plan = inputs.plan(seed=seed)
    with placing_if(arguments.out) as out, placing_if(arguments.timeline) as timeline:
        result = run_plan(
            plan,
            engine=options.engine_name(arguments.engine),
            timeline=timeline is not None,
            debug=arguments.debug,
            record=arguments.store is not None,
        )
        if arguments.store is not None:
            if plan.asked is not None and plan.asked.requests.node:
                about = "reads and writes on I/O nodes (MPI-IO) are not in the store"
                print(f"--store: warning: {about}", file=sys.stderr)
            from simulator.traces.simulated import SimulatedTrace, recorded
            from simulator.traces.store import write

            write(SimulatedTrace(recorded(plan, result)), arguments.store)
        if timeline is not None:
            write_timeline(result, timeline)
        for doubt in unused_settings(inputs.settings, plan, result):
            print(doubt, file=sys.stderr)
        outcome = outcome_of(inputs, plan, result)
        show(written(arguments.format, outcome), out)
    return 0


def _check_files(arguments: argparse.Namespace) -> None:
    from simulator.errors import InputError

    files = [arguments.out, arguments.timeline, arguments.store]
    for number, one in enumerate(files):
        if one is not None and one in files[:number]:
            raise InputError(
                f"{one}: the report, the timeline and the store each need a file of their own"
            )
