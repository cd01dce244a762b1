"""Variants of a file are what reading the whole file again would give."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from simulator.config import ConfigError
from simulator.config.formats import MACHINE, WORKLOAD, load_machine, load_workload
from simulator.config.identity import values_of
from simulator.config.load import load_file
from simulator.config.lowering.plan import make_plan
from simulator.config.sources import provenance
from simulator.config.variants import Variants
from simulator.prepared import digest_of_both

FIXED = {
    "nwt": [("machine.stores.ssu.quota", "512 MB")],
    "test-write": [("workload.jobs.*.processes", "2")],
    "nfs-lab": [("machine.parts.nfsd.servers", "2")],
    "morning": [],
}
CASES = {
    "nwt": [
        [("machine.stores.ssu.block", "4 MB"), ("machine.stores.ssu.capacity", "1 GB")],
        [("machine.stores.ssu.block", "3 MB")],  # capacity and quota are no whole blocks then
        [
            ("machine.parts.array.count", "8"),
            ("machine.filesystems.vfl.paths.scfs.tiers.2.pieces", "2"),
        ],
        [("machine.parts.*.rate", "{value: 50 MB/s, source: assumed}")],
        [("machine.name", "another")],
        [("machine.parts.paths.speed", "30 MB/s")],  # no such key
        [("machine.filesystems.vfl.paths.scfs.tiers.4", "nowhere")],
    ],
    "nfs-lab": [
        [("machine.parts.*.noise", "{run: 1 %}")],  # a pool has none
        [("machine.nodes.client", "3"), ("machine.nodes.server.count", "2")],
        [("machine.stores.pages.write", "through")],  # its watermarks have no effect then
        [("machine.stores.pages.capacity", "1 kB")],  # no room for two blocks
        [
            ("machine.filesystems.home.tiers.5.use", "sata"),
            ("machine.filesystems.home.close", "free"),
        ],
        [("machine.filesystems.home.tiers.0.stage.0.part", "nothing")],
        [("machine.parts.sata", "{kind: disk, at: client, rate: 1 MB/s}")],  # nothing leads there
        [("machine.parts.local", "{kind: disk, at: client, rate: 1 MB/s}")],  # a new one
        [("machine.runtime.policy", "gfortran")],
    ],
    "test-write": [
        [("workload.jobs.0.policy", "posix"), ("workload.files.output.size", "1 MB")],
        [("workload.jobs.*.record", "{from: 1 kB, to: 2 kB}")],
        [("workload.jobs.*.phases.0.file", "nowhere")],
        [("workload.jobs.7.processes", "2")],
        [("workload.title", "another")],
    ],
    "morning": [
        [("workload.jobs.*.record", "[1 kB, 2 kB]")],
        [("workload.jobs.0.phases.3.file", "nowhere")],
        [("workload.jobs.1.arrivals.every", "1 s"), ("workload.files.results.size", "1 MB")],
        [("workload.jobs.1.arrivals.at", "[1 s, 2 s]")],
    ],
}


def told(load, settings):
    try:
        return values_of(load(settings))
    except ConfigError as error:
        return str(error)


@pytest.mark.parametrize("name", CASES)
def test_what_changes_more_than_numbers(name: str):
    kind = MACHINE if name in MACHINE.shipped() else WORKLOAD
    variants = Variants(kind, name, FIXED[name])
    for settings in [[], *CASES[name], []]:
        wanted = told(lambda some: load_file(kind, name, [*FIXED[name], *some]), settings)
        for _ in range(2):  # made, and remembered
            assert told(variants.load, settings) == wanted, settings


@pytest.mark.parametrize("settings", [[], [("machine.parts.nic.rate", "1 GB/s")]])
def test_a_variant_remembers_the_sources_of_its_file(settings):
    variants = Variants(MACHINE, "nfs-lab", [])
    for _ in range(2):
        assert variants.load(settings).sources == load_file(MACHINE, "nfs-lab").sources != {}


def test_variants_do_not_touch_each_other():
    machines, workloads = Variants(MACHINE, "nwt", []), Variants(WORKLOAD, "test-write", [])
    seen = {}
    for rate in ("30 MB/s", "40 MB/s"):
        for buffer in ("1 MB", "2 MB"):
            given = [("machine.parts.paths.rate", rate)], [("workload.jobs.*.buffer", buffer)]
            of = digest_of_both(machines.load(given[0]), workloads.load(given[1]))
            seen[of] = given
            read = load_machine("nwt", given[0]), load_workload("test-write", given[1])
            assert of == digest_of_both(*read)
    assert len(seen) == 4


def test_a_file_that_only_a_variant_makes_good(root: Path, tmp_path: Path):
    text = (root / "configs/machines/nwt.yaml").read_text(encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(
        text.replace("capacity: {value: 2048 MB", "capacity: {value: 1 MB"), encoding="utf-8"
    )
    variants = Variants(MACHINE, tmp_path / "bad.yaml", [])
    with pytest.raises(ConfigError, match="capacity"):
        variants.load([])
    good = variants.load(
        [("machine.stores.ssu.capacity", "1 GB"), ("machine.stores.ssu.quota", "8 MB")]
    )
    assert good.stores["ssu"].capacity == 10**9


def test_a_file_that_is_not_there():
    with pytest.raises(ConfigError, match="no such file"):
        Variants(MACHINE, "nowhere.yaml", []).load([])


def test_plans_of_variants_are_those_of_files_read_again():
    variants = Variants(MACHINE, "nfs-lab", [])
    workload = load_file(WORKLOAD, "morning")
    for settings in ([], [("machine.parts.nic.rate", "1 GB/s")], [("machine.nodes.client", "3")]):
        plan = make_plan(variants.load(settings), workload)
        assert plan == make_plan(load_file(MACHINE, "nfs-lab", settings), workload)


def test_what_a_setting_leaves_alone_is_not_read_again():
    variants = Variants(MACHINE, "nfs-lab", [])
    one, other = (variants.load([("machine.parts.nic.rate", f"{n} GB/s")]) for n in (1, 2))
    assert one.parts["sata"] is other.parts["sata"]
    assert one.ways is other.ways
    assert one.tables is not other.tables


# -- any settings ----------------------------------------------------------------------------------

FILES = [
    *((MACHINE, name) for name in ("nwt", "workstation", "beegfs-like", "sr8000", "burst-node")),
    *((MACHINE, name) for name in ("nfs-lab", "orion", "ninf", "lustre-scratch")),
    *((WORKLOAD, name) for name in ("test-write", "morning", "copy-file", "sr8000-regions")),
    *((WORKLOAD, name) for name in ("ninf-wan", "orion-mesh", "checkpoint-hourly")),
]
ODD = (
    *("0", "7", "3 kB", "0 B", "12 %", "150 %", "1 ns", "2 us", "1 B/s", "9 GB/s", "1000001"),
    *("5 KB", "-1", "fast", "none", "", "1e3 B", "0x10", "4 #B", "[1, 2]"),
    "{read: 1 MB/s, write: 2 MB/s}",
)
NUMERAL = re.compile(r"[0-9.]+")


def paths_in(kind, name: str) -> list[tuple[str, str]]:
    """Return the paths of values, those of all parts or jobs too, and what they are."""
    stated = provenance(load_file(kind, name))
    single = [(f"{kind.noun}.{one.path}", one.value) for one in stated]
    part = re.compile(r"\.(parts|stores|jobs)\.[^.]+")
    many = [(part.sub(r".\1.*", path), value) for path, value in single]
    return list(dict.fromkeys([*single, *many]))


def drawn(rng: random.Random, paths: list[tuple[str, str]]) -> tuple[str, str]:
    """Draw a setting: mostly a number in the place of another, near to it or far off."""
    path, value = rng.choice(paths)
    if rng.random() < 0.3:
        return path, rng.choice(ODD)
    factor = rng.choice([1, 0, 2, 3, 10, 0.5, 0.1, 1.37])
    return path, NUMERAL.sub(lambda one: f"{factor * float(one[0] + '0'):g}", value)


@pytest.mark.few(1)
@pytest.mark.parametrize(("kind", "name"), FILES, ids=[name for _, name in FILES])
def test_any_settings_give_the_same_as_the_whole_file(kind, name: str):
    """Values, digests and messages, of good points and bad ones, whatever came before them."""
    rng, paths = random.Random(name), paths_in(kind, name)
    variants = Variants(kind, name, [])
    for _ in range(40):
        settings = [drawn(rng, paths) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        wanted = told(lambda some: load_file(kind, name, some), settings)
        assert told(variants.load, settings) == wanted, settings


@pytest.mark.parametrize("first", ["4 MiB", "1 B"])
def test_a_raid_cache_is_compared_with_the_block_of_each_variant(first: str):
    variants = Variants(MACHINE, "sr8000", [])
    for size in (first, "1 B", "4 MiB", "1 B"):
        settings = [("machine.parts.raid.cache", size)]
        wanted = told(lambda some: load_machine("sr8000", some), settings)
        assert told(variants.load, settings) == wanted
        assert isinstance(wanted, str) == (size == "1 B")
