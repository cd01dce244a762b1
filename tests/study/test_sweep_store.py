"""Sweeps through a store: nothing is simulated twice, and the files are those without one."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.report import sweep as sweep_files
from simulator.study import chunks, executors
from simulator.study.results import Results
from tests.study.sweeps import files_of

SMALL = ("--set", "workload.files.output.size=4 MB", "--no-plot")
WORDS = ("sweep", "nwt", "test-write", *SMALL)
VARIED = ("--vary", "policy=nwt,flang", "--vary", "buffer=600 kB..1.2 MB +300 kB, 0.6 MB")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sweep, run without a store by one process."""
    out = tmp_path_factory.mktemp("sweep") / "whole"
    assert main([*WORDS, *VARIED, "--jobs=1", "--out", str(out)]) == 0
    return out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_another_folder_takes_its_points_from_the_store(
    jobs: str, whole: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "ALONE_S", 0.0)
    monkeypatch.setattr(chunks, "WORTH_S", 0.0)
    words = [*WORDS, f"--jobs={jobs}", "--store", str(tmp_path / "store")]
    assert main([*words, *VARIED[:2], "--vary", "buffer=600 kB", "--out", str(tmp_path / "a")]) == 0
    assert "2 points in" in (said := capsys.readouterr().out)
    assert "(2 run now)" in said
    for name, wanted in (("b", "(4 run now, 2 from the store)"), ("c", "(0 run now, 6 from the")):
        assert main([*words, *VARIED, "--out", str(tmp_path / name)]) == 0
        assert wanted in capsys.readouterr().out
        assert files_of(tmp_path / name) == files_of(whole)
    with Results(tmp_path / "store") as store:
        assert store.count() == 6


def test_a_part_and_a_whole_share_a_store(whole: Path, tmp_path: Path, capsys: Capture) -> None:
    words = [*WORDS, *VARIED, "--jobs=1", "--store", str(tmp_path / "store")]
    assert main([*words, "--shard=1/3", "--out", str(tmp_path / "1")]) == 0
    capsys.readouterr()
    assert main([*words, "--out", str(tmp_path / "all")]) == 0
    assert "(4 run now, 2 from the store)" in capsys.readouterr().out
    assert files_of(tmp_path / "all") == files_of(whole)


def test_what_limits_another_seed_and_a_named_engine_are_other_rows(
    tmp_path: Path, capsys: Capture
) -> None:
    words = [*WORDS, "--vary", "buffer=1 MB", "--jobs=1", "--store", str(tmp_path / "store")]
    for number, more in enumerate(
        ([], ["--limits"], ["--seed=1"], ["--seed=2"], ["--engine=reference"])
    ):
        for again, wanted in enumerate(("(1 run now)", "(0 run now, 1 from the store)")):
            assert main([*words, *more, "--out", str(tmp_path / f"{number}{again}")]) == 0
            assert wanted in capsys.readouterr().out
    rows = [json.loads((tmp_path / f"{n}1" / "points.json").read_text())[0] for n in range(5)]
    assert rows[4] == rows[0]  # The engines agree.
    assert "limit" in rows[1]
    assert rows[2]["elapsed_ns"] != rows[3]["elapsed_ns"]


