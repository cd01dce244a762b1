"""A traced program that is replayed with changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.answers.advise import Ran
from simulator.answers.again import LONG
from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.plan.errors import SimulationError
from simulator.replay.replay import Placed
from simulator.run import EngineName, Observer, run_plan

if TYPE_CHECKING:
    from simulator.answers.advise import Change
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.replay.replay import Replay
    from simulator.workload.traced import Traced

_BEAT = 1 << 16
"""Steps of the native engine between looks at whether to go on (pulse.hpp)."""
MOST_TIMES = 4
"""Events of a run with a change by those of the run as it is, from which on it is given up."""


class TraceJob:
    """A traced program that can be replayed with changes."""

    def __init__(
        self,
        variants: Variants[Machine],
        placed: Callable[[str], Placed],
        base: Ran,
        *,
        engine: EngineName = "auto",
        command: tuple[str, ...] = (),
        events: int = 0,
    ) -> None:
        """``placed`` returns the calls as they are on a file system ("": the one they are on).

        ``command`` is that of the replay, to which settings can be added, ``events`` the number of
        its events: a run with a change that has many more is given up.
        """
        self.base = base
        self._most_looks = 1 + max(LONG, MOST_TIMES * events) // _BEAT
        self._variants = variants
        self._placed = placed
        self._engine: EngineName = engine
        self._command = command
        self.given_up: list[Change] = []
        """Changes whose runs were given up."""

    def run(self, change: Change) -> Ran | None:
        """Replay with a change; None if the machine cannot carry it out, or that takes too long."""
        looks = 0

        def too_long() -> bool:
            nonlocal looks
            looks += 1
            return looks > self._most_looks

        try:
            placed = self._placed(change.filesystem)
            wanted = placed.wanted.prestaging() if change.prestage else placed.wanted
            machine = self._variants.load(change.settings)
            changed = replace(placed, traced=self.rewritten(change), wanted=wanted)
            watch = Observer(stopped=too_long)
            result = run_plan(changed.plan(machine), engine=self._engine, watch=watch)
        except (ConfigError, InputError, SimulationError):
            return None
        except KeyboardInterrupt:
            if looks <= self._most_looks:
                raise
            self.given_up.append(change)
            return None
        return Ran.of(result, result.elapsed_ns)

    def prestaged(self, change: Change) -> bool:
        """Return whether files are in the stores before the program starts, with a change."""
        return change.prestage or self._placed(change.filesystem).wanted.prestaged

    def rewritten(self, change: Change) -> Traced:
        """Return the calls with a change."""
        traced = self._placed(change.filesystem).traced
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


def job_of(
    done: Replay,
    variants: Variants[Machine],
    command: tuple[str, ...],
    elsewhere: Callable[[str], Replay] | None = None,
) -> TraceJob:
    """Return a replayed program, to be replayed with changes; ``command`` is that of the replay.

    ``elsewhere`` replays it on another file system, on its first path. Its costs may be others:
    what has none there stays as time between calls.
    """
    known = {"": done.placed}

    def placed(filesystem: str) -> Placed:
        if filesystem not in known:
            if elsewhere is None:
                raise InputError(f"--filesystem {filesystem}: the trace is not read again")
            known[filesystem] = elsewhere(filesystem).placed
        return known[filesystem]

    base = Ran.of(done.result, done.result.elapsed_ns)
    events, engine = done.result.events, done.wanted.engine
    return TraceJob(variants, placed, base, engine=engine, command=command, events=events)
