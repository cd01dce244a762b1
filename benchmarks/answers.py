"""Time of the answers: the limit, and all advice, for shipped jobs.

CPU time of this process after reading files and the run itself: the cost of the question in
addition to the run. ``test-write`` writes 512 MB through the Fortran buffer of the NWT; ``morning``
is longer, so that a shortened run is used. The target for the limit of test-write is a second.

    python -m benchmarks.answers [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.table import print_figures
from simulator.answers.again import InputsAgain, ask_wanted
from simulator.answers.jobs import JobRun, advise_job, first_advice
from simulator.answers.limits import Limits
from simulator.run import load_inputs, run_plan

JOBS = (("nwt", "test-write"), ("nfs-lab", "morning"))


def measure(rounds: int = 5) -> dict[str, Any]:
    """Return the median CPU seconds of each question about each job, and its number of runs."""
    figures: dict[str, Any] = {}
    for machine, workload in JOBS:
        for name, question in _questions(machine, workload).items():
            times = []
            for _ in range(rounds):
                began = time.process_time()
                answer = question()
                times.append(time.process_time() - began)
            figures[f"{workload}: {name}, CPU s"] = statistics.median(times)
            figures[f"{workload}: {name}, runs"] = answer.runs
    return figures


def _questions(machine: str, workload: str) -> dict[str, Callable[[], Any]]:
    inputs = load_inputs(machine, workload, noisy=False)
    plan = inputs.plan()
    result = run_plan(plan)

    def limits() -> Limits:
        return ask_wanted(InputsAgain(inputs), plan, result, whole=False, progress=False)

    asked = limits()

    def job() -> JobRun:
        return JobRun(InputsAgain(inputs), result, asked)

    return {
        "what limits": limits,
        "the first advices": lambda: first_advice(job(), asked),
        "all advice": lambda: advise_job(job(), asked),
    }


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--format", choices=["table", "json"], default="table")
    options = parser.parse_args()
    print_figures(measure(options.rounds), options.format)


if __name__ == "__main__":
    main()
