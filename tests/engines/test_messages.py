"""Message servers by hand: polls, ports, and messages that cross, lie there, and are delivered.

Machines are texts; what processes send and receive are scripts. Every run checks its identities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.validation.oracle_runs import Script, calls_of, plan_of, scripted
from simulator.kinds.services.message_server.ports import Locations
from simulator.plan.jobs import ChannelPlan
from simulator.plan.plan import Plan
from simulator.plan.services import MessageServerSpec
from simulator.reference.run import run_reference
from simulator.result.result import Result
from tests.examples import examples

US, MS = 10**3, 10**6
MACHINE = """
nodes: {{node: {nodes}}}
parts: {{processor: {{kind: processor, at: node, update: 1 us}},
         lan: {{kind: queue, rate: 1 MB/s, overhead: 1 ms}}}}
filesystems: {{none: [[lan]]}}
messages: [[lan]]
services:
  messages: {{kind: message-server, at: node, interval: {interval}, poll: {poll}, send: {send},
             deliver: {deliver}, lookup: {lookup}, copy_rate: {copy}, header: {header} B,
             location_cache: {remember}}}
"""
JOBS = """
jobs: [{{name: p, processes: {nodes}, phases: [{{do: compute, time: 1 ms}}]}}]
"""


def machine(nodes: int = 2, **values: object) -> str:
    """Polls of 1 ms every 10, 2 ms to send, 3 to deliver, and 1 ms for 1000 bytes at either end."""
    usual: dict[str, object] = {
        "interval": "10 ms",
        "poll": "1 ms",
        "send": "2 ms",
        "deliver": "3 ms",
        "copy": "1 MB/s",
        "lookup": "1 ms",
        "header": 100,
        "remember": "true",
    }
    return MACHINE.format(nodes=nodes, **usual | values)


def plan(nodes: int = 2, channels: Sequence[tuple[int, int]] = (), **values: object) -> Plan:
    """A process on each node, and channels between processes; first polls are at 0."""
    made = plan_of(machine(nodes, **values), JOBS.format(nodes=nodes), seed=None)
    rows = tuple(ChannelPlan(source=one, target=other, service=0) for one, other in channels)
    return replace(made, channels=rows)


def run(made: Plan, *scripts: Script | None) -> Result:
    """Carry it out; a process without a script ends at once."""
    nothing = Script("pause", size=0, count=1)
    whole = scripted(made, [one or nothing for one in scripts])
    return run_reference(whole, debug=True, record=True)


def send(*sizes: int, at: int = 0, channel: int = 0) -> Script:
    """Send messages of so many bytes, header included, one after the other from a time on."""
    gaps = np.array([at, *[0] * (len(sizes) - 1)])
    return Script("send", offset=channel, size=np.array(sizes) - 100, gap=gaps)


def receive(count: int = 1, *, at: int = 0, channel: int = 0) -> Script:
    gaps = np.array([at, *[0] * (count - 1)])
    return Script("receive", offset=channel, size=0, gap=gaps)


def service(result: Result, node: int = 0) -> dict[str, int]:
    """What the message server of a node has counted; a single one has no number."""
    name = f"messages{node}"
    return result.services[name].counts


# -- one message --------------------------------------------------------------------------------


def delivered_ns(size: int) -> int:
    """When a message is delivered at node 0 that node 1 begins to send at 6 ms.

    Node 0 polls at 0, 10, ... ms, node 1 at 5, 15, ... ms.
    """
    made = plan(2, [(1, 0)])
    result = run(made, receive(), send(size, at=6 * MS))
    return result.processes[0].ended_ns


def test_a_message_is_sent_crosses_lies_there_is_found_and_delivered() -> None:
    """The port is asked for first."""
    # A query of 100 bytes: 2.1 ms of work, 1.1 on the LAN. Node 0 delivers it by 14.1, looks it up
    # and answers by 17.2; there at 18.3, found at 26 (polls at 5, 15, 25), delivered by 29.1. Sent
    # by 32.1, there at 34.1 (1000 bytes), found at 41, delivered by 45.
    assert delivered_ns(1000) == 45 * MS
    # 10,000 bytes need 12 ms to send from 29.1 on, a poll of 1 ms within: by 42.1; 11 ms on the
    # LAN, found at 61, and 13 ms to deliver.
    assert delivered_ns(10_000) == (61 + 13) * MS


def test_sending_costs_the_sender_and_polls_stop_it() -> None:
    """At the node of the directory: 1 ms to look up, 3 to send; polls at 0 and 10 ms."""
    result = run(plan(2, [(0, 1)]), send(1000, at=8 * MS), receive())
    first = result.processes[0]
    assert first.ended_ns == 13 * MS
    assert first.spent["messages.sending"] == (MS, 3 * MS)
    assert first.spent["messages.locating"] == (0, MS)


def test_a_message_to_the_own_node_waits_for_a_poll_but_not_for_the_network() -> None:
    made = plan(1, [(0, 0)])
    both = Script(("send", "receive"), size=np.array([900, 0]), gap=np.array([2 * MS, 0]))
    result = run(made, both)
    # The name is looked up (1 ms), sent and copied by 6; found at 11, delivered at 15.
    assert result.processes[0].ended_ns == 15 * MS
    counts = service(result)
    assert (counts["over_the_network"], counts["posted"]) == (0, 1)


def test_messages_on_the_network_wait_for_each_other() -> None:
    """Both are sent at 3 ms; the LAN brings the first by 7 and the second by 11.

    Node 2 polls at 6.67 and 16.67 ms: it finds one each time, a millisecond later.
    """
    made = plan(3, [(0, 2), (0, 2)], send="0 s", deliver="3 ms", copy="1000 PB/s")
    two = Script("send", offset=np.array([0, 1]), size=2900, gap=np.array([2 * MS, 0]))
    result = run(made, two, None, Script("receive", offset=np.array([0, 1]), size=0))
    assert service(result, 2)["unfound_ns"] == 666_666 + 6_666_666
    assert calls_of(result, "receive").end.tolist() == [10_666_666, 20_666_666]


# -- ports and their places ---------------------------------------------------------------------


def asked(remember: str) -> Result:
    """Node 1 sends to node 2 three times; node 0 has the directory."""
    made = plan(3, [(1, 2)], remember=remember)
    return run(made, None, send(100, 100, 100, at=2 * MS), receive(3))


def test_a_port_is_asked_for_once_if_servers_remember() -> None:
    assert service(asked("true"), 0)["queries"] == 1


def test_a_port_is_asked_for_each_time_if_they_forget() -> None:
    remembered, forgotten = asked("true"), asked("false")
    assert service(forgotten, 0)["queries"] == 3
    assert forgotten.elapsed_ns > remembered.elapsed_ns


def test_the_node_of_the_directory_asks_nobody() -> None:
    result = run(plan(2, [(0, 1)]), send(1000, at=2 * MS), receive())
    assert service(result, 0)["queries"] == 0
    assert result.processes[0].ended_ns == (2 + 1 + 3) * MS


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
    result = run(plan(1, poll="4 ms"), Script("pause", gap=np.array([100 * MS]), size=0))
    assert service(result)["polls"] == 10
    assert service(result)["processor_ns"] == 10 * 4 * MS


def test_a_poll_is_late_by_what_the_one_before_delivers() -> None:
    """Of two messages at 3 and 4 ms the poll at 10 delivers both, by 61; the next is then."""
    made = plan(1, [(0, 0)], send="0 s", deliver="25 ms", copy="1000 PB/s")
    gaps = np.array([2 * MS, MS, 58 * MS])
    result = run(made, Script(("send", "send", "pause"), size=np.array([1, 1, 0]), gap=gaps))
    counts = service(result)
    assert counts["delivered"] == 2
    # At 0, at 10 (until 61), and at 61, which the process's end at 62 still sees.
    assert counts["polls"] == 3
    assert counts["processor_ns"] == (3 + 2 * 25) * MS


@settings(max_examples=examples(40))
@given(st.integers(1, 50), st.integers(0, 49), st.integers(0, 400))
def test_a_message_lies_there_no_longer_than_from_poll_to_poll(
    interval: int, poll: int, gap: int
) -> None:
    poll %= interval
    made = plan(
        1,
        [(0, 0)],
        interval=f"{interval} ns",
        poll=f"{poll} ns",
        send="0 s",
        deliver="0 s",
        copy="1000 PB/s",
        lookup="0 s",
    )
    both = Script(("send", "receive"), size=np.array([1, 0]), gap=np.array([gap, 0]))
    result = run(made, both)
    (sent,), (found,) = (calls_of(result, kind).end.tolist() for kind in ("send", "receive"))
    # Polls begin at multiples of the interval and end so much later.
    since = (sent - poll) % interval
    assert found - sent == (interval - since) % interval


def test_work_beside_polls_takes_what_the_closed_form_says() -> None:
    """900 ms of work: 100 polls of 1 ms, each stops it."""
    made = plan_of(machine(1), JOBS.format(nodes=1).replace("1 ms", "900 ms"), seed=None)
    spec = made.services.messages[0].spec
    assert run_reference(made, debug=True).elapsed_ns == 1000 * MS
    assert 900 * MS / (1 - spec.share) == pytest.approx(1000 * MS)


def spec(**values: object) -> MessageServerSpec:
    usual = {"interval_ns": 10 * MS, "poll_ns": 200 * US, "send_ns": 0, "deliver_ns": 0}
    usual |= {"lookup_ns": 0, "copy_rate": 1e6, "header": 100, "remember": True}
    return MessageServerSpec(**(usual | values))  # type: ignore[arg-type]


def test_polls_without_end_are_refused() -> None:
    with pytest.raises(ValueError, match="leave no time for others"):
        spec(poll_ns=10 * MS)


# -- nothing is lost ----------------------------------------------------------------------------


@settings(max_examples=examples(30))
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 3000)), max_size=15),
    st.booleans(),
)
def test_every_message_is_delivered_once_to_whom_it_is_for(
    letters: list[tuple[int, int, int]], remember: bool
) -> None:
    """Each process sends its letters, then takes what is for it; the identities see the rest."""
    pairs = sorted({(source, target) for source, target, _ in letters})
    made = plan(3, pairs, remember=str(remember).lower())
    scripts = []
    for node in range(3):
        own = [(pairs.index((s, t)), size) for s, t, size in letters if s == node]
        others = [pairs.index((s, t)) for s, t, _ in letters if t == node]
        kinds = ["send"] * len(own) + ["receive"] * len(others)
        rows = [*own, *((channel, 0) for channel in others)] or [(0, 0)]
        offsets, sizes = np.array(rows).T
        scripts.append(Script(kinds or "pause", offset=offsets, size=sizes))
    result = run(made, *scripts)
    counts = [service(result, node) for node in range(3)]
    queries = counts[0]["queries"]
    posted = sum(one["posted"] for one in counts)
    assert posted == len(letters) + 2 * queries
    assert posted == sum(one["delivered"] for one in counts)
    assert result.latencies.get("receive") is None or result.latencies["receive"].count == len(
        letters
    )
