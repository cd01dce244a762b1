"""Where files lie among the targets of several servers; checked by hand."""

from __future__ import annotations

from collections import Counter
from math import ceil

import pytest

from simulator.config import ConfigError
from simulator.config.formats import MACHINE
from simulator.config.lowering.files import Turns, Used
from simulator.inputfile import Text
from simulator.plan.plan import Plan
from simulator.run import load_plan, run_plan

SERVERS = 14
MACHINE_TEXT = """
format: machine/2
name: many
nodes: {{client: {clients}, server: {servers}}}
parts:
  cpu: {{kind: cpu, call_overhead: 0 s, copy_rate: 1000000 GB/s}}
  nic: {{kind: network, at: [client, server], rate: 1 GB/s}}
  disk: {{kind: disk, at: server, count: {each}, rate: 10 GB/s}}
filesystems:
  home: [{tiers}]
"""
JOB = """
format: workload/2
name: files
files: {{out: {{size: {size}}}}}
jobs: [{{name: job, processes: {clients}, record: {size}, phases: [{{do: write, file: out}}]}}]
"""
STRIPE = "{{stripe: 1 MB, over: {over}, of: disk{more}}}, [nic], disk"


def plan_of(
    tiers: str, each: int, *, clients: int = 1000, servers: int = SERVERS, size: str = "10 MB"
) -> Plan:
    machine = MACHINE_TEXT.format(clients=clients, servers=servers, each=each, tiers=tiers)
    return load_plan(Text(machine, "many"), Text(JOB.format(clients=clients, size=size), "files"))


def requests(plan: Plan, engine: str) -> dict[str, int]:
    """Return the bytes of each disk."""
    result = run_plan(plan, engine=engine, debug=True)  # type: ignore[arg-type]
    return {name: one.bytes for name, one in result.parts.items() if one.part == "disk"}


def of_servers(disks: dict[str, int], each: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for name, size in disks.items():
        device = name.removeprefix("disk")
        found[int(device) // each if device.isdecimal() else int(name[6:-5])] += size
    return found


def seconds(each: int) -> float:
    tiers = STRIPE.format(over=1, more="")
    return run_plan(plan_of(tiers, each, size="100 MB"), engine="native").elapsed_ns / 1e9


@pytest.mark.slow
def test_more_disks_are_never_slower() -> None:
    """The widest server has 72 of 1,000 files, 0.1 s each at its port, with any number of disks."""
    by_hand = ceil(1000 / SERVERS) * 0.1
    for each in (12, 36, 48, 71):
        assert seconds(each) == pytest.approx(by_hand, rel=0.01)


@pytest.mark.few(2)
@pytest.mark.parametrize("each", [1, 2, 7, 36, 48])
@pytest.mark.parametrize("tiers", [STRIPE.format(over=1, more=""), "[nic], disk"])
def test_files_take_servers_in_turn_and_then_their_disks(tiers: str, each: int) -> None:
    disks = requests(plan_of(tiers, each), "native")
    files = {name: size // 10_000_000 for name, size in disks.items()}
    servers = of_servers(files, each)
    assert max(servers.values()) == ceil(1000 / SERVERS)
    assert min(servers.values()) == 1000 // SERVERS
    assert max(files.values()) <= ceil(1000 / (SERVERS * each))


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_the_stripes_of_a_file_are_on_servers_in_turn(engine: str) -> None:
    plan = plan_of(STRIPE.format(over=4, more=""), 2, clients=1, servers=3, size="4 MB")
    assert set(requests(plan, engine)) == {"disk0", "disk2", "disk4", "disk1"}


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(("over", "files"), [(1, 8), (2, 4), (4, 8)])
def test_disks_of_servers_that_a_stripe_decides_are_all_used(
    over: int, files: int, engine: str
) -> None:
    tiers = f"{{stripe: 1 MB, over: {over}, of: server}}, [nic], disk"
    plan = plan_of(tiers, 2, clients=files, servers=4, size="4 MB")
    disks = requests(plan, engine)
    assert set(disks.values()) == {files * 4_000_000 // 8}
    assert len(disks) == 8


@pytest.mark.parametrize(("members", "in_turn", "lustre"), [(20, 6, 4), (25, 3, 3), (30, 3, 3)])
def test_lustre_begins_behind_the_file_before(members: int, in_turn: int, lustre: int) -> None:
    """24 files over three members each: 72 objects, 3.6 on each of 20 members, 2.4 of 30."""
    for how, most in (("round-robin", in_turn), ("lustre", lustre)):
        tiers = STRIPE.format(over=3, more=f", placement: {how}")
        plan = plan_of(tiers, 1, clients=24, servers=members, size="3 MB")
        disks = [requests(plan, engine) for engine in ("native", "reference")]
        assert disks[0] == disks[1]
        assert max(disks[0].values()) == most * 1_000_000, how


def test_files_of_one_object_are_on_lustre_what_they_are_in_turn() -> None:
    turns = Turns(3)
    assert [turns.place(1) for _ in range(7)] == [0, 1, 2, 0, 1, 2, 0]


def test_random_placement_is_drawn_by_seed_and_file() -> None:
    tiers = STRIPE.format(over=2, more=", placement: random")
    leads = [one.lead for one in plan_of(tiers, 4).files]
    assert leads == [one.lead for one in plan_of(tiers, 4).files]
    counts = Counter(leads)
    assert len(counts) == SERVERS * 4  # 18 files for each of 56 targets
    assert max(counts.values()) > ceil(1000 / (SERVERS * 4))


def test_least_used_goes_where_the_fewest_bytes_are() -> None:
    """By hand: 4 targets, units of 10 bytes on two of them."""
    used = Used(4)
    assert [used.place(size, 10, 2) for size in (35, 10, 10, 5)] == [0, 2, 3, 2]
    assert used.bytes == [20, 15, 15, 10]


def test_least_used_evens_out_files_of_different_sizes() -> None:
    tiers = STRIPE.format(over=1, more=", placement: least-used")
    machine = MACHINE_TEXT.format(clients=4, servers=2, each=1, tiers=tiers)
    job = """
format: workload/2
name: files
files:
  large: {size: 30 MB, shared: true}
  a: {size: 10 MB, shared: true}
  b: {size: 10 MB, shared: true}
jobs:
  - name: job
    record: 10 MB
    phases: [{do: write, file: large}, {do: write, file: a}, {do: write, file: b}]
"""
    plan = load_plan(Text(machine, "many"), Text(job, "files"))
    assert [one.lead for one in plan.files] == [0, 1, 1]


@pytest.mark.parametrize(
    ("tiers", "line"),
    [
        (STRIPE.format(over=1, more=", placement: best"), "placement: 'best' is unknown; write"),
        (
            "{stripe: 1 MB, of: server, placement: random}, [nic],"
            " {stripe: 1 MB, of: disk, placement: random}, disk",
            "placement: files begin where another stripe says already; write one placement",
        ),
    ],
)
def test_a_placement_that_means_nothing_is_refused(tiers: str, line: str) -> None:
    text = MACHINE_TEXT.format(clients=4, servers=2, each=2, tiers=tiers)
    with pytest.raises(ConfigError) as caught:
        MACHINE.parse(text, "many", ())
    assert line in str(caught.value)
