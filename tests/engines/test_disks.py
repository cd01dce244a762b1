"""Disks, tapes and what is dealt out over them, on both engines; by hand and by laws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.mixing import mix
from simulator.plan.codes import END, STORE, STRIPE, WORK
from simulator.plan.noise import Noise, stream_key
from simulator.plan.parts import GroupPlan, NoisePlan, PartPlan, StorePlan
from simulator.plan.paths import FilePlan, Hold, PathPlan, TierPlan
from simulator.plan.plan import Plan
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.examples import examples
from tests.reference.runs import both, ends, run, spent

SPEC = DiskSpec(rate=1e9 / 8, overhead_ns=50, seek_ns=700, turn_ns=601)
POSITIONING = 700 + 300
"""A seek, and half a turn in whole ns."""


def disks(spec: DiskSpec, count: int = 1, **fields: Any) -> Hand:
    """A server with so many disks, one of them for each file but for stripes."""
    hand = Hand(pe=1, server=1)
    hand.devices("disk", "server", count)
    hand.part("disk", "disk", "disk", spec=spec, **fields)
    return hand


def reads(spec: DiskSpec, *spans: tuple[int, int], **fields: Any) -> Result:
    """Processes that read (offset, size) of one file; all begin at 0."""
    hand = disks(spec, **fields)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 100_000)
    for number, (offset, size) in enumerate(spans):
        hand.process(f"p{number}", hand.listed(("read", "f", offset, size)))
    return run(hand, noisy=bool(fields), seed=7)


@pytest.mark.parametrize("start", [599, 601, 500])
def test_a_request_that_does_not_continue_the_one_before_positions(start: int) -> None:
    first = POSITIONING + 50 + 800
    assert ends(reads(SPEC, (500, 100), (600, 10)))[1] == first + 50 + 80
    assert ends(reads(SPEC, (500, 100), (start, 1)))[1] == first + POSITIONING + 50 + 8


def test_which_request_is_before_is_decided_by_arrival() -> None:
    """The arm will be where the last request in the queue leaves it."""
    result = reads(SPEC, (0, 100), (900, 10), (910, 10))
    waited = 2 * POSITIONING + 2 * 50 + 880
    assert spent(result, 2) == {"disk": (waited, 50 + 80)}
    disk = result.parts["disk"]
    assert (disk.requests, disk.bytes, disk.busy_ns) == (3, 120, waited + 130)


def test_a_seek_goes_from_where_the_arm_is() -> None:
    """From 0 to 300, back from 400 to 100, on from 200 to 900."""
    spec = DiskSpec(rate=1e9, capacity=1000, track_seek_ns=0, full_seek_ns=1000)
    assert ends(reads(spec, (300, 100), (100, 100), (900, 100))) == [400, 800, 1600]


def test_a_drawn_rotation_is_counted_and_not_a_service_factor() -> None:
    spec = DiskSpec(rate=1e9, turn_ns=10**6, rotation_drawn=True)
    found = ends(reads(spec, (5, 1), (3, 1), (1, 1), stream="d"))
    key = stream_key(7, 0, "d")
    drawn = [int(10**6 * ((mix(key, -n) >> 11) / 2**53)) + 1 for n in (1, 2, 3)]
    assert found == [sum(drawn[: n + 1]) for n in range(3)]


def test_noise_stretches_positioning_and_transfer() -> None:
    noise = Noise.of(7, 0, "d", run_sd=0.2, request_sd=0.2)
    plan = NoisePlan(run_sd=0.2, request_sd=0.2)
    assert ends(reads(SPEC, (0, 100), stream="d", noise=plan)) == [
        noise.stretch(POSITIONING + 850, 1)
    ]


def test_another_file_is_another_tape_to_mount() -> None:
    hand = disks(DiskSpec(rate=1e9, mount_ns=60_000))
    hand.path("fs", [hand.stage("disk")])
    for name in "fgh":
        hand.file(name, "fs", 100, lead=0)
    rows = (("read", name, at, 10) for name, at in (("f", 0), ("f", 10), ("g", 0), ("f", 0)))
    hand.process("p", hand.listed(*rows))
    result = run(hand)
    assert result.calls is not None
    assert result.calls.end.tolist() == [60_010, 60_020, 120_030, 180_040]


@settings(max_examples=examples(40))
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), min_size=1, max_size=15),
    st.booleans(),
)
def test_a_disk_in_order_is_never_slower(places: list[tuple[int, int]], drawn: bool) -> None:
    spec = DiskSpec(rate=1e9, seek_ns=40, turn_ns=20, rotation_drawn=drawn)
    at, in_order = 0, []
    for _, size in places:
        in_order.append((at, size))
        at += size
    any_order, ordered = reads(spec, *places), reads(spec, *in_order)
    assert max(ends(ordered)) <= max(ends(any_order))
    assert any_order.parts["disk"].busy_ns == max(ends(any_order))


# -- dealt out ----------------------------------------------------------------------------------


def dealt(
    kind: str, size: int, *, stripes: int, count: int, paths: int = 1, lead: int = 0
) -> Result:
    """One transfer over paths of 40 ns and 6 for a byte, and disks as above."""
    hand = disks(SPEC, count)
    hand.part("paths", "server", rate=1e9 / 6, overhead_ns=40, servers=paths)
    fields = {"pieces": stripes, "slot": 2, "width": count} if stripes else {}
    hand.path("fs", [hand.stage("paths", **fields), hand.stage("disk", **fields)])
    hand.file("f", "fs", 10_000, lead=lead)
    hand.process("p", hand.listed((kind, "f", 0, size)))
    return run(hand)


def test_a_stripe_is_a_transfer_of_its_own_on_each_disk() -> None:
    result = dealt("write", 100, stripes=4, count=4, paths=4)
    assert ends(result) == [(40 + 150) + (POSITIONING + 50 + 200)]
    # All four end at once: the account has one.
    assert spent(result) == {"paths": (0, 190), "disk": (0, POSITIONING + 250)}
    assert [result.parts[f"disk{i}"].bytes for i in range(4)] == [25] * 4
    paths = result.parts["server.paths"]
    assert (paths.requests, paths.bytes) == (4, 100)


@pytest.mark.parametrize(("paths", "waited"), [(1, 3 * 190), (2, 190), (4, 0)])
def test_stripes_share_the_paths_there_are(paths: int, waited: int) -> None:
    result = dealt("write", 100, stripes=4, count=4, paths=paths)
    assert spent(result)["paths"] == (waited, 190)


def test_stripes_on_one_disk_travel_together() -> None:
    result = dealt("write", 100, stripes=32, count=1, paths=4)
    assert ends(result) == [(40 + 600) + POSITIONING + 850]
    assert result.parts["server.paths"].requests == 1


def test_a_file_that_is_not_striped_has_one_disk() -> None:
    result = dealt("read", 100, stripes=0, count=4, lead=2)
    assert {name for name in result.parts if name.startswith("disk")} == {"disk2"}
    assert ends(result) == [POSITIONING + 850 + 640]


def test_a_dealt_out_transfer_moves_the_arm_by_its_share_of_the_distance() -> None:
    spec = DiskSpec(rate=1e9, capacity=1000, track_seek_ns=0, full_seek_ns=1000)
    hand = disks(spec, 4)
    hand.path("fs", [hand.stage("disk", pieces=4, slot=2, width=4)])
    hand.file("f", "fs", 1000)
    hand.process("p", hand.listed(("read", "f", 400, 100)))
    assert ends(run(hand)) == [100 + 25]


@settings(max_examples=examples(60))
@given(st.integers(1, 400), st.integers(0, 7), st.integers(1, 4), st.integers(1, 4))
def test_what_crosses_the_paths_is_on_the_disks(
    size: int, stripes: int, count: int, paths: int
) -> None:
    result = dealt("write", size, stripes=stripes, count=count, paths=paths)
    served = {name: part.bytes for name, part in result.parts.items()}
    assert (
        served.pop("server.paths")
        == size
        == sum(moved for name, moved in served.items() if name.startswith("disk"))
    )
    (one,) = result.processes
    assert sum(map(sum, one.spent.values())) == one.elapsed_ns


@settings(max_examples=examples(60))
@given(st.integers(1, 300), st.integers(0, 4), st.integers(1, 3), st.integers(20, 100))
def test_prestaging_takes_what_one_reader_measures(
    size: int, stripes: int, count: int, block: int
) -> None:
    """A store that has room for all: reading it before the run, or in it, takes as long."""
    ends_of = []
    for prestaged in (True, False):
        hand = disks(DiskSpec(rate=1e9, seek_ns=70, turn_ns=60, mount_ns=500), count)
        hand.part("paths", "server", rate=1e9 / 6, overhead_ns=40, servers=max(1, stripes))
        hand.store("cache", "server", slots=20, block=block)
        fields = {"pieces": stripes, "slot": 2, "width": count} if stripes else {}
        behind = [hand.stage("paths", **fields), hand.stage("disk", **fields)]
        hand.path("fs", [hand.kept("cache"), *behind])
        hand.file("f", "fs", size, length=size)
        hand.files[0] = replace(hand.files[0], prestaged=prestaged)
        hand.process("p", hand.listed(("read", "f", 0, size)))
        result = run(hand)
        ends_of.append((result.prestage_ns, result.elapsed_ns))
    (before, none), (nothing, within) = ends_of
    assert (none, nothing) == (0, 0)
    assert before == within


def test_of_a_prestaged_stripe_the_member_of_the_lowest_number_finds_the_disk_first() -> None:
    """Both members are at one disk, and the file's first unit is on the second of them.

    Blocks of 256 B are read one by one: 106 B of unit 1 (at 20 ns/B, 300 ns each) with the first
    seek and half a turn beside 150 B of unit 0; 106 B and 150 B again; 53 B.
    """
    spec = DiskSpec(rate=5e7, overhead_ns=300, seek_ns=100, turn_ns=60)
    plan = Plan(
        machine="m",
        workload="w",
        groups=(
            GroupPlan(name="pe", count=1),
            GroupPlan(name="server", count=1),
            GroupPlan(name="shelf", count=2, parent=1, each=2),
        ),
        parts=(PartPlan(name="disk", kind="disk", group=1, first=0, count=1, spec=spec),),
        stores=(StorePlan(name="pages", group=0, first=0, count=1, slots=3, block=256),),
        tiers=(
            TierPlan(kind=STORE),
            TierPlan(kind=STRIPE, size=150, width=2, slot=2),
            TierPlan(kind=WORK, down=(Hold(part=0, slot=1),)),
            TierPlan(kind=END),
        ),
        paths=(PathPlan(name="fs", top=0, places=(0, 1, 2), first_store=0),),
        files=(FilePlan(name="f", path=0, length=565, size=565, lead=1, prestaged=True),),
        columns=("disk",),
        seed=1,
    )
    assert both(plan).prestage_ns == max(130 + 300 + 2120, 300 + 3000) + 3300 + 1360
