"""Advice on a traced program: all patterns looked for in its calls, all cures replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.answers.patterns.of_traces import metadata, transfers
from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.result.errors import SimulationError
from simulator.run import EngineName, run_plan

if TYPE_CHECKING:
    from simulator.answers.advise import Change, Finding
    from simulator.answers.program import Program
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.plan.plan import Plan
    from simulator.workload.traced import Traced

PATTERNS = (
    transfers.record_length_rewrite,
    metadata.sync_write,
    metadata.close_flush,
    metadata.open_storm,
    metadata.failed_lookup,
    metadata.stat_storm,
    transfers.re_read,
    transfers.seek_storm,
    transfers.small_io,
    transfers.unaligned,
    transfers.shared_hotspot,
    transfers.no_prestage,
)
"""Of findings that save equally much the first pattern counts."""


def findings_in(program: Program) -> list[Finding]:
    """Return what the patterns find in the calls of a program."""
    return [one for pattern in PATTERNS for one in pattern(program)]


class TraceJob:
    """A traced program that can be replayed with changes."""

    def __init__(
        self,
        traced: Traced,
        variants: Variants[Machine],
        make: Callable[[Machine, Traced, bool], Plan],
        elapsed_ns: int,
        *,
        engine: EngineName = "auto",
        command: tuple[str, ...] = (),
    ) -> None:
        """``make`` plans a program on a machine, with files prestaged or not.

        ``command`` is that of the replay, to which settings can be added.
        """
        self.traced = traced
        self._variants = variants
        self._make = make
        self._elapsed_ns = elapsed_ns
        self._engine: EngineName = engine
        self._command = command

    @property
    def elapsed_ns(self) -> int:
        """Elapsed time of the program as it is."""
        return self._elapsed_ns

    def run(self, change: Change) -> int | None:
        """Replay with a change; None if the machine cannot carry it out."""
        try:
            plan = self._make(
                self._variants.load(change.settings), self.rewritten(change), change.prestage
            )
            return run_plan(plan, engine=self._engine).elapsed_ns
        except (ConfigError, InputError, SimulationError):
            return None

    def rewritten(self, change: Change) -> Traced:
        """Return the calls with a change."""
        traced = self.traced
        for rewrite in change.rewrites:
            traced = rewrite(traced)
        return traced

    def command(self, change: Change) -> tuple[str, ...]:
        """Return a command of the replay; empty for changed calls."""
        if change.rewrites or not self._command:
            return ()
        settings = [f"{path}={value}" for path, value in change.settings]
        words = [*self._command, *(word for one in settings for word in ("--set", one))]
        if change.prestage and "--prestage" not in words:
            words.append("--prestage")
        return tuple(words)
