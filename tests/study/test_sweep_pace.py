"""How large the batches of a sweep are, what it imports, and what it does without libraries."""

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.progress import progress_bar
from simulator.study import chunks
from simulator.study import grid as grids
from simulator.study import sweep as sweeping
from simulator.study.chunks import CHUNK_S, LARGEST, Done, Pace, Ran, Runner, run_all
from simulator.study.executors import Processes
from simulator.study.folder import Rows
from simulator.study.grid import Grid, Sweep, make_sweep
from simulator.study.processes import map_in_processes
from tests.study.sweeps import SMALL, WORDS, Capture, files_of


def took(points: int, seconds: float, rest: Sequence[int] = ()) -> Done:
    ran = [Ran(number, "", "", "", stored=False) for number in range(points)]
    return Done(ran, seconds, list(rest), None)


class TestPace:
    def cut(self, points: int, seconds_each: float, processes: int = 2) -> list[int]:
        """The sizes of chunks, each done before the next is taken."""
        pace, sizes = Pace(iter(range(points)), points, processes), list[int]()
        for chunk in pace:
            sizes.append(len(chunk))
            pace.learn(took(len(chunk), len(chunk) * seconds_each))
        assert sum(sizes) == points
        return sizes

    def test_light_points_go_by_the_hundred(self) -> None:
        sizes = self.cut(100_000, 0.0005)
        assert max(sizes) == CHUNK_S / 0.0005
        assert sizes[0] == 1  # What a point costs is not known yet.
        assert len(sizes) < 600

    def test_heavy_points_go_one_by_one(self) -> None:
        assert set(self.cut(50, 10.0)) == {1}

    def test_the_last_chunks_are_small(self) -> None:
        assert self.cut(10_000, 1e-6, processes=4)[-4:] == [1, 1, 1, 1]

    def test_chunks_for_other_computers_are_longer_and_the_last_ones_not_tiny(self) -> None:
        pace, sizes = Pace(iter(range(20_000)), 20_000, 2, 1.0, 0.25), list[int]()
        for chunk in pace:
            sizes.append(len(chunk))
            pace.learn(took(len(chunk), len(chunk) * 0.001))
        assert sum(sizes) == 20_000
        assert max(sizes) == 1_000
        assert sizes[-4:-1] == [250, 250, 250]
        assert len(sizes) < 50

    @pytest.mark.slow
    def test_a_chunk_has_an_end(self) -> None:
        assert max(self.cut(1_000_000, 1e-9)) == LARGEST

    def test_points_that_get_heavy_make_small_chunks(self) -> None:
        pace = Pace(iter(range(10_000)), 10_000, 2)
        for _ in range(5):
            pace.learn(took(len(next(pace)), 0.0001))
        assert len(next(pace)) == LARGEST
        pace.learn(took(1, 5.0))
        assert len(next(pace)) == 1

    def test_what_is_handed_back_is_handed_out_again(self) -> None:
        pace = Pace(iter(range(3)), 3, 1)
        assert list(pace) == [[0], [1], [2]]
        pace.take_back([1, 2])
        assert pace.left == 2
        assert list(pace) == [[1], [2]]
        assert pace.left == 0

    def test_a_chunk_ends_in_time_though_a_point_is_heavy(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seconds = [0.0]

        def takes_long(point: Any, _stopped: Any) -> Any:
            seconds[0] += CHUNK_S if point.number < 5 else 100 * CHUNK_S
            return {}

        monkeypatch.setattr(chunks.time, "perf_counter", lambda: seconds[0])
        monkeypatch.setattr(chunks, "run_point", takes_long)
        sweep = make_sweep("nwt", "test-write", vary=[("buffer", "1 MB..9 MB +1 MB")])
        runner = Runner(Grid(sweep))
        ran = []
        pace = Pace(iter([]), 0, 1)
        pace.take_back(range(9))
        while pace.left:
            done = runner([number for chunk in pace for number in chunk])
            ran.append([one.task for one in done.ran])
            pace.take_back(done.rest)
        assert ran == [[0, 1, 2], [3, 4, 5], [6], [7], [8]]

    def test_points_that_are_handed_back_go_to_idle_processes(self) -> None:
        class Tasks(Iterator[str]):
            waiting = ["1 + 1"]

            def __next__(self) -> str:
                if not self.waiting:
                    raise StopIteration
                return self.waiting.pop()

        tasks = Tasks()
        answered = []
        for task, _ in map_in_processes(eval, tasks, 2):
            answered.append(task)
            if len(answered) == 1:
                tasks.waiting += ["2 + 2", "3 + 3", "4 + 4"]
        assert sorted(answered) == ["1 + 1", "2 + 2", "3 + 3", "4 + 4"]


class TestLazy:
    def millions(self) -> Sweep:
        vary = [("buffer", "1 kB..2 MB +1 kB"), ("record", "1 kB..2 MB +1 kB")]
        small = [("workload.files.output.size", "1 MB")]
        return make_sweep("nwt", "test-write", vary=vary, settings=small)

    def test_a_grid_of_millions_is_not_made_before_it_runs(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(grids, "MOST_CHECKED", 50)
        grid = Grid(self.millions())
        assert grid.sweep.size == 4_000_000
        made: list[int] = []
        sections = grid._sections
        monkeypatch.setattr(grid, "_sections", lambda n: (made.append(n), sections(n))[1])
        grid.check()
        assert 40 <= len(made) <= 50
        done = next(run_all(Runner(grid), iter(range(4_000_000)), 4_000_000, Processes(1)))
        assert [one.task for one in done.ran] == [0]
        assert len(made) <= 50 + 1

    def test_points_that_are_checked_have_every_value(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(grids, "MOST_CHECKED", 400)
        vary = [
            ("buffer", "1 MB..40 MB +1 MB"),
            ("record", "1 kB..64 kB +1 kB"),
            ("clients", "1,2,3,4"),
        ]
        sweep = make_sweep("nwt", "test-write", vary=vary)
        checked = [sweep.places(number) for number in Grid(sweep)._checked()]
        for index, axis in enumerate(sweep.axes):
            assert {places[index] for places in checked} == set(range(len(axis.texts)))
        assert len(checked) <= 400
        # The combinations are spread evenly: each pair of values of two short axes is among them.
        assert len({(places[0] // 10, places[1] // 16, places[2]) for places in checked}) == 64

    def test_numbers_are_those_of_the_product(self) -> None:
        vary = [("buffer", "1 MB,2 MB"), ("record", "1 kB..3 kB +1 kB"), ("policy", "nwt,flang")]
        sweep = make_sweep("nwt", "test-write", vary=vary)
        made = [tuple(value for _, value in sweep.varied(n)) for n in range(sweep.size)]
        assert made == list(itertools.product(*(axis.texts for axis in sweep.axes)))
        assert [sweep.number(sweep.places(n)) for n in range(sweep.size)] == list(range(12))

    def test_a_mistake_that_only_one_point_has_ends_a_large_sweep(
        self, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(grids, "MOST_CHECKED", 2)
        words = ["sweep", "nwt", "test-write", *SMALL, "--jobs=1", "--out", str(tmp_path)]
        assert main([*words, "--vary", "ssu.block=1 MB,2 MB,3 MB,4 MB,8 MB"]) == 2
        said = capsys.readouterr().err
        assert said.startswith("at the point ssu.block=3 MB: ")
        assert said.splitlines()[-1] == f"2 of 5 points are kept in {tmp_path}"

    def test_rows_of_a_large_sweep_stay_in_its_folder(
        self, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sweeping, "MOST_IN_MEMORY", 0)
        made: list[Any] = []
        original = sweeping.rows_of

        def looked_at(*them: Any) -> Any:
            rows = original(*them)
            made.append((type(rows), list(rows), rows[-1], rows[2:5]))
            return rows

        monkeypatch.setattr(sweeping, "rows_of", looked_at)
        assert main([*WORDS, "--out", str(tmp_path)]) == 0
        assert files_of(tmp_path) == files_of(whole)
        finished = json.loads((whole / "points.json").read_text())
        assert made == [(Rows, finished, finished[-1], finished[2:5])]

    @pytest.mark.slow
    def test_points_that_were_taken_from_a_finished_sweep_are_run_again(
        self, whole: Path, tmp_path: Path, capsys: Capture
    ) -> None:
        assert main([*WORDS, "--out", str(tmp_path)]) == 0
        (tmp_path / "points.json").write_bytes((whole / "points.json").read_bytes()[:-300])
        capsys.readouterr()
        assert main([*WORDS, "--out", str(tmp_path)]) == 0
        assert "(6 run now)" in capsys.readouterr().out
        assert files_of(tmp_path) == files_of(whole)


BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in ("matplotlib", "tqdm", "scipy"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
from simulator.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


class TestWithoutLibraries:
    def ran(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", BLOCKED, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    @pytest.mark.slow
    def test_a_sweep_needs_neither_matplotlib_nor_tqdm(self, whole: Path, tmp_path: Path) -> None:
        words = [*WORDS, "--progress", "--out", str(tmp_path)]
        ran = self.ran(*words, "--no-plot")
        assert ran.returncode == 0, ran.stderr
        assert ran.stderr.split("\n")[1].rstrip() == "0 of 6 points"  # A \r is read as \n.
        assert ran.stderr.rstrip().endswith("6 of 6 points")
        files = files_of(whole)
        assert files_of(tmp_path) == {name: files[name] for name in files if "plot" not in name}
        ran = self.ran(*words)
        assert ran.returncode == 0, ran.stderr
        (line,) = [line for line in ran.stderr.splitlines() if "plot" in line]
        assert line.startswith("no plot was drawn: matplotlib, needed for plots, is not installed;")
        assert main([*WORDS, "--out", str(tmp_path)]) == 0
        assert files_of(tmp_path) == files

    def test_the_line_says_how_far_it_is(
        self, monkeypatch: pytest.MonkeyPatch, capsys: Capture
    ) -> None:
        monkeypatch.setitem(sys.modules, "tqdm", None)
        seconds = [100.0]
        monkeypatch.setattr("simulator.progress.time.monotonic", lambda: seconds[0])
        with progress_bar(2_000, done=500, unit="point", wanted=True) as advance:
            seconds[0] += 10
            advance(1_000)
        said = capsys.readouterr().err
        assert said.startswith("\r500 of 2,000 points ")
        assert "1,500 of 2,000 points, 5 s left" in said
        assert said.endswith("\n")

    def test_a_line_is_seldom_printed_where_nobody_looks(
        self, monkeypatch: pytest.MonkeyPatch, capsys: Capture
    ) -> None:
        """Standard error is no terminal here: a line after 10 s, with what is left."""
        seconds = [100.0]
        monkeypatch.setattr("simulator.progress.time.monotonic", lambda: seconds[0])
        with progress_bar(8, unit="run", wanted=None) as advance:
            for later in (9, 1, 5, 6):
                seconds[0] += later
                advance(2)
        assert capsys.readouterr().err == "4 of 8 runs, 10 s left\n"
        with progress_bar(8, unit="run", wanted=False) as advance:
            seconds[0] += 99
            advance(2)
        assert capsys.readouterr().err == ""
