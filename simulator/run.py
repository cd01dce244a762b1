"""The one way in: a plan from a machine and a workload, and its run on an engine.

Commands and ``nwtsim`` run what a user names by :func:`prepare_run`: loaded, planned, run, and each
doubt told. Who makes many runs of his own has :func:`load_plan` and :func:`run_plan`.
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
    "NOBODY",
    "EngineError",
    "EngineName",
    "Inputs",
    "Listener",
    "Run",
    "Setting",
    "Watch",
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
"""The largest seed: 63 bits, as the native engine has."""


def read_seed(text: str) -> int:
    """Read a seed; ValueError says what to write.

    >>> read_seed("7")
    7
    """
    digits = text.strip()
    whole = digits.isascii() and digits.isdecimal() and len(digits) <= 30
    if not whole or int(digits) > MOST_SEED:
        raise ValueError(f"{text!r} is not a whole number from 0 to {MOST_SEED}; write one, like 1")
    return int(digits)


@dataclass(frozen=True, slots=True)
class Watch:
    """Who looks on while a plan is carried out; nothing of it changes a result."""

    stopped: Callable[[], bool] | None = None
    """Is asked now and then, by the native engine, whether to give up (KeyboardInterrupt)."""
    begun: Callable[[Callable[[], int]], None] | None = None
    """Is given, at the start, a function that tells how far the simulated time is; ns."""


NOBODY = Watch()


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
    """Hears what is to be known of a run beside its result."""

    say: Callable[[str], None]
    """Before the run: that another engine runs it, and a cost that is much."""
    warn: Callable[[Problem], None]
    """What will hardly be meant: of the files at first, then settings that nothing used."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run that a user has asked for, ready to be made."""

    inputs: Inputs
    plan: Plan
    seed: int | None
    engine: EngineName
    hears: Listener

    def result(self, *, more: int = 0, **how: Any) -> Result:
        """Make the run as :func:`run_plan` does, ``how`` being its options; tell what is doubtful.

        ``more`` runs like it will follow, which count in what is said of its cost.
        """
        from simulator.cost import first_words
        from simulator.unused import unused_settings

        kept = {name: bool(how.get(name)) for name in ("timeline", "record")}
        for line in first_words(self.plan, self.engine, more, **kept):
            self.hears.say(line)
        result = run_plan(self.plan, engine=self.engine, **how)
        if result.responses:
            self._look_at_arrivals(result, how.get("watch", NOBODY))
        for doubt in unused_settings(self.inputs.settings, self.plan, result):
            self.hears.warn(doubt)
        return result

    def _look_at_arrivals(self, result: Result, watch: Watch) -> None:
        """Add what other runs show of arrivals: how many the machine keeps up with, and batches."""
        from simulator.saturation import most_per_s
        from simulator.warmup import batch_means_ns

        def other(plan: Plan) -> Result:
            return run_plan(plan, engine=self.engine, watch=watch)

        result.batches_ns = batch_means_ns(self.plan, result, other) or ()
        most = most_per_s(self.plan, result, other)
        if most is not None:
            result.most_per_s = dict.fromkeys(result.responses, most)


def prepare_run(
    machine: Source,
    workload: Source,
    settings: Iterable[Setting] = (),
    *,
    seed: int | None = None,
    engine: EngineName = "auto",
    hears: Listener,
) -> Run:
    """Load and plan a run, and tell what is doubtful of it; see :func:`load_inputs`.

    EngineError if there is no such engine.
    """
    _check_engine(engine)
    inputs = load_inputs(machine, workload, settings, noisy=seed is not None)
    for doubt in inputs.doubts:
        hears.warn(doubt)
    return Run(inputs, inputs.plan(seed=seed), seed, engine, hears)


class EngineError(InputError):
    """An engine was asked for that cannot carry out the plan, or that does not exist."""


def run_plan(  # noqa: PLR0913 - all by their names
    plan: Plan,
    *,
    engine: EngineName = "auto",
    timeline: bool = False,
    debug: bool = False,
    record: bool = False,
    fast_forward: bool = True,
    watch: Watch = NOBODY,
    known: ColumnCache | None = None,
    followers: Mapping[int, Follower] | None = None,
) -> Result:
    """Carry out a plan; the result names the engine, and says why it was this one.

    ``timeline`` keeps every service, ``record`` every call of the processes; ``debug`` checks the
    identities (IdentityError). ``fast_forward`` lets the native engine carry on by arithmetic what
    repeats itself, with the same result. ``watch`` looks on, and may end the run
    (KeyboardInterrupt); ``known``, given to several runs, saves what their plans share.
    ``followers`` are told what processes do with meshes while the plan is carried out, by the rows
    of these in ``plan.services.meshes``; they change no result. Both
    engines give the same result. Raises EngineError if the engine that was asked for cannot carry
    out the plan, SimulationError if processes wait for ever.
    """
    _check_engine(engine)
    for row in followers or ():
        if not 0 <= row < len(plan.services.meshes):
            raise ValueError(f"the plan has no mesh {row} to follow")
    how = _How(timeline, debug, record, fast_forward)
    result, why = _run(plan, engine, how, watch, known, followers)
    result.why = why
    result.noisy = plan.noisy
    result.mpi_io = plan.asked.work if plan.asked is not None else None
    return result


def run_totals(
    plan: Plan, *, engine: EngineName = "auto", watch: Watch = NOBODY, known: ColumnCache | None
) -> Totals:
    """Carry out a plan as :func:`run_plan` does, and return what its result comes to.

    In the native engine it costs less than the result.
    """
    _check_engine(engine)
    if engine != "reference" and known is not None:
        from simulator.native.run import totals_native

        with suppress(RefusedError):  # The other way refuses it too, or takes another engine.
            return totals_native(plan, known, watch.stopped)
    from simulator.result.totals import totals_of

    return totals_of(run_plan(plan, engine=engine, watch=watch, known=known))


def _check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise EngineError(f"no engine {engine!r}; write one of {', '.join(ENGINES)}")


@dataclass(frozen=True, slots=True)
class _How:
    """What a run is to keep and check, as :func:`run_plan` is told."""

    timeline: bool
    debug: bool
    record: bool
    fast_forward: bool


def _run(
    plan: Plan,
    engine: EngineName,
    how: _How,
    watch: Watch,
    known: ColumnCache | None,
    followers: Mapping[int, Follower] | None,
) -> tuple[Result, str]:
    why = "asked for"
    if engine != "reference":
        try:
            require_kernel()
            from simulator.native.run import run_native

            result = run_native(
                plan,
                timeline=how.timeline,
                debug=how.debug,
                record=how.record,
                fast_forward=how.fast_forward,
                stopped=watch.stopped,
                begun=watch.begun,
                known=known,
            )
        except RefusedError as error:
            if engine == "native":
                raise EngineError(f"--engine native: {error}; omit the option") from error
            why = f"auto: {error}"
        else:
            return result, "asked for" if engine == "native" else "auto: it takes the whole plan"
    from simulator.reference.run import run_reference

    result = run_reference(
        plan,
        timeline=how.timeline,
        debug=how.debug,
        record=how.record,
        followers=followers,
        begun=watch.begun,
    )
    return result, why
