"""docs/results.md has each key of a result, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simulator.report.outcome import Outcome
from tests.handmade import a_plan, a_result

ROOT = Path(__file__).resolve().parent.parent
NAMED = {
    "jobs": "<job>",
    "columns": "<column>",
    "parts": "<instance>",
    "stores": "<instance>",
    "latencies": "<operation>",
    "sources": "<source>",
    "versions": "<program>",
}


def nested(record: Any) -> Iterator[str]:
    """The paths of all numbers and texts of a record, with the names of things replaced."""

    def walk(value: Any, path: str, key: str) -> Iterator[str]:
        if isinstance(value, dict):
            for inner, child in value.items():
                name = NAMED.get(key, inner)
                yield from walk(
                    child, f"{path}.{name}" if path else name, inner if name == inner else ""
                )
        elif isinstance(value, list):
            for child in value:
                yield from walk(child, f"{path}[]", "")
        else:
            yield path

    yield from walk(record, "", "")


def counters() -> list[str]:
    """The counters that an engine keeps of a store, as docs/composition.md lists them."""
    text = (ROOT / "docs" / "composition.md").read_text(encoding="utf-8")
    listed = text.split("Counters of an instance:")[1].partition(".\n")[0]
    return re.findall(r"[a-z_]+", listed.replace("(blocks)", ""))


def test_each_key_of_a_result_is_documented() -> None:
    result = a_result()
    result.stores["server.pages"].counts = dict.fromkeys(counters(), 0)
    record = Outcome(a_plan(), result, "", {"paper": 1}).to_record()
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    assert len(told) == len(set(told))
    assert set(told) == set(nested(record))
