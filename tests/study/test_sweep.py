"""Sweeps: what varies, what is refused, and that nothing is lost, doubled or different."""

import json
import pickle
import sqlite3
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import simulator.study.point
from simulator.config import ConfigError, axis
from simulator.config.axis import VaryError, read_axis
from simulator.plan.errors import SimulationError
from simulator.run import load_plan, run_plan
from simulator.study import chunks
from simulator.study.chunks import Runner
from simulator.study.figures import COLUMNS
from simulator.study.folder import STORE, Folder, FolderError, row_text, store_in
from simulator.study.grid import Grid, GridError, make_sweep
from simulator.study.point import row_of, run_point
from simulator.study.results import StoreError
from simulator.study.sweep import Swept, run_sweep

SMALL = (("workload.files.output.size", "4 MB"),)
VERSIONS = {"nwtsim": "test"}
Capture = pytest.CaptureFixture[str]


def texts(spec: str) -> tuple[str, ...]:
    return read_axis("x", "machine.x", spec).texts


class TestAxis:
    @pytest.mark.parametrize(
        ("spec", "wanted"),
        [
            ("600 kB,8 MB", ["600 kB", "8 MB"]),
            ("64 kB..1 MB x2", ["64 kB", "128 kB", "256 kB", "512 kB"]),
            ("1 MiB..8 MiB x2", ["1 MiB", "2 MiB", "4 MiB", "8 MiB"]),
            ("1..8 +1", list("12345678")),
            ("1..8 +2", ["1", "3", "5", "7"]),
            ("1 MB..4 MB +1 MB", ["1 MB", "2 MB", "3 MB", "4 MB"]),
            ("1 MB .. 2 MB  + 500 kB", ["1 MB", "1.5 MB", "2 MB"]),
            ("4 MB..4 MB x2", ["4 MB"]),
            ("1 ms..2 ms +0.5 ms", ["1 ms", "1.5 ms", "2 ms"]),
            ("10 %..30 % +10 %", ["10 %", "20 %", "30 %"]),
            ("20 MB/s..90 MB/s x1.5", ["20 MB/s", "30 MB/s", "45 MB/s", "67.5 MB/s"]),
            ("nwt, flang", ["nwt", "flang"]),
            ("1 kB, 2 kB..4 kB x2", ["1 kB", "2 kB", "4 kB"]),
            ("[1 kB, 2 kB],{from: 1 kB, to: 2 kB}", ["[1 kB, 2 kB]", "{from: 1 kB, to: 2 kB}"]),
        ],
    )
    def test_values(self, spec: str, wanted: list[str]) -> None:
        assert texts(spec) == tuple(wanted)

    @pytest.mark.parametrize(
        ("first", "last", "way", "step", "wanted"),
        [
            ("100 kB", "20 MB", "+", "19.9 MB", ["100 kB", "20 MB"]),
            ("64 kB", "256 kB", "x*X\u00d7", "2", ["64 kB", "128 kB", "256 kB"]),
            ("1", "8", "x*", "2", ["1", "2", "4", "8"]),
            ("1", "3", "+", "1", ["1", "2", "3"]),
            ("1e+6 B", "3e+6 B", "+", "1e+6 B", ["1 MB", "2 MB", "3 MB"]),
            ("1e+2", "4e+2", "x*", "2e+0", ["100", "200", "400"]),
            ("10 %", "30 %", "+", "10 %", ["10 %", "20 %", "30 %"]),
            ("20 MB/s", "45 MB/s", "x*", "1.5", ["20 MB/s", "30 MB/s", "45 MB/s"]),
            ("1 s", "2 s", "+", "500 ms", ["1 s", "1.5 s", "2 s"]),
        ],
    )
    def test_spaces_may_be_left_out(
        self, first: str, last: str, way: str, step: str, wanted: list[str]
    ) -> None:
        signs = ("{}", " {}", "{} ", " {} ")
        for one, dots, sign in product(way, ("..", " .. ", ".. "), signs):
            spec = f"{first}{dots}{last}{sign.format(one)}{step}"
            assert texts(spec) == tuple(wanted)
            assert texts(spec.replace(" ", "")) == tuple(wanted)

    def test_long_ranges_take_no_time_for_each_pair_of_values(self) -> None:
        counted: list[str] = []

        class Text(str):
            __slots__ = ()

            def __eq__(self, other: object) -> bool:
                counted.append(self)
                return str.__eq__(self, other)  # type: ignore[arg-type]

            __hash__ = str.__hash__

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(axis, "_items", lambda spec: list(map(Text, spec.split(","))))
            assert len(texts(",".join(map(str, range(2_000))))) == 2_000
        assert len(counted) < 10 * 2_000

    @pytest.mark.parametrize(
        ("spec", "said"),
        [
            ("", "a value is empty"),
            ("1 MB,,2 MB", "a value is empty"),
            ("1 MB, 1 MB", "'1 MB' is there twice"),
            ("1 MB..8 MB", "has no step; write it like"),
            ("1..8+", "has no step; write it like"),
            ("1..8 by 2", "has no step; write it like"),
            ("1MB..8MB-1MB", "has no step; write it like"),
            ("1MB..4MB+1", "'1' has no unit"),
            ("1...8+1", "'.8' starts with a point"),
            ("1..8 x 2 + 1", "'2 + 1' is not a number"),
            ("1 MB..", "is no range"),
            ("8 MB..1 MB x2", "ends before it begins"),
            ("1 MB..8 MB x1", "never ends"),
            ("0 B..8 MB x2", "never ends"),
            ("1..8 +0", "never ends"),
            ("1 MB..8 ms +1 MB", "'8 ms' is a time, not a size"),
            ("1 MB..8 MB +1", "'1' has no unit"),
            ("1 MB..8 MB x2 MB", "'2 MB' is not a number"),
            ("1 KB..8 MB x2", "'1 KB' is ambiguous"),
            ("64 kB..8 MB x1.1", "93702.4 B in it, which is no whole number"),
            ("1..1000000 +1", "1,000,000 values; write at most 100,000"),
        ],
    )
    def test_mistakes(self, spec: str, said: str) -> None:
        with pytest.raises(VaryError) as caught:
            texts(spec)
        assert said in str(caught.value)
        assert str(caught.value).startswith(f"--vary x={spec}: ")

    @pytest.mark.parametrize(
        ("spec", "numbers", "column"),
        [
            ("600 kB,8 MB", (600_000, 8_000_000), "x_bytes"),
            ("1.5 ms,2 s", (1_500_000, 2_000_000_000), "x_ns"),
            ("36 MB/s,1 GB/s", (36_000_000, 1_000_000_000), "x_Bps"),
            ("5 %,7.5 %", (5, 7.5), "x_percent"),
            ("1,2", (1, 2), ""),
            ("nwt,flang", None, ""),
            ("1 MB,2 ms", None, ""),
        ],
    )
    def test_numbers(self, spec: str, numbers: tuple[float, ...] | None, column: str) -> None:
        axis = read_axis("x", "machine.x", spec)
        assert axis.numbers == numbers
        assert axis.column == column


