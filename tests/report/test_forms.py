"""One page gives all forms of a report, each with what it is for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.report.forms import FORMAT, written
from simulator.report.page import (
    Browser,
    Column,
    Drawn,
    Entry,
    Lines,
    Page,
    Plain,
    Section,
    Table,
    Terminal,
    table_of_texts,
)
from simulator.report.screen import screen_text
from tests.report.html.reading import read

COLUMNS = [Column("part", "part"), Column("busy_ns", "busy", "time")]
TABLE = Table("parts", "Parts", COLUMNS, [["disk", 1_500_000]])
ENTRY = Entry("1. small-io:", "reads of 4 kB.", ["Read more.", "", Plain("nwtsim run a b")])
PAGE = Page(
    "a on b",
    ["seed 1"],
    ["It takes 2 s."],
    [
        Section("Resources", [TABLE, Drawn(lambda: ["a picture"])]),
        Section("", [ENTRY], leads=True, name="what to do"),
        Section(
            "", [Terminal(Lines(["cut short"])), Lines(["9 % of it"], narrow=True)], whole=True
        ),
        Section("", [], name="nothing"),
        Section("", [table_of_texts(["k", "v"], [["a", "1"]], "lr")], heading="Values"),
    ],
    lambda: {"elapsed_ns": 2},
    lambda: [["part", "busy_ns"], ["disk", 1_500_000]],
    lambda: Browser("a on b: 2 s", command=["nwtsim", "run", "a", "b"], warned=["mind"]),
)


def test_text_is_whole_or_short() -> None:
    text = written(PAGE, "table", below="page.html: the page")
    assert "1. small-io: reads of 4 kB.\n   Read more.\n   nwtsim run a b\n" in text
    assert "cut short" in text
    assert "a picture" not in text
    assert text.endswith("\n\npage.html: the page\n")
    short = screen_text(PAGE)
    assert "cut short" not in short
    assert written(PAGE, "table", full=False) == short


def test_markdown_has_what_text_has() -> None:
    text = written(PAGE, "markdown")
    assert "| disk | 1.50 ms |" in text
    assert "1. small-io: reads of 4 kB.\n\nRead more.\n\n```\nnwtsim run a b\n```" in text
    assert "a picture" not in text


def test_programs_get_records_with_a_version() -> None:
    assert json.loads(written(PAGE, "json")) == {"format": FORMAT, "elapsed_ns": 2}
    own = Page("", [], [], [], lambda: {"format": "own/2", "name": "caf\u00e9 \udcff"})
    assert written(own, "json") == '{\n  "format": "own/2",\n  "name": "caf\u00e9 \\udcff"\n}\n'
    assert written(PAGE, "csv") == "part,busy_ns\ndisk,1500000\n"


def test_a_browser_has_pictures_and_no_lines_of_the_terminal(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(written(PAGE, "html"), encoding="utf-8")
    found = read(page)
    assert found.answer == "It takes 2 s."
    assert "a picture" in found.text
    assert "cut short" not in found.text
    assert "9 % of it" in found.text
    assert found.tables["parts"].values()["disk"]["busy"] == 1_500_000
    assert found.tables["values"].head == ["k", "v"]
    heads = ["resources", "what-to-do", "values", "assumptions", "how-this-was-made"]
    assert [one for one in found.links if one != "data:,"] != []
    assert set(heads) <= found.ids
    assert "nothing" not in found.ids
    assert "nwtsim run a b" in found.text
    assert "mind" in found.text


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_pictures_are_made_for_a_browser_only(form: str) -> None:
    made = []
    page = Page("", [], [], [Section("A", [Drawn(lambda: made.append(1) or ["x"])])])
    written(page, form)
    assert len(made) == (form == "html")
