"""Files of fits and what is wrong in them, the command, its solver, and new machines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from simulator.cli.main import main
from simulator.study.leastsquares import Box, StartError, solve
from simulator.study.model import Model
from simulator.study.results import Results
from tests.study.test_calibrate import (  # Each test is run in the folder.
    OWN,
    RECORDS,
    fit_text,
    folder,  # noqa: F401
    simulated,
)

GOOD = """format: fit/1
name: mine
machine: mine.yaml
workload: reads.yaml
parameters:
  disk.rate: 100 MB/s
measurements:
  - {name: a, set: {record: 64 kB}, read: 3.1 MB/s}
  - {name: b, elapsed: [0.5 s, 0.6 s]}
"""
MISTAKES = [
    (
        "disk.rate: 100 MB/s",
        "disk.rat: 100 MB/s",
        r"6:3: parameters.disk.rat: mine has no 'disk.rat'; did",
    ),
    (
        "disk.rate: 100 MB/s",
        "disk.rate: 100 MB",
        r"6:14: .*disk.rate.start: '100 MB' is a size, not a rate",
    ),
    (
        "100 MB/s",
        "{start: 1 MB/s, low: 2 MB/s}",
        r"parameters.disk.rate.low: 2 MB/s is above the first",
    ),
    (
        "disk.rate: 100",
        "disk.rotational_delay: 100",
        r"'mean' is no number; only numbers can be fitted",
    ),
    (
        "disk.rate: 100 MB/s",
        "cpu.flush_overhead: {}",
        r"is 0 in the machine; write a first guess, like",
    ),
    (
        "{record: 64 kB}",
        "{disk.rate: 9 MB/s}",
        r"8:\d+: .*is fitted as disk.rate; leave one of them out",
    ),
    (
        "{record: 64 kB}",
        "{recrod: 64 kB}",
        r"8:\d+: measurements.0.set.recrod: mine has no 'recrod'; did",
    ),
    ("{record: 64 kB}", "{record: 64}", r"8:\d+: measurements.0.set.record: .*64"),
    ("read: 3.1 MB/s", "read: 3.1 s", r"8:\d+: measurements.0.read: '3.1 s' is a time, not a rate"),
    (
        ", read: 3.1 MB/s",
        "",
        r"8:\d+: measurements.0: has no figure; write one of elapsed, end, read",
    ),
    (
        "read: 3.1 MB/s",
        "write: 3.1 MB/s",
        r"8:\d+: measurements.0: the run has no write; measure another",
    ),
    ("name: b", "name: a", r"9:\d+: measurements.1.name: 'a' is the name of another one"),
    ("mine.yaml", "his.yaml", r"3:\d+: machine: his.yaml: there is no such file"),
    ("workload: reads", "workload: writes", r"4:\d+: workload: writes.yaml: there is no such file"),
    ("workload: reads.yaml\n", "", r"measurements.0: workload is missing; write it here, or"),
    (
        "parameters:",
        "parameters:\n  disk.seek: 1 ms\n  cpu.copy_rate: 1 GB/s",
        r"3 values are fitted to 2",
    ),
    (
        "name: mine\n",
        "name: mine\nresiduals: range\n",
        r"9:\d+: measurements.0.read: has no range; repeat it",
    ),
    ("format: fit/1", "format: machine/2", r"1:9: format: this file is a machine; name a fit here"),
]


class TestCommand:
    @pytest.mark.parametrize(("old", "new", "told"), MISTAKES)
    def test_a_mistake_is_told_once(
        self, old: str, new: str, told: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert old in GOOD
        Path("fit.yaml").write_text(GOOD.replace(old, new))
        assert main(["calibrate", "fit.yaml", "-o", "new.yaml"]) == 2
        said = capsys.readouterr()
        assert re.search(told, said.err), said.err
        mentions = {line.split(" ")[1] for line in said.err.splitlines()}
        assert len(mentions) == 1 or "workload is missing" in told, said.err
        assert said.out == ""
        assert not Path("new.yaml").exists()

    def test_the_good_file_is_good(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("fit.yaml").write_text(GOOD)
        assert main(["check", "fit.yaml"]) == 0
        assert capsys.readouterr().out.startswith("fit.yaml: ok (fit mine of fit/1, 2 values")

    def test_the_result_does_not_depend_on_threads(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("fit.yaml").write_text(GOOD)
        said = []
        for jobs in ("1", "3"):
            assert main(["calibrate", "fit.yaml", "--format", "json", "--jobs", jobs]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1]
        record = json.loads(said[0])
        assert record["parameters"][0]["path"] == "machine.parts.disk.rate"
        assert [one["unit"] for one in record["measurements"]] == ["MB/s", "s"]
        assert record["degrees_of_freedom"] == 1

    def test_csv_has_a_line_for_each_measurement(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("fit.yaml").write_text(GOOD)
        assert main(["calibrate", "fit.yaml", "--format", "csv"]) == 0
        head, *rows = capsys.readouterr().out.splitlines()
        assert head.startswith(
            "name,figure,unit,held_out,measured,min,max,simulated,error,predicted"
        )
        assert [row.split(",")[:5] for row in rows] == [
            ["a", "read", "MB/s", "False", "3.1"],
            ["b", "elapsed", "s", "False", "0.55"],
        ]

    def test_without_scipy_it_says_what_to_install(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("fit.yaml").write_text(GOOD)
        monkeypatch.setattr("simulator.extras._is_there", lambda package: package != "scipy")
        assert main(["calibrate", "fit.yaml"]) == 2
        said = capsys.readouterr()
        assert (said.out, said.err) == (
            "",
            "scipy, needed for fits and sweeps of assumptions, is not installed;"
            " install it with: pip install scipy\n",
        )

    def test_an_interrupt_tells_the_best_values(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("fit.yaml").write_text(GOOD)
        figures, calls = Model.figures, []

        def interrupted(*arguments: object) -> object:
            calls.append(1)
            if len(calls) > 12:
                raise KeyboardInterrupt
            return figures(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(Model, "figures", interrupted)
        assert main(["calibrate", "fit.yaml", "-o", "new.yaml"]) == 130
        said = capsys.readouterr().err
        assert said.startswith("interrupted; the best values so far, to go on from:\nparameters:\n")
        monkeypatch.undo()
        found = re.search(r"disk.rate: {start: (\S+ \S+), low: \S+ \S+, high: \S+ \S+}", said)
        assert found
        assert found[1] != "100 MB/s"
        assert [one.name for one in Path().iterdir() if "new" in one.name] == []


class TestSolver:
    def test_a_curved_valley(self) -> None:
        """Rosenbrock's function, as residuals."""

        def function(points: Sequence[np.ndarray]) -> list[np.ndarray | None]:
            return [np.array([10 * (y - x * x), 1 - x]) for x, y in points]

        box = Box(np.array([-3.0, -3.0]), np.array([3.0, 3.0]))
        found = solve(function, np.array([-1.2, 1.0]), box)
        assert found.x == pytest.approx([1, 1], abs=1e-3)

    def test_a_bound_is_kept_and_a_failing_point_avoided(self) -> None:
        def function(points: Sequence[np.ndarray]) -> list[np.ndarray | None]:
            assert all(y <= 3 for _, y in points)
            return [None if x > 1.5 else np.array([x - 2.0, y - 5.0]) for x, y in points]

        found = solve(
            function, np.array([0.0, 0.0]), Box(np.array([-1.0, -1.0]), np.array([9.0, 3.0]))
        )
        assert found.x[1] == 3
        assert 1 < found.x[0] <= 1.5

    @pytest.mark.parametrize(("wanted", "nearest"), [(1.0, 1.0), (1.5, 1.1)])
    def test_failing_points_are_gone_back_from(self, wanted: float, nearest: float) -> None:
        """To one that is behind them, and to the edge where the least squares lie beyond it."""
        asked = []

        def function(points: Sequence[np.ndarray]) -> list[np.ndarray | None]:
            asked.extend(float(x) for (x,) in points)
            return [None if x > 1.1 else np.array([x**3 - wanted]) for (x,) in points]

        found = solve(function, np.array([0.4]), Box(-3 * np.ones(1), 3 * np.ones(1)))
        assert max(asked) > 1.1
        assert found.x[0] == pytest.approx(nearest, abs=1e-3)

    def test_known_derivatives_are_brought_up_to_date(self) -> None:
        """Of a curved function, from derivatives that are not quite its own: two points a step."""
        asked = []

        def function(points: Sequence[np.ndarray]) -> list[np.ndarray | None]:
            asked.extend(points)
            return [np.array([np.expm1(x - 1), y + 0.1 * x - 2]) for x, y in points]

        start, box = np.zeros(2), Box(-9 * np.ones(2), 9 * np.ones(2))
        known = (np.array([np.expm1(-1), -2.0]), np.array([[0.5, 0.0], [0.0, 1.0]]))
        found = solve(function, start, box, known=known)
        assert found.x == pytest.approx([1, 1.9], abs=1e-6)
        assert len(asked) <= 12

    def test_a_start_that_fails_is_an_error(self) -> None:
        with pytest.raises(StartError):
            solve(lambda points: [None] * len(points), np.zeros(1), Box(-np.ones(1), np.ones(1)))


