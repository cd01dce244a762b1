"""What a machine says of the way to files."""

from __future__ import annotations

import pytest

from simulator.answers.way import Way
from simulator.config.formats import load_machine

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
    way = Way(machine, system, next(iter(machine.filesystems[system].ways())))
    assert way.stages == STAGES[name]
