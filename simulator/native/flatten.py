"""From a plan to an engine: names become numbers, specifications become rows of whole numbers."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from simulator.errors import RefusedError
from simulator.native import codes as c
from simulator.native.again import kept_of, may_begin_again
from simulator.native.engine import (
    Asking,
    Blocks,
    Buffers,
    Clients,
    Clock,
    Engine,
    Frames,
    Locks,
    Parts,
    Sharing,
    Stores,
    Tiers,
    WriteBack,
    grown,
)
from simulator.native.flatevents import arrays_of, calendars_of
from simulator.native.flatjobs import Jobs
from simulator.native.flatparts import part_tables, stationed_of, tables_like
from simulator.native.flatstores import (
    asked_tables,
    exists_rows,
    extent_columns,
    first_blocks,
    instance_rows,
    most_admitted,
    most_wanted,
    policies_of,
    store_rows,
    unit_rows,
    worker_rows,
)
from simulator.native.flattiers import Tiering
from simulator.plan.codes import LOCKS, TIERS
from simulator.plan.cores import crowded_groups
from simulator.plan.limits import check_parts
from simulator.plan.plan import Plan
from simulator.plan.services import needs_reference

if TYPE_CHECKING:
    from simulator.native.again import Kept
    from simulator.native.tables import PartTables
    from simulator.plan.parts import PartPlan


_CHANGED = (
    *(
        "process",
        "phase",
        "drain",
        "shared",
        "failed",
        "passed",
        "mark_waiters",
        "lock",
        "barrier",
        "channel",
    ),
    *("rounds", "arrivals", "latency", "version", "named"),
)
"""What a run changes of the tables of processes."""
_OTHER = {"parts", "stores", "digest"}
_BESIDE_NUMBERS = attrgetter(*(field.name for field in fields(Plan) if field.name not in _OTHER))
_OF_TIERS = ("groups", "tiers", "paths", "files", "channels")


@dataclass(frozen=True)
class _Last:
    """A plan, and tables that no run has changed."""

    plan: Plan
    parts: PartTables
    tiering: Tiering
    jobs: Jobs
    kept: dict[str, array[int]]


class Known:
    """Remembers the tables of the last plan that was flattened with it.

    What plans have in common that differ in numbers of parts and stores is flattened once.
    """

    def __init__(self) -> None:
        self._last: _Last | None = None
        self._kept: Kept | None = None
        self._alike = False
        """Whether the last plan was one in which only numbers differ from that before."""

    @property
    def plan(self) -> Plan | None:
        """The plan whose tables are remembered; no engine has refused it."""
        return self._last.plan if self._last is not None else None

    def tables(self, plan: Plan) -> tuple[PartTables, Tiering, Jobs]:
        """Return the tables of a plan's parts, tiers and processes, for one run."""
        last = self._last
        if last is not None:
            self._alike = _only_numbers_differ(plan, last)
            crowd = self._alike or crowded_groups(plan) == last.parts.crowded
            made = tables_like(plan, last.plan, last.parts) if crowd else None
            parts = made or part_tables(plan)
            if self._alike:
                copies = {name: cells[:] for name, cells in last.kept.items()}
                return parts, last.tiering.again(plan, parts), last.jobs.again(plan, parts, copies)
            tiering = last.tiering.again(plan, parts) if _tiers_are_same(plan, last.plan) else None
        else:
            parts, tiering = part_tables(plan), None
        tiering = tiering or Tiering(plan, parts)
        jobs = Jobs(plan, parts, tiering)
        if not jobs.listings:  # these are in its streams
            copies = {name: getattr(jobs.tables, name)[:] for name in _CHANGED}
            self._last = _Last(plan, parts.copy(), tiering, jobs, copies)
        return parts, tiering.again(plan, parts), jobs

    def keep(self, flat: Flat) -> None:
        """Keep an engine whose processes have begun, if plans like its own may follow."""
        self._kept = None
        if self._alike and may_begin_again(flat.plan):
            self._kept = kept_of(flat)

    def again(self, plan: Plan) -> Flat | None:
        """Return the engine that is kept, as it was, for a plan that differs in numbers of parts.

        Its processes have begun. None if there is none, or if more differs; RefusedError if a part
        goes further than a run may. Nothing else can be refused of a plan like one that was not.
        """
        last, kept = self._last, self._kept
        if last is None or kept is None or plan.stores != kept.flat.plan.stores:
            return None
        if not _only_numbers_differ(plan, last):
            return None
        check_parts(plan.parts, last.plan.parts)
        parts = tables_like(plan, last.plan, last.parts, state=False)
        return kept.again(plan, parts) if parts is not None else None


