"""Many names looked for that are not there: search paths that begin with the wrong folders.

Found: many lookups of absent names, on machines where they take time. Cured by remembering what was
not found, or by searching where the names are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.rewrites.drop import SearchOnce, repeated, searches
from simulator.plan.codes import LOOKUP
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "failed-lookup"
LEAST = 16


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    if LOOKUP not in program.costs:
        return []
    rows = searches(program.columns)
    if len(rows) < LEAST:
        return []
    again = repeated(program.columns)
    cures = [
        Cure(
            how="Search where the names are: put the right folder first in the search path"
            " (LD_LIBRARY_PATH, PYTHONPATH, PATH, -I), or give full names.",
            change=Change(rewrites=(SearchOnce(never=True),)),
            presumes="each name is found at its first place.",
        )
    ]
    if len(again):
        cures.insert(
            0,
            Cure(
                how="Search once, and remember what was not found.",
                change=Change(rewrites=(SearchOnce(),)),
            ),
        )
    told = (
        f"{counted(len(rows), 'lookup')} of names that are not there, in"
        f" {counted(len(program.files(rows)), 'folder')}; {len(again):,} of them had been looked"
        " for before by the same process."
    )
    return [program.finding(NAME, told, rows, cures)]
