"""Advice, for people and for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from simulator.answers.limits import MOST_COMPUTING
from simulator.answers.measure import WHOLE
from simulator.answers.ranking import worth
from simulator.report.lined import wrapped
from simulator.report.page import Column, Page, Plain, Section, Table
from simulator.report.screen import form_text
from simulator.units import format_time
from simulator.wording import brief_size, command_line, counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.advise import Advice, Advised, Finding, Tried
    from simulator.answers.limits import Limits
    from simulator.result.result import Result
    from simulator.run import Run

MOST_FIRST = 2
"""Advices in the reports of other commands."""
SHOWN_FILES = 3
SHOWN_TRIED = 8
MOST_NAME = 40
"""Characters of a file's name in the table."""
SEEN = "Seen in the log, not simulated"
TRIED = "Found as well, but not worth changing (simulated)"


def advice_json(advised: Advised) -> str:
    """Write the answer for programs."""
    return json.dumps(advised.to_record(), indent=2, ensure_ascii=False) + "\n"


def advice_text(advised: Advised, *, full: bool = True) -> str:
    """Write the answer for people: a sentence, a table, and a paragraph for each advice."""
    return form_text(_page(advised), full=full)


def _page(advised: Advised) -> Page:
    """Return the answer as a page; what leads is the table and the first advice."""
    first, *both = answer(advised)
    sections = []
    if seen := seen_lines(advised):
        lines = [f"{SEEN}:", *(line for one in seen for line in _indented(one))]
        sections.append(Section("", [Plain("\n".join(lines))], leads=True, name="what was seen"))
    if advised.advice:
        sections.append(Section("", [_table(advised), *map(Plain, both)], leads=True))
        for number, one in enumerate(advised.advice, 1):
            block = Plain(_paragraph(number, one))
            sections.append(Section("", [block], leads=number == 1, name="each advice"))
    if advised.tried:
        sections.append(Section("", [Plain(_tried(advised))], name="what was tried"))
    sections += [Section("", [note]) for note in advised.notes]
    if told := unknown_lines(advised):
        lines = ["Not known:", *(f"  {line}" for line in told)]
        sections.append(Section("", [Plain("\n".join(lines))], name="what is not known"))
    title, *answers = [wrapped(told) for told in (headline(advised), advised.lead, first) if told]
    return Page(title, [], answers, sections)


def seen_lines(advised: Advised) -> list[str]:
    """Return what the log shows and no run does, a sentence each."""
    if advised.explained is None:
        return []
    return [f"{one}." for one in advised.explained.seen(alone=not advised.advice)]


def headline(advised: Advised) -> str:
    """Say what the time of a program is if at least half of it is not in calls on files."""
    explained = advised.explained
    return f"{explained.told()}." if explained is not None and explained.hidden else ""


def answer(advised: Advised) -> list[str]:
    """Return the answer in a sentence or two."""
    if not advised.advice or advised.both_ns is None:
        return [_sentence(advised)]
    return [_sentence(advised), _both(advised, advised.both_ns)]


def _sentence(advised: Advised) -> str:
    base = format_time(advised.elapsed_ns)
    told = f"The run takes {base}"
    if advised.measure != WHOLE:
        subject = advised.measure.subject
        average = " on average" if advised.measure.arrives else ""
        told = f"{subject[0].upper()}{subject[1:]} takes {base}{average}"
    if advised.observed_ns is not None:
        observed = format_time(advised.observed_ns)
        told = f"{advised.observed_by} {observed}; the replay predicts {base}"
    explained = advised.explained
    if explained is not None and not explained.hidden and not advised.advice:
        about = explained.told()
        told += f". {about}" if about else ""
    elif explained is None and advised.computing >= MOST_COMPUTING:
        share = percent(advised.computing, 1)
        told += f". What limits is computing: {share} of the time is between calls"
    if not advised.advice:
        what = "no pattern was found"
        if advised.tried:
            what = "what was found was cured and run again, and nothing saves 1 %"
        if explained is not None and (explained.computing or not explained.known):
            return f"{told}. No change of reads, writes and other calls on files helps: {what}."
        return f"{told}. Nothing is worth doing: {what}."
    first = advised.advice[0]
    return (
        f"{told}. The best change, {first.finding.pattern}, makes it"
        f" {format_time(first.elapsed_ns)}: {_saving(first.saves_ns, advised.elapsed_ns)}."
        " Each change was simulated."
    )


