"""Machines against theory: every row of the oracle table agrees, and could have disagreed.

What is broken on purpose is in the reference engine; the native one equals it on every plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from simulator.plan.specs.paging import PagingSpec
from simulator.plan.specs.timeshare import ONE, CpuSpec
from simulator.reference import maxmin, timeshare
from simulator.reference.parts.processor import Processor
from simulator.reference.parts.queue import Queue
from simulator.reference.policies.lru import Lru
from simulator.reference.services import callers, messages
from simulator.study import oracles, oracles_messages, oracles_servers
from simulator.study import oracles_storage as storage
from simulator.study.oracle_rows import OracleRow, batch_error, ratio_row
from simulator.study.oracle_runs import Bench, calls_of, exponential_services, plan_of
from simulator.study.oracle_table import BOTH, REFERENCE, Figure, run_table

Group = Callable[[Bench], Iterable[OracleRow]]

WANTED = set(range(1, 21))
"""All of the project's list; there is no other."""


def disagreeing(rows: Iterable[OracleRow]) -> list[str]:
    return [
        f"{row.id} {row.name}: {row.simulated:.7g} instead of {row.expected:.7g} "
        f"(within {row.tolerance:.2g})"
        for row in rows
        if not row.ok
    ]


def reference(divisor: int) -> Bench:
    return Bench("reference", divisor)


# -- they agree ---------------------------------------------------------------------------------


@pytest.mark.parametrize("group", BOTH)
@pytest.mark.compiled("simulator.native.engine")
def test_some_samples_agree_on_the_native_engine(group: Group) -> None:
    assert disagreeing(group(Bench("native", 100))) == []


@pytest.mark.parametrize("group", BOTH)
def test_few_samples_agree_on_the_reference_engine(group: Group) -> None:
    assert disagreeing(group(reference(1000))) == []


@pytest.mark.parametrize("group", REFERENCE)
def test_some_samples_of_services_agree(group: Group) -> None:
    many = group in (oracles_servers.loads, *REFERENCE[:4])
    assert disagreeing(group(reference(60 if many else 200))) == []


@pytest.mark.slow
@pytest.mark.compiled("simulator.native.engine")
def test_all_samples_agree_within_a_few_per_cent() -> None:
    figures = run_table()
    assert [one.reference.name for one in figures if not one.ok] == []
    assert {int(one.reference.id.removeprefix("O")) for one in figures} == WANTED
    best = [one.native or one.reference for one in figures]
    wide = [row.name for row in best if row.tolerance > 0.05 * (row.expected or 1)]
    assert wide == []


def test_what_is_exact_is_compared_exactly() -> None:
    (chunks,) = oracles.pipeline(reference(1))
    assert chunks.expected == pytest.approx(14.241225, abs=1e-6)
    assert chunks.tolerance < 3e-9 * chunks.expected
    bursts = {row.name: row for row in storage.write_behind(reference(1))}
    assert {round(row.expected, 6) for row in bursts.values()} == {29.866667}
    # one block of a megabyte at the rate of the disk
    assert bursts.popitem()[1].tolerance <= 1e6 / 15e6
    links = [(row.simulated, row.tolerance) for row in oracles_servers.links(reference(1))]
    assert links == [(5, 1e-9), (20, 1e-9), (20, 1e-9)]


def test_the_bound_of_an_io_node_is_nearly_reached_and_never_crossed() -> None:
    over = [storage.over_bound(reference(1), count) for count in (1, 3, 5, 7)]
    assert over[0] == pytest.approx(1, abs=1e-12)
    assert 0.9 < min(over) <= max(over) <= 1 + 1e-12


# -- what rows are made of ----------------------------------------------------------------------


def test_a_row_that_is_off_is_not_ok() -> None:
    near, far = OracleRow("O0", "x", 1.0, 1.1, 0.1 + 1e-9), OracleRow("O0", "x", 1.0, 1.1, 0.09)
    assert (near.ok, far.ok) == (True, False)
    assert [Figure(one, other).ok for one in (near, far) for other in (near, far)] == [
        True,
        False,
        False,
        False,
    ]
    assert not Figure(None, far).ok


def test_the_rows_are_the_same_on_every_run() -> None:
    first, second = (list(oracles.finite(reference(2000))) for _ in range(2))
    assert first == second


def test_the_error_of_a_correlated_mean_is_not_that_of_independent_ones() -> None:
    """Each value repeated 100 times says no more than once."""
    values = reference(1).generator().normal(size=4000)
    repeated = values.repeat(100)
    assert batch_error(repeated) == pytest.approx(batch_error(values))
    assert batch_error(values) == pytest.approx(4000**-0.5, rel=0.35)


