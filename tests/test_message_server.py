"""Message servers by hand: one message's way, polls and what they cost, ports and directory."""

from __future__ import annotations

import math

import numpy as np
import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st
from simulator.study.oracle_message_runs import Office, latency_ns, unfound_ns, works_ns

from simulator.machine.actor import Actor, Steps
from simulator.machine.message_server import MessageServerSpec
from simulator.machine.ports import Locations, Message, Port
from simulator.machine.station import ServiceSpec

US, MS = 1_000, 1_000_000
LINK = ServiceSpec(1e6, MS)
"""1 us for each byte, and 1 ms."""


def spec(**values: object) -> MessageServerSpec:
    """Round numbers: a message of 1000 bytes is copied in 1 ms."""
    usual = {
        "interval_ns": 10 * MS,
        "poll_ns": MS,
        "send_ns": 2 * MS,
        "deliver_ns": 3 * MS,
        "lookup_ns": MS,
        "copy_rate": 1e6,
        "header": 100,
        "remember": True,
    }
    return MessageServerSpec(**(usual | values))  # type: ignore[arg-type]


# -- one message --------------------------------------------------------------------------------


def test_a_message_is_sent_crosses_lies_there_is_found_and_delivered() -> None:
    # Begun at 5 ms: sent and copied by 8, there at 10 (1 ms and 1000 bytes), in time for the
    # poll at 10 that ends at 11; delivered and copied 4 ms later.
    assert latency_ns(spec(), LINK, 1000) == (11 + 4 - 5) * MS
    # 1 byte more is 2 us later: found by the same poll, since it lasts until 11.
    assert latency_ns(spec(), LINK, 1001) == (11 + 4 - 5) * MS + US
    # 2000 bytes: sent at 9, there at 12, found at 21, delivered at 26.
    assert latency_ns(spec(), LINK, 2000) == (26 - 5) * MS


def test_sending_costs_the_sender_and_polls_stop_it() -> None:
    office = Office(spec(), LINK)
    office.servers[0].locations.learn("port1", 1)
    client = office.clients[0]

    def life() -> Steps:
        yield client.until(9 * MS)
        yield from office.send(0, 1, 1000)

    office.run(life())
    # 3 ms of work from 9 on, with the poll from 10 to 11 in between.
    assert (client.now, client.spent) == (13 * MS, {"sending": [MS, 3 * MS]})


def test_a_message_to_the_own_node_waits_for_a_poll_but_not_for_the_network() -> None:
    office = Office(spec(), LINK)

    def life() -> Steps:
        yield office.clients[0].until(2 * MS)
        yield from office.send(0, 0, 1000)
        yield from office.await_message(0)

    office.run(life())
    # The name is looked up (1 ms), sent and copied by 6; found at 11, delivered at 15.
    assert office.clients[0].now == 15 * MS
    assert (office.adapters[0].sent, office.servers[0].posted) == (0, 1)


def test_messages_on_the_network_wait_for_each_other() -> None:
    office = Office(spec(send_ns=0, copy_rate=math.inf), LINK, nodes=3)
    for server in office.servers:
        server.locations.learn("port2", 2)

    def life(node: int) -> Steps:
        yield office.clients[node].until(2 * MS)
        yield from office.send(node, 2, 3000)

    def receiver() -> Steps:
        yield from office.await_message(2)
        yield from office.await_message(2)

    office.run(life(0), life(1), receiver())
    # The first is there at 6, the second at 10: one poll finds both at 11, and takes the second
    # up when the first is delivered.
    assert office.servers[2].unfound_ns == (5 + 4) * MS
    assert office.clients[2].now == (11 + 3 + 3) * MS


# -- ports and their places ---------------------------------------------------------------------


def asked(*, remember: bool, messages: int = 3) -> Office:
    """Node 1 sends to node 2 some times; node 0 has the directory."""
    office = Office(spec(remember=remember), LINK, nodes=3)

    def life() -> Steps:
        yield office.clients[1].until(2 * MS)
        for _ in range(messages):
            yield from office.send(1, 2, 100)

    def receiver() -> Steps:
        for _ in range(messages):
            yield from office.await_message(2)

    office.run(life(), receiver())
    return office


def test_a_port_is_asked_for_once_if_servers_remember() -> None:
    office = asked(remember=True)
    assert office.servers[0].queries == 1
    assert office.servers[1].locations.find("port2") == 2
    wait, _ = office.clients[1].spent["locating ports"]
    # Asked at 2 ms (2.1 ms of work), there at 5.2, found at 11, read (3.1 ms), looked up and
    # answered (1 + 2.1) by 17.2, there at 18.3, found at 21 and delivered by 24.1.
    assert wait == pytest.approx((24.1 - 2 - 2.1) * MS, abs=1)


def test_a_port_is_asked_for_each_time_if_they_forget() -> None:
    office = asked(remember=False)
    assert office.servers[0].queries == 3
    assert office.servers[1].locations.find("port2") is None


