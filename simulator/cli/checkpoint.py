"""``nwtsim checkpoint``: how long a job computes between its checkpoints.

Find how long a job computes best between two checkpoints: often enough that a failure loses little,
seldom enough that writing them costs little. It measures by simulation what a checkpoint costs (C),
and a restart (R: the delay, and reading the checkpoint back); gives Young's sqrt(2 C M) and Daly's
refinement of it, M being the mean time between two failures of the job; and simulates the job with
drawn failures at intervals from a half to twice Daly's, the same failures at each, for the optimum
and its confidence interval.

Each round of the job ('repeat') computes, and then writes the checkpoint; 'restart' of the job says
how often a node fails ('mtbf'; a job of n nodes fails n times as often), how long it takes until it
goes on ('delay'), and which file it reads back. Its number of rounds does not matter here.

Examples:
  nwtsim checkpoint raid-lab my-job.yaml
  nwtsim checkpoint raid-lab my-job.yaml --mtbf '100 h' --replications 64 --format json
  nwtsim checkpoint raid-lab checkpoint-interval --clients 8 --mtbf '200 h' --no-whole
  nwtsim checkpoint lustre-scratch checkpoint-interval --mtbf '24000 h' --replications 0

With --replications 0 only costs are simulated, and the formulas follow from them.
"""

from __future__ import annotations

import argparse

from simulator.cli import options
from simulator.cli.knob_options import add_own_settings


def time(text: str) -> str:
    """Read a time that is more than nothing, and return it as it is written."""
    from simulator.units import parse_time

    if parse_time(text) <= 0:
        raise ValueError(f"{text!r} is no time to wait; write it like '1000 h'")
    return text


configure_for = add_own_settings
OPTIONS = {
    "inputs settings": "",
    "--job NAME": "the job of the workload (default: the one with 'restart', or the only one)",
    "--mtbf TIME time": "the mean time until one node fails, like '1000 h' (default: what 'restart'"
    " of the job says)",
    "--replications N 0..10000=16": "runs at each interval (default: 16); 0: only what a checkpoint"
    " costs, and formulas",
    "--seed N seed=1": "of the failures, and of the variation of service times (default: 1)",
    "--work TIME time": "computing of the job in each run (default: 10 mean times between its"
    " failures)",
    "--[no-]whole": "simulate whole runs of the job; with --no-whole only its failures, with each"
    " checkpoint and restart costing what was measured (default: whole runs unless they take long)",
    "engine jobs html progress format:table:json:csv full": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.processors import processors
    from simulator.report.checkpoint import checkpoint_page
    from simulator.study.checkpoints import Asked, checkpoints_of
    from simulator.units import parse_time

    asked = Asked(
        work_ns=None if arguments.work is None else int(parse_time(arguments.work)),
        replications=int(arguments.replications),
        **options.values(arguments, "mtbf job seed whole engine"),
    )
    with options.reporting(arguments) as report:
        found = checkpoints_of(
            arguments.machine,
            arguments.workload,
            arguments.settings,
            asked,
            jobs=arguments.jobs or processors(),
            progress=arguments.progress,
        )
        report(checkpoint_page(found, _command(arguments)))
    return 0


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words that give the same answer."""
    words = ["nwtsim", "checkpoint", str(arguments.machine), str(arguments.workload)]
    given = "job mtbf replications work whole"
    return [*words, *options.words_of(arguments), *options.words_of(arguments, given)]
