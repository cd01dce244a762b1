// The bytes that are being read, and how numbers, strings, annotations and arguments end in them.
//
// Positions are counted in `bytes`; what a function found is left in `value`, `at`, `arg` and
// `count`. Not known here: what a call means.
#pragma once

#include <array>
#include <string_view>

#include "simulator/traces/bytes.hpp"
#include "simulator/traces/token.hpp"

namespace nwtsim {

using Word = std::string_view;

constexpr i64 NOWHERE = -1;  // No position.

// Whether there is a number: what needs the 64th bit counts as MOST, what needs more is TOO_LARGE.
enum class Number : i8 { NONE, READ, TOO_LARGE };

constexpr bool is_name_byte(u8 c) {
    return (c >= 'a' && c <= 'z') || c == '_' || is_digit(c) || c == '?' || (c >= 'A' && c <= 'Z');
}

// Return what a hexadecimal digit stands for, or -1.
constexpr int hex_digit(u8 c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

class Text {
  public:
    const u8* bytes = nullptr;
    i64 size = 0;  // So many may be read.
    std::array<i64, MOST_ARGS> arg{};
    i64 count = 0;
    i64 value = 0;
    i64 at = 0;
    bool overflow = false;  // A number in an argument had more than 64 bits.

    void hold(const u8* data, i64 length) {
        bytes = data;
        size = length;
    }

    u8 before(i64 i) const { return i > 0 ? bytes[i - 1] : 0; }

    // -- words ------------------------------------------------------------------------------------

    // Say whether a word stands at `i`.
    bool holds(Word word, i64 i, i64 end) const {
        const i64 length = static_cast<i64>(word.size());
        return i >= 0 && i + length <= end && std::memcmp(bytes + i, word.data(), word.size()) == 0;
    }

    // Return where a word begins in [i, end), or NOWHERE.
    i64 find(Word word, i64 i, i64 end) const {
        for (;; ++i) {
            i = find_byte(bytes, static_cast<u8>(word[0]), i, end);
            if (i + static_cast<i64>(word.size()) > end) return NOWHERE;
            if (holds(word, i, end)) return i;
        }
    }

    i64 after_spaces(i64 i, i64 end) const {
        while (i < end && bytes[i] == ' ') ++i;
        return i;
    }

    i64 after_blanks(i64 i, i64 end) const {
        while (i < end && (bytes[i] == ' ' || bytes[i] == '\t')) ++i;
        return i;
    }

    // -- numbers ----------------------------------------------------------------------------------

    // Read a number: -12, 0x1f, 017.
    Number number(i64 i, i64 end) {
        if (i >= 0 && i < end && is_digit(bytes[i]) && !has_base(i, end)) {  // Nearly all: some digits, and what is none.
            i64 read = 0, k = i;
            const i64 last = std::min(end, i + 18);
            for (; k < last && is_digit(bytes[k]); ++k) read = read * 10 + (bytes[k] - '0');
            if (k == end || !is_digit(bytes[k])) {
                value = read;
                at = k;
                return Number::READ;
            }
        }
        return any_number(i, end);
    }
    bool reads(i64 i, i64 end) { return number(i, end) == Number::READ; }

    // Read up to nine digits after a decimal point; -1 if there is none, or are more.
    i64 nanoseconds(i64 i, i64 end) {
        if (i + 6 < end) {
            const i64 micro = six_digits(bytes + i);
            if (micro >= 0 && !is_digit(bytes[i + 6])) {
                at = i + 6;
                return micro * 1000;
            }
        }
        at = digits_end(bytes, i, end);
        if (at == i || at - i > 9) return -1;
        i64 whole = digits(bytes, i, at);
        for (i64 k = at - i; k < 9; ++k) whole *= 10;
        return whole;
    }

    // -- strings and annotations ------------------------------------------------------------------

    // Return the position after the string whose quotation mark is at `i`, or NOWHERE.
    i64 after_string(i64 i, i64 end) const {
        for (i64 j = i;;) {
            j = find_byte(bytes, '"', j + 1, end);
            if (j >= end) return NOWHERE;
            if (is_closing(j)) return j + 1;
        }
    }

    // Say whether the `<` at `i` begins an annotation: behind a number, or AT_FDCWD.
    bool begins_note(i64 i, i64 end) const {
        return (is_digit(before(i)) || before(i) == 'D') && i + 1 < end && bytes[i + 1] != '<';
    }

    // Return the position after the annotation (`<...>`) that begins at `i`, or NOWHERE.
    i64 after_note(i64 i, i64 end) const {
        if (i + 1 >= end) return NOWHERE;
        if (bytes[i + 1] == '/') return after_path_note(i, end);
        i64 depth = 0;
        for (; i < end; ++i) {
            const u8 c = bytes[i];
            if (c == '<') {
                ++depth;
            } else if (c == '"') {
                i = after_string(i, end) - 1;
                if (i < 0) return NOWHERE;
            } else if (c == '>' && before(i) != '-' && --depth == 0) {
                return i + 1;
            }
        }
        return NOWHERE;
    }

    // -- arguments --------------------------------------------------------------------------------

    // Find the arguments from `i` on; returns where the closing bracket is, `end` if they are not
    // closed, NOWHERE if a string or a bracket is wrong. `resumed`: they may close what they have
    // not opened.
    i64 split(i64 i, const i64 end, bool resumed) {
        i64 depth = 0, n = 0;
        i = after_spaces(i, end);
        const i64 start = i;
        arg[0] = i;
        i64 base = i;
        Marks marks = Marks::at(bytes + base, size - base);
        while (i < end) {
            const i64 by = i - base;
            const u64 rest = by < 64 ? (marks.quotes | marks.others) >> by : 0;
            if (!rest) {
                i = base = by < 64 ? base + 64 : i;
                if (i < end) marks = Marks::at(bytes + base, size - base);
                continue;
            }
            i += std::countr_zero(rest);
            if (i >= end) break;
            switch (const u8 c = bytes[i]) {
            case '"':
                i = after_string(i, end, base, marks);
                if (i < 0) return NOWHERE;
                break;
            case ',':
                ++i;
                if (depth == 0) {
                    i = after_spaces(i, end);
                    if (++n < MOST_ARGS) arg[static_cast<size_t>(n)] = i;
                }
                break;
            case '(': case '[': case '{':
                ++depth;
                ++i;
                break;
            case '<':
                if (begins_note(i, end)) {
                    i = after_note(i, end);
                    if (i < 0) return NOWHERE;
                } else {
                    i += i + 1 < end && bytes[i + 1] == '<' ? 2 : 1;
                }
                break;
            default:
                if (depth > 0) {
                    --depth;
                } else if (c == ')') {
                    count = i > start ? n + 1 : 0;
                    return i;
                } else if (!resumed) {
                    return NOWHERE;
                }
                ++i;
            }
        }
        count = i > start ? n + 1 : 0;
        return end;
    }

  private:
    // Say whether the quotation mark at `j` ends its string: no odd number of backslashes precedes it.
    bool is_closing(i64 j) const {
        i64 k = j - 1;
        while (bytes[k] == '\\') --k;
        return (j - k) & 1;
    }

    // The same as the other, for one who has the marks of the bytes from `base` on.
    i64 after_string(i64 i, i64 end, i64 base, const Marks& marks) const {
        for (i64 j = i;;) {
            const i64 by = j + 1 - base;
            const u64 rest = by < 64 ? marks.quotes >> by : 0;
            if (!rest) return after_string(std::max(j, base + 63), end);
            j += 1 + std::countr_zero(rest);
            if (j >= end) return NOWHERE;
            if (is_closing(j)) return j + 1;
        }
    }

    // Return the position after the annotation with a path that begins at `i`, or NOWHERE. An old
    // strace did not escape `>`: one that something else follows is of the name.
    i64 after_path_note(i64 i, i64 end) const {
        i64 depth = 1;
        for (++i; i < end; ++i) {
            const u8 c = bytes[i];
            if (c == '\\') {
                ++i;
            } else if (c == '<' && i + 5 < end && is_device_note(i)) {
                ++depth;
            } else if (c == '>') {
                if (depth > 1) --depth;
                else if (i + 1 >= end || ends_note(bytes[i + 1])) return i + 1;
            }
        }
        return NOWHERE;
    }

    // Say whether `<char 1:3>` or `<block 8:0>` begins at `i`.
    bool is_device_note(i64 i) const {
        return (bytes[i + 1] == 'c' && bytes[i + 5] == ' ') || (bytes[i + 1] == 'b' && bytes[i + 5] == 'k');
    }

    static bool ends_note(u8 c) { return c && Word(",)]}(= \n\r>\t").find(static_cast<char>(c)) != Word::npos; }

    // Read a number of more than 18 digits, of which `read` are the first 18; false if that is too large.
    bool long_number(i64 start, i64 end, i64& read) const {
        constexpr Word LARGEST = "9223372036854775807", LARGEST_UNSIGNED = "18446744073709551615";
        const Word shown(reinterpret_cast<const char*>(bytes + start), static_cast<size_t>(end - start));
        if (shown.size() == 19) {
            read = shown <= LARGEST ? read * 10 + (bytes[end - 1] - '0') : MOST;
            return true;
        }
        read = MOST;
        return shown.size() == 20 && shown <= LARGEST_UNSIGNED;
    }

    // Say whether a number at `i` is hexadecimal or octal.
    bool has_base(i64 i, i64 end) const {
        return bytes[i] == '0' && i + 1 < end && (bytes[i + 1] == 'x' || (bytes[i + 1] >= '0' && bytes[i + 1] <= '7'));
    }

    Number any_number(i64 i, i64 end) {
        const bool negative = i >= 0 && i < end && bytes[i] == '-';
        i += negative;
        const i64 start = i;
        if (i < 0 || i >= end || !is_digit(bytes[i])) return Number::NONE;
        if (has_base(i, end)) return bytes[i + 1] == 'x' ? hexadecimal(i + 2, end) : octal(i + 1, end);
        i64 read = 0;
        for (; i < end && is_digit(bytes[i]); ++i)
            if (i - start < 18) read = read * 10 + (bytes[i] - '0');
        at = i;
        if (i - start > 18 && !long_number(start, i, read)) {
            overflow = true;
            return Number::TOO_LARGE;
        }
        value = negative ? -read : read;
        return Number::READ;
    }

    Number hexadecimal(i64 i, i64 end) {
        const i64 start = i;
        i64 read = 0, significant = 0;
        bool high = false;
        for (; i < end; ++i) {
            const int digit = hex_digit(bytes[i]);
            if (digit < 0) break;
            if (!significant && !digit) continue;
            ++significant;
            if (significant == 1) high = digit >= 8;
            if (significant < 16 || (significant == 16 && !high)) read = read * 16 + digit;
        }
        at = i;
        if (i == start) return Number::NONE;
        if (significant > 16) {
            overflow = true;
            return Number::TOO_LARGE;
        }
        value = significant == 16 && high ? MOST : read;
        return Number::READ;
    }

    Number octal(i64 i, i64 end) {
        const i64 start = i;
        i64 read = 0;
        for (; i < end && bytes[i] >= '0' && bytes[i] <= '7'; ++i)
            if (i - start < 20) read = read * 8 + (bytes[i] - '0');
        at = i;
        value = read;
        return i - start <= 20 ? Number::READ : Number::TOO_LARGE;
    }
};

}  // namespace nwtsim
