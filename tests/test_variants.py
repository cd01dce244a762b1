"""Variants of a file are what reading the whole file again would give."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.config import ConfigError, digest, load_machine, load_workload
from simulator.config.variants import machine_variants, workload_variants

MACHINES = [
    [],
    [("machine.frontend.path_rate", "30 MB/s")],
    [("machine.ssu.unit", "4 MB"), ("machine.ssu.capacity", "1 GB")],
    [("machine.ssu.unit", "3 MB")],  # capacity and share are no whole units then
    [("machine.storage.array.count", "8"), ("machine.filesystems.vfl.stripes", "2")],
    [("machine.storage.*.rate", "{value: 50 MB/s, source: assumed}")],
    [("machine.name", "another")],
    [("machine.frontend.path_rate", "30")],  # no unit
    [("machine.frontend.speed", "30 MB/s")],  # no such key
    [("machine.filesystems.vfl.storage", "nowhere")],
    [("machine.noise.pe.run", "1 %")],
]
WORKLOADS = [
    [],
    [("workload.jobs.*.buffer", "8 MB")],
    [("workload.jobs.0.policy", "posix"), ("workload.files.output.size", "1 MB")],
    [("workload.jobs.*.record", "{from: 1 kB, to: 2 kB}")],
    [("workload.jobs.*.phases.0.file", "nowhere")],
    [("workload.jobs.7.count", "2")],
    [("workload.title", "another")],
]
FIXED = [("machine.ssu.share", "512 MB"), ("workload.jobs.*.count", "2")]


def told(load, settings):
    try:
        return load(settings).model_dump()
    except ConfigError as error:
        return str(error)


@pytest.mark.parametrize("settings", MACHINES)
def test_a_machine(settings):
    variants = machine_variants("nwt", FIXED)
    for _ in range(2):  # made, and remembered
        wanted = told(lambda some: load_machine("nwt", [*FIXED, *some]), settings)
        assert told(variants.load, settings) == wanted


@pytest.mark.parametrize("settings", WORKLOADS)
def test_a_workload(settings):
    variants = workload_variants("test-write", FIXED)
    wanted = told(lambda some: load_workload("test-write", [*FIXED, *some]), settings)
    assert told(variants.load, settings) == wanted


def test_variants_do_not_touch_each_other():
    machines, workloads = machine_variants("nwt", []), workload_variants("test-write", [])
    seen = {}
    for rate in ("30 MB/s", "40 MB/s"):
        for buffer in ("1 MB", "2 MB"):
            given = [("machine.frontend.path_rate", rate)], [("workload.jobs.*.buffer", buffer)]
            of = digest(machines.load(given[0]), workloads.load(given[1]))
            seen[of] = given
            read = load_machine("nwt", given[0]), load_workload("test-write", given[1])
            assert of == digest(*read)
    assert len(seen) == 4


def test_a_file_that_only_a_variant_makes_good(root: Path, tmp_path: Path):
    text = (root / "configs/machines/nwt.yaml").read_text(encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(
        text.replace("capacity: {value: 2048 MB", "capacity: {value: 2047 MB"), encoding="utf-8"
    )
    variants = machine_variants(tmp_path / "bad.yaml", [])
    with pytest.raises(ConfigError, match="capacity"):
        variants.load([])
    good = variants.load([("machine.ssu.capacity", "1 GB"), ("machine.ssu.share", "8 MB")])
    assert good.ssu is not None
    assert good.ssu.capacity == 10**9


def test_a_file_that_is_not_there():
    with pytest.raises(ConfigError, match="no such file"):
        machine_variants("nowhere.yaml", []).load([])
