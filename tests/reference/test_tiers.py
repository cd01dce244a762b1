"""Each tier by itself: 1 ns for a byte."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.plan.codes import STRIPE
from simulator.plan.paths import Hold, TierPlan
from tests.engines.hand import Hand
from tests.reference.runs import ends, run, spent


def clients(hand: Hand, tiers: list[TierPlan], *rows: tuple[str, int, int]) -> Hand:
    """Processes with one operation each on the same file, on members 0, 1, ... of the first group.

    A read is of what exists: the tests of tiers have no stores.
    """
    hand.path("fs", tiers)
    hand.file("f", "fs", 10_000)
    for number, (kind, offset, size) in enumerate(rows):
        node = number % hand.groups[0].count
        hand.process(f"p{number}", hand.listed((kind, "f", offset, size)), node=node)
    return hand


def two_groups(clients: int = 1, servers: int = 1) -> Hand:
    """Clients with a network card each, and servers with one and a disk."""
    hand = Hand(client=clients, server=servers)
    hand.part("nic", "client", rate=1e9)
    hand.part("port", "server", rate=0.5e9, overhead_ns=5)
    hand.part("disk", "server", rate=1e9, overhead_ns=20)
    return hand


def test_parts_of_a_stage_are_held_at_once() -> None:
    """The port takes 205 ns for 100 bytes, the card 100; both begin when both are free."""
    hand = two_groups(clients=2)
    rows = ("write", 0, 100), ("write", 0, 100)
    result = run(clients(hand, [hand.stage("nic", "port")], *rows))
    assert ends(result) == [205, 410]
    assert spent(result, 1) == {"port": (205, 205)}
    assert result.parts["client1.nic"].busy_ns == 100


def test_stages_follow_each_other_and_reads_come_back() -> None:
    hand = two_groups()
    tiers = [hand.stage("nic"), hand.stage("disk")]
    result = run(clients(hand, tiers, ("read", 0, 100)))
    assert ends(result) == [120 + 100]
    assert [span.part for span in result.spans if span.bytes] == ["server.disk", "client.nic"]


@pytest.mark.parametrize(("kind", "asked", "answered"), [("read", 7, 107), ("write", 107, 7)])
def test_a_header_is_a_message_each_way(kind: str, asked: int, answered: int) -> None:
    hand = two_groups()
    stage = replace(hand.stage("nic"), header=7)
    result = run(clients(hand, [stage, hand.stage("disk")], (kind, 0, 100)))
    assert ends(result) == [asked + 120 + answered]
    sizes = [span.bytes for span in result.spans if span.part == "client.nic"]
    assert sizes == [asked, answered]


def test_a_stage_is_left_out_between_places_of_one_member() -> None:
    """Units of a file are on the nodes themselves; node 0 writes to itself, then to node 1."""
    hand = Hand(node=2)
    hand.part("nic", "node", rate=1e9)
    hand.part("disk", "node", rate=1e9)
    nic, disk = hand._hold("nic"), hand._hold("disk")
    away = Hold(nic.part, 1)
    stage = replace(hand.stage("nic"), down=(nic, away), up=(away, nic), remote_only=True)
    stripe = TierPlan(kind=STRIPE, size=100, width=2, slot=1)
    at = replace(hand.stage("disk"), down=(Hold(disk.part, 1),), up=(Hold(disk.part, 1),))
    clients(hand, [stripe, stage, at], ("write", 0, 100))
    hand.paths[0] = replace(hand.paths[0], places=(0, 0))
    hand.process("q", hand.listed(("write", "f", 100, 100)), start_ns=1000)
    result = run(hand)
    assert ends(result) == [100, 1200]
    assert result.parts["node0.nic"].requests == 1


@pytest.mark.parametrize("pieces", [2, 4])
def test_a_transfer_is_dealt_out_over_pieces(pieces: int) -> None:
    """101 bytes in pieces on two of a server's disks: 50 and 51, and then the port."""
    hand = two_groups(servers=2)
    hand.devices("arm", "server", 2)
    hand.part("arm", "arm", rate=1e9, overhead_ns=1)
    dealt = {"pieces": pieces, "slot": 2, "width": 2}
    tiers = [hand.stage("port", **dealt), hand.stage("arm", **dealt)]
    hand = clients(hand, tiers, ("write", 0, 101))
    hand.files[0] = replace(hand.files[0], lead=1)
    result = run(hand)
    ports = [span for span in result.spans if span.part == "server1.port"]
    assert [(span.start_ns, span.bytes) for span in ports] == [(0, 50), (105, 51)]
    arms = {span.part: span.bytes for span in result.spans if span.part.startswith("arm")}
    assert arms == {"arm3": 50, "arm2": 51}
    assert ends(result) == [105 + 107 + 52]
    assert spent(result) == {"port": (105, 107), "arm": (0, 52)}


def test_work_is_for_each_request_on_its_way_down() -> None:
    hand = two_groups()
    hand.part("server", "server", overhead_ns=40)
    tiers = [hand.request(50), hand.work("server"), hand.stage("disk")]
    result = run(clients(hand, tiers, ("read", 0, 100)))
    assert ends(result) == [2 * (40 + 70)]
    assert result.parts["server"].bytes == 100


def test_a_server_is_kept_until_the_answer() -> None:
    """Two clients, one thread: the second begins when the first has its data."""
    hand = two_groups(clients=2)
    hand.part("threads", "server")
    tiers = [hand.hold("threads"), hand.stage("nic"), hand.stage("disk")]
    result = run(clients(hand, tiers, ("read", 0, 100), ("read", 0, 100)))
    assert ends(result) == [220, 440]
    assert spent(result, 1) == {"threads": (220, 0), "nic": (0, 100), "disk": (0, 120)}
    part = result.parts["server.threads"]
    assert (part.requests, part.bytes, part.busy_ns) == (2, 200, 440)


