"""The eight programs that no rule has seen: the programs, their section of the page, the record."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest
import yaml

from experiments.reality import __main__ as command
from experiments.reality import suite, twenty
from experiments.reality.program import SOURCES, Program
from experiments.reality.runs import Bench
from experiments.reality.unseen import frozen, unseen_programs
from experiments.validation.reality import reality_page
from experiments.validation.twenty import FOLDER, criteria, load_twenty, owes_cause
from experiments.validation.unseen import (
    CAUSES,
    CRITERIA,
    FORMAT,
    RESULTS,
    unseen_section,
    unseen_text,
)

from .test_twenty import advice, cured, results

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs wait4 and posix_fadvise")


def test_they_are_eight_others_of_as_many_languages() -> None:
    programs = unseen_programs()
    names = [one.name for one in programs]
    seen = (*twenty.cured_programs(), *twenty.predicted_programs())
    earlier = (*suite.slow_programs(), *suite.predicted_programs())
    assert len({*names, *(one.name for one in (*seen, *earlier))}) == 8 + 20 + 16
    assert len({one.language for one in programs}) == 8
    for one in programs:
        assert 2 <= len(one.ways) <= 4
        assert all((way.patterns or way.words) and way.what for way in one.ways[1:])
        assert one.ways[1].patterns  # The expert's.
    words = [word for one in programs for word in one.slow.command if str(SOURCES) in word]
    assert all(Path(one).is_file() for one in words)
    assert all((SOURCES / name).is_file() for one in programs for name in one.sources)


def test_the_digest_is_of_what_is_there() -> None:
    assert frozen() == frozen()
    assert frozen() != twenty.frozen()


@LINUX
@pytest.mark.slow
@pytest.mark.real("cc", "c++", "gfortran", "javac", "sqlite3", "perl", "awk")
@pytest.mark.parametrize("one", unseen_programs(0.01), ids=lambda one: one.name)
def test_cures_leave_the_same_bytes_and_inputs_are_the_same(one: Program, tmp_path: Path) -> None:
    digests = []
    for _ in range(2):
        bench = Bench(one, tmp_path)
        whole = hashlib.sha256()
        for path in sorted(path for path in bench.folder.rglob("*") if path.is_file()):
            whole.update(path.read_bytes())
        digests.append(whole.hexdigest())
        found = bench.by_turns(1)
        assert all(runs.timed[0].digest == found[0].timed[0].digest != "" for runs in found)
        bench.remove()
    assert digests[0] == digests[1]


def test_the_section_has_both_tables_and_targets_for_eight(tmp_path: Path) -> None:
    file = tmp_path / RESULTS.name
    assert unseen_section(file) == ""
    good, bad = cured(advice("open-storm", 0.8), program="good"), cured(program="bad")
    file.write_text(json.dumps(results(good, bad) | {"format": FORMAT}))
    text = unseen_section(file)
    assert text.startswith("## Eight programs that no rule has seen")
    assert "With the expert's cure:" in text
    assert "7 of 8" in text
    assert "of 20" not in text
    assert "Predicted only" not in text
    assert "- *bad*: not found yet." in text
    (tmp_path / CAUSES).write_text("bad: the disk was asleep\n")
    assert "- *bad*: the disk was asleep" in unseen_section(file)
    earlier = tmp_path / "results.json"
    earlier.write_text(
        json.dumps(results(good) | {"format": "reality/1", "programs": [], "predicted": []})
    )
    page = reality_page(earlier)
    assert page.index("## Twenty") < page.index("## Eight") < page.index("## Sixteen")
    file.write_text("{}")
    with pytest.raises(ValueError, match=FORMAT):
        unseen_section(file)


def test_targets_are_those_of_the_twenty_for_eight() -> None:
    seen, own = criteria()["targets"], criteria(CRITERIA)["targets"]
    counts = {"of", "right", "near"}
    assert {k: v for k, v in own.items() if k not in counts} == {
        k: v for k, v in seen.items() if k not in counts
    }
    assert all(own[name] / own["of"] >= seen[name] / 20 for name in ("right", "near"))


def test_a_suite_is_chosen_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command.shutil, "which", lambda name: name)
    machine, out = tmp_path / "m.yaml", tmp_path / "unseen.json"
    machine.write_text("", "utf-8")
    words = ["--suite", "unseen", "--machine", str(machine), "--only", "no such", "-o", str(out)]
    assert command.main([str(tmp_path), *words]) == 0
    found = load_twenty(out, FORMAT)
    assert found["frozen"] == frozen()
    assert unseen_text(found) in capsys.readouterr().out


@pytest.mark.skipif(not RESULTS.exists(), reason="not measured yet")
def test_the_record_is_of_these_programs_and_each_miss_has_its_cause() -> None:
    found = load_twenty(RESULTS, FORMAT)
    assert found["frozen"] == frozen()  # Whoever changes a program, a cure or a rule runs it anew.
    recorded = [one["program"] for one in (*found["programs"], *found["skipped"])]
    assert sorted(recorded) == sorted(one.name for one in unseen_programs())
    causes = yaml.safe_load((FOLDER / CAUSES).read_text("utf-8"))
    assert {one["program"] for one in found["programs"] if owes_cause(one)} <= set(causes or {})
