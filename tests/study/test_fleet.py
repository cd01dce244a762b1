"""``nwtsim trace fleet``: each log of a folder is a row, and each second is of two runs."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")
pytest.importorskip("duckdb", reason="reports on traces need duckdb")

from simulator.replay.within import BeyondLimitError, Saving, limited, middle
from simulator.report.fleet import fleet_page
from simulator.study import fleet
from simulator.study.fleet import Fleet, Log, Row, begun_within, logs_in, read_fleet, reason_of
from simulator.study.processes import map_in_processes
from simulator.traces.reports.brief import Brief
from tests.cli.commands import Capture, as_json, done, refused
from tests.replay.test_advice import log_of_appends


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two logs, one that is cut off, and a file that is none."""
    made = tmp_path / "logs"
    (made / "a").mkdir(parents=True)
    log_of_appends(made / "a" / "long.log", 48)
    whole = log_of_appends(made / "short.log", 8).read_text()
    (made / "cut.log").write_text(whole[:-40])
    (made / "notes.md").write_text("# What these are\n")
    (made / ".hidden").write_text(whole)
    return made


def test_every_file_is_a_row_with_its_figures_or_a_reason(folder: Path, capsys: Capture) -> None:
    found = as_json(capsys, "trace", "fleet", str(folder))
    rows = {row["log"]: row for row in found["logs"]}
    assert [*rows] == ["a/long.log", "short.log", "cut.log"]  # By time in I/O; the broken last.
    assert found["foreign"] == ["notes.md"]
    assert rows["cut.log"]["reason"].startswith("line 42: the last line is cut off")
    one = rows["short.log"]
    assert (one["read_bytes"], one["written_bytes"], one["calls"]) == (16_000, 4_000, 42)
    checked = as_json(capsys, "trace", "check", str(folder / "short.log"))
    for key in ("elapsed_s", "io_s", "io_share", "client_time_s", "clients"):
        assert one[key] == pytest.approx(checked[key]), key
    assert "saves_s" not in one


def test_seconds_are_those_of_advise(folder: Path, capsys: Capture) -> None:
    words = ("--on", "nfs-lab")
    found = as_json(capsys, "trace", "fleet", str(folder), *words, "--limit", "60 s")
    rows = {row["log"]: row for row in found["logs"]}
    for name in ("a/long.log", "short.log"):
        row = rows[name]
        told = as_json(capsys, "advise", str(folder / name), *words, "--no-limits")
        assert row["replayed_s"] == told["predicted_ns"] / 1e9
        assert row["saves_s"] == told["advice"][0]["saves_ns"] / 1e9 > 0
        assert row["pattern"] == told["advice"][0]["pattern"]
        part = min(1, row["elapsed_s"] / row["replayed_s"])
        assert row["site_s"] == pytest.approx(row["saves_s"] * part, abs=1e-9)
    assert found["site_s"] == pytest.approx(sum(row["site_s"] or 0 for row in rows.values()))
    assert [row["site_s"] for row in found["logs"][:2]] == sorted(
        (row["site_s"] for row in found["logs"][:2]), reverse=True
    )


def work_for_ever(limit_s: float, **more: int) -> None:
    """Work until the limit."""
    with limited(limit_s, **more):
        while True:
            pass


def test_what_there_is_no_time_for_has_no_seconds(folder: Path) -> None:
    with pytest.raises(BeyondLimitError, match=r"more than 0\.2 s"):
        work_for_ever(0.2)
    with pytest.raises(BeyondLimitError, match="of memory"):
        work_for_ever(60, memory=-1)
    with limited(60):
        assert middle([5]) == 5
    rows = [Row("slow.log", brief(), saving=Saving("not tried: it takes more than 5 s"))]
    page = fleet_page(Fleet(folder, rows))
    assert page.record()["logs"][0]["log"] == "slow.log"
    assert rows[0].site_ns is None


