// Blocks of the buffer caches of I/O nodes and their RAID units, and the slots of resident ones.
//
// A cell is a requested block of a unit, with its slots in the buffer cache and in the RAID unit's
// cache.
#pragma once

#include <deque>
#include <unordered_map>

#include "simulator/native/plan.hpp"

namespace nwtsim {

struct Moment;

// A time that may not be known yet: then it is that of a moment.
struct When {
    Nanoseconds time{0};
    Moment* moment = nullptr;
};

struct Slot;

struct Cell {
    i64 block;
    bool is_stored;  // It is on the disks.
    Slot *slot = nullptr, *raid_slot = nullptr;
};

struct Slot {
    Cell* cell = nullptr;
    When ready, clean;    // Times at which its block is available, and on the disks.
    Bytes dirty{0};
    bool is_early = false;  // Its block was read ahead, and not used yet.
    Slot *next = nullptr, *prev = nullptr;
    i64 number = 0;       // Order in which slots were first used.
};

// The slots of one cache, least recently used first.
struct SlotList {
    Slot *first = nullptr, *last = nullptr;
    i64 count = 0, most = 0;

    void append(Slot* slot) {
        slot->next = nullptr;
        slot->prev = last;
        (last ? last->next : first) = slot;
        last = slot;
    }
    // Use a slot: it is now the most recently used.
    void touch(Slot* slot) {
        if (!slot->next) return;
        slot->next->prev = slot->prev;
        (slot->prev ? slot->prev->next : first) = slot->next;
        append(slot);
    }
};

// A member's buffer cache and RAID unit.
struct Unit : UnitRow {
    SlotList slots_list, raid_list;
    std::unordered_map<i64, Cell> cells;
    std::vector<i64> ends;  // End of each process's last request; -1: none.
    const RunOfBlocks* stored_runs = nullptr;
    Nanoseconds disk_free{0}, bus_free{0};
    i64 head = 0;
    i64 dirties = 0;        // Slots with dirty bytes.
    When safe;              // Time at which all blocks written back are durable.
    Moment* first_moment = nullptr;  // Heap of unknown times.
    i64 hits = 0, misses = 0, read_ahead = 0, used_ahead = 0, evicted = 0;
    Bytes accepted_bytes, overwritten_bytes, disk_read_bytes, disk_written_bytes;
    i64 disk_reads = 0, disk_writes = 0, disk_hits = 0;
    Nanoseconds disk_busy_ns, bus_busy_ns, safe_ns;

    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Unit;
        FIELD(hits), FIELD(misses), FIELD(read_ahead), FIELD(used_ahead), FIELD(evicted);
        FIELD(accepted_bytes), FIELD(overwritten_bytes), FIELD(disk_reads), FIELD(disk_writes);
        FIELD(disk_read_bytes), FIELD(disk_written_bytes), FIELD(disk_busy_ns), FIELD(bus_busy_ns);
        FIELD(disk_hits), FIELD(safe_ns);
    }

    Cell& cell(i64 number) {
        const auto [found, is_new] = cells.try_emplace(number);
        if (is_new) {
            found->second.block = number;
            found->second.is_stored = is_stored_at_first(number);
        }
        return found->second;
    }

    // Return an unused slot, or the least recently used one; it is now the most recently used.
    Slot* take(SlotList& list, std::deque<Slot>& all) {
        if (list.count == list.most) {
            Slot* slot = list.first;
            list.touch(slot);
            return slot;
        }
        ++list.count;
        Slot& slot = all.emplace_back();
        slot.number = static_cast<i64>(all.size());
        list.append(&slot);
        return &slot;
    }

  private:
    bool is_stored_at_first(i64 number) const {
        for (i32 run = 0; run < stored_count; ++run)
            if (stored_runs[run].first <= number && number < stored_runs[run].end) return true;
        return false;
    }
};

}  // namespace nwtsim
