"""A store that nodes of several groups have, in one file system: by hand and on both engines."""

from __future__ import annotations

from random import Random

import pytest

from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.result.result import Result
from simulator.run import load_plan
from tests.reference.runs import FREE, both, planned

MACHINE = f"""\
nodes: {{client: 2, login: 1, server: 1}}
parts:
  cpu: {FREE}
  nic: {{kind: network, at: [client, login, server], rate: 1 GB/s, switching: circuit}}
  disk: {{kind: disk, at: server, rate: 100 MB/s}}
stores:
  pages: {{at: [client, login], capacity: 10 MB, block: 1 MB, dirty: 100 %}}
filesystems:
  home: {{tiers: [LOCKS pages, nic, disk]}}
"""
JOBS = """\
files: {f: {size: 1 MB, exists: true, shared: true}}
jobs:
  - {name: far, on: login, record: 1 MB, policy: posix, phases: [PHASES]}
  - {name: near, on: client, record: 1 MB, policy: posix, phases: [{do: read, file: f}]}
"""
READ = "{do: read, file: f}"
MISS = 10**7 + 10**6
"""ns of 1 MB from the disk through the network."""


LOCKS = "{locks: [[{part: nic, to: server}]], unit: 1 MB}, "


def ran(phases: str) -> Result:
    machine = MACHINE.replace("LOCKS ", "")
    return both(planned(machine, JOBS.replace("PHASES", phases)))


def test_each_node_of_each_group_has_its_own_cache() -> None:
    """Both miss once, one after the other at the disk; the second read of login finds it there."""
    result = ran(f"{READ}, {READ}")
    assert set(result.stores) == {"login.pages", "client0.pages"}
    found = {
        name: (one.counts["hits"], one.counts["fetched"]) for name, one in result.stores.items()
    }
    assert found == {"login.pages": (1, 1), "client0.pages": (0, 1)}
    far, near = result.processes
    assert far.read.calls_ns < MISS + 10**5
    assert near.read.calls_ns == pytest.approx(2 * MISS - 10**6, rel=1e-3)


def test_a_lock_calls_back_what_the_other_group_holds() -> None:
    """Login writes and keeps it dirty; client's read forces it to the disk, and drops it there."""
    late = "{do: compute, time: 1 s}, "
    machine = MACHINE.replace("LOCKS ", LOCKS)
    jobs = JOBS.replace("PHASES", "{do: write, file: f}, {do: compute, time: 2 s}")
    jobs = jobs.replace("phases: [{do: read", f"phases: [{late}{{do: read")
    result = both(planned(machine, jobs))
    counts = result.stores["login.pages"].counts
    assert (counts["written_back_bytes"], counts["called_back"]) == (10**6, 1)
    assert result.processes[1].read.calls_ns > 2 * MISS


def test_what_one_group_has_written_is_there_for_the_other() -> None:
    """The file did not exist: once login has synced it, client finds it on the disk."""
    jobs = JOBS.replace(", exists: true", "").replace(
        "PHASES", "{do: write, file: f}, {do: sync, file: f}"
    )
    jobs = jobs.replace("phases: [{do: read", "phases: [{do: compute, time: 1 s}, {do: read")
    near = both(planned(MACHINE.replace("LOCKS ", ""), jobs)).processes[1]
    assert near.read.calls_ns == pytest.approx(MISS, rel=1e-3)


FIRST = ("{do: write, file: f}", "{do: write, file: g}")
PHASES = (
    *(*FIRST, "{do: read, file: f}", "{do: read, file: g}", "{do: sync, file: f}"),
    *("{do: stat, file: g}", "{do: sync, file: g}", "{do: compute, time: 3 ms}"),
)


@pytest.mark.few(5)
@pytest.mark.parametrize("seed", range(40))
def test_a_group_that_is_divided_in_two_changes_nothing(seed: int) -> None:
    """Three nodes of one group, or two and one: the same times, hits and write-backs."""
    dice = Random(seed)
    phases = ", ".join([*dice.sample(FIRST, k=2), *dice.choices(PHASES, k=8)])
    machine = MACHINE.replace("10 MB, block: 1 MB", "600 kB, block: 100 kB, writers: 2")
    machine = machine.replace("100 %", dice.choice(["40 %", "100 %"]))
    machine = machine.replace("LOCKS ", dice.choice(["", LOCKS.replace("1 MB", "200 kB")]))
    head = "files: {f: {size: 1 MB, shared: true}, g: {size: 400 kB, shared: true}}\njobs:\n"
    head = head.replace("1 MB,", dice.choice(["1 MB,", "1 MB, exists: true,"]))
    job = f"record: 100 kB, policy: posix, phases: [{phases}]}}\n"
    two = f"  - {{name: a, on: client, processes: 2, {job}  - {{name: b, on: login, {job}"
    one = f"  - {{name: a, on: client, processes: 3, {job}"
    divided = both(planned(machine, head + two))
    whole = machine.replace("client: 2, login: 1", "client: 3").replace("client, login", "client")
    assert facts(both(planned(whole, head + one))) == facts(divided)


def facts(result: Result) -> object:
    """Return times of processes, and counters of stores, by nodes in their order."""
    times = [
        (
            one.ended_ns,
            one.read,
            one.write,
            {n.replace("login", "client"): t for n, t in one.spent.items()},
        )
        for one in result.processes
    ]
    stores = {name.replace("login.", "client2."): one.counts for name, one in result.stores.items()}
    return times, stores, result.latencies, result.end_ns


def test_other_numbers_are_those_of_both_groups() -> None:
    """A variant of a machine that is known has the changed store in both groups."""
    plan = planned(MACHINE.replace("LOCKS ", ""), JOBS.replace("PHASES", READ))
    other = planned(
        MACHINE.replace("LOCKS ", ""), JOBS.replace("PHASES", READ), **{"pages.capacity": "5 MB"}
    )
    assert [(one.name, one.count, one.slots) for one in plan.stores] == [
        ("pages", 2, 10),
        ("pages", 1, 10),
    ]
    assert [one.slots for one in other.stores] == [5, 5]
    assert other.stores[1].first == 2


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("[client, logins]", "'logins'"),
        ("[client, client]", "'client' is in the list twice; write it once"),
        ("[]", "stores.pages.at"),
    ],
)
def test_what_is_wrong_with_the_groups(at: str, told: str) -> None:
    text = MACHINE.replace("LOCKS ", "").replace("at: [client, login], c", f"at: {at}, c")
    head = "format: {}/2\nname: test\ntitle: test\n"
    with pytest.raises(ConfigError) as error:
        load_plan(
            Text(head.format("machine") + text, "m.yaml"),
            Text(head.format("workload") + JOBS.replace("PHASES", READ), "w.yaml"),
        )
    assert told in str(error.value)
