// Buffer caches of I/O nodes, in front of their RAID units; docs/composition.md, Asked requests.
//
// The time at which a block is available may be unknown when it is requested; nothing here waits.
// A block becomes dirty in `want`, and is written when it is full, evicted or synced, or at the end.
#pragma once

#include "simulator/native/raid_unit.hpp"

namespace nwtsim {

class Buffers : public RaidUnits {
  public:
    using RaidUnits::RaidUnits;

    std::vector<Unit> units;
    std::vector<ExtentRow> extents;

    // Return a time; for an unknown one its lower bound, later than now.
    Nanoseconds look(Unit& u, const When& when) {
        advance(u, parts.clock.now);
        return bound(when);
    }

    // Request the blocks of extents; returns the time at which they are available. `asker`: the
    // process; NO_ASKER for a merged request.
    When access(Unit& u, i64 first, i64 count, bool write, i64 asker) {
        const Nanoseconds now = parts.clock.now;
        advance(u, now);
        When ready{now};
        i64 before = -2;
        bool goes_on = false;
        if (asker >= 0) goes_on = u.ends[static_cast<size_t>(asker)] == extent(first).block * u.block.count + extent(first).low;
        for (i64 row = first; row < first + count; ++row) {
            parts.clock.pulse.tick();
            const ExtentRow& one = extent(row);
            if (one.block == before + 1) goes_on = true;
            before = one.block;
            ready = later(u, ready, want(u, now, one.block, {one.high - one.low}, write));
        }
        if (asker >= 0) u.ends[static_cast<size_t>(asker)] = before * u.block.count + extent(first + count - 1).high;
        if (goes_on && !write) look_ahead(u, now, before + 1);
        return ready;
    }

    // Request the blocks of bytes [low, high) of a member; returns the time at which they are
    // available.
    When move(Unit& u, Bytes low, Bytes high, bool write, i64 asker) {
        const Nanoseconds now = parts.clock.now;
        advance(u, now);
        When ready{now};
        const i64 first = low / u.block, last = (high - Bytes{1}) / u.block;
        i64& end_before = u.ends[static_cast<size_t>(asker)];
        const bool goes_on = last > first || end_before == low.count;
        end_before = high.count;
        for (i64 block = first; block <= last; ++block) {
            parts.clock.pulse.tick();
            const Bytes begin = std::max(low, u.block * block), end = std::min(high, u.block * (block + 1));
            ready = later(u, ready, want(u, now, block, end - begin, write));
        }
        if (goes_on && !write) look_ahead(u, now, last + 1);
        return ready;
    }

    // The data of bytes [low, high), or of extents, have arrived: complete blocks are written to
    // the disks.
    void moved(Unit& u, Bytes low, Bytes high) {
        advance(u, parts.clock.now);
        for (i64 block = low / u.block; block <= (high - Bytes{1}) / u.block; ++block) complete(u, block);
    }
    void written(Unit& u, i64 first, i64 count) {
        advance(u, parts.clock.now);
        for (i64 row = first; row < first + count; ++row) complete(u, extent(row).block);
    }

    // Write the dirty bytes of blocks [first, end), least recently used first; returns the time at
    // which these, and all written back before, are durable.
    When sync(Unit& u, i64 first, i64 end) {
        advance(u, parts.clock.now);
        if (u.dirties) {
            i64 left = u.dirties;
            Slot* slot = u.slots_list.last;  // Back to the least recently used dirty one.
            while (left -= slot->dirty.count != 0) slot = slot->prev;
            for (; slot; slot = slot->next)
                if (slot->dirty && first <= slot->cell->block && slot->cell->block < end) write_back(u, parts.clock.now, slot);
        }
        return settled(u.safe);
    }

    // Replace known moments in slots by their times.
    void settle() {
        for (Slot& slot : all_slots) {
            keep(slot.ready, When(slot.ready));
            keep(slot.clean, When(slot.clean));
        }
        for (Unit& u : units) keep(u.safe, When(u.safe));
    }

    // Write dirty blocks after the last process has ended; returns the time at which all units are
    // idle.
    Nanoseconds drain(Nanoseconds now) {
        Nanoseconds end = now;
        for (Unit& u : units) {
            advance(u, now);
            std::vector<Slot*> dirty;
            for (Slot* slot = u.slots_list.first; slot; slot = slot->next)
                if (slot->dirty) dirty.push_back(slot);
            std::sort(dirty.begin(), dirty.end(), [](const Slot* a, const Slot* b) { return a->number < b->number; });
            for (Slot* slot : dirty) write_back(u, now, slot);
            advance(u, NEVER);
            u.safe_ns = bound(u.safe);
            end = std::max({end, u.disk_free, u.bus_free});
        }
        return end;
    }

  private:
    const ExtentRow& extent(i64 row) const { return extents[static_cast<size_t>(row)]; }

    void complete(Unit& u, i64 block) {
        Slot* slot = u.cell(block).slot;
        if (slot && slot->dirty == u.block) write_back(u, parts.clock.now, slot);
    }

    // Request one block, of which a number of bytes is moved; returns the time at which it is
    // available.
    When want(Unit& u, Nanoseconds now, i64 block, Bytes size, bool write) {
        Cell& cell = u.cell(block);
        Slot* slot = cell.slot;
        if (slot) {
            ++u.hits;
            u.used_ahead += slot->is_early;
            slot->is_early = false;
            u.slots_list.touch(slot);
        } else {
            ++u.misses;
            slot = bring(u, now, cell, cell.is_stored && !(write && size == u.block));
        }
        if (write) {
            u.dirties += !slot->dirty;
            u.accepted_bytes += size;
            const Bytes dirty = slot->dirty + size;
            u.overwritten_bytes += std::max(NO_BYTES, dirty - u.block);
            slot->dirty = std::min(dirty, u.block);
        }
        return slot->ready;
    }

    // Assign a slot to a block, and read it from the disks if needed.
    Slot* bring(Unit& u, Nanoseconds now, Cell& cell, bool is_read) {
        Slot* slot = u.take(u.slots_list, all_slots);
        if (slot->cell) {
            ++u.evicted;
            if (slot->dirty) write_back(u, now, slot);
            slot->cell->slot = nullptr;
        }
        cell.slot = slot;
        slot->cell = &cell;
        slot->is_early = false;
        keep(slot->ready, later(u, slot->ready, slot->clean));
        if (is_read) keep(slot->ready, later(u, slot->ready, read(u, now, cell)));
        return slot;
    }

    // Read the next blocks ahead, as far as they are on the disks.
    void look_ahead(Unit& u, Nanoseconds now, i64 block) {
        for (i64 one = block; one < std::min(block + u.ahead, u.blocks); ++one) {
            Cell& cell = u.cell(one);
            if (!cell.is_stored || cell.slot) continue;
            bring(u, now, cell, true)->is_early = true;
            ++u.read_ahead;
        }
    }

    // Begin the write-back of a slot's dirty bytes.
    void write_back(Unit& u, Nanoseconds now, Slot* slot) {
        const When clean = write(u, now, slot->ready, *slot->cell, slot->dirty);
        keep(slot->clean, clean);
        slot->dirty = NO_BYTES;
        --u.dirties;
        keep(u.safe, later(u, u.safe, clean));
        slot->cell->is_stored = true;
    }
};

}  // namespace nwtsim
