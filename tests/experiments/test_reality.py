"""The proof against reality: what counts as a hit, and real programs that are run and cured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from experiments.reality import __main__ as command
from experiments.reality.program import SOURCES, Program, Way, missing
from experiments.reality.runs import Bench
from experiments.reality.suite import predicted_programs, slow_programs
from experiments.validation.reality import (
    FORMAT,
    best_cures,
    hit,
    in_order,
    load_reality,
    mean_error,
    reality_summary,
    reality_text,
)
from experiments.validation.reality import main as reality_main
from simulator.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs wait4 and posix_fadvise")


def timed(median: float, spread: float = 0.0) -> dict[str, Any]:
    return {"median_s": median, "quartiles_s": [median - spread, median + spread], "runs_s": []}


def program(*advice: str, name: str = "p", **more: Any) -> dict[str, Any]:
    saved = [
        {"pattern": one, "saves_s": 0.5, "predicted_s": 0.4, "how": "write it"} for one in advice
    ]
    cures = [
        {"cure": "kept open", "patterns": ["open-storm"], **timed(0.30)},
        {"cure": "a buffer", "patterns": ["small-io", "unaligned"], **timed(0.20)},
    ]
    found = {"program": name, "about": "a program", "observed": timed(1.0), "predicted_s": 0.9}
    return found | {"advice": saved, "cures": cures} | more


def results(*programs: dict[str, Any], predicted: tuple[Any, ...] = ()) -> dict[str, Any]:
    host = {"processors": 2, "architecture": "x86_64", "system": "Linux 6", "filesystem": "ext4"}
    return {
        "format": FORMAT,
        "host": host | {"date": "2026-01-02"},
        "rounds": 5,
        "programs": list(programs),
        "predicted": list(predicted),
        "skipped": [{"program": "dd", "missing": ["dd"]}],
    }


# -- what counts --------------------------------------------------------------------------------


def test_a_hit_is_the_cure_that_was_quickest() -> None:
    assert hit(program("small-io", "open-storm"))
    assert hit(program("unaligned"))
    assert not hit(program("open-storm", "small-io"))
    assert not hit(program("seek-storm", "small-io"))
    assert not hit(program())


def test_an_advice_with_a_buffer_means_the_cure_with_one() -> None:
    both = {"cure": "both", "patterns": ["open-storm + buffer"], **timed(0.1)}
    one = program("open-storm")
    one["cures"].append(both)
    assert not hit(one)
    one["advice"][0]["how"] = "Keep it open. Give it a buffer: setvbuf"
    assert hit(one)
    one["cures"].remove(both)
    assert not hit(one)


def test_cures_whose_quartiles_overlap_are_equally_good() -> None:
    near = [
        {"cure": "one", "patterns": ["small-io"], **timed(0.200, 0.01)},
        {"cure": "other", "patterns": ["open-storm"], **timed(0.215, 0.01)},
        {"cure": "third", "patterns": ["re-read"], **timed(0.300, 0.01)},
    ]
    assert [one["cure"] for one in best_cures({"cures": near})] == ["one", "other"]


def test_order_counts_where_the_quartiles_do_not_overlap() -> None:
    def one(observed: float, predicted: float, spread: float = 0.0) -> dict[str, Any]:
        return {"observed": timed(observed, spread), "predicted_s": predicted}

    assert in_order([one(1, 10), one(2, 20), one(3, 30)])
    assert not in_order([one(1, 20), one(2, 10)])
    assert in_order([one(1, 20, 0.6), one(2, 10, 0.6)])


def test_the_mean_error_counts_too_much_and_too_little_alike() -> None:
    half, twice = ({"observed": timed(1.0), "predicted_s": one} for one in (0.5, 2.0))
    assert mean_error([half, twice]) == pytest.approx(1.0)
    assert mean_error([{"observed": timed(1.0), "predicted_s": 1.0}]) == 0


def test_the_page_has_verdicts(tmp_path: Path) -> None:
    good, bad = program("small-io", name="good"), program("open-storm", name="bad")
    single = {"program": "tar", "about": "a tree", "observed": timed(2.0), "predicted_s": 1.0}
    file = tmp_path / "results.json"
    file.write_text(json.dumps(results(good, bad, predicted=(single,))))
    text = reality_text(load_reality(file))
    assert "1 of 2 hits" in text
    rows = [one.split() for one in text.splitlines() if one.startswith(("| good", "| bad"))]
    assert [one[-2] for one in rows] == ["hit", "miss"]
    assert "geometric mean error 100 %" in text
    assert "Left out: dd, for want of dd." in text
    file.write_text("{}")
    with pytest.raises(ValueError, match="no file of results"):
        load_reality(file)


def test_the_page_has_the_causes_of_misses(tmp_path: Path) -> None:
    good, bad = program("small-io", name="good"), program("open-storm", name="bad")
    file = tmp_path / "results.json"
    file.write_text(json.dumps(results(good, bad)))
    (tmp_path / "causes.yaml").write_text(
        "all: a busy day\nbad: the disk was asleep\ngood: nothing\n"
    )
    page = tmp_path / "page.md"
    page.write_text("replaced text")
    assert reality_main([str(file), "--page", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("# Real programs\n")
    assert "1 of 2 slow ones get the advice" in reality_summary(file)
    assert "their predicted times are off by 11 %, the geometric mean." in reality_summary(file)
    assert reality_summary(tmp_path / "none.json") == ""
    assert "- *bad* (-10 %): the disk was asleep" in text
    assert "*good* (" not in text
    assert "a busy day" in text
    assert "Load average" not in text
    busy = results(good)
    busy["host"]["load"] = [0.5, 2.25]
    assert "Load average 0.5 when it began and 2.2 at the end." in reality_text(busy)
    assert "replaced text" not in text
    assert reality_main([str(file), "--page", str(page)]) == 0
    assert page.read_text() == text


# -- the programs -------------------------------------------------------------------------------


def test_every_program_has_several_cures_and_its_sources() -> None:
    slow, only = slow_programs(), predicted_programs()
    assert (len(slow), len(only)) == (10, 6)
    for one in slow:
        assert len(one.ways) >= 3
        assert all(way.patterns and way.what for way in one.ways[1:])
    assert all((SOURCES / name).is_file() for one in (*slow, *only) for name in one.sources)


@LINUX
@pytest.mark.slow
@pytest.mark.real("cc", "gfortran")
@pytest.mark.parametrize("one", slow_programs(0.01), ids=lambda one: one.name)
def test_cures_write_and_print_the_same_bytes(one: Program, tmp_path: Path) -> None:
    bench = Bench(one, tmp_path)
    found = bench.by_turns(1)
    assert all(runs.timed[0].digest == found[0].timed[0].digest != "" for runs in found)
    assert all(runs.median_s >= 0 for runs in found)
    bench.remove()
    assert not bench.folder.exists()


@LINUX
def test_another_result_and_a_failure_are_errors(tmp_path: Path) -> None:
    ways = (Way("slow", ("echo", "1")), Way("cured", ("echo", "2")))
    with pytest.raises(InputError, match="p cured: its result is another one"):
        Bench(Program("p", "", ways, results=()), tmp_path).by_turns(1)
    failing = Program("q", "", (Way("slow", ("sh", "-c", "exit 3")),), results=())
    with pytest.raises(InputError, match="q slow: ended with exit code 3"):
        Bench(failing, tmp_path).by_turns(1)


def test_what_is_missing_is_named() -> None:
    assert missing(Program("p", "", (Way("slow", ("no-such-program",)),))) == ["no-such-program"]


@LINUX
@pytest.mark.slow
@pytest.mark.real("cc", "strace")
def test_a_program_is_run_traced_predicted_and_advised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    words = ["--machine", str(ROOT / "configs/machines/workstation.yaml"), "--scale", "0.1"]
    words += ["--suite", "earlier"]
    assert (
        command.main([str(tmp_path), "-o", str(out), *words, "--rounds", "1", "--only", "tiny"])
        == 0
    )
    found = load_reality(out)
    (one,) = found["programs"]
    assert one["program"] == "tiny_writes"
    assert one["calls"] > 12_000  # A write for each number.
    assert 0 < one["untraced_s"] < one["traced_s"]
    assert one["advice"][0]["pattern"] == "small-io"
    assert "tiny_writes" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json"]


@LINUX
@pytest.mark.slow
@pytest.mark.real("cc", "strace")
def test_a_signal_ends_it_and_removes_everything(tmp_path: Path) -> None:
    words = ["--machine", str(ROOT / "configs/machines/workstation.yaml")]
    words += ["--suite", "earlier", "--only", "fsync_each"]
    running = subprocess.Popen(
        [sys.executable, "-m", "experiments.reality", str(tmp_path), "--scale", "100", *words],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    while "fsync_each" not in running.stderr.readline():
        assert running.poll() is None
    os.kill(running.pid, signal.SIGTERM)
    _, said = running.communicate()
    assert running.returncode == command.INTERRUPTED
    assert "interrupted by SIGTERM" in said
    assert list(tmp_path.iterdir()) == []