def _saving(saves_ns: int, whole_ns: int) -> str:
    if saves_ns < 0:
        return f"{format_time(-saves_ns)} more"
    return f"{format_time(saves_ns)} ({percent(saves_ns, whole_ns)}) less"


def _table(advised: Advised) -> Table:
    rows = [
        [
            number,
            one.finding.pattern,
            about(one.finding),
            one.saves_ns,
            one.saves_ns / advised.elapsed_ns if advised.elapsed_ns else None,
            one.elapsed_ns,
            one.cure.level,
            one.finding.calls or None,
        ]
        for number, one in enumerate(advised.advice, 1)
    ]
    measure = advised.measure
    what = measure.each if measure.arrives else measure.job or "run"
    columns = [
        Column("number", "", "number"),
        Column("pattern", "pattern"),
        Column("about", "file or resource"),
        Column("saves_ns", "saves", "time"),
        Column("share", "", "share"),
        Column("elapsed_ns", f"{what} takes", "time"),
        Column("level", "change of"),
        Column("calls", "calls", "count"),
    ]
    return Table("advice", "", columns, rows, noun="change", whole=True)


def about(finding: Finding) -> str:
    """Return the resource, or the first file, and how many more there are."""
    if not finding.files:
        return finding.resource or "-"
    name = finding.files[0].name
    short = name if len(name) <= MOST_NAME else f"...{name[3 - MOST_NAME :]}"
    more = len(finding.files) - 1
    return f"{short} and {more:,} more" if more else short


def _both(advised: Advised, both_ns: int) -> str:
    told = f"1 and 2 together: {format_time(both_ns)}"
    if both_ns >= advised.advice[0].elapsed_ns:
        return f"{told}, not less than 1 alone."
    return f"{told}, {_saving(advised.elapsed_ns - both_ns, advised.elapsed_ns)}."


def _paragraph(number: int, one: Advice) -> str:
    finding = one.finding
    lines = [wrapped(f"{number}. {finding.pattern}: {finding.found}")]
    lines += [f"   {line}" for line in _files(finding)]
    if finding.example:
        lines += _indented(f"For example: {finding.example}.")
    lines += _indented(one.cure.how)
    lines += _terms(one)
    if one.command:
        lines.append(f"   {timed_command(one)}")
    for other in one.others:
        lines += _indented(f"Instead: {other.cure.how}")
        lines += _terms(other)
        if other.command:
            lines.append(f"   {timed_command(other)}")
        else:
            lines += _indented(it_makes(other))
    return "\n".join(lines)


def it_makes(one: Advice) -> str:
    """Say how long the run takes with a change that no command makes."""
    return f"It makes it {format_time(one.elapsed_ns)}."


def _terms(one: Advice) -> list[str]:
    """Write what a cure presumes, what it risks, and what it leaves to be paid later."""
    cure = one.cure
    lines = _indented(f"Presumes: {cure.presumes}") if cure.presumes else []
    if cure.risk:
        lines += _indented(f"Risk: {cure.risk}")
    if told := later(one):
        lines += _indented(told)
    return lines


def later(one: Advice) -> str:
    """Say what a cure leaves to be done, which a later sync waits for; empty if it is below 1 %."""
    dirty, behind_ns = one.left
    lasts = worth(behind_ns, one.saves_ns)
    told = [f"{format_time(behind_ns)} of write-back"] if lasts else []
    if worth(dirty, one.written):
        told.append(f"{brief_size(dirty)} in memory alone, of {brief_size(one.written)} written")
    if not told:
        return ""
    saves = one.saves_ns - behind_ns
    what = "nothing" if saves <= 0 else f"{'at most ' if dirty else ''}{format_time(saves)}"
    return f"More is left for later: {' and '.join(told)}. With a sync at its end it saves {what}."


def _indented(text: str) -> list[str]:
    lines = (wrapped(f"   {part}", within=3) for part in text.split("\n"))
    return [line for one in lines for line in one.split("\n")]


def _files(finding: Finding) -> list[str]:
    shown = [f"{one.name} ({counted(one.calls, 'call')})" for one in finding.files[:SHOWN_FILES]]
    more = len(finding.files) - len(shown)
    return [*shown, *([f"and {counted(more, 'more file')}"] if more > 0 else [])]


def _tried(advised: Advised) -> str:
    lines = [f"{TRIED}:"]
    for one in advised.tried[:SHOWN_TRIED]:
        lines += _indented(tried_line(one))
    more = len(advised.tried) - SHOWN_TRIED
    if more > 0:
        lines.append(f"  and {counted(more, 'more finding')}")
    return "\n".join(lines)


