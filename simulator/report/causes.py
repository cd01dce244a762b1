"""Where the processes of a run spent their time: one or two sentences for any machine.

Each rule looks at one way to spend time, and says how much of it the processes spent that way; the
largest are told. Waiting and service at devices behind a store count as the fetches of that store.
These are facts of one run: what would change it is found by other runs (simulator/answers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.accounts import COMPUTING, Columns
from simulator.report.tables import kept_by
from simulator.result.jobs import added_up
from simulator.units import format_size
from simulator.wording import about_size, counted, percent

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan, StorePlan
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

MOST_TOLD = 2
LEAST_SHARE = 0.1
"""Causes below this share of the time are not told, unless there is no other."""


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
    """What the processes of a run spent their time on."""

    def __init__(self, result: Result, plan: Plan) -> None:
        self.result = result
        self.plan = plan
        self.columns = Columns(plan)
        processes = result.masters()
        self.several = len(processes) > 1
        self.total_ns = sum(one.elapsed_ns - one.idle_ns for one in processes)
        """Without the time in which they had nothing to do."""
        self.spent = added_up(processes)
        self.idle = any(one.idle_ns for one in processes)
        self.computing_ns = sum(one.compute_ns for one in processes)
        self.kept = {row.store: row.counts for row in kept_by(result, plan)}

    def share(self, time_ns: int) -> str:
        """Say what part of the time this is."""
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
        counts = self.kept.get(store.name, Counter[str]())
        if counts["rewrites_waited"]:
            waits = counted(counts["rewrites_waited"], "such wait")
            return (
                f"a write that goes back over data not yet written back from {store.name} waits"
                f" until they are on the device ({waits})."
            )
        if counts["limit_waits"]:
            why = f"too much of {store.name} is dirty ({counted(counts['limit_waits'], 'wait')})"
        elif store.quota >= 0 and counts["resident"] < store.slots:
            quota = format_size(store.quota * store.block)
            why = f"a file has reached its quota of {store.name} ({quota})"
        else:
            size = format_size(store.slots * store.block)
            why = f"{store.name} ({size}) is full of dirty data"
        synced, closed = (self._total(operation) for operation in ("sync", "close"))
        if not store.back or (counts["syncs"] and synced + closed > wait // 2):
            why = f"processes wait for write-back from {store.name}"
            return f"{why} when they close files." if closed > synced else f"{why} (sync)."
        return (
            f"writes wait for room: {why}, and the next block enters when another has been"
            " written back."
        )

    def _total(self, operation: str) -> int:
        """Return the time of all calls of an operation."""
        known = self.result.latencies.get(operation)
        return int(known.count * known.mean_ns) if known is not None else 0

    # -- parts ------------------------------------------------------------------------------

    def parts(self) -> Iterator[Cause]:
        """Yield waiting and service at the machine's resources."""
        for column, parts in self.columns.parts.items():
            wait, service = self.spent.get(column, (0, 0))
            kind = parts[0].kind
            if parts[0].traits.medium and self._missed():
                yield Cause(wait + service, self._fetches(column, wait + service))
            elif kind == "cpu":
                yield Cause(service, self._processor(service))
                cores = counted(parts[0].cores, "core")
                yield Cause(
                    wait, f"{self.share(wait)} processes wait for the {cores} of their node."
                )
            else:
                yield from self._queue(column, parts[0], wait, service)

    def _queue(self, column: str, part: PartPlan, wait: int, service: int) -> Iterator[Cause]:
        what = self.columns.what(column)
        if wait > service and (part.traits.medium or part.traits.order in ("queue", "shared")):
            who = "requests" if not self.several else "processes"
            yield Cause(
                wait + service,
                f"{self.share(wait + service)} {who} wait for each other at {column} ({what}) or"
                " are served there.",
            )
        else:
            yield Cause(
                wait + service,
                f"{self.share(wait + service)} requests are being served by {column} ({what}).",
            )

    def _missed(self) -> int:
        """Return the bytes that all stores together brought in for processes."""
        return sum(
            counts["fetched_bytes"] + counts["read_back_bytes"] for counts in self.kept.values()
        )

    def _fetches(self, column: str, time_ns: int) -> str:
        most = max(self.kept, key=self._brought)
        counts = self.kept[most]
        size = about_size(self._brought(most))
        if counts["read_back_bytes"] > counts["fetched_bytes"]:
            why = f"{most} reads blocks back that a write changes in part ({size})"
        else:
            why = f"{most} does not hold what is read ({size} fetched)"
        return f"{self.share(time_ns)} goes to {column}, since {why}."

    def _brought(self, store: str) -> int:
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
