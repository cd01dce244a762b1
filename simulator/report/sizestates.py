"""What came of the states of an answer: lines for people, and a record for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simulator.config.requirement_file import NORMAL
from simulator.sizing.happened import is_in_vain, left_of
from simulator.units import format_time
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.search import Sized

MOST_NAMED = 2
"""Parts and arrays of a run that have a line of their own."""


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
    """Say what a state without some units has, and what becomes of their data."""
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
    """Say what failed while the runs of a state went on."""
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


def _failed(run: Mapping[str, Any]) -> bool:
    return bool(run["arrays"] or run["parts"])


def _has_events(sized: Sized, state: str) -> bool:
    found = sized.requirement.states.get(state)
    return found is not None and any("events" in path for path in found.set)
