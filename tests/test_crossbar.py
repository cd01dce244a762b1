"""The crossbar: only ports contend, and each way of a port by itself."""

from __future__ import annotations

from simulator.machine.actor import Actor, Steps
from simulator.machine.crossbar import Port, cross
from simulator.machine.station import Station
from tests.actors import Life, act, ends
from tests.plans import PORT, per_byte


def port(name: str) -> Port:
    return Port(Station(f"{name}.in", PORT), Station(f"{name}.out", PORT))


def send(sender: Port, receiver: Port, size: int = 100, *, at: int = 0) -> Life:
    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        yield actor.until(cross(actor, sender, receiver, size))

    return life


ALONE = 5 + 200


def test_one_transfer_holds_both_ports_and_is_paid_once() -> None:
    a, b = port("a"), port("b")
    (actor,) = act(send(a, b))
    assert actor.now == ALONE
    assert actor.spent == {"a.out": [0, ALONE]}
    assert (a.outward.bytes, b.inward.bytes) == (100, 100)
    assert (a.inward.requests, b.outward.requests) == (0, 0)


def test_disjoint_pairs_do_not_meet() -> None:
    a, b, c, d = (port(name) for name in "abcd")
    assert ends(act(send(a, b), send(c, d))) == [ALONE, ALONE]


def test_both_ways_of_a_pair_do_not_meet() -> None:
    a, b = port("a"), port("b")
    assert ends(act(send(a, b), send(b, a))) == [ALONE, ALONE]


def test_a_sender_sends_one_at_a_time() -> None:
    a, b, c = (port(name) for name in "abc")
    actors = act(send(a, b), send(a, c))
    assert ends(actors) == [ALONE, 2 * ALONE]
    assert actors[1].spent["a.out"] == [ALONE, ALONE]


def test_a_receiver_receives_one_at_a_time() -> None:
    a, b, c = (port(name) for name in "abc")
    actors = act(send(a, c), send(b, c))
    assert ends(actors) == [ALONE, 2 * ALONE]
    assert actors[1].spent == {"c.in": [ALONE, 0], "b.out": [0, ALONE]}


def test_a_channel_is_a_third_station_on_the_way() -> None:
    a, b = port("a"), port("b")
    channel = Station("channel", per_byte(4, 30))

    def life(actor: Actor) -> Steps:
        yield actor.until(cross(actor, a, b, 100, channel))

    (actor,) = act(life)
    assert actor.now == 430
    assert actor.spent == {"channel": [0, 430]}
    assert a.outward.free_at == [ALONE]  # a port is not held for the slower channel