class TestGrid:
    def test_the_first_value_varies_slowest(self) -> None:
        vary = [("policy", "nwt,flang"), ("buffer", "1 MB,2 MB")]
        points = list(Grid(make_sweep("nwt", "test-write", vary=vary, settings=SMALL)).points())
        assert [point.name for point in points] == [
            "policy=nwt, buffer=1 MB",
            "policy=nwt, buffer=2 MB",
            "policy=flang, buffer=1 MB",
            "policy=flang, buffer=2 MB",
        ]
        assert len({point.digest for point in points}) == 4

    @pytest.mark.parametrize(
        ("vary", "said"),
        [
            ([], "nothing varies"),
            ([("buffer", "1 MB,2 MB"), ("workload.jobs.*.buffer", "3 MB")], "varied twice"),
            ([("workload.files.output.size", "1 MB,2 MB")], "also set for all points"),
            ([("clients", "1..4000 +1"), ("disks", "1..4000 +1")], "16,000,000 points"),
        ],
    )
    def test_contradictions(self, vary: list[tuple[str, str]], said: str) -> None:
        with pytest.raises(GridError, match=said):
            make_sweep("nwt", "test-write", vary=vary, settings=SMALL)

    def test_an_unknown_name(self) -> None:
        with pytest.raises(
            ConfigError, match=r"--vary bufer: nwt has no 'bufer'; did you mean 'buffer'"
        ):
            make_sweep("nwt", "test-write", vary=[("bufer", "1 MB")])

    def test_beside_an_unknown_name_those_that_are_right_are_no_mistakes(self) -> None:
        vary = [("nope", "1,2"), ("buffer", "1 MB"), ("ssu.block", "1 MB,2 MB"), ("bufer", "1 MB")]
        with pytest.raises(ConfigError) as caught:
            make_sweep("nwt", "test-write", vary=vary, settings=SMALL)
        assert {one.file for one in caught.value.problems} == {"--vary nope", "--vary bufer"}

    def mistakes(self, *vary: tuple[str, str], machine: str = "nwt") -> list[str]:
        sweep = make_sweep(machine, "test-write", vary=vary)
        with pytest.raises(GridError) as caught:
            Grid(sweep).check()
        return str(caught.value).splitlines()

    def test_a_mistake_names_its_point_once(self) -> None:
        said = self.mistakes(("ssu.block", "3 MB,8 MB"), ("buffer", "1 MB,2 MB"))
        assert len(said) == 1
        assert said[0].startswith("at the point ssu.block=3 MB: ")
        assert "ssu.quota: 256 MB is not a whole number of blocks of 3 MB" in said[0]

    def test_a_value_that_cannot_be_read_is_named_by_itself(self) -> None:
        said = self.mistakes(("buffer", "1,2 MB,3 KB"), ("ssu.block", "4 MB,8 MB"))
        assert [line.partition(":")[0] for line in said] == [
            "--set workload.jobs.*.buffer=1",
            "--set workload.jobs.*.buffer=3 KB",
        ]

    def test_what_does_not_fit_together_is_found(self) -> None:
        said = self.mistakes(("path", "scfs,nowhere"), ("buffer", "1 MB,2 MB"))
        assert len(said) == 1
        assert "'nowhere' is not a path of vfl" in said[0]
        assert said[0].endswith("(2 points)")

    def test_a_mistake_of_the_file_is_told_once(self, tmp_path: Path) -> None:
        bad = tmp_path / "bad.yaml"
        bad.write_text("format: machine/2\nname: bad\nruntime: {policy: cobol}\n", encoding="utf-8")
        said = self.mistakes(("workload.jobs.*.buffer", "1 MB,2 MB,3 MB"), machine=str(bad))
        assert len(said) == len(set(said))
        assert all(line.startswith(f"{bad}:") for line in said)

    def test_many_mistakes_are_counted(self) -> None:
        said = self.mistakes(("buffer", "1..30 +1"))
        assert said[-1] == "and 10 more mistakes"
        assert len(said) == 21


