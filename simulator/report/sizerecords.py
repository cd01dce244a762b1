"""What to buy, for programs: a record for JSON, rows for CSV."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from simulator.report.sizemoney import bought, factor_of
from simulator.report.sizestates import states_record
from simulator.report.sizetrust import doubts, model_record, varies
from simulator.sizing.figures import margin
from simulator.sizing.loads import command_of

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.measured import Measured
    from simulator.sizing.search import Sampled, Sized


def size_record(sized: Sized) -> dict[str, Any]:
    """Return the record for programs; times in ns, rates in bytes per second."""
    requirement, evaluator = sized.requirement, sized.evaluator
    winner, runner_up = sized.winner, sized.runner_up

    shown = winner or sized.nearest

    def known(one: Configuration | None) -> dict[str, Any] | None:
        return None if one is None else configuration_record(sized, one)

    return {
        "requirement": requirement.name,
        "machine": evaluator.loads.machine_file,
        "met": winner is not None,
        "answer": known(winner),
        "runner_up": known(runner_up),
        "nearest": known(sized.nearest) if winner is None else None,
        "one_step_more": [
            {"choice": name, **configuration_record(sized, sized.offer.configuration(number))}
            for name, number in (sized.offer.neighbours(winner.number) if winner else ())
            if number in sized.outcomes
        ],
        "one_for_another": [
            {"more": up, "less": down, **configuration_record(sized, one)}
            for up, down, one in sized.swaps()
        ],
        "front": [configuration_record(sized, one) for one in sized.front()],
        "currency": requirement.currency,
        "budget": None if requirement.budget is None else _budget_record(requirement, shown),
        "years": requirement.years,
        "loads": {name: _load_record(requirement, name) for name in requirement.workloads},
        "model": None if shown is None else model_record(sized, shown),
        "warnings": []
        if shown is None
        else [*dict.fromkeys(str(one) for _, one in doubts(sized, shown))],
        "seed": evaluator.seed,
        "replications": evaluator.replications,
        "confidence": requirement.confidence,
        "share": requirement.share,
        "varies": varies(sized),
        "combinations": sized.combinations,
        "buildable": sized.built,
        "contradicting": [
            {"why": why, "combinations": count}
            for why, count in evaluator.loads.impossible.most_common()
        ],
        "sampled": _sampled_record(sized.sampled),
        "discarded_by_bound": len(sized.discarded),
        "left_out_by_short_runs": len(sized.left_out),
        "run_whole": len(sized.outcomes),
        "not_run": sized.sampled.dearer if sized.sampled else len(not_looked_at(sized)),
        "commands": commands(sized, winner) if winner is not None else [],
    }


def not_looked_at(sized: Sized) -> list[Configuration]:
    """Return what can be built and was not looked at, since it cannot be the answer: by price."""
    if sized.sampled is not None:
        return []
    known = sized.bounds.keys() | sized.short.keys() | sized.outcomes.keys()
    return [one for one in sized.order if one.number not in known]


def _budget_record(requirement: Requirement, one: Configuration | None) -> dict[str, Any]:
    """Return what may be spent, and what is left of it; below 0: what is missing."""
    assert requirement.budget is not None
    price, power = requirement.budget.price, requirement.budget.power
    return {
        "price": price,
        "power_W": power,
        "price_left": None if price is None or one is None else price - one.price,
        "power_left_W": None if power is None or one is None else power - one.power,
    }


def _load_record(requirement: Requirement, name: str) -> dict[str, Any]:
    """Return a load, and how many times as large as today its files are."""
    load = requirement.workloads[name]
    return {
        "workload": load.workload,
        "weight": load.weight,
        "growth": load.growth,
        "files_grown": factor_of(requirement, name),
    }


def _sampled_record(sampled: Sampled | None) -> dict[str, Any] | None:
    """Return how configurations were chosen; None if all were looked at."""
    if sampled is None:
        return None
    return {
        "proven_cheapest": False,
        "looked_at": sampled.looked,
        "sampler": sampled.sampler,
        "search_seed": sampled.seed,
        "trials": sampled.trials,
        "proposed": sampled.proposed,
        "steps_from_the_best": sampled.stepped,
        "dearer_not_run": sampled.dearer,
    }


def configuration_record(sized: Sized, one: Configuration) -> dict[str, Any]:
    """Return what is known of a configuration."""
    outcome = sized.outcome(one)
    return {
        "number": one.number,
        "choices": dict(zip(sized.offer.names, one.levels, strict=True)),
        "pieces": dict(one.pieces),
        "bought": [
            {
                "what": part.what,
                "pieces": part.pieces,
                "each": part.each,
                "together": part.together,
                "source": part.source.text or part.source.kind,
                "note": part.source.note or None,
            }
            for part in bought(sized.requirement, one)
        ],
        "price": one.price,
        "power_W": one.power,
        "usable_bytes": one.usable,
        "settings": [list(setting) for setting in one.settings],
        "meets": outcome.meets,
        "runs": outcome.runs,
        "runs_made_short": outcome.shortened,
        "targets": [_target_record(sized.requirement, each) for each in outcome.measured],
        "states": states_record(sized, one),
    }


def _target_record(requirement: Requirement, one: Measured) -> dict[str, Any]:
    target = requirement.targets[one.target]
    interval = one.figure.interval if one.figure is not None else None
    return {
        "workload": target.workload,
        "job": target.job,
        "figure": target.figure,
        "state": one.state,
        "limit": target.limit,
        "value": None if one.figure is None else one.figure.mean,
        "judged": one.judged,
        "values": None if one.figure is None else list(one.figure.values),
        "interval": None if interval is None else list(interval),
        "slack": None if math.isinf(one.slack) else round(one.slack, 9),
        "margin": None
        if one.slack <= 0 or math.isinf(one.slack)
        else round(margin(target, one.slack), 9),
        "by": one.by,
        "busiest": one.busiest or None,
    }


def csv_rows(sized: Sized) -> list[list[Any]]:
    """Return the head, and a row for each configuration that was looked at, the cheapest first."""
    names = sized.offer.names
    rows: list[list[Any]] = []
    for one in sized.order:
        known = sized.outcomes.get(one.number) or sized.short.get(one.number)
        known = known or sized.bounds.get(one.number)
        if known is None:
            continue
        binding = known.binding
        by = "run" if one.number in sized.outcomes else binding.by
        figure = sized.requirement.targets[binding.target].figure
        about = [one.price, one.power, one.usable, by, known.meets, round(known.slack, 6)]
        rows.append([one.number, *one.levels, *about, figure, binding.state])
    head = ["number", *names, "price", "power_W", "usable_bytes", "by", "meets"]
    return [[*head, "slack", "binding", "state"], *rows]


def commands(sized: Sized, one: Configuration) -> list[str]:
    """Return the commands that make the runs of a configuration again, all replications."""
    evaluator = sized.evaluator
    found = []
    for state in evaluator.states:
        settings = sized.offer.settings_in(one, state)
        found += [
            command_of(evaluator.loads, load, settings, evaluator.options_of(load, settings))
            for load in evaluator.loads.loads
        ]
    return found