def test_no_log_is_begun_after_the_time_for_all(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([100.0, 100.05, 101.0])
    monkeypatch.setattr("simulator.study.fleet.time.monotonic", lambda: next(times))
    logs = logs_in(folder)
    assert [*begun_within(0.1, logs)] == logs[:1]
    monkeypatch.undo()
    monkeypatch.setattr(
        "simulator.study.fleet.begun_within",
        lambda seconds, logs: iter(logs[: 1 if seconds == 120 else None]),
    )
    words = ("trace", "fleet", str(folder), "--on", "nfs-lab", "--no-store", "--within", "2 min")
    found = as_json(capsys, *words)
    late = [one for one in found["logs"] if "the 120 s for all logs are over" in str(one)]
    assert 0 < len(late) < len(found["logs"])


def brief(**more: object) -> Brief:
    """A job of four ranks that took 10 s, half of it in I/O."""
    second = 10**9
    figures = (4, 10 * second, 40 * second, 20 * second, 0, 8, 3, "")
    return Brief(*("darshan", *figures), **more)  # type: ignore[arg-type]


def test_time_given_back_by_hand() -> None:
    second = 10**9
    saved = Saving(replayed_ns=10 * second, saves_ns=2 * second)
    assert Row("log", brief(), saving=saved).site_ns == 2 * 4 * second
    slower = Saving(replayed_ns=40 * second, saves_ns=8 * second)  # 8 s of 40 are 2 s of 10.
    assert Row("log", brief(), saving=slower).site_ns == 2 * 4 * second
    all_of_it = Saving(replayed_ns=10 * second, saves_ns=9 * second)  # But I/O is 20 s of 40.
    assert Row("log", brief(), saving=all_of_it).site_ns == 20 * second
    assert Row("log", brief(), saving=Saving("not tried: it is")).site_ns is None
    assert Row("log", reason="damaged").site_ns is None


def test_files_of_one_strace_are_one_log(tmp_path: Path) -> None:
    for name in ("job.7", "job.8", "alone.3", "job.log", "job.log.record.json"):
        (tmp_path / name).write_text("")
    found = {log.name: [path.name for path in log.paths] for log in logs_in(tmp_path)}
    assert found == {"job.*": ["job.7", "job.8"], "alone.3": ["alone.3"], "job.log": ["job.log"]}
    assert [log.name for log in logs_in(tmp_path, "*.log")] == ["job.log"]


def test_a_reason_does_not_repeat_the_name(tmp_path: Path) -> None:
    log = Log("a.log", (tmp_path / "a.log",))
    assert reason_of(ValueError(f"{tmp_path / 'a.log'}: empty"), log) == "empty"
    assert reason_of(ValueError(f"{tmp_path / 'a.log'}:7: cut off"), log) == "line 7: cut off"


def killed_at_three(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number * number


def test_a_task_whose_process_is_killed_ends_nothing() -> None:
    made = dict(map_in_processes(killed_at_three, range(9), 2, lost=lambda number: -number))
    assert made == {number: -3 if number == 3 else number * number for number in range(9)}


def process(_number: int) -> int:
    return os.getpid()


def always() -> bool:
    return True


def test_a_process_that_is_spent_answers_once() -> None:
    few = dict(map_in_processes(process, range(6), 2))
    assert len(set(few.values())) <= 2
    each = dict(map_in_processes(process, range(6), 2, spent=always))
    assert [*sorted(each)] == [*range(6)]
    assert len(set(each.values())) == 6


DIES = """\
import os, sys
from pathlib import Path
from simulator.study import fleet

known = fleet.brief_of

def dies(paths, **how):
    if paths[0].name == "short.log":
        os._exit(9)
    return known(paths, **how)

fleet.brief_of = dies
folder = Path(sys.argv[1])
for row in fleet.read_fleet(folder, fleet.logs_in(folder), jobs=2).rows:
    print(row.log, row.reason == fleet.KILLED, row.brief is not None)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are no copies of this one")
def test_a_log_that_kills_its_process_is_a_row(folder: Path) -> None:
    words = [sys.executable, "-c", DIES, str(folder)]
    how = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run(
        words, env={**os.environ, **how}, capture_output=True, text=True, check=True
    )
    assert said.stdout.splitlines() == [
        *("a/long.log False True", "cut.log False False", "short.log True False")
    ]


def test_what_is_kept_is_not_done_again(
    folder: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("trace", "fleet", str(folder), "--on", "nfs-lab", "--store", str(tmp_path / "store"))
    first = done(capsys, *words, "--format", "json")

    def nothing(*_: object, **__: object) -> None:
        raise AssertionError("it is in the store")

    monkeypatch.setattr(fleet, "map_in_processes", nothing)
    assert done(capsys, *words, "--format", "json") == first
    (folder / "short.log").write_text((folder / "short.log").read_text()[:500])
    with pytest.raises(AssertionError, match="in the store"):
        read_fleet(folder, logs_in(folder))


def test_csv_parquet_and_page_have_what_json_has(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    from pyarrow import parquet

    table, page = tmp_path / "fleet.parquet", tmp_path / "fleet.html"
    words = ("trace", "fleet", str(folder), "--on", "nfs-lab")
    rows = as_json(capsys, *words, "--parquet", str(table), "--html", str(page))["logs"]
    assert parquet.read_table(table).to_pylist() == rows
    told = [*csv.DictReader(io.StringIO(done(capsys, *words, "--format", "csv")))]
    assert [list(one) for one in told] == [list(one) for one in rows]
    assert [one["log"] for one in told] == [one["log"] for one in rows]
    assert float(told[0]["saves_s"]) == rows[0]["saves_s"]
    text = page.read_text(encoding="utf-8")
    assert "a/long.log" in text
    assert "the last line is cut off" in text
    assert "What gives back most" in text


def test_what_is_wrong_is_said(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    words = ("trace", "fleet", str(folder))
    assert "no folder" in refused(capsys, "trace", "fleet", str(tmp_path / "nosuch"))
    assert "matches '*.darshan'" in refused(capsys, *words, "--match", "*.darshan")
    assert "none of 1 files is a log" in refused(capsys, *words, "--match", "*.md")
    assert "add --on MACHINE" in refused(capsys, *words, "--limit", "3 s")
    assert "nosuch" in refused(capsys, *words, "--on", "nosuch")


def test_without_a_machine_nothing_is_claimed(folder: Path, capsys: Capture) -> None:
    text = done(capsys, "trace", "fleet", str(folder))
    assert "What cures would give back was not simulated" in text
    assert "gives back" not in text
    assert (
        json.loads(done(capsys, "trace", "fleet", str(folder), "--format", "json"))["site_s"]
        is None
    )
