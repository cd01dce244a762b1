"""What limits a run, for people: one sentence, a table of the levers that matter, commands."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.report.lined import table, wrapped
from simulator.report.quantity import time_cell
from simulator.units import format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from simulator.answers.ask import NotAsked
    from simulator.answers.levers import Lever
    from simulator.answers.limits import Limit, Limits, Moved
    from simulator.config.settings import Setting

MOST_COMMANDS = 2
MOST_WIDTH = 22
"""Characters of a change in the table; the sentence and the commands have all values."""
_LEGEND = "(+10 %, -10 %: saved by a tenth, or one, more or less of it; busy: its busiest instance)"
NOT_ASKED = (
    "What limits: not asked, since it takes up to {runs} runs as long as this one (--limits asks)."
)
_PHRASES = {
    "bandwidth": "bandwidth of {resource}",
    "latency": "{noun} of {resource}",
    "wait": "waiting for {resource}",
    "capacity": "capacity of {resource}",
}
_NUMBERS = {
    "count": "number of {resource} nodes",
    "cores": "number of cores of {resource} nodes",
    "over": "number of members that {resource} stripes a file over",
    "window": "requests at one time of {resource}",
    "writers": "write-backs at one time of {resource}",
    "prefetch": "blocks that {resource} reads ahead",
    "at_once": "calls at one time of {resource}",
}
_TWICE = {
    "rate": "twice the {what} ({now} -> {new})",
    "overhead": "half the {what} ({now} -> {new})",
    "number": "twice as many ({what} {now} -> {new})",
    "capacity": "twice the {what} ({now} -> {new})",
}
_HIGHER = "a higher dirty limit ({now} -> {new})"


def limits_text(limits: Limits | NotAsked, command: Sequence[str] = (), advice: str = "") -> str:
    """Write what limits, and ``advice`` below it.

    Without advice the first levers are written as commands: ``command`` is that of the run, to
    which settings can be added. Without a command there are only settings.
    """
    from simulator.answers.ask import NotAsked

    if isinstance(limits, NotAsked):
        return wrapped(NOT_ASKED.format(runs=limits.runs))
    blocks = []
    for one in limits.each:
        told = shortened_text(limits) if one is limits.each[0] else []
        blocks += [wrapped(" ".join((sentence(one), *told))), _table(one) if one.matter else ""]
        if not advice and one.matter:
            moved = [each.twice for each in one.matter[:MOST_COMMANDS]]
            blocks.append("\n".join(command_of(one, each, command) for each in moved))
    if limits.more_jobs:
        blocks.append(f"({counted(limits.more_jobs, 'more job')}: --job NAME asks about one)")
    return "\n\n".join(filter(None, (*blocks, advice)))


def found(limits: Limits | NotAsked | None) -> Limits | None:
    """Return the answer; None if there is none."""
    from simulator.answers.ask import NotAsked

    return None if limits is None or isinstance(limits, NotAsked) else limits


def sentence(limits: Limits) -> str:
    """Say in one sentence what limits.

    What was not run is not said.
    """
    first = limits.first
    if first is not None:
        return f"{_head(limits)}: {_phrase(first.lever)}. {_effect(limits, first)}"
    told = f"{_head(limits)}: no single resource. Of {counted(len(limits.limits), 'lever')} of the"
    told += " machine none saves 1 % of the time by being twice as good"
    most = next((one for one in limits.limits if one.saves_ns > 0), None)
    if most is None:
        return f"{told}."
    return f"{told}; the most, {format_time(most.saves_ns)}, is saved by {most.lever.name}."


def _head(limits: Limits) -> str:
    job = limits.measure.job
    return f"What limits {job}" if job else "What limits"


def _phrase(lever: Lever) -> str:
    key = lever.what.partition(" ")[0]
    return _PHRASES.get(lever.kind, _NUMBERS.get(key, lever.name)).format(
        resource=lever.resource, noun=lever.noun
    )


def _effect(limits: Limits, one: Limit) -> str:
    lever = one.lever
    now, new = values_of(lever, one.twice.settings)
    words = _HIGHER if lever.what == "dirty" else _TWICE[lever.aspect]
    average = " on average" if limits.measure.arrives else ""
    return (
        f"With {words.format(what=lever.noun, now=now, new=new)}"
        f" {limits.measure.subject} takes {format_time(one.twice.elapsed_ns)} instead of"
        f" {format_time(limits.elapsed_ns)}{average}:"
        f" {format_time(one.saves_ns)} ({percent(one.saves_ns, limits.elapsed_ns)}) less."
        f"{_late(limits, one)}"
    )


def _late(limits: Limits, one: Limit) -> str:
    """Say within which time most arrivals end; nothing of what does not arrive."""
    if limits.p95_ns is None or one.twice.p95_ns is None:
        return ""
    before, after = format_time(limits.p95_ns), format_time(one.twice.p95_ns)
    return f" 95 % take at most {after} instead of {before}."


def values_of(lever: Lever, settings: Sequence[Setting]) -> tuple[str, str]:
    """Return the values of a lever as they are, and as some settings have them."""
    new = dict(settings)
    several = len(lever.values) > 1
    nows, news = [], []
    for value in lever.values:
        key = f"{value.path.rpartition('.')[2]} " if several else ""
        nows.append(f"{key}{value.text}")
        news.append(f"{key}{new.get(value.path, value.text)}")
    return ", ".join(nows), ", ".join(news)


def _table(limits: Limits) -> str:
    """Write a row for each lever that was moved by 10 % too."""
    moved = [one for one in limits.matter if one.better is not None or one.worse is not None]
    if not moved:
        return ""
    rows = [_row(limits, one) for one in moved]
    late = ["95 % within"] if limits.p95_ns is not None else []
    head = ["resource", "limits by", "twice as good", "saves", "", "+10 %", "-10 %", *late, "busy"]
    return f"{table(head, rows, 'lll' + 'r' * (len(head) - 3))}\n{_LEGEND}"


def _row(limits: Limits, one: Limit) -> list[str]:
    whole = limits.elapsed_ns
    late = [time_cell(one.twice.p95_ns)] if limits.p95_ns is not None else []
    return [
        one.lever.name,
        one.lever.kind,
        _change(one),
        time_cell(one.saves_ns),
        percent(one.saves_ns, whole),
        _saved(whole, one.better),
        _saved(whole, one.worse),
        *late,
        "-" if one.busy is None else percent(one.busy, 1),
    ]


def _change(one: Limit) -> str:
    """Return the values of a lever before and after, or what is done to them if they are many."""
    text = " -> ".join(values_of(one.lever, one.twice.settings))
    if len(text) <= MOST_WIDTH:
        return text
    return "half" if one.lever.aspect == "overhead" else "twice"


def _saved(whole_ns: int, moved: Moved | None) -> str:
    """Return what a lever that was moved saves; below 0 if the run takes longer."""
    return time_cell(None if moved is None else whole_ns - moved.elapsed_ns)


def shortened_text(limits: Limits) -> list[str]:
    """Say how the run was shortened, in a sentence; nothing for a whole run."""
    return [] if limits.shortened is None else [limits.shortened.sentence]


def command_of(limits: Limits, moved: Moved, command: Sequence[str]) -> str:
    """Return the command of a run; not broken into lines, so that it can be copied."""
    settings = [f"{path}={value}" for path, value in (*limits.settings, *moved.settings)]
    if not command:
        return f"  {', '.join(settings)}: {format_time(moved.elapsed_ns)}"
    words = [*command, *(word for one in settings for word in ("--set", one))]
    return f"  {format_time(moved.elapsed_ns)}: {shlex.join(words)}"
