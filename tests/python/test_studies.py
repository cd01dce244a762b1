"""``import nwtsim``: studies, Fortran calls, commands, and what a result tells of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

import nwtsim
from benchmarks.first_minutes import TABLES_DONE
from simulator.cli.main import main
from simulator.study.ledger import VERDICTS


@pytest.fixture(scope="module")
def nwt() -> nwtsim.Study:
    return nwtsim.reproduce("nwt", runs=1)


@pytest.mark.slow
def test_a_study_has_a_row_for_each_figure_and_claim(nwt: nwtsim.Study) -> None:
    assert nwt.name == "nwt"
    assert len(nwt.figures) == 12
    assert {claim["verdict"] for claim in nwt.claims} <= {*VERDICTS}
    one = nwt.figure("read-1pe-8MB")
    assert (one["paper"], one["paper_min"], one["paper_max"]) == (237.4, 229.5, 240.3)
    assert one["verdict"] == "calibrated"
    assert one["simulated"] == pytest.approx(237, rel=0.03)
    with pytest.raises(KeyError, match="no figure 'none'"):
        nwt.figure("none")


@pytest.mark.slow
def test_a_figure_can_be_run_again_with_its_settings(nwt: nwtsim.Study) -> None:
    one = nwt.figure("read-1pe-8MB")
    result = nwtsim.run("nwt", one["workload"], one["settings"])
    assert one["paper_min"] <= result.read_MBps <= one["paper_max"]


@pytest.mark.slow
def test_a_study_shows_itself(nwt: nwtsim.Study) -> None:
    assert repr(nwt).startswith("<Study nwt: 12 numbers: 12 calibrated")
    assert nwt._repr_html_().count("<tr>") == 1 + 12 + len(nwt.claims)
    lines = str(nwt).splitlines()
    assert len([line for line in lines if "table 4." in line]) > 12


@pytest.mark.long
def test_the_benchmark_of_first_minutes_waits_for_a_line_below_the_tables(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["reproduce", "nwt", "--runs", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (end,) = (number for number, line in enumerate(lines) if TABLES_DONE.match(line))
    assert max(number for number, line in enumerate(lines) if "processor" in line) < end


def test_an_unknown_study_is_told() -> None:
    with pytest.raises(nwtsim.InputError, match="no study 'cray'; there are pagecache, nwt"):
        nwtsim.reproduce("cray")


def test_calls_of_a_runtime() -> None:
    assert nwtsim.fortran_calls("posix", [10, 20], 3) == [
        ("write", 0, 10),
        ("write", 10, 20),
        ("write", 30, 10),
    ]
    assert [one.size for one in nwtsim.fortran_calls("nwt", 600_000, 2, buffer="600 kB")][:2] == [
        600_000,
        0,
    ]
    assert nwtsim.fortran_calls("posix", 10, 1, write=False) == [("read", 0, 10)]
    with pytest.raises(ValueError, match="no runtime 'cobol'"):
        nwtsim.fortran_calls("cobol", 10, 1)


def test_a_command_returns_what_it_prints(tmp_path: Path) -> None:
    said = nwtsim.command("new machine", folder=tmp_path)
    assert "my-machine.yaml: a machine that can be run" in said.text
    assert (tmp_path / "my-machine.yaml").is_file()
    assert said._repr_mimebundle_() == {"text/plain": said.text.rstrip()}
    with pytest.raises(nwtsim.InputError, match=r"exit code 2\nmy-machine\.yaml: is there already"):
        nwtsim.command("new machine", folder=tmp_path)


def test_where_a_process_spent_its_time() -> None:
    result = nwtsim.run("workstation", "copy-file", timeline=True)
    where = result.where()
    assert sum(where.values()) == pytest.approx(result.elapsed_s, abs=1e-12)
    assert {"disk", "pages.writeback", "cpu"} <= set(where)
    with pytest.raises(KeyError, match="no process 'nobody'"):
        result.where("nobody")
    served = sum(one["service_s"] for one in result.services() if one["part"] == "disk")
    busy = result.to_dict()["parts"]["disk"]["busy_ns"] / 1e9
    assert served == pytest.approx(busy, abs=1e-9)
    assert result.counts("pages")["written_back_bytes"] == 10**9
    with pytest.raises(KeyError, match="no store 'ssu' was used"):
        result.counts("ssu")
    assert result.report("csv").startswith("process,job,")
    with pytest.raises(ValueError, match="no report 'pdf'; there are table"):
        result.report("pdf")


def test_calls_of_numerical_servers_add_up() -> None:
    name = "ninf"
    result = nwtsim.run(name, "ninf-single")
    (call,) = result.numerical_calls()
    steps = ("response", "waiting", "communication", "compute")
    assert sum(call[f"{step}_s"] for step in steps) == pytest.approx(call["elapsed_s"], abs=1e-9)
    assert result.load(call["server"]) == []
    with pytest.raises(KeyError, match="no numerical server 'none'"):
        result.load("none")


def test_published_figures_need_no_run() -> None:
    assert nwtsim.published("nwt")["read-1pe-8MB"] == 237.4
    assert nwtsim.published("ninf")["load"] == 30
    with pytest.raises(nwtsim.InputError, match="no study 'cray'"):
        nwtsim.published("cray")


def test_modules_of_studies_are_there_when_asked_for() -> None:
    assert nwtsim.ninf.local_s("supersparc", "murata", 1000) > nwtsim.ninf.local_s(
        "supersparc", "murata", 100
    )
    assert next(law.name for law in nwtsim.orion.LAWS) == "constant"
