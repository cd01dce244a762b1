"""Metadata operations by kind: what each costs, by hand, in both engines, files and reports."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.answers.levers import levers_of
from simulator.cli.main import main
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan.codes import CHANGING, METADATA, OPERATIONS
from simulator.plan.parts import NoisePlan
from simulator.result.result import Result
from simulator.runtime import listed
from tests.config.machine_texts import cluster
from tests.engines.hand import Hand
from tests.reference.runs import run
from tests.twins.plans.faults import faults

KINDS = tuple(OPERATIONS[kind] for kind in METADATA)


def server(kind: str = "queue", **fields: object) -> Hand:
    """A client, and a server whose part takes 50 ns for each request."""
    hand = Hand(client=2, server=1)
    hand.part("disk", "server", rate=1e9)
    hand.part("mds", "server", kind, overhead_ns=50, **fields)
    return hand


def asking(hand: Hand, *kinds: str, processes: int = 1, **costs: int) -> Hand:
    """Processes that carry out metadata operations on one file, one after the other."""
    metadata = hand.chain([hand.work("mds", **costs)])
    hand.path("fs", [hand.stage("disk")], metadata=metadata)
    hand.file("f", "fs", 1000)
    for number in range(processes):
        hand.process(f"p{number}", hand.listed(*((kind, "f") for kind in kinds)), node=number)
    return hand


def ran(hand: Hand) -> Result:
    assert faults(hand.plan()) == []
    return run(hand)


def test_all_metadata_operations_can_be_listed() -> None:
    assert set(CHANGING) < set(METADATA) <= set(listed.KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_takes_its_cost_or_the_parts_own_time(kind: str) -> None:
    """50 ns each where nothing is said of the kind, 400 where it is."""
    plain = ran(asking(server(), kind))
    assert (plain.elapsed_ns, plain.latencies[kind].sum_ns) == (50, 50)
    dear = ran(asking(server(), kind, **{kind: 400}))
    assert (dear.elapsed_ns, dear.latencies[kind].sum_ns) == (400, 400)
    assert dear.parts["server.mds"].busy_ns == 400
    other = "stat" if kind != "stat" else "open"
    assert ran(asking(server(), kind, **{other: 400})).elapsed_ns == 50


def test_costs_queue_at_the_part() -> None:
    """Two creates of 400 ns at one server: the second waits for the first, its stat for both."""
    found = ran(asking(server(), "create", "stat", processes=2, create=400))
    assert [one.ended_ns for one in found.processes] == [850, 900]
    assert found.processes[1].spent == {"mds": (450, 450)}
    assert found.latencies["create"].sum_ns == 400 + 800
    wide = ran(asking(server(servers=2), "create", "stat", processes=2, create=400))
    assert [one.ended_ns for one in wide.processes] == [450, 450]


def test_a_cost_of_nothing_and_one_at_a_part_without_queue() -> None:
    assert ran(asking(server(), "readdir", readdir=0)).elapsed_ns == 0
    found = ran(asking(server("delay"), "unlink", processes=2, unlink=300))
    assert [one.ended_ns for one in found.processes] == [300, 300]


def test_costs_at_a_shared_part_are_shared() -> None:
    """Two of 400 ns share the part: both end at 800."""
    found = ran(asking(server("shared"), "rename", processes=2, rename=400))
    assert [one.ended_ns for one in found.processes] == [800, 800]
    assert found.parts["server.mds"].busy_ns == 800


def test_costs_at_a_disk_move_no_arm() -> None:
    """The first stat seeks (30 ns, and 50 of overhead); the create between two does not."""
    disk = DiskSpec(rate=math.inf, overhead_ns=50, seek_ns=30, turn_ns=0)
    hand = server("disk", spec=disk)
    found = ran(asking(hand, "create", "stat", "create", "stat", create=400))
    assert found.elapsed_ns == 400 + 80 + 400 + 50


def test_costs_are_stretched_by_the_noise_of_the_part() -> None:
    """With noise of 30 % for the whole run, 8 times the overhead takes 8 times as long."""
    noise = NoisePlan(run_sd=0.3, request_sd=0.0)
    times = []
    for costs in ({}, {"setattr": 400_000}):
        hand = asking(server(noise=noise), "setattr", **costs)
        hand.parts[2] = replace(
            hand.parts[2], service=replace(hand.parts[2].service, overhead_ns=50_000)
        )
        times.append(run(hand, noisy=True, seed=3).elapsed_ns)
    assert times[0] != 50_000
    assert times[1] == pytest.approx(8 * times[0], abs=8)


def test_without_metadata_all_kinds_are_free() -> None:
    hand = Hand(pe=1)
    hand.part("disk", "pe", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 1000)
    hand.process("p", hand.listed(*((kind, "f", 0, 0, 5) for kind in KINDS)))
    found = ran(hand)
    assert found.elapsed_ns == 5 * len(KINDS) == found.processes[0].compute_ns
    assert all(found.latencies[kind].sum_ns == 0 for kind in KINDS)


def test_wrong_costs_are_faults_of_a_plan() -> None:
    hand = asking(server(), "stat", stat=1)
    short = [replace(tier, costs=tier.costs[:3]) for tier in hand.tiers]
    below = [replace(tier, costs=tier.costs and (-2,) * len(METADATA)) for tier in hand.tiers]
    for tiers, about in ((short, "costs of 3 kinds"), (below, "a cost of -2 ns")):
        assert about in " ".join(faults(replace(hand.plan(), tiers=tuple(tiers))))
    stage = replace(hand.stage("disk"), costs=(0,) * len(METADATA))
    hand.path("wrong", [stage])
    assert "has costs of 11 kinds" in " ".join(faults(hand.plan()))


@pytest.mark.parametrize("kind", KINDS)
def test_an_operation_in_its_other_state_costs_what_that_does(kind: str) -> None:
    """400 ns as usual and 900 in the other state, which a size says; of a close it says no such."""
    hand = asking(server(), kind, **{kind: 400})
    first = hand.listed((kind, "f"), (kind, "f", 0, 1), (kind, "f", 0, 0))
    hand.process("other", first, node=1)
    place = len(METADATA)
    hand.tiers = [
        replace(one, costs=one.costs and one.costs + (900,) * place) for one in hand.tiers
    ]
    other = 400 if kind == "close" else 900
    assert ran(hand).elapsed_ns == 2 * 400 + other + 400


def test_an_other_state_that_a_part_has_not_is_the_usual_one() -> None:
    hand = asking(server(), "stat", stat=400)
    hand.process("other", hand.listed(("stat", "f", 0, 1)), node=1)
    assert ran(hand).elapsed_ns == 800


# -- in files ---------------------------------------------------------------------------------

OTHERS = "{work: rpc, costs: {create: 1 ms, lookup: 4 us}, others: {create: 9 ms, stat: 2 us}}"
SYSTEM = (
    "home: {tiers: [[nic], disk], metadata: [[nic], {work: rpc, costs: {create: 1 ms, stat: 0 s}}]}"
)


def test_other_states_of_a_file_follow_its_costs_and_need_them() -> None:
    text = f"home: {{tiers: [[nic], disk], metadata: [[nic], {OTHERS}]}}"
    tiers = cluster(text).ways.block("home", "", 0).tiers
    (costs,) = {one.costs for one in tiers if one.costs}
    place = {OPERATIONS[kind]: number for number, kind in enumerate(METADATA)}
    usual, others = costs[: len(place)], costs[len(place) :]
    assert [(usual[place[one]], others[place[one]]) for one in ("create", "lookup", "stat")] == [
        (1_000_000, 9_000_000),
        (4000, 4000),
        (-1, 2000),
    ]


def test_costs_of_a_file_are_those_of_the_plan() -> None:
    machine = cluster(SYSTEM)
    tiers = machine.ways.block("home", "", 0).tiers
    (costs,) = (tier.costs for tier in tiers if tier.costs)
    wanted = {"create": 1_000_000, "stat": 0}
    assert costs == tuple(wanted.get(kind, -1) for kind in KINDS)


def test_costs_are_levers() -> None:
    levers = {lever.name: lever for lever in levers_of(cluster(SYSTEM))}
    one = levers["home.metadata.1.costs.create"]
    assert one.kind == "latency"
    assert one.settings("twice") == (
        ("machine.filesystems.home.metadata.1.costs.create", "500 us"),
    )
    assert "home.metadata.1.costs.stat" not in levers  # it takes no time


MACHINE = """\
format: machine/2
name: small
parts:
  disk: {kind: disk, rate: 100 MB/s}
  mds: {kind: queue, overhead: 50 us}