def _only_numbers_differ(plan: Plan, last: _Last) -> bool:
    """Whether a plan shares everything with the last but numbers of its parts and stores."""
    other = last.plan
    if len(plan.parts) != len(other.parts) or len(plan.stores) != len(other.stores):
        return False
    for one, another in zip(_BESIDE_NUMBERS(plan), _BESIDE_NUMBERS(other), strict=True):
        if one is not another and (isinstance(one, tuple) or one != another):
            return False
    cores_differ = False
    for part, old in zip(plan.parts, other.parts, strict=True):
        if part is not old:
            if _row_of(part) != _row_of(old):
                return False
            cores_differ = cores_differ or part.cores != old.cores
    if cores_differ and crowded_groups(plan) != last.parts.crowded:
        return False
    return all(
        store is old or (store.first, store.count, store.group) == (old.first, old.count, old.group)
        for store, old in zip(plan.stores, other.stores, strict=True)
    )


def _row_of(part: PartPlan) -> tuple[object, ...]:
    return part.kind, part.first, part.count, part.group, part.column


def _tiers_are_same(plan: Plan, other: Plan) -> bool:
    """Whether two plans have the same ways: not if there are some for I/O nodes or shared data."""
    if plan.asked or plan.buffers or len(plan.processes) != len(other.processes):
        return False
    if any(getattr(plan, name) != getattr(other, name) for name in _OF_TIERS):
        return False
    return not other.asked and all(
        one.exchange < 0 > another.exchange
        and (one.group, one.node) == (another.group, another.node)
        for one, another in zip(plan.processes, other.processes, strict=True)
    )


FEW_BLOCKS = 1 << 16
SPARE = 8
"""Slots that are free for those that come and go, when the run begins, beside what one needs."""


