"""Fits see the same machine in either format, and change the values they are to change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.study.fitted import FittedComposed, FittedNwt, fitted
from simulator.study.study import load_study

UNITS = ("ms", "MB/s", "MB/s", "MB/s", "MB")
OLD = (
    ("fortran", "turn_overhead"),
    ("pe", "copy_rate"),
    ("ssu", "write_rate"),
    ("frontend", "path_rate"),
    ("ssu", "share"),
)
NEW = (
    ("parts", "pe", "flush_overhead"),
    ("parts", "pe", "copy_rate"),
    ("parts", "channel", "rate", "write"),
    ("parts", "paths", "rate"),
    ("stores", "ssu", "quota"),
)


def test_both_formats_give_the_same_rates() -> None:
    cells = [cell for cell in load_study("nwt").cells if cell.workload == "test-write"][:2]
    assert len(cells) == 2
    there = [replace(cell, workload="test-write2") for cell in cells]
    old = fitted("nwt", cells, OLD, UNITS)
    new = fitted("nwt2", there, NEW, UNITS)
    assert isinstance(old, FittedNwt)
    assert isinstance(new, FittedComposed)
    assert [new.current(i) for i in range(5)] == [old.current(i) for i in range(5)]
    assert [new.step(i) for i in range(5)] == [old.step(i) for i in range(5)] == [1, 1, 1, 1, 8e6]
    values = [2e6, 500e6, 120e6, 36e6, 200e6]
    assert new.seconds_per_MB(values, [0, 1]) == old.seconds_per_MB(values, [0, 1])
    changed = [3e6, 600e6, 100e6, 30e6, 240e6]
    assert new.seconds_per_MB(changed, [1]) == old.seconds_per_MB(changed, [1])
    assert new.seconds_per_MB(changed, [1]) != new.seconds_per_MB(values, [1])


def test_a_rate_of_one_direction_leaves_the_other_alone() -> None:
    cell = replace(load_study("nwt").cells[0], workload="test-write2")
    new = FittedComposed("nwt2", [cell], NEW, UNITS)
    name, text = new._setting(NEW[2], "5e7 B/s")
    assert name == "machine.parts.channel.rate"
    assert text == "{write: 5e7 B/s, read: 421000000.0 B/s}"


@pytest.mark.parametrize("machine", ["nwt", "nwt2"])
def test_an_unknown_value_is_an_error(machine: str) -> None:
    model = fitted(machine, [], [("wheels",)], ["MB"])
    with pytest.raises((AttributeError, KeyError), match="wheels"):
        model.current(0)
