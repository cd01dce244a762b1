"""The table of locks against a naive one: who asks, and who loses what, request by request."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.native.run import run_native
from simulator.reference.run import run_reference
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.examples import examples

UNIT = 100
NODES = 3
LATER = 1_000_000
"""So long after the one before a request begins that this one is answered; ns."""

Uses = list[tuple[int, bool, int, int]]
"""Node, whether it writes, first unit, and how many."""


@dataclass
class NaiveLocks:
    """A lock for each unit that anyone has had, and one for the file while it is whole."""

    grow: int
    divided: bool = False
    whole: dict[int, bool] = field(default_factory=dict)
    """Node -> whether it may write."""
    units: dict[int, dict[int, bool]] = field(default_factory=dict)
    asked: int = 0
    lost: list[int] = field(default_factory=lambda: [0] * NODES)

    def use(self, node: int, write: bool, units: range) -> None:
        """Let a node read or write units."""
        asked = False
        if not self.divided:
            if self._suits(self.whole, node, write):
                return
            self.asked += 1
            asked = True
            others = self._in_the_way(self.whole, node, write)
            if not others:
                self.whole[node] = write
                return
            for other in self.whole.keys() - {node}:
                self.lost[other] += 1
            self.divided = True
        for number in units:
            lock = self.units.setdefault(number, {})
            if self._suits(lock, node, write):
                continue
            self.asked += not asked
            asked = True
            for other in self._in_the_way(lock, node, write):
                self.lost[other] += 1
                del lock[other]
            lock[node] = write
            self._grow(node, write, number)

    def _grow(self, node: int, write: bool, number: int) -> None:
        for behind in range(number + 1, number + self.grow):
            lock = self.units.setdefault(behind, {})
            if self._in_the_way(lock, node, write):
                return
            if not self._suits(lock, node, write):
                lock[node] = write

    @staticmethod
    def _suits(lock: dict[int, bool], node: int, write: bool) -> bool:
        return node in lock and (lock[node] or not write)

    @staticmethod
    def _in_the_way(lock: dict[int, bool], node: int, write: bool) -> list[int]:
        return [other for other, writes in lock.items() if other != node and (write or writes)]


def hand_of(uses: Uses, grow: int) -> Hand:
    """Return the same uses as a plan: a process for each, long after the one before."""
    hand = Hand(node=NODES, mds=1)
    hand.part("ldlm", "mds", overhead_ns=50)
    hand.part("disk", "mds", rate=1e9)
    hand.store("pages", "node", slots=100)
    locks = hand.locks(UNIT, "pages", grow=grow)
    hand.path("fs", [locks, hand.kept("pages"), hand.stage("disk")], ask=[hand.work("ldlm")])
    hand.file("f", "fs", 100 * UNIT, length=50 * UNIT)
    for number, (node, write, first, count) in enumerate(uses):
        row = ("write" if write else "read", "f", first * UNIT, count * UNIT, (number + 1) * LATER)
        hand.process(f"p{number}", hand.listed(row), node=node)
    return hand


def outcome(result: Result) -> tuple[int, list[int]]:
    """Return how many requests for locks there were, and how many locks each node lost."""
    ldlm = result.parts.get("mds.ldlm")
    stores = [result.stores.get(f"node{node}.pages") for node in range(NODES)]
    lost = [0 if one is None else one.counts["called_back"] for one in stores]
    return 0 if ldlm is None else ldlm.requests, lost


USE = st.tuples(st.integers(0, NODES - 1), st.booleans(), st.integers(0, 12), st.integers(1, 5))


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(USE, min_size=1, max_size=25), st.sampled_from([1, 2, 4]))
def test_locks_are_asked_for_and_lost_as_by_the_naive_table(uses: Uses, grow: int) -> None:
    naive = NaiveLocks(grow)
    for node, write, first, count in uses:
        naive.use(node, write, range(first, first + count))
    plan = hand_of(uses, grow).plan()
    for run in (run_reference, run_native):
        assert outcome(run(plan, debug=True)) == (naive.asked, naive.lost)
