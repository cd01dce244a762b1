"""Suites that came after the twenty: their programs, their sections of the page, their records."""

from __future__ import annotations

import hashlib
import json
import sys
from itertools import takewhile
from pathlib import Path

import pytest
import yaml

from experiments.reality import __main__ as command
from experiments.reality import suite, twenty
from experiments.reality.program import SOURCES, Program
from experiments.reality.runs import Bench
from experiments.validation.reality import reality_page
from experiments.validation.twenty import FOLDER, criteria, load_twenty, owes_cause, twenty_text
from experiments.validation.unseen import FRESH, FURTHER, LATER, MORE, TEN, UNSEEN, Later

from .test_twenty import advice, cured, results

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs wait4 and posix_fadvise")
PROGRAMS = {one: command.LATER[one.name] for one in LATER}
DIGESTS = {
    UNSEEN: "a840c09a4a7f361115127e18b46c994e6b59baabc49f44e1e6e7931af7149d5f",
    TEN: "0dec8c9c6e626a334bc2fb465884bf171226b066d9fa46775f715a8b98a341a2",
    MORE: "8d00ddaadc62407a08889dfccdf841181b41681ee717d8ce08cfadae7f47b7c5",
    FURTHER: "28cb292caf39f3efe89e888199187e1d851d9f545f59c0ced570034381485c76",
    FRESH: "27183dfea95a347274b51032d87b52ab55fa6dd8617a2d5f8b4ae3de17d1e4df",
}
"""Of programs, cures and criteria in the commits that brought them, before any prediction."""
every = pytest.mark.parametrize("later", PROGRAMS, ids=lambda one: one.name)


@every
def test_they_are_others_of_as_many_languages(later: Later) -> None:
    programs = PROGRAMS[later]()
    earlier = [*twenty.cured_programs(), *twenty.predicted_programs()]
    earlier += [*suite.slow_programs(), *suite.predicted_programs()]
    for other in takewhile(lambda one: one is not later, PROGRAMS):
        earlier += PROGRAMS[other]()
    assert not {one.name for one in programs} & {one.name for one in earlier}
    assert not {name for one in programs for name in one.sources} & {
        name for one in earlier for name in one.sources
    }
    count = criteria(later.criteria)["targets"]["of"]
    assert len(programs) == len({one.name for one in programs}) == count
    assert len({one.language for one in programs}) == count
    for one in programs:
        assert 1 <= len(one.ways) <= 4
        assert all((way.patterns or way.words) and way.what for way in one.ways[1:])
    alone = [at for at, one in enumerate(programs) if not one.ways[1:]]
    assert alone == ([8, 9] if later in (FURTHER, FRESH) else [])  # An expert changes nothing.
    words = [word for one in programs for word in one.slow.command if str(SOURCES) in word]
    assert all(Path(one).is_file() for one in words)
    assert all((SOURCES / name).is_file() for one in programs for name in one.sources)


@every
def test_they_are_as_they_were_before_the_first_prediction(later: Later) -> None:
    assert command.FROZEN[later.name]() == DIGESTS[later]


@LINUX
@pytest.mark.slow
@pytest.mark.real(
    *("cc", "c++", "gfortran", "javac", "sqlite3", "perl", "awk", "node", "tclsh", "git", "find"),
    *("tar", "sed", "rustc", "make", "grep", "jq", "go", "gcc", "dd", "rsync"),
)
@pytest.mark.parametrize(
    "one",
    [one for programs in PROGRAMS.values() for one in programs(0.01)],
    ids=lambda one: one.name,
)
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


@every
def test_the_section_has_both_tables_and_targets_of_its_own(later: Later, tmp_path: Path) -> None:
    assert later.section(tmp_path) == ""
    good, bad = cured(advice("open-storm", 0.8), program="good"), cured(program="bad")
    file = tmp_path / later.results.name
    file.write_text(json.dumps(results(good, bad) | {"format": later.format}))
    text = later.section(tmp_path)
    heading, aim = later.about.splitlines()[0], criteria(later.criteria)["targets"]
    assert text.startswith(heading)
    assert " cured | " in text
    assert f"{aim['right']} of {aim['of']}" in later.text(load_twenty(file, later.format))
    assert "of 20" not in text
    assert "Predicted only" not in text
    assert "- *bad*: not found yet." in text
    (tmp_path / later.causes).write_text("bad: the disk was asleep\n")
    assert "- *bad*: the disk was asleep" in later.section(tmp_path)
    earlier = tmp_path / "results.json"
    earlier.write_text(
        json.dumps(results(good) | {"format": "reality/1", "programs": [], "predicted": []})
    )
    page = reality_page(earlier)
    assert f"| {later.name} | **1 of 2; wanted {aim['right']} of {aim['of']}** |" in page
    assert page.index("## Twenty") < page.index(heading) < page.index("## Sixteen")
    file.write_text("{}")
    with pytest.raises(ValueError, match=later.format):
        later.section(tmp_path)


def test_what_was_only_seen_is_told_where_nothing_is_advised() -> None:
    starts = {"seen": ["1,200 programs were started"]}
    assert "- *bad*: 1,200 programs were started." in twenty_text(
        results(cured(program="bad") | starts)
    )
    good = results(cured(advice("open-storm", 0.8), program="good") | starts)
    assert "not simulated" not in twenty_text(good)


@every
def test_targets_are_those_of_the_twenty_for_as_many(later: Later) -> None:
    seen, own = criteria()["targets"], criteria(later.criteria)["targets"]
    counts = {"of", "right", "near"}
    assert {k: v for k, v in own.items() if k not in counts} == {
        k: v for k, v in seen.items() if k not in counts
    }
    assert all(own[name] / own["of"] >= seen[name] / 20 for name in ("right", "near"))


@every
def test_a_suite_is_chosen_by_its_name(
    later: Later,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command.shutil, "which", lambda name: name)
    machine, out = tmp_path / "m.yaml", tmp_path / "out.json"
    machine.write_text("", "utf-8")
    words = ["--suite", later.name, "--machine", str(machine), "--only", "no such", "-o", str(out)]
    assert command.main([str(tmp_path), *words]) == 0
    found = load_twenty(out, later.format)
    assert found["frozen"] == DIGESTS[later]
    assert later.text(found) in capsys.readouterr().out


@every
def test_the_record_is_of_these_programs_and_each_miss_has_its_cause(later: Later) -> None:
    """Until causes are looked for, and there is no file of them, the page says so of each miss."""
    if not later.results.exists():
        pytest.skip("not measured yet")
    found = load_twenty(later.results, later.format)
    assert found["frozen"] == DIGESTS[later]  # Whoever changes anything of it runs it anew.
    measured = *found["programs"], *found["predicted"]
    recorded = [one["program"] for one in (*measured, *found["skipped"])]
    assert sorted(recorded) == sorted(one.name for one in PROGRAMS[later]())
    missed = {one["program"] for one in measured if owes_cause(one)}
    file = FOLDER / later.causes
    if file.exists():
        assert missed <= set(yaml.safe_load(file.read_text("utf-8")) or {})
    elif missed:
        assert later.section().count("not found yet.") == 1
