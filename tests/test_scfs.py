"""The path through the SSU: how a call is divided, and what contends on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.disk import DiskSpec
from tests.actors import ends
from tests.plans import TRIGGERS, UNIT, per_byte, ssu
from tests.rigs import HIT, PUT, SsuRig, counted, unit

PORT_NS = 5 + 2 * UNIT
"""How long a unit holds a port of the crossbar."""


def staged(**changes: object) -> SsuRig:
    rig = SsuRig(ssu(8), (400, 400), (400, 400), **changes)  # type: ignore[arg-type]
    rig.prestage(0)
    rig.prestage(1)
    return rig


def test_a_call_is_divided_at_the_units() -> None:
    rig = staged()
    assert list(rig.scfs._units(150, 200)) == [(1, 50, 100), (2, 0, 100), (3, 0, 50)]
    assert list(rig.scfs._units(100, 100)) == [(1, 0, 100)]
    assert list(rig.scfs._units(399, 1)) == [(3, 99, 100)]
    assert list(rig.scfs._units(50, 0)) == []


@given(st.integers(0, 350), st.integers(0, 50))
def test_the_pieces_are_the_call(offset: int, size: int) -> None:
    pieces = list(staged().scfs._units(offset, size))
    covered = [byte for i, low, high in pieces for byte in range(i * UNIT + low, i * UNIT + high)]
    assert covered == list(range(offset, offset + size))
    assert all(0 <= low < high <= UNIT for _, low, high in pieces)


def test_pieces_of_a_call_follow_each_other() -> None:
    rig = staged()
    (client,) = rig.run(rig.client(("read", 0, 150, 200)))
    assert client.now == (20 + 150) + HIT + (20 + 150)
    assert rig.read_channel.requests == 3
    assert rig.scfs.port.outward.bytes == 200
    assert rig.scfs.port.inward.bytes == 0


def test_writes_go_the_other_way() -> None:
    rig = staged()
    rig.run(rig.client(("write", 0, 150, 200)))
    assert rig.scfs.port.inward.bytes == 200
    assert (rig.write_channel.bytes, rig.read_channel.bytes) == (200, 0)
    assert counted(rig, "accepted_bytes") == [200]


def test_two_readers_queue_for_the_channel() -> None:
    rig = staged()
    first, second = rig.run(*(rig.client(("read", file, *unit(0))) for file in (0, 1)))
    assert (first.now, second.now) == (HIT, 2 * HIT)
    assert second.spent == {"read": [HIT, HIT]}


def test_a_reader_and_a_writer_do_not_meet() -> None:
    rig = staged()
    clients = rig.run(rig.client(("read", 0, *unit(0))), rig.client(("write", 1, *unit(0))))
    assert ends(clients) == [HIT, PUT]


def test_where_the_channel_is_fast_the_port_is_what_contends() -> None:
    rig = staged(read=per_byte(0))
    second = rig.run(*(rig.client(("read", file, *unit(0))) for file in (0, 1)))[1]
    assert second.now == 2 * PORT_NS
    assert second.spent == {"ssu.out": [PORT_NS, PORT_NS]}


def test_two_readers_meet_at_the_ssu_and_not_at_their_own_ports() -> None:
    """One reader of two units, and two readers of one each, take the same time in all."""
    alone, both = staged(), staged()
    (one,) = alone.run(alone.client(("read", 0, *unit(0)), ("read", 1, *unit(0))))
    two = both.run(*(both.client(("read", file, *unit(0))) for file in (0, 1)))
    assert max(ends(two)) == one.now


def test_a_call_of_nothing_takes_no_time() -> None:
    rig = staged()
    assert rig.run(rig.client(("read", 0, 50, 0)))[0].now == 0


def test_closing_waits_for_nobody() -> None:
    rig = SsuRig(ssu(4, "close"), (0, 400))
    (client,) = rig.run(rig.client(("write", 0, *unit(0)), ("close", 0)))
    assert client.now == PUT < rig.env.now


evens = st.integers(0, 150).map(lambda half: 2 * half)
"""Sizes and places of which both stripes get the same."""
moves = st.lists(
    st.tuples(
        st.sampled_from(("read", "write")),
        st.integers(0, 1),
        evens,
        evens.map(lambda size: 2 + size // 6 * 2),
    ),
    min_size=1,
    max_size=5,
)
Move = tuple[str, int, int, int]


def times(scale: int, lives: Sequence[Sequence[Move]], slots: int, **changes: Any) -> list[Any]:
    """What clients measure on a machine whose sizes and rates are all ``scale`` times as big."""
    size = UNIT * scale
    spec = ssu(slots, high_mark=0.5, low_mark=0.25, workers=2, **changes)
    spec = replace(spec, capacity=slots * size, unit=size, share=spec.share * scale)
    rig = SsuRig(
        spec,
        (200 * scale, 450 * scale),
        (200 * scale, 450 * scale),
        port=per_byte(1.7 / scale, 5),
        read=per_byte(3.1 / scale, 20),
        write=per_byte(4.3 / scale, 30),
        path=per_byte(6.9 / scale, 40),
        disk=DiskSpec(
            rate=scale * 1e9 / 8.3,
            turn_ns=600,
            capacity=20_000 * scale,
            track_seek_ns=10,
            full_seek_ns=5000,
        ),
        apart=10_000 * scale,
        disks=2,
        stripes=2,
    )
    rig.prestage()
    clients = []
    for number, life in enumerate(lives):
        scaled = [(op, file, at * scale, length * scale) for op, file, at, length in life]
        clients.append(rig.client(*scaled, at=10 * number))
    done = [(client.now, client.spent) for client in rig.run(*clients)]
    counts = counted(rig, "hits", "misses", "fetched", "written_back", "released")
    moved = [disk.bytes // scale for disk in rig.disks]
    return [rig.env.now, done, counts, moved]


@given(
    st.lists(moves, min_size=1, max_size=4),
    st.sampled_from((2, 4, 8)),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sets(st.sampled_from(TRIGGERS)),
    st.sampled_from(("none", "whole", "full")),
)
def test_sizes_and_rates_scaled_together_change_no_time(
    lives: list[list[Move]], factor: int, slots: int, share: int, triggers: set[str], release: str
) -> None:
    """M3: all sizes, the cache and all rates times k (and the arm's range with them)."""
    rules = {"share": share, "triggers": frozenset(triggers), "release": release}
    assert times(factor, lives, slots, **rules) == times(1, lives, slots, **rules)
