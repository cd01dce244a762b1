"""What the last mutation run found, for the page of validation; see docs/testing.md."""

from __future__ import annotations

import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "tests" / "mutants" / "results.json"
"""Written by a whole run of ``make mutants``; only in a checkout."""
KILLED = "killed"


def mutants_section(path: Path = RESULTS) -> str:
    """Return a section that counts the errors put into the model; empty without results."""
    if not path.is_file():
        return ""
    return f"## Errors that tests notice\n\n{mutants_sentence(path)}"


def mutants_sentence(path: Path = RESULTS) -> str:
    """Return how many errors there were, and how many no test noticed, by their names."""
    record = json.loads(path.read_text(encoding="utf-8"))
    mutants = record["mutants"]
    left = [one["id"] for one in mutants if one["result"] != KILLED]
    hung = sum(one["hung"] for one in mutants)
    if left:
        said = f"Tests noticed {len(mutants) - len(left)} of them, and not {', '.join(left)}"
    else:
        said = f"Tests noticed all {len(mutants)}"
    ends = f", {hung} of them by not coming to an end" if hung else ""
    return (
        f"`make mutants` put {len(mutants)} errors into the model, one at a time, with nwtsim "
        f"{record['version']}. {said}{ends}. [testing.md](testing.md) says how; "
        "`tests/mutants/results.json` has what noticed each."
    )


def mutants_summary(path: Path = RESULTS) -> str:
    """Return in one line how many errors tests noticed; empty without results."""
    if not path.is_file():
        return ""
    mutants = json.loads(path.read_text(encoding="utf-8"))["mutants"]
    killed = sum(one["result"] == KILLED for one in mutants)
    said = "Errors put into the model, one at a time"
    return f"{said}: tests noticed {killed} of {len(mutants)}."
