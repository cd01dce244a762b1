"""Conversion of a plan to the kernel's input: columns, by the names of its layout."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache, lru_cache
from itertools import accumulate, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from simulator.kinds import stem_of
from simulator.native.programs import Programs
from simulator.native.rates import add_services, has_table, rates_of, services_of
from simulator.native.tables import LAYOUT, Column, signed
from simulator.plan.codes import BUFFERS
from simulator.plan.cores import crowded_groups
from simulator.plan.events import disk_events_of, edges, events_of, key_of
from simulator.plan.noise import Drawing, noise_of
from simulator.plan.plan import Plan

if TYPE_CHECKING:
    from simulator.plan.events import EventPlan
    from simulator.plan.parts import NoisePlan, PartPlan
    from simulator.service import SizePoint


@cache
def _number(names: str, name: str) -> int:
    """Return the number of a kind in the kernel."""
    return int(LAYOUT[names].index(name))


def columns_of(plan: Plan) -> dict[str, Column]:
    """Return all columns of a plan."""
    return _Columns(plan).made


@lru_cache(maxsize=256)
def _streams(pattern: str, count: int) -> tuple[str, ...]:
    """Return the names of the random streams of instances, as ``Plan.stream`` does."""
    return tuple(pattern.format(i=index) for index in range(count))


@lru_cache(maxsize=1024)  # Runs of many machines have the same draws.
def _noises(
    spec: NoisePlan, drawing: Drawing, streams: tuple[str, ...]
) -> tuple[array[int], array[int], tuple[int, ...]]:
    """Return keys and run factors of streams, and the factors of their requests."""
    found = [noise_of(spec, drawing, stream) for stream in streams]
    keys = array("q", [signed(one.key) for one in found])
    return keys, array("q", [one.run_factor for one in found]), found[0].table


_OTHER = {"parts", "stores", "digest"}
_BESIDE_NUMBERS = attrgetter(*(field.name for field in fields(Plan) if field.name not in _OTHER))


class ColumnCache:
    """The columns of the last plan, reused for the next.

    Plans that differ only in numbers of resources and stores share all other columns.
    """

    def __init__(self) -> None:
        self.plan: Plan | None = None
        """The plan whose columns are cached; no engine has refused it."""
        self._made: dict[str, Column] = {}

    def columns(self, plan: Plan) -> dict[str, Column]:
        """Return all columns of a plan."""
        last = self.plan
        if last is None or not _only_numbers_differ(plan, last):
            self._made = _Columns(plan).made
        else:
            self._made = self._with_rates(plan, last) or _Columns(plan, self._made).made
        self.plan = plan
        return self._made

    def _with_rates(self, plan: Plan, last: Plan) -> dict[str, Column] | None:
        """Return the last plan's columns with other rates of resources; None if more differs."""
        if plan.stores != last.stores:
            return None
        made = dict(self._made)
        for row, (one, other) in enumerate(zip(plan.parts, last.parts, strict=True)):
            if one is other:
                continue
            again = replace(
                other, service=one.service, writes=one.writes, latency_ns=one.latency_ns
            )
            if has_table(one) or has_table(other) or again != one:
                return None
            for field, value in rates_of(one).items():
                column = made[f"part.{field}"] = made[f"part.{field}"][:]
                column[row] = value
        return made


def _only_numbers_differ(plan: Plan, other: Plan) -> bool:
    """Return whether a plan differs from another only in numbers of its resources and stores."""
    if len(plan.parts) != len(other.parts) or len(plan.stores) != len(other.stores):
        return False
    for one, another in zip(_BESIDE_NUMBERS(plan), _BESIDE_NUMBERS(other), strict=True):
        if one is not another and (isinstance(one, tuple) or one != another):
            return False
    return all(
        one is another or one.name == another.name
        for one, another in zip(plan.parts, other.parts, strict=True)
    )


