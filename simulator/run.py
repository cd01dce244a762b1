"""Entry point of all runs: a plan from a machine and a workload, and its run on an engine.

Commands and ``nwtsim`` use :func:`prepare_run` for a user's run: it loads, plans, runs, and reports
warnings. :func:`load_plan` and :func:`run_plan` are for programs that make many runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from simulator.errors import InputError, RefusedError
from simulator.inputs import (
    Inputs,
    Setting,
    load,
    load_both,
    load_inputs,
    mistakes_in,
    named_in,
    settable_in,
    with_full_paths,
)
from simulator.native import require_kernel

if TYPE_CHECKING:
    from simulator.config.errors import Problem
    from simulator.inputfile import Source
    from simulator.native.columns import ColumnCache
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.result.totals import Totals
    from simulator.workload.follower import Follower

__all__ = [
    "ENGINES",
    "MOST_SEED",
    "UNOBSERVED",
    "EngineError",
    "EngineName",
    "Inputs",
    "Listener",
    "Observer",
    "Run",
    "Setting",
    "load",
    "load_both",
    "load_inputs",
    "load_plan",
    "mistakes_in",
    "named_in",
    "prepare_run",
    "read_seed",
    "run_plan",
    "run_totals",
    "settable_in",
    "with_full_paths",
]

EngineName = Literal["auto", "native", "reference"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
"""``auto`` is the native engine, or the reference engine where the native one refuses."""


MOST_SEED = 2**63 - 1
"""Largest seed: 63 bits, as in the native engine."""


def read_seed(text: str) -> int:
    """Read a seed; ValueError explains the format.

    >>> read_seed("7")
    7
    """
    digits = text.strip()
    whole = digits.isascii() and digits.isdecimal() and len(digits) <= 30
    if not whole or int(digits) > MOST_SEED:
        raise ValueError(f"{text!r} is not a whole number from 0 to {MOST_SEED}; write one, like 1")
    return int(digits)


@dataclass(frozen=True, slots=True)
class Observer:
    """Observer of a run; it does not change the result."""

    stopped: Callable[[], bool] | None = None
    """Polled by the native engine; true ends the run (KeyboardInterrupt)."""
    begun: Callable[[Callable[[], int]], None] | None = None
    """Called at the start with a function that returns the current simulated time; ns."""


UNOBSERVED = Observer()


def load_plan(
    machine: Source,
    workload: Source,
    *,
    settings: Iterable[Setting] = (),
    seed: int | None = None,
    run: int = 0,
) -> Plan:
    """Make a plan from a machine and a workload; without a seed service times do not vary."""
    inputs = load_inputs(machine, workload, settings, noisy=seed is not None)
    return inputs.plan(seed=seed, run=run)


@dataclass(frozen=True, slots=True)
class Listener:
    """Receives messages and warnings of a run."""

    say: Callable[[str], None]
    """Messages before the run: another engine, and a high cost."""
    warn: Callable[[Problem], None]
    """Warnings about suspicious input: of the files at first, then settings without effect."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run requested by a user, ready to start."""

    inputs: Inputs
    plan: Plan
    seed: int | None
    engine: EngineName
    hears: Listener

    @property
    def samples(self) -> int:
        """Maximum number of bins of curves; fewer if many instances of stores have one."""
        from simulator.result.curves import samples_for

        return samples_for(sum(store.count for store in self.plan.stores))

    def result(self, *, more: int = 0, **how: Any) -> Result:
        """Make the run as :func:`run_plan` does, ``how`` being its options; report warnings.

        ``more``: the number of similar runs that follow, included in the reported cost.
        """
        from simulator.cost import message_before_run
        from simulator.unused import unused_settings

        kept = {name: bool(how.get(name)) for name in ("timeline", "record")}
        for line in message_before_run(self.plan, self.engine, more, **kept):
            self.hears.say(line)
        result = run_plan(self.plan, engine=self.engine, **how)
        if result.responses:
            self._look_at_arrivals(result, how.get("watch", UNOBSERVED))
        for doubt in unused_settings(self.inputs.settings, self.plan, result):
            self.hears.warn(doubt)
        return result

    def _look_at_arrivals(self, result: Result, watch: Observer) -> None:
        """Add the sustainable rate of arrivals, by further runs, and how sure their mean is."""
        from simulator.result.jobs import by_job
        from simulator.saturation import most_per_s
        from simulator.warmup import steady_of

        def other(plan: Plan) -> Result:
            return run_plan(plan, engine=self.engine, watch=watch)

        most = most_per_s(self.plan, result, other)
        if most is not None:
            result.most_per_s = dict.fromkeys(result.responses, most)
        loads = {one.name: one.arrived.load for one in by_job(result) if one.arrived is not None}
        result.steady = steady_of(self.plan, result, loads)


