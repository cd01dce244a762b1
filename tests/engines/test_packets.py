"""Networks of packets: ports are queues of their own, none idle while a message stands before it.

By hand, against Lindley's recursion, and against exact mean value analysis; on both engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.config.errors import ConfigError
from simulator.plan.jobs import ChannelPlan
from simulator.plan.paths import TierPlan
from simulator.result.result import Result
from simulator.run import run_plan
from tests.engines.hand import Hand
from tests.examples import examples
from tests.reference.runs import FREE, both, ends, planned, run, spent

NS = 10**9
L = 7
"""The latency of networks by hand; ns."""


# -- by hand --------------------------------------------------------------------------------------


def network(clients: int, servers: int, near: int = 1, far: int = 1, ports: int = 1) -> Hand:
    """Clients and servers on a network; ``near`` and ``far``: ns of a byte at their ports."""
    hand = Hand(client=clients, server=servers)
    hand.devices("target", "server", 1)
    for group, prefix, ns in (("client", "c", near), ("server", "s", far)):
        hand.part(f"{prefix}-out", group, rate=NS / ns, latency_ns=L, servers=ports)
        hand.part(f"{prefix}-in", group, rate=NS / ns, servers=ports)
    return hand


def crossing(hand: Hand, *, packets: bool = True) -> TierPlan:
    """The stage from a client to a server, and back."""
    up = hand.stage("s-out", "c-in").down
    return replace(hand.stage("c-out", "s-in"), up=up, packets=packets)


def messages(hand: Hand, sent: Sequence[tuple[int, int, int, int]]) -> Result:
    """Processes that write once each: (begin, client, server, bytes)."""
    stripe = hand.stripe("server", 10**6, 1)
    hand.path("fs", [stripe, crossing(hand)])
    for number in range(hand.groups[1].count):
        hand.file(f"f{number}", "fs", 10**6, lead=number)
    for number, (at, client, server, size) in enumerate(sent):
        call = hand.listed(("write", f"f{server}", 0, size))
        hand.process(f"p{number}", call, node=client, start_ns=at)
    return run(hand)


def test_a_message_alone_takes_the_latency_and_its_bytes_at_the_slower_port() -> None:
    assert ends(messages(network(1, 1), [(0, 0, 0, 100)])) == [L + 100]
    assert ends(messages(network(1, 1, near=3), [(0, 0, 0, 100)])) == [L + 300]
    assert ends(messages(network(1, 1, far=3), [(0, 0, 0, 100)])) == [L + 300]


def test_a_fast_receiver_is_not_held_for_a_slow_sender() -> None:
    """Both messages take 300 ns at their own ports, and keep the receiver's for 100 each."""
    result = messages(network(2, 1, near=3), [(0, 0, 0, 100), (0, 1, 0, 100)])
    # The second begins at L + 100, and ends as its last byte comes: 300 after it began to leave.
    assert ends(result) == [L + 300, L + 300]
    assert result.parts["server.s-in"].busy_ns == 200
    assert spent(result, 0) == {"c-out": (0, L + 300)}
    assert spent(result, 1) == {"c-out": (0, L + 200), "s-in": (100, 0)}


def test_who_comes_first_to_a_port_has_it_first_whatever_was_sent_before() -> None:
    """A message that left earlier but is longer under way is no reservation."""
    hand = network(2, 1)
    hand.parts[1] = replace(hand.parts[1], latency_ns=0)
    slow = replace(hand.parts[1], name="far-out", first=sum(one.count for one in hand.parts))
    hand.parts.append(replace(slow, latency_ns=50))
    hand.path("near", [hand.forward("server", "client"), crossing(hand)])
    far = replace(hand.stage("far-out", "s-in"), packets=True)
    hand.path("far", [hand.forward("server", "client"), far])
    for name in ("near", "far"):
        hand.file(name, name, 1000)
    hand.process("a", hand.listed(("write", "far", 0, 100)))
    hand.process("b", hand.listed(("write", "near", 0, 40)), node=1, start_ns=10)
    assert ends(run(hand)) == [150, 50]


def test_all_to_all_in_turns_keeps_every_port_busy() -> None:
    """In step k rank r sends to rank r + k: n - 1 steps of a message each, and nobody waits."""
    n, size = 6, 50
    hand = network(n, 1)
    there = replace(hand.stage("c-out", "c-in"), packets=True, up=(), remote_only=True)
    there = replace(there, down=(there.down[0], replace(there.down[1], slot=1)))
    top = hand.chain([there])
    pairs = [(rank, (rank + step) % n) for rank in range(n) for step in range(1, n)]
    hand.channels = [ChannelPlan(source=a, target=b, top=top) for a, b in pairs]
    for rank in range(n):
        own = [number for number, (a, _) in enumerate(pairs) if a == rank]
        hand.process(f"p{rank}", hand.listed(*(("send", one, 0, size) for one in own)), node=rank)
    result = run(hand)
    assert ends(result) == [(n - 1) * (L + size)] * n
    for rank in range(n):
        assert spent(result, rank) == {"c-out": (0, (n - 1) * (L + size))}


