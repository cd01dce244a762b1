"""Doubts of an answered requirement: the model's error, what is drawn, processes in lockstep.

What is not in it: values of the machine that are assumed (:mod:`simulator.study.uncertainty`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.config.doubts import LOCKSTEP
from simulator.config.requirement_targets import STILL
from simulator.plan.drawn import noisy_parts
from simulator.report.sizefigures import figure_name
from simulator.report.sizewords import percents
from simulator.sizing.groups import unwritten
from simulator.sizing.short import SURELY
from simulator.sizing.targets import column_of, shown
from simulator.study.modelerror import model_error
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.errors import Problem
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sized

# -- the model's own error ------------------------------------------------------------------------


def of_the_model(sized: Sized) -> str:
    """State how far the model was from measured figures like that which binds, by study."""
    one = sized.winner or sized.nearest
    if one is None:
        return "No figure of the model was judged."
    targets = sized.requirement.targets
    timed = [
        each for each in sized.outcome(one).measured if targets[each.target].figure not in STILL
    ]
    if not timed:
        return "What can be kept is arithmetic: nothing was run for it."
    target = targets[min(timed, key=lambda each: each.slack).target]
    found = model_error(column_of(target))
    if not found:
        what = figure_name(target.figure)
        return f"The model's own error is not in this: none was measured of {what}."
    return f"How far the model was elsewhere: {'; '.join(each.sentence() for each in found)}."


def unwritten_record(sized: Sized, one: Configuration) -> list[dict[str, Any]]:
    """Return the redundancy that is bought and that runs do not write, with what it is of."""
    offer, load = sized.offer, sized.evaluator.loads.loads[0]
    machine = load.prepared.load(one.settings)[0]
    found = unwritten(offer, machine, one)
    return [{"redundancy": str(group), "parts": [*parts]} for group, parts in found]


def not_written(sized: Sized, one: Configuration) -> str:
    """State that runs do not write the redundancy that is bought, where they do not; or nothing."""
    found = unwritten_record(sized, one)
    if not found:
        return ""
    parts = dict.fromkeys(part for row in found for part in row["parts"])
    of = f" of {' and '.join(parts)} (no 'kind: array')" if parts else ""
    groups = dict.fromkeys(row["redundancy"] for row in found)
    return f"Runs do not write the redundancy{of}: {' and '.join(groups)}."


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
            left = f"The noise that the machine states ({stated}) is left out (--no-noise)"
            return f"{left}{nothing}."
        return f"Service times do not vary{nothing}."
    if not varies(sized):
        return (
            "Nothing in this machine and its loads is random: every run is the same, so that one"
            f" of each was made, and --seed and {sure} change nothing (noise: docs/machines.md)."
        )
    runs = f"{evaluator.replications} runs (--seed {evaluator.seed})"
    if evaluator.wanted is not None:
        said = (
            f"Of each configuration up to {evaluator.draws:,} runs (--seed {evaluator.seed}) are"
            f" drawn, until it is sure whether it meets all targets with"
            f" {100 * evaluator.wanted:g} %; figures are those that this part of the runs reaches."
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
