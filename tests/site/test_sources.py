"""What the five sources print is shown by a lesson, or it is said why not; and it is counted."""

import re
from functools import cache

import nbformat
import yaml

from docs.site import course
from notebooks.course import MODULES
from notebooks.course.sources import LOST, NOT_SHOWN, SHOWN, count, shown
from simulator.experiments.nwt.tables import tables
from simulator.shipped import shipped_root
from tests.render_notebooks import LESSONS, code_cells

STUDIES = ("nwt", "orion", "sr8000", "ninf", "ssken")
REPEATED = {
    "fig. 2.6": ("138.34", "264.51", "0.76", "180.39"),
    "fig. 2.28": ("110.31", "111.45"),
    "table 4.3.10": ("0.304272", "0.026552"),
    "table 4.4.3": ("35.0", "329"),
}
"""Items of SS-ken whose numbers the study has under another name, and those numbers."""


@cache
def raw(study: str) -> dict:  # type: ignore[type-arg]
    text = (shipped_root("experiments") / study / "study.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


@cache
def outputs(lesson: str) -> str:
    """What a lesson shows, as text."""
    (path,) = (one for one in LESSONS if one.stem == lesson)
    texts = [
        one.get("text") or one.get("data", {}).get("text/plain", "")
        for cell in code_cells(nbformat.read(path, as_version=4))
        for one in cell.outputs
    ]
    return "\n".join(texts).replace(",", "")


def printed() -> dict[tuple[str, str], list[str]]:
    """The numbers of each item that a study has, as printed."""
    found: dict[tuple[str, str], list[str]] = {}
    for study in STUDIES:
        for one in raw(study).get("figures", []):
            number = one.get("printed") or "15 to 20"  # The only range.
            found.setdefault((study, one["ref"]), []).append(number)
    for one in raw("nwt")["cells"]:
        runs = [f"{run:g}" for run in one["runs"]]
        found.setdefault(("nwt", f"table {one['table']}"), []).extend([*runs, f"{one['mean']:g}"])
    made = tables()
    for item, counts in (("table 2.1", made.jobs), ("table 2.2", made.cpu_time)):
        numbers = [*(one for row in counts.rows.values() for one in row), *counts.totals]
        found["nwt", item] = [str(one) for one in numbers]
    found["nwt", "table 2.2"] += [f"{100 * one:.2f}" for one in made.utilisation]
    found["nwt", "table 4.1"] = [
        text
        for row in made.production
        for text in (
            *(str(row.pes), str(row.cpu_s), f"{row.largest_MB:.1f}", f"{row.mean_MB:.1f}"),
            *(f"{row.greatest_MBps:.1f}", f"{row.mean_MBps:.1f}"),
        )
    ]
    return found | {("ssken", item): list(numbers) for item, numbers in REPEATED.items()}


def test_every_item_is_in_one_list_and_its_lesson_is_one_of_the_course() -> None:
    assert set(SHOWN) <= set(MODULES)
    items = [item for studies in SHOWN.values() for one in studies.items() for item in _named(one)]
    items += [(study, item) for study, reasons in NOT_SHOWN.items() for item in reasons]
    assert len(items) == len(set(items))
    assert all(len(one.split()) >= 4 for reasons in NOT_SHOWN.values() for one in reasons.values())


def _named(one: tuple[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    study, items = one
    return [(study, item) for item in items]


def test_what_a_study_simulates_is_shown_by_a_lesson_and_the_other_way_around() -> None:
    assert printed().keys() == shown().keys()


def test_a_lesson_shows_every_number_of_its_items() -> None:
    lessons, missing = shown(), []
    for item, numbers in printed().items():
        words = outputs(lessons[item])
        missing += [
            (item, one)
            for one in numbers
            if not re.search(rf"(?<![\d.]){re.escape(_plain(one))}(?![\d.]*\d)", words)
        ]
    assert missing == []


def _plain(number: str) -> str:
    """A number as a chart has it: in thousands, if it is one of points."""
    return {"40000": "1 at 40", "300": "1 at 300", "500": "1 at 500", "800": "1 at 800"}.get(
        number, number
    )


def test_what_a_study_cannot_test_is_listed_with_its_reason() -> None:
    known = {item for _, item in shown()} | {one for found in NOT_SHOWN.values() for one in found}
    lost = " ".join(LOST["ssken"])
    for one in raw("ssken")["claims"]:
        ref = one["ref"]
        kind = {"fig": "fig. ", "tab": "table "}.get(ref[:3])
        for number in re.findall(r"\d+(?:\.\d+)+", ref) if kind else []:
            assert f"{kind}{number}" in known or _among(number, lost), (one["id"], number)


def _among(number: str, lost: str) -> bool:
    """Whether a list like "figures 4.1.4 to 4.1.6" has a number."""
    if re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", lost):
        return True
    front, _, last = number.rpartition(".")
    spans = re.findall(rf"{re.escape(front)}\.(\d+) to {re.escape(front)}\.(\d+)", lost)
    return any(int(low) <= int(last) <= int(high) for low, high in spans)


def test_they_are_counted() -> None:
    assert count() == (
        "Of 72 tables, figures and sentences with numbers in the five sources 44 are shown beside"
        " simulated numbers, and 28 are not."
    )
    page = "\n".join(course.printed())
    assert count() in page
    for reasons in NOT_SHOWN.values():
        assert all(one in page for one in (*reasons, *reasons.values()))
    assert all(one in page for items in LOST.values() for one in items)