def test_all_to_all_at_once_is_bounded_by_the_last_port() -> None:
    """Each of n clients reads a unit from each of n servers: client i ends after i + n messages."""
    n, size = 5, 100
    hand = network(n, n)
    hand.path("fs", [hand.stripe("server", size, n), crossing(hand)])
    hand.file("f", "fs", n * size, length=n * size)
    for client in range(n):
        hand.process(f"p{client}", hand.listed(("read", "f", 0, n * size)), node=client)
    assert ends(run(hand)) == [(client + n) * size + L for client in range(n)]


# -- other parts in the stage ---------------------------------------------------------------------


def test_parts_of_a_stage_are_passed_one_after_the_other() -> None:
    """Memory 1 ns a byte, port 2, switch 3, port 1: the last byte passes the switch last."""
    hand = network(2, 1, near=2)
    hand.part("memory", "client", rate=NS)
    hand.part("switch", "server", rate=NS / 3)
    hand.path(
        "fs",
        [
            hand.forward("server", "client"),
            replace(hand.stage("memory", "c-out", "switch", "s-in"), packets=True),
        ],
    )
    hand.file("f", "fs", 1000)
    for client in range(2):
        hand.process(f"p{client}", hand.listed(("write", "f", 0, 100)), node=client)
    result = run(hand)
    # Both are before the switch at L; the second one begins there at L + 300.
    assert ends(result) == [L + 300, L + 600]
    assert spent(result, 1) == {"c-out": (0, L), "switch": (300, 300)}


# -- the machine of the issue ---------------------------------------------------------------------


def yaml(machine: str, jobs: str) -> Result:
    """Carry out a machine and jobs as a user writes them, on both engines."""
    return both(planned(machine, jobs))


SMALL = f"""
nodes: {{client: 2, server: 2}}
parts:
  cpu: {FREE}
  nic: {{kind: network, at: [client, server], rate: 1 MB/s, switching: SWITCHING}}
  ssd: {{kind: delay, at: server}}
filesystems:
  home: [{{stripe: 1 MB, of: server}}, {{route: [nic], request: 1 MB, window: 2}}, ssd]
"""
"""Files begin on one server after the other."""
TWO_READERS = """
files: {one: {size: 1 MB, exists: true}, both: {size: 2 MB, exists: true}}
jobs:
  - {name: a, record: 2 MB, phases: [{do: read, file: both}]}
  - {name: b, record: 1 MB, start: 0.1 s, first_node: 1, phases: [{do: read, file: one}]}
"""


@pytest.mark.parametrize(("switching", "seconds"), [("packets", 1.9), ("circuit", 2.9)])
def test_no_port_is_held_for_another(switching: str, seconds: float) -> None:
    """The first server's port is busy for a second; the second job is behind it, and no more."""
    result = yaml(SMALL.replace("SWITCHING", switching), TWO_READERS)
    (b,) = [one for one in result.processes if one.job == "b"]
    assert b.elapsed_ns == pytest.approx(seconds * NS, abs=10)


LARGE = """
nodes: {client: 64, server: 8}
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  nic: {kind: network, at: [client, server], rate: 12.5 GB/s, latency: 2 us, switching: SWITCHING}
  ost: {kind: queue, at: server, count: 2, rate: 5 GB/s}
filesystems:
  home: [{stripe: 1 MB, over: 4, of: ost}, {route: [nic], request: 1 MB, window: WINDOW}, ost]
"""
READ_ALL = """
files: {f: {size: 256 MB, exists: true}}
jobs: [{name: a, processes: 64, record: 64 MB, phases: [{do: read, file: f}]}]
"""


def test_striped_reads_come_near_the_narrowest_resource_with_any_window() -> None:
    """16 queues of 5 GB/s: 80 GB/s. In circuits ports that wait for others let it fall.

    The 4 queues of a file are on 4 servers, and 16 files have each queue. So every request of a
    window is at another server, whose port a circuit holds until the one port of its reader is
    free: the more requests are out, the more servers stand idle for one reader.
    """
    packets, circuit = (
        [read_all(window, switching) for window in (1, 2, 4)]
        for switching in ("packets", "circuit")
    )
    assert all(0.99 * 80 < rate <= 80 for rate in packets)
    assert all(late >= 0.995 * early for early, late in pairwise(packets))
    assert circuit == pytest.approx([62.5, 42.3, 32.2], abs=0.1)


