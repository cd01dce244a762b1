// Lines of truss (Solaris) as tokens, the same as those of strace.
//
// The lines of one event begin with `pid/lwp:` (-f, -l), a time since the log's first line (-d), and
// how long the call took (-E). A line is written when its call returns. What -v, -r and -w add
// stands in lines of its own: sizes of files are taken from them, the rest is passed over.
#pragma once

#include "simulator/traces/lines.hpp"

namespace nwtsim {

// What the first lines of a log say of the times in its lines.
struct TrussTimes {
    i64 base = ABSENT;    // When it began; ns since 1970.
    i64 numbers = 0;      // How many each line has.
    bool deltas = false;  // The last one is the time since the line before (-D), no duration.
};

class TrussLines final : public Lines {
  public:
    TrussLines(const KnownCalls& known, i64 capacity, TrussTimes times) : Lines(known, capacity), times_(times) {}

    void scan() override {
        count = 0;
        while (at < stop && count < static_cast<i64>(tokens.size())) {
            const i64 end = find_byte(text.bytes, '\n', at, stop);
            Token& token = tokens[static_cast<size_t>(count)];
            keep(token, line(at, end, token), end);
        }
    }

  private:
    static constexpr i64 MOST_SECONDS = 4'000'000'000, MOST_PID = 1 << 30, MOST_LWP = 1 << 20;
    static constexpr i64 FEWER = -2;  // Times than a line has; NOWHERE: none.

    TrussTimes times_;

    bool is_open(const Token& token, u8 c) const override {
        const bool is_call = token.line == Line::CALL || token.line == Line::CHILD || token.line == Line::UNFINISHED;
        return is_call && c != ')' && c != ']';
    }

    Line line(i64 i, i64 end, Token& token) {
        if (end > i && text.bytes[end - 1] == '\r') --end;
        if (i >= end || text.holds("Base time stamp:", i, end)) return Line::PASSED;
        token = Token{};
        if (has_hole(i, end)) return bad(token, Damage::HOLE);
        i = who(i, end, token);
        if (i < 0) return Line::DAMAGED;
        const i64 start = i;
        i = times(i, end, token);
        if (i == NOWHERE) return continued(start, end, token);
        if (i < 0) return bad(token, Damage::UNREADABLE);
        return text.holds("*** process killed", i, end) ? Line::ENDED : call(i, end, token);
    }

    // Read `123:`, `123/4:` or `/4:`; returns what follows, or NOWHERE.
    i64 who(i64 i, i64 end, Token& token) {
        const i64 first = i;
        i = text.after_blanks(i, end);
        i64 k = digits_end(text.bytes, i, end);
        if (k >= end || (text.bytes[k] != '/' && text.bytes[k] != ':') || (k == i && text.bytes[k] == ':')) return first;
        token.pid = 0;
        if (k > i) {
            if (!text.reads(i, k) || text.value > MOST_PID) return damaged(token, Damage::TOO_LARGE);
            token.pid = static_cast<i32>(text.value);
        }
        token.lwp = 1;
        if (text.bytes[k] == '/') {
            if (!text.reads(k + 1, end) || text.value <= 0 || text.value >= MOST_LWP) return damaged(token, Damage::UNREADABLE);
            token.lwp = static_cast<i32>(text.value);
            k = text.at;
        }
        return k < end && text.bytes[k] == ':' ? k + 1 : damaged(token, Damage::UNREADABLE);
    }

    static i64 damaged(Token& token, Damage damage) {
        bad(token, damage);
        return NOWHERE;
    }

    // Read as many numbers as a line of this log has; NOWHERE if there is none, FEWER if fewer.
    i64 times(i64 i, i64 end, Token& token) {
        for (i64 k = 0; k < times_.numbers; ++k) {
            const i64 wrong = k ? FEWER : NOWHERE;
            i = text.after_blanks(i, end);
            if (i >= end || !is_digit(text.bytes[i]) || !text.reads(i, end)) return wrong;
            const i64 seconds = text.value;
            i = text.at;
            if (i >= end || text.bytes[i] != '.' || seconds > MOST_SECONDS) return wrong;
            const i64 fraction = text.nanoseconds(i + 1, end);
            i = text.at;
            if (fraction < 0 || i >= end || (text.bytes[i] != ' ' && text.bytes[i] != '\t')) return FEWER;
            const i64 value = seconds * SECOND + fraction;
            if (k == 0 && times_.base != ABSENT) {
                token.time = plus(times_.base, value);
                token.clock = Clock::EPOCH;
            } else if (k == times_.numbers - 1 && !times_.deltas) {
                token.duration = value;
            }
        }
        return text.after_blanks(i, end);
    }

