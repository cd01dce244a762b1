"""What the last mutation run found, for the page of validation; see docs/testing.md."""

from __future__ import annotations

import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "tests" / "mutants" / "results.json"
"""Written by a whole run of ``make mutants``; only in a checkout."""
KILLED = "killed"


def mutants_section(path: Path = RESULTS) -> str:
    """Return a section that counts the errors put into model and claims; empty without results."""
    if not path.is_file():
        return ""
    return f"## Errors that tests notice\n\n{mutants_sentence(path)}"


def mutants_sentence(path: Path = RESULTS) -> str:
    """Return how many errors there were, and how many no test noticed, by their names."""
    record = json.loads(path.read_text(encoding="utf-8"))
    mutants = record["mutants"]
    conditions, claims = (
        sum(one["id"].startswith(kind) for one in mutants) for kind in ("condition-", "figures-")
    )
    left = [one["id"] for one in mutants if one["result"] != KILLED]
    hung = sum(one["hung"] for one in mutants)
    if left:
        said = f"Tests noticed {len(mutants) - len(left)} of them, and not {', '.join(left)}"
    else:
        said = f"Tests noticed all {len(mutants)}"
    ends = f", {hung} of them by not coming to an end" if hung else ""
    model = len(mutants) - conditions - claims
    return (
        f"`make mutants` put {model} errors into the model, and {conditions + claims} into claims "
        f"of studies, one at a time, with nwtsim {record['version']}: {conditions} conditions that "
        f"always hold, and {claims} claims whose figures stay when their cause is removed. "
        f"{said}{ends}. [testing.md](testing.md) says how; `tests/mutants/results.json` has what "
        "noticed each."
    )


def mutants_summary(path: Path = RESULTS) -> str:
    """Return in one line how many errors tests noticed; empty without results."""
    if not path.is_file():
        return ""
    mutants = json.loads(path.read_text(encoding="utf-8"))["mutants"]
    killed = sum(one["result"] == KILLED for one in mutants)
    said = "Errors put into the model and into claims, one at a time"
    return f"{said}: tests noticed {killed} of {len(mutants)}."
