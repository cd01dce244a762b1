// Stretches of bytes: searched, compared and hashed, with memchr and the processor's vectors.
#pragma once

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "simulator/traces/number.hpp"

namespace nwtsim {

// Return the first position of a byte in [start, end), or `end`.
inline i64 find_byte(const u8* bytes, u8 byte, i64 start, i64 end) {
    if (start >= end) return end;
    const void* found = std::memchr(bytes + start, byte, static_cast<size_t>(end - start));
    return found ? static_cast<const u8*>(found) - bytes : end;
}

constexpr bool is_digit(u8 c) { return static_cast<u8>(c - '0') < 10; }

inline i64 digits_end(const u8* bytes, i64 i, i64 end) {
    while (i < end && is_digit(bytes[i])) ++i;
    return i;
}

// Return the number whose digits, 18 at most, stand in [i, end).
inline i64 digits(const u8* bytes, i64 i, i64 end) {
    i64 value = 0;
    for (; i < end; ++i) value = value * 10 + (bytes[i] - '0');
    return value;
}

// Return the number of the six digits at `p`, or -1.
inline i64 six_digits(const u8* p) {
    if constexpr (std::endian::native != std::endian::little)
        return digits_end(p, 0, 6) == 6 ? digits(p, 0, 6) : -1;
    u32 high;
    u16 low;
    std::memcpy(&high, p, 4);
    std::memcpy(&low, p + 4, 2);
    u64 x = 0x3030 | static_cast<u64>(high) << 16 | static_cast<u64>(low) << 48;
    constexpr u64 TENS = 0xF0F0F0F0F0F0F0F0u, ZEROS = 0x3030303030303030u;
    if ((x & TENS) != ZEROS || ((x + 0x0606060606060606u) & TENS) != ZEROS) return -1;
    x = (x & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
    x = (x & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
    return static_cast<i64>((x & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32);
}

inline u64 eight_bytes(const u8* p) {
    u64 word;
    std::memcpy(&word, p, 8);
    return word;
}

inline u64 hash_of(const u8* p, i64 size) {
    u64 h = static_cast<u64>(size) * 0x9E3779B97F4A7C15u, last = 0;
    for (; size > 8; size -= 8, p += 8) {
        h = (h ^ eight_bytes(p)) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
    }
    if (size >= 4) {
        u32 left, right;
        std::memcpy(&left, p, 4);
        std::memcpy(&right, p + size - 4, 4);
        last = left | static_cast<u64>(right) << 32;
    } else if (size) {
        last = p[0] | static_cast<u64>(p[size / 2]) << 8 | static_cast<u64>(p[size - 1]) << 16;
    }
    h = (h ^ last) * 0xC4CEB9FE1A85EC53u;
    return h ^ h >> 29;
}

inline bool same_bytes(const u8* p, const u8* q, i64 size) {
    if (size < 8 || size > 32) return std::memcmp(p, q, static_cast<size_t>(size)) == 0;
    const auto differ = [p, q](i64 at) { return eight_bytes(p + at) ^ eight_bytes(q + at); };
    u64 all = differ(0) | differ(size - 8);
    if (size > 16) all |= differ(8) | differ(size - 16);
    return all == 0;
}

inline void copy_bytes(u8* target, const u8* source, i64 size) {
    if (size > 0) std::memmove(target, source, static_cast<size_t>(size));
}

// Of 64 bytes, a bit for each that is a quotation mark, and for each that is one of , < or a bracket.
struct Marks {
    u64 quotes = 0, others = 0;

    // Look at the bytes from `p` on, of which `size` may be read.
    static Marks at(const u8* p, i64 size) {
        if (size >= 64) [[likely]] return at(p);
        u8 rest[64] = {};
        std::memcpy(rest, p, static_cast<size_t>(std::max<i64>(size, 0)));
        return at(rest);
    }

  private:
#if defined(__SSE2__)
    static Marks at(const u8* p) {
        const auto is = [](__m128i x, char c) { return _mm_cmpeq_epi8(x, _mm_set1_epi8(c)); };
        const auto bits = [](__m128i x) { return static_cast<u64>(static_cast<u32>(_mm_movemask_epi8(x))); };
        Marks marks;
#pragma GCC unroll 4
        for (int k = 0; k < 64; k += 16) {
            const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + k));
            const __m128i lower = _mm_or_si128(x, _mm_set1_epi8(' '));  // [ and ] become { and }.
            const __m128i even = _mm_and_si128(x, _mm_set1_epi8(-2));   // ) becomes (.
            marks.quotes |= bits(is(x, '"')) << k;
            marks.others |= bits(_mm_or_si128(_mm_or_si128(_mm_or_si128(is(x, ','), is(x, '<')), is(even, '(')),
                                              _mm_or_si128(is(lower, '{'), is(lower, '}')))) << k;
        }
        return marks;
    }
#else
    static Marks at(const u8* p) {
        Marks marks;
        for (int k = 0; k < 64; ++k) {
            const u8 c = p[k], lower = c | 32;
            marks.quotes |= static_cast<u64>(c == '"') << k;
            marks.others |= static_cast<u64>(c == ',' || c == '<' || (c & 254) == '(' || lower == '{' || lower == '}') << k;
        }
        return marks;
    }
#endif
};

}  // namespace nwtsim
