"""The record and the rows of an answered requirement, for programs; and its states."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from simulator.config.amounts import show_height
from simulator.config.growth import factor
from simulator.config.requirement_file import NORMAL
from simulator.report.forms import picked
from simulator.report.sizeownership import ownership_record, values_record
from simulator.report.sizetrust import doubts, not_looked_at, unwritten_record, varies
from simulator.report.sizewhy import cheaper_record, limits_record, of_caches
from simulator.report.sizewords import bought
from simulator.sizing.happened import is_in_vain, left_of
from simulator.sizing.ready import command_of
from simulator.sizing.targets import column_of, margin
from simulator.study.modelerror import model_error
from simulator.units import format_time
from simulator.wording import brief_size, counted

OWNED = "price", "total", "power_W", "rack_units", "usable_bytes"
"""Columns of what a configuration costs, takes and keeps."""
MOST_NAMED = 2
"""Parts and arrays of a run that have a line of their own."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simulator.config.requirement_file import Requirement
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sampled, Sized
    from simulator.sizing.targets import Measured


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
        "alternative": sized.alternative or None,
        "met": winner is not None,
        "answer": known(winner),
        "runner_up": known(runner_up),
        "cheaper": cheaper_record(sized),
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
        **requirement_record(requirement, shown),
        "model": None if shown is None else model_record(sized, shown),
        "warnings": []
        if shown is None
        else [
            *dict.fromkeys(str(one) for _, one in doubts(sized, shown)),
            *of_caches(sized, shown),
        ],
        **picked(evaluator, "seed replications"),
        "varies": varies(sized),
        "combinations": sized.combinations,
        "buildable": sized.built,
        "contradicting": [
            {"why": why, "combinations": count} for why, count in _refused(sized).most_common()
        ],
        "sampled": _sampled_record(sized.sampled),
        "discarded_by_bound": len(sized.discarded),
        "left_out_by_short_runs": len(sized.left_out),
        "run_whole": len(sized.outcomes),
        "not_run": sized.sampled.dearer_not_run if sized.sampled else len(not_looked_at(sized)),
        "commands": commands(sized, winner) if winner is not None else [],
    }


def requirement_record(requirement: Requirement, one: Configuration | None) -> dict[str, Any]:
    """Return what a requirement asks for, and what a configuration leaves of its budget."""
    owned = requirement.ownership
    return {
        "currency": requirement.currency,
        "budget": None if requirement.budget is None else _budget_record(requirement, one),
        **picked(requirement, "years minimise rack_units confidence probability"),
        "ownership": None
        if owned is None
        else picked(owned, "years power_price pue support residual"),
        "loads": {name: _load_record(requirement, name) for name in requirement.workloads},
    }


def _refused(sized: Sized) -> Counter[str]:
    """Count what contradicts the machine, breaks a rule, or is too high for the racks, by why."""
    found = Counter(sized.evaluator.loads.impossible) + sized.offer.ruled_out
    high = sized.offer.too_high
    if sized.requirement.rack_units is not None and high:
        found[f"higher than {show_height(sized.requirement.rack_units)}"] = high
    return found


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
    """Return a load, by which parts it grows a year, and how many times as large its files are."""
    load = requirement.workloads[name]
    grown = float(factor(load.growth.files, requirement.years))
    growing = {"growth": load.growth.files, "growing": load.growth.all, "files_grown": grown}
    return {**picked(load, "workload weight"), **growing}


def _sampled_record(sampled: Sampled | None) -> dict[str, Any] | None:
    """Return how configurations were chosen; None if all were looked at."""
    if sampled is None:
        return None
    return {"proven_cheapest": False, "looked_at": sampled.looked, **asdict(sampled)}