def read_all(window: int, switching: str) -> float:
    """The rate at which all nodes read, in GB/s."""
    machine = LARGE.replace("WINDOW", str(window)).replace("SWITCHING", switching)
    return 64 * 256 / (run_plan(planned(machine, READ_ALL)).elapsed_ns / 1e6)


# -- circuits -------------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_a_single_process_cannot_tell_packets_from_circuits(seed: int, ns: int) -> None:
    """With ports of one rate, and the latency as overhead of both ports."""
    rng = Random(seed)
    sizes = [rng.randint(1, 400) for _ in range(5)]
    found = []
    for packets in (True, False):
        hand = network(1, 2, ns, ns)
        if not packets:
            hand.parts = [
                replace(one, service=replace(one.service, overhead_ns=L))
                if one.name != "cpu"
                else one
                for one in hand.parts
            ]
        hand.path("fs", [hand.stripe("server", 50, 1), crossing(hand, packets=packets)])
        hand.file("f", "fs", 10_000)
        hand.process("p", hand.listed(*(("write", "f", 0, size) for size in sizes)))
        found.append(ends(run(hand)))
    assert found[0] == found[1]


# -- keys -----------------------------------------------------------------------------------------

KEYS = """
nodes: {client: 2, server: 1}
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  nic: {kind: network, at: [client, server], NETWORK}
  ssd: {kind: delay, at: server}
filesystems: {home: [[nic], ssd]}
"""
COPY = """
files: {f: {size: 1 MB, exists: true}}
jobs: [{name: a, record: 1 MB, phases: [{do: PHASE, file: f}]}]
"""


@pytest.mark.parametrize(
    ("network", "phase", "ms"),
    [
        ("rate: {client: 1 GB/s, server: 100 MB/s}", "read", 10),
        ("rate: {client: 100 MB/s, server: 1 GB/s}", "read", 10),
        ("rate: 1 GB/s, latency: {client: 3 ms, server: 7 ms}", "read", 7 + 1),
        ("rate: 1 GB/s, latency: {client: 3 ms, server: 7 ms}", "write", 3 + 1),
        ("rate: 1 GB/s, latency: {client: 3 ms}", "read", 1),
        ("rate: 1 GB/s, latency: 2 ms, overhead: {server: 5 ms}", "read", 2 + 5 + 1),
        ("rate: 1 GB/s, latency: 2 ms, overhead: {server: 5 ms}, switching: circuit", "read", 8),
    ],
)
def test_ports_differ_by_groups(network: str, phase: str, ms: int) -> None:
    result = yaml(KEYS.replace("NETWORK", network), COPY.replace("PHASE", phase))
    assert result.elapsed_ns == pytest.approx(ms * 1_000_000, abs=1)


BOTH_WAYS = """
files: {old: {size: 1 MB, exists: true}, new: {size: 1 MB}}
jobs:
  - {name: reader, record: 1 MB, phases: [{do: read, file: old}]}
  - {name: writer, record: 1 MB, first_node: 1, phases: [{do: write, file: new}]}
"""


@pytest.mark.parametrize(("duplex", "ms"), [("full", 10), ("half", 20)])
def test_a_port_of_half_duplex_sends_or_receives(duplex: str, ms: int) -> None:
    network = f"rate: 100 MB/s, duplex: {duplex}"
    result = yaml(KEYS.replace("NETWORK", network), BOTH_WAYS)
    assert result.elapsed_ns == pytest.approx(ms * 1_000_000, abs=2)


@pytest.mark.parametrize(
    ("network", "about"),
    [
        (
            "rate: {client: 1 GB/s}",
            "nic.rate: has no rate for server; write one like that of client",
        ),
        (
            "rate: {client: 1 GB/s, servr: 2 GB/s}",
            "nic.rate.servr: 'servr' is not in 'at'; did you",
        ),
        ("rate: 1 GB/s, latency: {oss: 1 us}", "nic.latency.oss: 'oss' is not in 'at'"),
        ("rate: 1 GB/s, overhead: {client: 1}", "nic.overhead.client: '1' has no unit"),
        ("rate: {}", "nic.rate: a mapping with keys was read"),
        (
            "rate: 1 GB/s, switching: packet",
            "nic.switching: 'packet' is unknown; write packets or circuit",
        ),
    ],
)
def test_mistakes_are_told_with_what_to_write(network: str, about: str) -> None:
    with pytest.raises(ConfigError) as refused:
        planned(KEYS.replace("NETWORK", network), COPY.replace("PHASE", "read"))
    assert about in str(refused.value)
