# cython: infer_types=True
"""The tiers of a path but stores: what a request does at each of them; docs/composition.md.

Functions give what those of ``stages.py`` give.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.native.arrays import Arrays
from simulator.native.codes import *
from simulator.native.stages import Stages

if TYPE_CHECKING:
    from simulator.native.frames import Frames
    from simulator.native.sharing import Sharing
    from simulator.native.tables import TierTables


def part_below(offset: int, unit: int, width: int, index: int) -> int:
    """How many of the first ``offset`` bytes of a striped file lie on its target ``index``."""
    whole = unit * width
    rest = offset % whole - unit * index
    return offset // whole * unit + min(max(rest, 0), unit)


class Tiers(Stages):
    """The tiers of all paths, and the files that are reached by them."""

    def __init__(
        self, frames: Frames, sharing: Sharing, tables: TierTables, arrays: Arrays
    ) -> None:
        super().__init__(frames, sharing, tables, arrays)
        self.needless = array("q", bytes(8 * (len(tables.tier) // T_ROWS)))
        """For each tier, calls that it cut and that would have been one request elsewhere."""

    def step(self, slot: int, at: int, kind: int) -> int:
        """Let a request act at a tier that is neither a stage nor a store."""
        if kind == K_WORK:
            return self.work(slot, at)
        if kind == K_HOLD:
            return self.pool_step(slot, at)
        if kind == K_REQUEST:
            return self.request(slot, at)
        if kind == K_STRIPE:
            return self.stripe(slot, at)
        if kind == K_COMMIT:
            return self.commit(slot, at)
        if kind == K_EXPORT:
            return self.export(slot, at)
        return self.forward(at)

    def export(self, slot: int, at: int) -> int:
        """Answer a sync or a change; others go on."""
        if not self.is_durable(at):
            return self.go_below(at)
        self.frames.answer(slot)
        return GO

    def pool_step(self, slot: int, at: int) -> int:
        """Keep a server of a pool from here until the answer comes up."""
        tier = self.frame[at + TIER]
        hold = self.tier[tier + T_DOWN]
        part = self.hold_part[hold]
        instance = self.instance(at, hold)
        row = 3 * (self.parts.spec[part + P_SHARE] + instance - self.parts.spec[part + P_FIRST])
        state = self.frame[at + STATE]
        if state == BELOW:
            self.hand_over(at, part, instance, row)
            self.frames.answer(slot)
            return GO
        if state == FRESH:
            self.frame[at + SINCE] = self.clock.now
            if self.pool[row] == self.parts.spec[part + P_SERVERS]:
                self.frame[at + STATE] = WAITING
                self.actor[slot * ACTOR + AFTER] = -1
                if self.pool[row + 1] < 0:
                    self.pool[row + 1] = slot
                else:
                    self.actor[self.pool[row + 2] * ACTOR + AFTER] = slot
                self.pool[row + 2] = slot
                return BLOCKED
            self.pool[row] += 1
        else:
            waited = self.clock.now - self.frame[at + SINCE]
            self.parts.charge(slot, self.parts.spec[part + P_COLUMN], waited, 0)
            self.frame[at + SINCE] = self.clock.now
        self.frame[at + STATE] = BELOW
        low, high = self.frame[at + LOW], self.frame[at + HIGH]
        self.frames.part_of(slot, at, self.tier[tier + T_NEXT], low, high)
        return GO

    def hand_over(self, at: int, part: int, instance: int, row: int) -> None:
        """Hand a server to the first that waits for it, or back to the pool."""
        since = self.frame[at + SINCE]
        size = self.frame[at + HIGH] - self.frame[at + LOW]
        kept = self.clock.now - since
        self.parts.state[4 * instance + REQUESTS] += 1
        self.parts.book(part, instance, size, kept)
        if self.parts.timing:
            self.parts.note(instance, since, kept, size)
        first = self.pool[row + 1]
        if first < 0:
            self.pool[row] -= 1
            return
        self.pool[row + 1] = self.actor[first * ACTOR + AFTER]
        self.clock.wake(first)

    # -- requests of a limited size -------------------------------------------------------------

    def request(self, slot: int, at: int) -> int:
        """Cut a request at multiples of a size; some of the pieces are out at one time."""
        tier = self.frame[at + TIER]
        size = self.tier[tier + T_SIZE]
        state = self.frame[at + STATE]
        if state == FORKED:
            self.frames.answer(slot)
            return GO
        if state == FRESH:
            whole = self.frame[at + OP] >= R_SYNC
            low, high = self.frame[at + LOW], self.frame[at + HIGH]
            if whole or high <= self.cut(tier, low, size):
                return self.go_below(at)
            if high - low <= size and self.frame[at + SEQUENTIAL] & OF_CALL:
                self.needless[tier // T_ROWS] += 1
            self.frame[at + AT] = self.frame[at + LOW]
            if self.tier[tier + T_WINDOW] > 1:
                return self.open_window(slot, at, tier, size)
            self.frame[at + STATE] = BELOW
        if self.frame[at + AT] >= self.frame[at + HIGH]:
            self.frames.answer(slot)
            return GO
        self.next_piece(slot, at, tier, size)
        return GO

    def cut(self, tier: int, low: int, size: int) -> int:
        """Where a piece ends that begins at ``low``."""
        if self.tier[tier + T_ALIGNED]:
            return (low // size + 1) * size
        return low + size

    def next_piece(self, slot: int, at: int, tier: int, size: int) -> None:
        """Let an actor take the next piece of a request."""
        low = self.frame[at + AT]
        high = min(self.frame[at + HIGH], self.cut(tier, low, size))
        self.frame[at + AT] = high
        self.frames.part_of(slot, at, self.tier[tier + T_NEXT], low, high)

    def open_window(self, slot: int, at: int, tier: int, size: int) -> int:
        """Fork a request into branches that take its pieces in turn."""
        self.frame[at + STATE] = FORKED
        self.frame[at + OPEN] = 0
        while (
            self.frame[at + OPEN] < self.tier[tier + T_WINDOW]
            and self.frame[at + AT] < self.frame[at + HIGH]
        ):
            branch = self.branch(slot, at, self.frame[at + OPEN])
            self.next_piece(branch, at, tier, size)
        return BLOCKED

    # -- branches -------------------------------------------------------------------------------

    def branch(self, slot: int, at: int, index: int) -> int:
        """Begin a branch of a request; it acts now, at its own turn."""
        number = (
            self.first_branch + self.clock.alarm[slot * ALARM + ALARM_NUMBER] * self.width + index
        )
        branch = self.frames.take(BRANCH, index, number)
        self.actor[branch * ACTOR + PARENT] = at
        self.actor[branch * ACTOR + PARENT_SLOT] = slot
        self.frame[at + OPEN] += 1
        self.parts.clear_account(branch)
        self.clock.wake(branch)
        return branch

    def end_branch(self, slot: int) -> int:
        """A branch has been answered: it takes another piece, or ends."""
        at = self.actor[slot * ACTOR + PARENT]
        tier = self.frame[at + TIER]
        if self.tier[tier + T_KIND] == K_REQUEST and self.frame[at + AT] < self.frame[at + HIGH]:
            self.next_piece(slot, at, tier, self.tier[tier + T_SIZE])
            return GO
        self.frame[at + OPEN] -= 1
        if not self.frame[at + OPEN]:
            parent = self.actor[slot * ACTOR + PARENT_SLOT]
            self.parts.add_account(parent, slot)
            self.clock.wake(parent)
        self.frames.give(slot)
        return BLOCKED

    def fail_branch(self, slot: int) -> int:
        """A branch has come back unserved; so will its parent, once the others have ended."""
        at = self.actor[slot * ACTOR + PARENT]
        if self.tier[self.frame[at + TIER] + T_KIND] == K_REQUEST:
            self.frame[at + AT] = self.frame[at + HIGH]  # Nobody takes another piece.
        parent = self.actor[slot * ACTOR + PARENT_SLOT]
        if self.actor[parent * ACTOR + TOP] == at:  # It is the first.
            self.frames.call(parent, self.hop_tier + FAILED_HERE, self.frame[at + OP], -1, 0, 0)
        return self.end_branch(slot)

    def let_go_of(self, at: int) -> None:
        """A request comes back unserved that may keep a server of a pool."""
        hold = self.tier[self.frame[at + TIER] + T_DOWN]
        part = self.hold_part[hold]
        instance = self.instance(at, hold)
        row = 3 * (self.parts.spec[part + P_SHARE] + instance - self.parts.spec[part + P_FIRST])
        self.hand_over(at, part, instance, row)

    # -- places ---------------------------------------------------------------------------------

    def place(self, at: int, path: int, node: int) -> None:
        """Let the places of a request be as they are at its beginning."""
        lead = self.lead(at)
        first = self.path[path + A_PLACES]
        for place in range(self.path[path + A_PLACE_COUNT]):
            row = first + place * W_ROWS
            how = self.where[row + W_HOW]
            member = 0
            if how == W_NODE:
                member = node
            elif how == W_LEAD:
                member = lead % self.where[row + W_COUNT]
                if self.where[row + W_ORDER] >= 0:
                    member = self.order[self.where[row + W_ORDER] + member]
            elif how == W_CHILD:
                each = self.where[row + W_EACH]
                member = self.frame[at + PLACES + self.where[row + W_OF]] * each
                member += self.within(at) // self.where[row + W_DIVISOR] % each
            self.frame[at + PLACES + place] = member

    def place_two(self, at: int, first: int, count: int, one: int, other: int) -> None:
        """Let the first two places of a request be members; others are as of a file with lead 0.

        ``first``: the row of its first place; ``count``: how many it has.
        """
        self.frame[at + PLACES] = one
        for place in range(1, count):
            row = first + place * W_ROWS
            member = 0
            if place == 1:
                member = other
            elif self.where[row + W_HOW] == W_CHILD:
                parent = self.frame[at + PLACES + self.where[row + W_OF]]
                member = parent * self.where[row + W_EACH]
            self.frame[at + PLACES + place] = member

    # -- stripes --------------------------------------------------------------------------------

    def decide(self, at: int, tier: int, member: int) -> None:
        """Let a place be a member, and the devices in it those of the file."""
        self.frame[at + PLACES + self.tier[tier + T_SLOT]] = member
        first = self.tier[tier + T_CHILDREN]
        for number in range(self.tier[tier + T_CHILD_COUNT]):
            row = first + CHILD_ROWS * number
            each = self.child[row + CHILD_EACH]
            divisor = self.child[row + CHILD_DIVISOR]
            member = self.frame[at + PLACES + self.child[row + CHILD_OF]]
            if divisor:
                member = member * each + self.within(at) // divisor % each
            else:  # the parent of one that is decided
                member = member // each
            self.frame[at + PLACES + self.child[row + CHILD_PLACE]] = member

    def target(self, at: int, tier: int, index: int) -> int:
        """The member on which a file's units ``index``, ``index + width``, ... lie."""
        within = self.tier[tier + T_WITHIN]
        each = self.tier[tier + T_EACH]
        member = (self.number(at, tier) + index) % each
        if within >= 0:
            member += self.frame[at + PLACES + within] * each
        elif self.tier[tier + T_ORDER] >= 0:
            member = self.order[self.tier[tier + T_ORDER] + member]
        return member

    def forward(self, at: int) -> int:
        """Decide a place by another one."""
        tier = self.frame[at + TIER]
        by = self.frame[at + PLACES + self.tier[tier + T_BY]]
        member = by * self.tier[tier + T_COUNT] // self.tier[tier + T_BY_COUNT]
        self.decide(at, tier, member)
        return self.go_below(at)

    def stripe(self, slot: int, at: int) -> int:
        """Divide a request over the members that its units lie on."""
        if self.frame[at + STATE] == FORKED:
            self.frames.answer(slot)
            return GO
        tier = self.frame[at + TIER]
        unit, width = self.tier[tier + T_SIZE], self.tier[tier + T_WIDTH]
        low, high = self.frame[at + LOW], self.frame[at + HIGH]
        sync = self.frame[at + OP] == R_SYNC
        one = low // unit == max(low, high - 1) // unit
        if width == 1 or (one and not sync):
            index = low // unit % width
            self.decide(at, tier, self.target(at, tier, index))
            self.frame[at + LOW] = part_below(low, unit, width, index)
            self.frame[at + HIGH] = self.frame[at + LOW] + high - low
            return self.go_below(at)
        self.frame[at + STATE] = FORKED
        self.frame[at + OPEN] = 0
        for index in range(width):
            begin = part_below(low, unit, width, index)
            end = part_below(high, unit, width, index)
            if end > begin or sync:
                member = self.target(at, tier, index)
                branch = self.branch(slot, at, member)
                part = self.frames.part_of(branch, at, self.tier[tier + T_NEXT], begin, end)
                self.decide(part, tier, member)
        return BLOCKED
