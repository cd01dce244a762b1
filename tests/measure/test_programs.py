"""Simple programs: what is run is what is simulated, and what is computed is not simulated."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.measure import programs
from simulator.measure.calls import Files
from simulator.measure.derived import derive
from simulator.measure.facts import facts_of
from simulator.measure.probe import MIB, Limits
from simulator.measure.programs import Program, Run, Timed, programs_of, run_programs
from simulator.report.forms import written
from simulator.report.measurement import measurement_page
from simulator.study.measurement import Whole, machine_text, predicted
from tests.measure.lab import FACTS, LINES, drawn

LIMITS = Limits(16 * MIB, 0.5, 2, quick=True)
NO_TIME = (Run(0.0, 0.0),)


@pytest.fixture(scope="module")
def machine() -> str:
    measurement = drawn(1, spread=1e-9)
    return machine_text(measurement, derive(measurement), "lab")


def time_of(machine: str, name: str) -> tuple[float, Program]:
    (program,) = [one for one in programs_of(LIMITS, FACTS) if one.name == name]
    return predicted(machine, Timed(program, NO_TIME, NO_TIME)), program


def seconds(kind: str, size: int) -> float:
    call, rate = LINES[kind]
    return call + size / rate


@pytest.mark.parametrize(("name", "record"), [("dd bs=512", 512), ("dd bs=1M", MIB)])
def test_a_copy_is_its_reads_and_writes(name: str, record: int, machine: str) -> None:
    found, program = time_of(machine, name)
    one = seconds("cached-read", record) + seconds("cached-write", record)
    assert found == pytest.approx(program.count * one, rel=0.05)


def test_a_direct_copy_and_a_synchronous_one_wait_for_the_device(machine: str) -> None:
    found, program = time_of(machine, "dd bs=64k oflag=direct")
    one = seconds("cached-read", 1 << 16) + seconds("direct-write", 1 << 16)
    assert found == pytest.approx(program.count * one, rel=0.1)
    found, program = time_of(machine, "dd bs=4k oflag=dsync")
    assert found == pytest.approx(program.count * seconds("sync-write", 4096), rel=0.1)


def test_what_is_computed_is_added(machine: str) -> None:
    (program,) = [one for one in programs_of(LIMITS, FACTS) if one.name == "dd bs=1M"]
    plain = Timed(program, NO_TIME, NO_TIME)
    busy = replace(plain, runs=(Run(9.0, 1.0),), empty=(Run(0.5, 0.25),))
    assert busy.computing == pytest.approx(0.5 + 0.75)
    more = predicted(machine, busy) - predicted(machine, plain)
    assert more == pytest.approx(busy.computing, rel=1e-3)


def test_programs_that_cannot_be_run_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [one.name for one in programs_of(LIMITS, replace(FACTS, direct=False, drops=False))]
    assert not [name for name in names if "direct" in name or "cold" in name]
    monkeypatch.setattr(programs.shutil, "which", lambda _: None)
    assert all(one.name.startswith("Python") for one in programs_of(LIMITS, FACTS))


def test_the_table_has_real_and_predicted() -> None:
    program = next(iter(programs_of(LIMITS, FACTS)))
    timed = Timed(program, (Run(0.2, 0.0), Run(0.21, 0.0), Run(0.5, 0.0)), NO_TIME)
    whole = Whole(drawn(1), "", (), programs=[(timed, 0.105)])
    table = written(measurement_page(whole), "table")
    (line,) = [line for line in table.splitlines() if line.startswith("dd bs=512")]
    assert line.endswith("-50 %")
    assert "1 programs: geometric mean error 100 %, of what" in table
    (one,) = json.loads(written(measurement_page(whole), "json"))["programs"]
    assert one["predicted_ns"] == 105e6


def test_a_program_that_only_waited_took_some_time() -> None:
    """Waiting is measured by another clock, and may come to more."""
    program = next(iter(programs_of(LIMITS, FACTS)))
    timed = Timed(program, (Run(0.001, 0.0, 0.002),) * 3, NO_TIME)
    table = written(measurement_page(Whole(drawn(1), "", (), programs=[(timed, 0.105)])), "table")
    assert "1 programs: geometric mean error" in table


def test_a_program_ends_with_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files(tmp_path, MIB, direct=False)
    files.fill()
    started: list[int] = []

    def interrupted(_kind: int, process: int, _options: int) -> None:
        started.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(programs.os, "waitid", interrupted)
    endless = Program("endless", (sys.executable, "-c", "while True: pass"), 1, "", "")
    with pytest.raises(KeyboardInterrupt):
        programs._ran(endless, files, 1, "out")
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)


@pytest.mark.slow
def test_real_programs_do_what_their_workloads_say(tmp_path: Path) -> None:
    facts = facts_of(tmp_path)
    files = Files(tmp_path, LIMITS.file, facts.direct)
    files.fill()
    (tmp_path / "many0").mkdir()
    for number in range(200):
        (tmp_path / "many0" / f"f{number:04}").touch()
    heard: list[int] = []
    found = run_programs(files, facts, LIMITS, lambda _what, done, _total: heard.append(done))
    assert heard == list(range(len(found) * LIMITS.runs))
    for one in found:
        assert len(one.runs) == LIMITS.runs
        assert one.median > 0
    made = [path for path in tmp_path.glob("out*") if path.is_dir()]
    assert {len(list(path.iterdir())) for path in made} == {1000}
