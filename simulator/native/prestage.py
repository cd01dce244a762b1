"""Prestaging: what is in a store before the clock starts, and how long it would take to bring it.

The time is that of one reader alone, extent by extent, without noise: what stands in one stage
counts with the slowest, pieces and members of a stripe with the longest.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.flatstores import exists_rows
from simulator.plan.codes import (
    COMMIT,
    END,
    EXPORT,
    FORWARD,
    HOLD,
    REQUEST,
    STAGE,
    STORE,
    STRIPE,
    WORK,
)
from simulator.plan.plan import parent_place
from simulator.plan.stripe import pieces

if TYPE_CHECKING:
    from simulator.native.flatten import Flat
    from simulator.plan.paths import FilePlan, Hold, PathPlan


def prestage(flat: Flat) -> int:
    """Load what is to be prestaged; returns how long it would take, in ns."""
    total, exists = 0, array("q")
    for number, file in enumerate(flat.plan.files):
        path = flat.plan.paths[file.path]
        if file.prestaged and path.first_store >= 0:
            exists = exists or exists_rows(flat.plan)  # once: it is as long as the list of files
            loading = _Loading(flat, number, exists)
            total += loading.below(path.top, file.length, start_places(flat, file))
    return total


class _Loading:
    """One file on its way to the first store of its path."""

    def __init__(self, flat: Flat, number: int, exists: array[int]) -> None:
        self.flat = flat
        self.number = number
        self.exists = exists
        self.file = flat.plan.files[number]
        self.path = flat.plan.paths[self.file.path]

    def below(self, row: int, length: int, places: list[int]) -> int:
        """Load the first bytes at the first store from a tier on; returns the time of it, in ns."""
        plan = self.flat.plan
        tier = plan.tiers[row]
        if tier.kind == STORE:
            return _load(self, row, length, places)
        if tier.kind == STRIPE:
            members = Unloaded(self.flat, self.path, self.file, places).members(row, 0, length)
            return max((self.below(row + 1, end, there) for _, end, there in members), default=0)
        if tier.kind == FORWARD:
            reader = Unloaded(self.flat, self.path, self.file, list(places))
            reader.forward(row)
            places = reader.places
        return self.below(row + 1, length, places)


def _load(loading: _Loading, tier_row: int, length: int, places: list[int]) -> int:
    flat, number = loading.flat, loading.number
    plan, blocks = flat.plan, flat.blocks
    tier = plan.tiers[tier_row]
    store = plan.stores[tier.row]
    there = loading.exists[tier.row * len(plan.files) + number]
    at = (store.first + places[tier.slot]) * c.I_ROWS
    loaded = 0
    row = blocks.begin_file(at, number)
    for index in range(-(-length // store.block)):
        if blocks.inst[at + c.I_USED] == store.slots:
            break
        flat.make_room()
        b = blocks.admit(row, index, 0)
        blocks.block[b + c.B_VALID] = min(store.block, there - index * store.block)
        loaded += blocks.block[b + c.B_VALID]
        blocks.settle(b)
        blocks.inst[at + c.C_PRESTAGED] += 1
    flat.make_room()
    blocks.inst[at + c.C_PRESTAGED_BYTES] += loaded
    reader = Unloaded(flat, loading.path, loading.file, list(places))
    extent = store.extent * store.block
    return sum(
        reader.time(tier_row + 1, low, min(low + extent, loaded))
        for low in range(0, loaded, extent)
    )


def start_places(flat: Flat, file: FilePlan) -> list[int]:
    """Return the members of places as they are at the beginning of a request on member 0."""
    members: list[int] = []
    where, order = flat.tiers.where, flat.tiers.order
    path = file.path * c.A_ROWS
    first = flat.tiers.path[path + c.A_PLACES]
    for place in range(flat.tiers.path[path + c.A_PLACE_COUNT]):
        row = first + place * c.W_ROWS
        how, each = where[row + c.W_HOW], where[row + c.W_EACH]
        member = 0
        if how == c.W_LEAD:
            member, at = file.lead % where[row + c.W_COUNT], where[row + c.W_ORDER]
            member = order[at + member] if at >= 0 else member
        elif how == c.W_CHILD:
            within = file.inner // where[row + c.W_DIVISOR] % each
            member = members[where[row + c.W_OF]] * each + within
        members.append(member)
    return members


class Unloaded:
    """One reader alone on the tiers below a store."""

    def __init__(self, flat: Flat, path: PathPlan, file: FilePlan, places: list[int]) -> None:
        self.plan = flat.plan
        self.tiers = flat.tiers
        self.kinds = flat.kinds
        self.path = path
        self.file = file
        self.places = places
        self.seen: set[tuple[int, int]] = set()
        """Parts that have served the file, by row and member."""

    def time(self, row: int, low: int, high: int) -> int:
        """How long a read of [low, high) takes from a tier on; ns."""
        tier = self.plan.tiers[row]
        if tier.kind == END or high <= low:
            return 0
        if tier.kind == STAGE:
            down = self.way(row, tier.down, tier.header) if tier.header else 0
            below = self.time(row + 1, low, high)
            return down + below + self.way(row, tier.up, tier.header + high - low)
        if tier.kind == WORK:
            return self.way(row, tier.down, high - low) + self.time(row + 1, low, high)
        if tier.kind == REQUEST:
            return self.pieces(row, low, high, tier.size, aligned=tier.aligned)
        if tier.kind == STRIPE:
            return self.stripe(row, low, high)
        if tier.kind == FORWARD:
            self.forward(row)
        # A store further below is passed whole.
        assert tier.kind in (FORWARD, HOLD, STORE, COMMIT, EXPORT)
        return self.time(row + 1, low, high)

    def pieces(self, row: int, low: int, high: int, size: int, *, aligned: bool) -> int:
        """Cut a read into pieces, one after the other."""
        total = 0
        while low < high:
            end = (low // size + 1) * size if aligned else low + size
            total += self.time(row + 1, low, min(high, end))
            low = end
        return total

    def forward(self, row: int) -> None:
        """Decide a place by another one."""
        tier, groups = self.plan.tiers[row], self.plan.groups
        here = groups[self.path.places[tier.slot]].count
        there = groups[self.path.places[tier.by]].count
        self.decide(row, self.places[tier.by] * here // there)

    def stripe(self, row: int, low: int, high: int) -> int:
        """Divide a read over members, all at the same time."""
        longest = 0
        kept = self.places
        for begin, end, places in self.members(row, low, high):
            self.places = places
            longest = max(longest, self.time(row + 1, begin, end))
        self.places = kept
        return longest

    def members(self, row: int, low: int, high: int) -> list[tuple[int, int, list[int]]]:
        """Return the parts of [low, high) on the members of a stripe, and the places of each.

        They come in the order in which the members act.
        """
        tier, found = self.plan.tiers[row], []
        kept = list(self.places)
        for member, index in sorted((self.target(row, one), one) for one in range(tier.width)):
            begin, end = (_part(one, tier.size, tier.width, index) for one in (low, high))
            if end > begin:
                self.decide(row, member)
                found.append((begin, end, self.places))
            self.places = list(kept)
        return found

    def target(self, row: int, index: int) -> int:
        """Return the member that unit ``index`` of the file is on."""
        within, order = self.of(row, c.T_WITHIN), self.of(row, c.T_ORDER)
        each = self.of(row, c.T_EACH)
        member = (self.number(row) + index) % each
        if within >= 0:
            return self.places[within] * each + member
        return self.tiers.order[order + member] if order >= 0 else member

    def number(self, row: int) -> int:
        """Return the number of the file at a tier that deals it out."""
        if self.of(row, c.T_WITHIN) < 0:
            return self.file.lead
        return self.file.inner // self.of(row, c.T_DIVISOR)

    def of(self, row: int, field: int) -> int:
        """Return a field of a tier."""
        return self.tiers.tier[row * c.T_ROWS + field]

    def decide(self, row: int, member: int) -> None:
        """Let the place of a tier be a member, and what is within it follow."""
        self.places[self.plan.tiers[row].slot] = member
        first, count = self.of(row, c.T_CHILDREN), self.of(row, c.T_CHILD_COUNT)
        for at in range(first, first + count * c.CHILD_ROWS, c.CHILD_ROWS):
            place, of, each, divisor = self.tiers.child[at : at + c.CHILD_ROWS]
            self.places[place] = self.places[of] * each + self.file.inner // divisor % each

    def way(self, row: int, holds: tuple[Hold, ...], size: int) -> int:
        """How long a stage takes one way; ns."""
        tier = self.plan.tiers[row]
        if not holds or not size:
            return 0
        places = self.path.places
        slots = holds[0].slot, holds[-1].slot
        if (
            tier.remote_only
            and places[slots[0]] == places[slots[1]]
            and self.places[slots[0]] == self.places[slots[1]]
        ):
            return 0
        if tier.packets:
            return self.cross(holds, size)
        if not tier.pieces:
            return max(self.service(hold, self.places[hold.slot], size) for hold in holds)
        parent = parent_place(self.plan, places, tier.slot)
        base = self.places[parent] * tier.width if parent >= 0 else 0
        dealt = pieces(size, stripes=tier.pieces, volumes=tier.width, first=self.number(row))
        return max(
            self.service(
                hold, base + volume if hold.slot == tier.slot else self.places[hold.slot], share
            )
            for volume, share in dealt
            for hold in holds
        )

    def cross(self, holds: tuple[Hold, ...], size: int) -> int:
        """How long a message takes to pass parts one after the other; ns."""
        begin = end = 0
        passed: set[str] = set()
        for hold in holds:
            end = max(end, begin + self.service(hold, self.places[hold.slot], size))
            part = self.plan.parts[hold.part]
            if part.name not in passed:
                begin += part.latency_ns
                end += part.latency_ns
            passed.add(part.name)
        return end

    def service(self, hold: Hold, member: int, size: int) -> int:
        """How long a part alone takes for a request; ns."""
        part = self.plan.parts[hold.part]
        kind = self.kinds[part.kind]
        service = kind.transfer(part, writes=hold.writes).service_ns(size)
        if (hold.part, member) not in self.seen:
            self.seen.add((hold.part, member))
            service += kind.first_ns(part)
        return int(service)


def _part(offset: int, unit: int, width: int, index: int) -> int:
    rest = offset % (unit * width) - unit * index
    return offset // (unit * width) * unit + min(max(rest, 0), unit)
