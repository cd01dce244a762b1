# cython: infer_types=True
"""Transfers that are dealt out over the members of a place, and what all tiers look at.

Time is charged to the piece that ends last; docs/composition.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.arrays import Arrays
from simulator.native.codes import *
from simulator.native.frames import Frames
from simulator.native.sharing import Sharing
from simulator.native.station import Station, Stations

if TYPE_CHECKING:
    from simulator.native.tables import TierTables

LONG, MANY = 1 << 40, 1 << 20
"""So many pieces that take less than so long each are less than a run may have."""


class Dealing:
    """The tables of all tiers, and pieces of transfers at their parts."""

    def __init__(
        self, frames: Frames, sharing: Sharing, tables: TierTables, arrays: Arrays
    ) -> None:
        self.frames = frames
        self.clock = frames.clock
        self.parts = frames.parts
        self.frame = frames.frame
        self.actor = frames.actor
        self.sharing = sharing
        self.arrays = arrays
        self.stations = Stations([Station()])
        """The kinds of the machine's parts."""
        self.tier = tables.tier
        self.hold_part = tables.hold_part
        self.hold_slot = tables.hold_slot
        self.hold_leads = tables.hold_leads
        """Whether a message pays the latency of its network at this port: the first of them."""
        self.child = tables.child
        self.cost = tables.cost
        """What kinds of metadata requests take at tiers with ``T_COSTS``; ns, or -1."""
        self.file = tables.file
        self.stable = tables.stable
        """What of each file is on stable storage, and which job wrote it."""
        self.path = tables.path
        self.where = tables.where
        self.order = tables.order
        """Members of groups in nodes, in the order in which nodes take turns."""
        self.pool = tables.pool
        """For each instance of a pool: servers kept, first and last that wait."""
        self.chosen = tables.chosen
        """The instances of a stage, each with its server, while it is entered."""
        self.held = self.slowest = self.missed = 0
        self.shares = tables.shares
        """What each piece of a transfer has got, while it is dealt out."""
        self.first_branch = tables.first_branch
        self.width = tables.width
        self.ask_tier = tables.ask_tier
        """The tier at which processes ask for pieces of files."""
        self.hop_tier = tables.hop_tier
        """The tier of messages between the parts of a stage of packets. Those of requests that come
        back unserved, and of messages that may do so, follow: FAILED_HERE, GUARDED_HERE."""
        self.message = tables.message
        """Of each asked request: bytes of the message that asks, without header and data."""

    def instance(self, at: int, hold: int) -> int:
        """The instance of a part that a stage holds."""
        part = self.hold_part[hold]
        member = self.frame[at + PLACES + self.hold_slot[hold]]
        return self.parts.spec[part + P_FIRST] + member

    def varied(  # noqa: PLR0913, PLR0917 - no objects in compiled code
        self,
        at: int,
        part: int,
        instance: int,
        begin: int,
        size: int,
        service: int,
        low: int,
        high: int,
        spread: int,
    ) -> int:
        """The service time of an instance's next request, with what varies; ns.

        It begins at ``begin``, or -1: when a server is free. The part's kind serves ``size`` bytes
        of the request for [low, high) of a file, and noise is drawn.
        """
        hook = self.parts.spec[part + P_HOOK]
        if hook >= 0:
            file = self.frame[at + FILE]
            address = low
            if file >= 0:
                address += self.file[file * L_ROWS + L_BASE]
            else:
                file = -1
            self.parts.begin = begin if begin >= 0 else self.parts.start(part, instance)
            self.parts.size = size
            self.parts.file = file
            self.parts.address = address
            self.parts.span = high - low
            self.parts.spread = spread
            service = self.stations.serve(hook, self.parts, part, instance, service)
        return self.parts.stretch(part, instance, service)

    def lead(self, at: int) -> int:
        """The lead of a request's file; 0 of a message."""
        file = self.frame[at + FILE]
        if file < 0:
            return 0
        return self.file[file * L_ROWS + L_LEAD]

    def within(self, at: int) -> int:
        """The number of a request's file for members within a node; 0 of a message."""
        file = self.frame[at + FILE]
        if file < 0:
            return 0
        return self.file[file * L_ROWS + L_WITHIN]

    def number(self, at: int, tier: int) -> int:
        """The number of a request's file among those of the members that a tier deals it out to."""
        if self.tier[tier + T_WITHIN] < 0:
            return self.lead(at)
        return self.within(at) // self.tier[tier + T_DIVISOR]

    def base(self, at: int, tier: int) -> int:
        """The first of the members over which a transfer is dealt out."""
        within = self.tier[tier + T_WITHIN]
        if within < 0:
            return 0
        return self.frame[at + PLACES + within] * self.tier[tier + T_WIDTH]

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
        lead = self.number(at, tier) % volumes
        base = self.base(at, tier)
        now = self.clock.now
        end = now
        begin = now
        lost = 0
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
                    lost = self.missed
        self.parts.charge(slot, self.parts.spec[held + P_COLUMN], begin - now, 0)
        self.parts.charge(slot, self.parts.spec[slowest + P_COLUMN], lost, end - begin - lost)
        return end

    def deal_one(
        self, slot: int, at: int, tier: int, hold: int, size: int, low: int, high: int
    ) -> int:
        """Deal a transfer out, of which one part's instances serve the pieces."""
        part = self.hold_part[hold]
        volumes = self.tier[tier + T_WIDTH]
        stripes = self.tier[tier + T_PIECES]
        used = min(stripes, volumes)
        lead = self.number(at, tier) % volumes
        instance = self.dealt(at, tier, hold, self.base(at, tier) + lead)
        step = self.hold_slot[hold] == self.tier[tier + T_SLOT]
        beyond = instance - lead + volumes if step else -1
        quotient = size // stripes
        remainder = size - quotient * stripes
        shared = used < stripes or quotient == 0
        varies = self.parts.spec[part + P_VARIES]
        one = self.parts.plain_ns(part, quotient)
        other = self.parts.plain_ns(part, quotient + 1) if remainder else one
        if not (shared or varies or self.parts.watched):
            servers = self.parts.spec[part + P_SERVERS]
            if step and servers == 1:
                return self.over_members(
                    slot, part, instance, beyond, volumes, size, stripes, one, other
                )
            if servers > 1 and not step and used < MANY and (one | other) < LONG:
                return self.over_servers(slot, part, instance, size, stripes, one, other)
        spread = self.divide(size, stripes, used) if shared else used
        carried = 0
        begin = end = now = self.clock.now
        for volume in range(used):
            piece, service = quotient, one
            carried += remainder
            if carried >= stripes:
                carried -= stripes
                piece, service = quotient + 1, other
            if shared:
                piece = self.shares[volume]
                service = self.parts.plain_ns(part, piece)
            if piece:
                if varies:
                    service = self.varied(at, part, instance, -1, piece, service, low, high, spread)
                done = self.parts.queue(part, instance, piece, service)
                if done > end:
                    end, begin = done, self.parts.started + self.parts.lost
            instance += step
            if instance == beyond:
                instance -= volumes
        self.parts.charge(slot, self.parts.spec[part + P_COLUMN], begin - now, end - begin)
        return end

    def over_members(  # noqa: PLR0913, PLR0917 - no objects in compiled code
        self,
        slot: int,
        part: int,
        instance: int,
        beyond: int,
        volumes: int,
        size: int,
        pieces: int,
        one: int,
        other: int,
    ) -> int:
        """Deal a transfer out, a piece each, over instances up to one, and on from the first.

        Each has one server, and nothing that varies: a piece takes ``one``, or with a byte more
        the ``other`` time.
        """
        quotient = size // pieces
        remainder = size - quotient * pieces
        begin = end = now = self.clock.now
        carried = 0
        for _ in range(pieces):
            piece = quotient
            service = one
            carried += remainder
            if carried >= pieces:
                carried -= pieces
                piece += 1
                service = other
            server = 4 * instance + FREE
            start = max(now, self.parts.state[server])
            done = self.parts.hold_plain(part, instance, server, start, piece, service)
            begin = start if done > end else begin
            end = max(done, end)
            instance += 1
            if instance == beyond:
                instance -= volumes
        self.parts.charge(slot, self.parts.spec[part + P_COLUMN], begin - now, end - begin)
        return end

    def over_servers(
        self, slot: int, part: int, instance: int, size: int, pieces: int, one: int, other: int
    ) -> int:
        """Deal a transfer out, a piece each, over the servers of an instance: as ``over_members``.

        The instance is booked once for all.
        """
        servers = self.parts.spec[part + P_SERVERS]
        first = self.parts.spec[part + P_SERVER]
        first += (instance - self.parts.spec[part + P_FIRST]) * servers
        remainder = size % pieces
        begin = end = now = self.clock.now
        carried = 0
        spent = 0
        for _ in range(pieces):
            service = one
            carried += remainder
            if carried >= pieces:
                carried -= pieces
                service = other
            best = first
            least = self.parts.state[first]
            for server in range(first + 1, first + servers):
                free = self.parts.state[server]
                best = server if free < least else best
                least = free if free < least else least
            start = max(now, least)
            done = self.clock.within(start + service, OF_PART, part)
            self.parts.state[best] = done
            spent += service
            begin = start if done > end else begin
            end = max(done, end)
        self.parts.state[4 * instance + REQUESTS] += pieces
        self.parts.book(part, instance, size, spent)
        self.parts.charge(slot, self.parts.spec[part + P_COLUMN], begin - now, end - begin)
        return end

    def piece(  # noqa: PLR0913, PLR0917 - no objects in compiled code
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
            server = self.parts.first_server(part, self.dealt(at, tier, hold, member))
            free = self.parts.state[server]
            if free > start:
                start = free
                self.held = part
        end = start
        self.missed = 0
        self.slowest = self.hold_part[first]
        for hold in range(first, first + count):
            part = self.hold_part[hold]
            instance = self.dealt(at, tier, hold, member)
            service = self.parts.plain_ns(part, size)
            if self.parts.spec[part + P_VARIES]:
                service = self.varied(at, part, instance, start, size, service, low, high, spread)
            server = self.parts.first_server(part, instance)
            freed = self.parts.hold(part, instance, server, start, size, service)
            if freed > end:
                end = freed
                self.slowest = part
                self.missed = self.parts.lost
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
        if used == stripes and quotient:  # a piece each
            carried = 0
            for volume in range(used):
                carried += remainder
                more = carried >= stripes
                self.shares[volume] = quotient + more
                carried -= stripes if more else 0
            return used
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
