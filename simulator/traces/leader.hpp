// What stands before a call in a line of strace: a pid, a time, an instruction pointer, ...
//
// Each is recognised by its form. A line that begins as one before it is not read again.
#pragma once

#include "simulator/traces/text.hpp"

namespace nwtsim {

class Leader {
  public:
    explicit Leader(Text& text) : text_(text) {}

    i64 steps = 0;                    // The time that steps since the line before come to.
    Damage damage = Damage::SOUND;    // Of the line for which `read` gave NOWHERE.

    // The lines before are not where they were.
    void forget() { known_size_ = second_size_ = 0; }

    // Read what stands before a call into a token; returns where that begins, or NOWHERE.
    i64 read(i64 i, i64 end, Token& token) {
        i = known(i, end, token);
        while (i < end) {
            const u8 c = text_.bytes[i];
            if (c == ' ' || c == '\t') {
                ++i;
            } else if (is_digit(c)) {
                i = number(i, end, token);
            } else if (c == '[') {
                if (text_.holds("[pid ", i, end)) i = bracketed_pid(i + 5, end, token);
                else if (text_.holds("[ Process PID=", i, end)) return i;
                else i = bracketed(i + 1, end);
            } else if (c == '(' && i + 1 < end && text_.bytes[i + 1] == '+') {
                i = find_byte(text_.bytes, ')', i, end) + 1;
                if (i > end) return bad();
            } else {
                return i;
            }
            if (i < 0) return i;
        }
        return i;
    }

  private:
    static constexpr i64 MOST_PID = 1 << 22;        // That Linux gives; a larger number is a time in seconds.
    static constexpr i64 MOST_STEP = 100'000'000;   // Fewer seconds are a step, not a time since 1970.

    Text& text_;
    // How a line before began, up to the point in its time, and what that says.
    i64 known_at_ = 0, known_size_ = 0;
    i32 known_pid_ = -1;
    i64 known_time_ = 0;
    Clock known_clock_ = Clock::NO_CLOCK;
    // How the time in it began, up to the point: lines of other processes have it too.
    i64 number_at_ = 0, second_at_ = 0, second_size_ = 0;

    i64 bad(Damage what = Damage::UNREADABLE) {
        damage = what;
        return NOWHERE;
    }

    bool blank_follows(i64 i, i64 end) const { return i < end && text_.bytes[i] == ' '; }

    static void stamp(Token& token, i64 time, Clock clock) {
        token.time = time;
        token.clock = clock;
    }

    // Read a pid and a time that begin as those of a line before; returns where they end, `i` if
    // they do not.
    i64 known(i64 i, i64 end, Token& token) {
        const i64 size = known_size_, at = known_at_;
        known_at_ = i;
        known_size_ = 0;
        if (!size || i + size >= end || !same_bytes(text_.bytes + i, text_.bytes + at, size)) return i;
        const i64 fraction = text_.nanoseconds(i + size, end);
        if (fraction < 0 || !blank_follows(text_.at, end)) return i;
        known_size_ = size;
        token.pid = known_pid_;
        stamp(token, known_time_ + fraction, known_clock_);
        return text_.at + 1;
    }

    // Remember the line's time, up to the point at `dot`: the next one may begin alike.
    void know(i64 dot, const Token& token, i64 time, Clock clock) {
        second_at_ = number_at_;
        second_size_ = dot + 1 - number_at_;
        known_size_ = dot + 1 - known_at_;
        known_pid_ = token.pid;
        known_time_ = time;
        known_clock_ = clock;
    }

