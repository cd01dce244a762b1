"""Eight programs unknown to all rules: the tables of ``twenty.py``, with targets of their own."""

from __future__ import annotations

from pathlib import Path

from .timed import Record
from .twenty import FOLDER, load_twenty, twenty_text, with_causes

FORMAT = "reality-unseen/1"
RESULTS = FOLDER / "unseen.json"
CRITERIA = "unseen-criteria.yaml"
CAUSES = "unseen-causes.yaml"
_ABOUT = """\
## Eight programs that no rule has seen

The rules that predict the time with a cure were made knowing the twenty. These eight, their cures
and what counts (`experiments/reality/unseen-criteria.yaml`) were written after those rules, and
before any of them was predicted (`--suite unseen`). Columns are those of the twenty."""


def unseen_text(found: Record) -> str:
    """Write the tables, and their interpretation, in Markdown."""
    return twenty_text(found, CRITERIA)


def unseen_section(path: Path = RESULTS) -> str:
    """Return the section of the page; empty without results."""
    if not path.exists():
        return ""
    return with_causes(_ABOUT, load_twenty(path, FORMAT), path.parent / CAUSES, CRITERIA)
