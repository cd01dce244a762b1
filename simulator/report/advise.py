"""Advice, for people and for programs."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from simulator.answers.limits import MOST_COMPUTING
from simulator.answers.measure import WHOLE
from simulator.answers.ranking import worth
from simulator.report.lined import table, wrapped
from simulator.report.scales import time_cell
from simulator.units import format_time
from simulator.wording import brief_size, counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.advise import Advice, Advised, Finding

MOST_FIRST = 2
"""Advices in the reports of other commands."""
SHOWN_FILES = 3
SHOWN_TRIED = 8
MOST_NAME = 40
"""Characters of a file's name in the table."""


def advice_json(advised: Advised) -> str:
    """Write the answer for programs."""
    return json.dumps(advised.to_record(), indent=2, ensure_ascii=False) + "\n"


def advice_text(advised: Advised) -> str:
    """Write the answer for people: a sentence, a table, and a paragraph for each advice."""
    first, *both = answer(advised)
    blocks = [wrapped(told) for told in (advised.lead, first) if told]
    explained, alone = advised.explained, not advised.advice
    if explained is not None and (seen := [*explained.seen(alone=alone)]):
        lines = ["Seen in the log, not simulated:"]
        lines += [line for one in seen for line in _indented(f"{one}.")]
        blocks.append("\n".join(lines))
    if advised.advice:
        blocks += [_table(advised), *both]
        blocks += [_paragraph(number, one) for number, one in enumerate(advised.advice, 1)]
    if advised.tried:
        blocks.append(_tried(advised))
    blocks += [wrapped(note) for note in advised.notes]
    if told := unknown_lines(advised):
        blocks.append("\n".join(["Not known:", *(f"  {line}" for line in told)]))
    return "\n\n".join(blocks) + "\n"


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
    if explained is not None and (explained.hidden or not advised.advice):
        about = explained.told()
        told += f". {about}" if about else ""
    elif advised.computing >= MOST_COMPUTING:
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


def _table(advised: Advised) -> str:
    rows = [
        [
            str(number),
            one.finding.pattern,
            time_cell(one.saves_ns),
            percent(one.saves_ns, advised.elapsed_ns),
            time_cell(one.elapsed_ns),
            one.cure.level,
            f"{one.finding.calls:,}" if one.finding.calls else "-",
            _about(one.finding),
        ]
        for number, one in enumerate(advised.advice, 1)
    ]
    measure = advised.measure
    what = measure.each if measure.arrives else measure.job or "run"
    head = ["", "pattern", "saves", "", f"{what} takes", "change of", "calls", "file or resource"]
    return table(head, rows, "rlrrrlrl")


def _about(finding: Finding) -> str:
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
        lines.append(f"   {format_time(one.elapsed_ns)}: {shlex.join(one.command)}")
    for other in one.others:
        lines += _indented(f"Instead: {other.cure.how}")
        lines += _terms(other)
        if other.command:
            lines.append(f"   {format_time(other.elapsed_ns)}: {shlex.join(other.command)}")
        else:
            lines += _indented(f"It makes it {format_time(other.elapsed_ns)}.")
    return "\n".join(lines)


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
    return [f"   {line}" for part in text.split("\n") for line in wrapped(part, 97).split("\n")]


def _files(finding: Finding) -> list[str]:
    shown = [f"{one.name} ({counted(one.calls, 'call')})" for one in finding.files[:SHOWN_FILES]]
    more = len(finding.files) - len(shown)
    return [*shown, *([f"and {counted(more, 'more file')}"] if more > 0 else [])]


def _tried(advised: Advised) -> str:
    lines = ["Found as well, but not worth changing (simulated):"]
    for one in advised.tried[:SHOWN_TRIED]:
        if one.saves_ns is None:
            told = "cannot be simulated on this machine"
        elif one.saves_ns > 0:
            told = f"saves {format_time(one.saves_ns)}"
        elif one.saves_ns == 0:
            told = "saves nothing"
        else:
            told = f"takes {format_time(-one.saves_ns)} longer"
        lines += _indented(f"{one.finding.pattern}: {one.finding.found} Curing it {told}.")
    more = len(advised.tried) - SHOWN_TRIED
    if more > 0:
        lines.append(f"  and {counted(more, 'more finding')}")
    return "\n".join(lines)


def unknown_lines(advised: Advised) -> list[str]:
    """Return what could not be known, a line for each kind of it."""
    return [
        f"{key}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items())
        for key, counts in advised.unknown.items()
        if isinstance(counts, dict) and any(counts.values())
    ]


# -- for the reports of other commands -----------------------------------------------------------


def first_lines(advised: Advised, question: Sequence[str] = ()) -> str:
    """Write the first advices, for the reports of other commands.

    ``question`` are the words of the command that has all advice.
    """
    if not advised.advice:
        return ""
    tried = ["each resource twice as good"]
    if advised.runs:
        tried.append(f"{counted(advised.runs, 'change')} of the program")
    lines = [f"What helps most (tried: {' and '.join(tried)}):"]
    shown = advised.advice[:MOST_FIRST]
    for one in shown:
        lines += _brief(one)
    if question:
        calls = not all(one.command for one in shown)
        told = " (with -o DIR the changed calls are written too)" if calls else ""
        lines.append(f"  To try more{told}: {shlex.join(question)}")
    return "\n".join(lines)


def _brief(one: Advice) -> list[str]:
    """Write what to do, and the command that does it: not broken, so that it can be copied."""
    presumes = f", if {one.cure.presumes.rstrip('.')}" if one.cure.presumes else ""
    risk = f"; but {one.cure.risk.rstrip('.')}" if one.cure.risk else ""
    told = f"  {one.finding.pattern}: {one.cure.how.rstrip('.')}{presumes}{risk}"
    lines = wrapped(told).split("\n")
    lines = [lines[0], *(f"    {line}" for line in lines[1:])]
    how = shlex.join(one.command) if one.command else "the calls of the log changed so"
    return [*lines, f"  {format_time(one.elapsed_ns)}: {how}"]