def configuration_record(sized: Sized, one: Configuration) -> dict[str, Any]:
    """Return what is known of a configuration."""
    outcome, origin = sized.outcome(one), sized.requirement.origin
    return {
        "alternative": sized.alternative or None,
        "number": one.number,
        "choices": dict(zip(sized.offer.names, one.levels, strict=True)),
        "pieces": dict(one.pieces),
        "bought": [
            {
                **picked(part, "what pieces"),
                **picked(part.purchase, "sold pack left_over each together"),
                "line": origin.place(("catalogue", part.what, "price")).line,
                "source": part.source.text or part.source.kind,
                "note": part.source.note or None,
            }
            for part in bought(sized.requirement, one)
        ],
        "price": one.price,
        "power_W": one.power,
        "rack_units": one.height,
        "ownership": ownership_record(sized, one),
        "values": values_record(sized, one),
        "usable_bytes": one.usable,
        "redundancy_not_written": unwritten_record(sized, one),
        "settings": [list(setting) for setting in one.settings],
        "meets": outcome.meets,
        "probability": None if outcome.probability is None else outcome.probability.to_record(),
        "runs": outcome.runs,
        "runs_made_short": outcome.shortened,
        "targets": [_target_record(sized.requirement, each) for each in outcome.measured],
        "limits": limits_record(sized, one),
        "states": states_record(sized, one),
    }


def _target_record(requirement: Requirement, one: Measured) -> dict[str, Any]:
    target, figure = requirement.targets[one.target], one.figure
    interval = figure.interval if figure is not None else None
    known = not math.isinf(one.slack)
    return {
        **picked(target, "workload job node year figure"),
        "state": one.state,
        "limit": target.limit,
        "value": None if figure is None else figure.mean,
        "judged": one.judged,
        "values": None if figure is None else list(figure.values),
        "interval": None if interval is None else list(interval),
        "slack": round(one.slack, 9) if known else None,
        "slack_needed": round(one.needs, 9),
        "margin": round(margin(target, one.slack), 9) if known and one.slack > 0 else None,
        "by": one.by,
        "busiest": one.busiest or None,
    }


def csv_rows(sized: Sized) -> list[list[Any]]:
    """Return the head, and a row for each configuration that was looked at, the cheapest first."""
    known, rows = sized.known, list[list[Any]]()
    for one in (each for each in sized.order if each.number in known):
        outcome, binding = known[one.number], sized.binding(one)
        by = "run" if one.number in sized.outcomes else binding.by
        figure = sized.requirement.targets[binding.target].figure
        owned = [one.price, one.total, one.power, one.height, one.usable]
        about = [*owned, by, outcome.meets, round(outcome.slack, 6)]
        rows.append([one.number, *one.levels, *about, figure, binding.state])
    head = ["number", *sized.offer.names, *OWNED, "by", "meets"]
    return [[*head, "slack", "binding", "state"], *rows]


def commands(sized: Sized, one: Configuration) -> list[str]:
    """Return the commands that make the runs of a configuration again, all replications."""
    evaluator = sized.evaluator
    found = []
    for state in evaluator.states:
        settings = sized.offer.settings_in(one, state)
        found += [
            command_of(
                evaluator.loads.machine_file, load, settings, evaluator.options_of(load, settings)
            )
            for load in evaluator.loads.loads
        ]
    return found


def model_record(sized: Sized, one: Configuration) -> dict[str, Any]:
    """Return how far the model was from measured figures of the targets' kinds, for programs."""
    targets = [sized.requirement.targets[each.target] for each in sized.outcome(one).measured]
    columns = dict.fromkeys(map(column_of, targets))
    return {
        "errors": {
            column: [each.to_record() for each in model_error(column)]
            for column in columns
            if column
        },
    }


# -- states ---------------------------------------------------------------------------------------


