"""The page of advice: what would make a job faster, by how many seconds, and how it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.advise import (
    SEEN,
    TRIED,
    about,
    answer,
    headline,
    it_makes,
    later,
    seen_lines,
    timed_command,
    tried_line,
    unknown_lines,
)
from simulator.report.html.markup import tag
from simulator.report.html.page import bulleted, figure, made_by, page
from simulator.report.html.svg import Piece, rows
from simulator.report.page import Block, Column, Lines, Plain, Section, Table
from simulator.units import format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.advise import Advice, Advised, Tried

MOST_ADVICE = 25
MOST_FILES = 10
MOST_TRIED = 25


def advice_page(advised: Advised, title: str, command: Sequence[str]) -> str:
    """Return the page of an answer; ``title`` says what it is about."""
    unknown = unknown_lines(advised)
    not_known = ["Not known:", bulleted(unknown, len(unknown), "more")] if unknown else []
    sections = [
        Section(SEEN, [Lines(seen_lines(advised))]),
        *advice_sections(advised),
        Section("Assumptions", [*advised.notes, *not_known]),
        made_by(command, {"runs": f"{advised.runs:,}"}),
    ]
    told = [*filter(None, (headline(advised), advised.lead)), *answer(advised)]
    return page(f"Advice: {title}", [], told, sections)


def advice_sections(advised: Advised, most: int = MOST_ADVICE) -> list[Section]:
    """Return what is worth doing and what is not, for this page and those of runs."""
    advice = list(enumerate(advised.advice[:most], 1))
    return [
        Section("What saves time", _savings(advised, advice) if advice else []),
        Section("What to do", [block for number, one in advice for block in _advice(number, one)]),
        Section(TRIED, _tried(advised.tried)),
    ]


def _savings(advised: Advised, advice: Sequence[tuple[int, Advice]]) -> list[Block]:
    whole = advised.elapsed_ns
    bars = [("as it is", format_time(whole), [Piece(1.0, 0)])]
    lines = []
    for number, one in advice:
        name, finding = _name(number, one), one.finding
        saved = Piece(one.saves_ns / whole, 2, hatched=True)
        bars.append((name, format_time(one.elapsed_ns), [Piece(one.elapsed_ns / whole, 0), saved]))
        times = (one.saves_ns, one.saves_ns / whole, one.elapsed_ns)
        lines.append([name, *times, one.cure.level, finding.calls or None, about(finding)])
    told_bars = "; ".join(f"{name}: {text}" for name, text, _ in bars)
    told = "Predicted elapsed time, each advice alone; hatched: what it saves."
    more = len(advised.advice) - len(advice)
    left = f"({more:,} more not listed: 'nwtsim advise' has all)" if more > 0 else ""
    head = [
        Column("pattern", "pattern"),
        Column("saves_ns", "saves", "time"),
        Column("share", "share", "share"),
        Column("elapsed_ns", "run takes", "time"),
        Column("level", "change of"),
        Column("calls", "calls", "count"),
        Column("about", "file or resource"),
    ]
    saves = Table("advice", "What each advice saves", head, lines, note=left, whole=True)
    return [figure(rows(bars, told_bars), told), saves]


def _advice(number: int, one: Advice) -> list[Block]:
    """Return an advice: what was found, in which files, and what to do."""
    finding = one.finding
    made: list[Block] = [
        tag("p", tag("strong", f"{number}. {finding.pattern}:"), f" {finding.found}")
    ]
    if finding.example:
        made.append(f"For example: {finding.example}.")
    made += _cure(one)
    for other in one.others:
        made += _cure(other, "Instead: ")
        made.append("" if other.command else it_makes(other))
    lines = [[file.name, file.calls, file.bytes] for file in finding.files]
    head = [Column("file", "file"), Column("calls", "calls", "count")]
    head.append(Column("bytes", "bytes", "size"))
    title = f"Files of {finding.pattern}"
    made.append(Table(f"files-{number}", title, head, lines, noun="file", most=MOST_FILES))
    return made


def _cure(one: Advice, first: str = "") -> list[Block]:
    """Return what to do, what it presumes, and the command that runs it."""
    how = f"{first}{one.cure.how}"
    return [
        Plain(how) if "\n" in how else how,
        one.cure.presumes and f"Presumes: {one.cure.presumes}",
        one.cure.risk and f"Risk: {one.cure.risk}",
        later(one),
        Plain(timed_command(one) if one.command else ""),
    ]


def _name(number: int, one: Advice) -> str:
    """Name an advice by its pattern, and by the resource that it is about, if it is about one."""
    resource = one.finding.resource
    return f"{number}. {one.finding.pattern}{f': {resource}' if resource else ''}"


def _tried(tried: Sequence[Tried]) -> list[Block]:
    lines = [*map(tried_line, tried)]
    return [bulleted(lines, MOST_TRIED, "more finding")] if lines else []
