"""Both engines and their naive twin, on the plans that the twin knows."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simulator.kinds.dice import Dice
from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.native.run import run_native
from simulator.plan.codes import CLOSE_QUEUE, COMPUTE, STREAM
from simulator.plan.jobs import PhasePlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import PartResult, Result
from simulator.runtime.lengths import FixedLengths, Lengths, ListedLengths
from simulator.runtime.policies import POLICY_NAMES
from tests.engines.hand import Hand
from tests.examples import examples
from tests.twins.naive import NaiveRun
from tests.twins.plans.faults import faults
from tests.twins.queues import Tie

DEVICES = {
    "array": DiskSpec(rate=1e9 / 41.3, overhead_ns=211, seek_ns=5003, turn_ns=3001),
    "disk": DiskSpec(rate=1e9 / 97.1, overhead_ns=173, seek_ns=7001, turn_ns=4003),
}
MARK = 4
"""Bytes before and after each record."""


def drawn(dice: Dice) -> Plan:
    """A plan that the twin knows; crooked numbers, so that few things happen at once."""
    hand = machine(dice)
    reach = [0, 0, 0]
    needed = [0, 0, 0]
    jobs = [
        [phase(dice, reach, needed) for _ in range(dice.int(0, 3))] for _ in range(dice.int(1, 6))
    ]
    for number in range(3):
        path = dice.int(0, len(hand.paths) - 1)
        size = max(reach[number], needed[number])
        length = dice.some(dice.int(needed[number], size), needed[number], size)
        hand.file(
            f"f{number}",
            hand.paths[path].name,
            size,
            length=length,
            base=number * 99_991,
            lead=dice.int(0, 5),
            prestaged=dice.maybe(),
        )
    for number, phases in enumerate(jobs):
        hand.process(
            f"p{number}",
            *(replace(one, path=max(0, hand.files[one.file].path)) for one in phases),
            node=number,
            start_ns=number * 1013 + dice.int(0, 999),
            repeat=dice.some(1, 1, 2),
        )
    return hand.plan()


def machine(dice: Dice) -> Hand:
    """PEs on a crossbar, an SSU with channels, and striped devices behind some paths."""
    hand = Hand(pe=6, ssu=1, front=1)
    hand.parts[0] = replace(hand.parts[0], spec=PeSpec(1e9 / 1.37, 101, 1009, 2003))
    channels = dice.int(1, 2)
    ports = dice.int(1, 2)
    for way in ("in", "out"):
        hand.part(way, "pe", rate=1e9 / 2.27, overhead_ns=31)
        hand.part(f"ssu-{way}", "ssu", rate=1e9 / 2.27, overhead_ns=31, servers=ports)
    hand.part("read", "ssu", rate=1e9 / 3.83, overhead_ns=59, servers=channels)
    hand.part("write", "ssu", rate=1e9 / 7.19, overhead_ns=83, servers=channels)
    hand.part("paths", "front", rate=1e9 / 17.9, overhead_ns=307, servers=dice.int(1, 4))
    slots = dice.some(1, 2, 3, 5, 8, 20)
    high = dice.int(0, slots)
    hand.store(
        "cache",
        "ssu",
        slots=slots,
        triggers=frozenset(
            one for one in ("mark", "eager", "full", "close", "rewrite") if dice.maybe(40)
        ),
        high=high,
        low=dice.int(0, high),
        workers=dice.int(1, 3),
    )
    entry = replace(
        hand.stage("out", "ssu-in", "write"), up=hand.stage("ssu-out", "in", "read").down
    )
    for name, disk in list(DEVICES.items())[: dice.int(1, 2)]:
        count = dice.int(1, 5)
        hand.devices(name, "front", count)
        hand.part(name, name, "disk", spec=disk)
        for stripes in (0, dice.int(2, 7)):
            dealt = {"pieces": stripes, "slot": hand.group(name), "width": count}
            fields = dealt if stripes else {}
            behind = [hand.stage("paths", **fields), hand.stage(name, **fields)]
            hand.path(f"{name}-{stripes}", [entry, hand.kept("cache"), *behind], close=CLOSE_QUEUE)
    # A place for each group, also for those that came after the path.
    places = tuple(range(len(hand.groups)))
    hand.paths = [replace(path, places=places) for path in hand.paths]
    return hand


def phase(dice: Dice, reach: list[int], needed: list[int]) -> PhasePlan:
    """Computing, or records of a file; it says how far the file is used."""
    if dice.maybe(10):
        return PhasePlan(kind=COMPUTE, compute_ns=dice.int(1, 20_000))
    file, write = dice.int(0, 2), dice.maybe(60)
    lengths: Lengths
    if dice.maybe(40):
        lengths = FixedLengths(dice.int(0, 150), dice.int(0, 6))
    else:
        lengths = ListedLengths([dice.int(0, 250) for _ in range(dice.int(1, 4))])
    whole = lengths.total + 2 * MARK * lengths.count
    reach[file] = max(reach[file], whole)
    if not write:
        needed[file] = max(needed[file], whole)
    return PhasePlan(
        kind=STREAM,
        write=write,
        file=file,
        lengths=lengths,
        buffer=dice.some(1, 5, 30, 100, 256, 700),
        policy=dice.some(*POLICY_NAMES),
    )


@settings(max_examples=examples(150))
@given(st.randoms(use_true_random=False))
def test_agree_to_the_nanosecond(rng: Random) -> None:
    plan = drawn(Dice(rng))
    assert faults(plan) == []
    twin = NaiveRun(plan)
    try:
        twin.run()
    except Tie:
        assume(False)
    for run in (run_reference, run_native):
        assert_equal(plan, run(plan, debug=True), twin)


def assert_equal(plan: Plan, result: Result, twin: NaiveRun) -> None:
    """The same ends, lookups and transfers, and the same work at every device."""
    assert [one.ended_ns for one in result.processes] == twin.ends
    assert result.end_ns == twin.env.now
    counts = result.stores["ssu.cache"].counts if result.stores else {}
    names = ("hits", "misses", "evicted", "written_back")
    assert [counts.get(name, 0) for name in names] == [getattr(twin, name) for name in names]
    assert counts.get("fetched", 0) + counts.get("read_back", 0) == twin.fetches
    for (row, member), volume in twin.volumes.items():
        name = plan.instance_name(plan.parts[row], member)
        part = result.parts.get(name, PartResult("", "", 0, 0, 0))
        done = (part.requests, part.bytes, part.busy_ns)
        assert done == (volume.requests, volume.bytes, volume.busy_ns)


def test_most_plans_say_something() -> None:
    """Ties are few, and what is drawn misses, evicts and writes back."""
    seen, ties = [], 0
    for seed in range(30):
        twin = NaiveRun(drawn(Dice(Random(seed))))
        try:
            twin.run()
        except Tie:
            ties += 1
        else:
            seen.append(twin)
    assert ties < 10
    for name in ("hits", "misses", "evicted", "fetches", "written_back"):
        assert sum(getattr(one, name) > 0 for one in seen) > 5, name
