"""The oracles could have disagreed: what is broken on purpose is noticed.

What is broken is the machine (its services are longer than theory is told), or the reference
engine; the native one equals it on every plan.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from experiments.validation import laws, oracles, oracles_messages, oracles_room, oracles_servers
from experiments.validation import oracles_storage as storage
from experiments.validation.oracle_rows import OracleRow, mean_row
from experiments.validation.oracle_runs import Bench
from experiments.validation.oracle_table import BOTH, REFERENCE, joined
from simulator.kinds.parts.link import reference as network
from simulator.kinds.parts.processor.reference import Workstation
from simulator.kinds.parts.processor.spec import PagingSpec
from simulator.kinds.parts.queue.reference import Queue
from simulator.kinds.parts.timeshare import shares as timeshare
from simulator.kinds.parts.timeshare.spec import ONE, CpuSpec
from simulator.kinds.policies.lru.reference import Lru
from simulator.kinds.services.message_server import servers as messages
from simulator.kinds.services.numerical_server import calls as numerical

Group = Callable[[Bench], Iterable[OracleRow]]


def disagreeing(rows: Iterable[OracleRow]) -> list[str]:
    return [f"{row.id} {row.name}" for row in rows if not row.ok]


def reference(divisor: int) -> Bench:
    return Bench("reference", divisor)


# -- machines that are off --------------------------------------------------------------------


def broken(group: Group, bench: Bench) -> list[str]:
    """Return the rows of a machine that is off by more than they need that agree nevertheless."""
    rows = [row for row in group(bench) if row.what not in ("", "one page")]
    assert all(row.detects < abs(bench.off - 1) for row in rows)
    return [row.name for row in rows if row.ok]


SOME = (oracles.single_queues, oracles.pipeline, storage.caches)


@pytest.mark.slow
@pytest.mark.parametrize(
    "group", [one if one in SOME else pytest.param(one, marks=pytest.mark.long) for one in BOTH]
)
@pytest.mark.compiled
def test_a_machine_that_is_off_by_two_per_cent_is_noticed(group: Group) -> None:
    assert broken(group, Bench("native", 1, off=1.02)) == []


QUICK = (oracles.closed, oracles_room.windows, oracles_room.write_behind_room, storage.mechanics)


@pytest.mark.few(1)
@pytest.mark.parametrize("group", QUICK)
@pytest.mark.compiled
def test_a_machine_that_is_off_by_a_tenth_is_noticed_in_few_samples(group: Group) -> None:
    divisor = 30 if group is oracles.closed else 15
    assert broken(group, Bench("native", divisor, off=1.1)) == []


@pytest.mark.slow
@pytest.mark.parametrize("group", REFERENCE)
def test_services_that_are_off_by_eight_per_cent_are_noticed_in_a_tenth_of_the_samples(
    group: Group,
) -> None:
    """The error that is found grows with the root of the samples: 2 % of all become 6.4 %."""
    assert broken(group, Bench("reference", 10, off=1.08)) == []


@pytest.mark.slow
def test_what_is_compared_exactly_finds_two_per_cent_on_the_reference_engine() -> None:
    for group in (oracles.bounds, oracles.pipeline, storage.write_behind, storage.raid_burst):
        assert broken(group, Bench("reference", 1, off=1.02)) == []
    for group in (oracles_servers.links, oracles_messages.latency, oracles_messages.paging):
        assert broken(group, Bench("reference", 1, off=1.02)) == []


@pytest.mark.parametrize("group", [oracles.bounds, storage.io_node_bounds])
def test_a_machine_that_is_faster_than_its_bound_is_noticed(group: Group) -> None:
    over = [row for row in group(Bench("reference", 100, off=0.98)) if "most that" in row.name]
    assert [row.ok for row in over] == [False]


# -- engines that are wrong ---------------------------------------------------------------------


QUEUES = (
    oracles.many_servers,
    oracles_room.windows,
    oracles_room.write_behind_room,
    oracles_room.two_buffers,
    oracles_room.threads,
)


@pytest.mark.few(1)
@pytest.mark.parametrize("group", QUEUES, ids=lambda group: group.__name__)
@pytest.mark.compiled
def test_a_queue_that_is_slow_by_a_per_cent_is_noticed_beside_the_other_engine(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few samples tell nothing of a per cent; but both engines compute the same of them."""
    few = 20_000
    rows = list(group(Bench("native", few)))
    assert all(one.same for one in joined(rows, group(reference(few)), rows))
    service_of = Queue.service_ns

    def slowly(self: Queue, load: Any) -> int:
        service_ns = service_of(self, load)
        return service_ns + service_ns // 100

    monkeypatch.setattr(Queue, "service_ns", slowly)
    differ = [one for one in joined(rows, group(reference(few)), rows) if not one.same]
    assert differ
    assert not any(one.ok for one in differ)


