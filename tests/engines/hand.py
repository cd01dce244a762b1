"""Plans by hand: groups, parts, stores, paths, files and processes, named and put together.

>>> hand = Hand(client=2, server=1)
>>> hand.part("disk", "server", rate=1e9)
>>> hand.path("fs", [hand.stage("disk")])
>>> hand.file("f", "fs", size=100)
>>> _ = hand.process("p", hand.listed(("write", "f", 0, 100)))
>>> len(hand.plan().processes)
1
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.kinds.parts.journal.section import JournalSpec
from simulator.plan.codes import (
    BEFORE,
    COMMIT,
    END,
    EXPORT,
    FORWARD,
    HOLD,
    LISTED,
    LOCKS,
    METADATA,
    OPERATIONS,
    REQUEST,
    STAGE,
    STORE,
    STREAM,
    STRIPE,
    WORK,
    kind_of,
    plain,
)
from simulator.plan.events import EventPlan
from simulator.plan.jobs import ArrivalsPlan, ChannelPlan, Operations, PhasePlan, ProcessPlan
from simulator.plan.parts import GroupPlan, PartPlan, StorePlan
from simulator.plan.paths import FilePlan, Hold, PathPlan, TierPlan
from simulator.plan.plan import Plan
from simulator.runtime.lengths import FixedLengths
from simulator.service import ServiceSpec
from tests.twins.plans.references import numbered

OF_FILES = (
    *("seek", "read", "write", "sync", "ask-read", "ask-write"),
    *(OPERATIONS[kind] for kind in METADATA),
)


class Hand:
    """The tables of a plan as they grow. Place i of every path is group i."""

    def __init__(self, **groups: int) -> None:
        self.groups = [GroupPlan(name=name, count=count) for name, count in groups.items()]
        self.parts: list[PartPlan] = []
        self.stores: list[StorePlan] = []
        self.tiers: list[TierPlan] = []
        self.paths: list[PathPlan] = []
        self.files: list[FilePlan] = []
        self.processes: list[ProcessPlan] = []
        self.operations = Operations()
        self.arrivals: list[ArrivalsPlan] = []
        self.channels: list[ChannelPlan] = []
        self.barriers: list[int] = []
        self.columns: list[str] = []
        self.events: list[EventPlan] = []
        self.part("cpu", self.groups[0].name, "cpu", spec=PeSpec(math.inf))

    def devices(self, name: str, parent: str, each: int) -> None:
        """Add a group of ``each`` devices in every member of another."""
        above = self.group(parent)
        count = self.groups[above].count * each
        self.groups.append(GroupPlan(name=name, count=count, parent=above, each=each))

    def group(self, name: str) -> int:
        """Return the row of a group, which is the place as well."""
        return [one.name for one in self.groups].index(name)

    def column(self, name: str) -> int:
        """Return the column of a name."""
        if name not in self.columns:
            self.columns.append(name)
        return self.columns.index(name)

    # -- the machine ------------------------------------------------------------------------------

    def part(
        self,
        name: str,
        group: str,
        kind: str = "queue",
        *,
        rate: float = math.inf,
        overhead_ns: int = 0,
        **fields: Any,
    ) -> None:
        """Add a part on each member of a group."""
        row = self.group(group)
        if kind == "journal":
            fields.setdefault("spec", JournalSpec())
        self.parts.append(
            PartPlan(
                name=name,
                kind=kind,
                group=row,
                first=sum(one.count for one in self.parts),
                count=self.groups[row].count,
                service=ServiceSpec(rate, overhead_ns),
                column=self.column(name),
                **fields,
            )
        )

    def store(self, name: str, group: str, **fields: Any) -> None:
        """Add a store on each member of a group: by default of 4 blocks of 100 B, one worker."""
        row = self.group(group)
        usual: dict[str, Any] = {"slots": 4, "block": 100, "workers": 1, "high": 10**6}
        self.stores.append(
            StorePlan(
                name=name,
                group=row,
                first=sum(one.count for one in self.stores),
                count=self.groups[row].count,
                cache_column=self.column(f"{name}.cache"),
                writeback_column=self.column(f"{name}.writeback"),
                **usual | fields,
            )
        )

    def _hold(self, name: str) -> Hold:
        row = [one.name for one in self.parts].index(name)
        return Hold(row, self.parts[row].group)

    def stage(self, *names: str, **fields: Any) -> TierPlan:
        """Parts held at once, on the way down and on the way up."""
        holds = tuple(self._hold(name) for name in names)
        return replace(TierPlan(kind=STAGE, down=holds, up=holds), **fields)

    def work(self, name: str, **costs: int) -> TierPlan:
        """A request at a part on the way down; ``costs`` of metadata operations by kind."""
        by_kind = tuple(costs.get(OPERATIONS[kind], -1) for kind in METADATA) if costs else ()
        return TierPlan(kind=WORK, down=(self._hold(name),), costs=by_kind)

    def hold(self, name: str) -> TierPlan:
        """A server of a pool, kept until the answer."""
        return TierPlan(kind=HOLD, down=(self._hold(name),))

    def commit(self, name: str) -> TierPlan:
        """A part that only syncs use."""
        return TierPlan(kind=COMMIT, down=(self._hold(name),))

    def before(self, *kinds: str, ask: str) -> TierPlan:
        """A request of another kind before metadata operations of some kinds."""
        names = [OPERATIONS[kind] for kind in METADATA]
        asked = tuple(names.index(ask) if name in kinds else -1 for name in names)
        return TierPlan(kind=BEFORE, kinds=asked)

    def export(self) -> TierPlan:
        """Where syncs are answered."""
        return TierPlan(kind=EXPORT)

    def request(self, size: int, window: int = 1) -> TierPlan:
        """Cut requests."""
        return TierPlan(kind=REQUEST, size=size, window=window)

    def stripe(
        self, group: str, unit: int, width: int, data: int = 0, parity: int = 0, code: str = ""
    ) -> TierPlan:
        """Stripe over members of a group; with an erasure code, which a part may compute."""
        down = (self._hold(code),) if code else ()
        code_of = {"data": data, "parity": parity, "down": down}
        return TierPlan(kind=STRIPE, size=unit, width=width, slot=self.group(group), **code_of)

    def forward(self, group: str, by: str) -> TierPlan:
        """Decide a place from another."""
        return TierPlan(kind=FORWARD, slot=self.group(group), by=self.group(by))

    def kept(self, name: str) -> TierPlan:
        """A store."""
        row = [one.name for one in self.stores].index(name)
        return TierPlan(kind=STORE, row=row, slot=self.stores[row].group)

    def locks(self, unit: int, store: str = "", **fields: Any) -> TierPlan:
        """Locks of units, which protect a store if it is named; see ``path``."""
        row = [one.name for one in self.stores].index(store) if store else -1
        column = self.column("file locks")
        return TierPlan(kind=LOCKS, size=unit, row=row, column=column, **fields)

    def chain(self, tiers: list[TierPlan]) -> int:
        """Add tiers that stand together; returns the row of the first."""
        self.tiers += [*tiers, TierPlan(kind=END)]
        return len(self.tiers) - len(tiers) - 1

    def path(
        self, name: str, tiers: list[TierPlan], ask: list[TierPlan] | None = None, **fields: Any
    ) -> None:
        """Add a path to files; ``ask`` are the tiers of its requests for locks."""
        top = len(self.tiers)
        for place, tier in enumerate(tiers):
            if tier.kind == LOCKS:
                tiers = [*tiers]
                tiers[place] = replace(tier, ask=len(tiers) + 1 - place)
        self.chain(tiers)
        if ask is not None:
            self.chain(ask)
        kinds = [tier.kind for tier in tiers]
        first = kinds.index(STORE) if STORE in kinds else -1
        self.paths.append(
            PathPlan(
                name=name,
                top=top,
                first_store=-1 if first < 0 else top + first,
                **{"places": tuple(range(len(self.groups))), **fields},
            )
        )

    # -- files and processes ----------------------------------------------------------------------

    def file(self, name: str, path: str, size: int, **fields: Any) -> None:
        """Add a file."""
        row = [one.name for one in self.paths].index(path)
        number = len(self.files)
        usual: dict[str, Any] = {"base": number * 2**30, "lead": 0}
        self.files.append(FilePlan(name=name, path=row, size=size, **usual | fields))

    def listed(self, *rows: tuple[Any, ...]) -> PhasePlan:
        """A phase of operations: name, file (or number), offset, size, and the gap before."""
        first = len(self.operations)
        for name, *rest in rows:
            kind = kind_of(name)
            which, offset, size, gap = [*rest, *(0, 0, 0, 0)[len(rest) :]]
            if OPERATIONS[plain(kind)] in OF_FILES:
                file = [one.name for one in self.files].index(which)
                self.operations.add(kind, file, offset, size, gap=gap)
            else:
                self.operations.add(kind, offset=which, size=size, gap=gap)
        return PhasePlan(kind=LISTED, first=first, count=len(rows))

    def stream(
        self, file: str, length: int, count: int, *, write: bool, **fields: Any
    ) -> PhasePlan:
        """A phase of calls of one length, one after the other from the file's begin."""
        row = [one.name for one in self.files].index(file)
        return PhasePlan(
            kind=STREAM,
            write=write,
            file=row,
            path=self.files[row].path,
            lengths=FixedLengths(length, count),
            buffer=1,
            **fields,
        )

    def process(self, name: str, *phases: PhasePlan, **fields: Any) -> int:
        """Add a process; returns its number."""
        usual: dict[str, Any] = {"group": 0, "node": 0, "cpu": 0, "job": "job"}
        self.processes.append(ProcessPlan(name=name, phases=phases, **usual | fields))
        return len(self.processes) - 1

    def event(self, name: str, member: int = 0, **fields: Any) -> None:
        """Have something happen to an instance of a part; it fails unless a speed is given."""
        row = [one.name for one in self.parts].index(name)
        self.events.append(EventPlan(part=row, member=member, **fields))

    def plan(self, **fields: Any) -> Plan:
        """Return the plan."""
        waits = {f"{name}_column": self.column(name) for name in ("others", "barrier", "lock")}
        plan = Plan(
            machine="by-hand",
            workload="by-hand",
            groups=tuple(self.groups),
            parts=tuple(self.parts),
            stores=tuple(self.stores),
            tiers=tuple(self.tiers),
            paths=tuple(self.paths),
            files=tuple(self.files),
            processes=tuple(self.processes),
            operations=self.operations,
            arrivals=tuple(self.arrivals),
            channels=tuple(self.channels),
            barriers=tuple(self.barriers),
            events=tuple(self.events),
            columns=tuple(self.columns),
            **waits | fields,
        )
        return numbered(plan)
