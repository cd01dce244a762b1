"""Causes of the time of a run: one or two sentences for any machine.

Each rule looks at one way to spend time, and says how much of it the processes spent that way; the
largest are told. A reason is given only if it is known to be that of most of this time: the account
says where time was spent, the latencies of calls bound how much of it a reason can have. Else the
sentence says where the time went, and nothing of why.
These are facts of one run: what would change it is found by other runs (simulator/answers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.accounts import COMPUTING, Columns
from simulator.report.tables import kept_by
from simulator.result.jobs import added_up, moved
from simulator.result.latency import Latency
from simulator.units import format_size, format_time
from simulator.wording import about_size, counted, percent

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan, StorePlan
    from simulator.plan.plan import Plan
    from simulator.result.result import Result, StateResult

MOST_TOLD = 2
LEAST_SHARE = 0.1
"""Causes below this share of the time are not told, unless there is no other."""
_ENDING = frozenset({"sync", "close"})
"""Operations that wait until what was written before is below."""
_ARRIVAL = "job"
"""Of the latencies, that of whole arrivals."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One way to spend time: how much of it, and the sentence that says so."""

    time_ns: int
    text: str


def causes_text(result: Result, plan: Plan) -> list[str]:
    """Return one or two sentences: where most of the time went."""
    evidence = Evidence(result, plan)
    found = [
        *evidence.stores(),
        *evidence.parts(),
        *evidence.waits(),
    ]
    found = sorted((one for one in found if one.time_ns > 0), key=lambda one: -one.time_ns)
    told = [one for one in found if one.time_ns >= LEAST_SHARE * evidence.total_ns]
    return [one.text for one in (told or found[:1])[:MOST_TOLD]]