def prepare_run(
    machine: Source,
    workload: Source,
    settings: Iterable[Setting] = (),
    *,
    seed: int | None = None,
    engine: EngineName = "auto",
    hears: Listener,
) -> Run:
    """Load and plan a run, and report warnings; see :func:`load_inputs`.

    EngineError for an unknown engine.
    """
    _check_engine(engine)
    inputs = load_inputs(machine, workload, settings, noisy=seed is not None)
    for doubt in inputs.doubts:
        hears.warn(doubt)
    return Run(inputs, inputs.plan(seed=seed), seed, engine, hears)


class EngineError(InputError):
    """The requested engine cannot run the plan, or does not exist."""


def run_plan(  # noqa: PLR0913 - all by their names
    plan: Plan,
    *,
    engine: EngineName = "auto",
    timeline: bool = False,
    debug: bool = False,
    record: bool = False,
    samples: int = 0,
    fast_forward: bool = True,
    watch: Observer = UNOBSERVED,
    cache: ColumnCache | None = None,
    followers: Mapping[int, Follower] | None = None,
) -> Result:
    """Run a plan; the result names the engine, and the reason for its choice.

    ``timeline`` keeps every service, ``record`` every call of the processes, ``samples`` curves of
    so many bins at most; ``debug`` checks the identities (IdentityError). ``fast_forward`` lets the
    native engine skip repeated periods by arithmetic, with the same result. ``watch`` observes the
    run, and may end it (KeyboardInterrupt); ``cache`` caches columns that the plans of several runs
    share. ``followers`` observe the processes of meshes, by the rows of these in
    ``plan.services.meshes``; they do not change the result. Both engines give the same result.
    Raises EngineError if the requested engine cannot run the plan, SimulationError if processes are
    blocked at the end.
    """
    _check_engine(engine)
    for row in followers or ():
        if not 0 <= row < len(plan.services.meshes):
            raise ValueError(f"the plan has no mesh {row} to follow")
    how = _RunOptions(timeline, debug, record, samples, fast_forward)
    result, why = _run(plan, engine, how, watch, cache, followers)
    result.why = why
    result.noisy = plan.noisy
    for queue, made in zip(plan.queues, result.queues, strict=False):
        made.classes = [plan.processes[job.first].job for job in queue.jobs]
    result.mpi_io = plan.asked.work if plan.asked is not None else None
    return result


def run_totals(
    plan: Plan,
    *,
    engine: EngineName = "auto",
    watch: Observer = UNOBSERVED,
    cache: ColumnCache | None,
) -> Totals:
    """Run a plan as :func:`run_plan` does, and return the totals of its result.

    In the native engine this takes less time than a result.
    """
    _check_engine(engine)
    if engine != "reference" and cache is not None:
        from simulator.native.run import totals_native

        with suppress(RefusedError):  # run_plan also refuses it, or takes the other engine.
            return totals_native(plan, cache, watch.stopped)
    from simulator.result.totals import totals_of

    return totals_of(run_plan(plan, engine=engine, watch=watch, cache=cache))


def _check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise EngineError(f"no engine {engine!r}; write one of {', '.join(ENGINES)}")


@dataclass(frozen=True, slots=True)
class _RunOptions:
    """Options of a run, as given to :func:`run_plan`."""

    timeline: bool
    debug: bool
    record: bool
    samples: int
    fast_forward: bool


def _run(
    plan: Plan,
    engine: EngineName,
    how: _RunOptions,
    watch: Observer,
    cache: ColumnCache | None,
    followers: Mapping[int, Follower] | None,
) -> tuple[Result, str]:
    why = "requested"
    if engine != "reference":
        try:
            require_kernel()
            from simulator.native.run import run_native

            result = run_native(
                plan,
                timeline=how.timeline,
                debug=how.debug,
                record=how.record,
                samples=how.samples,
                fast_forward=how.fast_forward,
                stopped=watch.stopped,
                begun=watch.begun,
                cache=cache,
            )
        except RefusedError as error:
            if engine == "native":
                raise EngineError(f"--engine native: {error}; omit the option") from error
            why = f"auto: {error}"
        else:
            return result, "requested" if engine == "native" else "auto: it supports the whole plan"
    from simulator.reference.run import run_reference

    result = run_reference(
        plan,
        timeline=how.timeline,
        debug=how.debug,
        record=how.record,
        samples=how.samples,
        followers=followers,
        begun=watch.begun,
    )
    return result, why
