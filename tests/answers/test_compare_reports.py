"""A comparison in Python, as a table and as CSV, and what its page says."""

from __future__ import annotations

import csv
import io
import re
import shlex
from pathlib import Path

import pytest

import nwtsim
from nwtsim.compared import Comparison as Shown
from simulator.answers.compare import compare, differing
from simulator.answers.sides import side_of
from simulator.cli import compare as command
from simulator.cli.main import main
from simulator.report.compare import compare_page
from simulator.report.forms import versioned, written
from simulator.result.record import record_of
from simulator.run import load_inputs, run_plan
from tests.cli.commands import Capture, done
from tests.docs.elided import is_shown
from tests.docs.test_results_page import keys_in, nested

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pair() -> tuple[nwtsim.Result, nwtsim.Result]:
    settings = {"workload.files.*.size": "20 MB"}
    return (
        nwtsim.run("workstation", "copy-file", settings),
        nwtsim.run("workstation", "copy-file", {**settings, "disk.rate": "250 MB/s"}),
    )


def test_python_shows_it(pair: tuple[nwtsim.Result, nwtsim.Result], tmp_path: Path) -> None:
    found = nwtsim.compare(*pair)
    assert isinstance(found, Shown)
    assert found.difference_s == pytest.approx(pair[1].elapsed_s - pair[0].elapsed_s, abs=1e-9)
    assert sum(found.where().values()) == pytest.approx(found.difference_s, abs=1e-9)
    assert found.values() == {"machine.parts.disk.rate": ("125 MB/s", "250 MB/s")}
    assert not found.same
    assert nwtsim.compare(pair[0], pair[0]).same
    assert repr(found).startswith("<Comparison: B - A\n elapsed ")
    assert "Values that differ" in str(found)
    html = found._repr_html_()
    assert html.count("<tr>") == len(found.where()) + 2
    assert "<td>sum</td>" in html
    files = []
    for name, one in zip("ab", pair, strict=True):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(one.to_json(), encoding="utf-8")
    read = nwtsim.compare(*files)
    assert read.values() is None
    assert read.where() == found.where()
    assert nwtsim.compare(files[0], pair[1]).where() == found.where()


def test_python_makes_a_table(pair: tuple[nwtsim.Result, nwtsim.Result]) -> None:
    pytest.importorskip("pandas")
    found = nwtsim.compare(*pair)
    frame = found.to_dataframe()
    rows = frame[(frame.account == "elapsed") & (frame.kind != "sum")]
    assert rows.difference_ns.sum() == found.to_dict()["difference_ns"]


def test_the_csv_has_all_accounts_with_their_sums(
    pair: tuple[nwtsim.Result, nwtsim.Result],
) -> None:
    sides = [side_of(one.to_dict(), "r.json") for one in pair]
    found = compare(*sides)
    rows = list(csv.DictReader(io.StringIO(written(compare_page(found), "csv"))))
    assert {row["account"] for row in rows} == {"elapsed", "job copy"}
    for account in ("elapsed", "job copy"):
        *columns, total = [row for row in rows if row["account"] == account]
        assert total["kind"] == "sum"
        for key in ("wait_a_ns", "wait_b_ns", "service_a_ns", "service_b_ns", "difference_ns"):
            assert sum(int(row[key]) for row in columns) == int(total[key])
        assert int(total["difference_ns"]) == found.difference_ns


def test_each_key_of_a_comparison_is_documented() -> None:
    inputs = [load_inputs("workstation", "copy-file", [("clients", str(n))]) for n in (1, 2)]
    sides = [side_of(record_of(run_plan(one.plan())), "r.json") for one in inputs]
    a, b = [(one.machine, one.workload) for one in inputs]
    record = versioned(compare(sides[0], sides[1], differing(a, b)).to_record())
    told = keys_in("compare")
    assert len(told) == len(set(told))
    assert set(told) == {path.replace(".b.", ".a.") for path in nested(record)} - {
        path for path in nested(record) if path.startswith("b.")
    }


@pytest.mark.slow
def test_the_examples_of_the_help_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Those that need files get files of the same names."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    small = "--set=workload.files.*.size=8 MB"
    for name in ("before", "after"):
        run = ("run", "nwt", "test-write", small, "--no-limits")
        store = ("--store", f"{name}.parquet")
        done(capsys, *run, *store, "--format", "json", "--out", f"{name}.json")
    for line in str(command.__doc__).partition("Examples:\n")[2].splitlines():
        words = shlex.split(line.split("   (")[0])
        assert words[0] == "nwtsim"
        files = all(word.startswith(("before", "after")) for word in words[2:4])
        assert main([*words[1:], *([] if files else [small])]) == 0
        said = capsys.readouterr()
        assert said.out.startswith(("A: ", "{"))
        assert "no effect" not in said.err


def test_the_page_shows_what_the_command_prints(capsys: Capture) -> None:
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    shown = re.search(r"^\$ (nwtsim compare .*)\n((?:.*\n)*?)```", text, re.MULTILINE)
    assert shown is not None
    assert is_shown(shown[2], done(capsys, *shlex.split(shown[1])[1:]))
