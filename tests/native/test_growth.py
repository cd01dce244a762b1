"""Tables of the native engine grow with use, and growing changes nothing."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any, Literal

import pytest

from simulator.errors import RefusedError
from simulator.inputfile import Text
from simulator.kinds.parts.link.spec import LinkSpec
from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.native.clock import MAPPED, lengthened, zeros
from simulator.native.codes import ACTOR, BOTTOM
from simulator.native.engine import Clock, Frames, Parts, run_for
from simulator.native.flatten import Flat
from simulator.native.prestage import prestage
from simulator.native.run import run_native
from simulator.plan.codes import BUFFERS, CLOSE_QUEUE
from simulator.plan.jobs import AskedPlan
from simulator.plan.parts import BuffersPlan, PartPlan
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.services import needs_reference
from simulator.reference.run import run_reference
from simulator.run import load_plan
from simulator.runtime.iosteps import ExtentRows, Groups, Requests
from tests.draws.plans.draw import plan_of
from tests.engines.compare import plain
from tests.engines.hand import Hand
from tests.reference.runs import both, run
from tests.twins.plans.faults import faults

BLOCK = 100
SPARE = -77
"""No tier is there."""


def paged(nodes: int = 1, **store: Any) -> Hand:
    hand = Hand(node=nodes)
    hand.part("disk", "node", rate=1e9)
    hand.store("pages", "node", **store)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    return hand


def test_a_store_costs_what_is_in_it() -> None:
    """10,000 stores of 2**40 blocks; one of them gets three."""
    hand = paged(10_000, slots=2**40)
    hand.file("f", "fs", 1000, length=1000)
    hand.process("p", hand.listed(("read", "f", 0, 300)), node=77)
    plan = hand.plan()
    flat = Flat(plan)
    assert flat.blocks.blocks <= 256
    assert flat.frames.slots <= 64
    assert run_native(plan).stores["node77.pages"].counts["resident"] == 3


def test_blocks_and_files_grow() -> None:
    """Forty files of fifty blocks, in a store that keeps 1,500 of them, twice."""
    hand = paged(slots=1500)
    for number in range(40):
        hand.file(f"f{number}", "fs", 5000, length=5000)
    rows = [("read", f"f{number % 40}", 0, 5000) for number in range(80)]
    hand.process("p", hand.listed(*rows))
    counts = run(hand).stores["pages"].counts
    assert (counts["misses"], counts["resident"]) == (4000, 1500)


@pytest.mark.parametrize("policy", ["lru", "fifo", "arc"])
def test_one_write_through_many_blocks(policy: str) -> None:
    """The blocks of a request are admitted in one step, more of them than the table has rows."""
    hand = paged(slots=700, back=False, policy=policy)
    hand.file("f", "fs", 100_000)
    rows = [("write", "f", 0, 100_000), ("read", "f", 0, 100_000), ("read", "f", 60_000, 40_000)]
    hand.process("p", hand.listed(*rows))
    assert run(hand).stores["pages"].counts["resident"] == 700


def test_actors_grow() -> None:
    """Each of three processes forks over 60 servers, and there again over two windows."""
    hand = Hand(node=1, server=60)
    hand.part("disk", "server", rate=1e9)
    hand.path("fs", [hand.stripe("server", 10, 60), hand.request(5, 2), hand.stage("disk")])
    hand.file("f", "fs", 6_000, length=6_000)
    for number in range(3):
        hand.process(f"p{number}", hand.listed(("read", "f", 0, 6_000)))
    assert run(hand).parts["server7.disk"].bytes == 3 * 100


def test_the_log_grows() -> None:
    """Thousands of operations that take no time are all written down."""
    hand = Hand(node=1)
    hand.part("disk", "node", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 100, length=100)
    hand.process("p", hand.listed(*[("seek", "f", number % 100, 0) for number in range(5000)]))
    calls = run(hand).calls
    assert calls is not None
    assert calls.count == [5000]


def test_what_it_lacks_it_refuses() -> None:
    hand = paged(slots=4)
    hand.file("f", "fs", 100, length=100)
    hand.process("p", hand.listed(("read", "f", 0, 100)))
    links = PartPlan(name="lan", kind="link", group=0, first=2, count=1, spec=LinkSpec(1e9))
    plan = hand.plan()
    with pytest.raises(RefusedError, match="has no part of kind 'link', as lan is one"):
        run_native(replace(plan, parts=(*plan.parts, links)))


def test_buffer_caches_grow_with_the_blocks_that_are_asked_for() -> None:
    """500 requests of 7 blocks each, of a file of 10**9 blocks; caches of 3 and of 5 slots."""
    hand = Hand(node=1)
    hand.part("io", "node")
    raid = RaidSpec(rate=1e9, overhead_ns=5, seek_ns=10, turn_ns=4, cache=5 * BLOCK, bus_rate=2e9)
    hand.part("raid", "node", "raid", spec=raid)
    hand.path("fs", [TierPlan(kind=BUFFERS, down=(Hold(1, 0),))])
    hand.file("f", "fs", 100)
    asks = [(("ask-read", "ask-write")[row % 2], "f", row, 1) for row in range(500)]
    hand.process("p", hand.listed(*asks))
    count, extents = array("q", [0]) * 500, range(3500)
    requests = Requests(*[count] * 7)
    requests.group = array("q", [-1]) * 500
    requests.first, requests.count = array("q", range(0, 3500, 7)), array("q", [7]) * 500
    blocks = array("q", [row * 99_991 % 10**9 for row in extents])
    whole = array("q", [0]) * 3500, array("q", [BLOCK]) * 3500
    cache = BuffersPlan(
        name="cache",
        group=0,
        slots=3,
        block=BLOCK,
        ahead=2,
        raid=2,
        column=hand.column("raid"),
        blocks=(10**9,),
        stored=((0, 0, 10**8), (0, 5 * 10**8, 10**8)),
    )
    asked = AskedPlan(
        requests=requests,
        groups=Groups(*[array("q") for _ in range(5)]),
        extents=ExtentRows(blocks, *whole),
    )
    plan = hand.plan(buffers=(cache,), asked=asked)
    assert not faults(plan)
    assert Flat(plan).buffers.cells <= 128
    assert both(plan).stores["cache"].counts["evicted"] > 3000


@pytest.mark.slow
def test_no_actor_has_more_requests_than_it_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """One frame more than the plan needs is never used, and the frame before it is."""
    used = set[bool]()

    def with_a_spare(clock: Clock, parts: Parts, depth: int, *sizes: int) -> Frames:
        frames = Frames(clock, parts, depth + 1, *sizes)
        frames.frame = array("q", [SPARE]) * len(frames.frame)
        return frames

    monkeypatch.setattr("simulator.native.flatten.Frames", with_a_spare)
    for seed in range(500):
        plan = plan_of(seed)
        if needs_reference(plan):
            continue
        flat = Flat(plan)
        frames = flat.frames
        prestage(flat)
        flat.start()
        slots = frames.slots
        while not run_for(flat.engine, 1000):
            flat.make_room()
        for slot in range(slots):
            last = frames.actor[slot * ACTOR + BOTTOM] + (frames.depth - 1) * frames.stride
            assert frames.frame[last] == SPARE, seed
            used.add(frames.frame[last - frames.stride] != SPARE)
    assert used == {False, True}


def test_a_close_tells_more_stores_than_there_is_room_for_files() -> None:
    """A close in 100 stores of which one knows the file is one step."""
    hand = Hand(node=1, server=100)
    hand.part("disk", "server", rate=1e9)
    hand.store("pages", "server", triggers=frozenset({"close"}))
    tiers = [hand.stripe("server", 100, 100), hand.kept("pages"), hand.stage("disk")]
    hand.path("fs", tiers, close=CLOSE_QUEUE)
    hand.file("f", "fs", 10_000)
    hand.process("p", hand.listed(("write", "f", 0, 100), ("close", "f", 0, 1)))
    result = run(hand)
    assert result.stores["server0.pages"].counts["written_back"] == 1


CLOSING = """
format: machine/2
name: closing
nodes: {client: {count: 1, cores: 1}, server: 24}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s}
  disk: {kind: queue, at: server, rate: 100 MB/s}