def tried_line(one: Tried) -> str:
    """Say what was found, and what curing it saves."""
    if one.saves_ns is None:
        told = "cannot be simulated on this machine"
    elif one.saves_ns > 0:
        told = f"saves {format_time(one.saves_ns)}"
    elif one.saves_ns == 0:
        told = "saves nothing"
    else:
        told = f"takes {format_time(-one.saves_ns)} longer"
    return f"{one.finding.pattern}: {one.finding.found} Curing it {told}."


def unknown_lines(advised: Advised) -> list[str]:
    """Return what could not be known, a line for each kind of it."""
    return [
        f"{key}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items())
        for key, counts in advised.unknown.items()
        if isinstance(counts, dict) and any(counts.values())
    ]


def advised_of(
    asked: Run,
    result: Result,
    *,
    limits: bool | None,
    job: str | None,
    command: Sequence[str],
    progress: bool | None,
) -> Advised:
    """Run the levers and the cures of a job that was run; ``command`` makes the run, if one does.

    ``limits``: ask what limits too (None: unless that takes long).
    """
    from simulator.answers.again import InputsAgain, NotAsked, ask_limits
    from simulator.answers.jobs import JobRun, advise_job
    from simulator.report.outcome import sources_of

    again = InputsAgain(asked.inputs, seed=asked.seed, engine=asked.engine)
    found: Limits | NotAsked | None = None
    if limits is not False:
        plan = asked.plan
        found = ask_limits(again, plan, result, wanted=limits, job=job, progress=progress)
    notes = []
    if isinstance(found, NotAsked):
        notes.append(found.note)
        found = None
    made = JobRun(again, result, found, command, job)
    sources = sources_of(asked.inputs.machine, asked.inputs.workload)
    values = {_DOUBTFUL[kind]: count for kind, count in sources.items() if kind in _DOUBTFUL}
    unknown = {"values": values}
    return advise_job(made, found, wanted=limits, unknown=unknown, notes=notes, progress=progress)


_DOUBTFUL = {
    "calibrated": "calibrated",
    "assumed": "assumed",
    "unstated": "unsourced",
    "default": "default",
}
"""Sources of values that nobody has measured or printed, and what they are called."""


# -- for the reports of other commands -----------------------------------------------------------


def first_lines(advised: Advised, question: Sequence[str] = (), most: int = MOST_FIRST) -> str:
    """Write the first advices, at most so many, for the reports of other commands.

    ``question`` are the words of the command that has all advice. A command is not broken into
    lines, so that it can be copied.
    """
    if not advised.advice:
        return ""
    lines = [_tried_first(advised)]
    for one in advised.advice[:most]:
        lines += wrapped(f"  {_brief(one)}", within=4).split("\n")
        lines.append(f"  {timed_command(one)}")
    return "\n".join([*lines, *(f"  {line}" for line in _more(advised, question))])


def first_told(advised: Advised | None, question: Sequence[str] = ()) -> list[str]:
    """Return the same as lines of their own, for other pages; nothing if nothing helps."""
    if advised is None or not advised.advice:
        return []
    lines = [_tried_first(advised)]
    for one in advised.advice[:MOST_FIRST]:
        lines += (" ".join(_brief(one).split()), timed_command(one))
    return [*lines, *_more(advised, question)]


def _tried_first(advised: Advised) -> str:
    tried = ["each resource twice as good"]
    if advised.runs:
        tried.append(f"{counted(advised.runs, 'change')} of the program")
    return f"What helps most (tried: {' and '.join(tried)}):"


def _more(advised: Advised, question: Sequence[str]) -> list[str]:
    """Name the command that has all advice, if it is known."""
    calls = not all(one.command for one in advised.advice[:MOST_FIRST])
    told = " (with -o DIR the changed calls are written too)" if calls else ""
    return [f"To try more{told}: {command_line(*question)}"] if question else []


def _brief(one: Advice) -> str:
    """Say what to do, what it presumes, and what it risks."""
    presumes = f", if {one.cure.presumes.rstrip('.')}" if one.cure.presumes else ""
    risk = f"; but {one.cure.risk.rstrip('.')}" if one.cure.risk else ""
    return f"{one.finding.pattern}: {one.cure.how.rstrip('.')}{presumes}{risk}"


def timed_command(one: Advice) -> str:
    """Return the command that makes a change, and how long the run then takes."""
    how = command_line(*one.command) if one.command else "the calls of the log changed so"
    return f"{format_time(one.elapsed_ns)}: {how}"