class TestNew:
    def test_a_first_fit_of_an_own_machine(self, capsys: pytest.CaptureFixture[str]) -> None:
        words = "--for mine.yaml --workload reads.yaml -o first.yaml"
        assert main(["new", "fit", *words.split()]) == 0
        assert main(["check", "first.yaml"]) == 0
        assert "machine: mine.yaml\nworkload: reads.yaml\n" in Path("first.yaml").read_text()
        assert main(["calibrate", "first.yaml"]) == 0
        assert "warning" not in capsys.readouterr().out

    def test_the_fit_of_a_study_is_a_file(self) -> None:
        assert main(["new", "fit", "--from", "nwt"]) == 0
        assert main(["check", "my-nwt.yaml"]) == 0

    @pytest.mark.slow
    def test_a_machine_that_takes_long_to_simulate_gets_a_light_workload(self) -> None:
        """Message servers poll, in the reference engine: copying 1 GB there took minutes here."""
        assert main(["new", "fit", "--for", "mesh-lab"]) == 0
        text = Path("my-fit.yaml").read_text()
        assert "workload: read-cached\n" in text
        assert text.count("  - {name: run") == 1
        assert main(["check", "my-fit.yaml"]) == 0

    def test_a_workload_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["new", "fit", "--for", "mine.yaml", "--workload", "nosuch"]) == 2
        assert "nosuch: there is no such file" in capsys.readouterr().err
        assert not Path("my-fit.yaml").exists()


class TestElsewhere:
    """A fit by a store, and by processes: the same bytes, and no run twice."""

    WORDS = ("calibrate", "fit.yaml", "--format", "json")

    def fit(self) -> None:
        figures = simulated("mine.yaml", OWN, RECORDS)
        Path("fit.yaml").write_text(fit_text("mine.yaml", OWN, RECORDS, figures))

    def test_runs_that_a_store_has_are_not_made(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.fit()
        said = []
        for more in ([], ["--store", "store"], ["--store", "store"]):
            with monkeypatch.context() as patched:
                if said[1:]:
                    patched.setattr(Model, "_one", None)  # It cannot run anything.
                assert main([*self.WORDS, *more]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1] == said[2]
        with Results(Path("store")) as store:
            assert store.count() == json.loads(said[0])["runs"]

    def test_processes_give_the_same(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.fit()
        said = []
        for more in (["--jobs=1"], ["--executor=processes", "--jobs=2"]):
            assert main([*self.WORDS, *more]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1]