stores:
  cache: {at: server, capacity: 100 MB, block: 1 MB, extent: 1 MB, start: [close], writers: 16}
filesystems:
  home:
    tiers: [{stripe: 1 MB, over: all, of: server}, [nic], cache, disk]
    close: queue
"""
CLOSED = """
format: workload/2
name: closed
files: {result: {size: 480 MB}}
jobs: [{name: job, record: 24 MB, phases: [{do: write, file: result}]}]
"""


def test_closing_a_file_wakes_the_workers_of_all_stores_that_it_is_in() -> None:
    """24 stores of 16 workers each: 384 actors that begin in one step have room before it."""
    plan = load_plan(Text(CLOSING, "machine"), Text(CLOSED, "jobs"))
    assert Flat(plan).frames.margin >= 24 * 16
    native, reference = run_native(plan, debug=True), run_reference(plan, debug=True)
    native.engine = reference.engine
    assert plain(native) == plain(reference)
    assert native.elapsed_ns < native.end_ns  # The workers have something to do.


@pytest.mark.parametrize("form", ["i", "q"])
@pytest.mark.parametrize("seen", [False, True], ids=["nobody looks", "somebody looks"])
def test_a_table_keeps_its_numbers_when_it_gets_longer(form: Literal["i", "q"], seen: bool) -> None:
    given = [zeros(0, form)]
    views = []
    for count in (5, MAPPED, 4 * MAPPED, 8 * MAPPED):
        table = lengthened(given, 0, count)
        assert (len(table), table.format) == (count, form)
        kept = [at for at in (0, 3, 70_000) if at < count]
        assert all(table[at] in (0, at + 1) for at in kept)
        for at in kept:
            table[at] = at + 1
        assert table[count - 1] == 0
        views += [table] if seen else []
        del table
    assert [list(view[:4]) for view in views] == [[1, 0, 0, 4]] * len(views)
