"""The shipped machine files: short, with sources."""

from __future__ import annotations

import pytest

from simulator.config.formats import MACHINE, load_machine
from simulator.config.sources import unproven

MOST_LINES = 60
MACHINES = MACHINE.shipped()


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_takes_sixty_lines_at_most_and_says_where_its_values_come_from(name: str) -> None:
    assert len(MACHINES[name].read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    machine = load_machine(name)
    unstated = [one.path for one in unproven(machine)["unstated"]]
    # How many there are of a group is what its name says, so it needs no source.
    assert [path for path in unstated if not path.startswith("nodes.")] == []
