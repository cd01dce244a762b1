"""From a plan's tiers, paths and files to tables: what each place is, and who decides it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.errors import RefusedError
from simulator.native import codes as c
from simulator.native.flatchains import Chain, chains_of, ends_of
from simulator.native.flatparts import row_of_writes
from simulator.native.flatstores import first_units, ints, most_asked
from simulator.native.tables import TierTables, copy_with
from simulator.plan.codes import (
    BUFFERS,
    COMMIT,
    END,
    EXPORT,
    FORWARD,
    LOCKS,
    STAGE,
    STORE,
    STRIPE,
    TIERS,
    WORK,
)
from simulator.plan.plan import parent_place

if TYPE_CHECKING:
    from simulator.native.tables import PartTables
    from simulator.plan.paths import Hold, TierPlan
    from simulator.plan.plan import Plan


Child = tuple[int, int, int, int]
"""A place that follows from another one: a row of CHILD_ROWS."""


def _stable(plan: Plan) -> array[int]:
    """Return rows of what is on stable storage of each file: nothing yet."""
    return array("q", bytes(8 * c.STABLE_ROWS * max(1, len(plan.files))))


class Tiering:
    """The tables of tiers while they are made."""

    def __init__(self, plan: Plan, parts: PartTables) -> None:
        self.plan = plan
        self.hold_part = array("q")
        self.hold_slot = array("q")
        self.hold_leads = array("q")
        self.child = array("q")
        self.cost = array("q")
        self.tier = array("q", bytes(8 * c.T_ROWS * (len(plan.tiers) + 5)))
        self.tier[c.T_KIND - 5 * c.T_ROWS] = c.K_ASK  # where processes ask
        self.tier[c.T_KIND - 4 * c.T_ROWS] = c.K_HOP  # where messages are between parts
        self.tier[c.T_KIND - 3 * c.T_ROWS] = c.K_FAILED  # where requests come back unserved
        self.tier[c.T_KIND - 2 * c.T_ROWS] = c.K_GUARDED  # as K_HOP, of paths that give up
        self.tier[c.T_GUARDED - 2 * c.T_ROWS] = c.K_HOP
        self.tier[c.T_KIND - c.T_ROWS] = c.K_REWRITE  # where arrays read before they write
        self.made: dict[int, tuple[dict[int, int], list[Child]]] = {}
        self.where: dict[tuple[int, ...], int] = {}
        self.order = array("q", [0])
        self.orders: list[int] = []
        """Where the members of each group stand in the order in which nodes take turns."""
        for row in range(len(plan.groups)):
            self.orders.append(self._order(row))
        self.depth = 2
        self.forks = 0
        self.places = 2
        self.most = 1
        self.spread = 1
        """Members over which stripes deal a file at most: so many stores hear of its closing."""
        self.stable = plan.stable_ends()
        ends = ends_of(plan)
        self.guarded = self._guarded(plan, ends)
        for chain in chains_of(plan):
            self._chain(chain, ends)
        self.most = max(self.most, most_asked(plan))
        self.tables = self._tables(parts)
        self._paths()

    def _chain(self, chain: Chain, ends: list[int]) -> None:
        """Add the tiers of a chain; note the most that one asks for."""
        self.places = max(self.places, len(chain.places))
        tiers = [self.plan.tiers[row] for row in chain.rows]
        hops = any(row in self.guarded for row in chain.rows)
        hops = hops or any(tier.packets or self._is_array(tier) for tier in tiers)
        self.depth = max(self.depth, 1 + hops + self._depth(chain.rows, ends))
        forks, spread = 0, 1
        for row in chain.rows:
            tier = self.plan.tiers[row]
            self._add(chain, row, tier)
            spread *= tier.width if tier.kind == STRIPE else 1
            width = tier.width if tier.kind == STRIPE else tier.window
            forks += width > 1
            self.most = max(self.most, width)
            forks += tier.kind == BUFFERS
        self.forks = max(self.forks, forks)
        self.spread = max(self.spread, spread)

    def _is_array(self, tier: TierPlan) -> bool:
        """Return whether what a stage writes may have to be read before."""
        return any(self.plan.parts[hold.part].traits.inner for hold in tier.down)

    def _tables(self, parts: PartTables) -> TierTables:
        plan = self.plan
        pieces = max((tier.pieces for tier in plan.tiers), default=0)
        ways = max((len(tier.down) + len(tier.up) for tier in plan.tiers), default=1)
        return TierTables(
            tier=self.tier,
            hold_part=self.hold_part or array("q", [0]),
            hold_slot=self.hold_slot or array("q", [0]),
            hold_leads=self.hold_leads or array("q", [0]),
            child=self.child or array("q", [0]),
            cost=self.cost or array("q", [0]),
            file=self._files(),
            stable=_stable(plan),
            path=array("q"),
            where=array("q", [0]),
            order=self.order,
            pool=array("q", [0, -1, -1]) * max(1, parts.pools),
            shares=array("q", bytes(8 * max(1, pieces))),
            chosen=array("q", bytes(16 * ways)),
            first_branch=plan.first_branch,
            width=plan.width,
            ask_tier=len(plan.tiers) * c.T_ROWS,
            hop_tier=(len(plan.tiers) + 1) * c.T_ROWS,
            message=ints(plan.asked.requests.message if plan.asked else array("q")),
        )

    def again(self, plan: Plan, parts: PartTables) -> Tiering:
        """Return the same for a run of a plan that is alike, without what another run left."""
        changed = {
            "pool": array("q", [0, -1, -1]) * max(1, parts.pools),
            "shares": self.tables.shares[:],
            "chosen": self.tables.chosen[:],
            "where": self.tables.where[:],
            "stable": _stable(plan),
            "first_branch": plan.first_branch,
        }
        tables = copy_with(self.tables, changed)
        return copy_with(self, {"plan": plan, "tables": tables, "where": dict(self.where)})

    def _files(self) -> array[int]:
        rows = array("q", bytes(8 * c.L_ROWS * max(1, len(self.plan.files))))
        files = self.plan.files
        if files:
            rows[c.L_PATH :: c.L_ROWS] = array("q", [one.path * c.A_ROWS for one in files])
            rows[c.L_BASE :: c.L_ROWS] = array("q", [one.base for one in files])
            rows[c.L_LEAD :: c.L_ROWS] = array("q", [one.lead for one in files])
            rows[c.L_WITHIN :: c.L_ROWS] = array("q", [one.inner for one in files])
            rows[c.L_ROOM :: c.L_ROWS] = array("q", [one.room for one in files])
        return rows

    def _paths(self) -> None:
        """Rows of the paths, and of their places."""
        plan, tables = self.plan, self.tables

        def offset(tier: int) -> int:
            return tier * c.T_ROWS if tier >= 0 else -1

        for path in plan.paths:
            first, count = self.where_of(path.places)
            tops = (offset(path.top), offset(path.metadata), offset(path.drain))
            store = offset(path.first_store)
            row = array("q", bytes(8 * c.A_ROWS))
            row[c.A_TOP : c.A_ASKED] = array("q", (*tops, path.close, store, first, count))
            row[c.A_ASKED] = offset(plan.asked_top(path))
            row[c.A_CALL], row[c.A_CALL_COLUMN] = path.call_ns, path.call_column
            row[c.A_LIFE], row[c.A_MOST] = path.attributes_min_ns, path.attributes_max_ns
            row[c.A_OPENING], row[c.A_REMEMBERS] = path.opening, int(path.remembers)
            row[c.A_GIVE_UP], row[c.A_COPIED] = path.give_up_ns, int(path.copied)
            tables.path.extend(row)
        if not plan.paths:
            tables.path = array("q", [0])

    def where_of(self, places: tuple[int, ...]) -> tuple[int, int]:
        """Return where the rows of such places are, and how many."""
        if places not in self.where:
            self.where[places] = len(self.tables.where)
            for slot, group in enumerate(places):
                self.tables.where.extend(self._where(places, slot, group))
        return self.where[places], len(places)

    def _order(self, row: int) -> int:
        """Add the members of a group in their order; return where they begin, or -1 as numbered."""
        group, first = self.plan.groups[row], len(self.order)
        if group.parent < 0:
            return -1
        around = self.order_of(group.parent)
        for within in range(group.each):
            self.order.extend(node * group.each + within for node in around)
        return first

    def order_of(self, row: int) -> Sequence[int]:
        """Return the members of a group in the order in which nodes take turns."""
        first, count = self.orders[row], self.plan.groups[row].count
        return range(count) if first < 0 else self.order[first : first + count]

    def _where(self, places: tuple[int, ...], slot: int, number: int) -> tuple[int, ...]:
        """How a place is found at the beginning of a request."""
        group = self.plan.groups[number]
        parent = parent_place(self.plan, places, slot)
        if slot == 0:
            return c.W_NODE, group.count, 0, 0, 1, -1
        if group.count == 1:
            return c.W_ONE, 1, 0, 0, 1, -1
        if parent >= 0:
            return c.W_CHILD, group.count, parent, group.each, self._divisor(number), -1
        return c.W_LEAD, group.count, 0, 0, 1, self.orders[number]

    def _divisor(self, row: int) -> int:
        """Return what the number within nodes is divided by for a group within another one."""
        divisor, around = 1, self.plan.groups[self.plan.groups[row].parent]
        while around.parent >= 0:
            divisor, around = divisor * around.each, self.plan.groups[around.parent]
        return divisor

    # -- one tier -------------------------------------------------------------------------------

    @staticmethod
    def _guarded(plan: Plan, ends: list[int]) -> set[int]:
        """Return the rows of tiers at which requests of calls give up; all others wait there."""
        soft = [path for path in plan.paths if path.give_up_ns >= 0]
        tops = {top for path in soft for top in (path.top, path.metadata) if top >= 0}
        return {row for top in tops for row in range(top, ends[top])}

    def _add(self, chain: Chain, row: int, tier: TierPlan) -> None:
        """Fill a tier's row; a tier of several chains has to be the same in all of them."""
        fields = {
            c.T_KIND: TIERS.index(tier.kind),
            c.T_NEXT: (row + 1) * c.T_ROWS,
            c.T_HEADER: tier.header,
            c.T_PIECES: tier.pieces,
            c.T_PACKETS: int(tier.packets),
            c.T_SIZE: tier.size,
            c.T_ALIGNED: int(tier.aligned),
            c.T_WINDOW: tier.window,
            c.T_WIDTH: tier.width,
            c.T_SLOT: tier.slot,
            c.T_BY: tier.by,
            c.T_ROW: self._row(tier),
            c.T_ENTRY: self._entry(row) if tier.kind == STAGE else -1,
            c.T_ASK: (row + tier.ask) * c.T_ROWS,
            c.T_GROW: tier.grow,
            c.T_COLUMN: tier.column,
            c.T_STABLE: int(row in self.stable),
            c.T_WITHIN: -1,
            c.T_EACH: 1,
            c.T_ORDER: -1,
            c.T_DIVISOR: 1,
        }
        for way, one, other in ((tier.down, c.T_DOWN_A, c.T_DOWN_B), (tier.up, c.T_UP_A, c.T_UP_B)):
            fields[one] = fields[other] = -1
            if tier.remote_only and way:
                slots = way[0].slot, way[-1].slot
                if chain.places[slots[0]] == chain.places[slots[1]]:
                    fields[one], fields[other] = slots
        if row in self.guarded and tier.kind == STAGE:
            fields[c.T_PACKETS] |= c.IS_GUARDED
        elif row in self.guarded and tier.kind in (WORK, COMMIT):
            fields[c.T_GUARDED], fields[c.T_KIND] = fields[c.T_KIND], c.K_GUARDED
        if tier.kind == LOCKS:  # The number of the first node.
            fields[c.T_COUNT] = sum(one.count for one in self.plan.groups[: chain.places[0]])
        children: list[Child] = []
        if tier.kind in (STRIPE, FORWARD, STORE) or (tier.kind == STAGE and tier.pieces):
            children = self._decides(chain, row, tier, fields)
        if row in self.made:
            if self.made[row] != (fields, children):
                raise RefusedError(
                    f"the native engine wants a tier to mean the same in all paths; tier {row} "
                    "has other places in another one"
                )
            return
        self.made[row] = (dict(fields), children)
        fields[c.T_COSTS] = len(self.cost) if tier.costs else -1
        self.cost.extend(tier.costs)
        if len(tier.costs) == c.KINDS:  # The other state is none.
            self.cost.extend(tier.costs)
        fields[c.T_PATH] = chain.path * c.A_ROWS
        fields[c.T_DOWN], fields[c.T_DOWNS] = self._holds(tier.down)
        fields[c.T_UP], fields[c.T_UPS] = self._holds(tier.up)
        fields[c.T_CHILDREN], fields[c.T_CHILD_COUNT] = len(self.child), len(children)
        for child in children:
            self.child.extend(child)
        for field, value in fields.items():
            self.tier[row * c.T_ROWS + field] = value

    def _row(self, tier: TierPlan) -> int:
        """Where a tier's store begins, or the units of its buffers."""
        if tier.kind == BUFFERS:
            return first_units(self.plan)[tier.row]
        return tier.row * c.M_ROWS if tier.row >= 0 else -1

    def _entry(self, row: int) -> int:
        """Where the store's tier is whose entry a stage belongs to, or -1."""
        while self.plan.tiers[row].kind == STAGE:
            row += 1
        return row * c.T_ROWS if self.plan.tiers[row].kind == STORE else -1

    def _depth(self, rows: Iterable[int], ends: list[int]) -> int:
        """Return how many requests at most an actor has on a chain, one below the other."""
        depth = 0
        for row in rows:
            depth += self._calls(row)
            if self.plan.tiers[row].kind == LOCKS:
                top = row + self.plan.tiers[row].ask
                depth += 1 + self._depth(range(top, ends[top]), ends)
        return depth

    def _calls(self, row: int) -> int:
        """How many requests at most an actor begins below its own one at a tier: 0 or 1."""
        kind = self.plan.tiers[row].kind
        if kind == STAGE:  # none below the last, and a store takes its entry itself
            return int(self._entry(row) < 0 and self.plan.tiers[row + 1].kind != END)
        return int(kind not in {WORK, FORWARD, END, COMMIT, EXPORT})

    def _holds(self, way: tuple[Hold, ...]) -> tuple[int, int]:
        first = len(self.hold_part)
        names = [self.plan.parts[hold.part].name for hold in way]
        for index, hold in enumerate(way):
            number = hold.part
            if hold.writes:
                number = row_of_writes(number, len(self.plan.parts))
            self.hold_part.append(number * c.P_ROWS)
            self.hold_slot.append(hold.slot)
            self.hold_leads.append(int(names[index] not in names[:index]))
        return first, len(way)

    def _decides(
        self, chain: Chain, row: int, tier: TierPlan, fields: dict[int, int]
    ) -> list[Child]:
        """What a tier means for places: fields of its row, and places that change with its own."""
        plan, places, slot = self.plan, chain.places, tier.slot
        group = plan.groups[places[slot]]
        parent = parent_place(plan, places, slot)
        if tier.kind == STAGE:
            fields[c.T_WITHIN] = parent
            fields[c.T_DIVISOR] = self._divisor(places[slot]) if parent >= 0 else 1
            return []
        fields[c.T_COUNT] = group.count
        fields[c.T_EACH] = group.count
        if tier.kind == FORWARD:
            fields[c.T_BY_COUNT] = plan.groups[places[tier.by]].count
        if tier.kind == STORE:
            return list(self._of_store(places, slot))
        above = self._decided_by(chain, range(chain.rows.start, row))
        if tier.kind == STRIPE and parent >= 0 and self._is_decided(chain, parent, above):
            fields[c.T_WITHIN], fields[c.T_EACH] = parent, group.each
            fields[c.T_DIVISOR] = self._divisor(places[slot])
        elif tier.kind == STRIPE:
            fields[c.T_ORDER] = self.orders[places[slot]]
        return list(self._below(places, slot, above | {slot}))

    def _decided_by(self, chain: Chain, rows: range) -> set[int]:
        kinds = (STRIPE, FORWARD)
        return {self.plan.tiers[row].slot for row in rows if self.plan.tiers[row].kind in kinds}

    def _is_decided(self, chain: Chain, slot: int, above: set[int]) -> bool:
        if slot in above or self.plan.groups[chain.places[slot]].count == 1:
            return True
        if slot in self._decided_by(chain, chain.rows):
            return False
        parent = parent_place(self.plan, chain.places, slot)
        return parent < 0 or self._is_decided(chain, parent, above)

    def _below(self, places: tuple[int, ...], slot: int, fixed: set[int]) -> Iterator[Child]:
        """Yield the places within a place, which change with it."""
        changed = {slot}
        for place in range(slot + 1, len(places)):
            group = self.plan.groups[places[place]]
            parent = parent_place(self.plan, places, place)
            if parent in changed and place not in fixed and group.count > 1:
                changed.add(place)
                yield place, parent, group.each, self._divisor(places[place])

    def _of_store(self, places: tuple[int, ...], slot: int) -> Iterator[Child]:
        """Yield the places that follow from a store's own: its parents, and those within."""
        fixed = {slot}
        place = slot
        parent = parent_place(self.plan, places, place)
        while parent >= 0:
            yield parent, place, self.plan.groups[places[place]].each, 0
            fixed.add(parent)
            place, parent = parent, parent_place(self.plan, places, parent)
        for place in range(1, len(places)):
            group = self.plan.groups[places[place]]
            parent = parent_place(self.plan, places, place)
            if parent >= 0 and place not in fixed and group.count > 1:
                yield place, parent, group.each, self._divisor(places[place])
