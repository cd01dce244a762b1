"""Locks in machine files: what is read, refused, drawn and counted."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.config.errors import Problem
from simulator.config.formats import parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.plan.codes import LOCKS
from simulator.report.blocks import block_diagram
from simulator.result.result import Result
from simulator.run import run_plan
from tests.config.machine_texts import machine
from tests.twins.plans.faults import faults

TEXT = """\
format: machine/2
name: shared
nodes: {client: 4, oss: 2}
parts:
  memory: {kind: delay, at: client, rate: 10 GB/s}
  nic: {kind: network, at: [client, oss], rate: 1 GB/s}
  ldlm: {kind: queue, at: oss, overhead: 100 us}
  threads: {kind: pool, at: oss, servers: 4}
  ost: {kind: queue, at: oss, rate: 500 MB/s}
stores:
  pages: {at: client, capacity: 1 GiB, block: 64 KiB, dirty: 50 %, high: 50 %}
filesystems:
  scratch:
    - {locks: [[nic], {work: ldlm}], unit: 1 MiB, grant: 4 MiB}
    - [memory]
    - pages
    - {stripe: 1 MiB, over: 2, of: oss}
    - {route: [nic], header: 256 B, server: threads}
    - ost
"""
JOB = """\
format: workload/2
name: job
files: {{f: {{size: 32 MiB, shared: {shared}}}}}
jobs:
  - name: job
    processes: 4
    record: {record}
    phases: [{{do: write, file: f, offset: {offset}}}]
"""


def problems(text: str) -> list[Problem]:
    """Read a machine that is wrong; return what is told."""
    with pytest.raises(ConfigError) as caught:
        machine(text)
    return list(caught.value.problems)


def ran(*, shared: str = "true", record: str = "1 MiB", offset: str = "rank") -> Result:
    workload = parse_workload(JOB.format(shared=shared, record=record, offset=offset))
    return run_plan(make_plan(machine(TEXT), workload), debug=True)


def lost(result: Result) -> int:
    return sum(one.counts["called_back"] for one in result.stores.values())


def test_a_machine_with_locks_is_a_plan_without_faults() -> None:
    plan = make_plan(
        machine(TEXT), parse_workload(JOB.format(shared="true", record="1 MiB", offset="rank"))
    )
    assert faults(plan) == []
    (tier,) = (one for one in plan.tiers if one.kind == LOCKS)
    assert (tier.size, tier.grow, plan.stores[tier.row].name) == (1 << 20, 4, "pages")
    assert plan.columns[tier.column] == "scratch.locks"


def test_parts_of_a_file_are_locked_once() -> None:
    """Eight units each, in grants of four; the first has to ask again after the whole file."""
    result = ran()
    assert lost(result) == 1
    assert sum(one.requests for one in result.parts.values() if one.part == "ldlm") == 9


def test_records_of_whole_units_are_not_lost_and_small_ones_are() -> None:
    assert lost(ran(offset="interleaved")) < 32
    assert lost(ran(offset="interleaved", record="64 KiB")) > 100


def test_own_files_are_locked_with_one_request_each() -> None:
    text = JOB.format(shared="false", record="1 MiB", offset="0 B")
    result = run_plan(make_plan(machine(TEXT), parse_workload(text)), debug=True)
    assert lost(result) == 0
    assert sum(one.requests for one in result.parts.values() if one.part == "ldlm") == 4


def test_the_machine_is_drawn_with_its_locks() -> None:
    drawn = block_diagram(machine(TEXT))
    assert "locks of 1 MiB, up to 4 MiB granted, called back from pages" in drawn
    assert drawn.split("  requests for locks\n")[1].splitlines() == [
        "    client -> oss  | nic, with headers of 256 B",
        "    oss            | ldlm: work on each request",
    ]


LINE = "    - {locks: [[nic], {work: ldlm}], unit: 1 MiB, grant: 4 MiB}\n"
"""The locks of the machine."""


KEPT = "    - [memory]\n    - pages\n"
MISTAKES = {
    "unit: 1 MiB, grant: 4 MiB | unit: 100 kB": "14 is not a whole number of blocks of pages "
    "(64 KiB); write 64 KiB, or change the block",
    "4 MiB | 1.5 MiB": "14 1.5 MiB is not a whole number of units of 1 MiB; write 1 MiB",
    ", unit: 1 MiB, grant: 4 MiB | ": "14 unit: ",
    "work: ldlm | work: ldml": "14 did you mean 'ldlm'",
    "[nic], {work: ldlm} | {work: ldlm}": "14 ldlm is at oss, and the request is still at client",
    "ldlm}], | ldlm, costs: {open: 1 us}}],": "14 only metadata operations have costs",
    "{work: ldlm}] | pages, {work: ldlm}]": "14 a store has no effect on requests for locks",
    "    - ost\n |     - ost\nmessages: [{locks: [[nic]], unit: 1 MiB}]\n": "20 locks are for "
    "reads and writes of a program; write them under 'tiers'",
    f"{LINE} |     - [nic]\n{LINE}": "15 write them before the first network",
    f"{LINE} | {LINE}{LINE}": "15 this path has locks already; leave one out",
    f"{LINE}{KEPT} | {KEPT}{LINE}": "16 write them before stripes and stores",
    f"{KEPT} | {KEPT}    - flash\n": "15 locks protect one store of a node, and pages and flash",
}
"""A change of the machine -> the line, and what is told."""


@pytest.mark.parametrize("change", MISTAKES)
def test_what_cannot_be_is_told_with_its_line(change: str) -> None:
    old, new = change.split(" | ")
    line, about = MISTAKES[change].split(" ", 1)
    text = TEXT.replace(old, new)
    if "flash" in new:
        text = text.replace(
            "filesystems:\n", "  flash: {at: client, capacity: 1 GB}\nfilesystems:\n"
        )
    assert text != TEXT
    found = problems(text)
    told = [(one.line, about in f"{one.key}: {one.message}") for one in found]
    assert told == [(int(line), True)], [*map(str, found)]


def test_the_unit_is_checked_again_when_the_block_is_set() -> None:
    known = machine(TEXT)
    assert [*known.ways.faults()] == []
    found = problems(TEXT.replace("block: 64 KiB", "block: 3 MiB"))
    assert ["not a whole number of blocks of pages" in str(one) for one in found] == [True]


def test_all_paths_to_files_have_the_same_locks() -> None:
    begin, tiers = TEXT.split("  scratch:\n")
    inner = tiers.replace("    - ", "        - ")
    other = inner.replace("grant: 4 MiB", "grant: 8 MiB")
    text = f"{begin}  scratch:\n    paths:\n      one:\n{inner}      two:\n{other}"
    (found,) = problems(text)
    assert "scratch.one and scratch.two lead to the same files with different locks" in str(found)


def test_a_pool_before_locks_and_on_the_way_to_their_server_is_refused() -> None:
    text = TEXT.replace("parts:\n", "parts:\n  slots: {kind: pool, at: client, servers: 2}\n")
    text = text.replace("- {locks: [[nic]", "- {hold: slots}\n    - {locks: [{hold: slots}, [nic]")
    (found,) = problems(text)
    assert "requests could wait for each other" in str(found)
