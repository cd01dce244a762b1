"""Fits change the values that they are to change, and see what a run of the same settings sees."""

from __future__ import annotations

import pytest

from simulator.run import load_plan, run_plan
from simulator.study.fitted import Fitted
from simulator.study.study import load_study

UNITS = ("ms", "MB/s", "MB/s", "MB/s", "MB")
PATHS = (
    ("parts", "pe", "flush_overhead"),
    ("parts", "pe", "copy_rate"),
    ("parts", "channel", "rate", "write"),
    ("parts", "paths", "rate"),
    ("stores", "ssu", "quota"),
)


def test_the_values_of_the_machine_file_and_their_steps() -> None:
    model = Fitted("nwt", [], PATHS, UNITS)
    current = [model.current(i) for i in range(5)]
    assert current == [2.51e6, 676e6, 91.8e6, 41.1e6, 256e6]
    assert [model.step(i) for i in range(5)] == [1, 1, 1, 1, 8_000_000]


def test_rates_are_those_of_runs_with_the_same_settings() -> None:
    cell = next(one for one in load_study("nwt").cells if one.workload == "test-write-120MB")
    model = Fitted("nwt", [cell], PATHS, UNITS)
    (found,) = model.seconds_per_MB([3e6, 600e6, 100e6, 30e6, 240e6], [0])
    settings = [
        *cell.settings,
        ("machine.parts.pe.flush_overhead", "3 ms"),
        ("machine.parts.pe.copy_rate", "600 MB/s"),
        ("machine.parts.channel.rate", "{read: 421 MB/s, write: 100 MB/s}"),
        ("machine.parts.paths.rate", "30 MB/s"),
        ("machine.stores.ssu.quota", "240 MB"),
    ]
    result = run_plan(load_plan("nwt", cell.workload, settings=settings))
    assert found == 1e6 / result.rate("write")
    assert model.seconds_per_MB([2e6, 600e6, 100e6, 30e6, 240e6], [0]) != [found]


def test_a_rate_of_one_direction_leaves_the_other_alone() -> None:
    model = Fitted("nwt", [], PATHS, UNITS)
    name, text = model._setting(PATHS[2], "5e7 B/s")
    assert name == "machine.parts.channel.rate"
    assert text == "{write: 5e7 B/s, read: 421000000.0 B/s}"


def test_an_unknown_value_is_an_error() -> None:
    model = Fitted("nwt", [], [("wheels",)], ["MB"])
    with pytest.raises((AttributeError, KeyError), match="wheels"):
        model.current(0)
