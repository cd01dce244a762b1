"""Stores by hand: blocks of 100 B; a bus of 1 ns for a byte; a disk of 2 ns and 10 a request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.plan.codes import CLOSE_QUEUE, CLOSE_REPLACED
from tests.engines.hand import Hand
from tests.reference.runs import counts, ends, run, spent

BUS = 100
"""A block over the bus."""
DISK = 210
"""A block to or from the disk."""


def kept(length: int = 0, *, size: int = 10_000, nodes: int = 1, **store: Any) -> Hand:
    """A store between bus and disk, and a file of so many bytes."""
    hand = Hand(node=nodes)
    hand.part("bus", "node", "delay", rate=1e9)
    hand.part("disk", "node", rate=0.5e9, overhead_ns=10)
    hand.store("pages", "node", **store)
    hand.path("fs", [hand.stage("bus"), hand.kept("pages"), hand.stage("disk")])
    hand.file("f", "fs", size, length=length)
    return hand


def test_what_is_missed_is_fetched_and_then_found() -> None:
    hand = kept(1000)
    hand.process("p", hand.listed(("read", "f", 30, 50), ("read", "f", 0, 100)))
    result = run(hand)
    assert ends(result) == [DISK + 50 + BUS]
    assert counts(result, "pages") == {
        "misses": 1, "hits": 1, "fetched": 1, "fetched_bytes": 100, "resident": 1,
    }  # fmt: skip
    assert spent(result) == {"bus": (0, 150), "disk": (0, DISK)}


def test_nothing_is_fetched_of_what_does_not_exist() -> None:
    hand = kept(130)
    hand.process("p", hand.listed(("read", "f", 100, 200)))
    result = run(hand)
    assert ends(result) == [10 + 2 * 30 + 100 + 100]
    assert result.stores["pages"].counts["fetched"] == 2
    assert result.stores["pages"].counts["fetched_bytes"] == 30


def test_an_extent_is_fetched_at_once() -> None:
    """Blocks 1 to 4 in extents of four: one request for 1 to 3, one for block 4."""
    hand = kept(1000, slots=8, extent=4)
    hand.process("p", hand.listed(("read", "f", 100, 400)))
    result = run(hand)
    assert [span.bytes for span in result.spans if span.part == "disk"] == [300, 100]
    assert ends(result) == [10 + 600 + 300 + DISK + 100]


def test_an_extent_is_fetched_around_what_is_there() -> None:
    hand = kept(1000, slots=8, extent=4)
    hand.process("p", hand.listed(("read", "f", 100, 100), ("read", "f", 0, 400)))
    result = run(hand)
    assert [span.bytes for span in result.spans if span.part == "disk"] == [100, 100, 200]
    assert (result.stores["pages"].counts["hits"], result.stores["pages"].counts["misses"]) == (
        1,
        4,
    )


def test_two_readers_of_a_block_cost_one_fetch() -> None:
    hand = kept(100)
    for start in (0, 60):
        hand.process(f"p{start}", hand.listed(("read", "f", 0, 100)), start_ns=start)
    result = run(hand)
    assert ends(result) == [DISK + BUS] * 2
    assert spent(result, 1) == {"bus": (0, BUS), "pages.cache": (DISK - 60, 0)}
    assert counts(result, "pages")["hits"] == 1


@pytest.mark.parametrize(("policy", "misses"), [("lru", 4), ("fifo", 5), ("arc", 4)])
def test_policies_give_different_blocks_away(policy: str, misses: int) -> None:
    """Blocks 0, 1, 0, 2, 0, 3, 0 in two slots: LRU and ARC keep block 0, FIFO gives it away."""
    hand = kept(1000, slots=2, policy=policy)
    rows = [("read", "f", 100 * block, 100) for block in (0, 1, 0, 2, 0, 3, 0)]
    hand.process("p", hand.listed(*rows))
    assert counts(run(hand), "pages")["misses"] == misses


# -- writing ------------------------------------------------------------------------------------


def test_what_is_written_stays_until_somebody_asks() -> None:
    hand = kept()
    hand.process("p", hand.listed(("write", "f", 0, 150)))
    result = run(hand)
    assert ends(result) == [150]
    assert counts(result, "pages") == {
        "misses": 2, "created": 2, "accepted_bytes": 150,
        "resident": 2, "dirty": 2, "dirty_bytes": 150,
    }  # fmt: skip


def test_eager_write_back_goes_on_after_the_process() -> None:
    hand = kept(triggers=frozenset({"eager"}))
    hand.process("p", hand.listed(("write", "f", 0, 150)))
    result = run(hand)
    assert (ends(result), result.end_ns) == ([150], 100 + DISK + 10 + 2 * 50)
    assert counts(result, "pages")["written_back"] == 2


def test_neighbours_are_written_back_as_one() -> None:
    """A run of an extent: 300 bytes over the bus, then one request for blocks 1 to 3."""
    hand = kept(slots=8, extent=4, triggers=frozenset({"eager"}))
    hand.process("p", hand.listed(("write", "f", 150, 230)))
    result = run(hand)
    assert ends(result) == [230]
    written = [(span.start_ns, span.bytes) for span in result.spans if span.part == "disk"]
    assert written == [(230, 230)]
    assert counts(result, "pages")["written_back"] == 3


def test_neighbours_are_not_written_back_over_a_gap() -> None:
    hand = kept(slots=8, extent=4)
    rows = ("write", "f", 0, 90), ("write", "f", 100, 100), ("write", "f", 200, 10), ("sync", "f")
    hand.process("p", hand.listed(*rows))
    result = run(hand)
    assert [span.bytes for span in result.spans if span.part == "disk"] == [90, 110]


def test_a_block_is_read_back_where_a_write_leaves_something_of_it() -> None:
    hand = kept(1000)
    hand.process("p", hand.listed(("write", "f", 110, 50), ("write", "f", 200, 100)))
    result = run(hand)
    assert ends(result) == [DISK + 50 + 100]
    assert counts(result, "pages")["read_back_bytes"] == 100
    assert counts(result, "pages")["created"] == 1


def test_room_is_made_by_write_back() -> None:
    """One slot: the second block waits until the first is on the disk."""
    hand = kept(slots=1)
    hand.process("p", hand.listed(("write", "f", 0, 200)))
    result = run(hand)
    assert ends(result) == [BUS + DISK + BUS]
    assert spent(result) == {"bus": (0, 200), "pages.writeback": (DISK, 0)}
    assert counts(result, "pages")["evicted"] == 1


def test_at_the_dirty_limit_a_write_waits() -> None:
    """Four slots, but only one may be dirty: block 1 waits for the write-back of block 0."""
    hand = kept(dirty_limit=1)
    hand.process("p", hand.listed(("write", "f", 0, 100), ("write", "f", 0, 100, 5)))
    hand.process("q", hand.listed(("write", "f", 100, 100)), start_ns=300)
    result = run(hand)
    assert ends(result) == [205, 300 + DISK + BUS]
    assert spent(result, 1) == {"bus": (0, BUS), "pages.writeback": (DISK, 0)}
    assert counts(result, "pages")["limit_waits"] == 1


def test_the_limit_ends_a_run() -> None:
    """Of four blocks two may be dirty: 200 bytes over the bus, then one by one."""
    hand = kept(slots=8, extent=4, dirty_limit=2)
    hand.process("p", hand.listed(("write", "f", 0, 400)))
    result = run(hand)
    assert [span.bytes for span in result.spans if span.part == "bus"] == [200, 200]
    assert [span.bytes for span in result.spans if span.part == "disk"] == [200]
    assert ends(result) == [200 + 410 + 200]


def test_a_rewrite_waits_for_older_dirty_blocks_of_the_file() -> None:
    """Block 0, block 1, and again into block 0: block 1 first, then block 0."""
    hand = kept(triggers=frozenset({"rewrite"}))
    rows = ("write", "f", 0, 100), ("write", "f", 100, 100), ("write", "f", 50, 10)
    hand.process("p", hand.listed(*rows))
    result = run(hand)
    assert ends(result) == [200 + 2 * DISK + 10]
    assert counts(result, "pages")["rewrites_waited"] == 1


def test_watermarks() -> None:
    """Above three dirty blocks write-back starts and goes on until there is one."""
    hand = kept(slots=8, triggers=frozenset({"mark"}), high=3, low=1)
    hand.process("p", hand.listed(*[("write", "f", 100 * block, 100) for block in range(5)]))
    result = run(hand)
    assert counts(result, "pages")["written_back"] == 3
    assert result.end_ns == 400 + 3 * DISK


def test_a_block_is_written_back_once_all_of_it_is_dirty() -> None:
    """Four writes of 50 B: block 0 at 100 ns and block 1 at 200 ns, none at 50 or 150 ns."""
    hand = kept(triggers=frozenset({"full"}))
    hand.process("p", hand.listed(*[("write", "f", 50 * number, 50) for number in range(5)]))
    result = run(hand)
    assert [span.start_ns for span in result.spans if span.part == "disk"] == [100, 100 + DISK]
    assert counts(result, "pages")["written_back_bytes"] == 200
    assert counts(result, "pages")["dirty_bytes"] == 50
    assert ends(result) == [250]  # No write has waited for a write-back of its block.


def test_a_block_with_a_hole_is_not_full() -> None:
    hand = kept(triggers=frozenset({"full"}))
    hand.process("p", hand.listed(("write", "f", 0, 40), ("write", "f", 60, 40)))
    assert counts(run(hand), "pages")["dirty"] == 1


def test_closing_asks_for_write_back() -> None:
    hand = kept(triggers=frozenset({"close"}))
    hand.paths[0] = replace(hand.paths[0], close=CLOSE_QUEUE)
    hand.process("p", hand.listed(("write", "f", 0, 100), ("close", "f", 0, 1)))
    result = run(hand)
    assert (ends(result), result.end_ns) == ([100], 100 + DISK)


@pytest.mark.parametrize(
    ("last", "written"),
    [
        (("close", "f", 0, 1), 0),
        (("close", "f", 0, 2), DISK),
        (("rename", "f", 0, 0), 0),
        (("rename", "f", 0, 1), DISK),
    ],
)
def test_what_replaces_a_file_is_written_back(
    last: tuple[str, str, int, int], written: int
) -> None:
    """Emptied, written and closed; or renamed to a name that is there: nothing waits for it."""
    hand = kept(triggers=frozenset({"close"}))
    hand.paths[0] = replace(hand.paths[0], close=CLOSE_REPLACED)
    hand.process("p", hand.listed(("write", "f", 0, 100), last))
    result = run(hand)
    assert (ends(result), result.end_ns) == ([100], 100 + written)


def test_a_sync_waits_for_the_disk() -> None:
    hand = kept()
    hand.process("p", hand.listed(("write", "f", 0, 200), ("sync", "f"), ("sync", "f")))
    result = run(hand)
    assert ends(result) == [200 + 2 * DISK]
    assert spent(result)["pages.writeback"] == (2 * DISK, 0)
    assert counts(result, "pages")["syncs"] == 2


def test_what_becomes_dirty_during_a_sync_is_queued() -> None:
    """Without a trigger nobody else would write block 1 back, and the sync would never end."""
    hand = kept(workers=1)
    hand.process("p", hand.listed(("write", "f", 0, 100), ("sync", "f")))
    hand.process("q", hand.listed(("write", "f", 100, 100)), start_ns=150)
    result = run(hand)
    assert ends(result) == [100 + 2 * DISK, 250]


def test_writing_through() -> None:
    """The bus, then the disk; what was covered stays, and is found."""
    hand = kept(1000, back=False, workers=0)
    rows = ("write", "f", 0, 100), ("write", "f", 110, 20), ("read", "f", 0, 200)
    hand.process("p", hand.listed(*rows))
    result = run(hand)
    assert ends(result) == [BUS + DISK + 20 + 50 + DISK + 200]
    assert counts(result, "pages") == {
        "hits": 1, "misses": 1, "fetched": 1, "fetched_bytes": 100,
        "created": 1, "accepted_bytes": 120, "resident": 2,
    }  # fmt: skip


# -- reading ahead ------------------------------------------------------------------------------


def test_reading_ahead_hides_the_disk() -> None:
    """Block 0 by itself, blocks 1 and 2 with one request while the process computes."""
    hand = kept(300, ahead=2, slots=8)
    rows = [("read", "f", 0, 100), ("read", "f", 100, 100, 1000), ("read", "f", 200, 100)]
    hand.process("p", hand.listed(*rows))
    result = run(hand)
    assert ends(result) == [DISK + BUS + 1000 + 2 * BUS]
    assert [span.bytes for span in result.spans if span.part == "disk"] == [100, 200]
    assert counts(result, "pages")["read_ahead"] == 2
    assert counts(result, "pages")["used_ahead"] == 2
    assert counts(result, "pages")["fetched"] == 3


def test_only_sequential_readers_read_ahead() -> None:
    hand = kept(1000, ahead=2, slots=8)
    hand.process("p", hand.listed(("read", "f", 100, 100), ("read", "f", 500, 100)))
    assert "read_ahead" not in counts(run(hand), "pages")


# -- several instances and tiers ----------------------------------------------------------------


def test_a_store_before_a_store() -> None:
    """Pages of 100 bytes before blocks of 400: one miss below, then three hits there."""
    hand = Hand(node=1, server=1)
    hand.part("lan", "node", "delay", rate=1e9)
    hand.part("disk", "server", rate=0.5e9, overhead_ns=10)
    hand.store("pages", "node", slots=2)
    hand.store("cache", "server", block=400)
    hand.path("fs", [hand.kept("pages"), hand.stage("lan"), hand.kept("cache"), hand.stage("disk")])
    hand.file("f", "fs", 1000, length=1000)
    hand.process("p", hand.listed(*[("read", "f", 100 * block, 100) for block in range(4)]))
    result = run(hand)
    assert ends(result) == [10 + 800 + 400]
    assert (counts(result, "server.cache")["hits"], counts(result, "node.pages")["misses"]) == (
        3,
        4,
    )


def test_below_a_stripe_a_file_is_as_long_as_its_longest_part() -> None:
    """250 bytes in units of 100 on two servers: 150 on the first; block 1 there has 50 bytes."""
    hand = Hand(node=1, server=2)
    hand.part("disk", "server", rate=0.5e9)
    hand.store("cache", "server")
    hand.path("fs", [hand.stripe("server", 100, 2), hand.kept("cache"), hand.stage("disk")])
    hand.file("f", "fs", 1000, length=250)
    hand.process("p", hand.listed(("read", "f", 200, 50)))
    result = run(hand)
    assert ends(result) == [100]
    assert counts(result, "server0.cache")["fetched_bytes"] == 50


def test_prestaged_blocks_are_there_at_the_start() -> None:
    """Four slots: of 450 bytes 400 fit; reading them beforehand takes four requests."""
    hand = kept(450)
    hand.files[0] = replace(hand.files[0], prestaged=True)
    hand.process("p", hand.listed(("read", "f", 0, 400)))
    result = run(hand)
    assert (ends(result), result.prestage_ns) == ([400], 4 * DISK)
    assert counts(result, "pages") == {
        "hits": 4, "prestaged": 4, "prestaged_bytes": 400, "resident": 4,
    }  # fmt: skip


def test_a_store_that_is_only_prestaged_is_in_the_result() -> None:
    hand = Hand(node=1)
    hand.part("disk", "node", rate=1e9)
    hand.store("pages", "node")
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    hand.file("f", "fs", 250, length=250)
    hand.files[0] = replace(hand.files[0], prestaged=True)
    hand.process("p", hand.listed(("pause",)))
    assert counts(run(hand), "pages") == {"prestaged": 3, "prestaged_bytes": 250, "resident": 3}