@pytest.mark.slow
def test_a_queue_that_overtakes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four servers of which the busiest is chosen are no M/M/4."""
    monkeypatch.setattr(Queue, "free_ns", lambda self: max(self._free_ns))
    assert disagreeing(oracles.many_servers(reference(1000))) != []


def test_a_store_that_gives_up_the_newest_block_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lru, "victim", lambda self: next(reversed(self._clean), None))
    assert disagreeing(storage.caches(reference(1000))) != []


@pytest.mark.slow
@pytest.mark.compiled
def test_another_number_of_places_or_servers_is_noticed() -> None:
    """One of twenty servers too few, one place too many, one more dirty block."""
    bench = Bench("native")
    count, noise = 2_000_000, f", {oracles.VARY}"
    law_of = oracles_room.paused_law(1 / 16, 20, 20)

    def share(room: int, servers: int) -> OracleRow:
        simulated = oracles_room.window(bench, count, room, 1 / 16, servers, noise)
        return oracles_room.paused_row("O7", "x", law_of, simulated, count)

    assert not share(20, 19).ok
    assert not share(21, 20).ok
    count = 200_000
    limit = oracles_room.behind(bench, count, 6, 1.0, 1, "[source]")
    assert not oracles_room.paused_row("O6", "x", oracles_room.paused_law(1.0, 5), limit, count).ok


@pytest.mark.slow
@pytest.mark.compiled
def test_requests_that_are_lost_are_noticed() -> None:
    """Two of a hundred arrivals do not come: gaps are longer, and waits shorter."""
    waits = oracles.open_waits(Bench("native"), 2_000_000, 1.25 / 0.98)
    services = laws.exponential_moments(1.0)
    row = mean_row(
        "O1", "x", lambda off: laws.m_g_1_wait(0.8 * off, services), waits, 1e6, what="rate"
    )
    assert row.detects < 0.02
    assert not row.ok


def test_another_order_is_noticed_in_the_squares_of_waits_alone() -> None:
    """The mean wait is that of any order; last come, first served has four times the square."""
    rng, count = np.random.default_rng(5), 60_000
    comes = np.cumsum(rng.exponential(1.25, count)).tolist()
    services = rng.exponential(1.0, count).tolist()
    moments = laws.exponential_moments(1.0)
    ok = {}
    for sign in (1, -1):
        waits = np.array(waits_in_order(comes, services, sign))
        ok[sign] = [
            mean_row(
                "O1", "x", lambda off, k=power: laws.m_g_1_wait(0.8 * off, moments, k), waits**power
            ).ok
            for power in (1, 2)
        ]
    assert ok == {1: [True, True], -1: [True, False]}


def waits_in_order(comes: Sequence[float], services: Sequence[float], sign: int) -> list[float]:
    """Return waits at a server that takes who came first (sign 1) or last (-1)."""
    waits, line, free, upcoming = [0.0] * len(comes), list[tuple[int, int]](), 0.0, 0
    while upcoming < len(comes) or line:
        if not line:
            free = max(free, comes[upcoming])
        while upcoming < len(comes) and comes[upcoming] <= free:
            heapq.heappush(line, (sign * upcoming, upcoming))
            upcoming += 1
        _, one = heapq.heappop(line)
        waits[one] = free - comes[one]
        free += services[one]
    return waits


def test_polls_that_take_no_time_of_the_processor_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    serve_often = Workstation.serve_often

    def beside(
        self: Workstation, start_ns: int, work_ns: int, count: int, interval_ns: int
    ) -> None:
        until, self._process_until_ns = self._process_until_ns, -1
        serve_often(self, start_ns, work_ns, count, interval_ns)
        self._process_until_ns = until

    monkeypatch.setattr(Workstation, "serve_often", beside)
    names = disagreeing(oracles_messages.polling(reference(50)))
    assert [name[:25] for name in names] == ["O16 250 ms of work beside"]


def test_a_server_that_looks_at_every_second_poll_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arrive = messages.MessageServer.arrive

    def late(self: messages.MessageServer, message: Any) -> None:
        arrive(self, message)
        if self.polls % 2:
            message.arrived_ns -= self.spec.interval_ns

    monkeypatch.setattr(messages.MessageServer, "arrive", late)
    with pytest.raises(AssertionError):
        list(oracles_messages.polling(reference(50)))


def test_pages_that_are_brought_in_once_only_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PagingSpec, "sweep_faults", lambda self, size: self.pages(size) - 1000)
    assert disagreeing(oracles_messages.paging(reference(1))) != []


@pytest.mark.slow
def test_a_processor_that_is_slow_by_a_tenth_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = CpuSpec.shares

    def slowly(self: CpuSpec, urgent: int, others: int) -> tuple[int, int]:
        first, second = shares(self, urgent, others)
        return first * 9 // 10, second * 9 // 10

    monkeypatch.setattr(CpuSpec, "shares", slowly)
    assert disagreeing(oracles_servers.shared_pe(reference(50))) != []


def test_pes_that_stay_idle_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that always divides itself by four, however many tasks there are."""
    monkeypatch.setattr(CpuSpec, "shares", lambda *_: (ONE // 4, ONE // 4))
    assert disagreeing(oracles_servers.shared_pe(reference(300))) != []


def test_a_load_that_forgets_too_fast_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeshare, "_KEPT", timeshare._KEPT * 9 // 10)
    first = next(iter(oracles_servers.loads(reference(2000))))
    assert (first.name, first.ok) == ("load average, 50 threads for 60 s", False)


def test_links_that_are_not_fair_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal parts of every link, whether the others can use theirs or not, is not max-min."""

    def equal_parts(capacities: Sequence[int], routes: Sequence[Sequence[int]]) -> list[int]:
        crossing = [sum(number in route for route in routes) for number in range(len(capacities))]
        return [min(capacities[one] // crossing[one] for one in route) for route in routes]

    monkeypatch.setattr(network, "max_min", equal_parts)
    monkeypatch.setattr(network, "_fair", network._fair.__wrapped__)  # without what it has kept
    assert disagreeing(oracles_servers.links(reference(1))) != []


@pytest.mark.slow
def test_trials_of_another_chance_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numerical, "_DRAWS", 2**64 * 10 // 11)
    assert disagreeing(oracles_servers.trials(reference(50))) != []