def swept(folder: Path, *, jobs: int = 1, seed: int | None = 1, **options: Any) -> Swept:
    vary = [("policy", "nwt,flang"), ("buffer", "600 kB..1.2 MB +300 kB, 0.6 MB")]
    sweep = make_sweep("nwt", "test-write", vary=vary, settings=SMALL, seed=seed)
    return run_sweep(sweep, folder, versions=VERSIONS, jobs=jobs, **options)


class TestSweep:
    def test_rows_are_runs(self, tmp_path: Path) -> None:
        result = swept(tmp_path)
        assert [row["policy"] for row in result.rows] == ["nwt"] * 4 + ["flang"] * 4
        assert [row["buffer_bytes"] for row in result.rows[:4]] == [
            600_000,
            900_000,
            1_200_000,
            600_000,
        ]
        for number, row in enumerate(result.rows):
            settings = [*SMALL, *result.sweep.varied(number)]
            alone = row_of(run_plan(load_plan("nwt", "test-write", settings=settings, seed=1)))
            assert {column: row[column] for column in COLUMNS} == alone

    def test_equal_points_are_run_once(self, tmp_path: Path) -> None:
        result = swept(tmp_path)
        assert len(result.rows) == 8
        assert result.computed == 6  # 0.6 MB is 600 kB.

    def test_processes_change_nothing(self, tmp_path: Path) -> None:
        assert swept(tmp_path / "a", jobs=1).rows == swept(tmp_path / "b", jobs=3).rows

    @pytest.mark.parametrize("after", [0, 1, 4])
    def test_an_interrupt_costs_nothing(
        self, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = swept(tmp_path / "whole").rows
        done: list[str] = []

        def interrupted(point: Any, *rest: Any) -> Any:
            if len(done) == after:
                raise KeyboardInterrupt
            done.append(point.digest)
            return run_point(point, *rest)

        monkeypatch.setattr(chunks, "run_point", interrupted)
        said = r"interrupted; \d of 8 points are kept in .*the same command goes on"
        with pytest.raises(KeyboardInterrupt, match=said):
            swept(tmp_path / "parts")
        monkeypatch.setattr(chunks, "run_point", run_point)
        resumed = swept(tmp_path / "parts")
        assert resumed.computed == 6 - after
        assert resumed.rows == whole

    def test_a_damaged_point_is_told_and_run_again(self, tmp_path: Path) -> None:
        whole = swept(tmp_path).rows
        with sqlite3.connect(tmp_path / STORE) as database:
            changed = 'replace("row", \'"elapsed_s": \', \'"elapsed_s": 1\')'
            database.execute(f"UPDATE results SET \"row\" = {changed} WHERE key = '00000002'")
        database.close()
        again = swept(tmp_path)
        assert (again.computed, again.rows) == (1, whole)
        (said,) = map(str, again.doubts)
        assert said == (
            f"{tmp_path / STORE}: warning: point 3 of the grid is not as it was written; it is run"
            " again"
        )
        assert not swept(tmp_path).computed

    def test_a_store_that_has_just_been_begun(self, tmp_path: Path) -> None:
        (tmp_path / STORE).touch()
        assert swept(tmp_path).computed == 6
        assert swept(tmp_path).computed == 0

    def test_a_store_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / STORE).write_bytes(b"no store" * 100)
        with pytest.raises(StoreError, match="is damaged, or no store"):
            swept(tmp_path)

    def test_another_sweep_is_not_touched(self, tmp_path: Path) -> None:
        swept(tmp_path)
        with pytest.raises(FolderError, match=r"another sweep, which differs in its seed; name an"):
            swept(tmp_path, seed=2)
        assert swept(tmp_path).computed == 0
        assert swept(tmp_path, seed=2, force=True).computed == 6
        # Forcing goes on with the same sweep; it only throws others away.
        assert swept(tmp_path, seed=2, force=True).computed == 0

    def test_files_of_somebody_else_are_not_touched(self, tmp_path: Path) -> None:
        (tmp_path / "points.csv").write_text("mine")
        with pytest.raises(FolderError, match=r"has a points.csv that no sweep.json belongs to"):
            swept(tmp_path)
        (tmp_path / "sweep.json").write_text("not JSON")
        with pytest.raises(FolderError, match="another sweep"):
            swept(tmp_path)
        assert (tmp_path / "points.csv").read_text() == "mine"

    def test_a_folder_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(FolderError, match="is no folder to write to"):
            swept(tmp_path / "file")

    def test_a_failed_point_is_named_and_the_others_are_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done: list[object] = []

        def fails(*point: Any) -> Any:
            if len(done) == 2:
                raise SimulationError("clients wait for ever: test")
            done.append(point)
            return run(*point)

        run = simulator.study.point._run
        monkeypatch.setattr("simulator.study.point._run", fails)
        said = r"at the point policy=nwt, buffer=1.2 MB: clients wait for ever: test; 3 of 8 points"
        with pytest.raises(SimulationError, match=said):
            swept(tmp_path)

    def test_a_file_that_changes_meanwhile_changes_nothing(
        self, tmp_path: Path, root: Path
    ) -> None:
        machine = tmp_path / "m.yaml"
        text = (root / "configs/machines/nwt.yaml").read_text(encoding="utf-8")
        machine.write_text(text, encoding="utf-8")
        sweep = make_sweep(str(machine), "test-write", vary=[("buffer", "1 MB")], settings=SMALL)
        runner = Runner(Grid(sweep))
        before = runner([0])
        machine.write_text(text.replace("36 MB/s", "37 MB/s"), encoding="utf-8")
        assert pickle.loads(pickle.dumps(runner))([0]).ran == before.ran

    def test_a_point_is_written_at_once(self, tmp_path: Path) -> None:
        row = dict.fromkeys(COLUMNS, 0)
        with Folder(tmp_path, {"seed": 1}, range(1)) as kept:
            kept.add([(0, row_text("abc", json.dumps(row)))])
            assert store_in(tmp_path).get(["00000000"])["00000000"]["digest"] == "abc"
