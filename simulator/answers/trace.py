"""Advice on a traced program: all patterns looked for in its calls, all cures replayed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from simulator.answers.advise import Ran
from simulator.answers.patterns.of_traces import (
    buffers,
    files,
    metadata,
    places,
    reopened,
    rounds,
    sleeps,
    transfers,
)
from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.plan.errors import SimulationError
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
    files.transaction_per_row,
    files.sync_per_file,
    metadata.sync_write,
    files.many_files,
    files.many_small,
    metadata.close_flush,
    rounds.poll,
    reopened.reopened,
    sleeps.sleeping_poll,
    rounds.rewritten,
    rounds.re_list,
    metadata.open_storm,
    metadata.failed_lookup,
    metadata.stat_storm,
    buffers.oversized_read,
    reopened.re_read,
    transfers.seek_storm,
    transfers.scattered_write,
    buffers.direct_io,
    transfers.small_io,
    transfers.unaligned,
    places.shared_hotspot,
    places.no_prestage,
    places.other_filesystem,
)
"""Of findings that save equally much the first pattern counts."""


def findings_in(program: Program) -> list[Finding]:
    """Return what the patterns find in the calls of a program, if anything can be done about it."""
    return [one for pattern in PATTERNS for one in pattern(program) if one.cures]


class Replayed(NamedTuple):
    """A traced program on a file system of its machine."""

    traced: Traced
    make: Callable[[Machine, Traced, bool], Plan]
    """Plans calls on a machine, with files prestaged or not."""
    prestaged: bool = False
    """Whether files that existed before are in the stores as it is."""


class TraceJob:
    """A traced program that can be replayed with changes."""

    def __init__(
        self,
        variants: Variants[Machine],
        replayed: Callable[[str], Replayed],
        base: Ran,
        *,
        engine: EngineName = "auto",
        command: tuple[str, ...] = (),
    ) -> None:
        """``replayed`` gives the calls as they are on a file system ("": the one they are on).

        ``command`` is that of the replay, to which settings can be added.
        """
        self.base = base
        self._variants = variants
        self._replayed = replayed
        self._engine: EngineName = engine
        self._command = command

    def run(self, change: Change) -> Ran | None:
        """Replay with a change; None if the machine cannot carry it out."""
        try:
            plan = self._replayed(change.filesystem).make(
                self._variants.load(change.settings), self.rewritten(change), change.prestage
            )
            result = run_plan(plan, engine=self._engine)
        except (ConfigError, InputError, SimulationError):
            return None
        return Ran.of(result, result.elapsed_ns)

    def prestaged(self, change: Change) -> bool:
        """Return whether files are in the stores before the program starts, with a change."""
        return change.prestage or self._replayed(change.filesystem).prestaged

    def rewritten(self, change: Change) -> Traced:
        """Return the calls with a change."""
        traced = self._replayed(change.filesystem).traced
        for rewrite in change.rewrites:
            traced = rewrite(traced)
        return traced

    def command(self, change: Change) -> tuple[str, ...]:
        """Return a command of the replay; empty for changed calls."""
        if change.rewrites or not self._command:
            return ()
        words = list(self._command)
        if change.filesystem:
            words = _on(words, change.filesystem)
        for path, value in change.settings:
            words += ["--set", f"{path}={value}"]
        if change.prestage and "--prestage" not in words:
            words.append("--prestage")
        return tuple(words)


def _on(words: Sequence[str], filesystem: str) -> list[str]:
    """Return a command of a replay on another file system, by its first path."""
    left = list(words)
    for option in ("--filesystem", "--path"):
        if option in left:
            at = left.index(option)
            del left[at : at + 2]
    return [*left, "--filesystem", filesystem]