def test_the_error_of_a_share() -> None:
    """A fifth of drawn times, on average; five times as many have about half the error."""
    rng = reference(1).generator()
    rows = []
    for count in (4000, 20_000):
        whole = rng.integers(500, 1500, count)
        rows.append(ratio_row("O0", "x", 0.2, (whole * rng.random(count) * 0.4).astype(int), whole))
    assert disagreeing(rows) == []
    assert 0 < rows[1].tolerance < 0.6 * rows[0].tolerance < 0.02


def test_services_with_noise_are_known_without_a_run() -> None:
    """What waits are computed from: the times that the engine itself takes, request by request."""
    part = f"{{kind: queue, overhead: 1 ms, {oracles.VARY}}}"
    machine = oracles.OPEN.format(part=part, way="[station]")
    plan = plan_of(machine, oracles.workload(oracles.arriving("client", 10**12, kind="fixed")))
    plan = oracles.arrivals_of(plan, 200)
    times = calls_of(reference(1).carry_out(plan), "write").elapsed
    assert times.tolist() == exponential_services(plan, "station", 10**6, 200).tolist()
    assert len(set(times.tolist())) > 150


# -- what is wrong shows ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "divisor", "slower"),
    [
        (oracles.single_queues, 4000, 0.1),
        (oracles.many_servers, 2000, 0.1),
        (oracles.pipeline, 1, 0.1),
        (oracles.bounds, 1, 0.1),
        (oracles.finite, 2000, 1.0),
        (oracles.closed, 1000, 1.0),
    ],
)
def test_a_queue_that_is_slow_is_noticed(
    group: Group, divisor: int, slower: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Theory is only a test if a defect of a part shows in it."""
    occupy = Queue.occupy

    def slowly(self: Queue, load: Any, start_ns: int, service_ns: int) -> int:
        late = 0 if self.name == "source" else round(slower * service_ns)
        return occupy(self, load, start_ns, service_ns + late)

    monkeypatch.setattr(Queue, "occupy", slowly)
    assert disagreeing(group(reference(divisor))) != []


def test_a_queue_that_overtakes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four servers of which the busiest is chosen are no M/M/4."""
    monkeypatch.setattr(Queue, "free_ns", lambda self: max(self._free_ns))
    assert disagreeing(oracles.many_servers(reference(1000))) != []


def test_a_store_that_gives_up_the_newest_block_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lru, "victim", lambda self: next(reversed(self._clean), None))
    assert disagreeing(storage.caches(reference(1000))) != []


@pytest.mark.compiled("simulator.native.engine")
def test_a_seek_that_is_too_long_is_noticed() -> None:
    bench = Bench("native", 20)
    assert disagreeing(storage.raid_reads(bench, seek_ns=1_100_000)) != []


def test_polls_that_take_no_time_of_the_processor_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    serve_often = Processor.serve_often

    def beside(self: Processor, start_ns: int, work_ns: int, count: int, interval_ns: int) -> None:
        until, self._process_until_ns = self._process_until_ns, -1
        serve_often(self, start_ns, work_ns, count, interval_ns)
        self._process_until_ns = until

    monkeypatch.setattr(Processor, "serve_often", beside)
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
    assert (first.name, first.ok) == ("load average, 10 threads for 60 s", False)


def test_links_that_are_not_fair_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal parts of every link, whether the others can use theirs or not, is not max-min."""

    def equal_parts(capacities: Sequence[int], routes: Sequence[Sequence[int]]) -> list[int]:
        crossing = [sum(number in route for route in routes) for number in range(len(capacities))]
        return [min(capacities[one] // crossing[one] for one in route) for route in routes]

    monkeypatch.setattr(maxmin, "max_min", equal_parts)
    monkeypatch.setattr(maxmin, "_fair", maxmin._fair.__wrapped__)  # without what it has kept
    assert disagreeing(oracles_servers.links(reference(1))) != []


def test_trials_of_another_chance_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "_DRAWS", 2**64 * 10 // 11)
    assert disagreeing(oracles_servers.trials(reference(50))) != []


@pytest.mark.parametrize("load", [0.8, 1.0])
def test_the_loss_of_a_finite_queue_is_the_pause_of_its_source(load: float) -> None:
    """Exactly five requests are in the system whenever the source pauses."""
    queue = f"{{kind: queue, overhead: 1 ms, {oracles.VARY}}}"
    idle, gaps = oracles.lost(reference(2000), 1_000_000, 5, 1 / load, queue)
    assert (idle >= 0).all()
    assert (idle <= gaps).all()
    assert np.count_nonzero(idle) > 10
