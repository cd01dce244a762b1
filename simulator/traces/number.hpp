// Whole numbers of the reader of traces, and what stands where there is none.
#pragma once

#include <algorithm>

#include "simulator/numbers.hpp"

namespace nwtsim {

constexpr i64 ABSENT = INT64_MIN;    // No value, in a column of 64 bits.
constexpr i32 ABSENT32 = INT32_MIN;  // The same, of 32 bits.
constexpr i64 MOST = INT64_MAX;      // The largest number kept: larger ones up to 2^64 - 1 count as this one.
constexpr i64 MOST_FD = INT32_MAX;
constexpr i64 SECOND = 1'000'000'000;

// A sum, or the nearest number that is kept: logs may say anything.
constexpr i64 plus(i64 one, i64 other) {
    i64 sum = 0;
    if (__builtin_add_overflow(one, other, &sum)) [[unlikely]] return other > 0 ? MOST : -MOST;
    return sum;
}

// Where something ends that begins at a place, which may not be known.
constexpr i64 end_of(i64 start, i64 size) { return start == ABSENT ? ABSENT : plus(start, size); }

}  // namespace nwtsim
