"""The documentation against the program: figures, paths of machines, links.

Keys of results: ``test_results_page.py``.
"""

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.config.formats import MACHINE
from simulator.config.load import load_file
from simulator.config.sources import Document
from simulator.run import load_plan, run_plan
from simulator.study.study_file import load_study

ROOT = Path(__file__).resolve().parents[2]
NWT = ROOT / "experiments" / "nwt" / "README.md"
GLOBS = ("*.md", "docs/**/*.md", "experiments/*/README.md", "notebooks/*.ipynb")
PAGES = sorted(page for pattern in GLOBS for page in ROOT.glob(pattern))

Row = dict[str, str]


# -- reading Markdown -------------------------------------------------------------------------


@functools.cache
def prose(page: Path) -> str:
    """The Markdown of a page or a notebook."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "markdown")


def tables(page: Path) -> Iterator[list[Row]]:
    """The tables of a page: for each a list of rows, column -> text."""
    for block in re.findall(r"(?:^\|.*\n)+", prose(page), re.MULTILINE):
        head, _, *rows = (
            [cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in block.splitlines()
        )
        yield [dict(zip(head, row, strict=True)) for row in rows]


def rows_of(page: Path, column: str) -> list[Row]:
    """All rows of the tables whose first column has this head."""
    found = [row for table in tables(page) for row in table if next(iter(row)) == column]
    assert found, f"{page.name} has no table that begins with {column!r}"
    return found


def codes(text: str) -> list[str]:
    """What stands in `backticks`."""
    return re.findall(r"`([^`]+)`", text)


# -- figures ----------------------------------------------------------------------------------

BEHIND_SSU = (
    *("stores.ssu.quota", "stores.ssu.release", "stores.ssu.writers", "stores.ssu.start"),
    *("stores.ssu.high", "parts.paths", "parts.array", "filesystems"),
)
"""Sections of the machine that reading a prestaged file never reaches."""
BUFFER_COLUMNS = {
    "512 MB": "test-write",
    "120 MB": "test-write-120MB",
    "512 MB, 4 PEs": "test-write-parallel",
}


def sampled(column: str) -> list[Any]:
    """The rows of a table; all but every sixth are slow tests."""
    return [
        pytest.param(
            row,
            id=" ".join(codes(row[column]) + codes(row.get("value", ""))),
            marks=() if number % 6 == 5 else pytest.mark.slow,
        )
        for number, row in enumerate(rows_of(NWT, column))
    ]


def rates_outside(change: tuple[str, str]) -> dict[str, float]:
    """The cells that leave the paper's runs with this setting, and their rates in MB/s."""
    study = load_study("nwt")
    prestaged = change[0].startswith(tuple(f"machine.{one}" for one in BEHIND_SSU))
    outside = {}
    for cell in study.cells:
        if not (prestaged and cell.work == "read"):
            plan = load_plan(study.machine, cell.workload, settings=[*cell.settings, change])
            rate = run_plan(plan).rate(cell.work) / 1e6
            if not cell.holds(rate):
                outside[cell.id] = rate
    return outside


def assert_figures(text: str, rates: list[float]) -> None:
    """The figures of a row, and what was simulated: one by one, or `least to most`."""
    figures = re.findall(r"\d+\.\d+", re.sub(r"\(.*?\)", "", text))
    wanted = [min(rates), max(rates)] if " to " in text else rates
    rounded = [
        f"{rate:.{len(figure.partition('.')[2])}f}"
        for rate, figure in zip(wanted, figures, strict=True)
    ]
    assert figures == rounded


@pytest.mark.slow
@pytest.mark.parametrize("row", sampled("record"))
def test_the_range_of_record_lengths_is_as_documented(row: Row) -> None:
    outside = rates_outside(("record", codes(row["record"])[0]))
    assert (12 - len(outside), set(outside)) == (int(row["inside"]), set(codes(row["outside"])))