def test_the_node_of_the_directory_asks_nobody() -> None:
    office = Office(spec(), LINK)

    def life() -> Steps:
        yield office.clients[0].until(2 * MS)
        yield from office.send(0, 1, 1000)

    office.run(life())
    assert (office.servers[0].queries, office.clients[0].now) == (0, (2 + 1 + 3) * MS)


def test_a_port_wakes_who_waits() -> None:
    env = simpy.Environment()
    actor, port = Actor(env, 0, "actor"), Port("p")
    taken = []

    def life() -> Steps:
        while not port.box:
            yield port.wait(actor)
        taken.append(port.box.popleft().source)

    env.process(life())
    env.run()
    assert port.awaited
    port.put(Message("data", "p", 7, 0, 10))
    env.run()
    assert (taken, port.awaited) == ([7], False)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=12))
def test_what_is_remembered_is_what_was_learnt_last(learnt: list[tuple[str, int]]) -> None:
    known, forgetful = Locations(remember=True), Locations(remember=False)
    for name, node in learnt:
        known.learn(name, node)
        forgetful.learn(name, node)
    for name in "abc":
        assert known.find(name) == dict(learnt).get(name)
        assert forgetful.find(name) is None


# -- polls --------------------------------------------------------------------------------------


def test_polls_come_at_the_interval_even_if_they_take_long() -> None:
    office = Office(spec(interval_ns=10 * MS, poll_ns=4 * MS), LINK, nodes=1)

    def life() -> Steps:
        yield office.clients[0].until(100 * MS)

    office.run(life())
    assert office.servers[0].polls == 10
    assert office.cpus[0].server_ns == 10 * 4 * MS


def test_a_poll_is_late_by_what_the_one_before_delivers() -> None:
    office = Office(spec(deliver_ns=25 * MS, copy_rate=math.inf), LINK, nodes=1)
    office.arrive(0)

    def life() -> Steps:
        yield office.clients[0].until(30 * MS)

    office.run(life())
    # The first ends at 1 ms and delivers until 26; the second begins then, not at 10.
    assert office.servers[0].polls == 2
    assert office.cpus[0].server_ns == (1 + 25 + 1) * MS


@given(st.integers(1, 50), st.integers(0, 49), st.integers(0, 400))
def test_a_message_lies_there_no_longer_than_from_poll_to_poll(
    interval: int, poll: int, gap: int
) -> None:
    poll %= interval
    one = spec(interval_ns=interval, poll_ns=poll, deliver_ns=0, copy_rate=math.inf)
    (found,) = unfound_ns(one, np.array([gap]))
    since = (gap - poll) % interval
    assert found == (interval - since) % interval or (gap < poll and found == poll - gap)


def test_work_beside_polls_takes_what_the_closed_form_says() -> None:
    one = spec(deliver_ns=0)
    # 900 ms of work: 100 polls of 1 ms, each stops it.
    assert works_ns(one, 900 * MS, 1) == 1000 * MS
    assert one.loop_ns(900 * MS, stages=0) == pytest.approx(1000 * MS)


def test_the_closed_forms_are_those_of_a_polling_server() -> None:
    one = spec(poll_ns=200 * US)
    assert (one.share, one.detection_ns) == (0.02, 5 * MS)
    assert one.loop_ns(250 * MS) == pytest.approx(250e6 / 0.98 + 5e6)
    assert one.best_interval_ns(250 * MS) == pytest.approx(10.2e6)
    best = one.best_interval_ns(250 * MS, stages=2.0)
    times = [
        spec(poll_ns=200 * US, interval_ns=round(best * by)).loop_ns(250 * MS, 2.0)
        for by in (0.9, 1.0, 1.1)
    ]
    assert times[1] == min(times)


def test_polls_without_end_are_refused() -> None:
    with pytest.raises(ValueError, match="leave no time for others"):
        spec(poll_ns=10 * MS)


# -- nothing is lost ----------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 3000)), max_size=15),
    st.booleans(),
)
def test_every_message_is_delivered_once_to_whom_it_is_for(
    letters: list[tuple[int, int, int]], remember: bool
) -> None:
    office = Office(spec(remember=remember), LINK, nodes=3)
    got: list[tuple[int, int, int]] = []

    def sender(node: int) -> Steps:
        yield office.clients[node].until(0)
        for source, target, size in letters:
            if source == node:
                yield from office.send(node, target, size)

    reader_of = [Actor(office.env, 9 + node, f"reader{node}") for node in range(3)]

    def reader(node: int) -> Steps:
        port = office.servers[node].ports[f"port{node}"]
        while sum(target == node for _, target, _ in got) < sum(t == node for _, t, _ in letters):
            while not port.box:
                yield port.wait(reader_of[node])
            one = port.box.popleft()
            got.append((one.source, node, one.size))

    office.run(*map(sender, range(3)), *map(reader, range(3)))
    assert sorted(got) == sorted(letters)
    for source in range(3):
        for target in range(3):
            pair = source, target
            assert [one for one in got if one[:2] == pair] == [
                one for one in letters if one[:2] == pair
            ]
    posted = sum(server.posted for server in office.servers)
    assert posted == len(letters) + 2 * office.servers[0].queries
    assert sum(server.delivered for server in office.servers) == posted
