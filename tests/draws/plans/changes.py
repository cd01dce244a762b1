"""Plans made from other plans: without rounding, without meetings, slower, side by side."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from random import Random
from unittest import mock

from simulator.config.filesystems import FOR_EVER_NS
from simulator.kinds.dice import Dice
from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    BARRIER,
    FIXED,
    JOIN,
    LOCK,
    LOOP,
    PASS,
    PAUSE,
    POISSON,
    RECEIVE,
    SEND,
    START,
    UNLOCK,
    WAIT,
)
from simulator.plan.jobs import DrawPlan, Operations, PhasePlan, ProcessPlan
from simulator.plan.parts import NoisePlan, PartPlan, StorePlan
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.plan import Plan
from tests.draws.plans import draw, magnitudes

MEETINGS = frozenset(
    (PASS, WAIT, LOCK, UNLOCK, BARRIER, SEND, RECEIVE, START, JOIN, ASK_READ, ASK_WRITE)
)
"""Operations by which processes wait for each other."""
LIVES = ("attributes_min_ns", "attributes_max_ns")


class ExactDice(Dice):
    """Nothing is ever rounded."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.exact = True


def exact_plan(rng: Random, most: int = 6) -> Plan:
    """Draw a plan in which nothing is rounded: no noise, and no part that is shared."""
    with mock.patch.object(draw, "Dice", ExactDice):
        plan = draw.draw_plan(rng, most)
    parts = tuple(
        replace(
            part,
            kind="queue" if part.kind in ("shared", "core") else part.kind,
            cores=0,
            speeds=(),
            noise=NoisePlan(),
            spec=whole_raid(part.spec) if part.kind == "raid" else part.spec,
        )
        for part in plan.parts
    )
    arrivals = tuple(
        replace(row, kind=FIXED if row.kind == POISSON else row.kind) for row in plan.arrivals
    )
    return replace(plan, parts=parts, arrivals=arrivals, noisy=False)


