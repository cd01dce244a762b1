"""Sweeps in chunks, in parts and in pieces: the same files whatever way they were made."""

import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.progress import progress_bar
from simulator.result.errors import SimulationError
from simulator.study import chunks, executors, kept, processes
from simulator.study import grid as grids
from simulator.study import sweep as sweeping
from simulator.study.chunks import CHUNK_S, LARGEST, Done, Pace, Ran, Runner, run_all
from simulator.study.executors import Processes
from simulator.study.grid import Grid, Shard, ShardError, Sweep, make_sweep, read_shard
from simulator.study.point import Rows, run_point
from simulator.study.processes import map_in_processes
from simulator.study.sweep import run_sweep

SMALL = ("--set", "workload.files.output.size=4 MB")
VARIED = ("--vary", "policy=nwt,flang", "--vary", "buffer=600 kB..1.2 MB +300 kB, 0.6 MB")
WORDS = ("sweep", "nwt", "test-write", *SMALL, *VARIED, "--jobs=1")
Capture = pytest.CaptureFixture[str]


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sweep, run at one go by one process."""
    out = tmp_path_factory.mktemp("sweep") / "whole"
    assert main([*WORDS, "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders of its three parts."""
    folder = tmp_path_factory.mktemp("parts")
    outs = [folder / str(number) for number in (1, 2, 3)]
    for out in outs:
        assert main([*WORDS, "--shard", f"{out.name}/3", "--out", str(out)]) == 0
    return outs


class TestShard:
    @pytest.mark.parametrize(("size", "of"), [(8, 3), (3, 8), (1, 1), (100, 7)])
    def test_each_point_is_in_one_part(self, size: int, of: int) -> None:
        parts = [Shard(number, of).part(size) for number in range(1, of + 1)]
        assert sorted(itertools.chain(*parts)) == list(range(size))
        assert max(map(len, parts)) - min(map(len, parts)) <= 1

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("3", "write K/N, like 3/16"),
            ("a/b", "write K/N"),
            ("0/4", r"write 1/4 to 4/4 \(in Slurm: --array=1-4\)"),
            ("5/4", "write 1/4 to 4/4$"),
            ("1/0", "has 0 parts"),
            ("1/1000000", "write a number from 1 to 100,000"),
            ("-1/4", "write K/N"),
        ],
    )
    def test_mistakes(self, text: str, said: str) -> None:
        with pytest.raises(ShardError, match=said):
            read_shard(text)

    def test_the_folder_says_which_part_it_is(self, parts: list[Path], capsys: Capture) -> None:
        manifest = json.loads((parts[1] / "sweep.json").read_text())
        assert manifest["identity"]["shard"] == "2/3"
        assert manifest["command"].endswith("--shard 2/3")
        assert not (parts[1] / "plot.png").exists()  # Of a third of the points it would mislead.
        assert main([*WORDS, "--shard", "3/3", "--out", str(parts[1])]) == 2
        assert "another sweep, which differs in its shard" in capsys.readouterr().err

    def test_a_part_goes_on_like_a_sweep(self, parts: list[Path], capsys: Capture) -> None:
        before = files_of(parts[0])
        assert main([*WORDS, "--shard", "1/3", "--out", str(parts[0])]) == 0
        assert "3 points in" in (said := capsys.readouterr().out)
        assert "(0 run now): part 1/3 of a sweep of 8 points" in said
        assert files_of(parts[0]) == before

    def test_more_parts_than_points(self, tmp_path: Path, capsys: Capture) -> None:
        assert main([*WORDS, "--shard", "9/9", "--out", str(tmp_path)]) == 0
        assert capsys.readouterr().out.startswith(f"0 points in {tmp_path}")
        assert (tmp_path / "points.csv").read_text().startswith("policy,buffer,buffer_bytes,")


