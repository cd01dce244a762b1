"""Durable and direct calls on both engines, by hand: journals, syncs, O_SYNC, O_DIRECT, exports.

A byte takes 1 ns in memory and 10 ns on the disk, a commit 5000 ns; blocks are of 100 B.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan.codes import CHANGING, DIRECT, METADATA, OPERATIONS, READ, SYNCED
from simulator.plan.noise import Noise
from simulator.plan.parts import NoisePlan
from tests.engines.hand import Hand
from tests.reference.runs import counts, ends, run, spent
from tests.twins.plans.faults import faults

COMMIT = 5000
MEMORY, DISK = 1, 10


def machine(*below: str, **fields: Any) -> Hand:
    """A page cache over ``below`` and a disk; ``fields`` are those of the file."""
    hand = Hand(pe=1)
    hand.part("memory", "pe", rate=1e9 / MEMORY)
    hand.part("disk", "pe", rate=1e9 / DISK)
    hand.part("log", "pe", "journal", overhead_ns=COMMIT)
    hand.store("pages", "pe")
    tiers = {"log": hand.commit("log"), "export": hand.export(), "disk": hand.commit("disk")}
    path = [hand.stage("memory"), hand.kept("pages"), *(tiers[name] for name in below)]
    hand.path("fs", [*path, hand.stage("disk")])
    hand.file("f", "fs", 400, **fields)
    return hand


def syncs(*times: int) -> Hand:
    """Processes that sync a clean file, each at a time."""
    hand = machine("log")
    for number, time in enumerate(times):
        hand.process(f"p{number}", hand.listed(("sync", "f")), start_ns=time)
    return hand


def alone(hand: Hand, *rows: tuple[Any, ...]) -> Hand:
    """The machine with one process that makes these calls on the file."""
    hand.process("p", hand.listed(*((name, "f", *rest) for name, *rest in rows)))
    return hand


# -- group commit -------------------------------------------------------------------------------


def test_a_sync_costs_its_dirty_data_and_a_commit() -> None:
    ran = run(alone(machine("log"), ("write", 0, 100), ("sync",)))
    assert ends(ran) == [100 * MEMORY + 100 * DISK + COMMIT]
    assert spent(ran) == {
        "memory": (0, 100),
        "pages.writeback": (1000, 0),
        "log": (0, COMMIT),
    }
    assert ran.parts["log"].kind == "journal"


def test_a_sync_of_a_clean_file_costs_a_commit() -> None:
    assert ends(run(syncs(0))) == [COMMIT]


def test_two_syncs_at_once_need_two_commits() -> None:
    """The first begins one, which is under way when the second comes."""
    ran = run(syncs(0, 0))
    assert ends(ran) == [COMMIT, 2 * COMMIT]
    assert spent(ran, 1) == {"log": (COMMIT, COMMIT)}


def test_syncs_that_come_during_a_commit_share_the_next() -> None:
    ran = run(syncs(0, 1000, 4000, 4999))
    assert ends(ran) == [COMMIT, *[2 * COMMIT] * 3]
    assert [spent(ran, number)["log"][0] for number in range(4)] == [0, 4000, 1000, 1]
    log = ran.parts["log"]
    assert (log.requests, log.bytes, log.busy_ns) == (4, 0, 2 * COMMIT)
    assert [one for one in ran.spans if one.part == "log"] == [
        type(ran.spans[0])("log", 0, COMMIT, 0),
        type(ran.spans[0])("log", COMMIT, COMMIT, 0),
    ]


def test_a_commit_is_under_way_from_the_nanosecond_in_which_it_begins() -> None:
    assert ends(run(syncs(0, 1, 5000, 4999)))[1:] == [10_000, 15_000, 10_000]
    assert ends(run(syncs(0, 5000))) == [5000, 10_000]


def test_processes_that_sync_again_and_again_take_turns_in_two_groups() -> None:
    """One has the odd commits, the three that come during its first one have the even ones."""
    hand = machine("log")
    for number in range(4):
        hand.process(f"p{number}", hand.listed(*[("sync", "f")] * 10), start_ns=number)
    ran = run(hand)
    assert ends(ran) == [19 * COMMIT, *[20 * COMMIT] * 3]
    assert (ran.parts["log"].requests, ran.parts["log"].busy_ns) == (40, 20 * COMMIT)


def test_commits_vary_by_their_number_not_by_that_of_syncs() -> None:
    hand = syncs(0, 1, 2, 40_000)
    row = next(i for i, part in enumerate(hand.parts) if part.name == "log")
    hand.parts[row] = replace(hand.parts[row], noise=NoisePlan(exponential=True))
    noise = Noise.exponential(3, 0, "log")
    first, second, third = (noise.stretch(COMMIT, number) for number in (1, 2, 3))
    assert 2 < first < 40_000 > first + second
    expected = [first, first + second, first + second, 40_000 + third]
    assert ends(run(hand, seed=3)) == expected


def test_reads_and_writes_pass_a_journal_by() -> None:
    ran = run(alone(machine("log", length=400), ("read", 0, 100), ("write-direct", 0, 100)))
    assert ends(ran) == [100 * MEMORY + 2 * 100 * DISK]
    assert "log" not in ran.parts


def test_a_sync_may_use_the_disk_which_goes_to_the_file() -> None:
    hand = machine("disk")
    row = next(i for i, part in enumerate(hand.parts) if part.name == "disk")
    disk = DiskSpec(rate=1e9 / DISK, overhead_ns=7, seek_ns=300)
    service = disk.transfer()
    hand.parts[row] = replace(hand.parts[row], kind="disk", spec=disk, service=service)
    ran = run(alone(hand, ("write", 100, 100), ("sync",), ("sync",)))
    assert ends(ran) == [100 + (300 + 7 + 1000) + (300 + 7) + 7]


# -- synchronous writes -------------------------------------------------------------------------


def test_a_synchronous_write_is_a_write_and_a_sync_in_one_call() -> None:
    ran = run(alone(machine("log"), ("write-sync", 0, 100), ("write-sync", 100, 50)))
    one = 100 * MEMORY + 100 * DISK + COMMIT
    assert ends(ran) == [one + 50 * MEMORY + 50 * DISK + COMMIT]
    assert set(ran.latencies) == {"write"}
    assert (ran.latencies["write"].count, ran.latencies["write"].max_ns) == (2, one)
    assert (ran.processes[0].write.bytes, ran.processes[0].write.calls_ns) == (150, ends(ran)[0])


def test_a_synchronous_write_of_no_bytes_syncs_nothing() -> None:
    assert ends(run(alone(machine("log"), ("write-sync", 0, 0)))) == [0]


def test_each_call_of_a_synchronous_stream_waits_for_the_device() -> None:
    hand = machine("log")
    hand.process("p", hand.stream("f", 100, 3, write=True, synchronous=True))
    ran = run(hand)
    assert ends(ran) == [3 * (100 * MEMORY + 100 * DISK + COMMIT)]
    assert ran.stores["pages"].counts["syncs"] == 3


# -- direct calls -------------------------------------------------------------------------------


def test_a_direct_read_of_cached_data_comes_from_the_device_and_changes_nothing() -> None:
    hand = machine(length=400, prestaged=True)
    ran = run(alone(hand, ("read-direct", 0, 200), ("read", 0, 200)))
    assert ends(ran) == [200 * DISK + 200 * MEMORY]
    assert counts(ran, "pages") == {
        "hits": 2,
        "prestaged": 4,
        "prestaged_bytes": 400,
        "resident": 4,
    }


def test_a_direct_read_has_dirty_data_written_back_first() -> None:
    rows = (("write", 0, 50), ("write", 300, 100), ("read-direct", 0, 50), ("read", 0, 50))
    ran = run(alone(machine("log"), *rows))
    assert ends(ran) == [150 * MEMORY + 150 * DISK + 50 * DISK + 50 * MEMORY]
    pages = counts(ran, "pages")
    assert (pages["written_back"], pages["resident"]) == (2, 2)
    assert "syncs" not in pages
    assert spent(ran)["pages.writeback"] == (1500, 0)


def test_a_direct_write_drops_the_clean_blocks_that_it_touches() -> None:
    hand = machine(length=400, prestaged=True)
    rows = (("write-direct", 150, 100), ("read", 0, 100), ("read", 100, 100))
    ran = run(alone(hand, *rows))
    assert ends(ran) == [100 * DISK + 100 * MEMORY + 100 * DISK + 100 * MEMORY]
    pages = counts(ran, "pages")
    assert (pages["invalidated"], pages["fetched"], pages["resident"]) == (2, 1, 3)
    assert "accepted_bytes" not in pages


def test_a_direct_write_goes_after_the_dirty_data_of_its_file() -> None:
    ran = run(alone(machine("log"), ("write", 0, 50), ("write-direct", 50, 50), ("read", 0, 100)))
    assert ends(ran) == [50 * MEMORY + 50 * DISK + 50 * DISK + 100 * DISK + 100 * MEMORY]


def test_a_direct_synchronous_write_commits_too() -> None:
    ran = run(alone(machine("log"), ("write-direct-sync", 0, 100)))
    assert ends(ran) == [100 * DISK + COMMIT]
    assert ran.latencies["write"].max_ns == ends(ran)[0]


@pytest.mark.parametrize(("write", "expected"), [(False, 3 * 1000), (True, 3 * 1000)])
def test_the_calls_of_a_direct_stream(write: bool, expected: int) -> None:
    hand = machine("log", length=400)
    hand.process("p", hand.stream("f", 100, 3, write=write, direct=True))
    assert ends(run(hand)) == [expected]


def test_the_stores_of_servers_are_used_as_ever() -> None:
    hand = Hand(client=2, server=1)
    hand.part("nic", "client", rate=1e9)
    hand.part("disk", "server", rate=1e9 / DISK)
    hand.store("pages", "client", ahead=2)
    hand.store("cache", "server")
    hand.path("fs", [hand.kept("pages"), hand.stage("nic"), hand.kept("cache"), hand.stage("disk")])
    hand.file("f", "fs", 400, length=400)
    twice = hand.listed(("read-direct", "f", 0, 100), ("read-direct", "f", 0, 100))
    hand.process("p", twice)
    ran = run(hand)
    assert ends(ran) == [1000 + 100 + 100]
    assert counts(ran, "server.cache")["hits"] == 1
    assert "client0.pages" not in ran.stores


def test_a_store_that_writes_through_is_passed_too() -> None:
    hand = machine("log", length=400, prestaged=True)
    hand.stores[0] = replace(hand.stores[0], back=False, workers=0)
    ran = run(alone(hand, ("write-direct", 0, 100), ("read", 0, 100)))
    assert ends(ran) == [100 * DISK + 100 * DISK + 100 * MEMORY]


# -- exports ------------------------------------------------------------------------------------


def test_an_asynchronous_export_answers_syncs() -> None:
    rows = (("write", 0, 100), ("sync",), ("write-sync", 100, 100), ("read", 0, 100))
    ran = run(alone(machine("export", "log"), *rows))
    assert ends(ran) == [300 * MEMORY + 200 * DISK]
    assert "log" not in ran.parts


def test_what_comes_before_an_export_is_done() -> None:
    assert ends(run(alone(machine("log", "export"), ("sync",)))) == [COMMIT]


# -- metadata -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize(("above", "expected"), [((), 6 * COMMIT), (("export",), 0)])
def test_changes_of_metadata_use_the_journal(
    above: tuple[str, ...], expected: int, size: int
) -> None:
    """Also in their other state, which a size says."""
    hand = machine("log")
    hand.part("server", "pe", "delay", overhead_ns=10)
    before = [hand.export() for _ in above]
    hand.paths[0] = replace(
        hand.paths[0], metadata=hand.chain([hand.work("server"), *before, hand.commit("log")])
    )
    names = [OPERATIONS[kind] for kind in METADATA]
    ran = run(alone(hand, *((name, 0, size) for name in names)))
    assert ends(ran) == [len(names) * 10 + expected]
    slow = {name for name in names if ran.latencies[name].max_ns > 10}
    assert slow == ({OPERATIONS[kind] for kind in CHANGING} if expected else set())


# -- what is wrong ------------------------------------------------------------------------------


def test_nothing_but_a_sync_uses_a_journal() -> None:
    hand = machine()
    hand.path("other", [hand.stage("log"), hand.work("log"), hand.hold("log")])
    found = faults(alone(hand, ("sync",)).plan())
    assert {one for one in found if one.endswith("uses log, a journal")} == {
        "path other: tier 4 uses log, a journal",
        "path other: tier 5 uses log, a journal",
        "path other: tier 6 uses log, a journal",
    }


def test_bits_of_other_kinds_are_refused() -> None:
    hand = alone(machine(), ("read", 0, 100), ("sync",))
    hand.operations.kind[0] |= SYNCED
    hand.operations.kind[1] |= DIRECT
    assert faults(hand.plan()) == [
        f"p: operation 0 is of unknown kind {READ | SYNCED}",
        f"p: operation 1 is of unknown kind {9 | DIRECT}",
    ]
    hand = machine()
    hand.process("p", hand.stream("f", 100, 3, write=False, synchronous=True))
    assert faults(hand.plan()) == ["p: reads synchronously"]