class Flat:
    """An engine made from a plan, with what is needed to read its outcome."""

    def __init__(self, plan: Plan, known: Known | None = None) -> None:
        """``known``: the tables of plans before, which share what only parts do not change."""
        self.plan = plan
        self.grown = True
        """Whether tables may have grown since the engine was kept."""
        parts, tiering, jobs = (known or Known()).tables(plan)
        jobs.tables.path = tiering.tables.path
        check_numbers(plan, tiering)
        margin = tiering.most + _woken(plan, tiering) + 4
        self.clock = Clock(len(plan.processes) + margin + SPARE)
        columns = max(1, len(plan.columns))
        self.parts = Parts(self.clock, parts, columns, self.clock.slots, calendars_of(plan))
        self.frames = Frames(self.clock, self.parts, tiering.depth, tiering.places, margin)
        self.sharing = Sharing(
            self.frames,
            self.parts,
            parts.shares,
            parts.speeds,
            plan.first_timer,
            parts.share_count,
        )
        arrays = arrays_of(plan, self.parts)
        self.tiers = Tiers(self.frames, self.sharing, tiering.tables, arrays)
        kinds = stationed_of(plan)
        self.kinds = kinds.kinds
        """The kinds of parts, by name."""
        self.tiers.stations = kinds.chain()
        self.blocks = Blocks(
            self.clock,
            instance_rows(plan),
            store_rows(plan),
            first_blocks(plan),
            most_admitted(plan.stores),
        )
        self.blocks.follow(policies_of(plan))
        self.back = WriteBack(self.tiers, self.blocks, exists_rows(plan), worker_rows(plan))
        self.stores = Stores(self.tiers, self.back, plan.first_reader, len(plan.files))
        self.jobs = jobs
        self.clients = Clients(self.tiers, self.back, jobs.streams, jobs.tables)
        self.buffers = Buffers(
            self.parts,
            *unit_rows(plan),
            extent_columns(plan),
            most_wanted(plan),
            sum(plan.groups[one.group].count for one in plan.buffers) * len(plan.processes),
        )
        self.asking = Asking(self.tiers, self.buffers, asked_tables(plan))
        grants = [tier.grow for tier in plan.tiers if tier.kind == LOCKS]
        self.locks = Locks(self.back, len(plan.files) if grants else 0, max(grants, default=0))
        self.engine = Engine(self.stores, self.clients, self.asking, self.locks)
        self.stride = jobs.stride
        disks = max((part.servers for part in plan.parts if part.traits.inner), default=0)
        self.margin_spans = max((tier.pieces for tier in plan.tiers), default=0) + 3 * disks + 64

    @cached_property
    def alone(self) -> bool:
        """Whether no process has members that share its data, nor the name of one."""
        return all(one.nodes == 1 and "/" not in one.name for one in self.plan.processes)

    @cached_property
    def users(self) -> Counter[tuple[int, int]]:
        """How much an instance of a cpu, or of work of cores, serves at once; 0: no limit."""
        return self.plan.core_users()

    @cached_property
    def firsts(self) -> list[int]:
        """The number of the first instance of each part."""
        return [part.first for part in self.plan.parts]

    def start(self) -> None:
        """Set each process to its begin."""
        process, clients = self.clients.process, self.clients
        for number, one in enumerate(self.plan.processes):
            x = number * self.stride
            slot = self.frames.take(c.PROCESS, x, number)
            assert slot == number
            if one.arrivals >= 0:
                time = clients.begin(slot, x)
                if time >= 0:
                    self.clock.at(slot, time)
            elif one.born >= 0:
                self.frames.actor[slot * c.ACTOR + c.AFTER] = clients.mark_waiters[one.born]
                clients.mark_waiters[one.born] = slot
            elif not process[x + c.X_ASLEEP]:
                self.clock.at(slot, one.start_ns)
        self.clock.short = 0
        self.make_room()

    def keep_spans(self) -> None:
        """Have every service written down."""
        self.parts.timing = self.parts.watched = 1
        self.make_room()

    def keep_calls(self) -> None:
        """Have every call written down."""
        self.clients.recording = 1
        self.make_room()

    # -- growing --------------------------------------------------------------------------------

    def make_room(self) -> None:
        """Let tables grow that are nearly full, between two steps."""
        self.clock.short = 0
        self.grown = True
        if self.frames.free_count < self.frames.margin:
            self._grow_slots()
        if self.blocks.free_count < self.blocks.margin:
            few = self.blocks.blocks < FEW_BLOCKS
            self.blocks.grow_blocks((4 if few else 2) * self.blocks.blocks)
        if self.blocks.file_count + 8 > self.blocks.files:
            self.blocks.grow_files(2 * self.blocks.files)
        self.locks.make_room()
        if self.buffers.cell_count + self.buffers.margin > self.buffers.cells:
            self.buffers.grow()
        if self.buffers.moments_left < self.buffers.wanted_moments():
            self.buffers.grow_moments()
        if 8 * c.R_ROWS * 4 + self.clients.known_count * c.R_ROWS > len(self.clients.known):
            self.clients.grow_known()
        if self.parts.timing:
            self.parts.span_margin = self.frames.slots + self.margin_spans
            self.parts.span_margin += 2 * self.buffers.moments
            if 4 * (self.parts.span_count + self.parts.span_margin + 2) > len(self.parts.spans):
                most = 2 * len(self.parts.spans) + 8 * self.parts.span_margin
                self.parts.spans = grown(self.parts.spans, most)
        log = self.clients.log
        if self.clients.recording and (self.clients.log_count + 80) * c.Y_ROWS > len(log):
            self.clients.log = grown(log, 2 * len(log) + 1024 * c.Y_ROWS)

    def _grow_slots(self) -> None:
        slots = 2 * (self.frames.slots + self.frames.margin)
        self.frames.grow(slots)
        self.sharing.grow(slots)
        users = (self.tiers, self.back, self.stores, self.clients, self.asking, self.locks)
        for user in (*users, self.engine):
            user.frame = self.frames.frame
            user.actor = self.frames.actor


def _woken(plan: Plan, tiering: Tiering) -> int:
    """Return how many workers one step may wake: those of each store that hears of a closing."""
    return max(
        (
            (store.workers + store.flushers)
            * (min(store.count, tiering.spread) if "close" in store.triggers else 1)
            for store in plan.stores
        ),
        default=0,
    )


def check_numbers(plan: Plan, tiering: Tiering) -> None:
    """Raise RefusedError if numbers of branches of branches have more than 62 bits."""
    number = plan.first_branch
    for _ in range(tiering.forks):
        number = plan.first_branch + (number + 1) * plan.width
    if number >= 1 << 62:
        raise RefusedError(
            f"the native engine numbers at most 2**62 actors; {tiering.forks} tiers that fork "
            f"{plan.width} ways in one path need more"
        )


def refuse(plan: Plan) -> None:
    """Raise RefusedError naming what the native engine lacks for a plan."""
    needed = needs_reference(plan)
    if needed:
        raise RefusedError(f"the native engine does not know {needed}")
    unknown = next((tier.kind for tier in plan.tiers if tier.kind not in TIERS), "")
    if unknown:
        raise RefusedError(f"the native engine has no tier {unknown!r}")
    most = max((max(file.size, file.length) for file in plan.files), default=0)
    for store in plan.stores:
        if max(store.block, most // store.block) >= 1 << 31:
            raise RefusedError(
                f"the native engine counts blocks, and the bytes of one, in 31 bits; {store.name} "
                f"has blocks of {store.block} bytes, and the largest file {most}"
            )
    stationed_of(plan)
