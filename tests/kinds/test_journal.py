"""Journals whose commits wait for others: by hand, beside a naive twin, by renewal theory."""

from __future__ import annotations

import random

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import parse_machine
from simulator.kinds.parts.journal.section import JournalSpec
from tests.engines.hand import Hand
from tests.reference.runs import both, ends, planned, run, spent

COMMIT = 5000


def syncs(wait_ns: int, *times: int, commit_ns: int = COMMIT, each: int = 1) -> Hand:
    """Processes that sync a file, each first at a time."""
    hand = Hand(pe=1)
    hand.part("disk", "pe", rate=1e9)
    spec = JournalSpec(wait_ns=wait_ns)
    hand.part("log", "pe", "journal", overhead_ns=commit_ns, spec=spec)
    hand.path("fs", [hand.commit("log"), hand.stage("disk")])
    hand.file("f", "fs", 400)
    for number, time in enumerate(times):
        hand.process(f"p{number}", hand.listed(*[("sync", "f")] * each), start_ns=time)
    return hand


def test_those_that_come_while_a_commit_waits_share_it() -> None:
    """It waits from 0 to 300; what comes at 300 asks for the next, which waits for its end."""
    ran = run(syncs(300, 0, 10, 299, 300))
    assert ends(ran) == [5300, 5300, 5300, 5300 + COMMIT]
    assert [spent(ran, number)["log"] for number in range(4)] == [
        *((300, COMMIT), (290, COMMIT), (1, COMMIT)),
        (COMMIT, COMMIT),
    ]
    log = ran.parts["log"]
    assert (log.requests, log.busy_ns) == (4, 2 * COMMIT)


def test_two_syncs_at_once_need_one_commit() -> None:
    assert ends(run(syncs(0, 0, 0))) == [COMMIT, 2 * COMMIT]
    assert ends(run(syncs(1, 0, 0))) == [1 + COMMIT] * 2


def test_a_commit_waits_while_another_is_under_way() -> None:
    """Asked for at 1,000, the second may begin at 4,000, and begins when the first has ended."""
    assert ends(run(syncs(3000, 0, 4000)))[1] == 3000 + COMMIT + COMMIT
    # Asked for 1,000 before the end, it waits 2,000 longer than that.
    assert ends(run(syncs(3000, 0, 7000)))[1] == 7000 + 3000 + COMMIT


def test_waiting_makes_clients_in_turns_one_group() -> None:
    """Four that sync ten times: 20 commits in two groups without it, 10 with it."""
    alone = run(syncs(0, 0, 1, 2, 3, each=10))
    assert (alone.parts["log"].busy_ns, max(ends(alone))) == (20 * COMMIT, 20 * COMMIT)
    joined = run(syncs(100, 0, 1, 2, 3, each=10))
    assert ends(joined) == [10 * (COMMIT + 100)] * 4
    assert joined.parts["log"].busy_ns == 10 * COMMIT


def twin(times: list[int], commit_ns: int, wait_ns: int) -> list[int]:
    """Return when each of some syncs, in the order of their times, is committed."""
    found: list[int] = []
    begin, end = -1, 0
    for now in times:
        if now >= begin:
            begin = max(end, now + wait_ns)
            end = begin + commit_ns
        found.append(end)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_it_does_what_its_naive_twin_does(seed: int) -> None:
    dice = random.Random(seed)
    commit, wait = dice.choice((0, 7, 300)), dice.choice((0, 1, 40, 700))
    times = sorted(dice.randint(0, 2000) for _ in range(dice.randint(1, 40)))
    ran = run(syncs(wait, *times, commit_ns=commit))
    assert ends(ran) == twin(times, commit, wait)


def test_a_commit_has_those_that_come_in_its_wait_on_average() -> None:
    """Poisson syncs of rate 1/m and commits of no time: 1 + wait / m share one."""
    machine = """\
parts:
  log: {kind: journal, overhead: 1 ns, wait: 4 ms}
  bus: {kind: delay, rate: 1000 TB/s}
filesystems: {fs: [{sync: log}, bus]}
"""
    jobs = """\
files: {f: {size: 1 kB, shared: true}}
jobs:
  - name: users
    record: 1 kB
    arrivals: {every: 1 ms, distribution: poisson, count: 20000, out: 60}
    phases: [{do: write, file: f, synchronous: true}]
"""
    log = both(planned(machine, jobs)).parts["log"]
    # Each cycle is the wait and an exponential gap: 5 ms; 20,000 ms have 4,000 +- 14 cycles.
    assert log.requests / log.busy_ns == pytest.approx(1 + 4, rel=0.02)
    assert log.requests == 20000


def test_a_time_without_a_unit_is_told_with_its_place() -> None:
    machine = """\
format: machine/2
name: m
parts:
  log: {kind: journal, overhead: 1 ms, wait: %s}
  disk: {kind: disk, rate: 1 GB/s}
filesystems: {fs: [{sync: log}, disk]}
"""
    read = parse_machine(machine % "15 ms")
    assert read.parts["log"].row_at("", "")["spec"].wait_ns == 15_000_000
    with pytest.raises(ConfigError, match=r"parts\.log\.wait: .*15"):
        parse_machine(machine % "15")