def test_the_environment_names_it_and_no_store_is_none(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NWTSIM_STORE", str(tmp_path / "store"))
    words = [*WORDS, "--vary", "buffer=1 MB", "--jobs=1"]
    for name, more, wanted in (
        ("a", [], "(1 run now)"),
        ("b", [], "(0 run now, 1 from the store)"),
        ("c", ["--no-store"], "(1 run now)"),
    ):
        assert main([*words, *more, "--out", str(tmp_path / name)]) == 0
        assert wanted in capsys.readouterr().out
    assert main([*words, "--no-store", "--store", "x", "--out", str(tmp_path / "d")]) == 2
    assert "not allowed with argument" in capsys.readouterr().err


def test_a_file_that_is_no_store_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    for name, content in (("text", b"format: machine/2\n" * 100), ("other", None)):
        path = tmp_path / name
        if content is None:
            with sqlite3.connect(path) as database:
                database.execute("CREATE TABLE mine (name TEXT)")
            database.close()
        else:
            path.write_bytes(content)
        words = [*WORDS, "--vary", "buffer=1 MB", "--store", str(path)]
        assert main([*words, "--out", str(tmp_path / "out")]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        (line,) = said.err.splitlines()
        assert line.startswith(f"{path}: is ")
        assert not (tmp_path / "out").exists()


def test_a_store_that_is_damaged_on_the_way_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "store"
    words = [*WORDS, *VARIED, "--jobs=1", "--store", str(path)]
    assert main([*words, "--out", str(tmp_path / "a")]) == 0
    content = path.read_bytes()
    page = int.from_bytes(content[16:18], "big")
    last = len(content) - page
    path.write_bytes(content[: 3 * page] + b"\xff" * (last - 3 * page) + content[last:])
    capsys.readouterr()
    assert main([*words, "--out", str(tmp_path / "b")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{path}: is damaged, or no store")


def test_a_connection_is_not_copied_into_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    original = executors.map_in_processes

    def look(work: Any, tasks: Any, processes: int) -> Any:
        opened.append(work.results._opened)
        return original(work, tasks, processes)

    monkeypatch.setattr(executors, "map_in_processes", look)
    monkeypatch.setattr(chunks, "ALONE_S", 0.0)
    monkeypatch.setattr(chunks, "WORTH_S", 0.0)
    words = [*WORDS, *VARIED, "--jobs=2", "--store", str(tmp_path / "store")]
    assert main([*words, "--out", str(tmp_path / "a")]) == 0
    assert opened == [None]


KILLED = """
import itertools, os, signal, sys
from simulator.cli.main import main
from simulator.study import results
from simulator.study.results import Results

results.BATCH_S = 0.0
put, batches = Results.put_texts, itertools.count()

def killed(self, rows):
    if not self._owner and next(batches) == int(sys.argv[1]):
        rows = itertools.chain(rows, (os.kill(os.getpid(), signal.SIGKILL) for _ in [0]))
    put(self, rows)

Results.put_texts = killed
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("batch", [0, 1, 2])
def test_a_kill_in_the_midst_of_a_batch_costs_that_batch(
    batch: int, whole: Path, tmp_path: Path, capsys: Capture
) -> None:
    words = [*WORDS, *VARIED, "--jobs=1", "--store", str(tmp_path / "store"), "--out"]
    command = [sys.executable, "-c", KILLED, str(batch), *words, str(tmp_path / "a")]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    with Results(tmp_path / "store") as store:
        assert store.count() == batch
    assert main([*words, str(tmp_path / "b")]) == 0  # Another folder has what the store has.
    assert f"({6 - batch} run now" in capsys.readouterr().out
    assert main([*words, str(tmp_path / "a")]) == 0  # The folder's own store has the batch too.
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b") == files_of(whole)


@pytest.mark.slow
def test_two_sweeps_use_one_store_at_once(whole: Path, tmp_path: Path) -> None:
    words = [*WORDS, *VARIED, "--store", str(tmp_path / "store"), "--jobs=2", "--out"]
    command = [sys.executable, "-m", "simulator", *words]
    ran = [
        subprocess.Popen([*command, str(tmp_path / name)], stderr=subprocess.PIPE)
        for name in ("a", "b")
    ]
    assert [one.communicate()[1] for one in ran] == [b"", b""]
    for name in ("a", "b"):
        assert files_of(tmp_path / name) == files_of(whole)
    with Results(tmp_path / "store") as store:
        assert store.count() == 6


def test_dask_that_is_not_installed_is_one_line(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.extras._is_there", lambda package: package != "distributed")
    words = [*WORDS, "--vary", "buffer=1 MB", "--out", str(tmp_path / "out")]
    for more in (["--executor", "dask"], ["--scheduler", "tcp://127.0.0.1:1"]):
        assert main([*words, *more]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("distributed, needed for running on a Dask cluster, is not instal")
        assert line.endswith("pip install 'nwtsim[dask]'")
        assert not (tmp_path / "out").exists()
    assert main([*words, "--executor=processes", "--scheduler=x"]) == 2
    assert capsys.readouterr().err.startswith("--scheduler: goes with --executor dask, which may ")


def test_parquet_has_the_rows_of_the_table_with_their_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(sweep_files, "AT_ONCE", 3)
    words = [*WORDS, *VARIED, "--vary", "clients=1,2", "--jobs=1", "--parquet", "--limits"]
    for name in ("a", "b"):
        assert (
            main([*words, "--store", str(tmp_path / "store"), "--out", str(tmp_path / name)]) == 0
        )
    table = parquet.read_table(tmp_path / "a" / "points.parquet")
    rows = json.loads((tmp_path / "a" / "points.json").read_text())
    assert table.to_pylist() == rows
    assert len(rows) == 16
    kinds = {field.name: str(field.type) for field in table.schema}
    assert [kinds[name] for name in ("policy", "buffer", "buffer_bytes", "clients")] == [
        "string",
        "string",
        "int64",
        "int64",
    ]
    assert (kinds["elapsed_ns"], kinds["write_MBps"], kinds["limit"]) == (
        "int64",
        "double",
        "string",
    )
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
    monkeypatch.setattr("simulator.extras._is_there", lambda package: package != "pyarrow")
    assert main([*words, "--out", str(tmp_path / "c")]) == 2
    assert "pyarrow, needed for" in capsys.readouterr().err
