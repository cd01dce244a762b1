"""What must hold on every run holds on random ones, and is noticed where it does not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.identities import IdentityError, check_identities
from simulator.engine.parts import Parts
from simulator.engine.plan import Plan
from simulator.engine.result import Result, Span
from simulator.machine.pe import Pe
from simulator.machine.station import Station
from tests.plans import Draw, a_file, compute, job, phase, plan, ssu
from tests.test_cache import check_rings
from tests.watch import run_watched

rngs = st.randoms(use_true_random=False)


@given(rngs)
def test_hold_on_random_plans(rng: Random) -> None:
    """Also: no lost wake-up at any time, nothing under way at the end, no slot lost."""
    _, parts = run_watched(Draw(rng).plan(12))
    assert parts.ssu is not None
    check_rings(parts.ssu.cache)


@given(rngs)
def test_a_timeline_adds_up_to_what_the_parts_did(rng: Random) -> None:
    """Services never overlap on more servers than there are, and add up to the busy time."""
    result, parts = run_watched(Draw(rng).plan(6), timeline=True)
    for part in parts.all:
        if isinstance(part, Pe):
            continue  # its time is written down in the pieces that pass in one event
        spans = [span for span in result.spans if span.part == part.name]
        assert len(spans) == part.requests
        assert sum(span.bytes for span in spans) == part.bytes
        if isinstance(part, Station):  # transfers on a fair link do overlap
            assert sum(span.service_ns for span in spans) == part.busy_ns
            assert _most_at_once(spans) <= part.servers


def _most_at_once(spans: list[Span]) -> int:
    changes = []
    for span in spans:
        if span.service_ns:
            changes += [(span.start_ns, 1), (span.start_ns + span.service_ns, -1)]
    present = most = 0
    for _, change in sorted(changes):  # at the same time, ends come before beginnings
        present += change
        most = max(most, present)
    return most


@given(rngs)
def test_nothing_is_faster_than_its_way(rng: Random) -> None:
    """All bytes of a transfer pass the PE's port (to half a ns each), one after the other."""
    drawn = Draw(rng, exact=True).plan(6)
    result, _ = run_watched(drawn)
    per_byte = drawn.machine.port.service_ns(1_000_000) // 1_000_000
    for client in result.clients:
        for transfer in (client.read, client.write):
            assert transfer.elapsed_ns >= transfer.bytes * per_byte


# -- they can fail ----------------------------------------------------------------------------

Tamper = Callable[[Result, Parts], None]


def busy_plan() -> Plan:
    """Every kind of thing happens once: fetches, write-back, release, read-back."""
    jobs = [
        job(phase("write", 192, 92, buffer=50), phase("read", 92), compute(10)),
        job(phase("read", 92, file=1)),
    ]
    files = [a_file(0, size=300), a_file(100)]
    rules = ssu(3, "rewrite", share=1, release="full")
    return plan(*jobs, files=files, ssu=rules, lan=None)


def _time(result: Result, _: Parts) -> None:
    result.clients[0].parts["pe0"] = (0, 1)


def _idle(result: Result, _: Parts) -> None:
    result.clients[0].compute_ns += 5
    result.clients[0].idle_ns -= 5


def _negative(result: Result, _: Parts) -> None:
    wait, service = result.clients[0].parts["pe0"]
    result.clients[0].parts["pe0"] = (wait - 1, service + 1)


def _late(result: Result, _: Parts) -> None:
    result.end_ns = result.clients[0].ended_ns - 1


def _read(result: Result, _: Parts) -> None:
    result.clients[1].read.bytes += 1


def _busy(result: Result, _: Parts) -> None:
    result.parts["disk0"].busy_ns = result.end_ns + 1


def _counter(result: Result, _: Parts) -> None:
    result.parts["disk0"].bytes = -1


def _sent(_: Result, parts: Parts) -> None:
    parts.ports[0].outward.bytes += 1


def _accepted(_: Result, parts: Parts) -> None:
    assert parts.ssu is not None
    parts.ssu.counts.accepted_bytes += 1


def _used(_: Result, parts: Parts) -> None:
    assert parts.ssu is not None
    parts.ssu.cache.used += 1


def _came(_: Result, parts: Parts) -> None:
    assert parts.ssu is not None
    parts.ssu.counts.fetched += 1


def _stored(_: Result, parts: Parts) -> None:
    parts.groups[0][0].bytes += 1


def _fetched(_: Result, parts: Parts) -> None:
    assert parts.ssu is not None
    parts.ssu.counts.fetched_bytes += 1


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (_time, r"job0: \d+ ns of \d+ accounted for"),
        (_idle, "job0: negative time in its account"),
        (_negative, "job0: negative time in its account"),
        (_late, r"job0: ran from 0 to \d+"),
        (_read, "job1: read of 93 B where 92 B were planned"),
        (_busy, r"disk0: busy for \d+ ns in \d+ ns"),
        (_counter, "disk0: negative counters"),
        (_sent, r"crossbar: \d+ B sent, \d+ B received"),
        (_accepted, r"ssu: \d+ B written into it, \d+ B accounted for"),
        (_used, r"ssu: \d units resident, \d slots used"),
        (_came, r"ssu: \d+ units came, \d are there, the rest did not go"),
        (_stored, r"disks: \d+ B, their I/O paths: \d+ B"),
        (_fetched, r"disks: \d+ B, the SSU says \d+ B"),
    ],
)
def test_one_that_is_broken_is_named(tamper: Tamper, message: str) -> None:
    built = busy_plan()
    result, parts = run_watched(built)
    check_identities(built, parts.books(), result)
    tamper(result, parts)
    with pytest.raises(IdentityError, match=message):
        check_identities(built, parts.books(), result)


def test_all_that_are_broken_are_named() -> None:
    built = busy_plan()
    result, parts = run_watched(built)
    _read(result, parts)
    _sent(result, parts)
    with pytest.raises(IdentityError, match=r"job1: read of .*; crossbar: "):
        check_identities(built, parts.books(), result)


def test_the_busy_plan_is_busy() -> None:
    """The checks above would prove little on a run in which nothing happened."""
    result, _ = run_watched(busy_plan())
    cache = result.cache
    for name in ("hits", "fetched", "read_back", "written_back", "released", "rewrites_waited"):
        assert cache[name] > 0, name
    assert all(before <= after for before, after in pairwise([0, result.elapsed_ns, result.end_ns]))