class TestMerge:
    def refusal(self, folders: list[Path], out: Path, capsys: Capture) -> str:
        """What is said of folders that cannot be merged: on one line, and nothing is written."""
        assert main(["sweep", "--merge", *map(str, folders), "--out", str(out)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert not out.exists()
        (line,) = said.err.splitlines()
        return line

    def test_gives_the_files_of_the_whole(
        self, parts: list[Path], whole: Path, tmp_path: Path, capsys: Capture
    ) -> None:
        for order in (parts, parts[::-1], [*parts, whole]):
            out = tmp_path / str(len(list(tmp_path.iterdir())))
            assert main(["sweep", "--merge", *map(str, order), "--out", str(out)]) == 0
            assert f"8 points in {out} (from {len(order)} folders)" in capsys.readouterr().out
            assert files_of(out) == files_of(whole)

    def test_gives_the_page_of_the_whole(
        self, parts: list[Path], whole: Path, tmp_path: Path
    ) -> None:
        out, pages = tmp_path / "out", (tmp_path / "merged.html", tmp_path / "whole.html")
        merge = ["sweep", "--merge", *map(str, parts)]
        for words, folder, html in ((merge, out, pages[0]), (WORDS, whole, pages[1])):
            assert main([*words, "--out", str(folder), "--html", str(html)]) == 0
        merged, run = (page.read_text() for page in pages)
        assert "buffer" in run
        assert merged.replace(str(out), str(whole)) == run

    def test_goes_on_in_its_folder(
        self,
        parts: list[Path],
        whole: Path,
        tmp_path: Path,
        capsys: Capture,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        out = tmp_path / "out"
        words = ["sweep", "--merge", *map(str, parts), "--out", str(out)]
        add, added = kept.Kept.add, list[int]()

        def interrupted(self: kept.Kept, records: list[tuple[int, str]]) -> None:
            for number, record in records:
                if len(added) == 3:
                    raise KeyboardInterrupt
                added.append(number)
                add(self, [(number, record)])

        with monkeypatch.context() as patched:
            patched.setattr(kept.Kept, "add", interrupted)
            assert main(words) == 130
        assert main(words) == 0
        assert files_of(out) == files_of(whole)
        assert main([*WORDS, "--out", str(out)]) == 0  # It is the sweep's folder now.
        assert "(0 run now)" in capsys.readouterr().out

    def test_says_what_is_missing(
        self, parts: list[Path], tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out = tmp_path / "out"
        said = self.refusal(parts[:2], out, capsys)
        assert "2 of 8 points are missing: part 3/3 is in no folder" in said
        assert "the first point missing is policy=nwt, buffer=1.2 MB" in said
        done: list[object] = []

        def interrupted(point: Any, *rest: Any) -> Any:
            if done:
                raise KeyboardInterrupt
            done.append(point)
            return run_point(point, *rest)

        monkeypatch.setattr(chunks, "run_point", interrupted)
        third = tmp_path / "3"
        assert main([*WORDS, "--shard", "3/3", "--out", str(third)]) == 130
        capsys.readouterr()
        said = self.refusal([*parts[:2], third], out, capsys)
        assert f"1 of 8 points are missing: part 3/3 in {third} is not finished (1 of 2" in said
        monkeypatch.setattr(chunks, "run_point", run_point)
        assert main([*WORDS, "--shard", "3/3", "--out", str(third)]) == 0
        assert main(["sweep", "--merge", *map(str, [*parts[:2], third]), "--out", str(out)]) == 0

    def test_another_sweep_or_version_is_refused(
        self, parts: list[Path], tmp_path: Path, capsys: Capture
    ) -> None:
        other = tmp_path / "other"
        assert main([*WORDS, "--seed=2", "--shard=3/3", "--out", str(other)]) == 0
        capsys.readouterr()
        said = self.refusal([*parts[:2], other], tmp_path / "out", capsys)
        assert said.startswith(f"{other} has points of another sweep than {parts[0]}, which differ")
        assert "differs in its seed" in said
        older = tmp_path / "older"
        older.mkdir()
        for name, content in files_of(parts[2]).items():
            (older / name).write_bytes(content.replace(b'"nwtsim": "', b'"nwtsim": "0'))
        said = self.refusal([*parts[:2], older], tmp_path / "out", capsys)
        assert f"{older} has points of another sweep" in said
        assert "differs in its versions" in said

    def test_points_that_contradict_each_other_are_refused(
        self, parts: list[Path], whole: Path, tmp_path: Path, capsys: Capture
    ) -> None:
        wrong = tmp_path / "wrong"
        wrong.mkdir()
        for name, content in files_of(whole).items():
            (wrong / name).write_bytes(content.replace(b'"misses": ', b'"misses": 1', 1))
        said = self.refusal([*parts, wrong], tmp_path / "out", capsys)
        assert f"{parts[0]} and {wrong} differ at the point policy=nwt, buffer=600 kB" in said

    def test_what_is_no_part_is_refused(
        self, parts: list[Path], tmp_path: Path, capsys: Capture
    ) -> None:
        said = self.refusal([parts[0], tmp_path], tmp_path / "out", capsys)
        assert f"{tmp_path} has no points of a sweep" in said
        before = files_of(parts[0])
        assert main(["sweep", "--merge", *map(str, parts), "--force", "--out", str(parts[0])]) == 2
        assert "is one of the parts" in capsys.readouterr().err
        assert files_of(parts[0]) == before


class TestProcesses:
    def test_the_files_are_those_of_one_process(
        self, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chunks, "ALONE_S", 0.0)
        monkeypatch.setattr(chunks, "WORTH_S", 0.0)
        words = [word for word in WORDS if word != "--jobs=1"]
        out = tmp_path / "out"
        assert main([*words, "--jobs=2", "--out", str(out)]) == 0
        assert files_of(out) == files_of(whole)

    def test_a_point_that_was_given_up_is_run_by_another_process(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun: list[str] = []

        def asked_to_stop(point: Any, stopped: Any = None) -> Any:
            begun.append(point.name)
            if len(begun) == 3:
                assert stopped()
                raise KeyboardInterrupt
            return run_point(point)

        monkeypatch.setattr(chunks, "native_build", lambda: "compiled")
        monkeypatch.setattr(chunks, "run_point", asked_to_stop)
        clock = (0.0 if len(begun) < 3 else 10.0 for _ in itertools.count())
        monkeypatch.setattr(chunks.time, "perf_counter", lambda: next(clock))
        handed: list[list[int]] = []

        def here(work: Any, tasks: Any, _jobs: int) -> Any:
            monkeypatch.setattr(chunks, "run_point", run_point)
            for task in tasks:
                handed.append(task)
                yield task, work(task)

        monkeypatch.setattr(executors, "map_in_processes", here)
        vary = [("buffer", "1 MB..6 MB +1 MB")]
        small = [("workload.files.output.size", "1 MB")]
        sweep = make_sweep("nwt", "test-write", vary=vary, settings=small)
        swept = run_sweep(sweep, tmp_path, versions={}, jobs=2)
        assert sorted(itertools.chain(*handed)) == [2, 3, 4, 5]
        assert swept.computed == 6

    @pytest.mark.parametrize(
        ("each_s", "copied", "started"),
        [(0.02, False, False), (1.0, False, True), (0.002, True, False), (0.02, True, True)],
    )
    def test_others_are_started_only_if_that_is_worth_while(
        self,
        each_s: float,
        copied: bool,
        started: bool,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        seconds = [0.0]

        def runs(point: Any, _stopped: Any = None) -> Any:
            seconds[0] += each_s
            return run_point(point)

        called: list[int] = []

        def here(work: Any, tasks: Any, jobs: int) -> Any:
            called.append(jobs)
            yield from ((task, work(task)) for task in tasks)

        monkeypatch.setattr(chunks, "native_build", lambda: "compiled")
        monkeypatch.setattr(chunks, "run_point", runs)
        monkeypatch.setattr(chunks, "prepare", lambda _work: None)
        monkeypatch.setattr(executors, "map_in_processes", here)
        monkeypatch.setattr(chunks.time, "perf_counter", lambda: seconds[0])
        monkeypatch.setattr(chunks, "can_copy", lambda: copied)
        vary = [("buffer", "1 MB..40 MB +1 MB")]  # 0.08 s, 0.8 s, or 40 s
        small = [("workload.files.output.size", "1 MB")]
        sweep = make_sweep("nwt", "test-write", vary=vary, settings=small)
        assert run_sweep(sweep, tmp_path, versions={}, jobs=4).computed == 40
        assert called == ([4] if started else [])

    def test_an_answer_before_an_error_is_not_lost(self) -> None:
        answers = map_in_processes(eval, ["1 + 1", "2 + 2", "1 / 0"], 1)
        assert [next(answers), next(answers)] == [("1 + 1", 2), ("2 + 2", 4)]
        with pytest.raises(ZeroDivisionError):
            next(answers)

    @pytest.mark.skipif(sys.platform != "linux", reason="threads are counted on Linux only")
    def test_a_process_is_copied_unless_it_has_other_threads(self) -> None:
        script = (
            "import sys, threading\n"
            "from simulator.study.processes import map_in_processes\n"
            "sys.modules['mine'] = sys\n"
            "task = \"'mine' in __import__('sys').modules\"\n"
            "print([answer for _, answer in map_in_processes(eval, [task], 1)])\n"
            "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
            "print([answer for _, answer in map_in_processes(eval, [task], 1)])\n"
        )
        command = [sys.executable, "-c", script]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        assert (ran.stdout, ran.stderr) == ("[True]\n[False]\n", "")

    def test_a_killed_process_is_an_error(self) -> None:
        with pytest.raises(SimulationError, match="a process was killed; perhaps for want of mem"):
            list(map_in_processes(eval, ["__import__('os')._exit(1)"], 1))

    def test_an_error_says_where_it_was(self) -> None:
        with pytest.raises(ZeroDivisionError) as caught:
            list(map_in_processes(eval, ["1 / 0"], 1))
        (note,) = caught.value.__notes__
        assert note.startswith("Traceback")
        assert 'File "<string>", line 1' in note

    def test_an_answer_that_cannot_be_sent_is_an_error(self) -> None:
        with pytest.raises(RuntimeError, match="an answer cannot be sent: <function <lambda>"):
            list(map_in_processes(eval, ["lambda: 0"], 1))

    @pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
    def test_an_interrupt_while_processes_start_is_the_parents_alone(self) -> None:
        script = (
            "import os, signal\n"
            "from simulator.study.processes import map_in_processes, prepare\n"
            "prepare(eval)\n"
            "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "os.killpg(0, signal.SIGINT)\n"
            "print(list(map_in_processes(eval, ['1 + 1'], 2)))\n"
        )
        command = [sys.executable, "-c", script]
        ran = subprocess.run(
            command, capture_output=True, text=True, check=True, start_new_session=True
        )
        assert (ran.stdout, ran.stderr) == ("[('1 + 1', 2)]\n", "")

    def test_a_script_without_a_guard_is_not_run_again(self, tmp_path: Path) -> None:
        script = tmp_path / "script.py"
        script.write_text(
            "from simulator.study.processes import map_in_processes\n"
            "print(list(map_in_processes(eval, ['1 + 1'], 1)))\n"
        )
        command = [sys.executable, str(script)]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        assert (ran.stdout, ran.stderr) == ("[('1 + 1', 2)]\n", "")

    def test_processes_import_neither_plots_nor_scipy(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(processes, "can_copy", lambda: False)
        task = "__import__('simulator.study.chunks') and list(__import__('sys').modules)"
        ((_, modules),) = map_in_processes(eval, [task], 1)
        assert "simulator.study.chunks" in modules
        assert not {"matplotlib", "scipy", "tqdm", "tabulate"} & set(modules)


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
        assert made == list(sweep.combinations())
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
        monkeypatch.setattr(
            sweeping, "rows_of", lambda *them: made.append(original(*them)) or made[-1]
        )
        assert main([*WORDS, "--out", str(tmp_path)]) == 0
        assert files_of(tmp_path) == files_of(whole)
        (rows,) = made
        assert isinstance(rows, Rows)
        finished = json.loads((whole / "points.json").read_text())
        assert list(rows) == rows[:] == finished  # They are in points.json now.
        assert (rows[-1], rows[2:5]) == (finished[-1], finished[2:5])

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

    def test_nothing_is_shown_where_nobody_looks(self, capsys: Capture) -> None:
        with progress_bar(2, wanted=None) as advance:  # Standard error is no terminal here.
            advance(1)
        assert capsys.readouterr().err == ""


def test_the_job_array_of_the_page_runs(root: Path, tmp_path: Path, capsys: Capture) -> None:
    """The command of docs/scale.md, with as many jobs as points, so that one job has one point."""
    page = (root / "docs" / "scale.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^nwtsim (sweep .*\\\n.*)$", page, re.MULTILINE)
    points = 4 * (1 + (8_000 - 64) // 4)
    variables = {"SLURM_ARRAY_TASK_ID": f"{points}", "SLURM_ARRAY_TASK_COUNT": f"{points}"}
    for name, value in variables.items():
        script = script.replace(f"${name}", value)
    script = script.replace("\\\n", " ")
    words = shlex.split(script)
    out = tmp_path / words[-1]
    assert main([*words[:-1], str(out)]) == 0
    said = capsys.readouterr().out
    assert (
        f"1 point in {out} (1 run now): part {points}/{points} of a sweep of 7,940 points" in said
    )
    (row,) = json.loads((out / "points.json").read_text())
    assert (row["ssu.block"], row["buffer"]) == ("8 MB", "8 MB")