    // Read a pid or a time.
    i64 number(i64 i, i64 end, Token& token) {
        const i64 start = i;
        if (second_size_ && i + second_size_ < end && same_bytes(text_.bytes + i, text_.bytes + second_at_, second_size_)) {
            const i64 fraction = text_.nanoseconds(i + second_size_, end);
            if (fraction >= 0 && blank_follows(text_.at, end)) {
                known_size_ = i + second_size_ - known_at_;
                known_pid_ = token.pid;
                stamp(token, known_time_ + fraction, known_clock_);
                return text_.at + 1;
            }
        }
        number_at_ = i;
        i = digits_end(text_.bytes, i, end);
        if (i >= end) return bad();
        if (i - start > 18) return bad(Damage::TOO_LARGE);
        const i64 value = digits(text_.bytes, start, i);
        u8 c = text_.bytes[i];
        if (c == ':') return wall_clock(start, end, token);
        if (c == '.') return seconds(value, i, end, token);
        if (c == '<' && token.pid < 0) {  // 123<comm>
            while (i + 1 < end && !(text_.bytes[i] == '>' && text_.bytes[i + 1] == ' ')) ++i;
            c = i + 1 < end ? text_.bytes[i + 1] : 0;
            ++i;
        }
        if (c != ' ') return bad();
        if (value > MOST_PID || token.pid >= 0) {
            if (token.clock != Clock::NO_CLOCK || value > MOST_STEP * 90) return bad();
            stamp(token, value * SECOND, Clock::EPOCH);
        } else {
            token.pid = static_cast<i32>(value);
        }
        return i + 1;
    }

    // Read HH:MM:SS and perhaps a fraction.
    i64 wall_clock(i64 i, i64 end, Token& token) {
        if (i + 8 > end || text_.bytes[i + 5] != ':' || text_.bytes[i + 2] != ':') return bad();
        const i64 hour = two(i), minute = two(i + 3), second = two(i + 6);
        if (hour < 0 || minute < 0 || second < 0 || hour > 23 || minute > 59 || second > 60) return bad();
        i64 time = ((hour * 60 + minute) * 60 + second) * SECOND;
        i += 8;
        if (i < end && text_.bytes[i] == '.') {
            const i64 fraction = text_.nanoseconds(i + 1, end);
            if (fraction < 0) return bad();
            know(i, token, time, Clock::WALL);
            time += fraction;
            i = text_.at;
        }
        if (!blank_follows(i, end)) return bad();
        stamp(token, time, Clock::WALL);
        return i + 1;
    }

    // Read two digits, or give -1.
    i64 two(i64 i) const { return digits_end(text_.bytes, i, i + 2) == i + 2 ? digits(text_.bytes, i, i + 2) : -1; }

    // Read the fraction of a time in seconds, whose point is at `i`.
    i64 seconds(i64 value, i64 i, i64 end, Token& token) {
        const i64 fraction = text_.nanoseconds(i + 1, end), next = text_.at;
        if (fraction < 0 || !blank_follows(next, end) || value > MOST_STEP * 90) return bad();
        if (value < MOST_STEP) {
            steps = plus(steps, value * SECOND + fraction);
            stamp(token, steps, Clock::STEPS);
        } else {
            know(i, token, value * SECOND, Clock::EPOCH);
            stamp(token, value * SECOND + fraction, Clock::EPOCH);
        }
        return next + 1;
    }

    // Read what follows in `[pid 123]` or `[pid 123<comm>]`.
    i64 bracketed_pid(i64 i, i64 end, Token& token) {
        if (!text_.reads(text_.after_spaces(i, end), end) || text_.value > MOST_PID) return bad();
        token.pid = static_cast<i32>(std::max<i64>(text_.value, -1));
        i = text_.at;
        while (i + 1 < end && !(text_.bytes[i] == ']' && text_.bytes[i + 1] == ' ')) ++i;
        return i + 1 < end ? i + 2 : bad();
    }

    // Pass over what follows in `[  59]` (-n) or `[00007f5ef33fb4a0]` (-i).
    i64 bracketed(i64 i, i64 end) {
        for (; i < end && text_.bytes[i] != ']'; ++i) {
            const u8 c = text_.bytes[i];
            if (c != ' ' && c != '?' && hex_digit(c) < 0) return bad();
        }
        return i < end ? i + 1 : bad();
    }
};

}  // namespace nwtsim
