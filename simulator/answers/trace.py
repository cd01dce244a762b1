"""Advice on a traced program: all patterns looked for in its calls, all cures replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.answers.patterns import (
    close_flush,
    failed_lookup,
    no_prestage,
    open_storm,
    re_read,
    record_length_rewrite,
    seek_storm,
    shared_hotspot,
    small_io,
    stat_storm,
    sync_write,
    unaligned,
)
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
    record_length_rewrite,
    sync_write,
    close_flush,
    open_storm,
    failed_lookup,
    stat_storm,
    re_read,
    seek_storm,
    small_io,
    unaligned,
    shared_hotspot,
    no_prestage,
)
"""Modules with ``in_trace``. Of findings that save equally much the first pattern counts."""


def findings_in(program: Program) -> list[Finding]:
    """Return what the patterns find in the calls of a program."""
    return [one for pattern in PATTERNS for one in pattern.in_trace(program)]


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
