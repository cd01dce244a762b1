# cython: infer_types=True
"""The tiers of a path but stores: what a request does at each of them; docs/composition.md.

Each function lets the request of a frame act until it has to wait. It gives the time at which its
actor goes on, or BLOCKED if another one wakes it, or GO if something is to be done at once: the
frame has moved on to another tier, has been answered, or has begun a request below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.frames import Frames
from simulator.native.sharing import Sharing

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.native.interpreted import cython

if not cython.compiled:
    from simulator.native.codes import (
        A_PLACE_COUNT,
        A_PLACES,
        ACTOR,
        AFTER,
        AT,
        BELOW,
        BLOCKED,
        BRANCH,
        BUSY,
        BYTES,
        DISK,
        DOWN,
        ENTRY,
        FILE,
        FORKED,
        FRESH,
        GO,
        HELD_ON,
        HIGH,
        K_END,
        K_HOLD,
        K_REQUEST,
        K_STRIPE,
        K_WORK,
        L_BASE,
        L_LEAD,
        L_ROWS,
        LOW,
        OP,
        OPEN,
        P_BITS,
        P_COLUMN,
        P_FIRST,
        P_KIND,
        P_SHARE,
        P_SERVERS,
        PARENT,
        PARENT_SLOT,
        PLACES,
        R_META,
        R_READ,
        R_SYNC,
        R_WRITE,
        REQUESTS,
        SHARED,
        SINCE,
        STATE,
        T_ALIGNED,
        T_BY,
        T_BY_COUNT,
        T_CHILD_COUNT,
        T_CHILDREN,
        T_COUNT,
        T_DOWN,
        T_DOWN_A,
        T_DOWN_B,
        T_DOWNS,
        T_EACH,
        T_ENTRY,
        T_HEADER,
        T_KIND,
        T_NEXT,
        T_PIECES,
        T_SIZE,
        T_SLOT,
        T_UP,
        T_UP_A,
        T_UP_B,
        T_UPS,
        T_WIDTH,
        T_WINDOW,
        T_WITHIN,
        TIER,
        UP,
        W_CHILD,
        W_COUNT,
        W_EACH,
        W_HOW,
        W_LEAD,
        W_NODE,
        W_OF,
        W_ROWS,
        WAITING,
    )

if TYPE_CHECKING:
    from simulator.native.tables import TierTables


def part_below(offset: int, unit: int, width: int, index: int) -> int:
    """How many of the first ``offset`` bytes of a striped file lie on its target ``index``."""
    whole = unit * width
    rest = offset % whole - unit * index
    return offset // whole * unit + min(max(rest, 0), unit)


class Tiers:
    """The tiers of all paths, and the files that are reached by them."""

    def __init__(self, frames: Frames, sharing: Sharing, tables: TierTables) -> None:
        self.frames = frames
        self.clock = frames.clock
        self.parts = frames.parts
        self.frame = frames.frame
        self.actor = frames.actor
        self.sharing = sharing
        self.tier = tables.tier
        self.hold_part = tables.hold_part
        self.hold_slot = tables.hold_slot
        self.child = tables.child
        self.file = tables.file
        self.path = tables.path
        self.where = tables.where
        self.pool = tables.pool
        """For each instance of a pool: servers kept, first and last that wait."""
        self.chosen = tables.chosen
        """The instances of a stage, while it is entered."""
        self.held = 0
        self.slowest = 0
        self.shares = tables.shares
        """What each piece of a transfer has got, while it is dealt out."""
        self.first_branch = tables.first_branch
        self.width = tables.width

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
        return self.forward(at)

    def go_below(self, at: int) -> int:
        """Nothing is left to do here: the request itself goes on."""
        tier = self.tier[self.frame[at + TIER] + T_NEXT]
        self.frame[at + TIER] = tier
        self.frame[at + ENTRY] = tier
        self.frame[at + STATE] = FRESH
        return GO

    # -- stages ---------------------------------------------------------------------------------

    def stage(self, slot: int, at: int) -> int:
        """Pass a stage: down with the data of a write, up with those of a read."""
        tier = self.frame[at + TIER]
        state = self.frame[at + STATE]
        if state == FRESH:
            if self.tier[tier + T_ENTRY] >= 0:  # a store takes its entry itself
                self.frame[at + ENTRY] = tier
                self.frame[at + TIER] = self.tier[tier + T_ENTRY]
                return GO
            self.frame[at + STATE] = DOWN
            size = self.load(at, tier, R_WRITE)
            time = self.way(slot, at, tier, 1, size, self.frame[at + LOW], self.frame[at + HIGH])
            if time != GO:
                return time
            state = DOWN
        if state == DOWN:
            if self.frame[at + OP] != R_READ and not self.tier[tier + T_HEADER]:
                return self.go_below(at)
            self.frame[at + STATE] = BELOW
            below = self.tier[tier + T_NEXT]
            if self.tier[below + T_KIND] != K_END:
                self.frames.part_of(slot, at, below, self.frame[at + LOW], self.frame[at + HIGH])
                return GO
            state = BELOW
        if state == BELOW:
            self.frame[at + STATE] = UP
            size = self.load(at, tier, R_READ)
            time = self.way(slot, at, tier, 0, size, self.frame[at + LOW], self.frame[at + HIGH])
            if time != GO:
                return time
        self.frames.answer(slot)
        return GO

    def load(self, at: int, tier: int, op: int) -> int:
        """Bytes of the message one way, whose data are those of ``op``."""
        size = self.tier[tier + T_HEADER]
        if self.frame[at + OP] == op:
            size += self.frame[at + HIGH] - self.frame[at + LOW]
        return size

    def way(
        self, slot: int, at: int, tier: int, down: int, size: int, low: int, high: int
    ) -> int:
        """Pass a stage one way with a message of ``size`` bytes; GO if nothing is passed.

        Its data are [low, high) of the file.
        """
        if size == 0:
            return GO
        if down:
            first, count = self.tier[tier + T_DOWN], self.tier[tier + T_DOWNS]
            one, other = self.tier[tier + T_DOWN_A], self.tier[tier + T_DOWN_B]
        else:
            first, count = self.tier[tier + T_UP], self.tier[tier + T_UPS]
            one, other = self.tier[tier + T_UP_A], self.tier[tier + T_UP_B]
        if count == 0:
            return GO
        if one >= 0 and self.frame[at + PLACES + one] == self.frame[at + PLACES + other]:
            return GO
        if self.tier[tier + T_PIECES]:
            return self.deal(slot, at, tier, first, count, size, low, high)
        return self.route(slot, at, first, count, size, low, high)

    def instance(self, at: int, hold: int) -> int:
        """The instance of a part that a stage holds."""
        part = self.hold_part[hold]
        member = self.frame[at + PLACES + self.hold_slot[hold]]
        return self.parts.spec[part + P_FIRST] + member

    def route(
        self, slot: int, at: int, first: int, count: int, size: int, low: int, high: int
    ) -> int:
        """Hold several parts at once, from when all are free; returns when the slowest has ended.

        Waiting is charged to the part that was free last, service to the slowest.
        """
        part = self.hold_part[first]
        if self.parts.spec[part + P_KIND] == SHARED:
            self.sharing.join(slot, part, self.instance(at, first), size)
            return BLOCKED
        now = self.clock.now
        start = now
        held = part
        for i in range(count):
            part = self.hold_part[first + i]
            instance = self.instance(at, first + i)
            self.chosen[i] = instance
            free = self.parts.free_at(part, instance)
            if free > start:
                start = free
                held = part
        end = start
        slowest = self.hold_part[first]
        for i in range(count):
            part = self.hold_part[first + i]
            instance = self.chosen[i]
            more = 0
            if self.parts.spec[part + P_KIND] == DISK:
                more = self.seek(at, part, instance, low, high, 1)
            freed = self.parts.hold(part, instance, start, size, more)
            if freed > end:
                end = freed
                slowest = part
        if start > now:
            self.parts.charge(slot, self.parts.spec[held + P_COLUMN], start - now, 0)
        self.parts.charge(slot, self.parts.spec[slowest + P_COLUMN], 0, end - start)
        return end

    def seek(self, at: int, part: int, instance: int, low: int, high: int, spread: int) -> int:
        """Move a disk to bytes [low, high) of a request's file; returns what that takes, in ns."""
        file = self.frame[at + FILE]
        address = low
        size = high - low
        if file >= 0:
            address += self.file[file * L_ROWS + L_BASE]
        return self.parts.position(part, instance, file, address, size, spread)

    def lead(self, at: int) -> int:
        """The lead of a request's file; 0 of a message."""
        file = self.frame[at + FILE]
        if file < 0:
            return 0
        return self.file[file * L_ROWS + L_LEAD]

    def deal(
        self,
        slot: int,
        at: int,
        tier: int,
        first: int,
        count: int,
        size: int,
        low: int,
        high: int,
    ) -> int:
        """Deal a transfer out over the members of a place; returns when the last piece has ended.

        Time is charged to the piece that ends last (the first of several).
        """
        volumes = self.tier[tier + T_WIDTH]
        used = min(self.tier[tier + T_PIECES], volumes)
        spread = self.divide(size, self.tier[tier + T_PIECES], used)
        lead = self.lead(at) % volumes
        base = 0
        if self.tier[tier + T_WITHIN] >= 0:
            base = self.frame[at + PLACES + self.tier[tier + T_WITHIN]] * volumes
        if count == 1:
            return self.deal_one(slot, at, tier, first, used, spread, lead, base, low, high)
        now = self.clock.now
        end = now
        begin = now
        held = self.hold_part[first]
        slowest = held
        for volume in range(used):
            piece = self.shares[volume]
            if piece:
                member = base + (lead + volume) % volumes
                done = self.piece(at, tier, first, count, member, piece, low, high, spread)
                if done > end:
                    end = done
                    begin = self.parts.started
                    held = self.held
                    slowest = self.slowest
        self.parts.charge(slot, self.parts.spec[held + P_COLUMN], begin - now, 0)
        self.parts.charge(slot, self.parts.spec[slowest + P_COLUMN], 0, end - begin)
        return end

    def deal_one(
        self,
        slot: int,
        at: int,
        tier: int,
        hold: int,
        used: int,
        spread: int,
        lead: int,
        base: int,
        low: int,
        high: int,
    ) -> int:
        """Queue the pieces of a transfer at one part's instances."""
        part = self.hold_part[hold]
        disk = self.parts.spec[part + P_KIND] == DISK
        volumes = self.tier[tier + T_WIDTH]
        instance = self.parts.spec[part + P_FIRST] + base + lead
        beyond = instance - lead + volumes
        step = 1
        if self.hold_slot[hold] != self.tier[tier + T_SLOT]:
            instance = self.instance(at, hold)
            step = 0
        now = self.clock.now
        end = now
        begin = now
        for volume in range(used):
            piece = self.shares[volume]
            if piece:
                more = self.seek(at, part, instance, low, high, spread) if disk else 0
                done = self.parts.queue(part, instance, piece, more)
                if done > end:
                    end = done
                    begin = self.parts.started
            instance += step
            if step and instance == beyond:
                instance -= volumes
        self.parts.charge(slot, self.parts.spec[part + P_COLUMN], begin - now, end - begin)
        return end

    def piece(
        self,
        at: int,
        tier: int,
        first: int,
        count: int,
        member: int,
        size: int,
        low: int,
        high: int,
        spread: int,
    ) -> int:
        """Hold the parts of a stage for one piece of a transfer; returns when it has ended."""
        start = self.clock.now
        self.held = self.hold_part[first]
        for hold in range(first, first + count):
            part = self.hold_part[hold]
            free = self.parts.free_at(part, self.dealt(at, tier, hold, member))
            if free > start:
                start = free
                self.held = part
        end = start
        self.slowest = self.hold_part[first]
        for hold in range(first, first + count):
            part = self.hold_part[hold]
            instance = self.dealt(at, tier, hold, member)
            more = 0
            if self.parts.spec[part + P_KIND] == DISK:
                more = self.seek(at, part, instance, low, high, spread)
            freed = self.parts.hold(part, instance, start, size, more)
            if freed > end:
                end = freed
                self.slowest = part
        self.parts.started = start
        return end

    def dealt(self, at: int, tier: int, hold: int, member: int) -> int:
        """The instance that serves a piece: that of its member, or the one of all pieces."""
        if self.hold_slot[hold] != self.tier[tier + T_SLOT]:
            return self.instance(at, hold)
        return self.parts.spec[self.hold_part[hold] + P_FIRST] + member

    def divide(self, size: int, stripes: int, used: int) -> int:
        """Divide a transfer as ``pieces`` does, into ``shares``; returns how many get any.

        Stripe i gets size*(i+1)//stripes - size*i//stripes bytes: the whole quotient, and one
        more whenever the remainders have added up to another whole.
        """
        if used == 1:
            self.shares[0] = size
            return 1
        quotient = size // stripes
        remainder = size - quotient * stripes
        for volume in range(used):
            self.shares[volume] = 0
        carried = 0
        volume = 0
        for _ in range(stripes):
            carried += remainder
            piece = quotient
            if carried >= stripes:
                carried -= stripes
                piece += 1
            self.shares[volume] += piece
            volume += 1
            if volume == used:
                volume = 0
        spread = 0
        for volume in range(used):
            spread += self.shares[volume] > 0
        return spread

    # -- work and pools -------------------------------------------------------------------------

    def work(self, slot: int, at: int) -> int:
        """Make a request at a part, on the way down."""
        if self.frame[at + STATE] == DOWN:
            return self.go_below(at)
        self.frame[at + STATE] = DOWN
        low, high = self.frame[at + LOW], self.frame[at + HIGH]
        first = self.tier[self.frame[at + TIER] + T_DOWN]
        return self.route(slot, at, first, 1, high - low, low, high)

    def pool_step(self, slot: int, at: int) -> int:
        """Keep a server of a pool from here until the answer comes up."""
        tier = self.frame[at + TIER]
        hold = self.tier[tier + T_DOWN]
        part = self.hold_part[hold]
        instance = self.instance(at, hold)
        row = 3 * (self.parts.spec[part + P_SHARE] + instance - self.parts.spec[part + P_FIRST])
        state = self.frame[at + STATE]
        if state == BELOW:
            self.hand_over(at, instance, row)
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

    def hand_over(self, at: int, instance: int, row: int) -> None:
        """Give a server to the first that waits for it, or back to the pool."""
        since = self.frame[at + SINCE]
        size = self.frame[at + HIGH] - self.frame[at + LOW]
        kept = self.clock.now - since
        self.parts.state[4 * instance + REQUESTS] += 1
        self.parts.state[4 * instance + BYTES] += size
        self.parts.state[4 * instance + BUSY] += kept
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
            if whole or self.frame[at + HIGH] <= self.cut(tier, self.frame[at + LOW], size):
                return self.go_below(at)
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
        while self.frame[at + OPEN] < self.tier[tier + T_WINDOW] and self.frame[at + AT] < self.frame[at + HIGH]:
            branch = self.branch(slot, at, self.frame[at + OPEN])
            self.next_piece(branch, at, tier, size)
        return BLOCKED

    # -- branches -------------------------------------------------------------------------------

    def branch(self, slot: int, at: int, index: int) -> int:
        """Begin a branch of a request; it acts now, at its own turn."""
        number = self.first_branch + self.clock.number[slot] * self.width + index
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
            elif how == W_CHILD:
                each = self.where[row + W_EACH]
                member = self.frame[at + PLACES + self.where[row + W_OF]] * each + lead % each
            self.frame[at + PLACES + place] = member

    # -- stripes --------------------------------------------------------------------------------

    def decide(self, at: int, tier: int, member: int) -> None:
        """Let a place be a member, and the devices in it those of the file's lead."""
        self.frame[at + PLACES + self.tier[tier + T_SLOT]] = member
        first = self.tier[tier + T_CHILDREN]
        for number in range(self.tier[tier + T_CHILD_COUNT]):
            row = first + 4 * number
            each = self.child[row + 2]
            other = self.frame[at + PLACES + self.child[row + 1]]
            if self.child[row + 3]:  # the parent of one that is decided
                self.frame[at + PLACES + self.child[row]] = other // each
            else:
                self.frame[at + PLACES + self.child[row]] = other * each + self.lead(at) % each

    def target(self, at: int, tier: int, index: int) -> int:
        """The member on which a file's units ``index``, ``index + width``, ... lie."""
        within = self.tier[tier + T_WITHIN]
        each = self.tier[tier + T_EACH]
        member = (self.lead(at) + index) % each
        if within >= 0:
            member += self.frame[at + PLACES + within] * each
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