filesystems:
  home: {tiers: [disk], metadata: [{work: mds, costs: {create: 400 us}}]}
"""
JOB = """\
format: workload/2
name: kinds
files: {f: {size: 1 MB}}
jobs:
  - name: job
    phases:
"""


def latencies(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, float]]:
    assert main(["run", *words, "--format", "json", "--no-limits", "--debug"]) == 0
    found: dict[str, dict[str, float]] = json.loads(capsys.readouterr().out)["latencies"]
    return found


def test_phases_of_all_kinds_are_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine, job = tmp_path / "m.yaml", tmp_path / "j.yaml"
    machine.write_text(MACHINE)
    phases = "".join(f"      - {{do: {kind}, file: f, count: 2}}\n" for kind in KINDS)
    job.write_text(JOB + phases)
    found = latencies(capsys, str(machine), str(job))
    assert {kind: found[kind]["count"] for kind in KINDS} == dict.fromkeys(KINDS, 2)
    assert (found["create"]["mean_ns"], found["stat"]["mean_ns"]) == (402_000, 52_000)
    quick = ("--set", "home.metadata.costs.create=10 us")
    assert latencies(capsys, str(machine), str(job), *quick)["create"]["mean_ns"] == 12_000


def test_listed_calls_of_all_kinds_are_timed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine, job = tmp_path / "m.yaml", tmp_path / "j.yaml"
    machine.write_text(MACHINE)
    job.write_text(JOB.split("files:", maxsplit=1)[0] + "jobs: [{name: job, calls: j.csv}]\n")
    rows = "".join(f"a,{kind},/data/f,,,\n" for kind in KINDS)
    (tmp_path / "j.csv").write_text(f"client,do,file,offset,size,gap_ns\na,start,,,,0\n{rows}")
    found = latencies(capsys, str(machine), str(job))
    assert {kind: found[kind]["mean_ns"] for kind in KINDS} == {
        kind: 402_000 if kind == "create" else 52_000 for kind in KINDS
    }
