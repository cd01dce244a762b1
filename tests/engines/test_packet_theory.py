"""Networks of packets against theory: queues one after the other, and what a port can carry."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.run import run_plan
from tests.engines.test_packets import NS, L, crossing, messages, network, yaml
from tests.examples import examples
from tests.reference.runs import FREE, ends, planned, run

# -- theory ---------------------------------------------------------------------------------------


def mean_values(stations: int, think: float, clients: int) -> float:
    """Throughput of a closed network of equal exponential stations, each visited equally often.

    Exact mean value analysis, in visits to all stations per unit of their service time.
    """
    queue = throughput = 0.0
    for present in range(1, clients + 1):
        response = 1 + queue
        throughput = present / (think + response)
        queue = throughput * response / stations
    return throughput


CLOSED = """
nodes: {{client: {clients}, server: {servers}}}
parts:
  cpu: {free}
  nic:
    kind: network
    at: [client, server]
    rate: {{client: 1000 TB/s, server: 100 MB/s}}
    latency: {{server: {think} us}}
    noise: {{distribution: exponential}}
  ssd: {{kind: delay, at: server}}
filesystems:
  home: [{{stripe: 10 kB, of: server}}, [nic], ssd]
"""
READS = """
files: {{f: {{size: 400 MB, exists: true, shared: true}}}}
jobs:
  - name: a
    processes: {clients}
    record: 10 kB
    phases: [{{do: read, file: f, size: {size} kB, order: random}}]
"""


@pytest.mark.parametrize(("clients", "servers", "think"), [(4, 4, 0), (12, 4, 0), (8, 3, 200)])
def test_ports_are_a_closed_network_with_product_form(
    clients: int, servers: int, think: int
) -> None:
    """Exponential services of 100 us at K servers, any latency: throughput by mean value analysis.

    The throughput of 40,000 reads has a standard deviation of about half a percent.
    """
    each = 40_000 // clients
    machine = CLOSED.format(clients=clients, servers=servers, think=think, free=FREE)
    result = run_plan(planned(machine, READS.format(clients=clients, size=each * 10)))
    expected = mean_values(servers, think / 100, clients) / 100e-6
    # The end, with fewer and fewer clients, is no part of the closed network.
    assert each * clients / (result.elapsed_ns / NS) == pytest.approx(expected, rel=0.02)


AT_NO_NODE = """
nodes: {{server: 2}}
parts:
  cpu: {free}
  nic: {{kind: network, at: server, rate: 100 MB/s, latency: 3 us{switching}}}
  ssd: {{kind: delay, at: server}}
stores:
  flash: {{capacity: 1 GB, block: 10 kB, start: [eager]}}
filesystems:
  home: [flash, [nic], ssd]
"""
WRITES = """
files: {f: {size: 40 kB}}
jobs: [{name: a, on: server, record: 10 kB, phases: [{do: write, file: f}, {do: sync, file: f}]}]
"""


@pytest.mark.parametrize("switching", ["", ", switching: circuit"])
def test_what_is_at_no_node_sends_through_the_port_of_the_other_end_alone(switching: str) -> None:
    """A store of the whole machine has no port; its blocks go back together, in 400 us and 3."""
    result = yaml(AT_NO_NODE.format(free=FREE, switching=switching), WRITES)
    assert result.elapsed_ns == 400_000 + 3_000
    assert result.parts["server0.nic.in"].busy_ns == 400_000 + 3_000 * bool(switching)


class Sent(NamedTuple):
    """A message: when, from whom, to whom, and how many bytes, which are no other's."""

    at: int
    client: int
    server: int
    size: int


sendings = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 3), st.integers(0, 2), st.integers(1, 9)),
    min_size=1,
    max_size=25,
)


def port(visits: list[tuple[int, int, int]], ns: int, servers: int) -> dict[int, tuple[int, int]]:
    """Serve visits (arrival, actor, size) first come first served; return begin and end by size.

    Lindley's recursion: too simple to be wrong.
    """
    free, served = [0] * servers, {}
    for at, _, size in sorted(visits):
        free.sort()
        begin = max(at, free[0])
        free[0] = begin + ns * size
        served[size] = begin, free[0]
    return served


@settings(max_examples=examples(150))
@given(sendings, st.integers(1, 4), st.integers(1, 4), st.integers(1, 2))
def test_every_port_is_a_queue_that_works_while_messages_stand_before_it(
    drawn: list[tuple[int, int, int, int]], near: int, far: int, ports: int
) -> None:
    """Spans of all services, against a recursion at each port with the arrivals there."""
    sent = [Sent(at, a, b, 100 * size + i) for i, (at, a, b, size) in enumerate(drawn)]
    result = messages(network(4, 3, near, far, ports), sent)
    out: dict[int, tuple[int, int]] = {}
    for client in range(4):
        visits = [(one.at, i, one.size) for i, one in enumerate(sent) if one.client == client]
        out |= port(visits, near, ports)
    into: dict[int, tuple[int, int]] = {}
    for server in range(3):
        visits = [
            (out[one.size][0] + L, i, one.size)
            for i, one in enumerate(sent)
            if one.server == server
        ]
        into |= port(visits, far, ports)
    spans = {
        (s.part.split(".")[1], s.bytes): (s.start_ns, s.start_ns + s.service_ns)
        for s in result.spans
    }
    for one in sent:
        assert spans["c-out", one.size] == out[one.size]
        assert spans["s-in", one.size] == into[one.size]
    assert ends(result) == [max(into[one.size][1], out[one.size][1] + L) for one in sent]


@settings(max_examples=examples(60))
@given(
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from((1, 2, 5)),
    st.sampled_from((1, 2, 5)),
)
def test_throughput_never_falls_with_more_requests_at_one_time(
    clients: int, servers: int, width: int, near: int, far: int
) -> None:
    """But for the beginning, when the first requests of each client stand behind all others'.

    With circuits that fails in more than a third of such cases.
    """
    windows = (1, 2, 4, 8)
    elapsed = [
        reading(clients, servers, min(width, servers), near, far, window) for window in windows
    ]
    for (few, before), (more, after) in pairwise(zip(windows, elapsed, strict=True)):
        assert after <= before + (clients - 1) * (more - few) * UNIT * far


UNIT = 100
"""Bytes of a request."""


def reading(clients: int, servers: int, width: int, near: int, far: int, window: int) -> int:
    """How long clients take that read striped files of their own, each in one call."""
    hand = network(clients, servers, near, far)
    stripe = hand.stripe("server", UNIT, width)
    hand.path("fs", [hand.request(UNIT, window), stripe, crossing(hand)])
    size = 16 * UNIT
    for client in range(clients):
        hand.file(f"f{client}", "fs", size, length=size, lead=client)
        hand.process(f"p{client}", hand.listed(("read", f"f{client}", 0, size)), node=client)
    return run(hand).elapsed_ns
