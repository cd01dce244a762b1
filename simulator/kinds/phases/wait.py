"""Waiting for nonblocking calls."""

from __future__ import annotations

from typing import Literal

from simulator.config.errors import Path
from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Faults, Phase
from simulator.config.workload_file import Job
from simulator.plan import codes


class Wait(Phase):
    """Wait for all calls of MPI-IO that have not ended."""

    rank = 11
    beside = ("wait",)

    do: Literal["wait"]
    """What it does."""

    @classmethod
    def faults_of(cls, job: Job) -> Faults:
        """Find nonblocking calls that are never waited for, and waits for none."""
        under_way: list[Path] = []
        for at, phase in job.every_phase():
            if phase.nonblocking:
                under_way.append(at)
                if job.repeat > 1:
                    about = "a nonblocking call cannot be repeated; write 'repeat: 1' in the job"
                    yield (*at, "nonblocking"), f"{about}, or the phases as often"
                elif "phases" in at[1:]:
                    about = "a nonblocking call cannot be repeated; write it outside the loop"
                    yield (*at, "nonblocking"), f"{about}, or the phases as often"
            elif isinstance(phase, cls):
                if not under_way:
                    about = "no nonblocking call is under way here; leave it out"
                    yield (*at, "do"), about
                elif "phases" in at[1:]:
                    about = "waits in a loop for a call before it; write it outside the loop"
                    yield (*at, "do"), about
                under_way.clear()
        for at in under_way:
            about = "is not waited for; write '{do: wait}' after it"
            yield (*at, "nonblocking"), about

    def lower(self, process: ProcessBuilder) -> None:
        """Add a wait for each call."""
        for caller in process.under_way:
            process.add(codes.JOIN, offset=caller)
        process.under_way.clear()
