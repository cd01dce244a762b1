"""The page, the record and the rows of a plan; its command, and Python."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

import nwtsim
from simulator.cli.main import main
from simulator.report.progress import SizingLine
from tests.sizing.pages import said, written_size
from tests.sizing.texts import GROWING, OWNED_GROWING, found_for


def test_a_page_says_what_to_buy_when() -> None:
    found = found_for(GROWING)
    text = said(found)
    assert (
        "Buy in year 0 disks 2, arm 40 MB/s (2 disk + 2 turn: 300 USD); in year 1 arm 80 MB/s (2"
        " turn: 80 USD)." in text
    )
    assert "Over 2 years this is 364 USD, discounted by 25 % a year. All at once in year 0" in text
    assert "(disks 2, arm 80 MB/s) is 400 USD: 10 % more." in text
    assert (
        "prices fall each year: turn 20 %. Loads of year 2: source.size of copy 2.25 times" in text
    )
    assert "Under the loads of year 1, where least is to spare, it meets all targets with" in text
    table = written_size(found)
    for row in (r"0 +2 disk \+ 2 turn +300 +300 ", "1 +2 turn +80 +64 ", "sum +364", "at once +2"):
        assert len(re.findall(f"(?m)^{row}", table)) == 1, row
    assert "To run it again" in said(found, full=True)
    assert "1 turn 2 40 80 without a source" in said(found, full=True)
    html = said(found, "html", full=True)
    assert "what do we buy when?" in html
    assert "is 400 USD: 10 % more." in html


def test_a_page_with_ownership_has_what_runs_and_what_is_left() -> None:
    table = written_size(found_for(OWNED_GROWING))
    assert "Over 2 years with energy, support and residual value this is" in " ".join(table.split())
    assert "running" in table
    assert "residual value" in table


def test_its_record_and_its_rows() -> None:
    found = found_for(OWNED_GROWING)
    record = json.loads(written_size(found, "json"))
    plan = record["plan"]
    assert (plan["every"], plan["discount"], plan["price_falls"]) == (1, 0.25, {"turn": 0.2})
    assert plan["total"] == pytest.approx(found.account.total)
    today = sum(one["today"] for one in plan["steps"]) - plan["residual_today"]
    assert today == pytest.approx(plan["total"])
    assert [one["loads_of_year"] for one in plan["steps"]] == [1, 2]
    assert record["met"] is True
    assert record["answer"]["choices"] == {"disks": "2", "arm": "80 MB/s"}
    assert record["at_once"]["price"] == 400
    head, *rows = [line.split(",") for line in written_size(found, "csv").splitlines()]
    assert [row[head.index("buy_turn")] for row in rows] == ["2", "2"]
    assert float(rows[1][head.index("today")]) == pytest.approx(2220.4 / 1.25)


def test_processes_do_not_show() -> None:
    one, two = found_for(GROWING), found_for(GROWING, jobs=2)
    for form in ("table", "json", "csv"):
        assert written_size(one, form) == written_size(two, form)


def test_nothing_carries_the_loads_of_a_year() -> None:
    """80 MB/s are enough in year 2, and not in year 3."""
    found = found_for(GROWING.replace("years: 2", "years: 3"))
    assert (found.machines, found.missing) == ([], 2)
    text = said(found)
    assert "Nothing that can be bought meets this under the loads of year 3. Nearest: disks" in text
    assert "arm 80 MB/s: 400 USD" in text
    missed = "It misses copy: time, which is 704 ms and has to be at most 650 ms: 53.9 ms (8.3 %)"
    assert missed in text  # 27 MB are read and written, 675 ms at 80 MB/s; the rest positions.
    assert "Next: more of arm: its last step, to 80 MB/s, made copy: time 1." in text
    record = json.loads(written_size(found, "json"))
    assert (record["met"], record["answer"], record["missing_year"]) == (False, None, 3)
    assert record["nearest"]["choices"]["arm"] == "80 MB/s"


# -- the command, and Python ----------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "growing.yaml"
    file.write_text(GROWING)
    words = ["size", str(file), "--no-noise", "--jobs", "1"]
    assert main([*words, "--progress"]) == 0
    heard = capsys.readouterr()
    assert "All at once in year" in heard.out
    assert "7 looked at, 1 run whole (each year counted); the plan is 282 USD or more" in heard.err
    assert main([*words, "--all"]) == 2
    assert "--all: a plan needs no other runs than it makes" in capsys.readouterr().err
    file.write_text(GROWING.replace("years: 2", "years: 3"))
    assert main(words) == 1


def test_from_python() -> None:
    found = nwtsim.size(GROWING, noise=False, jobs=1)
    assert found.met
    assert found.plan is not None
    assert found.plan["total"] == pytest.approx(364)
    assert (found.runner_up, found.front, found.sampled) == (None, [], None)
    assert found.answer is not None
    assert "364 USD" in str(found)


def test_an_interrupted_search_says_how_far_it_is() -> None:
    line = SizingLine(io.StringIO(), 1, wanted=True)
    line.heard(found_for(GROWING))
    told = line.interrupted("", kept=True)
    assert "run whole (each year counted); the plan is 364 USD or more; long runs are kept" in told
