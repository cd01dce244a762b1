"""What the native engine has grows with use, and costs what is in use."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from array import array
from dataclasses import replace
from typing import Any

import pytest

from simulator.errors import RefusedError
from simulator.inputfile import Text
from simulator.kinds.parts.link.spec import LinkSpec
from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.native.run import run_native
from simulator.plan.codes import BUFFERS, CLOSE_QUEUE
from simulator.plan.jobs import AskedPlan
from simulator.plan.parts import BuffersPlan, PartPlan
from simulator.plan.paths import Hold, TierPlan
from simulator.reference.run import run_reference
from simulator.run import load_plan
from simulator.runtime.iosteps import ExtentRows, Groups, Requests
from tests.engines.compare import plain
from tests.engines.hand import Hand
from tests.reference.runs import both, run
from tests.twins.plans.faults import faults

BLOCK = 100


def paged(nodes: int = 1, **store: Any) -> Hand:
    hand = Hand(node=nodes)
    hand.part("disk", "node", rate=1e9)
    hand.store("pages", "node", **store)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    return hand


def peak_bytes() -> int:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_a_store_costs_what_is_in_it() -> None:
    """10,000 stores of 2**40 blocks; one of them gets three."""
    hand = paged(10_000, slots=2**40)
    hand.file("f", "fs", 1000, length=1000)
    hand.process("p", hand.listed(("read", "f", 0, 300)), node=77)
    plan = hand.plan()
    before = peak_bytes()
    assert run_native(plan).stores["node77.pages"].counts["resident"] == 3
    assert peak_bytes() - before < 64 << 20


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


@pytest.mark.slow
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
    with pytest.raises(RefusedError, match="'link', such as lan"):
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
    assert both(plan).stores["cache"].counts["evicted"] > 3000


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
    """24 stores of 16 workers each: 384 actors begin in one step."""
    plan = load_plan(Text(CLOSING, "machine"), Text(CLOSED, "jobs"))
    native, reference = run_native(plan, debug=True), run_reference(plan, debug=True)
    native.engine = reference.engine
    assert plain(native) == plain(reference)
    assert native.elapsed_ns < native.end_ns  # The workers have something to do.


SHORT_OF_MEMORY = """\
import resource
from simulator.native.run import run_native
from tests.native.test_growth import paged
hand = paged(slots=2**40)
hand.file("f", "fs", 10**9, length=10**9)
hand.process("p", hand.listed(("read", "f", 0, 1000)))
run_native(hand.plan())
hand.process("q", hand.listed(("read", "f", 0, 10**9)))
plan = hand.plan()
have = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (have + (100 << 20), have + (100 << 20)))
try:
    run_native(plan)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
def test_memory_that_cannot_be_had_is_an_error() -> None:
    """Ten million blocks in 100 MB: the run ends, and the process goes on."""
    done = subprocess.run(
        [sys.executable, "-c", SHORT_OF_MEMORY],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.stdout, done.returncode) == ("the native engine has no memory left\n", 0), done
