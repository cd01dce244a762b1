"""Erasure codes over the members of a stripe, on both engines: by hand, bounds, a naive twin."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.examples import examples
from tests.reference.runs import ends, run, spent
from tests.twins.coding import Call, CodedFile, CodedRun
from tests.twins.queues import Tie

LONG = 10**9


def coded(data: int, parity: int, groups: int = 1, *, size: int = 10, encode: bool = False) -> Hand:
    """A client, and servers with a disk each: 100 ns for a request, 3 for a byte; code: 2 ns."""
    hand = Hand(client=4, server=groups * (data + parity))
    hand.part("code", "client", "core", rate=1e9 / 2)
    hand.part("disk", "server", rate=1e9 / 3, overhead_ns=100)
    width, worker = groups * (data + parity), "code" if encode else ""
    stripe = hand.stripe("server", size, width, data, parity, worker)
    hand.path("fs", [stripe, hand.stage("disk")])
    return hand


def did(hand: Hand, *rows: tuple[str, int, int], length: int = 400) -> Result:
    """Operations of one process on a file of a length."""
    hand.file("f", "fs", 1000, length=length)
    hand.process("p", hand.listed(*((kind, "f", low, size) for kind, low, size in rows)))
    return run(hand)


def served(result: Result) -> list[tuple[int, int]]:
    """Requests and bytes of each disk."""
    disks = sorted((name, one) for name, one in result.parts.items() if "disk" in name)
    return [(one.requests, one.bytes) for _, one in disks]


def test_a_whole_row_is_written_without_reading() -> None:
    """40 bytes are coded in 80 ns; then each of four data and two parities takes 130 ns."""
    result = did(coded(4, 2, encode=True), ("write", 0, 40))
    assert ends(result) == [80 + 130]
    assert served(result) == [(1, 10)] * 6
    assert spent(result) == {"code": (0, 80), "disk": (0, 130)}
    assert result.stable["job"].bytes == 40


def test_a_part_of_a_row_is_read_before() -> None:
    """A unit of 4+1: the old one and the parity are 20 bytes, the rest 30; both then are coded."""
    result = did(coded(4, 1, encode=True), ("write", 10, 10))
    assert ends(result) == [130 + 2 * (10 + 20) + 130]
    assert served(result) == [(2, 20), (2, 20)]


def test_the_rest_is_read_if_that_is_less() -> None:
    """Bytes 2 to 5 of the second unit of two: as many of the first one, and nothing else."""
    result = did(coded(2, 2), ("write", 12, 3))
    assert ends(result) == [109 + 109]
    assert served(result) == [(1, 3)] * 4


def test_what_is_not_there_is_not_read() -> None:
    """A new file in units of 2+1: the first alone, the second beside the first."""
    result = did(coded(2, 1), ("write", 0, 10), ("write", 10, 10), length=0)
    assert served(result) == [(2, 20), (1, 10), (2, 20)]
    assert ends(result) == [130 + 130 + 130]


def test_two_rows_that_begin_and_end_within_are_read_at_once() -> None:
    """Bytes 5 to 35 of rows of 2+1: of the first row 5 bytes are read, of the second the rest."""
    result = did(coded(2, 1), ("write", 5, 30))
    assert served(result) == [(2, 5 + 15), (2, 5 + 15), (1, 20)]
    assert ends(result) == [115 + 160]


def test_reads_leave_parity_alone() -> None:
    result = did(coded(4, 2), ("read", 0, 400))
    assert ends(result) == [100 + 300]
    assert served(result) == [(1, 100)] * 4


def test_what_is_away_is_computed() -> None:
    """A unit of 4+2 is read of three others and a parity, and decoded: 80 ns."""
    hand = coded(4, 2, encode=True)
    hand.event("disk", 1, lasts_ns=LONG)
    result = did(hand, ("read", 10, 10))
    assert ends(result) == [130 + 80]
    assert served(result) == [(1, 10)] * 4


def test_whole_rows_are_read_as_fast_with_a_member_away() -> None:
    """A parity takes its place; as many bytes are read."""
    hand = coded(4, 2)
    hand.event("disk", 1, lasts_ns=LONG)
    result = did(hand, ("read", 0, 400))
    assert ends(result) == [100 + 300]
    assert served(result) == [(1, 100)] * 4


def test_nothing_is_written_to_what_is_away() -> None:
    """The second unit's server is away: the rest is read, and the parities alone are written."""
    hand = coded(4, 2)
    hand.event("disk", 1, lasts_ns=LONG)
    result = did(hand, ("write", 10, 10))
    assert ends(result) == [130 + 130]
    assert sum(size for _, size in served(result)) == 30 + 20
    assert result.stable["job"].bytes == 10


