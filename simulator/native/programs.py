"""Columns of processes for the kernel: phases, calls, lengths of records, arrivals."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import Any

from simulator.native.tables import LAYOUT, Tables, signed
from simulator.plan.codes import LISTED, LOOP, POISSON, STREAM
from simulator.plan.noise import exponential_table, stream_key
from simulator.plan.restarts import key_of
from simulator.runtime.lengthtable import LengthTable
from simulator.runtime.streams import RecordStreams

FIRST_LISTED = 5
"""The first number of a runtime whose calls are listed in advance."""


def _exchange_places(process: Any) -> tuple[int, ...]:
    return process.exchange_places or (process.group, process.group)


class Programs(Tables):
    """Columns of processes and their operations."""

    def _programs(self) -> None:
        plan = self.plan
        self.phases: list[dict[str, Any]] = []
        self.cuts: list[dict[str, Any]] = []
        self.draws: list[dict[str, Any]] = []
        self.lengths: list[dict[str, Any]] = []
        self.listed = array("q")
        self.of_lengths: dict[int, int] = {}
        self.of_phases: dict[int, int] = {}
        self.table = LengthTable()
        self.streams = RecordStreams(1, self.table)
        jobs = {name: number for number, name in enumerate(plan.jobs)}
        firsts = [0, *accumulate(group.count for group in plan.groups)]
        places = {
            one.exchange_places or (one.group, one.group) for one in plan.processes if one.nodes > 1
        }
        for groups in places:
            self._groups_row(groups)
        self._table(
            "process",
            plan.processes,
            job=lambda one: jobs[one.job],
            places=lambda one: self._groups_row(_exchange_places(one)),
            places_count=lambda one: len(_exchange_places(one)),
            phases=self._phases,
            phases_count=lambda one: len(one.phases),
            client=lambda one: firsts[one.group] + one.node,
        )
        self._rows("phase", self.phases)
        self._rows("cut", self.cuts)
        self._rows("draw", self.draws)
        self._rows("lengths", self.lengths)
        self.made["listed_length"] = array("q", self.table.pool)
        self.made["listed_call"] = self.streams.all_calls()
        self.made["listed_first"] = self.streams.all_firsts()
        self._calls()
        self._arrivals()
        self._restarts()
        self._queues()

    def _queues(self) -> None:
        plan = self.plan
        jobs = [job for queue in plan.queues for job in queue.jobs]
        pools = [pool for queue in plan.queues for pool in queue.pools]
        sizes = {"pools": 0, "limits": 0, "jobs": 0}
        rows = []
        for queue in plan.queues:
            row = {
                "order": LAYOUT["orders"].index(queue.order),
                "backfill": LAYOUT["backfills"].index(queue.backfill),
                "ahead": queue.ahead,
                "users": len(queue.users),
                "aging_ns": queue.aging_ns,
                "half_life_ns": queue.half_life_ns,
            }
            for name, first in sizes.items():
                row |= {name: first, f"{name}_count": len(getattr(queue, name))}
                sizes[name] += len(getattr(queue, name))
            rows.append(row)
        self._rows("queue", rows)
        offs = accumulate((len(pool.off) for pool in pools), initial=0)
        self._table("pool", pools, off=lambda _: next(offs), off_count=lambda one: len(one.off))
        self._rows("off", [{"begin": a, "end": b} for pool in pools for a, b in pool.off])
        self._table("limit", [limit for queue in plan.queues for limit in queue.limits])
        counts = accumulate((len(job.limits) for job in jobs), initial=0)
        self._table(
            "batch",
            jobs,
            limits=lambda _: next(counts),
            limits_count=lambda job: len(job.limits),
            stage_in=lambda job: job.stage_in[0],
            stage_in_count=lambda job: job.stage_in[1],
            stage_out=lambda job: job.stage_out[0],
            stage_out_count=lambda job: job.stage_out[1],
        )
        self.made["batch_limit"] = array("q", [limit for job in jobs for limit in job.limits])

    def _calls(self) -> None:
        plan = self.plan
        table = plan.operations
        for field in ("kind", "file", "offset", "size", "gap", "column", "path"):
            self.made[f"operation.{field}"] = getattr(table, field)
        self._table(
            "channel", plan.channels, places=self._channel, places_count=self._channel_count
        )

    def _arrivals(self) -> None:
        plan = self.plan
        times = array("q", [time for row in plan.arrivals for time in row.times])
        starts = dict(
            zip(
                map(id, plan.arrivals),
                accumulate((len(row.times) for row in plan.arrivals), initial=0),
                strict=False,
            )
        )
        self._table(
            "arrivals",
            plan.arrivals,
            times=lambda one: starts[id(one)],
            key=lambda one: signed(stream_key(plan.seed, plan.run, one.stream)),
        )
        drawn = any(row.kind == POISSON for row in plan.arrivals)
        self.made |= {
            "arrival_time": times,
            "exponential": array("q", exponential_table() if drawn else ()),
            "named.memory": array("q", [one.memory for one in plan.named]),
            "barrier": array("q", plan.barriers),
        }

    def _restarts(self) -> None:
        plan = self.plan
        firsts = accumulate((len(row.times) for row in plan.restarts), initial=0)
        self._table(
            "restart",
            plan.restarts,
            times=lambda _: next(firsts),
            times_count=lambda one: len(one.times),
            barriers=lambda one: one.barriers[0],
            barriers_count=lambda one: one.barriers[1],
            key=lambda one: signed(key_of(plan, one)),
        )
        self.made["restart_time"] = array(
            "q", [time for row in plan.restarts for time in row.times]
        )

    def _channel_places(self, channel: Any) -> tuple[int, ...]:
        ends = (channel.source, channel.target)
        return channel.places or tuple(self.plan.processes[one].group for one in ends)

    def _channel(self, channel: Any) -> int:
        return self._groups_row(self._channel_places(channel))

    def _channel_count(self, channel: Any) -> int:
        return len(self._channel_places(channel))

    def _phases(self, process: Any) -> int:
        """Return the first phase of each process; identical phase lists are stored once."""
        if id(process.phases) not in self.of_phases:
            self.of_phases[id(process.phases)] = len(self.phases)
            self.phases += map(self._phase, process.phases)
        return self.of_phases[id(process.phases)]

    def _phase(self, one: Any) -> dict[str, Any]:
        row = {field: getattr(one, field, 0) for field in LAYOUT["tables"]["phase"]}
        row |= {"lengths": -1, "policy": -1, "draw": -1, "cuts": -1}
        if one.kind == STREAM:
            number, own = self._lengths(one.lengths)
            row["lengths"] = number
            name = one.policy
            if name in LAYOUT["runtimes"]:
                row["policy"] = LAYOUT["runtimes"].index(name)
            else:
                listed = self.streams.number_of(name, one.write, one.buffer, own)
                row["policy"] = len(LAYOUT["runtimes"]) + listed - FIRST_LISTED
        elif one.kind == LISTED:
            row["cuts"] = len(self.cuts)
            self.cuts += [{"at": at, "named": named} for at, named in one.cuts]
            self.cuts.append({"at": one.first + one.count, "named": -1})
            if one.draw is not None:
                row["draw"] = len(self.draws)
                self.draws.append(
                    {field: getattr(one.draw, field) for field in LAYOUT["tables"]["draw"]}
                    | {"key": signed(one.draw.key)}
                )
        elif one.kind == LOOP:
            row["named"] = -1
        return row

    def _lengths(self, lengths: Any) -> tuple[int, int]:
        """Return the rows of lengths, in the plan and in Python's table of streams."""
        if id(lengths) not in self.of_lengths:
            own = lengths.add_to(self.table)
            self.of_lengths[id(lengths)] = len(self.lengths)
            self.lengths.append(self.table.described(own) | {"own": own})
        number = self.of_lengths[id(lengths)]
        return number, self.lengths[number]["own"]