    // Read `name(arguments) = result`; what has another form is passed over.
    Line call(i64 i, i64 end, Token& token) {
        const i64 start = i;
        while (i < end && is_name_byte(text.bytes[i]) && text.bytes[i] != '?') ++i;
        if (i - start < 2 || i >= end || text.bytes[i] != '(') {
            if (!times_.numbers || text.before(start) == ' ') return continued(start, end, token);
            return bad(token, Damage::UNREADABLE);
        }
        keep_name(token, start, i);
        const i64 close = split(i + 1, end, token.call >= 0 && known.of(token.call).moving);
        if (close < 0) return bad(token, Damage::UNREADABLE);
        keep_args(token, close);
        return result(text.after_blanks(close + 1, end), end, token);
    }

    // Find the arguments from `i` on; returns where the closing `)` is, or NOWHERE. `moves`: the
    // call shows the bytes that it moves.
    i64 split(i64 i, i64 end, bool moves) {
        i64 depth = 0, n = 0;
        i = text.after_blanks(i, end);
        const i64 start = i;
        text.arg[0] = i;
        while (i < end) {
            const u8 c = text.bytes[i++];
            if (c == '"') {
                i = moves ? after_shown_bytes(i, end) : after_name(i, end);
            } else if (c == '(' || c == '[' || c == '{') {
                ++depth;
            } else if (c == ',' && depth == 0) {
                i = text.after_blanks(i, end);
                if (++n < MOST_ARGS) text.arg[static_cast<size_t>(n)] = i;
            } else if ((c == ')' || c == ']' || c == '}') && --depth < 0) {
                text.count = i - 1 > start ? n + 1 : 0;
                return c == ')' ? i - 1 : NOWHERE;
            }
        }
        return NOWHERE;
    }

    // Return what follows the bytes shown from `i` on: two characters each, then a mark.
    i64 after_shown_bytes(i64 i, i64 end) const {
        while (i < end && text.bytes[i] != '"') i += 2;
        return i + 1;
    }

    // Return what follows the closing quotation mark of a name, which no backslash precedes.
    i64 after_name(i64 i, i64 end) const {
        while (i < end && (text.bytes[i] != '"' || text.bytes[i - 1] == '\\')) ++i;
        return i + 1;
    }

    // Read what follows the closing bracket of a call.
    Line result(i64 i, i64 end, Token& token) {
        token.value_at = static_cast<i32>(i);
        if (i >= end) return Line::CALL;
        if (text.holds("(sleeping", i, end) || text.holds("(waiting for child", i, end)) return Line::UNFINISHED;
        if (text.holds("(returning as child", i, end)) {
            i = find_byte(text.bytes, '=', i, end);
            if (!text.reads(text.after_blanks(i + 1, end), end)) return bad(token, Damage::UNREADABLE);
            token.other = text.value;
            return Line::CHILD;
        }
        if (text.holds("Err#", i, end)) return error(i + 4, end, token);
        if (text.holds("argc = ", i, end)) {
            token.result = Result::A_NUMBER;
            return Line::CALL;
        }
        if (text.bytes[i] != '=') return bad(token, Damage::UNREADABLE);
        i = text.after_blanks(i + 1, end);
        const Number found = text.number(i, end);
        if (found != Number::READ) return bad(token, found == Number::NONE ? Damage::UNREADABLE : Damage::TOO_LARGE);
        token.result = Result::A_NUMBER;
        token.value = text.value;
        token.value_at = static_cast<i32>(i);
        i = text.after_blanks(text.at, end);
        if (i < end && text.bytes[i] == '[') {  // A second number, as of pipe.
            if (text.reads(text.after_blanks(i + 1, end), end)) token.other = text.value;
        } else if (i < end) {
            return bad(token, Damage::UNREADABLE);
        }
        return Line::CALL;
    }

    // Read `2 ENOENT` after `Err#`.
    Line error(i64 i, i64 end, Token& token) {
        i = text.after_blanks(digits_end(text.bytes, i, end), end);
        token.result = Result::AN_ERROR;
        token.value = -1;
        token.error = static_cast<i32>(i);
        while (i < end && is_name_byte(text.bytes[i]) && text.bytes[i] != '?') ++i;
        token.error_end = static_cast<i32>(i);
        return i == token.error ? bad(token, Damage::UNREADABLE) : Line::CALL;
    }

    // Read a line that adds to the one before: of a regular file's, the size.
    Line continued(i64 i, i64 end, Token& token) {
        if (text.find(" m=0100", i, end) < 0) return Line::PASSED;
        i = text.find(" sz=", i, end);
        if (i < 0 || !text.reads(i + 4, end)) return Line::PASSED;
        token.value = text.value;
        return Line::LATE;
    }
};

}  // namespace nwtsim
