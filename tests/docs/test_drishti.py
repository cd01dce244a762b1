"""Drishti's codes have a row each in docs/advise.md, with a name of the code, or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "advise.md"
COUNTERS = ROOT / "simulator" / "answers" / "patterns"
CODES = [
    *("S01", *(f"P{number:02}" for number in range(1, 20)), "P21", "P22"),
    *(f"M{number:02}" for number in range(1, 11)),
]
"""Of drishti/includes/config.py, commit 0e8b398."""


def rows() -> dict[str, str]:
    """Return what stands for each code."""
    found = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch(r"[SPM]\d\d(, [SPM]\d\d)*", cells[0]):
            found |= dict.fromkeys(cells[0].split(", "), cells[2])
    return found


def names() -> set[str]:
    """Return the names of findings in the code, and those of reports."""
    from simulator.cli.trace_reports import REPORTS

    text = "".join(path.read_text() for path in COUNTERS.rglob("*.py"))
    text += (ROOT / "simulator" / "answers" / "upgrades.py").read_text()
    return {*re.findall(r'"([a-z]+(?:-[a-z]+)*)"', text), *REPORTS}


def test_every_code_has_a_row() -> None:
    assert sorted(rows()) == sorted(CODES)


@pytest.mark.parametrize("code", CODES)
def test_what_stands_there_is_in_the_code_or_has_a_reason(code: str) -> None:
    said, known = rows()[code], names()
    used = re.findall(r"`([^`]+)`", said)
    assert used or said.startswith("why not: ")
    assert [name for name in used if name not in known] == []


def test_every_pattern_of_counters_is_in_the_table() -> None:
    page = PAGE.read_text().partition("## Darshan's counters")[2].partition("| code |")[0]
    folder = COUNTERS / "of_counters"
    text = "".join(path.read_text() for path in folder.glob("*.py"))
    made = {*re.findall(r'finding\(\s*"([a-z-]+)"', text), "seek-storm", "scattered-write"}
    made |= {name for name in ("open-storm", "stat-storm") if f'"{name}"' in text}
    first = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    listed = {*re.findall(r"`([a-z-]+)`", " ".join(first))}
    assert made == listed
