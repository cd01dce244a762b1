"""The twenty frozen programs: what counts as right, the programs, and what was recorded."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from experiments.reality.program import SOURCES, Program
from experiments.reality.runs import Bench
from experiments.reality.twenty import cured_programs, frozen, predicted_programs
from experiments.validation.ledger_page import unpadded
from experiments.validation.twenty import (
    CAUSES,
    FOLDER,
    FORMAT,
    RESULTS,
    advised_way,
    after,
    inverted,
    load_twenty,
    owes_cause,
    own_spread,
    right,
    target_table,
    targets,
    twenty_section,
    twenty_text,
)

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs wait4 and posix_fadvise")


NOTHING = {"patterns": [], "words": ""}


def timed(median: float, spread: float = 0.0) -> dict[str, Any]:
    runs = [median - spread, median, median + spread]
    low, high = median - spread, median + spread
    return {
        "median_s": median, "quartiles_s": [low, high], "runs_s": runs, "processor_s": median / 2,
    }  # fmt: skip


def advice(pattern: str, saves: float, how: str = "do it", **instead: float) -> dict[str, Any]:
    others = [{"how": how, "saves_s": 1 - s, "predicted_s": s} for how, s in instead.items()]
    return {
        "pattern": pattern, "saves_s": saves, "predicted_s": 1 - saves, "how": how,
        "instead": others,
    }  # fmt: skip


def cured(*given: dict[str, Any], **more: Any) -> dict[str, Any]:
    cures = [
        {"cure": "kept open", "patterns": ["open-storm"], "words": "", **timed(0.2)},
        {"cure": "a buffer", "patterns": ["small-io"], "words": "setvbuf", **timed(0.3)},
    ]
    one = {"program": "p", "about": "a program", "language": "C", "named": NOTHING, "cures": cures}
    return one | {"observed": timed(1.0, 0.1), "predicted_s": 1.0, "advice": list(given)} | more


def only(*given: dict[str, Any], named: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return cured(*given, cures=[], named={"patterns": list(named), "words": "setvbuf"}) | more


def results(*programs: dict[str, Any]) -> dict[str, Any]:
    host = {"processors": 2, "architecture": "x86_64", "system": "Linux 6", "filesystem": "ext4"}
    return {
        "format": FORMAT,
        "host": host | {"date": "2026-01-02"},
        "rounds": 3,
        "frozen": "0123456789abcdef",
        "programs": [one for one in programs if one["cures"]],
        "predicted": [one for one in programs if not one["cures"]],
        "skipped": [],
    }


# -- what counts --------------------------------------------------------------------------------


def test_the_first_advice_is_right_if_it_is_the_experts() -> None:
    assert right(cured(advice("open-storm", 0.7)))
    assert right(cured(advice("open-storm", 0.7), advice("small-io", 0.5)))
    assert not right(cured(advice("re-read", 0.9), advice("open-storm", 0.7)))
    assert not right(cured())


def test_another_cure_is_right_where_it_saves_nine_tenths_when_timed() -> None:
    one = cured(advice("small-io", 0.7))
    assert not right(one)  # 0.7 is less than nine tenths of 0.8.
    one["cures"][1] |= timed(0.27)
    assert right(one)


def test_words_of_the_advice_mean_a_cure_whatever_its_pattern() -> None:
    way = advised_way(cured(advice("new-pattern", 0.5, "Call setvbuf first.")))
    assert way is not None
    assert way["cure"] == "a buffer"
    assert advised_way(cured(advice("new-pattern", 0.5))) is None


def test_a_pattern_that_was_split_later_has_the_frozen_name() -> None:
    one = cured(advice("poll", 0.5))
    assert advised_way(one) is None
    one["cures"][0]["patterns"] = ["re-read"]
    assert advised_way(one) is one["cures"][0]


def test_an_expert_who_names_nothing_is_contradicted_by_a_tenth() -> None:
    assert right(only())
    assert right(only(advice("small-io", 0.09)))
    assert not right(only(advice("small-io", 0.1)))
    assert right(only(advice("small-io", 0.5), named=("seek-storm", "small-io")))
    assert right(only(advice("new-pattern", 0.5, "Call setvbuf."), named=("small-io",)))
    assert not right(only(named=("small-io",)))


def test_what_is_inverted() -> None:
    assert inverted(cured())  # Nothing is advised, where 80 % are to be had.
    assert inverted(cured(advice("re-read", 0.005)))
    assert not inverted(cured(advice("re-read", 0.02)))
    slower = cured(advice("small-io", 0.5))
    slower["cures"][1] |= timed(1.3, 0.1)
    assert inverted(slower)
    slower["cures"][1] |= timed(1.15, 0.1)  # Within the quartiles of the program as it is.
    assert not inverted(slower)
    assert inverted(only(advice("small-io", 0.5)))
    assert not inverted(only(advice("small-io", 0.4)))
    assert not inverted(only(advice("small-io", 0.9), named=("open-storm",)))


def test_the_time_after_is_that_of_the_advice_that_means_the_experts_cure() -> None:
    assert after(cured(advice("re-read", 0.9), advice("open-storm", 0.75))) == 0.25
    assert after(cured(advice("re-read", 0.9))) == 1.0  # As it is: it promises nothing.
    one = cured(advice("re-read", 0.9, **{"Redirect the whole loop.": 0.5}))
    one["cures"][0]["words"] = "whole loop"
    assert after(one) == 0.5


def test_targets_count_all_programs_and_only_the_cured_ones_after_the_cure() -> None:
    half = cured(advice("open-storm", 0.6), predicted_s=0.5)
    found = dict(
        zip(("right", "near", "before", "after", "inverted"), targets([half, only()]), strict=True)
    )
    assert [one[2] for one in found.values()] == ["2 of 2", "1 of 2", "41 %", "100 %", "0"]
    assert [one[3] for one in found.values()] == [False, False, False, False, True]
    many = targets([cured(advice("open-storm", 0.8))] * 20)
    assert all(met for *_, met in many)


def test_what_is_right_by_a_name_that_came_later_is_said() -> None:
    one = cured(advice("poll", 0.7))
    one["cures"][0]["patterns"] = ["re-read"]
    assert right(one)
    assert not right(one, {})
    assert targets([one])[0][2] == "1 of 1 (0 by the names of advice that were frozen)"


def test_the_own_spread_is_that_of_single_runs() -> None:
    assert own_spread([only(observed=timed(1.0))]) == (0, 0)
    mean, beyond = own_spread([only(observed=timed(1.0) | {"runs_s": [0.5, 1.0, 2.0, 1.0]})])
    assert mean == pytest.approx(2**0.5 - 1)
    assert beyond == 0.5


def test_the_page_has_all_tables_and_a_cause_for_each_miss(tmp_path: Path) -> None:
    good = cured(advice("open-storm", 0.8), program="good")
    bad, other = cured(program="bad"), only(program="other", named=("small-io",))
    file = tmp_path / "twenty.json"
    file.write_text(json.dumps(results(good, bad, other)))
    (tmp_path / CAUSES).write_text("all: a busy day\nbad: the disk was asleep\ngood: nothing\n")
    text = twenty_section(file)
    assert "- *bad*: the disk was asleep" in text
    assert "- *other*: not found yet." in text
    assert "a busy day" in text
    assert "*good*" not in text
    assert "| inverted" in text
    assert "first advice right" not in text
    alone = twenty_text(json.loads(file.read_text()))
    assert "| first advice right" in alone
    assert "a single run is" in alone
    assert "Programs, cures and criteria: 0123456789ab." in alone
    assert twenty_text(results()).startswith("2 processors")
    assert "printed commands" not in text
    failed = results(good) | {"skipped": [{"program": "awk", "failed": "no such call"}]}
    assert "Failed: awk: no such call" in twenty_text(failed)
    ran = [{"promised_ns": 5, "elapsed_ns": 5}, {"promised_ns": 5, "elapsed_ns": 6}]
    assert "1 of 2 printed commands gave" in twenty_text(results(good | {"commands": ran}))
    file.write_text("{}")
    with pytest.raises(ValueError, match="no file of results"):
        load_twenty(file)
    assert "Not measured" in twenty_section(tmp_path / "none.json")


def test_one_table_has_the_targets_of_all_suites() -> None:
    good, bad = cured(advice("open-storm", 0.8)), cured()
    found = [("one", results(good), "criteria.yaml"), ("two", results(bad), "more-criteria.yaml")]
    table, hosts = target_table([*found, ("none", results(), "criteria.yaml")])
    head, _, one, two = unpadded(table).splitlines()
    assert "| geometric mean error, as they are (at most 20 %)" in head
    assert one.startswith(
        "| one | **1 of 1; wanted 17 of 20** | **1 of 1; wanted 15 of 20** | 0 % "
    )
    assert one.endswith(" | 0 % | 0 | 7 %, 0 % | 2026-01-02 | 0123456789ab |")
    assert hosts == "- *one*, *two*: 2 processors (x86_64), Linux 6, ext4, medians of 3 runs."
    assert two.startswith("| two | **0 of 1; wanted 9 of 10** |")
    assert "**400 %**" in two
    assert "| **1** " in two
    assert target_table([]) == []


# -- the programs -------------------------------------------------------------------------------


def test_they_are_twenty_of_many_languages_each_with_what_an_expert_says() -> None:
    slow, alone = cured_programs(), predicted_programs()
    assert (len(slow), len(alone)) == (10, 10)
    assert len({one.name for one in (*slow, *alone)}) == 20
    assert len({one.language for one in slow}) >= 8
    for one in slow:
        assert len(one.ways) >= 2
        assert all((way.patterns or way.words) and way.what for way in one.ways[1:])
    assert all(len(one.ways) == 1 for one in alone)
    assert all((SOURCES / name).is_file() for one in (*slow, *alone) for name in one.sources)
    scripts = [word for one in (*slow, *alone) for word in one.slow.command if str(SOURCES) in word]
    assert len(scripts) == 8
    assert all(Path(word).is_file() for word in scripts)


@LINUX
@pytest.mark.slow
@pytest.mark.real("cc", "c++", "gfortran", "javac", "sqlite3", "perl", "awk")
@pytest.mark.parametrize(
    "one", [*cured_programs(0.01), *predicted_programs(0.01)], ids=lambda one: one.name
)
def test_cures_leave_the_same_bytes_and_inputs_are_the_same(one: Program, tmp_path: Path) -> None:
    digests = []
    for _ in range(2):
        bench = Bench(one, tmp_path)
        files = sorted(path for path in bench.folder.rglob("*") if path.is_file())
        whole = hashlib.sha256()
        for path in files:
            whole.update(path.read_bytes())
        digests.append(whole.hexdigest())
        found = bench.by_turns(1)
        assert all(runs.timed[0].digest == found[0].timed[0].digest != "" for runs in found)
        bench.remove()
        assert not bench.folder.exists()
    assert digests[0] == digests[1]


# -- what was recorded --------------------------------------------------------------------------


@pytest.mark.skipif(not RESULTS.exists(), reason="not measured yet")
def test_the_record_is_of_these_programs_and_each_miss_has_its_cause() -> None:
    found = load_twenty(RESULTS)
    assert found["frozen"] == frozen()  # Whoever changes a program, a cure or a rule runs it anew.
    names = [one.name for one in (*cured_programs(), *predicted_programs())]
    recorded = [one["program"] for one in (*found["programs"], *found["predicted"])]
    assert sorted(recorded + [one["program"] for one in found["skipped"]]) == sorted(names)
    causes = yaml.safe_load((FOLDER / CAUSES).read_text("utf-8"))
    missed = [one for one in (*found["programs"], *found["predicted"]) if owes_cause(one)]
    assert {one["program"] for one in missed} <= set(causes)