def states_record(sized: Sized, one: Configuration) -> list[dict[str, Any]]:
    """Return what each state takes from a configuration, and what failed in its runs."""
    loads, outcome = sized.evaluator.loads, sized.outcome(one)
    found: list[dict[str, Any]] = []
    for state in sized.evaluator.states:
        runs = [
            {"workload": load, **facts}
            for (which, load), facts in outcome.happened.items()
            if which == state
        ]
        if not runs or (state == NORMAL and not any(map(_failed, runs))):
            continue
        taken = {} if state == NORMAL else left_of(loads, one, state)
        vain = state != NORMAL and is_in_vain(loads, one, state)
        found.append({"state": state, "as_without": vain, **taken, "runs": runs})
    return found


def _failed(run: Mapping[str, Any]) -> bool:
    return bool(run["arrays"] or run["parts"])


def state_lines(sized: Sized, one: Configuration) -> Iterator[str]:
    """Yield what came of each state, one line each: whether it took effect, and what is left."""
    for record in states_record(sized, one):
        state = record["state"]
        if record["as_without"]:
            yield f"{state}: as a machine that is whole; see its 'set' and 'less'."
            continue
        if said := [*_left(record, one), *_runs(sized, record)]:
            yield f"{state}: {'; '.join(said)}."


def _left(record: Mapping[str, Any], whole: Configuration) -> Iterator[str]:
    """State what a state without some units has, and what becomes of their data."""
    less = record.get("less")
    if not less:
        return
    units = " and ".join(
        f"{one['of'] - one['missing']:,} of {one['of']:,} {name}" for name, one in less.items()
    )
    missing = ", ".join(f"{count:,} {item}" for item, count in record["missing_pieces"].items())
    yield f"run with {units}{f' (missing: {missing})' if missing else ''}"
    out = whole.usable - record["usable_bytes"]
    if out <= 0:
        return
    part = (
        f"{brief_size(out)} of {brief_size(whole.usable)} usable ({100 * out / whole.usable:.3g} %)"
    )
    within = " and ".join(record["redundancy"])
    cure = "until it is back, since no redundancy spans such units"
    if within:
        cure = f"if more of a group ({within}) is missing than its redundancy bears"
    yield f"{part} lie on what is missing, out of reach {cure}"


def _runs(sized: Sized, record: Mapping[str, Any]) -> Iterator[str]:
    """State what failed while the runs of a state went on."""
    for run in record["runs"]:
        whose = f"{run['workload']}: " if len(sized.evaluator.loads.loads) > 1 else ""
        lines = [*_arrays(run), *_parts(run)]
        for line in lines[:MOST_NAMED]:
            yield f"{whose}{line}"
        if more := len(lines) - MOST_NAMED:
            yield from [f"{whose}and {more:,} more like that"] * (more > 0)
        if not lines and not record.get("less") and _has_events(sized, record["state"]):
            yield f"{whose}nothing failed before the run ended, at {format_time(run['end_ns'])}"


def _arrays(run: Mapping[str, Any]) -> Iterator[str]:
    for name, one in run["arrays"].items():
        failed = counted(one["disks_failed"], "disk")
        whole, done = one["to_rebuild_bytes"], one["rebuilt_bytes"]
        part = f"{brief_size(done)} of {brief_size(whole)} rebuilt"
        if one["rebuilt"] < one["disks_failed"]:
            part = f"{part} ({100 * done / whole:.3g} %) when the run ended"
        lost = f"; data lost {one['losses']:,} times" if one["losses"] else ""
        time = f"{format_time(one['degraded_ns'])} of {format_time(run['end_ns'])}"
        yield f"{failed} of {name} failed, not whole for {time}, {part}{lost}"


def _parts(run: Mapping[str, Any]) -> Iterator[str]:
    for name, one in run["parts"].items():
        whole = format_time(run["end_ns"])
        if one["failures"]:
            failed = f"failed for {format_time(one['failed_ns'])} of {whole}"
            yield f"{name} {failed}, {counted(one['delayed'], 'request')} waited for it"
        else:
            yield f"{name} had another speed for {format_time(one['slow_ns'])} of {whole}"


def _has_events(sized: Sized, state: str) -> bool:
    found = sized.requirement.states.get(state)
    return found is not None and any("events" in path for path in found.set)
