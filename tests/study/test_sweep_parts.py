"""Sweeps in chunks, in parts and in pieces: the same files whatever way they were made."""

import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.plan.errors import SimulationError
from simulator.study import chunks, executors, processes
from simulator.study.folder import Folder
from simulator.study.grid import Shard, ShardError, make_sweep, read_shard
from simulator.study.point import run_point
from simulator.study.processes import map_in_processes
from simulator.study.sweep import run_sweep
from tests.study.sweeps import WORDS, Capture, files_of


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

    @pytest.mark.slow
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
        add, added = Folder.add, list[int]()

        def interrupted(self: Folder, records: list[tuple[int, str]]) -> None:
            for number, record in records:
                if len(added) == 3:
                    raise KeyboardInterrupt
                added.append(number)
                add(self, [(number, record)])

        with monkeypatch.context() as patched:
            patched.setattr(Folder, "add", interrupted)
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


class DeniedError(Exception):
    """An error that takes more than its text."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


def denied(what: str) -> None:
    raise DeniedError(what, "why")


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

        monkeypatch.setattr(chunks, "has_kernel", lambda: True)
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

    @pytest.mark.few(2)
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

        monkeypatch.setattr(chunks, "has_kernel", lambda: True)
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

    def test_an_error_that_cannot_be_made_again_is_told(self) -> None:
        with pytest.raises(SimulationError, match="DeniedError: no: why"):
            list(map_in_processes(denied, ["no"], 1))

    def test_a_task_tells_how_far_it_is(self) -> None:
        heard: list[tuple[str, float]] = []
        task = "__import__('simulator.study.processes').study.processes.tell(0.5)"
        answers = map_in_processes(eval, [task], 1, heard=lambda *told: heard.append(told))
        assert (list(answers), heard) == ([(task, None)], [(task, 0.5)])

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


@pytest.mark.slow
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
