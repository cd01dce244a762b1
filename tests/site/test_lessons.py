"""The course: wrong and right answers of each exercise, what is kept, and lessons as executed."""

import random
import re
from pathlib import Path

import nbformat
import pytest

import nwtsim
from notebooks.course import (
    MODULES,
    caches,
    centre,
    disks,
    exercises,
    messages,
    parallel,
    purchase,
    records,
)
from notebooks.course.chart import Chart
from notebooks.course.exercises import Exercise, Lesson
from tests.render_notebooks import LESSONS, code_cells, differences, executed

STUDENTS = ("Ada", "鈴木", "student 3")
lessons = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


@pytest.fixture(autouse=True)
def _a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cases() -> list[tuple[str, str, int]]:
    """Each exercise of each lesson, for each student."""
    return [
        (name, student, number)
        for name, module in MODULES.items()
        for student in STUDENTS
        for number in range(1, len(module.lesson(student).exercises) + 1)
    ]


# -- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "student", "number"), cases())
def test_right_answers_are_right_and_wrong_ones_get_a_hint(
    name: str, student: str, number: int
) -> None:
    lesson = MODULES[name].lesson(student)
    one, truth = lesson.exercises[number - 1], lesson.truth(number)
    off = max(one.relative * abs(truth), one.absolute)
    for wrong in (truth + off + 1, truth - 1.01 * off - 1e-6 * truth - (not off), 0, -truth):
        said = lesson.answer(number, wrong)
        assert said.startswith("Not yet. Hint: ")
        assert "{" not in said
    assert f"lesson.give_up({number})" in said
    for right in (truth, truth + 0.99 * off, truth - 0.99 * off):
        assert lesson.answer(number, right).startswith("Right. ")
    assert lesson.kept() == {str(number): "right"}


@pytest.mark.parametrize("student", STUDENTS)
def test_the_answers_of_lesson_1_by_hand(student: str) -> None:
    lesson = records.lesson(student)
    size = lesson.numbers(1)
    assert lesson.truth(1) == size["count"] * (size["length"] + 8)
    whole, full = lesson.numbers(2)["length"] + 8, 600_000
    ends = {one * whole for one in range(lesson.numbers(2)["count"] + 1)}
    assert lesson.truth(2) == sum(at not in ends for at in range(full, max(ends), full))
    assert 10 < lesson.truth(3) < 17
    assert 60 < lesson.truth(4) < 90
    assert 3 < lesson.truth(5) < 5.5


@pytest.mark.parametrize("student", STUDENTS)
def test_the_answers_of_lesson_2_by_hand(student: str) -> None:
    lesson = caches.lesson(student)
    # Records of 64 kB fill whole units; their lengths, less than one of 8 MB, take one more.
    assert lesson.truth(1) == lesson.numbers(1)["size"] // 8 + 1
    unit = 8 / 41.1 + 8 / 36
    assert lesson.truth(2) == pytest.approx(lesson.numbers(2)["size"] / 8 * unit, rel=0.005)
    all_there = caches.read(512, 8).elapsed_s
    missing = 64 - lesson.numbers(3)["room"] // 8
    assert lesson.truth(3) == pytest.approx(all_there + missing * unit, rel=0.005)
    assert lesson.truth(4) == lesson.numbers(4)["times"] * 65
    beyond = 1000 * lesson.numbers(5)["size"] - 0.2 * 8000
    assert lesson.truth(5) == pytest.approx(beyond / 125, rel=0.05)


