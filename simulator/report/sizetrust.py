"""Doubts of an answered requirement: the model's error, what is drawn, processes in lockstep.

What is not in it: values of the machine that are assumed (:mod:`simulator.study.uncertainty`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.doubts import LOCKSTEP
from simulator.plan.drawn import noisy_parts
from simulator.report.sizewords import (
    FIGURES,
    differing,
    in_state,
    name_of,
    percents,
    price_text,
)
from simulator.sizing.short import SURELY
from simulator.sizing.targets import column_of, margin, shown
from simulator.study.modelerror import all_of_kind, model_error
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.errors import Problem
    from simulator.config.requirement_file import Target
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sized
    from simulator.sizing.targets import Measured, Outcome
    from simulator.study.modelerror import Measured as Errors

# -- the model's own error ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Close:
    """A target whose margin is less than what the model was off on half of such figures."""

    target: Target
    measured: Measured
    errors: Errors

    @property
    def margin(self) -> float:
        """Its margin, as a part of the target; below 0 it misses."""
        return margin(self.target, self.measured.slack)


def errors_of(target: Target) -> Errors | None:
    """Return the errors that validation measured of such figures; None if it has none."""
    return all_of_kind(column_of(target))


def close_targets(sized: Sized, outcome: Outcome) -> list[Close]:
    """Return the targets that are met or missed by less than the model's error, nearest first."""
    found = []
    for one in outcome.measured:
        target = sized.requirement.targets[one.target]
        errors = errors_of(target)
        if errors is not None and one.slack > 0:
            close = Close(target, one, errors)
            if abs(close.margin) < errors.half_within():
                found.append(close)
    return sorted(found, key=lambda close: close.measured.slack)


def tie(sized: Sized, one: Configuration) -> str:
    """State that a margin is less than the model's error, and what has more; or nothing."""
    close = close_targets(sized, sized.outcome(one))
    if not close or sized.evaluator.wanted is not None:
        return ""
    first = close[0]
    spare, error = percents(first.margin), percents(first.errors.half_within())
    if spare == error:
        spare = f"less than {error}"
    others = f" ({len(close) - 1} more targets alike)" if len(close) > 2 else ""
    others = " (another target alike)" if len(close) == 2 else others
    name, errors = f"{name_of(first.target)}{in_state(first.measured.state)}", first.errors
    return (
        f"A tie within the model's error: {name} has {spare} to spare{others}; half of"
        f" {len(errors.errors)} {errors.what} were off by more than {error}."
        f" {_surer(sized, one, error)}"
    )


def _surer(sized: Sized, one: Configuration, error: str) -> str:
    """Name the cheapest of those run that has more to spare than the model is off."""
    safe = surer(sized)
    if safe is None:
        return f"Nothing that was run has more; to be surer write targets {error} tighter."
    more = safe.price - one.price
    price = f"{price_text(sized.requirement, more)} more" if more else "the same price"
    return f"With more: {differing(sized, safe, one)} ({price})."


def surer(sized: Sized) -> Configuration | None:
    """Return the cheapest of those run that meets all by more than the model's error."""
    return next(
        (
            one
            for one in sized.meeting
            if sized.affordable(one)
            and sized.outcome(one).complete
            and not close_targets(sized, sized.outcome(one))
        ),
        None,
    )


def may_meet(sized: Sized, one: Configuration) -> str:
    """State that all targets that are missed are so by less than the model's error; or nothing."""
    outcome = sized.outcome(one)
    missed = [each for each in outcome.measured if each.slack < 1]
    close = {id(each.measured): each for each in close_targets(sized, outcome)}
    if not outcome.complete or not missed or not all(id(each) in close for each in missed):
        return ""
    errors = close[id(missed[0])].errors
    return (
        f"It may meet it all the same: half of {len(errors.errors)} {errors.what} were off by more"
        f" than {percents(errors.half_within())}."
    )


def of_the_model(sized: Sized) -> str:
    """State how far the model was from measured figures like that which binds, beside all else."""
    without = "The model's own error is not in these figures"
    one = sized.winner or sized.nearest
    if one is None:
        return f"{without}."
    targets = sized.requirement.targets
    timed = [each for each in sized.outcome(one).measured if targets[each.target].capacity is None]
    if not timed:
        return "What can be kept is arithmetic: nothing was run for it."
    target = targets[min(timed, key=lambda each: each.slack).target]
    found = model_error(column_of(target))
    if not found:
        operation, _, part = target.figure.partition("_p")
        what = FIGURES.get(target.figure, f"{part} % of {operation}s")
        return f"{without}: none was measured of {what}."
    return f"{without}: {'; '.join(each.sentence() for each in found)}."


