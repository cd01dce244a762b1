"""The page of advice: what would make a job faster, by how many seconds, and how it is done."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from simulator.report.advise import advice_text
from simulator.report.html.assumptions import made_by
from simulator.report.html.cells import table
from simulator.report.html.markup import Markup, tag
from simulator.report.html.page import Section, code, page, paragraphs
from simulator.report.html.svg import Piece, rows
from simulator.report.page import Column, Table
from simulator.units import format_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.answers.advise import Advice, Advised, Tried

MOST_ADVICE = 25
MOST_FILES = 10
MOST_TRIED = 25
MOST_OTHERS = 4
TOGETHER = "1 and 2 together"
"""How the sentence begins that says what the first two advices save together."""


def advice_page(advised: Advised, title: str, command: Sequence[str]) -> str:
    """Return the page of an answer; ``title`` says what it is about."""
    first, *others = (" ".join(text.split()) for text in advice_text(advised).split("\n\n"))
    answer = [first, *(text for text in others if text.startswith(TOGETHER))]
    sections = [
        *advice_sections(advised),
        Section("Assumptions", [paragraphs(advised.notes), _unknown(advised.unknown)]),
        Section("How this was made", made_by(command, {"runs": f"{advised.runs:,}"})),
    ]
    return page(f"Advice: {title}", [], paragraphs(answer), sections)


def first_advice(advised: Advised | None) -> list[str]:
    """Say what helps most, for the answer of a run's page; nothing if nothing does."""
    if advised is None:
        return []
    return [
        f"What helps: {one.cure.how.partition(chr(10))[0].rstrip('.')}:"
        f" {format_time(one.elapsed_ns)}, {format_time(one.saves_ns)} less."
        for one in advised.advice[:2]
    ]


def advice_sections(advised: Advised, most: int = MOST_ADVICE) -> list[Section]:
    """Return what is worth doing and what is not, for this page and those of runs."""
    told = [_paragraphs(number, one) for number, one in enumerate(advised.advice[:most], 1)]
    return [
        Section("What saves time", _table(advised, most)),
        Section("What to do", told),
        Section("Found, but not worth changing", _tried(advised.tried)),
    ]


def _table(advised: Advised, most: int) -> list[Markup]:
    if not advised.advice:
        return []
    whole = advised.elapsed_ns
    bars = [("as it is", format_time(whole), [Piece(1.0, 0)])]
    lines = []
    for number, one in enumerate(advised.advice[:most], 1):
        name = _name(number, one)
        left = one.elapsed_ns / whole
        saved = Piece(one.saves_ns / whole, 2, hatched=True)
        bars.append((name, format_time(one.elapsed_ns), [Piece(left, 0), saved]))
        finding = one.finding
        times = (one.saves_ns, one.saves_ns / whole, one.elapsed_ns)
        lines.append([name, *times, finding.calls or None, len(finding.files) or None])
    about = "; ".join(f"{name}: {text}" for name, text, _ in bars)
    told = "Predicted elapsed time, each advice alone; hatched: what it saves."
    figure = tag("figure", rows(bars, about), tag("figcaption", told))
    more = len(advised.advice) - most
    note = f"({more:,} more not listed: 'nwtsim advise' has all)" if more > 0 else ""
    head = [
        Column("pattern", "pattern"),
        Column("saves_ns", "saves", "time"),
        Column("share", "share", "share"),
        Column("elapsed_ns", "run takes", "time"),
        Column("calls", "calls", "count"),
        Column("files", "files", "count"),
    ]
    saves = Table("advice", "What each advice saves", head, lines, note=note, whole=True)
    return [figure, table(saves)]


def _paragraphs(number: int, one: Advice) -> list[Markup]:
    """Return an advice: what was found, in which files, and what to do."""
    finding = one.finding
    made = [tag("h3", _name(number, one)), tag("p", finding.found)]
    if finding.example:
        made.append(tag("p", f"For example: {finding.example}."))
    made += _cure(one)
    for other in one.others[:MOST_OTHERS]:
        saves = format_time(other.saves_ns)
        made += [tag("p", f"Instead, saving {saves}:", class_="note"), *_cure(other)]
    if finding.files:
        lines = [[file.name, file.calls, file.bytes] for file in finding.files]
        head = [Column("file", "file"), Column("calls", "calls", "count")]
        head.append(Column("bytes", "bytes", "size"))
        title = f"Files of {finding.pattern}"
        files = Table(f"files-{number}", title, head, lines, noun="file", most=MOST_FILES)
        made.append(table(files))
    return made


def _cure(one: Advice) -> list[Markup]:
    """Return what to do, what it presumes, and the command that runs it."""
    how = one.cure.how.split("\n")
    made = [code(how) if len(how) > 1 else tag("p", how[0])]
    if one.cure.presumes:
        made.append(tag("p", f"Presumes: {one.cure.presumes}"))
    if one.command:
        made.append(code([f"{format_time(one.elapsed_ns)}: {shlex.join(one.command)}"]))
    return made


def _name(number: int, one: Advice) -> str:
    """Name an advice by its pattern, and by the resource that it is about, if it is about one."""
    resource = one.finding.resource
    return f"{number}. {one.finding.pattern}{f': {resource}' if resource else ''}"


def _tried(tried: Sequence[Tried]) -> list[Markup]:
    if not tried:
        return []
    lines = [[one.finding.pattern, one.finding.found, one.saves_ns] for one in tried]
    head = [
        Column("pattern", "pattern"),
        Column("found", "found", "sentence"),
        Column("saves_ns", "curing it saves", "time"),
    ]
    note = "Below 0: the run takes longer; -: the cure cannot be simulated on this machine."
    title = "Cures that save too little"
    most = MOST_TRIED
    return [table(Table("tried", title, head, lines, note=note, noun="finding", most=most))]


def _unknown(unknown: Mapping[str, object]) -> list[Markup]:
    """List what could not be known."""
    rows_ = [
        f"{key}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items())
        for key, counts in unknown.items()
        if isinstance(counts, dict) and any(counts.values())
    ]
    if not rows_:
        return []
    return [tag("p", "Not known:"), tag("ul", [tag("li", text) for text in rows_])]
