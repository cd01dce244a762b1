"""``nwtsim run``: one workload on one machine."""

from __future__ import annotations

import argparse
import sys

from simulator.cli import options

_TEXT = """\
Simulate a workload on a machine, and say how fast it read and wrote, which part was the bottleneck
and where the time went, to the last nanosecond. MACHINE and WORKLOAD are YAML files or the names
of shipped ones; every value in them can be replaced here. The same command gives the same result,
byte for byte."""

_EXAMPLES = """\
  nwtsim run nwt test-write
  nwtsim run nwt test-write --policy nwt-predicted --buffer '8 MB'
  nwtsim run nwt test-read --clients 40 --seed 1 --format json --out result.json
  nwtsim run nwt test-write --timeline trace.json    (open it at https://ui.perfetto.dev)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    options.add_inputs(parser)
    options.add_engine(parser)
    options.add_seed(parser)
    options.add_format(parser, "table", "json")
    parser.add_argument(
        "--out", metavar="FILE", type=options.file, help="write the report here, not to the screen"
    )
    parser.add_argument(
        "--timeline",
        metavar="FILE",
        type=options.file,
        help="write every service as a Chrome trace (JSON), one track for each server",
    )
    parser.add_argument(
        "--debug",
        action="store_true",
        help="check after the run that no byte and no nanosecond was lost",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.report.output import Outputs
    from simulator.report.run import run_json, run_text
    from simulator.report.timeline import write_timeline
    from simulator.simulate import load_plan, run_plan
    from simulator.study.inputs import load_inputs

    machine, workload, doubts = load_inputs(
        arguments.machine, arguments.workload, arguments.settings
    )
    for doubt in doubts:
        print(doubt, file=sys.stderr)
    noisy = arguments.seed is not None
    plan = load_plan(machine, workload, seed=arguments.seed or 0, noisy=noisy)
    with Outputs(report=arguments.out, timeline=arguments.timeline) as outputs:
        result = run_plan(
            plan,
            engine=options.engine_name(arguments.engine),
            timeline=arguments.timeline is not None,
            debug=arguments.debug,
        )
        write_timeline(result, outputs.timeline)
        text = run_json(result, plan) if arguments.format == "json" else run_text(result, plan, machine)
        outputs.report(text)
    return 0
