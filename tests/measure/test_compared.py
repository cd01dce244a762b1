"""Notes read back, spreads of two measurements, and whether a machine still is what it was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import nwtsim
from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.inputfile import Text
from simulator.measure.compared import Before, compared, is_changed
from simulator.measure.derived import derive
from simulator.measure.notes import ProbeTimes, differ, noticed, seen_in, seen_of, told
from simulator.measure.probe import Measured, Sample, SystemState, probes_of
from simulator.measure.probing import Measurement
from simulator.report.forms import written
from simulator.report.lined import fitted
from simulator.report.measurement import measurement_page
from simulator.report.screen import LINES
from simulator.study import measurement as wholes
from simulator.study.measurement import Checked, Whole, before_of, machine_text
from tests.measure.lab import LIMITS, drawn, time_of


def earlier(measurement: Measurement) -> Before:
    """What the machine file of a measurement says of its probes."""
    return before_of(Text(machine_text(measurement, derive(measurement), "old"), "old.yaml"))


def of(name: str, *times: float, around: list[SystemState] | None = None) -> Measured:
    probe = next(one for one in probes_of(LIMITS) if one.name == name)
    seen: list[SystemState | None] = [*around] if around else [None] * len(times)
    pairs = zip(times, seen, strict=True)
    return Measured(probe, [Sample(100, 100 * time, about) for time, about in pairs])


# -- notes -------------------------------------------------------------------------------------


def test_what_a_note_says_is_read_from_it() -> None:
    for measured in drawn(1).measured:
        (seen,) = seen_of(measured)
        (again,) = seen_in(f"slope; {told(measured)}; and more")
        assert again.median == pytest.approx(seen.median, rel=1e-3)
        assert (again.low, again.high) == pytest.approx((seen.low, seen.high), rel=1e-3)
        assert replace(again, median=0, low=0, high=0) == replace(seen, median=0, low=0, high=0)


def test_two_groups_are_told_with_what_tells_them_apart() -> None:
    quick, slow = [50e-6 + i * 1e-7 for i in range(12)], [240e-6 + i * 1e-6 for i in range(8)]
    one = of("create", *quick, *slow)
    assert told(one) == (
        "create took 50.55 us (quartiles 50.28 to 50.83 us; 12 x 100 calls); create, other group,"
        " took 243.5 us (quartiles 241.8 to 245.3 us; 8 x 100 calls), in repetitions 13 to 20 of 20"
    )
    usual, other = seen_in(told(one))
    assert (usual.other, other.other, other.count) == (False, True, 8)
    assert one.median == pytest.approx(50.55e-6)
    mixed = [time for pair in zip(quick, slow, strict=False) for time in pair] + quick[8:]
    busy = [SystemState(0.4 if time > 1e-4 else 0.01, 0) for time in mixed]
    assert "while it waited 40% of the time for a processor, not 1%" in told(
        of("create", *mixed, around=busy)
    )
    dirty = [SystemState(0.0, (300 << 20) if time > 1e-4 else 4096) for time in mixed]
    assert "while 300 MiB of data waited to be written, not 4 KiB" in told(
        of("create", *mixed, around=dirty)
    )
    assert "nothing that was looked at tells them apart" in told(of("create", *mixed))


def test_a_deliberate_state_is_told_in_words() -> None:
    one = of("create after unlinks", 300e-6, 301e-6, 302e-6)
    assert told(one).endswith(", a second after 500 files of the same folder were deleted")
    assert [seen.probe for seen in seen_in(told(one))] == ["create after unlinks"]


# -- spreads -----------------------------------------------------------------------------------


def test_a_difference_is_one_beyond_both_spreads() -> None:
    narrow = ProbeTimes("stat", 1e-6, 0.99e-6, 1.01e-6, 30, 200)
    wide = ProbeTimes("stat", 1e-6, 0.6e-6, 1.6e-6, 30, 200)
    assert noticed(narrow, narrow) == 1.25
    assert differ(narrow, replace(narrow, median=1.3e-6))
    assert differ(replace(narrow, median=1.3e-6), narrow)
    assert not differ(narrow, replace(narrow, median=1.2e-6))
    assert not differ(wide, replace(narrow, median=1.3e-6))
    once = ProbeTimes("stat", 1e-6, 1e-6, 1e-6, 1, 200)
    assert noticed(once, narrow) is None
    assert not differ(once, replace(narrow, median=9e-6))


@pytest.mark.few(2)
@pytest.mark.parametrize("spread", [0.03, 0.1, 0.4])
@pytest.mark.parametrize("turns", [5, 20])
def test_the_same_machine_hardly_ever_is_another(spread: float, turns: int) -> None:
    """Of pairs of measurements of one machine with noise, each of some 40 probes."""
    pairs = [
        (drawn(seed, spread=spread, turns=turns), drawn(seed + 1, spread=spread, turns=turns))
        for seed in range(0, 8, 2)
    ]
    changed = [is_changed(compared(earlier(old), new)) for old, new in pairs]
    assert sum(changed) <= (0 if spread < 0.4 else 1)


@pytest.mark.parametrize(("name", "factor"), [("create", 1.5), ("read 1 MiB", 0.6)])
def test_one_probe_that_changed_makes_it_another(name: str, factor: float) -> None:
    changes = compared(earlier(drawn(1)), drawn(2, slower={name: factor}))
    assert len(changes) > 20
    (changed,) = [one for one in changes if one.verdict in ("slower", "faster")]
    assert changed.then.probe == name
    assert changed.factor == pytest.approx(factor, rel=0.1)
    assert changed.verdict == ("slower" if factor > 1 else "faster")
    assert is_changed(changes)


def test_the_other_group_of_a_probe_is_no_change() -> None:
    old = drawn(1)
    groups = of("create", *[50e-6 + i * 1e-8 for i in range(12)], *[240e-6] * 8)
    both = tuple(groups if one.probe.name == "create" else one for one in old.measured)
    slow = drawn(2, slower={"create": 240e-6 / time_of(groups.probe)})
    changes = compared(earlier(replace(old, measured=both)), slow)
    assert {one.then.probe: one.verdict for one in changes}["create"] == "its other group"
    assert not is_changed(changes)
    assert is_changed(compared(earlier(old), slow))


def test_a_note_of_a_probe_that_took_no_time_says_nothing() -> None:
    words = "stat took {} us (quartiles {} to 3 us; 9 x 100 calls)"
    assert len(list(seen_in(words.format(2, 1)))) == 1
    assert not list(seen_in(words.format(0, 0)))
    assert not list(seen_in(words.format(2, 0)))


# -- files and the command ---------------------------------------------------------------------


def test_a_file_without_such_notes_is_refused() -> None:
    with pytest.raises(InputError, match="no note in it says what a probe took"):
        before_of("workstation")
    with pytest.raises(ConfigError, match="format"):
        before_of(Text("format: machine/9\n", "broken"))


def whole(old: Measurement, new: Measurement) -> Whole:
    was = earlier(old)
    return Whole(new, "", (), earlier=was, changes=compared(was, new))


def test_a_comparison_is_one_screen() -> None:
    same = written(measurement_page(whole(drawn(1), drawn(2))), "table")
    assert len(same.splitlines()) <= 24
    assert max(map(len, same.splitlines())) <= 120
    assert same.splitlines()[3] == "This still is the machine of old.yaml."
    other = written(measurement_page(whole(drawn(1), drawn(2, slower={"stat": 2.0}))), "table")
    (first,) = (line for line in other.splitlines() if line.startswith("stat  "))
    assert first.endswith("slower")
    assert other.splitlines()[3] == "This is not the machine of old.yaml: measure it anew."
    record = json.loads(written(measurement_page(whole(drawn(1), drawn(2))), "json"))["compared"]
    assert record["same"] is True
    assert {"probe", "then_ns", "now_ns", "seen_from", "verdict"} == set(record["probes"][0])


@pytest.mark.slow
@pytest.mark.parametrize(("slower", "code"), [({}, 0), ({"stat": 2.0}, 1)])
def test_the_command_ends_with_1_if_it_is_another_machine(
    slower: dict[str, float],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old = drawn(1)
    (tmp_path / "old.yaml").write_text(machine_text(old, derive(old), "old"))
    monkeypatch.setattr(wholes, "measure", lambda *_, **__: drawn(2, slower=slower))
    words = ["measure", str(tmp_path), "--compare", str(tmp_path / "old.yaml")]
    assert main(words) == code
    assert "old.yaml: ext4 as measured on lab, 2026-01-02" in capsys.readouterr().out


def test_a_wrong_file_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(wholes, "measure", None)
    assert main(["measure", str(tmp_path), "--compare", str(tmp_path / "none.yaml")]) == 2
    assert "none.yaml" in capsys.readouterr().err
    assert main(["measure", str(tmp_path), "--compare", "workstation"]) == 2
    assert "nwtsim measure DIR -o FILE" in capsys.readouterr().err


@pytest.mark.slow
def test_python_has_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = drawn(1)
    machine = nwtsim.Machine(machine_text(old, derive(old), "old"))
    monkeypatch.setattr(wholes, "measure", lambda *_, **__: drawn(2))
    assert nwtsim.measure(tmp_path).same is None
    same = nwtsim.measure(tmp_path, compare=machine)
    assert same.same is True
    assert "This still is the machine of" in str(same)
    monkeypatch.setattr(wholes, "measure", lambda *_, **__: drawn(2, slower={"stat": 2.0}))
    other = nwtsim.measure(tmp_path, compare=machine)
    assert other.same is False
    verdicts = {one["probe"]: one["verdict"] for one in other.to_dict()["compared"]["probes"]}
    assert verdicts["stat"] == "slower"


@pytest.mark.slow
def test_a_measurement_is_one_screen_that_keeps_the_worst_probes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measurement = drawn(1)
    off = {one.probe.name: 1 + n / 100 for n, one in enumerate(measurement.measured)}
    checks = [Checked(one, one.median * off[one.probe.name]) for one in measurement.measured]
    for columns in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        below = "here.yaml: the machine"
        text = written(
            measurement_page(Whole(measurement, "", checks)), "table", full=False, below=below
        )
        lines = fitted(text).splitlines()
        assert len(lines) <= LINES
        assert lines[-1] == below
        kept = [name for name in off if any(line.startswith(f"{name} ") for line in lines)]
        assert [*off][-2] in kept
        assert next(iter(off)) not in kept
    whole = written(measurement_page(Whole(measurement, "", checks)), "table")
    assert all(f"\n{name} " in whole for name in off)
