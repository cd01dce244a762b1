"""Trust in an answered requirement: its probability, how it was found, and what is in doubt.

Doubts are the model's error, what is drawn, and processes in lockstep. What is not in it: values of
the machine that are assumed (:mod:`simulator.study.uncertainty`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from simulator.config.amounts import show_height
from simulator.config.doubts import LOCKSTEP
from simulator.config.requirement_durability import DURABILITY
from simulator.config.requirement_targets import STILL
from simulator.plan.drawn import noisy_parts
from simulator.report.sizewords import cost_text, figure_name, percents
from simulator.sizing.groups import unwritten
from simulator.sizing.short import SURELY
from simulator.sizing.targets import column_of, shown
from simulator.study.modelerror import model_error
from simulator.wording import command_line, counted

if TYPE_CHECKING:
    from simulator.config.errors import Problem
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.probability import Probability
    from simulator.sizing.sized import Sized

# -- the probability ------------------------------------------------------------------------------

MOST_NAMED = 3
"""Things to measure first that are named."""
MOST = 1000
"""Draws of a configuration that can be asked for."""
LEAST_NAMED = 0.01
"""The part of the variance that one explains which is."""


def headline(sized: Sized, one: Configuration) -> str:
    """State with which probability a configuration meets all targets; empty if it is unknown."""
    found = sized.outcome(one).probability
    if found is None:
        return ""
    low, high = found.interval
    asked = sized.evaluator.wanted
    said = f"It meets all targets with a probability of {probability_text(found.estimate)}"
    if high - low >= 0.001:
        said += f" ({probability_text(low)} to {probability_text(high)})"
    if asked is not None:
        said += f"; the requirement asks for {probability_text(asked)}"
    if not found.decides(asked):
        which = "less" if found.estimate >= (asked or 0.0) else "more"
        said += f", and it may be {which}: {counted(len(found.draws), 'draw')} do not decide that"
        said += " (--replications 1000 goes on until they do)" if len(found.draws) < MOST else ""
    return f"{said}."


def basis(sized: Sized, one: Configuration) -> str:
    """State what the probability is made of, and what to measure first to be surer."""
    found = sized.outcome(one).probability
    if found is None:
        return ""
    return " ".join(
        filter(None, (_model(sized, found), _runs(sized, found), _first(sized, one, found)))
    )


def pages(sized: Sized, one: Configuration) -> str:
    """State where the errors of the model are printed, and how to vary what has no range."""
    found = sized.outcome(one).probability
    if found is None:
        return ""
    where = [] if found.error is None else [f"The model's errors: {', '.join(found.error.where)}."]
    return " ".join([*where, *(f"What values do: {one}." for one in _commands(sized, one))])


def _model(sized: Sized, found: Probability) -> str:
    """State of which study the model's error is, and why."""
    error = found.error
    if error is None:
        return "No error of the model is known of such figures: this is of runs alone."
    why = "no machine of a study is near"
    if error.machine:
        why = f"nearest: {error.machine}, {error.shared} of {error.kinds} kinds of resources alike"
    needs, asked = sized.evaluator.needs_of_any, sized.evaluator.wanted
    alone = ""
    if asked is not None:
        alone = f"; for {probability_text(asked)} it needs figures {needs:.3g} times as good"
    return f"This includes the model's error, taken from {error.what} ({why}){alone}."


def _runs(sized: Sized, found: Probability) -> str:
    """State how many draws would meet all targets if the model had no error."""
    if not found.varies:
        return ""
    known = ""
    if not found.is_known():
        known = f", so that the probability is known to {percents(found.half_width)}"
        more = sized.evaluator.wanted is not None and len(found.draws) < MOST
        known += " (--replications for more)" if more else ""
    values = f" and {counted(len(found.names), 'value')}" if found.names else ""
    return (
        f"Without that error {probability_text(found.by_runs)} of"
        f" {counted(len(found.draws), 'draw')} of runs{values} meet all targets{known}."
    )


def _first(sized: Sized, one: Configuration, found: Probability) -> str:
    """Name what to measure first, by the part of the variance that it explains."""
    explained = {name: part for name, part in found.explained().items() if part >= LEAST_NAMED}
    chance = explained.pop("runs", 0.0)
    parts = [
        f"{_run_of(sized, one) if name == 'model' else name}, {probability_text(part)}"
        for name, part in explained.items()
    ]
    said = [f"Measure first: {'; '.join(parts[:MOST_NAMED])} of the variance"] if parts else []
    said += [f"{probability_text(chance)} is chance, from run to run"] if chance else []
    return f"{'; '.join(said)}." if parts else ""


def _run_of(sized: Sized, one: Configuration) -> str:
    """Name the run that tells the model's error: of which load, which figure, and what is busy."""
    requirement = sized.requirement
    found = [(requirement.targets[each.target], each) for each in sized.outcome(one).measured]
    target, each = min(
        (pair for pair in found if column_of(pair[0])), key=lambda pair: pair[1].slack
    )
    load = requirement.workloads[target.workload or next(iter(requirement.workloads))]
    busiest = each.busiest.partition(" (")[0]
    part = f", and how busy {busiest} is" if busiest else ""
    return f"a run of {load.workload} on such a machine ({figure_name(target.figure)}{part})"


