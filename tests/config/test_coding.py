"""Erasure codes in machine files: how they are lowered, what is refused, what is doubted."""

from __future__ import annotations

import re

import pytest

from simulator.config.doubts import find_doubts
from simulator.config.errors import ConfigError
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.plan.coding import Coding
from simulator.report.blocks import block_diagram

MACHINE = """\
format: machine/2
name: coded
nodes: {client: 2, server: 12}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s}
  ec: {kind: core, at: client, rate: 1 GB/s, copies: false}
  disk: {kind: disk, at: server, rate: 100 MB/s, capacity: 1 GB}
stores:
  pages: {at: client, capacity: 100 MB, block: 1 MB, extent: 4 MB}
filesystems:
  home: [STORE{stripe: 1 MB, of: server, CODE}, [nic], disk]
"""
JOB = """\
format: workload/2
name: job
files: {data: {size: SIZE}}
jobs: [{name: job, record: 1 MB, phases: [{do: write, file: data}]}]
"""


def doubts(code: str, store: str = "", size: str = "8 MB") -> list[str]:
    machine = parse_machine(MACHINE.replace("CODE", code).replace("STORE", store))
    workload = parse_workload(JOB.replace("SIZE", size))
    found = find_doubts(machine, workload, noisy=False)
    return [about for at, about in found if at[0] == "files"]


def test_a_code_is_over_all_members_that_it_is_said_of() -> None:
    """Two groups of 4+2, computed at the client; a member has two rows of 16 MB."""
    machine = parse_machine(
        MACHINE.replace("CODE", "redundancy: 4+2, encode: ec").replace("STORE", "")
    )
    plan = make_plan(machine, parse_workload(JOB.replace("SIZE", "16 MB")))
    (tier,) = (one for one in plan.tiers if one.kind == "stripe")
    assert (tier.width, tier.data, tier.parity) == (12, 4, 2)
    assert [(plan.parts[one.part].name, one.slot) for one in tier.down] == [("ec", 0)]
    assert Coding.of(tier).holds(16 * 10**6, 0) == 2 * 10**6
    assert "stripes of 1 MB over 12 x server, 4+2 by ec" in block_diagram(machine)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "redundancy: 8+2",
            "8+2 takes 10 members, or a multiple, and these are 12; write 'over: 10'",
        ),
        ("redundancy: 11+2", "these are 12; write 'redundancy: 11+1'"),
        ("redundancy: 4+0", "4+0 has no parity; write '4+1', or leave it out"),
        ("redundancy: RAID6", "'RAID6' is no redundancy"),
        ("encode: ec", "there is no code to compute; write 'redundancy: 8+2' too"),
        ("redundancy: 4+2, encode: nic", "does no work"),
        ("redundancy: 4+2, encode: disk", "the request is still at client"),
        ("redundancy: 4+2, placement: least-used", "write 'placement: round-robin'"),
        ("over: 6}, {stripe: 1 MB, of: disk, redundancy: mirror", "stripes within stripes"),
    ],
)
def test_what_does_not_go_together_is_refused(code: str, said: str) -> None:
    text = MACHINE.replace("CODE", code).replace("STORE", "")
    if "of: disk" in code:
        text = text.replace("disk: {kind: disk,", "disk: {kind: disk, count: 2,")
    with pytest.raises(ConfigError, match=re.escape(said)) as error:
        parse_machine(text)
    assert error.value.problems[0].line == text.splitlines().index(text.splitlines()[-1]) + 1


def test_stripes_on_io_nodes_have_no_code() -> None:
    text = """\
format: machine/2
name: io
nodes: {node: 4}
parts:
  net: {kind: network, at: node, rate: 1 GB/s}
  io: {kind: io-server, at: node}
  raid: {kind: raid, at: node, rate: 50 MB/s, cache: 64 MB, bus_rate: 100 MB/s}
buffer_caches:
  buffers: {at: node, capacity: 10 MB, block: 64 KiB}
filesystems:
  home: [{stripe: 64 KiB, of: node, redundancy: 3+1}, {route: [net], server: io}, buffers, raid]
"""
    with pytest.raises(ConfigError, match="files behind buffers have no erasure code"):
        parse_machine(text)


@pytest.mark.parametrize(("size", "fits"), [("8 GB", True), ("8.1 GB", False)])
def test_parity_takes_its_part_of_the_disks(size: str, fits: bool) -> None:
    """Of 12 GB 4+2 leaves 8."""
    assert doubts("redundancy: 4+2", size=size) == (
        [] if fits else ["all files together do not fit on the 8 GB of disk; write less"]
    )


@pytest.mark.parametrize(("code", "whole"), [("4+2", True), ("2+1", True), ("5+1", False)])
def test_a_store_that_writes_parts_of_rows_is_doubted(code: str, whole: bool) -> None:
    """4 MB are one row of 4+2, two of 2+1, and less than one of 5+1."""
    said = doubts(f"redundancy: {code}", "pages, ")
    assert len(said) == (not whole)
    if said:
        assert "no whole number of rows of the code 5+1 (5 MB)" in said[0]
