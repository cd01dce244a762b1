"""What the counters of a Darshan log show, on pages of advice, checks and traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.answers.advise import counted_record
from simulator.answers.patterns.of_counters.every import counted_findings
from simulator.report.lined import first_of
from simulator.report.page import Block, Entry, Plain, Section
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.advise import Finding
    from simulator.traces.reports.opened import Opened
    from simulator.traces.reports.table import Report

COUNTED = "What the counters of the log show, not simulated"
MOST_FIRST = 2
"""Findings on the first screen of a terminal."""
SHOWN_FILES = 3


def counted_sections(found: Sequence[Finding]) -> list[Section]:
    """Return a section for each finding, with the lines of code of its cure."""
    head = Section("", [f"{COUNTED}:"], True, heading=COUNTED)
    rest = (
        Section("", [one], place < MOST_FIRST, "each of these")
        for place, one in enumerate(counted_blocks(found))
    )
    return [head, *rest] if found else []


def counted_blocks(found: Sequence[Finding]) -> list[Block]:
    """Return an item for each finding: its numbers, its files, and what to do."""
    return [_entry(one) for one in found]


def file_lines(finding: Finding) -> list[str]:
    """Return the first files of a finding, and how many more there are."""
    listed = [f"{one.name} ({counted(one.calls, 'call')})" for one in finding.files]
    return first_of(listed, SHOWN_FILES, "more file")


def _entry(one: Finding) -> Entry:
    cure = one.cures[0]
    how, _, code = cure.how.partition("\n")
    told: list[Block] = [
        Plain("\n".join(file_lines(one))),
        how,
        Plain(code),
        cure.presumes and f"Presumes: {cure.presumes}",
        cure.risk and f"Risk: {cure.risk}",
    ]
    return Entry(f"{one.pattern}:", one.found, told)


def counted_of(trace: Opened) -> list[Finding]:
    """Return what the counters of an opened log show; nothing where some calls are chosen."""
    choice = trace.choice
    if trace.darshan is None or choice.by_name or choice.calls:
        return []
    return [one.finding for one in counted_findings(trace.darshan)]


def with_patterns(report: Report, trace: Opened) -> Report:
    """Return the report of checks with what the counters show."""
    found = counted_of(trace)
    told = [f"{one.pattern}: {one.found} {one.cures[0].how.partition(chr(10))[0]}" for one in found]
    values = {"counted": [counted_record(one) for one in found]} if found else {}
    return replace(report, notes=[*told, *report.notes], values=report.values | values)
