"""The page of the benchmarks: a part that is measured alone replaces its own sections only."""

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the benchmarks of traces need it")

from benchmarks import instructions, replay
from benchmarks.first_minutes import OURS
from benchmarks.report import with_parts

PAGE = "# Page\n\nHead.\n\n## a\n\nold\n\n### inside a\n\nold\n\n## b\n\nkept\n"


def test_a_section_is_replaced_whole() -> None:
    assert with_parts(PAGE, ["## a", "new"]) == "# Page\n\nHead.\n\n## a\n\nnew\n\n## b\n\nkept\n"


def test_a_new_section_comes_last() -> None:
    assert with_parts(PAGE, ["## c", "text", "### d"]) == PAGE + "\n## c\n\ntext\n\n### d\n"


def test_what_is_measured_again_in_the_same_way_changes_nothing() -> None:
    assert with_parts(PAGE, ["## b", "kept"]) == PAGE


def test_a_clone_is_built_without_the_variables_of_another_make() -> None:
    assert {"MAKEFLAGS", "ARGS"} <= OURS


def test_instructions_may_be_5_percent_over_the_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded.json"
    recorded.write_text('{"job": 2.0}')
    monkeypatch.setattr(instructions, "RECORD", recorded)
    assert instructions.check({"job": 2.1, "others": 9.0}) == []
    assert instructions.check({"job": 2.2}) == [
        "job: 2.200, 10.0% over the recorded 2.000; 5% is the most"
    ]


def test_a_replay_goes_through_all_its_phases(tmp_path: Path) -> None:
    store = tmp_path / "calls.parquet"
    replay.write_store(store, 2000)
    assert [*replay.phases(store)] == [*replay.PHASES]
