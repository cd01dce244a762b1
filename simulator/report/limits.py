"""The limit of a run, for people: a sentence, a table of the levers that matter, commands."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from simulator.report.page import Block, Column, Drawn, Plain, Section, Table, Terminal, rows_of
from simulator.report.screen import block_text
from simulator.units import format_time
from simulator.wording import command_line, counted, percent

if TYPE_CHECKING:
    from simulator.answers.again import NotAsked
    from simulator.answers.levers import Lever
    from simulator.answers.limits import Limit, Limits, Moved
    from simulator.config.settings import Setting
    from simulator.study.sweep import Swept

TITLE = "What limits"
MOST_COMMANDS = 2
MOST_ROWS = 25
"""Levers in a browser."""
NONE = "nothing alone"
"""Limit of a run that no single resource limits."""
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
    "event": "{noun} of {resource}",
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
    "event": "Without it",
}
_HIGHER = "a higher dirty limit ({now} -> {new})"


def limits_text(limits: Limits) -> str:
    """Write what limits."""
    first, sections = limits_told(limits)
    blocks: list[Block] = [first, *(block for one in sections for block in one.blocks)]
    return "\n\n".join(filter(None, map(block_text, blocks)))


def limits_told(
    limits: Limits | NotAsked, command: Sequence[str] = (), advice: str = ""
) -> tuple[str, list[Section]]:
    """Return what limits in a sentence or two, and sections: what shows it, ``advice`` at the end.

    Without advice the first levers are written as commands: ``command`` is that of the run, to
    which settings can be added. Without a command there are only settings. A browser has all
    levers, and advice in sections of its own.
    """
    known = found(limits)
    if known is None:
        return _not_asked(limits), []
    first, *others = sentences(known)
    sections = []
    for one, told in zip(known.each, ("", *others), strict=True):
        blocks: list[Block] = [told] if told else []
        blocks.append(levers_table(one, _moved(one), change))
        if not advice:
            blocks.append(_commands(one, command))
        sections.append(_only(blocks, leads=one is known.each[0]))
    if known.more_jobs:
        sections.append(_only([_more_jobs(known)]))
    every = Section("", [Drawn(lambda: _levers(known, command))], heading=TITLE)
    return first, [*sections, _only([Plain(advice)]), every]


def _only(blocks: Sequence[Block], *, leads: bool = True) -> Section:
    return Section("", [*map(Terminal, blocks)], leads=leads, heading=TITLE)


def _not_asked(limits: Limits | NotAsked) -> str:
    return NOT_ASKED.format(runs=limits.runs)


def _more_jobs(limits: Limits) -> str:
    return f"({counted(limits.more_jobs, 'more job')}: --job NAME asks about one)"


def _commands(limits: Limits, command: Sequence[str]) -> Plain:
    """Return the commands of the levers that save most."""
    moved = [each.twice for each in limits.matter[:MOST_COMMANDS]]
    return Plain("\n".join(command_of(each, command) for each in moved))


def limits_answer(limits: Limits | NotAsked | None) -> list[str]:
    """Return what limits in sentences; nothing if nobody asked."""
    known = found(limits)
    return sentences(known) if known else [] if limits is None else [_not_asked(limits)]


def _levers(known: Limits, command: Sequence[str]) -> list[Block]:
    """Return what each lever saves of the time of the run, and of jobs, and commands for it."""
    told = (
        "Each row is the same run with one value of the machine changed:"
        f" {counted(known.runs, 'run')} were made. {counted(known.left_out, 'lever')} were left"
        " out: they cannot change this run, or could save less than 0.2 %."
    )
    made: list[Block] = [told, _more_jobs(known) if known.more_jobs else ""]
    for number, one in enumerate(known.each):
        acting = [each for each in one.limits if each.saves_ns]
        table = levers_table(one, acting[:MOST_ROWS], partial(change, whole=True), number)
        note, more = table.note, len(one.limits) - len(table.rows)
        if more > 0:
            kept = "less" if len(acting) > len(table.rows) else "nothing"
            note += f" {counted(more, 'more lever')} were run and save {kept}."
        made.append(replace(table, note=note, marked=range(len(one.matter[:1]))))
        made.append(_commands(one, command))
    return made


def sentences(limits: Limits) -> list[str]:
    """State what limits, of the run and of jobs; the first says too how levers were chosen."""
    first, *others = map(sentence, limits.each)
    return [" ".join((first, *shortened_text(limits))), *others]


def found(limits: Limits | NotAsked | None) -> Limits | None:
    """Return the answer; None if there is none."""
    from simulator.answers.again import NotAsked

    return None if limits is None or isinstance(limits, NotAsked) else limits


def sentence(limits: Limits) -> str:
    """State in one sentence what limits.

    What was not run is not said.
    """
    first = limits.first
    if first is not None:
        head = f"{_computing(limits)} Of the machine" if limits.computes else _head(limits)
        return f"{head}: {_phrase(first.lever)}. {_effect(limits, first)}"
    whole = " that were run whole" if limits.shortened is not None else ""
    nothing = "not found" if whole else "no single resource"
    told = _computing(limits) if limits.computes else f"{_head(limits)}: {nothing}."
    told += f" Of {counted(len(limits.limits), 'lever')} of the machine{whole} none saves 1 % of"
    told += " the time by being twice as good"
    most = next((one for one in limits.limits if one.saves_ns > 0), None)
    if most is None:
        return f"{told}."
    return f"{told}; the most, {format_time(most.saves_ns)}, is saved by {most.lever.name}."


def _computing(limits: Limits) -> str:
    return f"{_head(limits)}: computing, {percent(limits.computing, 1)} of the processes' time."


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
    changed = f"With {words}" if lever.aspect != "event" else words
    average = " on average" if limits.measure.arrives else ""
    return (
        f"{changed.format(what=lever.noun, now=now, new=new)}"
        f" {limits.measure.subject} takes {format_time(one.twice.elapsed_ns)} instead of"
        f" {format_time(limits.elapsed_ns)}{average}:"
        f" {format_time(one.saves_ns)} ({percent(one.saves_ns, limits.elapsed_ns)}) less."
        f"{_late(limits, one)}{_ended(limits, one)}"
    )


def _late(limits: Limits, one: Limit) -> str:
    """State within which time most arrivals end; nothing of what does not arrive."""
    if limits.p95_ns is None or one.twice.p95_ns is None:
        return ""
    before, after = format_time(limits.p95_ns), format_time(one.twice.p95_ns)
    return f" 95 % take at most {after} instead of {before}."


def _ended(limits: Limits, one: Limit) -> str:
    """State how many calls or rounds end in their time; nothing where that is not what counts."""
    before, after = limits.ended, one.twice.ended
    if before is None or after is None:
        return ""
    return f" In their time {counted(after, limits.measure.each)} end instead of {before:,}."


def values_of(lever: Lever, settings: Sequence[Setting]) -> tuple[str, str]:
    """Return the values of a lever as they are, and as some settings have them, in words."""
    if lever.aspect == "event":
        return "as it is", "without it"
    new = dict(settings)
    several = len(lever.values) > 1
    nows, news = [], []
    for value in lever.values:
        key = f"{value.path.rpartition('.')[2]} " if several else ""
        nows.append(f"{key}{value.text}")
        news.append(f"{key}{new.get(value.path, value.text)}")
    return ", ".join(nows), ", ".join(news)


def _moved(limits: Limits) -> list[Limit]:
    """Return the levers that matter and were moved by 10 % too, or run whole alone of all."""
    some = limits.shortened is not None
    return [
        one
        for one in limits.matter
        if some or one.lever.aspect == "event" or one.better is not None or one.worse is not None
    ]


def levers_table(
    limits: Limits, rows: Sequence[Limit], words: Callable[[Limit], str], number: int = 0
) -> Table:
    """Return a row for some levers; ``words`` writes what is done to each."""
    whole = limits.elapsed_ns
    columns = [
        Column("lever", "resource", of=lambda one: one.lever.name),
        Column("kind", "limits by", of=lambda one: one.lever.kind),
        Column("change", "twice as good", "sentence", of=words),
        Column("saves_ns", "saves", "time"),
        Column("share", "", "share", of=lambda one: one.saves_ns / whole if whole else None),
        Column("better_ns", "+10 %", "time", of=lambda one: _saved(whole, one.better)),
        Column("worse_ns", "-10 %", "time", of=lambda one: _saved(whole, one.worse)),
        Column("p95_ns", "95 % within", "time", of=lambda one: one.twice.p95_ns),
        Column("busy", "busy", "share"),
    ]
    if limits.p95_ns is None:
        columns = [one for one in columns if one.key != "p95_ns"]
    of_job = f" of {limits.measure.job}" if limits.measure.job else ""
    return Table(
        f"limits-{number}" if number else "limits",
        f"Seconds saved by each lever{of_job}",
        columns,
        rows_of(columns, rows),
        note=_LEGEND,
        noun="lever",
        whole=True,
    )


def change(one: Limit, *, whole: bool = False) -> str:
    """Return the values of a lever before and after; what is done to many, which ``whole`` has."""
    text = " -> ".join(values_of(one.lever, one.twice.settings))
    if len(text) <= MOST_WIDTH:
        return text
    what = "half" if one.lever.aspect == "overhead" else "twice"
    return f"{what}: {text}" if whole else what


def _saved(whole_ns: int, moved: Moved | None) -> int | None:
    """Return what a lever that was moved saves; below 0 if the run takes longer."""
    return None if moved is None else whole_ns - moved.elapsed_ns


def shortened_text(limits: Limits) -> list[str]:
    """State how levers were chosen if not all were run whole, in a sentence; else nothing."""
    return [] if limits.shortened is None else [limits.shortened.sentence]


def command_of(moved: Moved, command: Sequence[str]) -> str:
    """Return the command of a run; not broken into lines, so that it can be copied."""
    settings = [f"{path}={value}" for path, value in moved.settings]
    if not command:
        return f"  {', '.join(settings)}: {format_time(moved.elapsed_ns)}"
    words = [*command, *(word for one in settings for word in ("--set", one))]
    return f"  {format_time(moved.elapsed_ns)}: {command_line(*words)}"


def turns(swept: Swept) -> Iterator[tuple[float, float, str]]:
    """Yield neighbouring numbers of a sweep's only axis between which what limits changes, and how.

    Of an axis of words nothing.
    """
    (axis,) = swept.sweep.axes
    limits = [row["limit"] or NONE for row in swept.rows]
    points = sorted(zip(map(float, axis.numbers), limits, strict=True)) if axis.numbers else []
    for (low, before), (high, after) in itertools.pairwise(points):
        if before != after:
            yield low, high, f"{before} \N{RIGHTWARDS ARROW} {after}"