@pytest.mark.parametrize("student", STUDENTS)
def test_the_answers_of_lesson_3_by_hand(student: str) -> None:
    lesson = disks.lesson(student)
    size_MB = lesson.numbers(1)["size"] * 1024 / 1e6
    positioning = 8.5e-3 + 8.33e-3 / 2
    assert lesson.truth(1) == pytest.approx(size_MB / (positioning + size_MB / 125), rel=0.05)
    most = -(-32 // lesson.numbers(2)["volumes"])
    piece = 0.25 / 41.1 + 0.25 / 4.5
    to_program = 8 / 672 + 2.38e-3 + 8 / 421
    whole, part = (to_program + one * piece for one in (32, most))
    assert lesson.truth(2) == pytest.approx(whole / part, rel=0.04)
    row = lesson.numbers(3)
    assert lesson.truth(3) == row["unit"] * (row["disks"] - int(row["level"][-1]) + 4)
    assert lesson.truth(4) == pytest.approx(lesson.numbers(4)["count"] * 6 * 65_536e-6)
    each_way = lesson.numbers(5)["capacity"] * 1000 / 125
    assert lesson.truth(5) == pytest.approx(2 * each_way / 60, rel=0.05)


@pytest.mark.parametrize("student", STUDENTS)
def test_the_answers_of_lesson_7_by_hand(student: str) -> None:
    lesson = centre.lesson(student)
    year = lesson.numbers(1)
    assert lesson.truth(1) == round(year["hours"] / year["pes"] / (year["used"] / 100))
    three = lesson.numbers(2)
    before = 20 + 60 * three["c"] <= 60 * three["a"]
    assert lesson.truth(2) == (20 if before else 60 * three["a"] + 60)
    assert 1.5 < lesson.truth(3) < 10
    assert 35 < lesson.truth(4) < 45
    assert 3 < lesson.truth(5) < 4.2


@pytest.mark.parametrize(("c", "easy"), [(1, 20), (1.5, 20), (2, 180)])
def test_who_may_pass_on_four_nodes(c: float, easy: float) -> None:
    assert centre.starts(2, c, "easy") == {"a": 0, "b": 120, "c": easy}
    assert centre.starts(2, c, "none") == {"a": 0, "b": 120, "c": 180}


def test_the_pictures_of_lesson_7_have_the_numbers_of_tables_2_2_and_4_1() -> None:
    used, greatest = centre.used(), centre.greatest()
    assert used.printed == [
        (year, pytest.approx(share))
        for year, share in zip(range(1993, 1998), (33.89, 43.97, 53.36, 79.0, 83.5), strict=True)
    ]
    ceilings = [dict(points) for points in used.curves.values()]
    assert ceilings[0][1996] < 79 < ceilings[1][1996]
    assert len(greatest.printed) == 23
    faster = [(pes, rate) for pes, rate in greatest.printed if rate > 240]
    assert faster == [(4, 310.7)]
    curves = {name: dict(points) for name, points in greatest.curves.items()}
    assert curves["one PE reads for all"][4] < 310.7 < curves["each PE reads"][4]
    assert all(f" {one} " in centre.table_2() for one in ("42,121", "255,417", "2-7PE"))
    assert len(centre.kinds().splitlines()) == 9


@pytest.mark.parametrize("student", STUDENTS)
def test_the_answers_of_lesson_8_by_other_runs(student: str) -> None:
    lesson = purchase.lesson(student)

    def run(volumes: int, seed: int | None = None) -> float:
        rate = f"{4.5 * volumes} MB/s"
        settings = {"machine.parts.array.rate": rate}
        return nwtsim.run("nwt", "test-write-120MB", settings, seed=seed).elapsed_s

    volumes, limit = round(lesson.truth(1) / 2), lesson.numbers(1)["limit"]
    cheaper = max((one for one in (8, 10, 12, 16, 24) if one < volumes), default=0)
    assert run(volumes) <= limit
    assert not cheaper or run(cheaper) > limit
    bought = lesson.numbers(2)
    late = sum(run(bought["volumes"], seed) > bought["limit"] for seed in range(1, 41))
    assert lesson.truth(2) == 2.5 * late
    volumes, asked = round(lesson.truth(3) / 2), lesson.numbers(3)
    days = range(1, asked["days"] + 1)
    assert all(run(volumes, seed) <= asked["limit"] for seed in days)
    assert lesson.truth(3) > lesson.exercises[0].truth(asked)
    alone = purchase.chance(**lesson.numbers(4))["days alone"]
    assert lesson.truth(4) != alone
    assert abs(lesson.truth(4) - alone) < 20
    volumes, asked = round(lesson.truth(5) / 2), lesson.numbers(5)
    assert purchase.chance(volumes, asked["limit"])["in all"] >= asked["wanted"]
    cheaper = max((one for one in (8, 10, 12, 16, 24) if one < volumes), default=8)
    assert purchase.chance(cheaper, asked["limit"])["in all"] < asked["wanted"] or volumes == 8


def test_the_picture_of_lesson_8_has_the_single_runs_of_table_4_3() -> None:
    rates = sorted(120 / seconds for volumes, seconds in purchase.offers().printed)
    assert rates == pytest.approx([12.6, 12.8, 12.8, 13.7, 14.7, 14.8, 14.9, 15.0])


@pytest.mark.parametrize("student", STUDENTS)
def test_the_answers_of_lesson_4_by_hand(student: str) -> None:
    lesson = parallel.lesson(student)
    assert lesson.truth(1) == 2 * lesson.numbers(1)["MiB"] * 64
    rest, count = parallel.run("write", "ut").elapsed_s - 512 * 1.03e-3, 512
    seconds = rest + count * lesson.numbers(2)["ms"] / 1000
    assert lesson.truth(2) == pytest.approx(33.554432 / seconds, rel=0.01)
    turns = lesson.numbers(3)["processes"]
    assert lesson.truth(3) == pytest.approx(100 * (1 - 2 / (turns + 1)), abs=0.5)
    in_all = 8 * lesson.numbers(4)["KiB"]
    assert (lesson.truth(4) > 4.2) == (512 < in_all < 1024 and 2 * in_all < 8192)
    disks = lesson.numbers(5)["disks"]
    assert (lesson.truth(5) > 8 / disks + 1) == disks % 2


def test_what_lesson_4_shows_of_pieces_is_what_processes_ask_for() -> None:
    shown = str(parallel.pieces(8, disks=3, rows=4)).splitlines()
    assert shown[0] == "disk 0: 0123 4567 0123 4567"
    ahead = [
        parallel.run("read", "fv", settings=parallel.stripes(disks=one)).counts("buffers")
        for one in (3, 4)
    ]
    assert [one["read_ahead"] > 0 for one in ahead] == [False, True]
    assert sum(waits + works for waits, works in parallel.turns(2)) == pytest.approx(
        sum(one["elapsed_ns"] for one in parallel.run("write", "fv", 2).to_dict()["processes"])
        / 1e9
    )


@pytest.mark.parametrize("student", STUDENTS)
def test_the_answers_of_lesson_5_by_hand(student: str) -> None:
    lesson = messages.lesson(student)
    side = lesson.numbers(1)["side"]
    parts = messages.shares(side)
    assert 35 < parts["messages"] < 60
    assert lesson.truth(1) == pytest.approx(
        messages.loop_ms(side, 1) / sum(parts.values()), rel=0.05
    )
    often, share = lesson.numbers(2)["ms"], 446 / 490
    taken = 100 * share * (1 / (1 - 0.1 / often) - 1 / (1 - 0.1 / 10))
    assert lesson.truth(2) == pytest.approx(taken, abs=1.5)
    memory = lesson.numbers(3)["nodes"] * lesson.numbers(3)["MB"] * 1e6 / 8
    assert 0.98 * memory < lesson.truth(3) < memory
    size = 8 * lesson.numbers(4)["n"] ** 2 / 1e6
    crossing = size / lesson.numbers(4)["line"]
    assert crossing + size / 3.7 < lesson.truth(4) < crossing + 3 * size / 3.7
    clients = lesson.numbers(5)["clients"]
    assert clients / 3 < lesson.truth(5) < 4 * clients


def test_lesson_5_is_near_what_the_papers_print() -> None:
    assert messages.fits(1) == pytest.approx(2_000_000, rel=0.01)
    assert not messages.pages(1412, 1)
    assert messages.pages(1413, 1)
    for client, library, n in (
        ("supersparc", "murata", 300),
        ("alpha", "original", 500),
        ("alpha", "murata", 800),
    ):
        assert messages.gain(client, library, n) == pytest.approx(1, abs=0.1)
    assert messages.load(1400, 16) == pytest.approx(30, rel=0.1)
    assert messages.speedup(447, 4) == pytest.approx(3.5, rel=0.1)


def test_lesson_5_shows_all_numbers_that_its_papers_print(monkeypatch: pytest.MonkeyPatch) -> None:
    used, published = {"load-peak"}, nwtsim.published  # The 30 of load, read in another way.

    class Watched(dict[str, float]):
        def __getitem__(self, key: str) -> float:
            used.add(key)
            return super().__getitem__(key)

    monkeypatch.setattr(nwtsim, "published", lambda name: Watched(published(name)))
    charts = (messages.speedups, messages.polling, messages.gains, messages.libraries)
    assert [len(one().printed) for one in charts] == [2, 1, 3, 4]
    assert "printed for 1 node: 2,000,000" in messages.paging()
    assert "printed: 2 to 6 MB/s" in messages.pairs()
    assert "printed: 30" in messages.loads()
    assert used == {*published("orion"), *published("ninf")}


def test_lesson_4_shows_all_numbers_that_its_paper_prints() -> None:
    shown = re.findall(r"printed +([\d.]+), simulated +([\d.]+)", parallel.ratios())
    assert [float(one) for one, _ in shown] == list(nwtsim.published("sr8000").values())
    assert all(float(ours) == pytest.approx(float(one), rel=0.1) for one, ours in shown)


def test_students_have_numbers_of_their_own_which_stay() -> None:
    drawn = [[records.lesson(one).numbers(number) for number in (1, 2, 3)] for one in STUDENTS]
    assert drawn == [
        [records.lesson(one).numbers(number) for number in (1, 2, 3)] for one in STUDENTS
    ]
    assert all(drawn.count(one) == 1 for one in drawn)


def test_who_gives_up_is_told_the_answer_and_why() -> None:
    lesson = records.lesson("Ada")
    assert lesson.give_up(1) == "157 records of 100,000 + 8 bytes are 15,701,256 bytes."
    assert lesson.kept() == {"1": "given up"}
    lesson.answer(1, 15_701_256)
    lesson.give_up(1)
    assert lesson.kept() == {"1": "right"}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (..., "Write your answer in place of the dots, in bytes."),
        ("12", "'12' is no number; write one like 12.5, in bytes."),
        (True, "True is no number; write one like 12.5, in bytes."),
        (float("nan"), "Not yet. Hint: "),
    ],
)
def test_what_is_no_answer_is_told(answer: object, told: str) -> None:
    assert records.lesson("Ada").answer(1, answer).startswith(told)


