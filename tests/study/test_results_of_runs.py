"""Runs and points that are kept in a store of results, and where it lies."""

import sys
import threading
from pathlib import Path

import pytest

from simulator.result.result import Result
from simulator.study import chunks, results
from simulator.study.executors import Points, Processes, Wanted, run_points
from simulator.study.grid import GridError
from simulator.study.point import run_point
from simulator.study.results import Results, StoreError, open_results


def reads_of(result: Result) -> dict[str, object]:
    return {"calls": sum(one.count for one in result.latencies.values())}


class TestRunPoints:
    SMALL = (("workload.files.output.size", "1 MB"),)

    def wanted(self) -> list[Wanted]:
        settings = [(("machine.parts.paths.rate", f"{rate} MB/s"),) for rate in (30, 40, 50)]
        return [Wanted(one, seed) for one in settings for seed in (None, 1)]

    def test_each_point_has_its_row_however_it_is_run(
        self, store: Results, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        points = Points("nwt", "test-write", self.SMALL)
        alone = dict(run_points(points, self.wanted(), executor=Processes(1)))
        assert list(alone) == self.wanted()
        assert len({row["elapsed_ns"] for row in alone.values()}) == 6
        for some in (self.wanted()[:2], self.wanted()):
            assert dict(run_points(points, some, results=store)) == {
                one: alone[one] for one in some
            }
        monkeypatch.setattr(chunks, "run_point", None)  # Nothing is run any more.
        assert dict(run_points(points, self.wanted(), results=store)) == alone
        with pytest.raises(TypeError):
            list(run_points(points, [Wanted(seed=7)], executor=Processes(1), results=store))

    def test_processes_give_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(chunks, "ALONE_S", 0.0)
        monkeypatch.setattr(chunks, "WORTH_S", 0.0)
        points = Points("nwt", "test-write", self.SMALL)
        alone = dict(run_points(points, self.wanted(), executor=Processes(1)))
        assert dict(run_points(points, self.wanted(), executor=Processes(2))) == alone

    def test_figures_of_ones_own_are_rows_of_their_own(self, store: Results) -> None:
        one = [Wanted()]
        ((_, plain),) = run_points(Points("nwt", "test-write", self.SMALL), one, results=store)
        points = Points("nwt", "test-write", self.SMALL, figures=reads_of)
        ((_, row),) = run_points(points, one, results=store)
        assert "calls" in row
        assert "elapsed_ns" in plain
        assert store.count() == 2

    def test_what_limits_is_part_of_a_row(self, store: Results) -> None:
        points = Points("nwt", "test-write", self.SMALL, limits=True)
        ((_, row),) = run_points(points, [Wanted()], results=store)
        assert row["limit"]

    def test_runs_of_one_seed_differ(self) -> None:
        points = Points("nwt", "test-write", self.SMALL)
        rows = dict(run_points(points, [Wanted(seed=1, run=run) for run in (0, 1)]))
        assert len({row["elapsed_ns"] for row in rows.values()}) == 2

    def test_a_point_that_cannot_be_ends_it_and_those_before_are_kept(self, store: Results) -> None:
        wanted = [Wanted((("machine.stores.ssu.block", f"{size} MB"),)) for size in (1, 3, 4)]
        points = Points("nwt", "test-write", self.SMALL)
        done = run_points(points, wanted, executor=Processes(1), results=store)
        assert next(done)[0] == wanted[0]
        with pytest.raises(GridError, match=r"at the point machine\.stores\.ssu\.block=3 MB: "):
            next(done)
        assert store.count() == 1

    def test_plans_of_two_threads_stay_apart(self) -> None:
        """A worker of a cluster runs batches in threads, whichever is free."""
        source = Points("nwt", "test-write", self.SMALL)
        made = [source.point(one) for one in self.wanted()]
        rows, other = [run_point(one) for one in made], list[object]()
        thread = threading.Thread(target=lambda: other.extend(run_point(one) for one in made))
        thread.start()
        assert [run_point(one) for one in made] == rows
        thread.join()
        assert other == rows


class TestPlace:
    def test_the_users_own_is_in_the_folder_for_caches(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("NWTSIM_STORE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        opened = open_results()
        assert opened is not None
        assert (opened.path, opened.optional) == (tmp_path / "nwtsim" / "results.sqlite", True)
        assert opened.path.exists()
        monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        assert results.user_path() == tmp_path / "home" / ".cache" / "nwtsim" / "results.sqlite"

        def homeless() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", homeless)
        assert open_results() is None

    def test_a_named_one_goes_before(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NWTSIM_STORE", "")
        assert open_results() is None
        monkeypatch.setenv("NWTSIM_STORE", str(tmp_path / "environment"))
        for path, name in ((None, "environment"), (tmp_path / "named", "named")):
            opened = open_results(path)
            assert opened is not None
            assert (opened.path.name, opened.optional) == (name, False)

    def test_where_nothing_can_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").touch()
        place, told = tmp_path / "file" / "cache", list[str]()
        monkeypatch.delenv("NWTSIM_STORE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
        assert open_results(said=told.append) is None
        (line,) = told
        assert "cannot be used as a store (Not a directory)" in line
        assert line.endswith("; going on without it")
        with pytest.raises(StoreError, match="cannot be used as a store"):
            open_results(place / "results.sqlite")

    def test_something_else_in_its_place_is_always_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("NWTSIM_STORE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        (tmp_path / "nwtsim").mkdir()
        (tmp_path / "nwtsim" / "results.sqlite").write_bytes(b"no store" * 100)
        with pytest.raises(StoreError, match="is damaged, or no store"):
            open_results()

    @pytest.mark.skipif(sys.platform != "linux", reason="Linux lists what is mounted")
    def test_a_file_system_of_a_network_is_none_for_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listed = "36 1 0:1 / / rw - ext4 /dev/sda rw\n37 36 0:2 / {} rw,relatime - {} host:/x rw\n"
        for kind, wanted in (("nfs4", "nfs4"), ("lustre", "lustre"), ("ext4", ""), ("tmpfs", "")):
            text = listed.format(tmp_path, kind)
            monkeypatch.setattr(Path, "read_text", lambda *_args, text=text, **_how: text)
            assert results.network_of(tmp_path / "a" / "results.sqlite") == wanted
            assert results.network_of(tmp_path.parent / "results.sqlite") == ""
        monkeypatch.setattr(results, "network_of", lambda _path: "nfs4")
        with pytest.raises(StoreError, match=r"is on a network's file system \(nfs4\), where"):
            open_results(tmp_path / "results.sqlite")
        monkeypatch.delenv("NWTSIM_STORE")
        assert open_results() is None
