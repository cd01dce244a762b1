// A table from numbers, from 0 on, to rows: open addressing; a key that is removed leaves no hole.
#pragma once

#include <vector>

#include "simulator/traces/number.hpp"

namespace nwtsim {

class NumberMap {
  public:
    NumberMap() : slots_(FIRST) {}

    // Return the row of a key, or -1.
    i32 find(i64 key) const {
        const size_t slot = slot_of(key);
        return slots_[slot].key == key ? slots_[slot].row : -1;
    }

    void put(i64 key, i32 row) {
        Slot& slot = slots_[slot_of(key)];
        count_ += slot.key < 0;
        slot = {key, row};
        if (2 * count_ > slots_.size()) grow();
    }

    // Forget a key; those that it had pushed on move back.
    void remove(i64 key) {
        size_t hole = slot_of(key);
        if (key < 0 || slots_[hole].key != key) return;
        --count_;
        for (size_t slot = next(hole); slots_[slot].key >= 0; slot = next(slot)) {
            const size_t home = first_of(slots_[slot].key), mask = slots_.size() - 1;
            if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
            slots_[hole] = slots_[slot];
            hole = slot;
        }
        slots_[hole] = {};
    }

  private:
    static constexpr size_t FIRST = 256;
    static constexpr u64 SPREAD = 12289;  // A prime: keys whose upper halves differ by one lie so far apart.
    struct Slot {
        i64 key = -1;
        i32 row = -1;
    };

    std::vector<Slot> slots_;
    size_t count_ = 0;

    size_t next(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

    // Return where a key would be if nobody else was there.
    size_t first_of(i64 key) const {
        const u64 bits = static_cast<u64>(key);
        return ((bits & 0xFFFFFFFF) + (bits >> 32) * SPREAD) & (slots_.size() - 1);
    }

    // Return where a key is, or where there is room for it.
    size_t slot_of(i64 key) const {
        size_t slot = first_of(key);
        while (slots_[slot].key >= 0 && slots_[slot].key != key) slot = next(slot);
        return slot;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.key >= 0) slots_[slot_of(slot.key)] = slot;
    }
};

}  // namespace nwtsim