def test_an_exercise_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="there is no exercise 6; there are 1 to 5"):
        records.lesson("Ada").ask(6)


# -- what is kept -----------------------------------------------------------------------------


def made(truth: float = 2.0) -> Lesson:
    one = Exercise(
        "{n}?", "B", "hint", "{answer}", lambda rng: {"n": rng.random()}, lambda _: truth
    )
    return Lesson("made", "<b>", (one, one))


def test_progress_is_kept_from_session_to_session() -> None:
    made().answer(2, 2.0)
    assert made().progress() == "1 of 2 right\n1: open\n2: right"
    assert records.lesson("<b>").kept() == {}


@pytest.mark.parametrize("damage", ["", "{", "[]", "\udcff"])
def test_damaged_progress_is_no_progress(damage: str) -> None:
    exercises.KEPT.write_bytes(damage.encode("utf-8", "surrogateescape"))
    lesson = made()
    assert lesson.progress().startswith("0 of 2 right")
    lesson.answer(1, 2.0)
    assert made().kept() == {"1": "right"}


def test_a_folder_that_may_only_be_read_is_no_error() -> None:
    exercises.KEPT.mkdir()
    assert made().answer(1, 2.0) == "Right. 2 B"


def test_what_is_said_is_text_on_a_page() -> None:
    assert "&lt;b&gt;" in exercises.Said("<b>")._repr_html_()


