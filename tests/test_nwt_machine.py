"""The NWT as machine/2 against the NWT as it was: the same nanoseconds, with and without noise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.config import load_machine as load_before
from simulator.config import parse_workload as parse_before
from simulator.config.convert import convert
from simulator.config.formats import load_machine, parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.config.plan import make_plan as make_plan_before
from simulator.engine.reference import run_reference as run_before
from simulator.reference.run import run_reference
from simulator.shipped import shipped_root

JOB = """\
  - name: test
    {count}: {number}
    {nodes}: {share}
    record: 64 kB
    buffer: 600 kB
    policy: {policy}
    path: {path}
    phases:
      - {{do: {do}, file: output}}
      - {{do: compute, time: 1 s}}
"""
FILES = (
    "name: w\nfiles:\n  output: {{size: {size}, filesystem: {system}, exists: {exists}}}\njobs:\n"
)


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize(
    ("do", "path", "policy", "number", "share"),
    [
        ("write", "scfs", "nwt", 1, 1),
        ("write", "scfs", "nwt-predicted", 3, 1),
        ("read", "scfs", "nwt", 2, 4),
        ("write", "nfs", "gfortran", 2, 1),
        ("read", "nfs", "posix", 1, 1),
        ("write", "svio", "nwt", 2, 1),
    ],
)
def test_it_takes_as_long(
    do: str, path: str, policy: str, number: int, share: int, seed: int | None
) -> None:
    size = "400 kB" if path == "nfs" else "1 MB" if path == "svio" else "40 MB"
    exists = "true" if do == "read" else "false"
    text = FILES.format(size=size, system="vfl", exists=exists)
    values = {"number": number, "share": share, "policy": policy, "path": path, "do": do}
    old = JOB.format(count="count", nodes="pes", **values)
    new = JOB.format(count="processes", nodes="nodes", **values)
    noise = {"seed": seed or 0, "noisy": seed is not None}
    before = run_before(
        make_plan_before(
            load_before("nwt"), parse_before(f"format: workload/1\n{text}{old}"), **noise
        )
    )
    after = run_reference(
        make_plan(load_machine("nwt2"), parse_workload(f"format: workload/2\n{text}{new}"), **noise)
    )
    assert after.end_ns == before.end_ns
    ended = {one.name: one.ended_ns for one in after.processes}
    assert ended == {one.name: one.ended_ns for one in before.clients if one.name in ended}


def test_it_is_what_the_old_file_is_converted_to() -> None:
    """All parts and stores, and the paths of the two usual file systems, to the last number."""
    path = shipped_root("configs") / "machines" / "nwt.yaml"
    made = parse_machine(convert(path.read_text(encoding="utf-8"), str(path)))
    shipped = load_machine("nwt2")
    assert shipped.tables.groups == made.tables.groups
    assert shipped.tables.parts == made.tables.parts
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
