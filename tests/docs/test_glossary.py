"""docs/glossary.md: its keys are those of files, results and options; no word is there twice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (DOCS / "glossary.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| word")
]
FORMATS = ("machine", "workload", "fit", "requirement")
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if path.name != "glossary.md"]


def properties(schema: Any) -> Iterator[str]:
    """Yield the names of all properties of a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for one in schema.values():
            yield from properties(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from properties(one)


def test_each_row_is_a_word_its_meaning_its_key_and_its_page() -> None:
    assert len(ROWS) > 70
    assert [row for row in ROWS if len(row) != 4 or not row[0] or not row[1]] == []
    words = [word for row in ROWS for word in row[0].split(", ")]
    assert sorted(words) == sorted(set(words))


def test_its_keys_are_those_of_files_results_and_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    known: set[str] = set()
    for name in FORMATS:
        assert main(["schema", name]) == 0
        known |= set(properties(json.loads(capsys.readouterr().out)))
    text = " ".join(path.read_text("utf-8") for path in PAGES)
    told = set(re.findall(r"[\w-]+", text))
    for row in ROWS:
        for code in re.findall(r"`([^`]+)`", row[2]):
            for word in re.findall(r"[a-zA-Z_-]{2,}", code):
                assert word in known | told, (row[0], code)