def test_servers_are_given_to_requests_in_their_order() -> None:
    """Three clients, one thread, 70 ns each: of the two that wait, the one that came first."""
    hand = two_groups(clients=3)
    hand.part("threads", "server")
    rows = [("read", 0, 50)] * 3
    result = run(clients(hand, [hand.hold("threads"), hand.stage("disk")], *rows))
    assert ends(result) == [70, 140, 210]


def test_requests_are_cut_at_multiples() -> None:
    hand = two_groups()
    result = run(clients(hand, [hand.request(50), hand.stage("disk")], ("write", 30, 100)))
    assert [span.bytes for span in result.spans if span.part == "server.disk"] == [20, 50, 30]
    assert ends(result) == [100 + 3 * 20]


def test_requests_that_are_not_aligned() -> None:
    hand = two_groups()
    tier = replace(hand.request(50), aligned=False)
    result = run(clients(hand, [tier, hand.stage("disk")], ("write", 30, 110)))
    assert [span.bytes for span in result.spans if span.part == "server.disk"] == [50, 50, 10]


def test_a_window_of_requests() -> None:
    """Pieces of 50, 50, 50 and 10 over a delay, two at a time: the fourth follows the first."""
    hand = Hand(pe=1)
    hand.part("wire", "pe", "delay", rate=1e9)
    result = run(clients(hand, [hand.request(50, window=2), hand.stage("wire")], ("write", 0, 160)))
    assert ends(result) == [50 + 50]
    assert spent(result) == {"wire": (0, 100)}


def test_stripes_are_written_at_once() -> None:
    """450 bytes in units of 100 on two servers: 250 and 200."""
    hand = two_groups(servers=3)
    tiers = [hand.stage("nic"), hand.stripe("server", 100, 2), hand.stage("disk")]
    hand = clients(hand, tiers, ("write", 0, 450))
    hand.files[0] = replace(hand.files[0], lead=2)
    result = run(hand)
    assert ends(result) == [450 + 270]
    served = {name: part.bytes for name, part in result.parts.items() if "disk" in name}
    assert served == {"server2.disk": 250, "server0.disk": 200}
    assert spent(result) == {"nic": (0, 450), "disk": (0, 270)}


def test_offsets_below_a_stripe_are_local() -> None:
    """What is contiguous in a file is contiguous on each of its servers: requests of 100."""
    hand = two_groups(servers=2)
    tiers = [hand.stripe("server", 100, 2), hand.request(200), hand.stage("disk")]
    result = run(clients(hand, tiers, ("write", 100, 400)))
    sizes = {"server0.disk": [], "server1.disk": []}
    for span in result.spans:
        if span.part in sizes:
            sizes[span.part].append(span.bytes)
    assert sizes == {"server0.disk": [100, 100], "server1.disk": [200]}


def test_stripes_within_a_stripe() -> None:
    """Two servers with two devices each: 400 bytes are 100 on each device."""
    hand = Hand(pe=1, server=2)
    hand.devices("arm", "server", 2)
    hand.part("arm", "arm", rate=1e9)
    tiers = [hand.stripe("server", 100, 2), hand.stripe("arm", 100, 2), hand.stage("arm")]
    hand = clients(hand, tiers, ("write", 0, 400))
    hand.files[0] = replace(hand.files[0], lead=1)
    result = run(hand)
    assert ends(result) == [100]
    assert [(span.part, span.bytes) for span in result.spans if span.bytes] == [
        ("arm0", 100), ("arm1", 100), ("arm2", 100), ("arm3", 100),
    ]  # fmt: skip


def test_a_file_that_is_not_striped_is_on_the_member_of_its_lead() -> None:
    hand = Hand(pe=1, server=2)
    hand.devices("arm", "server", 3)
    hand.part("bus", "server", rate=1e9)
    hand.part("arm", "arm", rate=1e9)
    hand = clients(hand, [hand.stage("bus"), hand.stage("arm")], ("write", 0, 10))
    hand.files[0] = replace(hand.files[0], lead=5)
    assert {"server1.bus", "arm5"} <= run(hand).parts.keys()


def test_nodes_forward_in_equal_rows() -> None:
    hand = Hand(node=6, ion=2)
    hand.part("link", "ion", rate=1e9)
    tiers = [hand.forward("ion", "node"), hand.stage("link")]
    result = run(clients(hand, tiers, *[("write", 0, 10)] * 6))
    assert ends(result) == [10, 20, 30, 10, 20, 30]


def test_a_sync_visits_all_members_and_metadata_one() -> None:
    hand = two_groups(servers=3)
    hand.part("rpc", "server", overhead_ns=10)
    tiers = [hand.stripe("server", 100, 3), hand.work("rpc")]
    hand.path("fs", tiers, metadata=hand.chain(tiers))
    hand.file("f", "fs", 100, lead=1)
    hand.process("p", hand.listed(("sync", "f"), ("stat", "f")))
    result = run(hand)
    requests = {name: part.requests for name, part in result.parts.items() if "rpc" in name}
    assert requests == {"server0.rpc": 1, "server1.rpc": 2, "server2.rpc": 1}
    assert ends(result) == [20]
    assert (result.latencies["sync"].sum_ns, result.latencies["stat"].sum_ns) == (10, 10)
