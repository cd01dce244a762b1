"""Sweeps on a Dask cluster over TCP: the same bytes, whoever is killed on the way."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Self

import pytest

from simulator.cli.main import main
from simulator.study import chunks, cluster, grid
from simulator.study.chunks import Runner, run_all
from simulator.study.executors import Executor
from simulator.study.folder import STORE
from simulator.study.folder import points_in as kept_in
from simulator.study.grid import Grid, make_sweep
from tests.study.sweeps import files_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("distributed") is None, reason="pip install 'nwtsim[dask]'"),
    pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them"),
]
WORDS = ("sweep", "nwt", "test-write", "--no-plot", "--jobs=2")
LIGHT = ("--vary", "machine.parts.paths.rate=30000 kB/s..33990 kB/s +10 kB/s")  # 400 points, 0.3 s
POINTS = 24
HEAVY = ("--vary", "seed=1..24 +1", "--set", "workload.files.output.size=40 GB")  # 0.2 s each
Capture = pytest.CaptureFixture[str]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def started(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "simulator", *words]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def until(true: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


class Stand:
    """A scheduler and workers, processes of their own that talk over TCP."""

    def __init__(self, folder: Path, failures: int = 3) -> None:
        self.folder = folder
        self.failures = str(failures)
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self._scheduler()
        self.workers: list[subprocess.Popen[bytes]] = []

    def _started(self, *words: str, **variables: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
        environment = {**os.environ, **variables}
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                command, stdout=log, stderr=log, env=environment, cwd=self.folder
            )

    def _scheduler(self) -> subprocess.Popen[bytes]:
        where = "--host=127.0.0.1", f"--port={self.port}", "--no-dashboard"
        variable = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": self.failures}
        started = self._started("dask_scheduler", *where, **variable)

        def answers() -> bool:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return True
            return False

        until(answers)
        return started

    def again(self) -> None:
        self.scheduler.wait()
        self.scheduler = self._scheduler()

    def add(self, threads: int = 1, **variables: str) -> None:
        words = self.address, f"--nthreads={threads}", "--no-nanny", "--no-dashboard"
        more = f"--local-directory={self.folder}", "--memory-limit=0"
        self.workers.append(self._started("dask_worker", *words, *more, **variables))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (*self.workers, self.scheduler):
            one.kill()
            one.wait()


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    """A cluster with two workers, one of three threads."""
    with Stand(tmp_path_factory.mktemp("cluster")) as made:
        made.add()
        made.add(threads=3)
        yield made


@pytest.fixture
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    """A cluster without workers, of which any that dies ends its batch."""
    with Stand(tmp_path_factory.mktemp("empty"), failures=0) as made:
        yield made


def points_in(folder: Path) -> int:
    if not (folder / STORE).exists():
        return 0
    return sum(1 for _ in kept_in(folder, range(POINTS), finished=False))


def run_one(executor: Executor) -> None:
    """Run a sweep of one point; raise what is wrong with it."""
    size = [("workload.files.output.size", "1 MB")]
    grid = Grid(make_sweep("nwt", "test-write", vary=[("buffer", "1 MB")], settings=size))
    for done in run_all(Runner(grid), iter([0]), 1, executor):
        if done.error is not None:
            raise done.error


class TestSweep:
    def test_one_process_processes_and_dask_give_the_same_bytes(
        self, stand: Stand, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chunks, "ALONE_S", 0.0)
        monkeypatch.setattr(chunks, "WORTH_S", 0.0)
        for name, more in (
            ("one", ["--jobs=1"]),
            ("processes", ["--executor=processes"]),
            ("own", ["--executor=dask", "--jobs=1"]),
            ("cluster", ["--scheduler", stand.address, "--store", str(tmp_path / "store")]),
        ):
            assert main([*WORDS, *LIGHT, *more, "--out", str(tmp_path / name)]) == 0
            assert "(400 run now)" in capsys.readouterr().out
            assert files_of(tmp_path / name) == files_of(tmp_path / "one")
        words = [*WORDS, *LIGHT, "--store", str(tmp_path / "store"), "--scheduler", stand.address]
        assert main([*words, "--out", str(tmp_path / "again")]) == 0
        assert "(0 run now, 400 from the store)" in capsys.readouterr().out
        assert files_of(tmp_path / "again") == files_of(tmp_path / "one")

    def test_whoever_is_killed_what_is_done_is_kept(
        self, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, capsys: Capture
    ) -> None:
        with Stand(tmp_path_factory.mktemp("cluster")) as stand:
            stand.add()
            stand.add()
            words = [*WORDS, *HEAVY, "--scheduler", stand.address, "--out", str(tmp_path / "a")]
            with started(*words) as sweep:
                until(lambda: points_in(tmp_path / "a") >= 3)
                stand.workers[0].send_signal(signal.SIGKILL)  # The other one runs its batch, too.
                stand.add()
                before = points_in(tmp_path / "a")
                until(lambda: points_in(tmp_path / "a") >= before + 4)
                stand.scheduler.send_signal(signal.SIGKILL)
                said = sweep.communicate(timeout=60)[1]
            assert sweep.returncode == 3
            kept = points_in(tmp_path / "a")
            assert 7 <= kept < POINTS
            assert said == (
                f"the Dask scheduler at {stand.address} is not there any more, and what its workers"
                " had under way is lost; start it and its workers again, and repeat the command;"
                f" {kept} of {POINTS} points are kept in {tmp_path / 'a'}, and the same command"
                " goes on from there\n"
            )
            stand.again()
            stand.add()
            with started(*words) as sweep:
                until(lambda: points_in(tmp_path / "a") >= kept + 2)
                stand.add()
                stand.workers[-2].send_signal(signal.SIGKILL)
                assert sweep.wait() == 0
        assert main([*WORDS, *HEAVY, "--out", str(tmp_path / "b")]) == 0
        assert files_of(tmp_path / "a") == files_of(tmp_path / "b")

    def test_an_interrupt_keeps_what_is_done(self, stand: Stand, tmp_path: Path) -> None:
        words = [*WORDS, *HEAVY, "--scheduler", stand.address, "--out", str(tmp_path / "a")]
        with started(*words) as sweep:
            until(lambda: points_in(tmp_path / "a") >= 2)
            sweep.send_signal(signal.SIGINT)
            said = sweep.communicate(timeout=60)[1]
        assert sweep.returncode == 130
        assert f"of {POINTS} points are kept in" in said
        assert len(said.splitlines()) == 1

    def test_an_interrupt_ends_what_workers_do(self, stand: Stand, tmp_path: Path) -> None:
        from distributed import Client

        long = "--vary", "seed=1,2,3,4", "--record=32 B", "--policy=posix"  # half a minute each
        words = *WORDS, *long, "--scheduler", stand.address, "--out", str(tmp_path)
        with Client(stand.address) as client:
            client.wait_for_workers(len(stand.workers), timeout=60)
            with started(*words) as sweep:
                until(lambda: sum(map(len, client.processing().values())))
                time.sleep(1)
                sweep.send_signal(signal.SIGINT)
                sweep.communicate(timeout=60)
            workers = client.scheduler_info(n_workers=-1)["workers"].items()
            (single,) = (address for address, one in workers if one["nthreads"] == 1)
            assert client.submit(abs, -1, workers=[single]).result(timeout=30) == 1

    def test_a_mistake_of_a_point_is_told_as_it_is_here(
        self, stand: Stand, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(grid, "MOST_CHECKED", 2)
        words = [*WORDS, "--vary", "ssu.block=1 MB,2 MB,3 MB,4 MB,8 MB", "--out"]
        said = []
        for name, more in (("a", ["--jobs=1"]), ("b", ["--scheduler", stand.address])):
            assert main([*words, str(tmp_path / name), *more]) == 2
            said.append(capsys.readouterr().err.splitlines()[-2])
        assert said[0].startswith("at the point ssu.block=3 MB: ")
        assert said[0] == said[1]

    @pytest.mark.long
    def test_calibrate_and_assumptions_give_the_same_bytes(
        self, stand: Stand, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("scipy")
        monkeypatch.chdir(tmp_path)
        for words in (
            ["calibrate", "nwt"],
            ["reproduce", "nwt", "--assumptions=2", "--runs=1"],
        ):
            said = []
            for more in (["--jobs=1"], ["--scheduler", stand.address]):
                assert main([*words, "--format=json", *more]) == 0
                said.append(capsys.readouterr().out)
            assert said[0] == said[1]


class TestWorkers:
    def test_one_with_another_program_is_waited_for_and_refused(
        self, empty: Stand, tmp_path: Path
    ) -> None:
        (tmp_path / "plugins").mkdir()
        (tmp_path / "plugins" / "mine.py").write_text("")
        told: list[str] = []

        def said(line: str) -> None:
            told.append(line)
            empty.add(NWTSIM_PLUGINS=str(tmp_path / "plugins"))

        with (
            cluster.cluster(empty.address, 1, said) as executor,
            pytest.raises(cluster.OtherProgramError, match="has another version of nwtsim, of Pyt"),
        ):
            run_one(executor)
        name = f"the Dask scheduler at {empty.address}"
        assert told == [f"no worker of {name} is there; waiting for one"]

    def test_one_without_the_program_is_refused(self, empty: Stand, tmp_path: Path) -> None:
        (tmp_path / "simulator").mkdir()
        (tmp_path / "simulator" / "__init__.py").write_text("")
        empty.add(PYTHONPATH=str(tmp_path))
        with (
            cluster.cluster(empty.address, 1) as executor,
            pytest.raises(cluster.SimulationError, match=r"want of memory, or of nwtsim itself"),
        ):
            run_one(executor)

    def test_a_batch_that_ends_its_worker(self, empty: Stand) -> None:
        empty.add()
        with (
            cluster.cluster(empty.address, 1) as executor,
            pytest.raises(cluster.SimulationError, match=r"ended every worker .* that took it, 1"),
        ):
            list(executor.map(os._exit, [1], 1))


def test_nobody_answers(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 0.5)
    words = [*WORDS, *LIGHT, "--out", str(tmp_path / "a"), "--scheduler"]
    for address in (f"tcp://127.0.0.1:{free_port()}", "nonsense://", "127.0.0.1:x"):
        assert main([*words, address]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"--scheduler: no Dask scheduler answers at {address!r}; start one")
