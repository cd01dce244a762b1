"""Latencies by job, by hand and on both engines: two jobs before one server that takes turns."""

from __future__ import annotations

import pytest

from simulator.plan.codes import FIXED
from simulator.plan.jobs import ArrivalsPlan
from simulator.plan.plan import MOST_TIMED_JOBS
from simulator.result.latency import Latency
from simulator.result.record import record_of
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.reference.runs import run

SERVICE = 10
"""ns of a read of 100 B at the disk."""


def disk(files: int) -> Hand:
    hand = Hand(client=files, server=1)
    hand.part("disk", "server", rate=1e10)
    hand.path("fs", [hand.stage("disk")])
    for number in range(files):
        hand.file(f"f{number}", "fs", size=1000)
    return hand


def reads(hand: Hand, number: int, job: str, *, count: int = 1, **fields: int) -> None:
    calls = [("read", f"f{number}", 100 * i, 100) for i in range(count)]
    hand.process(f"p{number}", hand.listed(*calls), node=number, job=job, **fields)


def latency(*values: int) -> Latency:
    one = Latency()
    for value in values:
        one.add(value)
    return one


def test_each_job_has_the_latencies_of_its_own_calls() -> None:
    """Three of batch come first, and are served at 10, 20 and 30; the user waits for all three."""
    hand = disk(4)
    for number in range(3):
        reads(hand, number, "batch")
    reads(hand, 3, "user")
    result = run(hand)
    batch, user = latency(10, 20, 30), latency(40)
    assert result.latencies == {"read": latency(10, 20, 30, 40)}
    assert result.job_latencies == {"batch": {"read": batch}, "user": {"read": user}}
    assert result.latencies_of("user") == {"read": user}
    jobs = record_of(result)["jobs"]
    assert jobs["batch"]["latencies"] == {"read": batch.to_json()}
    assert jobs["user"]["latencies"]["read"]["p95_ns"] == 40


@pytest.mark.parametrize("first", [True, False])
def test_the_shortest_and_the_longest_may_be_of_any_job(*, first: bool) -> None:
    """Those of batch take 10 and 20; the user comes when the disk is idle: two of 10."""
    hand = disk(3)
    batch, user = ("a", "b") if first else ("b", "a")
    numbers = (0, 1, 2) if first else (1, 2, 0)
    for number, job, start in zip(numbers, (batch, batch, user), (0, 0, 1000), strict=True):
        reads(hand, number, job, count=1 + (job == user), start_ns=start)
    hand.processes.sort(key=lambda one: one.name)
    result = run(hand)
    assert result.latencies == {"read": latency(10, 10, 10, 20)}
    assert result.job_latencies[batch] == {"read": latency(10, 20)}
    assert result.job_latencies[user] == {"read": latency(10, 10)}


def test_jobs_make_calls_of_other_kinds() -> None:
    hand = disk(2)
    reads(hand, 0, "reader", count=2)
    hand.process("p1", hand.listed(("write", "f1", 0, 100), ("sync", "f1")), node=1, job="writer")
    result = run(hand)
    counts = {
        job: {name: (one.count, one.sum_ns) for name, one in latencies.items()}
        for job, latencies in result.job_latencies.items()
    }
    assert counts == {"reader": {"read": (2, 30)}, "writer": {"write": (1, 20), "sync": (1, 0)}}
    assert result.latencies_of("none") == {}


def test_arrivals_of_a_job_are_among_its_latencies() -> None:
    """Of three jobs that come every 5 ns and take 10 each, they take 10, 15 and 20."""
    hand = disk(2)
    reads(hand, 0, "served", arrivals=0)
    reads(hand, 1, "late", start_ns=1000)
    hand.arrivals.append(ArrivalsPlan(kind=FIXED, count=3, gap_ns=5, first_ns=0, stream="a"))
    result = run(hand)
    served = {"read": latency(10, 10, 10), "job": latency(10, 15, 20)}
    assert result.job_latencies == {"served": served, "late": {"read": latency(10)}}


def of_jobs(number: int) -> Result:
    hand = disk(number)
    for one in range(number):
        reads(hand, one, f"j{one}")
    return run(hand)


def test_a_single_job_has_those_of_the_run() -> None:
    result = of_jobs(1)
    assert result.job_latencies == {}
    assert result.latencies_of("j0") == {"read": latency(10)}
    assert "latencies" not in record_of(result)["jobs"]["j0"]


@pytest.mark.few(1)
def test_of_many_jobs_none_are_counted_apart() -> None:
    result = of_jobs(MOST_TIMED_JOBS)
    last = f"j{MOST_TIMED_JOBS - 1}"
    assert result.latencies_of(last) == {"read": latency(MOST_TIMED_JOBS * SERVICE)}
    result = of_jobs(MOST_TIMED_JOBS + 1)
    assert result.job_latencies == {}
    assert result.latencies_of(last) is None
    assert result.latencies["read"].count == MOST_TIMED_JOBS + 1