@pytest.mark.slow
@pytest.mark.parametrize("row", sampled("setting"))
def test_the_sensitivities_are_as_documented(row: Row) -> None:
    outside = rates_outside((codes(row["setting"])[0], codes(row["value"])[0]))
    listed = codes(row["outside"])
    assert (12 - len(outside), set(outside)) == (int(row["inside"]), set(listed))
    assert_figures(row["figures (MB/s; the paper's runs)"], [outside[cell] for cell in listed])


@pytest.mark.slow
@pytest.mark.parametrize("column", BUFFER_COLUMNS)
def test_rates_beside_the_measured_buffers_are_as_documented(column: str) -> None:
    workload = BUFFER_COLUMNS[column]
    measured = {
        dict(cell.settings)["buffer"]: f"({cell.mean:.1f})"
        for cell in load_study("nwt").cells
        if cell.workload == workload and "predicted" not in cell.id
    }
    for row in rows_of(NWT, "buffer"):
        buffer = codes(row["buffer"])[0]
        plan = load_plan("nwt", workload, settings=[("buffer", buffer)])
        rate = f"{run_plan(plan).rate('write') / 1e6:.1f}"
        assert row[column] == f"{rate} {measured.get(buffer, '')}".rstrip()


def test_every_path_of_a_machine_that_is_named_exists() -> None:
    named = {code for page in PAGES for code in codes(prose(page))}
    paths = [code for code in named if re.fullmatch(r"machine(\.\w+)+", code)]
    machines = [load_file(MACHINE, name) for name in MACHINE.shipped()]
    assert [path for path in paths if not any(has_path(one, path) for one in machines)] == []


def has_path(machine: Document, path: str) -> bool:
    section: Any = machine
    for step in path.split(".")[1:]:
        if isinstance(section, dict):
            section = section.get(step)
        elif isinstance(section, tuple):
            section = section[int(step)] if step.isdecimal() and int(step) < len(section) else None
        else:
            section = getattr(section, step, None)
    return section is not None


# -- links ------------------------------------------------------------------------------------


@functools.cache
def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings get."""
    heads = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def test_links_lead_somewhere() -> None:
    links = [(one, to) for one in PAGES for to in re.findall(r"\]\(\s*([^)\s]+)", prose(one))]
    for page, target in links:
        if re.match(r"[a-z]+:", target):
            continue  # elsewhere in the world
        path, _, anchor = target.partition("#")
        where = (page.parent / path) if path else page
        assert where.exists(), f"{page.name}: {target} is not there"
        if anchor and where.suffix == ".md":
            assert anchor in anchors(where), f"{page.name}: {where.name} has no heading {anchor!r}"


def test_generated_pages_are_not_longer_than_a_person_reads() -> None:
    front = ROOT / "docs" / "validation.md"
    pages = {one.name: one.stat().st_size for one in (ROOT / "docs" / "validation").glob("*.md")}
    assert len(front.read_text(encoding="utf-8").splitlines()) <= 95
    assert {name: size for name, size in pages.items() if size > 25_000} == {}
    assert sum(pages.values()) + front.stat().st_size <= 130_000


LONG = {"0051-a-smaller-house.md"}
"""The decision with the table of rooms."""


def test_a_decision_is_one_screen() -> None:
    decisions = (ROOT / "docs" / "decisions").glob("0*.md")
    lines = {one.name: len(one.read_text("utf-8").splitlines()) for one in decisions}
    assert {name for name, count in lines.items() if count > 25} <= LONG


def test_what_is_said_to_be_listed_is_on_no_short_screen() -> None:
    """``nwtsim show`` alone prints what fits a screen of 40 lines."""
    listed = re.compile(r"`(nwtsim\s+show[^`]*)`(?: draws it and)? (?:lists|gives)")
    said = {one: page.name for page in PAGES for one in listed.findall(prose(page))}
    assert [(page, one) for one, page in said.items() if "--full" not in one] == []
