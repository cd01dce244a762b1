"""A point of a sweep is a run by itself, whatever varies: nothing of the point before is left."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from simulator.config import ConfigError
from simulator.config.knobs import knobs_of
from simulator.errors import InputError
from simulator.native.run import run_native
from simulator.plan.errors import SimulationError
from simulator.prepared import Prepared
from simulator.run import load_inputs, load_plan, run_plan
from simulator.study.grid import Grid, GridError, make_sweep
from simulator.study.point import Row, row_of, run_point

CASES = {
    "nwt": ("test-write", {"output": "20 MB"}),
    "workstation": ("copy-file", {"source": "8 MB", "copy": "8 MB"}),
    "beegfs-like": ("shared-file", {"output": "64 MiB", "input": "64 MiB"}),
    "sr8000": ("sr8000-read-fv", {"array": "2 MiB"}),
    "nfs-lab": ("shared-file", {"output": "64 MiB", "input": "64 MiB"}),
    "burst-node": ("copy-file", {"source": "8 MB", "copy": "8 MB"}),
}
"""A machine, a workload for it, and how large its files are here."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
QUICK = 5
"""One in so many values is tried in the quick tests."""


def settings_of(machine: str) -> tuple[str, list[tuple[str, str]]]:
    workload, sizes = CASES[machine]
    return workload, [(f"workload.files.{name}.size", size) for name, size in sizes.items()]


def other(value: str) -> str:
    """A value that is twice as much, in all its numbers."""
    return NUMBER.sub(lambda one: f"{2 * float(one[0]):g}", value)


def alone(machine: str, workload: str, settings: list[tuple[str, str]], seed: int | None) -> Row:
    return row_of(run_plan(load_plan(machine, workload, settings=settings, seed=seed)))


def varied(machine: str, values: dict[str, list[str]], seed: int | None) -> int:
    """Compare the points of a sweep with runs by themselves; returns how many there were."""
    workload, fixed = settings_of(machine)
    fixed = [one for one in fixed if one[0] not in values]
    texts = [(path, ", ".join(those)) for path, those in values.items()]
    try:
        sweep = make_sweep(machine, workload, vary=texts, settings=fixed, seed=seed)
    except InputError:
        return 0  # a list, or a value that cannot be varied
    grid = Grid(sweep)
    for number in range(sweep.size):
        settings = [*fixed, *sweep.varied(number)]
        try:
            point = grid.point(number)
        except GridError:
            with pytest.raises(ConfigError):
                load_inputs(machine, workload, settings)
            continue
        try:
            expected = alone(machine, workload, settings, seed)
        except SimulationError:
            with pytest.raises(SimulationError):
                run_point(point)
            continue
        assert run_point(point) == expected, (machine, settings)
        assert point.digest == load_plan(machine, workload, settings=settings).digest
    return sweep.size


def knobs(machine: str) -> list[tuple[str, str]]:
    """The values of a machine and its workload that have a number; the last first."""
    workload, settings = settings_of(machine)
    inputs = load_inputs(machine, workload, settings)
    found = {one.path: one.value for one in knobs_of(inputs.machine, inputs.workload).values()}
    return [
        (path, value) for path, value in found.items() if NUMBER.match(value) and "{" not in value
    ]


def try_knobs(machine: str, step: int, seed: int | None) -> None:
    """One sweep after the other: back to what it was, and on to the next value."""
    points = [
        varied(machine, {path: [other(value), value]}, seed)
        for path, value in knobs(machine)[::step]
    ]
    assert sum(points) > len(points)


def test_some_values_of_a_machine() -> None:
    try_knobs("nwt", QUICK, None)


@pytest.mark.slow
@pytest.mark.parametrize("machine", CASES)
@pytest.mark.parametrize("seed", [None, pytest.param(7, marks=pytest.mark.long)])
def test_every_value_of_a_machine(machine: str, seed: int | None) -> None:
    try_knobs(machine, 1, seed)


@pytest.mark.slow
def test_switching_and_latencies_of_ports() -> None:
    """What a path does, and numbers of its parts, each after the other."""
    values = {
        "machine.parts.ib.latency": ["2 us", "90 us"],
        "machine.parts.ib.switching": ["packets", "circuit"],
        "machine.parts.ib.overhead": ["0 s", "50 us"],
    }
    assert varied("beegfs-like", values, None) == 8


def test_values_of_parts_together_with_those_of_jobs_and_stores() -> None:
    values = {
        "machine.parts.disk.rate": ["4.5 MB/s", "9 MB/s"],
        "machine.stores.ssu.writers": ["1", "2"],
        "workload.jobs.0.buffer": ["600 kB", "8 MB"],
        "machine.parts.paths.rate": ["20 MB/s", "41.1 MB/s"],
    }
    assert varied("nwt", values, 3) == 16


def test_copies_that_wait_for_a_core() -> None:
    """With one core, write-back and programs wait for each other, at any rate of the memory."""
    values = {
        "machine.nodes.client.cores": ["1"],
        "machine.parts.memory.rate": ["1 GB/s", "50 MB/s"],
    }
    assert varied("nfs-lab", values, None) == 2


def test_noise_of_a_part_is_that_of_its_own_values() -> None:
    assert varied("nwt", {"machine.parts.disk.noise.run": ["14 %", "20 %", "0 %"]}, 3) == 3


@pytest.mark.slow
def test_a_run_leaves_nothing_behind_for_the_next() -> None:
    """The same plan, and one with parts of its own, with what is known of those before."""
    from simulator.native.columns import ColumnCache

    workload, settings = settings_of("burst-node")
    plan = load_plan("burst-node", workload, settings=settings)
    again = replace(
        plan, parts=tuple(replace(one, column=one.column) for one in plan.parts), digest="x"
    )
    known = ColumnCache()
    expected = run_native(plan)
    for one in (plan, again, plan):
        result = run_native(one, cache=known)
        assert replace(result, digest=expected.digest) == expected


def test_numbers_of_i_o_servers_and_buffer_caches() -> None:
    values = {
        "machine.parts.io.piece": ["0 us", "5 us"],
        "machine.buffer_caches.buffers.prefetch": ["0", "2"],
    }
    assert varied("sr8000", values, None) == 4


@pytest.mark.few(1)
@pytest.mark.parametrize("machine", CASES)
def test_what_is_prepared_once_runs_as_by_itself(machine: str) -> None:
    """With any settings, and seeds, whatever was run before; wrong ones say the same."""
    workload, fixed = settings_of(machine)
    prepared = Prepared(machine, workload, fixed)
    rng, values = random.Random(machine), knobs(machine)
    for number in range(12):
        settings = [(path, other(value)) for path, value in rng.sample(values, rng.choice([1, 2]))]
        if number % 6 == 5:
            settings.append((rng.choice(values)[0], "fast"))
        seed = rng.choice([None, 1, 2])
        try:
            plan = load_plan(machine, workload, settings=[*fixed, *settings], seed=seed)
        except ConfigError as error:
            with pytest.raises(ConfigError, match=f"^{re.escape(str(error))}$"):
                prepared.plan(settings, seed=seed)
            continue
        made = prepared.plan(settings, seed=seed)
        assert made == plan
        assert prepared.plans.run(made) == run_plan(plan)
