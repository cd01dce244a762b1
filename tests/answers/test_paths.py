"""What a machine says of the way to files."""

from __future__ import annotations

import pytest

from simulator.answers.again import machine_variants
from simulator.answers.paths import MachinePath
from simulator.config.formats import load_machine
from simulator.inputfile import Text

STAGES = {
    "nwt": "ssu",
    "burst-buffer": "flash",
    "burst-node": "flash",
    "lustre-scratch": "",
    "nfs-lab": "",
    "workstation": "",
}


@pytest.mark.parametrize("name", STAGES)
def test_files_are_staged_into_stores_that_are_no_page_cache(name: str) -> None:
    machine = load_machine(name)
    system = next(iter(machine.filesystems))
    way = MachinePath(machine, system, next(iter(machine.filesystems[system].ways())))
    assert way.stages == STAGES[name]


OWN = """\
format: machine/2
name: own
nodes: {{pc: {{count: 1}}}}
parts:
  memory: {{kind: {kind}, at: pc, rate: 1 GB/s}}
  disk: {{kind: queue, at: pc, rate: 100 MB/s}}
stores: {{pages: {{at: pc, capacity: 1 GB}}}}
filesystems: {{home: [{tiers}]}}
"""


@pytest.mark.parametrize("kind", ["core", "shared", "queue"])
@pytest.mark.parametrize(
    ("tiers", "stages"),
    [
        ("[memory], pages, disk", ""),
        ("[disk], pages, [disk]", "pages"),
        ("{export: async}, [memory], pages, disk", "pages"),
    ],
)
def test_memory_of_any_kind_makes_a_page_cache_no_stage(kind: str, tiers: str, stages: str) -> None:
    """``nwtsim measure`` writes memory that processes share as a part of its own."""
    machine = machine_variants(Text(OWN.format(kind=kind, tiers=tiers), "m"), ()).load(())
    assert MachinePath(machine, "home").stages == stages
