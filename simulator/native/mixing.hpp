// Counter-based random numbers, as simulator/mixing.py.
#pragma once

#include "simulator/native/quantity.hpp"

namespace nwtsim {

constexpr int TABLE_BITS = 12;  // Tables of equally likely values have 2^TABLE_BITS entries.
constexpr u64 GOLDEN = 0x9E3779B97F4A7C15u;

// Return 64 well-mixed bits of a key and a count (SplitMix64; Steele, Lea, Flood, 2014).
constexpr u64 mix(u64 key, i64 number) {
    u64 z = key + static_cast<u64>(number) * GOLDEN;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// Return the index of the drawn entry of a table.
constexpr u32 pick(u64 key, i64 number) { return static_cast<u32>(mix(key, number) >> (64 - TABLE_BITS)); }

// Map a number to 2^bits values, evenly spread: for hash tables.
constexpr u32 spread(u64 number, int bits) { return bits ? static_cast<u32>(number * GOLDEN >> (64 - bits)) : 0; }

}  // namespace nwtsim
