"""The shipped machine files: short, with sources, and equal to those of the old formats."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.config.convert import convert
from simulator.config.formats import MACHINE, load_machine, load_workload, parse_machine
from simulator.config.lowering.plan import make_plan
from simulator.config.sources import unproven
from simulator.reference.run import run_reference
from tests.golden.case import OLD

MOST_LINES = 60
MACHINES = MACHINE.shipped()


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_takes_sixty_lines_at_most_and_says_where_its_values_come_from(name: str) -> None:
    assert len(MACHINES[name].read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    machine = load_machine(name)
    unstated = [one.path for one in unproven(machine)["unstated"]]
    # How many there are of a group is what its name says, so it needs no source.
    assert [path for path in unstated if not path.startswith("nodes.")] == []


def served(machine: Any, workload: str) -> Any:
    """What calls of numerical servers gave on a machine, without the names of its links."""
    minutes = ("workload.jobs.*.phases.*.duration", "4 min")
    settings = [] if workload == "ninf-single" else [minutes]
    plan = make_plan(machine, load_workload(workload, settings), seed=1998, noisy=False, run=0)
    result = run_reference(plan)
    numerical = result.numerical
    assert numerical is not None
    assert numerical.calls
    spent = [sorted(one.spent.values()) for one in result.processes]
    parts = sorted((one.requests, one.bytes, one.busy_ns) for one in result.parts.values())
    moved = sorted(one.bytes for one in numerical.links.values())
    return result.end_ns, numerical.calls, numerical.servers, spent, parts, moved


@pytest.mark.parametrize(
    "workload",
    ["ninf-single", "ninf-lan", "ninf-wan", "ninf-wan-sites", "ninf-ep", "ninf-choice"],
)
def test_ninf_is_what_the_old_file_is_converted_to(workload: str) -> None:
    path = OLD / "machines" / "ninf.yaml"
    made = parse_machine(convert(path.read_text(encoding="utf-8"), str(path)))
    assert served(load_machine("ninf"), workload) == served(made, workload)
