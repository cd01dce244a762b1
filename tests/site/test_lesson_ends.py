"""What lessons show beside their exercises: by hand, against logs, and against other runs."""

import json
import lzma
import re
from pathlib import Path

import pytest

import nwtsim
from notebooks.course import choice, habits, parallel, parts, records, staging

LOG = Path(__file__).resolve().parents[1] / "data" / "sampler.strace.xz"
"""The program with three habits under strace, November 2026."""


def numbers(line: str) -> list[float]:
    return [float(one) for one in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", line)]


# -- lesson 1 -----------------------------------------------------------------------------------


def test_a_wrong_guess_waits_as_often_as_no_guess() -> None:
    _, *rows = records.mixed().splitlines()
    ends = [tuple(numbers(row)[-4:]) for row in rows]
    assert [(one[1], one[3]) for one in ends] == [(200, 0), (200, 200), (200, 67)]
    assert ends[1][0] == ends[1][2]
    assert ends[2][2] < 1.1 * ends[2][0] < ends[0][2]


def test_the_worst_buffer_is_as_large_as_the_unit() -> None:
    _, *rows = records.units().splitlines()
    for place, row in enumerate(rows):
        rates = numbers(row)[1:] if "MB" not in row else numbers(row.partition("MB")[2])
        assert min(rates) == rates[place]


@pytest.mark.parametrize(("compiler", "calls"), [("gfortran", 26), ("flang", 5)])
def test_programs_of_today_make_the_calls_of_the_model(
    compiler: str, calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert records.today(compiler).endswith(f"{calls} calls; those of the model are equal: True")
    log = (records.DATA / f"{compiler}.strace").read_text("utf-8")
    (tmp_path / f"{compiler}.strace").write_text(log.replace("= 40000", "= 40001", 1), "utf-8")
    monkeypatch.setattr(records, "DATA", tmp_path)
    assert records.today(compiler).endswith("equal: False")


def test_a_library_waits_for_each_length_that_it_writes_going_back() -> None:
    _, *rows = records.libraries().splitlines()
    ends = [tuple(numbers(row)[-3:]) for row in rows]
    assert [(back, waits) for back, _, waits in ends] == [
        *((300, 300), (200, 200), (0, 0), (0, 0), (0, 0)),
    ]
    assert min(rate for back, rate, _ in ends if not back) > 3 * max(one[1] for one in ends[:2])


def test_lengths_of_records_that_fit_are_those_of_the_study() -> None:
    rows = [numbers(row.partition(":")[2]) for row in records.lengths().splitlines()]
    assert [inside for inside, _ in rows] == [9, 12, 12, 12, 9, 11]


# -- lesson 4 -----------------------------------------------------------------------------------


def test_sieving_reads_all_and_the_others_only_pieces() -> None:
    curves = {name: dict(points) for name, points in parallel.gaps().curves.items()}
    sieving, *others = curves.values()
    assert sieving[4096] / sieving[1024] == pytest.approx((16 + 4096) / (16 + 1024), rel=0.02)
    assert all(sieving[16] < one[16] and one[4096] < sieving[4096] for one in others)


def test_two_phases_send_twice_and_need_61_times_the_memory() -> None:
    _, *rows = parallel.collective().splitlines()
    found = [[float(one) for one in row.split()[-4:]] for row in rows]
    for disk, _, both in (found[:3], found[3:]):
        assert both[1] == pytest.approx(2 * disk[1], rel=0.02)
        assert both[2] == 61 * disk[2]


# -- lesson 5 -----------------------------------------------------------------------------------


def test_a_call_from_far_away_pays_by_the_line_and_the_problem() -> None:
    _, *rows = choice.worth().splitlines()
    gains = [numbers(row)[1:] for row in rows]
    assert all(row == sorted(row) for row in gains)
    assert all(list(column) == sorted(column) for column in zip(*gains, strict=True))
    assert gains[0][-1] < 1 < gains[-1][-1]


def test_who_looks_at_load_problem_and_line_serves_all_better_than_by_load() -> None:
    head, *rows = choice.rules().splitlines()
    assert head.split()[2:6] == ["far-ep", "far-linpack", "near-ep", "near-linpack"]
    found = [numbers(row) for row in rows]
    assert all(best < load for best, load in zip(found[3][:4], found[0][:4], strict=True))
    assert all(row[4] == sum(row[5:]) for row in found)


# -- lesson 6 -----------------------------------------------------------------------------------


def test_the_program_makes_the_calls_of_its_log() -> None:
    text = lzma.decompress(LOG.read_bytes()).decode()
    own = r" (openat|read|write|close|fsync)\((.*?(samples|settings)\..*) = (\d+)"
    words = {"openat": "open", "fsync": "sync"}
    names = {"samples": "log", "settings": "settings"}
    log = [
        (words.get(what, what), names[file], int(size) if what in ("read", "write") else 0)
        for what, _, file, size in re.findall(own, text)
    ]
    assert log[0] == ("open", "log", 0)
    assert log[-1] == ("close", "log", 0)
    assert log[1:-1] == list(habits.calls())


def test_all_cures_write_the_same_bytes() -> None:
    sizes = {
        sum(size for what, _, size in habits.calls(one) if what == "write") for one in habits.CURES
    }
    assert sizes == {1500 * 21}


def test_the_cure_that_was_predicted_to_save_most_saved_most() -> None:
    times = json.loads((habits.DATA / "sampler.json").read_text("utf-8"))["times"]
    simulated = {one or "as it was": habits.run(one).elapsed_s for one in habits.CURES}
    assert sorted(simulated, key=simulated.__getitem__)[:2] == ["once keep gather", "once"]
    assert simulated == pytest.approx(times, rel=0.15)


# -- lesson 7 -----------------------------------------------------------------------------------


def test_staging_helps_where_the_inputs_fit_and_hurts_where_they_do_not() -> None:
    for staged in (False, True):
        assert len(staging.stays(staged)) == 60
    assert staging.run(staged=True).counts("cache")["fetched"] == 60 * 4000 // 8
    from_disk, staged_in = (staging.mean_min(staged, 64) for staged in (False, True))
    assert from_disk > 0.65 > 20 * staged_in  # 4 GB at 100 MB/s are 0.67 min.
    assert staging.mean_min(True, 16) > staging.mean_min(False, 16)
    used = dict(staging.held().curves["used"])
    assert max(used.values()) == 64


# -- lesson 8 -----------------------------------------------------------------------------------


def test_the_cheapest_front_end_meets_its_targets_and_one_step_less_does_not() -> None:
    answer = parts.sized(32).answer or {}
    assert answer["price"] == 2 * 4 + 4 * 1 + 12 * 2

    def end_s(rate: str) -> float:
        settings = {"ssu.capacity": "512 MB", "paths.servers": "4", "array.rate": rate}
        return float(nwtsim.run("nwt", "test-write", settings).to_dict()["end_ns"] / 1e9)

    assert end_s("54 MB/s") <= 32 < end_s("45 MB/s")
    said = parts.ask(32)
    assert said.startswith("Buy memory 512 MB, paths 4, volumes 54 MB/s.")
    assert re.search(r"paths 8 +4 points +nothing", said)


def test_a_second_less_costs_no_less() -> None:
    costs = [price for _, price in parts.prices().curves["cheapest"]]
    assert costs == sorted(costs)
    assert parts.sized(28).answer is None