@pytest.mark.parametrize(("away", "end_ns"), [(1, 130), (2, 5000 + 130)])
def test_more_than_its_parities_are_waited_for(away: int, end_ns: int) -> None:
    """Of 4+1 two servers are away for 5 us: a read waits until its own is back."""
    hand = coded(4, 1)
    for member in range(away):
        hand.event("disk", member, lasts_ns=5000)
    assert ends(did(hand, ("read", 0, 10))) == [end_ns]


def test_a_sync_leaves_out_what_is_away() -> None:
    hand = coded(2, 1)
    hand.part("log", "server", overhead_ns=7)
    stage = hand.tiers.pop()
    hand.tiers[-1:] = [hand.tiers[-1], hand.commit("log"), stage]
    hand.event("log", 2, lasts_ns=LONG)
    assert ends(did(hand, ("sync", 0, 0))) == [7]


# -- bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "parity", "groups"), [(4, 1, 1), (8, 2, 1), (2, 1, 3)])
def test_servers_write_data_at_their_part_of_the_rate(data: int, parity: int, groups: int) -> None:
    """Whole rows: data and parity keep all servers busy, k / (k + m) of it with data."""
    hand = coded(data, parity, groups, size=1000)
    size = 1000 * data * groups * 20
    hand.file("f", "fs", size)
    hand.process("p", hand.listed(("write", "f", 0, size)))
    result = run(hand)
    servers = groups * (data + parity)
    rate = servers / 3  # bytes per ns
    assert ends(result)[0] - 100 == pytest.approx(size / (rate * data / (data + parity)), abs=1)


@pytest.mark.parametrize("data", [2, 4, 8])
def test_single_units_cost_more_with_a_member_away(data: int) -> None:
    """Of k units k - 1 are read once, one takes k: (2 k - 1) / k as many requests."""
    hand = coded(data, 1)
    hand.event("disk", 0, lasts_ns=LONG)
    rows = [("read", 10 * unit, 10) for unit in range(data)]
    requests = sum(count for count, _ in served(did(hand, *rows)))
    assert requests == 2 * data - 1


# -- the naive twin -------------------------------------------------------------------------------


@settings(max_examples=examples(100))
@given(st.integers(0, 2**32))
def test_it_ends_when_a_naive_twin_does(seed: int) -> None:
    rng = Random(seed)
    data, parity, groups = rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 2)
    size, length = rng.randint(3, 20), rng.choice((0, 200, 400))
    members = data + parity
    away = [
        group * members + one
        for group in range(groups)
        for one in rng.sample(range(members), rng.choice((0, 0, rng.randint(1, parity))))
    ]
    calls: list[list[Call]] = [
        [_call(rng, length) for _ in range(rng.randint(1, 5))] for _ in range(rng.randint(1, 4))
    ]
    hand = coded(data, parity, groups, size=size)
    for member in away:
        hand.event("disk", member, lasts_ns=LONG)
    hand.file("f", "fs", 1000, length=length)
    for number, mine in enumerate(calls):
        rows = [
            ("write" if write else "read", "f", low, some, gap) for write, low, some, gap in mine
        ]
        hand.process(f"p{number}", hand.listed(*rows), node=number)
    twin = CodedRun(CodedFile(size, data, parity, groups, end=length), 3, 100, away)
    try:
        expected = twin.ends(calls)
    except Tie:
        assume(False)
    assert ends(run(hand)) == expected


def _call(rng: Random, length: int) -> Call:
    write = not length or rng.random() < 0.6
    low = rng.randrange(length - 1 if not write else 400)
    size = rng.randint(1, min(100, length - low) if not write else rng.choice((8, 100)))
    return write, low, size, rng.randint(1, 999)
