"""The Python interface's questions: what limits, what to change, and how sure it is."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest

import nwtsim
from simulator.cli.main import main
from tests.python.test_beyond_one_run import LOG, MACHINE
from tests.python.test_interface import WORKLOAD

pytestmark = pytest.mark.filterwarnings("ignore:.*identical processes move in lockstep")

# -- questions ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_advice_on_a_job_is_that_of_the_command() -> None:
    advised = nwtsim.advise("workstation", "copy-file")
    said = nwtsim.command("advise workstation copy-file")
    assert str(advised) == said.text
    first = advised[0]
    faster = nwtsim.run("workstation", "copy-file", first["set"])
    assert faster.elapsed_s < nwtsim.run("workstation", "copy-file").elapsed_s
    assert len(advised) == len(advised.to_dict()["advice"])
    assert "nwtsim advise workstation copy-file" in advised.to_html()
    own = nwtsim.advise(MACHINE, WORKLOAD, {"lan.rate": "2 MB/s"})
    assert own[0]["set"] == [["machine.parts.lan.rate", "4 MB/s"]]
    assert own[0]["command"] is None  # There is no file that a command could name.


def test_advice_on_a_trace_is_that_of_the_command(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "job.log"
    path.write_text(LOG.replace("100000", "1000000"), encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(MACHINE, encoding="utf-8")
    advised = nwtsim.advise(path, on=MACHINE)
    record = nwtsim.command("advise job.log --on mine.yaml --format json", folder=tmp_path)
    import json

    for rows in (found := advised.to_dict(), wanted := json.loads(record.text)):
        for row in rows["advice"]:
            del row["command"]
    assert found == wanted
    assert advised[0]["set"] == [["machine.parts.lan.rate", "20 MB/s"]]
    for wrong in ({"workload": WORKLOAD}, {"job": "write"}):
        with pytest.raises(
            TypeError, match=r"write advise.MACHINE, WORKLOAD., or advise.TRACE, on="
        ):
            nwtsim.advise(path, on=MACHINE, **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="there is no workload; write advise"):
        nwtsim.advise(path)
    with pytest.raises(TypeError, match="are for a trace; write advise"):
        nwtsim.advise(MACHINE, WORKLOAD, think=0.5)


def test_a_fit_finds_the_value_that_made_its_measurements(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    (tmp_path / "mine.yaml").write_text(MACHINE, encoding="utf-8")
    (tmp_path / "some.yaml").write_text(WORKLOAD, encoding="utf-8")
    runs = {n: nwtsim.run(MACHINE, WORKLOAD, {"lan.rate": "23 MB/s"}, processes=n) for n in (1, 2)}
    measured = "".join(
        f"  - {{name: m{n}, set: {{processes: {n}}}, elapsed: {one.elapsed_s:.9f} s}}\n"
        for n, one in runs.items()
    )
    (tmp_path / "fit.yaml").write_text(
        "format: fit/1\nname: mine\nmachine: mine.yaml\nworkload: some.yaml\n"
        f"parameters:\n  lan.rate: 10 MB/s\nmeasurements:\n{measured}",
        encoding="utf-8",
    )
    found = nwtsim.calibrate(tmp_path / "fit.yaml", jobs=1)
    assert found.estimates[0]["estimate"] == pytest.approx(23e6, rel=1e-3)
    assert found.rms < 1e-4
    assert [one["name"] for one in found.measurements] == ["m1", "m2"]
    elapsed = nwtsim.run(found.machine, WORKLOAD, processes=2).elapsed_s
    assert elapsed == pytest.approx(runs[2].elapsed_s, rel=1e-3)
    again = pickle.loads(pickle.dumps(found))
    assert (again.to_dict(), str(again)) == (found.to_dict(), str(found))
    with pytest.raises(nwtsim.ConfigError, match="there is no such file, and no fit of that name"):
        nwtsim.calibrate("nobody")


DOUBTFUL = MACHINE.replace("rate: 10 MB/s", "rate: {value: 10 MB/s, source: assumed, range: 20 %}")


@pytest.mark.slow
def test_how_sure_a_run_is_as_the_command_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    assert DOUBTFUL != MACHINE
    names = [tmp_path / "mine.yaml", tmp_path / "some.yaml"]
    for path, text in zip(names, (DOUBTFUL, WORKLOAD), strict=True):
        path.write_text(text, encoding="utf-8")
    found = nwtsim.uncertainty(*names, points=8, jobs=1)
    words = ["uncertainty", *map(str, names), "--points", "8", "--full"]
    assert main(words) == 0
    assert capsys.readouterr().out == str(found)
    page = tmp_path / "page.html"
    assert main([*words, "--format", "json", "--html", str(page)]) == 0
    assert json.loads(capsys.readouterr().out) == found.to_dict()
    assert page.read_text(encoding="utf-8") == found.to_html()

    record = found.to_dict()["figures"]["elapsed_s"]
    elapsed = found.figures["elapsed_s"]
    assert elapsed.written == record["written"]
    assert elapsed.from_runs is None
    assert elapsed.from_values == tuple(record["from_values"])
    assert elapsed.model == record["model"]
    assert found.measure_first == found.ranked[0].value == "parts.lan.rate"
    first = found.ranked[0]
    assert (first.range, first.default) == ("20 %", False)
    assert first.low is not None
    assert first.high is not None
    assert first.low > elapsed.written > first.high  # A faster network takes less.
    assert found.ranked_for("write_MBps")[0].value == "parts.lan.rate"
    assert repr(found).endswith("measure first parts.lan.rate>")
    assert (found.confidence, found.seeds) == (0.95, {"runs": 1, "values": 1})

    again = pickle.loads(pickle.dumps(found))
    assert (again.to_dict(), str(again)) == (found.to_dict(), str(found))
    assert again.to_html() == found.to_html()
    texts = nwtsim.uncertainty(DOUBTFUL, WORKLOAD, points=8, jobs=1)
    assert texts.figures == found.figures
    pytest.importorskip("pandas")
    machines = found.to_dataframe("machines")
    assert len(machines) == (2 + len(found.ranked)) * 8
    assert list(found.to_dataframe()["figure"].unique()) == list(found.figures)


def test_replications_of_files_that_are_paths(tmp_path: Path) -> None:
    names = [tmp_path / "mine.yaml", tmp_path / "some.yaml"]
    for path, text in zip(names, (MACHINE, WORKLOAD), strict=True):
        path.write_text(text, encoding="utf-8")
    one, other = (
        nwtsim.run(*files, replications=2, jobs=1) for files in (names, (MACHINE, WORKLOAD))
    )
    assert one.replicated["elapsed_s"].values == other.replicated["elapsed_s"].values


def test_uncertainty_goes_on_in_its_folder_and_says_what_is_wrong(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    how = {"points": 8, "jobs": 1, "out": tmp_path / "kept"}
    first = nwtsim.uncertainty(DOUBTFUL, WORKLOAD, **how)
    assert nwtsim.uncertainty(DOUBTFUL, WORKLOAD, **how).to_dict() == first.to_dict()
    for wrong, error, told in (
        ({"points": 12}, nwtsim.InputError, "points='12' is no power of two from 8"),
        (
            {"figure": "speed"},
            nwtsim.InputError,
            "figure='speed': no such figure; there are elapsed_s",
        ),
        ({"figure": "read_p99_ms"}, nwtsim.InputError, "figure='read_p99_ms': this run has none"),
        ({"value_seed": -1}, ValueError, "value_seed must be a whole number"),
    ):
        with pytest.raises(error, match=told):
            nwtsim.uncertainty(DOUBTFUL, WORKLOAD, **{**how, "out": None, **wrong})


@pytest.mark.slow
def test_a_folder_is_measured_within_the_bounds_of_the_command(tmp_path: Path) -> None:
    measured = nwtsim.measure(tmp_path, size="16 MiB", time="2 s", processes=1, quick=True)
    assert list(tmp_path.iterdir()) == []
    assert nwtsim.run(measured.machine, "copy-file").elapsed_s > 0
    assert measured.to_dict()["machine"] == measured.text
    assert pickle.loads(pickle.dumps(measured)).to_dict() == measured.to_dict()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"size": "1 MiB"}, "size='1 MiB' is too little; write '16 MiB' or more"),
        ({"time": "0 s"}, "time='0 s' is no time; write it like '60 s'"),
        ({"processes": 65}, "processes must be a whole number from 1 to 64"),
    ],
)
def test_a_measurement_out_of_bounds_is_refused(
    how: dict[str, object], told: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        nwtsim.measure(tmp_path, **how)  # type: ignore[arg-type]


def test_what_comes_along_is_listed() -> None:
    machines, workloads = nwtsim.machines(), nwtsim.workloads()
    assert machines["nwt"].title == nwtsim.load_machine("nwt").title
    kinds = [one["source"] for one in nwtsim.load_machine("nwt").values()]
    assert machines["nwt"].counts["fitted"] == kinds.count("calibrated") > 0
    assert set(nwtsim.workloads("nwt")) < set(workloads)
    assert "test-read" in nwtsim.workloads("nwt")
    assert {"nfs-100-users", "nwt-1997"} <= set(nwtsim.requirements())
