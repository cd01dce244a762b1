"""Frozen predictions: the digest, tables of results, and how predictions are judged."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from experiments.frozen import Frozen, Judged, MissingColumnError, Row, tabulate

HEAD = ("machine", "cores", "time_s")


def frozen(tmp_path: Path) -> Frozen:
    made = Frozen(tmp_path, ("machine", "cores"), ("time_s",))
    made.write(HEAD, [("a", 1, 2.0), ("a", 2, 1.0)], 2)
    return made


def test_predictions_are_written_with_their_digest(tmp_path: Path) -> None:
    made = frozen(tmp_path)
    assert made.intact()
    assert made.predicted()["a", "2"] == {"machine": "a", "cores": "2", "time_s": "1.0"}
    made.file.write_text(made.file.read_text("utf-8").replace("2.0", "2.1"), "utf-8")
    assert not made.intact()


def test_results_have_the_columns_that_are_compared(tmp_path: Path) -> None:
    made = frozen(tmp_path)
    path = tmp_path / "results.csv"
    path.write_text("machine,cores,time\na,1,2.2\n", "utf-8")
    with pytest.raises(MissingColumnError, match="no column time_s; results have the columns of"):
        made.results(path)
    path.write_text("machine,cores,time_s\n", "utf-8")
    with pytest.raises(MissingColumnError, match="no row that was predicted"):
        made.results(path)
    path.write_text("machine,cores,time_s\na,1,2.2\n", "utf-8")
    assert made.results(path) == [{"machine": "a", "cores": "1", "time_s": "2.2"}]


def test_errors_are_medians_by_group() -> None:
    judged = [Judged("x", log(1.2), log(1.05)), Judged("x", log(1 / 1.2), 0.0)]
    judged.append(Judged("y", log(1.09), log(2)))
    *table, last = tabulate(judged, "kind")
    lines = [line.split() for line in table]
    assert lines[1] == ["x", "2", "20.0", "%", "0", "2.5", "%", "2"]
    assert lines[2] == ["y", "1", "9.0", "%", "1", "100.0", "%", "0"]
    assert lines[3] == ["all", "3", "20.0", "%", "1", "5.0", "%", "2"]
    assert last == "nearer than the formula: 1 of 3"


def test_words_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = frozen(tmp_path)
    (tmp_path / "open.csv").write_text("machine,cores,time_s\na,1,2.2\n", "utf-8")
    wrote = []

    def compare(results: list[Row]) -> str:
        return f"{len(results)} results\n"

    def run(*words: str) -> int:
        return made.main(list(words), lambda: wrote.append(1), compare)

    assert run() == 0
    assert capsys.readouterr().out == "1 results\n"
    assert run("compare", str(tmp_path / "open.csv")) == 0
    assert run("write") == 0
    assert wrote == [1]
    assert run("compare", "nothing.csv") == 2
    assert "usage: python -m experiments." in capsys.readouterr().err
    (tmp_path / "other.csv").write_text("machine,cores\na,1\n", "utf-8")
    assert run("compare", str(tmp_path / "other.csv")) == 2
    assert "other.csv has no column time_s" in capsys.readouterr().err


def test_results_without_a_prediction_are_counted(tmp_path: Path) -> None:
    made = frozen(tmp_path)
    results = [{"machine": "a", "cores": cores, "time_s": "1"} for cores in ("2", "3", "4")]
    assert made.known(results) == results[:1]
    assert made.unknown(results) == ["2 results have no prediction"]
    assert made.unknown(results[:1]) == []