def _commands(sized: Sized, one: Configuration) -> list[str]:
    """Return a command for each load that varies all values that are not known well."""
    loads, found = sized.evaluator.loads, []
    for load in loads.loads:
        words = ["nwtsim", "uncertainty", loads.machine_file, load.workload]
        for path, value in (dict(load.settings) | dict(one.settings)).items():
            words += ["--set", f"{path}={value}"]
        found.append(command_line(*words))
    return found


def probability_text(share: float) -> str:
    """Write a probability: one digit behind the point near certainty.

    >>> [probability_text(share) for share in (0.9649, 0.5, 1.0, 0.9996)]
    ['96.5 %', '50 %', '100 %', '99.9 %']
    """
    value = 100 * share
    if 90 < value < 100:
        return f"{min(value, 99.9):.1f} %"
    return f"{value:.0f} %"


# -- how it was found -----------------------------------------------------------------------------


def looked_at(sized: Sized) -> str:
    """State how many configurations there are, and what became of them."""
    parts = [_of_how_many(sized)]
    if discarded := len(sized.discarded):
        durable = any(one.figure in DURABILITY for one in sized.requirement.targets)
        what = "capacity, durability," if durable else "capacity,"
        parts.append(f"{what} or a bound of the narrowest part, discards {discarded:,}")
    if left_out := len(sized.left_out):
        divisions = sized.evaluator.short.divisions if sized.evaluator.short else {}
        how = " and ".join(f"{name} to 1/{one.by}" for name, one in divisions.items())
        parts.append(f"runs made short ({how}) leave out {left_out:,} more, a judgement")
    if sized.sampled is not None and sized.sampled.dearer_not_run:
        parts.append(f"{sized.sampled.dearer_not_run:,} were dearer than two that meet everything")
    whole = len(sized.outcomes)
    parts.append(f"{whole:,} {'was' if whole == 1 else 'were'} run whole")
    return f"{'; '.join(parts)}{_not_run(sized)}."


def _not_run(sized: Sized) -> str:
    rest = not_looked_at(sized)
    if not rest:
        return ""
    least = cost_text(sized.requirement, rest[0].cost)
    was, others = ("was", "other one costs") if len(rest) == 1 else ("were", "others cost")
    number = "" if len(rest) == 1 else f"{len(rest):,} "
    return f"; the {number}{others} {least} or more and {was} not run (--all)"


def _crowded(sized: Sized) -> str:
    """State why the first combination that cannot be built cannot; nothing if all can."""
    if sized.built == sized.combinations:
        return ""
    offer = sized.offer
    broken = offer.rules.broken
    allowed = (number for number in range(offer.size) if broken(offer.places_of(number)) is None)
    reasons = (offer.crowded(offer.configuration(number)) for number in allowed)
    first = next((one for one in reasons if one is not None), None)
    return f" (not with {first})" if first is not None else ""


def _of_how_many(sized: Sized) -> str:
    """State how many combinations there are, and how those that were looked at were chosen."""
    there = counted(sized.combinations, "combination")
    sampled = sized.sampled
    if sampled is None:
        why = _contradicting(sized) or _crowded(sized)
        room = sized.requirement.rack_units
        high = sized.offer.too_high
        limit = f"; {high:,} are higher than {show_height(room)}" if room and high else ""
        return f"{there}, of which {sized.built:,} can be built{why}{_ruled_out(sized)}{limit}"
    parts = [
        f"{there}, of which {sampled.sampler} proposed {sampled.proposed:,} (--search-seed"
        f" {sampled.search_seed}), and {sampled.steps_from_the_best:,} are steps from the best of"
        " them"
    ]
    if sized.winner is not None:
        parts.append(
            "no step from the answer, of one choice or of one with the next level of a second, is"
            " cheaper and meets all"
        )
    return "; ".join(parts)


def _contradicting(sized: Sized) -> str:
    """State how many combinations contradict the machine, and why the first does."""
    impossible = sized.evaluator.loads.impossible
    if not impossible:
        return ""
    return f" ({impossible.total():,} contradict the machine: {_first_of(impossible)})"


def _ruled_out(sized: Sized) -> str:
    """State how many combinations rules between choices leave out; nothing if none."""
    found = sized.offer.ruled_out
    return f"; rules leave out {found.total():,} ({_first_of(found)})" if found else ""


def _first_of(reasons: Counter[str]) -> str:
    ((why, _),) = reasons.most_common(1)
    more = len(reasons) - 1
    return f"{why}; and {counted(more, 'other reason')}" if more else why


def not_looked_at(sized: Sized) -> list[Configuration]:
    """Return what can be built and was not looked at, since it cannot be the answer: by price."""
    if sized.sampled is not None:
        return []
    known = sized.known
    return [one for one in sized.order if one.number not in known]


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