class Evidence:
    """Times and counts of a run from which its causes follow."""

    def __init__(self, result: Result, plan: Plan) -> None:
        self.result = result
        self.plan = plan
        self.columns = Columns(plan)
        processes = result.masters()
        self.several = len(processes) > 1
        self.total_ns = sum(one.elapsed_ns - one.idle_ns for one in processes)
        """Time of all processes, without that in which they had nothing to do."""
        self.spent = added_up(processes)
        self.idle = any(one.idle_ns for one in processes)
        self.computing_ns = sum(one.compute_ns for one in processes)
        self.kept = {row.store: row.counts for row in kept_by(result, plan)}

    def share(self, time_ns: int) -> str:
        """State what part of the time this is."""
        busy = " that is not idle" if self.idle else ""
        return f"{percent(time_ns, self.total_ns)} of the time{busy}"

    # -- stores -----------------------------------------------------------------------------

    def stores(self) -> Iterator[Cause]:
        """Yield the waits for write-back from stores, and for fetches by others."""
        for store in self.plan.stores:
            column = self.plan.columns[store.writeback_column]
            wait = self.spent.get(column, (0, 0))[0]
            if wait and column not in self.columns.parts:
                yield Cause(wait, f"{self.share(wait)} {self._writeback(store, wait)}")
        for column in dict.fromkeys(
            self.plan.columns[store.cache_column] for store in self.plan.stores
        ):
            wait = self.spent.get(column, (0, 0))[0]
            if wait and column not in self.columns.parts and column not in self.columns.writeback:
                yield Cause(
                    wait,
                    f"{self.share(wait)} a process waits for a block that another request is"
                    " already fetching.",
                )

    def _writeback(self, store: StorePlan, wait: int) -> str:
        """State why processes wait for write-back, as far as most of these seconds are known."""
        counts = self.kept.get(store.name, Counter[str]())
        ending = self._time_of(_ENDING)
        if 2 * (wait - self._time_of(_ENDING, others=True)) > wait or not store.back:
            return self._at_ends(store, wait)
        in_writes = wait - ending
        news = counts["created"] + counts["limit_waits"]
        if counts["rewrites_waited"] and 2 * (in_writes - self._longest_calls(news)) > wait:
            waits = counted(counts["rewrites_waited"], "such wait")
            return (
                f"the program waits to rewrite bytes in {store.name} that are still on their way to"
                f" disk ({waits})."
            )
        again = counts["rewrites_waited"]
        full = self._full(store, counts)
        if 2 * in_writes > wait and full and 2 * self._longest_calls(again) <= wait:
            return (
                f"writes wait for room: {full}, and a write goes on when a block has been written"
                " back."
            )
        reasons = {
            "to rewrite bytes still on their way to disk": again,
            "at the dirty limit": counts["limit_waits"],
        }
        said = ", ".join(f"{many:,} {why}" for why, many in reasons.items() if many)
        return f"processes wait for write-back from {store.name}{f' ({said})' if said else ''}."

    def _at_ends(self, store: StorePlan, wait: int) -> str:
        """State that processes wait in syncs or closes, and in which if that is known."""
        text = f"processes wait for write-back from {store.name}"
        closes, syncs = self._time_of({"close"}), self._time_of({"sync"})
        if 2 * (wait - self._time_of({"close"}, others=True)) > wait:
            return f"{text} when they close files."
        if 2 * (wait - self._time_of({"sync"}, others=True)) > wait:
            return f"{text} (sync)."
        return f"{text} (syncs and closes)." if closes and syncs else f"{text}."

    def _full(self, store: StorePlan, counts: Counter[str]) -> str:
        """State why a write finds no room; empty where there are several possible reasons."""
        full = counts["resident"] >= store.slots
        if counts["limit_waits"]:
            if 2 * counts["limit_waits"] < counts["created"] and (full or store.quota >= 0):
                return ""
            waits = counted(counts["limit_waits"], "wait")
            return f"too much of {store.name} is dirty ({waits})"
        if store.quota >= 0 and not full:
            quota = format_size(store.quota * store.block)
            return f"a file has reached its quota of {store.name} ({quota})"
        size = format_size(store.slots * store.block)
        return f"{store.name} ({size}) is full of dirty data" if full and store.quota < 0 else ""

    def _time_of(self, operations: Set[str], *, others: bool = False) -> int:
        """Return the time of all calls of some operations, or of all others."""
        return sum(
            one.sum_ns
            for name, one in self.result.latencies.items()
            if name != _ARRIVAL and (name in operations) != others
        )

    def _longest_calls(self, number: int) -> int:
        """Return at most how long so many calls took together that are no syncs and closes."""
        calls = Latency()
        for name, one in self.result.latencies.items():
            if name not in (*_ENDING, _ARRIVAL):
                calls.merge(one)
        return calls.longest_ns(number)

    # -- parts ------------------------------------------------------------------------------

    def parts(self) -> Iterator[Cause]:
        """Yield waiting and service at the machine's resources."""
        for column, parts in self.columns.parts.items():
            wait, service = self.spent.get(column, (0, 0))
            kind = parts[0].kind
            if kind == "cpu":
                yield Cause(service, self._processor(service))
                cores = counted(parts[0].cores, "core")
                yield Cause(
                    wait, f"{self.share(wait)} processes wait for the {cores} of their node."
                )
                continue
            time = wait + service
            why = self._fetched(parts, time) if parts[0].traits.medium else ""
            if why:
                yield Cause(time, f"{self.share(time)} goes to {column}, mostly because {why}.")
            else:
                yield Cause(time, self._queue(column, parts, wait, service))

    def _queue(self, column: str, parts: Sequence[PartPlan], wait: int, service: int) -> str:
        """State how much of the time at a part is service, and how much is waiting for what."""
        labels = {part.label for part in parts}
        states = {name: one for name, one in self.result.states.items() if one.part in labels}
        served = f"requests are being served by {column} ({self.columns.what(column)})"
        served += self._slower(labels, states)
        if not wait:
            return f"{self.share(service)} {served}."
        lost = min(wait, sum(one.lost_ns for one in states.values()))
        if not lost:
            who = "processes" if self.several else "requests"
            waits = f"{who} wait for each other at {column}"
        elif 2 * lost > wait:
            waits = f"requests wait until {column} is back after failing"
        else:
            waits = f"requests wait at {column}, for each other and until it is back after failing"
        if not service and not lost:  # Its account does not tell waiting from service.
            what = f"{column} ({self.columns.what(column)})"
            return f"{self.share(wait)} requests are at {what}, waiting or being served."
        if not service:
            return f"{self.share(wait)} {waits}."
        if wait > service:
            return f"{self.share(wait)} {waits}, {percent(service, self.total_ns)} {served}."
        return f"{self.share(service)} {served}, {percent(wait, self.total_ns)} {waits}."

    def _slower(self, labels: Set[str], states: Mapping[str, StateResult]) -> str:
        """State that most of the service is at an instance that was slower than usual, if it is."""
        busy = {name: one.busy_ns for name, one in self.result.parts.items() if one.part in labels}
        slow = {name: busy.get(name, 0) for name, one in states.items() if one.slow_ns}
        name = max(slow, key=lambda one: slow[one], default="")
        if not name or 2 * slow[name] <= sum(busy.values()):
            return ""
        time = format_time(states[name].slow_ns)
        return f", most of it by {name}, which was slower than usual for {time}"

    def _fetched(self, parts: Sequence[PartPlan], time_ns: int) -> str:
        """State what fetches are for if most of the time at a device is known to be theirs."""
        most = max(self.kept, key=self._brought, default="")
        if not most or not self._brought(most):
            return ""
        counts, size = self.kept[most], about_size(self._brought(most))
        back = counts["read_back_bytes"] > counts["fetched_bytes"]
        if 2 * (time_ns - self._time_of({"write" if back else "read"}, others=True)) <= time_ns:
            return ""
        if back:
            # What is written through spends its time at the device, too.
            through = any(not store.back for store in self.plan.stores if store.name == most)
            return (
                ""
                if through
                else f"{most} first reads blocks that a write changes in part ({size})"
            )
        labels = {part.label for part in parts}
        moved_here = sum(one.bytes for one in self.result.parts.values() if one.part in labels)
        read = moved_here - moved(self.result, "write").bytes
        brought = max(map(self._brought, self.kept))
        return f"{most} does not hold what is read ({size} fetched)" if 2 * brought > read else ""

    def _brought(self, store: str) -> int:
        """Return the bytes that a store brought in for processes."""
        counts = self.kept[store]
        return counts["fetched_bytes"] + counts["read_back_bytes"]

    def _processor(self, time_ns: int) -> str:
        return f"{self.share(time_ns)} goes to statements, copies and system calls."

    # -- everything else --------------------------------------------------------------------

    def waits(self) -> Iterator[Cause]:
        """Yield computing, and waiting for other processes."""
        yield Cause(self.computing_ns, f"{self.share(self.computing_ns)} the processes compute.")
        writeback = self.columns.writeback
        stores = {self.plan.columns[store.cache_column] for store in self.plan.stores}
        for column, (wait, service) in self.spent.items():
            known = column in self.columns.parts or column in writeback or column in stores
            if not known and column != COMPUTING:
                what = self.columns.what(column) or column
                yield Cause(wait + service, f"{self.share(wait + service)} is spent {what}.")
