// Times and sizes: integers below 2^62 in every run.
//
// Nanoseconds and Bytes do not mix. Two of either can be added without a check, since 64 bits hold
// the sum; stored values have passed `within`, which ends the run with LimitPassed. Products are
// computed in 128 bits.
#pragma once

#include <algorithm>
#include <compare>
#include <type_traits>

#include "simulator/numbers.hpp"

namespace nwtsim {

using wide = __int128;

constexpr i64 LIMIT = i64{1} << 62;  // One more than the maximum nanoseconds, or bytes, of a run.

template <class Unit>
struct Quantity {
    i64 count = 0;

    constexpr auto operator<=>(const Quantity&) const = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.count + b.count}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.count - b.count}; }
    friend constexpr Quantity operator*(Quantity a, i64 times) { return {a.count * times}; }
    friend constexpr Quantity operator/(Quantity a, i64 by) { return {a.count / by}; }
    friend constexpr i64 operator/(Quantity a, Quantity b) { return a.count / b.count; }
    friend constexpr Quantity operator%(Quantity a, Quantity b) { return {a.count % b.count}; }
    constexpr Quantity& operator+=(Quantity other) { count += other.count; return *this; }
    constexpr Quantity& operator-=(Quantity other) { count -= other.count; return *this; }
    constexpr explicit operator bool() const { return count != 0; }
};

struct OfTime {};
struct OfSize {};
using Nanoseconds = Quantity<OfTime>;
using Bytes = Quantity<OfSize>;

constexpr Nanoseconds ZERO_NS{0};
constexpr Nanoseconds NEVER{LIMIT};  // Later than any time of a run.
constexpr Bytes NO_BYTES{0};

// A value that exceeds the limits of a run.
enum class Culprit : u8 { part, process, store, file, unit, event, restart };

struct LimitPassed {
    Culprit what;
    i64 which;  // Its row.
    bool size;  // A size; otherwise a time, or a number of events.
};

template <class Unit>
constexpr Quantity<Unit> within(Quantity<Unit> value, Culprit what, i64 which) {
    if (value.count < LIMIT) [[likely]] return value;
    throw LimitPassed{what, which, std::is_same_v<Unit, OfSize>};
}

// -- products: exact for factors from 0 to 2^62, or LIMIT ------------------------------------------

constexpr i64 bounded(wide value) { return value < LIMIT ? static_cast<i64>(value) : LIMIT; }

constexpr i64 product(i64 one, i64 other) { return bounded(static_cast<wide>(one) * other); }

// one * other / by, rounded down.
constexpr i64 scaled(i64 one, i64 other, i64 by) {
    if (((one | other) >> 31) == 0) return one * other / by;
    return bounded(static_cast<wide>(one) * other / by);
}

// The same, rounded up.
constexpr i64 scaled_up(i64 one, i64 other, i64 by) {
    return bounded((static_cast<wide>(one) * other + by - 1) / by);
}

// -- speeds and factors: fixed point numbers ------------------------------------------------------

constexpr int POINT = 20;                 // Fractional bits of a factor of noise, or a speed.
constexpr i64 ONE = i64{1} << POINT;

constexpr Nanoseconds stretched(Nanoseconds time, i64 factor) {
    if (((time.count | factor) >> 31) == 0) return {(time.count * factor) >> POINT};
    return {bounded((static_cast<wide>(time.count) * factor) >> POINT)};
}

// Return the time of some bytes at a number of ns each, to the nearest ns; LIMIT or more if that is
// too long.
inline Nanoseconds transfer_time(Bytes size, double ns_per_byte) {
    const double time = static_cast<double>(size.count) * ns_per_byte + 0.5;
    return time < static_cast<double>(LIMIT) ? Nanoseconds{static_cast<i64>(time)} : NEVER;
}

}  // namespace nwtsim