# -- from run to run ------------------------------------------------------------------------------


def varies(sized: Sized) -> bool:
    """Return whether anything of what was run is drawn."""
    return any(
        one.figure is not None and one.figure.varies
        for outcome in sized.outcomes.values()
        for one in outcome.measured
    )


def chance(sized: Sized) -> str:
    """State what a percentage means here, or that it means nothing."""
    requirement, evaluator = sized.requirement, sized.evaluator
    sure = f"{100 * requirement.confidence:g} %"
    if evaluator.seed is None:
        one = sized.winner or sized.nearest
        drawn = evaluator.drawn(one) if one is not None else []
        given = "confidence" in requirement.given
        nothing = ", so that confidence says nothing" if given else ""
        if drawn:
            said = f"One run each, though {' and '.join(drawn)} are drawn{nothing}"
            return f"{said}: omit --no-noise."
        plans = [] if one is None else [each.plan(one.settings) for each in evaluator.loads.loads]
        noise = [*dict.fromkeys(name for plan in plans for name in noisy_parts(plan))]
        if noise:
            stated = ", ".join(noise[:3]) + (", ..." if len(noise) > 3 else "")
            return f"Without the noise that the machine states ({stated}){nothing}: --no-noise."
        return f"Service times do not vary{nothing}."
    if not varies(sized):
        return (
            "Nothing of this machine and its loads is drawn: runs do not vary, one of each was"
            f" made, and neither --seed nor {sure} says anything (noise: docs/machines.md)."
        )
    runs = f"{evaluator.replications} runs (--seed {evaluator.seed})"
    if evaluator.wanted is not None:
        said = (
            f"Of each configuration up to {evaluator.draws:,} runs (--seed {evaluator.seed}) are"
            f" drawn, until it is sure whether it meets all targets with"
            f" {100 * evaluator.wanted:g} %; figures are those that so many of the runs reach."
        )
    else:
        part = 100 * shown(requirement.confidence, evaluator.replications)
        said = (
            f"Targets have to hold in each of {runs}, and what there is to spare is that of the"
            f" worst. That shows with {sure} that {part:.0f} % of all runs or more meet a target"
            " (--replications for more)."
        )
    return f"{said}{_shortened(sized)}"


def _shortened(sized: Sized) -> str:
    """State how many runs of an answer were made short; nothing if none were."""
    one = sized.winner or sized.nearest
    outcome = None if one is None else sized.outcome(one)
    if outcome is None or not outcome.shortened:
        return ""
    if sized.evaluator.wanted is not None:
        made = f"{outcome.shortened:,} of its {counted(outcome.runs, 'run')}"
        return f" {made} were made short, and multiplied by whole over short of the first."
    return (
        f" {outcome.shortened:,} of its {counted(outcome.runs, 'run')} were made short, and"
        " multiplied by whole over short of the worst; none came within"
        f" {percents(1 - 1 / SURELY)} of a target."
    )


# -- lockstep -------------------------------------------------------------------------------------


def doubts(
    sized: Sized, one: Configuration, *, noisy: bool | None = None
) -> list[tuple[str, Problem]]:
    """Return what the runs of a configuration warn of, each with its load.

    ``noisy``: whether service times vary; None: as in the search.
    """
    noisy = sized.evaluator.seed is not None if noisy is None else noisy
    return [
        (load.name, each)
        for load in sized.evaluator.loads.loads
        for each in load.prepared.doubts(one.settings, noisy=noisy)
    ]


def lockstep(sized: Sized, one: Configuration) -> str:
    """State that equal processes move in lockstep, where they do; or nothing."""
    loads = _in_lockstep(sized, one)
    if not loads:
        return ""
    cures = [] if sized.evaluator.seed is not None else ["omit --no-noise"]
    if _in_lockstep(sized, one, noisy=True):
        cures.insert(0, "give the machine noise")
    cure = " and ".join(cures)
    return (
        f"Lockstep ({', '.join(loads)}): equal processes without noise always queue in one order,"
        f" as on no machine; {cure}."
    )


def _in_lockstep(sized: Sized, one: Configuration, *, noisy: bool | None = None) -> list[str]:
    told = doubts(sized, one, noisy=noisy)
    return [*dict.fromkeys(load for load, each in told if each.message == LOCKSTEP)]
