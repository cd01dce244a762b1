"""The NWT as shipped against the NWT of the old format, converted: the same machine.

That a converted machine gives the same nanoseconds is in ``test_golden_composed.py``.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.config.convert import convert
from simulator.config.formats import load_machine, load_workload, parse_machine, parse_workload
from simulator.config.identity import digest_of
from tests.golden.case import OLD

BEFORE = (
    ("machine.parts.pe.flush_overhead", "2.51 ms"),
    ("machine.parts.pe.copy_rate", "676 MB/s"),
    ("machine.parts.channel.rate", "{read: 421 MB/s, write: 91.8 MB/s}"),
)
"""What docs/decisions/0048 has changed."""


def test_it_is_what_the_old_file_is_converted_to() -> None:
    """All parts and stores, and the paths of the two usual file systems, to the last number."""
    path = OLD / "machines" / "nwt.yaml"
    made = parse_machine(convert(path.read_text(encoding="utf-8"), str(path)))
    shipped = load_machine("nwt", BEFORE)
    assert shipped.tables.groups == made.tables.groups
    cpu, *parts = shipped.tables.parts
    assert cpu.cpu is not None
    # The old format has no units that flushes touch, and no cores.
    assert (cpu.cpu.turn_unit, cpu.cores) == (8_000_000, 1)
    assert [replace(cpu, cpu=replace(cpu.cpu, turn_unit=0), cores=0), *parts] == made.tables.parts
    assert shipped.tables.stores == made.tables.stores
    assert shipped.tables.columns == made.tables.columns
    assert shipped.runtime == made.runtime
    assert {name: one.larger for name, one in shipped.nodes.items()} == {
        name: one.larger for name, one in made.nodes.items()
    }
    for system, path_name in (("vfl", "scfs"), ("vfl", "nfs"), ("vfl", "svio")):
        one, other = (m.ways.block(system, path_name, 0) for m in (shipped, made))
        assert one.plan == other.plan
        tiers = [replace(tier, aligned=True) for tier in one.tiers[one.plan.drain :]]
        assert list(one.tiers[: one.plan.drain]) == list(other.tiers[: other.plan.drain])
        assert tiers == [replace(tier, aligned=True) for tier in other.tiers[other.plan.drain :]]


@pytest.mark.parametrize(
    "name",
    [
        *("test-read", "test-read-parallel", "test-write", "test-write-parallel"),
        *("test-write-120MB", "checkpoint-hourly", "checkpoint-interval", "checkpoint-restart"),
    ],
)
def test_workloads_are_what_the_old_files_are_converted_to(name: str) -> None:
    path = OLD / "workloads" / f"{name}.yaml"
    made = parse_workload(convert(path.read_text(encoding="utf-8"), str(path)))
    assert digest_of(made) == digest_of(load_workload(name))
