// Names with a number each: bytes in one long array, found again by their hash.
//
// A name is added once and never removed, so memory grows with the names that differ.
#pragma once

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "simulator/traces/text.hpp"
#include "simulator/traces/utf8.hpp"

namespace nwtsim {

// Bytes that only grow, in place where the system can.
class Arena {
  public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() { std::free(data_); }

    const u8* at(i64 place) const { return data_ + place; }
    i64 size() const { return size_; }

    void append(const u8* bytes, i64 size) {
        if (size_ + size > capacity_) grow(size_ + size);
        copy_bytes(data_ + size_, bytes, size);
        size_ += size;
    }

  private:
    static constexpr i64 FIRST = 1 << 12, STEP = 1 << 22;  // By so much a long one grows.
    u8* data_ = nullptr;
    i64 size_ = 0, capacity_ = 0;

    void grow(i64 need) {
        while (capacity_ < need) capacity_ += std::clamp(capacity_, FIRST, STEP);
        auto* longer = static_cast<u8*>(std::realloc(data_, static_cast<size_t>(capacity_)));
        if (!longer) throw std::bad_alloc();
        data_ = longer;
    }
};

// Texts as numbers 0, 1, 2, ...; -1 is none.
class Names {
  public:
    Names() : starts_{0}, slots_(FIRST_SLOTS, -1) {}

    i32 count() const { return static_cast<i32>(starts_.size()) - 1; }
    i64 start(i64 name) const { return starts_[static_cast<size_t>(name)]; }
    i64 size(i64 name) const { return start(name + 1) - start(name); }
    const u8* bytes(i64 name) const { return arena_.at(start(name)); }
    Word text(i64 name) const { return {reinterpret_cast<const char*>(bytes(name)), static_cast<size_t>(size(name))}; }
    bool begins_with(i64 name, Word word) const { return name >= 0 && text(name).starts_with(word); }

    // Return the number of a name, or -1 if there is none.
    i32 find(const u8* name, i64 size) const { return find(name, size, hash_of(name, size)); }

    // Return the number of a name, a new one if need be.
    i32 add(const u8* name, i64 length) {
        const u64 hash = hash_of(name, length);
        const i32 known = find(name, length, hash);
        return known >= 0 ? known : enter(name, length, hash);
    }
    i32 add(Word word) { return add(reinterpret_cast<const u8*>(word.data()), static_cast<i64>(word.size())); }

    // As `add`, but bytes that are not UTF-8 are shown as \xNN.
    i32 add_valid(const u8* name, i64 length) {
        const i32 known = find(name, length);
        return known >= 0 ? known : add(shown_as_utf8(name, length));
    }

  private:
    static constexpr size_t FIRST_SLOTS = 2048;
    static constexpr u64 NUMBER_BITS = (u64{1} << 31) - 1, PART_BITS = (u64{1} << 62) - (u64{1} << 31);

    Arena arena_;
    std::vector<i64> starts_;
    std::vector<i64> slots_;  // The number of a name and a part of its hash, so that others are seldom looked at.

    i32 find(const u8* name, i64 length, u64 hash) const {
        const size_t mask = slots_.size() - 1;
        for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
            const i64 found = slots_[slot];
            if (found < 0) return -1;
            if ((static_cast<u64>(found) & PART_BITS) != (hash & PART_BITS)) continue;
            const i64 number = static_cast<i64>(static_cast<u64>(found) & NUMBER_BITS);
            if (size(number) == length && same_bytes(name, bytes(number), length)) return static_cast<i32>(number);
        }
    }

    i32 enter(const u8* name, i64 length, u64 hash) {
        if (2 * starts_.size() > slots_.size()) grow();
        const i32 number = count();
        if (static_cast<u64>(number) >= NUMBER_BITS) throw std::bad_alloc();
        arena_.append(name, length);
        starts_.push_back(arena_.size());
        place(number, hash);
        return number;
    }

    void place(i64 number, u64 hash) {
        const size_t mask = slots_.size() - 1;
        size_t slot = hash & mask;
        while (slots_[slot] >= 0) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<i64>((hash & PART_BITS) | static_cast<u64>(number));
    }

    void grow() {
        const size_t size = 2 * slots_.size();
        std::vector<i64>().swap(slots_);  // The old ones go before the new ones come.
        slots_.assign(size, -1);
        for (i64 name = 0; name < count(); ++name) place(name, hash_of(bytes(name), this->size(name)));
    }
};

}  // namespace nwtsim
