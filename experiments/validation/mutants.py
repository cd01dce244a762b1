"""What the last mutation run found, for the page of validation; see docs/testing.md."""

from __future__ import annotations

import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "tests" / "mutants" / "results.json"
"""Written by a whole run of ``make mutants``; only in a checkout."""


def mutants_summary(path: Path = RESULTS) -> str:
    """Return in one line how many errors there were, and which no test noticed; may be empty."""
    if not path.is_file():
        return ""
    mutants = json.loads(path.read_text(encoding="utf-8"))
    left = [name for name, test in mutants.items() if test is None]
    lost = f", and not {', '.join(left)}" if left else ""
    return (
        f"Errors put into the model, one at a time ([testing.md](testing.md)): tests noticed "
        f"{len(mutants) - len(left)} of {len(mutants)}{lost}."
    )