class _Columns(Programs):
    """The columns of a plan under construction."""

    def __init__(self, plan: Plan, known: dict[str, Column] | None = None) -> None:
        """``known``: the columns of a plan that differs only in numbers of resources and stores."""
        super().__init__(plan, known)
        self.crowded = crowded_groups(plan)
        self._parts()
        self._stores()
        self._plan()
        if known is None:
            self._tiers()
            self._programs()
            self.made["place"] = self.places

    def _plan(self) -> None:
        plan = self.plan
        self._table(
            "plan", [plan], columns=lambda one: len(one.columns), jobs=lambda one: len(one.jobs)
        )
        self._table("group", plan.groups, crowded=lambda _: 0)
        self.made["group.crowded"] = array(
            "q", [row in self.crowded for row in range(len(plan.groups))]
        )

    # -- parts ----------------------------------------------------------------------------------

    def _parts(self) -> None:
        plan = self.plan
        rows: list[dict[str, Any]] = []
        speeds = array("q")
        self.made["factor"] = array("q")
        for field, form in LAYOUT["tables"]["noise"].items():
            self.made[f"noise.{field}"] = array(form)
        services: list[dict[str, Any]] = []
        points: list[SizePoint] = []
        tables: dict[int, int] = {}
        specs: dict[str, list[Any]] = {}
        for part in plan.parts:
            stem = stem_of(part.kind)
            own = specs.setdefault(stem, [])
            spec = -1
            if LAYOUT["tables"].get(f"spec_{stem}"):
                spec = len(own)
                own.append(part.spec)
            read, write = services_of(part)
            first = -1
            if part.noise.exponential or (plan.noisy and (part.spec or _varies(part))):
                first = self._noise(part, tables)
            rows.append(
                {
                    "kind": _number("parts", part.kind),
                    "spec": spec,
                    "group": part.group,
                    "first": part.first,
                    "count": part.count,
                    "servers": part.servers,
                    "cores": part.cores,
                    "column": part.column,
                    **rates_of(part),
                    "services": len(services),
                    "services_count": add_services(read, services, points),
                    "write_services": len(services),
                    "write_services_count": add_services(write, services, points),
                    "speeds": len(speeds),
                    "speeds_count": len(part.speeds),
                    "write_speeds": len(speeds) + len(part.speeds),
                    "write_speeds_count": len(part.write_speeds),
                    "noise": first,
                }
            )
            speeds.extend(part.speeds)
            speeds.extend(part.write_speeds)
        self._rows("part", rows)
        self._rows("service", services)
        self._table("point", points)
        for stem in LAYOUT["parts"]:
            self._table(f"spec_{stem_of(stem)}", specs.get(stem_of(stem), []))
        self.made["speed"] = speeds
        self._events()

    def _noise(self, part: PartPlan, tables: dict[int, int]) -> int:
        """Add the noise of each instance of a part, and its factors if new; return the first row.

        ``tables``: the places of known tables of factors.
        """
        streams = _streams(part.stream, part.count) if part.stream else ()
        names = streams or tuple(self.plan.stream(part, one) for one in range(part.count))
        keys, factors, table = _noises(part.noise, self.plan.drawing, names)
        at = -1
        if table:
            if id(table) not in tables:
                tables[id(table)] = len(self.made["factor"])
                self.made["factor"].extend(table)
            at = tables[id(table)]
        first = len(self.made["noise.key"])
        self.made["noise.key"].extend(keys)
        self.made["noise.run_factor"].extend(factors)
        self.made["noise.table"].extend(repeat(at, part.count))
        return first

    def _events(self) -> None:
        plan = self.plan
        happens = [
            _event(plan, instance, one)
            for instance, events in sorted(events_of(plan).items())
            for one in events
        ]
        self._rows("event", happens)
        failing: list[dict[str, Any]] = []
        slow: list[dict[str, Any]] = []
        disks, of_disks = 0, disk_events_of(plan)
        for part in plan.parts:
            for instance in part.instances if part.kind == "array" else ():
                for disk in range(part.spec.disks):
                    for one in of_disks.get(instance, {}).get(disk, []):
                        (slow if one.speed else failing).append(_event(plan, disks, one))
                    disks += 1
        for name, rows in (("disk_failing", failing), ("disk_slow", slow)):
            for field in LAYOUT["tables"]["event"]:
                self.made[f"{name}.{field}"] = array("q", [row[field] for row in rows])
        self.made["disk"] = array("b", bytes(disks))
        self.made["edge"] = array("q", edges() if plan.events or plan.restarts else ())

    # -- tiers and files --------------------------------------------------------------------------

    def _tiers(self) -> None:
        plan = self.plan
        holds: list[dict[str, Any]] = []
        costs, rows = array("q"), []
        stable = plan.stable_ends()
        first_units = list(
            accumulate((plan.groups[b.group].count for b in plan.buffers), initial=0)
        )
        for number, tier in enumerate(plan.tiers):
            ways: dict[str, int] = {}
            for way in ("down", "up"):
                of = getattr(tier, way)
                names = [plan.parts[hold.part].name for hold in of]
                ways |= {way: len(holds), f"{way}_count": len(of)}
                holds += [
                    {
                        "part": hold.part,
                        "slot": hold.slot,
                        "writes": hold.writes,
                        "leads": names[index] not in names[:index],
                    }
                    for index, hold in enumerate(of)
                ]
            own = {
                **ways,
                "kind": _number("tiers", tier.kind),
                "row": first_units[tier.row] if tier.kind == BUFFERS else tier.row,
                "stable": number in stable,
                "costs": len(costs),
                "costs_count": len(by_kind := tier.costs or tier.kinds),
            }
            costs.extend(by_kind)
            if len(by_kind) == KINDS:  # There is no other state.
                costs.extend(by_kind)
            rows.append(own)
        self._rows("hold", holds)
        both = list(zip(plan.tiers, rows, strict=True))
        for field, form in LAYOUT["tables"]["tier"].items():
            values = [row[field] if field in row else getattr(tier, field) for tier, row in both]
            self.made[f"tier.{field}"] = array(form, values)
        self.made["cost"] = costs
        self._table(
            "path",
            plan.paths,
            places=lambda one: self._groups_row(one.places),
            places_count=lambda one: len(one.places),
            asked=plan.asked_top,
        )
        self._table("file", plan.files)

    # -- stores and buffers ------------------------------------------------------------------------

    def _stores(self) -> None:
        plan = self.plan
        names = [one.name for one in plan.stores]
        self._table(
            "store",
            plan.stores,
            named=lambda one: names.index(one.name),
            policy=lambda one: _number("policies", one.policy),
            release=lambda one: LAYOUT["releases"].index(one.release),
            **{
                name: lambda one, name=name: name in one.triggers
                for name in ("mark", "eager", "full", "close", "rewrite")
            },
        )
        units: list[dict[str, Any]] = []
        stored: list[dict[str, int]] = []
        for one in plan.buffers:
            raid = plan.parts[one.raid].spec
            pause = raid.overhead_ns + raid.turn_ns // 2
            for member in range(plan.groups[one.group].count):
                runs = _runs(one.stored, member)
                units.append(
                    {
                        "instance": plan.parts[one.raid].first + member,
                        "stored": len(stored),
                        "stored_count": len(runs),
                        "column": one.column,
                        "slots": one.slots,
                        "raid_slots": raid.cache // one.block,
                        "blocks": one.blocks[member],
                        "ahead": one.ahead,
                        "block": one.block,
                        "request_ns": one.request_ns,
                        "piece_ns": one.piece_ns,
                        "copy_ns": one.copy.overhead_ns,
                        "pause_ns": pause,
                        "seek_ns": pause + raid.seek_ns,
                        "bus_ns": raid.bus_overhead_ns,
                        "copy_rate": one.copy.ns_per_byte,
                        "disk_rate": 1e9 / raid.rate,
                        "bus_rate": 1e9 / raid.bus_rate,
                    }
                )
                stored += [{"first": first, "end": end} for first, end in runs]
        self._rows("unit", units)
        self._rows("stored", stored)
        asked = plan.asked
        for table, source in (
            ("asked", asked and asked.requests),
            ("merged", asked and asked.groups),
            ("extent", asked and asked.extents),
        ):
            for field in LAYOUT["tables"][table]:
                self.made[f"{table}.{field}"] = getattr(source, field) if source else array("q")


KINDS = 11
"""Kinds of metadata requests."""


def _varies(part: PartPlan) -> bool:
    return part.noise.run_sd > 0 or part.noise.request_sd > 0


def _event(plan: Plan, instance: int, event: EventPlan) -> dict[str, Any]:
    return {
        "instance": instance,
        "at_ns": event.at_ns,
        "mean_ns": event.mean_ns,
        "lasts_ns": event.lasts_ns,
        "speed": event.speed,
        "key": signed(key_of(plan, event)),
    }


def _runs(stored: Sequence[tuple[int, int, int]], member: int) -> list[tuple[int, int]]:
    """Return the first and end block of each run that a member holds at the start."""
    runs: list[list[int]] = []
    for _, first, count in sorted(row for row in stored if row[0] == member):
        if runs and runs[-1][1] >= first:
            runs[-1][1] = max(runs[-1][1], first + count)
        else:
            runs.append([first, first + count])
    return [(first, end) for first, end in runs]
