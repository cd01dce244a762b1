"""What the five sources print is shown by a lesson, or it is said why not; and it is counted."""

import re
from functools import cache

import nbformat
import pytest
import yaml

from docs.site import course
from notebooks.course import MODULES, counters, singles, ssken
from notebooks.course.sources import (
    CHECKED,
    LOST,
    NOT_SHOWN,
    SHOWN,
    UNEXPLAINED,
    count,
    lessons_of,
    shown,
)
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
    for item, repeated in REPEATED.items():
        found.setdefault(("ssken", item), []).extend(repeated)
    for item, lines in ssken.printed()["items"].items():
        numbers = [one[key] for one in lines for key in ("from", "printed") if key in one]
        found.setdefault(("ssken", item), []).extend(numbers)
    return found


def test_every_item_is_in_one_list_and_its_lesson_is_one_of_the_course() -> None:
    lists = (SHOWN, CHECKED, UNEXPLAINED)
    assert {lesson for one in lists for lesson in one} <= set(MODULES)
    items = [
        item
        for listed in lists
        for studies in listed.values()
        for one in studies.items()
        for item in _named(one)
    ]
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
        "Of 72 tables, figures and sentences with numbers in the five sources 58 are shown beside"
        " simulated numbers, 7 beside what follows from other numbers, 6 as times that the model"
        " does not explain, and 1 is not."
    )
    page = "\n".join(course.printed())
    assert f"{count()} {ssken.alone()}\n" in page
    assert re.search(r"Of 122 counters.* 22 have nothing beside them", page)
    for reasons in NOT_SHOWN.values():
        assert all(one in page for one in (*reasons, *reasons.values()))
    assert all(one in page for items in LOST.values() for one in items)


# -- counters -----------------------------------------------------------------------------------


def test_a_list_says_what_is_beside_the_numbers_of_its_items() -> None:
    simulated, checked, calls = map(lessons_of, (SHOWN, CHECKED, UNEXPLAINED))
    for item, rows in ssken.printed()["items"].items():
        beside = [
            [key for key in ("simulated", "computed", "missing") if key in one] for one in rows
        ]
        assert all(len(one) == 1 for one in beside), item
        key = ("ssken", item)
        assert ["computed" if key in checked else "simulated"] in beside, item
        assert (key in simulated) + (key in checked) + (key in calls) == 1


def test_counts_are_those_of_the_command() -> None:
    """By hand: 2 processes, 2 repetitions, 32 GiB, calls of 256 KiB, requests of 32 KiB."""
    found = counters.measured("two-nfs")
    assert (found["written"], found["read"], found["all moved"]) == (2**36, 2**36, 2**38)
    assert (found["reads"], found["writes"], found["length"]) == (2**19, 2**19, 2**35)
    assert (found["READ"], found["WRITE"], found["B of a WRITE"]) == (2**22, 2**22, 2**15)
    assert counters.measured("batch")["moved"] == 2**39


def test_counts_follow_the_command_and_not_the_printed_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = {"ref": "", "command": "mpiexec -n 3 ./IOR -b 1g -s 16 -i 1", "filesystem": "nfs"}
    monkeypatch.setitem(ssken.printed()["commands"], "other", other)
    found = counters.measured("other")
    assert (found["written"], found["all written"], found["writes"]) == (
        *(2**34, 3 * 2**34, 3 * 2**16),
    )


def test_time_passes_between_the_looks_as_bytes_cross_the_link() -> None:
    """By hand, without hits: what both processes write and read meanwhile, at 117.2 MB/s."""
    between = 2 * (2**36 - counters.LOOKS[0]) + 2 * counters.LOOKS[1]
    link = 117.7e6 * 32768 / (32768 + 130)
    assert counters.ior("two-nfs").between_s == pytest.approx(between / link, rel=0.15)


def test_caches_that_leave_the_printed_reads_take_the_printed_time() -> None:
    chart = counters.looks()
    ((counted, seconds),) = chart.printed
    between = []
    for points in chart.curves.values():
        below = max(one for one in points if one[0] <= counted)
        above = min(one for one in points if one[0] > counted)
        share = (counted - below[0]) / (above[0] - below[0])
        between.append(below[1] + share * (above[1] - below[1]))
        assert points[0] == (0, pytest.approx(points[-1][1] * 0.54, rel=0.03))  # All hits, none.
    assert min(between) < seconds < max(between) < 1.15 * seconds
    assert counters.ior("two-nfs").between_s > 1.25 * seconds


def test_a_program_for_each_record_opens_what_it_needs() -> None:
    files = ("data", "libc", "libc_psr", "config")
    assert counters.measured("cat-2013") == pytest.approx(dict.fromkeys(files, 318_169))
    assert counters.measured("nawk-2014") == pytest.approx({"data": 199_064})


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ({"sum": [3, 4], "times": [2], "over": [7]}, 2),
        ({"times": ["jss:nodes.node.count", "jss:nodes.node.cores"]}, 12_032),
        ({"sum": ["ior:filesystems.nfs.tiers.2.request"]}, 32_768),
    ],
)
def test_what_follows_from_other_numbers(rule: dict[str, list[float | str]], value: float) -> None:
    assert counters.expected({"computed": rule}) == value


def test_calls_that_no_model_explains_are_longer_than_any_or_shorter_than_all() -> None:
    """By theory: of n exponential times of mean m the longest is m (ln n + 0.58), give or take."""
    found = singles.took("plot5")
    assert sum(one.calls for one in found.values()) == 150_000
    assert found["close"].mean == pytest.approx(1.515e-3, rel=0.02)
    assert 6 < found["close"].longest / found["close"].mean < 14
    assert 13.9 / found["open"].longest > 10_000
    waits = singles.took("disk")["read"]
    assert 0.722723 < waits.mean < waits.longest < 2
    socket = singles.took("socket")["write"]
    assert socket.all == pytest.approx(3310 * 10.32e-6 + 145e6 / 1.782e9, rel=0.01)
    script = singles.took("filebench")
    assert min(57 / script["read"].longest, 227 / script["write"].longest) > 5000