# -- pictures ---------------------------------------------------------------------------------


def test_a_chart_says_its_numbers_and_draws_them_in_their_order() -> None:
    chart = Chart("<A>", "x", "y", {"a": [(1, 1), (10, 2), (100, 4)]}, [(10, 2)])
    assert str(chart) == "<A>\ny over x\na: 1 at 1, 2 at 10, 4 at 100\nprinted: 2 at 10"
    drawn = chart._repr_html_()
    assert "<title>&lt;A&gt;</title>" in drawn
    (line,) = re.findall(r'points="([^"]+)"', drawn)
    at = [tuple(map(float, one.split(","))) for one in line.split()]
    assert at[1][0] - at[0][0] == pytest.approx(at[2][0] - at[1][0])
    assert (at[1][1] - at[2][1]) == pytest.approx(2 * (at[0][1] - at[1][1]), abs=0.2)


@pytest.mark.parametrize("logarithmic", [False, True])
def test_lines_of_a_chart_are_within_it(logarithmic: bool) -> None:
    rng = random.Random(1)
    for _ in range(50):
        points = [(10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-3, 3)) for _ in range(5)]
        chart = Chart("t", "x", "y", {"a": points}, logarithmic=logarithmic)
        heights = re.findall(r'd="M52 ([-\d.]+)h560"', chart._repr_html_())
        assert 2 <= len(heights) <= 20
        assert all(14 <= float(one) <= 265 for one in heights)


# -- the notebooks ----------------------------------------------------------------------------


@lessons
def test_a_lesson_begins_with_a_question_and_a_picture_and_has_short_cells(path: Path) -> None:
    page = nbformat.read(path, as_version=4)
    assert "?" in page.cells[0].source
    assert "<svg role=" in page.cells[1].outputs[0].data["text/html"]
    assert max(len(cell.source.splitlines()) for cell in code_cells(page)) <= 12
    count = len(MODULES[path.stem].lesson("Ada").exercises)
    assert 3 <= count <= 5
    text = "\n".join(cell.source for cell in code_cells(page))
    for number in range(1, count + 1):
        assert f"lesson.ask({number})" in text
        assert f"lesson.answer({number}, ...)" in text


@pytest.mark.slow
@lessons
def test_a_lesson_shows_what_it_shows_when_executed(path: Path) -> None:
    wrong = differences(executed(path), nbformat.read(path, as_version=4))
    assert not wrong, "\n".join([*wrong, f"make notebooks ARGS={path.stem} writes it anew"])
