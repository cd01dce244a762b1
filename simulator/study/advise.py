"""Advice on a trace: it is replayed, and then replayed with what would cure what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.answers.advise import advise
from simulator.answers.program import Program
from simulator.answers.trace import TraceJob, findings_in
from simulator.config.lowering.replayed import Placing
from simulator.study.replay import Wanted, costs_of, replay

if TYPE_CHECKING:
    from simulator.answers.advise import Advised, Change
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.plan.plan import Plan
    from simulator.study.replay import Replay
    from simulator.workload.traced import Traced


class AdvisedTrace:
    """A trace that was replayed on a machine, and the advice on it."""

    def __init__(
        self,
        paths: Sequence[Path],
        variants: Variants[Machine],
        wanted: Wanted,
        *,
        command: tuple[str, ...] = (),
        progress: bool | None = None,
        **reading: Any,
    ) -> None:
        """Read and replay; ``reading`` is what :func:`~simulator.study.replay.replay` takes."""
        machine = variants.load(())
        self.replay: Replay = replay(paths, machine, wanted, progress=progress, **reading)
        done = self.replay
        assert done.traced is not None
        self.job = TraceJob(
            done.traced,
            variants,
            self._planner(done, wanted),
            done.result.elapsed_ns,
            engine=wanted.engine,
            command=command,
        )
        placing = wanted.placing
        timed = done.about.get("times") is not None
        self.program = Program(
            done.traced,
            machine,
            filesystem=(placing.filesystem if placing else None) or next(iter(machine.filesystems)),
            costs=frozenset(costs_of(machine)),
            began=done.observed.begin if timed else None,
        )
        self.advised: Advised = advise(
            self.job,
            findings_in(self.program),
            observed_ns=done.observed.elapsed_ns if timed else None,
            unknown=done.unknown,
            progress=progress,
        )

    @staticmethod
    def _planner(done: Replay, wanted: Wanted) -> Callable[[Machine, Traced, bool], Plan]:
        def make(machine: Machine, traced: Traced, prestage: bool) -> Plan:
            placed = wanted
            if prestage:
                placed = replace(
                    wanted, placing=replace(wanted.placing or Placing(), prestage=True)
                )
            assert done.plan_on is not None
            return done.plan_on(machine, traced=traced, wanted=placed)

        return make

    def rewritten(self, change: Change) -> Traced:
        """Return the calls with a change."""
        return self.job.rewritten(change)
