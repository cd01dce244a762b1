"""Message servers, joins, bounds and paging against theory; a defect of a part would show."""

from __future__ import annotations

import pytest

from simulator.machine.message_server import MessageServer
from simulator.machine.paging import LruPages
from simulator.machine.ports import Message
from simulator.machine.workstation import Processor
from simulator.study import oracles_messages as theory
from simulator.study.oracles import OracleRow, _Samples

WANTED = [9, 12, 15, 16]


def disagreeing(rows: list[OracleRow]) -> list[str]:
    return [f"{row.id} {row.name}: {row.simulated}" for row in rows if not row.ok]


def test_a_tenth_of_the_samples_agrees() -> None:
    rows = theory.run_message_oracles(quick=True)
    assert disagreeing(rows) == []
    assert sorted({int(row.id.removeprefix("O")) for row in rows}) == WANTED


@pytest.mark.slow
def test_all_samples_agree_within_a_few_per_cent() -> None:
    rows = theory.run_message_oracles()
    assert disagreeing(rows) == []
    assert [row.name for row in rows if row.tolerance > 0.04 * row.expected and row.expected] == []


def test_the_list_s_figures_are_those_of_the_formulas() -> None:
    assert theory.best_interval_ms() == pytest.approx(10.2)
    assert theory.loop_ms(10.2) < min(theory.loop_ms(10.1), theory.loop_ms(10.3))


def test_the_rows_are_the_same_on_every_run() -> None:
    first, second = (list(theory._polling(_Samples(50))) for _ in range(2))
    assert first == second


def test_polls_that_take_no_time_of_the_processor_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Processor, "serve", lambda _, now, work: now + work)
    names = disagreeing(list(theory._polling(_Samples(10))))
    assert [name[:25] for name in names] == ["O16 250 ms of work beside"]


def test_a_server_that_looks_at_every_second_poll_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arrive = MessageServer.arrive

    def late(self: MessageServer, message: Message) -> None:
        arrive(self, message)
        if self.polls % 2:
            message.arrived_ns -= self.spec.interval_ns

    monkeypatch.setattr(MessageServer, "arrive", late)
    assert disagreeing(list(theory._polling(_Samples(10)))) != []


def test_processors_that_do_two_things_at_once_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Processor, "serve", lambda _, now, work: now + work)
    assert disagreeing(list(theory._joins(_Samples(10)))) != []


def test_memory_that_gives_up_the_newest_page_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def newest(self: LruPages, page: int) -> bool:
        hit = page in self._resident
        if not hit and len(self._resident) == self.frames:
            self._resident.popitem(last=True)
        self._resident[page] = None
        return hit

    monkeypatch.setattr(LruPages, "touch", newest)
    assert disagreeing(list(theory._paging())) != []