def whole_raid(spec: RaidSpec) -> RaidSpec:
    """Let a unit take whole ns for a byte, and half a turn too."""
    rates = {name: 1e9 / max(1, round(1e9 / getattr(spec, name))) for name in ("rate", "bus_rate")}
    return replace(spec, turn_ns=spec.turn_ns // 2 * 2, **rates)


def alone(plan: Plan) -> Plan:
    """Let processes meet nowhere but at parts and in stores."""
    table = plan.operations
    kinds = array("b", (PAUSE if kind in MEETINGS else kind for kind in table.kind))
    quiet = Operations(kinds, table.file, table.offset, table.size, table.gap, table.column)
    nothing = {"born": -1, "sleeps": False, "arrivals": -1, "until": -1}

    def quietly(phase: PhasePlan) -> PhasePlan:
        """Leave out draws of operations that are none now."""
        gone = phase.draw is not None and table.kind[phase.draw.first] in MEETINGS
        return replace(phase, draw=None) if gone else phase

    processes = tuple(
        replace(one, phases=tuple(map(quietly, one.phases)), **nothing) for one in plan.processes
    )
    return replace(plan, operations=quiet, processes=processes, channels=(), arrivals=())


# -- slower -------------------------------------------------------------------------------------


def slower(plan: Plan, k: int) -> Plan:
    """Divide every rate by ``k``, and multiply every time by it, but for what is known for ever."""
    made = magnitudes.slower(plan, k)
    paths = tuple(
        replace(new, **{name: FOR_EVER_NS for name in LIVES if getattr(old, name) >= FOR_EVER_NS})
        for old, new in zip(plan.paths, made.paths, strict=True)
    )
    return replace(made, paths=paths)


# -- side by side -------------------------------------------------------------------------------


def side_by_side(left: Plan, right: Plan) -> Plan:
    """Put two plans that meet nowhere into one; the names of the second begin with ``b-``."""
    shift = _Shift(left)
    groups = tuple(
        replace(one, name=f"b-{one.name}", parent=shift.by(one.parent, len(left.groups)))
        for one in right.groups
    )
    stores = [moved(one, len(right.processes)) for one in left.stores]
    workers = sum(one.workers * one.count for one in left.stores)
    stores += [moved(shift.store(one), len(left.processes) + workers) for one in right.stores]
    return replace(
        left,
        groups=(*left.groups, *groups),
        parts=(*left.parts, *map(shift.part, right.parts)),
        stores=tuple(stores),
        tiers=(*left.tiers, *map(shift.tier, right.tiers)),
        paths=(
            *left.paths,
            *(
                replace(
                    one,
                    top=one.top + len(left.tiers),
                    metadata=shift.by(one.metadata, len(left.tiers)),
                    drain=shift.by(one.drain, len(left.tiers)),
                    first_store=shift.by(one.first_store, len(left.tiers)),
                    call_column=one.call_column + len(left.columns),
                    places=tuple(place + len(left.groups) for place in one.places),
                )
                for one in right.paths
            ),
        ),
        files=(
            *left.files,
            *(replace(one, path=one.path + len(left.paths)) for one in right.files),
        ),
        processes=(*left.processes, *map(shift.process, right.processes)),
        operations=shift.operations(right.operations),
        columns=(*left.columns, *(f"b-{name}" for name in right.columns)),
    )


def moved(store: StorePlan, by: int) -> StorePlan:
    """Give a store's workers later numbers."""
    return replace(store, first_worker=store.first_worker + by if store.workers else -1)


class _Shift:
    """What the rows of a second plan become behind those of a first one."""

    def __init__(self, left: Plan) -> None:
        self.left = left

    @staticmethod
    def by(row: int, count: int) -> int:
        """Return a row that much later; -1 stays."""
        return row + count if row >= 0 else row

    def part(self, part: PartPlan) -> PartPlan:
        left = self.left
        return replace(
            part,
            name=f"b-{part.name}",
            group=part.group + len(left.groups),
            first=part.first + left.instances,
            column=part.column + len(left.columns),
        )

    def store(self, store: StorePlan) -> StorePlan:
        left = self.left
        return replace(
            store,
            name=f"b-{store.name}",
            group=store.group + len(left.groups),
            first=store.first + sum(one.count for one in left.stores),
            cache_column=store.cache_column + len(left.columns),
            writeback_column=store.writeback_column + len(left.columns),
        )

    def tier(self, tier: TierPlan) -> TierPlan:
        def held(holds: tuple[Hold, ...]) -> tuple[Hold, ...]:
            return tuple(replace(one, part=one.part + len(self.left.parts)) for one in holds)

        row = self.by(tier.row, len(self.left.stores))
        column = tier.column + len(self.left.columns)
        return replace(tier, down=held(tier.down), up=held(tier.up), row=row, column=column)

    def draw(self, one: DrawPlan) -> DrawPlan:
        rows = len(self.left.operations)
        return replace(one, first=one.first + rows, base=one.base + (0 if one.step else rows))

    def process(self, one: ProcessPlan) -> ProcessPlan:
        left = self.left
        phases = tuple(
            replace(
                phase,
                file=self.by(phase.file, len(left.files)),
                path=self.by(phase.path, len(left.paths)),
                first=phase.first + (0 if phase.kind == LOOP else len(left.operations)),
                draw=phase.draw and self.draw(phase.draw),
            )
            for phase in one.phases
        )
        return replace(
            one,
            name=f"b-{one.name}",
            job=f"b-{one.job}",
            group=one.group + len(left.groups),
            cpu=self.by(one.cpu, len(left.parts)),
            exchange=self.by(one.exchange, len(left.tiers)),
            exchange_places=tuple(place + len(left.groups) for place in one.exchange_places),
            phases=phases,
        )

    def operations(self, right: Operations) -> Operations:
        left = self.left
        shifted: list[tuple[array[int], array[int], Callable[[int], int]]] = [
            (left.operations.kind, right.kind, lambda one: one),
            (left.operations.file, right.file, lambda one: self.by(one, len(left.files))),
            (left.operations.offset, right.offset, lambda one: one),
            (left.operations.size, right.size, lambda one: one),
            (left.operations.gap, right.gap, lambda one: one),
            (left.operations.column, right.column, lambda one: self.by(one, len(left.columns))),
        ]
        return Operations(
            *(array(one.typecode, [*one, *map(move, two)]) for one, two, move in shifted)
        )
