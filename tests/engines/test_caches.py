"""Both engines against naive caches, on plans by hand.

Runs check their identities.
"""

from __future__ import annotations

from random import Random

import pytest

from simulator.kinds.policies.arc.reference import Arc
from tests.engines.hand import Hand
from tests.reference.runs import run
from tests.reference.test_policies import use
from tests.twins.caches import NaiveLru

# -- stores -------------------------------------------------------------------------------------


def two_caches(upper: int, lower: int, trace: list[int]) -> Hand:
    """Reads of blocks through a client's cache and a server's, both LRU."""
    hand = Hand(client=1, server=1)
    hand.part("disk", "server", overhead_ns=50, rate=1e9)
    hand.store("pages", "client", slots=upper)
    hand.store("cache", "server", slots=lower)
    hand.path("fs", [hand.kept("pages"), hand.kept("cache"), hand.stage("disk")])
    hand.file("f", "fs", 4000, length=4000)
    hand.process("p", hand.listed(*(("read", "f", 100 * block, 100) for block in trace)))
    return hand


def block_trace(seed: int, count: int = 300) -> list[int]:
    """Blocks used at random, low numbers more often."""
    rng = Random(seed)
    return [min(rng.randrange(40), rng.randrange(40)) for _ in range(count)]


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("upper", "lower"), [(1, 4), (4, 4), (4, 16), (16, 20), (40, 5)])
def test_hits_of_two_tiers_are_those_of_naive_caches(upper: int, lower: int, seed: int) -> None:
    """Hits never reach the next tier: its trace is the misses of the one above."""
    trace = block_trace(seed)
    result = run(two_caches(upper, lower, trace))
    first, second = NaiveLru(upper), NaiveLru(lower)
    missed = [block for block in trace if not first.touch(block)]
    fetched = [block for block in missed if not second.touch(block)]
    pages, cache = (one.counts for one in result.stores.values())
    assert (pages["hits"], pages["misses"]) == (len(trace) - len(missed), len(missed))
    assert (cache["hits"], cache["misses"]) == (len(missed) - len(fetched), len(fetched))
    assert result.parts["server.disk"].requests == len(fetched)
    assert pages["evicted"] == max(0, len(missed) - upper)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slots", [4, 8, 12])
def test_misses_of_arc_are_those_of_its_policy(slots: int, seed: int) -> None:
    """Blocks at random, and rows of new ones between others that come again."""
    rng = Random(seed)
    scans = [i // 7 if i % 3 else rng.randrange(12) for i in range(300)]
    for trace in (block_trace(seed), scans):
        hand = Hand(client=1)
        hand.part("disk", "client", overhead_ns=50, rate=1e9)
        hand.store("pages", "client", slots=slots, policy="arc")
        hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
        hand.file("f", "fs", 5000, length=5000)
        hand.process("p", hand.listed(*(("read", "f", 100 * block, 100) for block in trace)))
        policy, resident, misses = Arc(slots), set[int](), 0
        for block in trace:
            misses += block not in resident
            use(policy, resident, block)
        (pages,) = run(hand).stores.values()
        assert pages.counts["misses"] == misses


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_more_room_never_means_more_misses(seed: int) -> None:
    """The inclusion property of LRU (Mattson et al., 1970)."""
    trace = block_trace(seed, 200)
    misses = []
    for slots in range(1, 40, 4):
        result = run(two_caches(slots, 1, trace))
        misses.append(next(iter(result.stores.values())).counts["misses"])
    assert misses == sorted(misses, reverse=True)


def test_a_dirty_limit_of_one_block_overlaps_nothing() -> None:
    """A block being written into counts: each is written and written back before the next."""
    blocks, w_ns, d_ns = 100, 200, 700
    hand = Hand(client=1)
    hand.part("memory", "client", rate=1e9 * 100 / w_ns)
    hand.part("disk", "client", rate=1e9 * 100 / d_ns)
    hand.store("pages", "client", slots=200, dirty_limit=1, triggers=frozenset({"eager"}))
    hand.path("fs", [hand.stage("memory"), hand.kept("pages"), hand.stage("disk")])
    hand.file("f", "fs", 100 * blocks)
    hand.process("p", hand.stream("f", 100, blocks, write=True))
    assert run(hand).elapsed_ns == blocks * (w_ns + d_ns) - d_ns
