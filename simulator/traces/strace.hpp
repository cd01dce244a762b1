// Lines of strace as tokens. What precedes a call is recognised by its form, line by line. Stacks
// (-k), dumps (-e read), and what strace says of itself are passed over.
#pragma once

#include "simulator/traces/leader.hpp"
#include "simulator/traces/lines.hpp"
#include "simulator/traces/outcome.hpp"

namespace nwtsim {

class StraceLines final : public Lines {
  public:
    StraceLines(const KnownCalls& known, i64 capacity) : Lines(known, capacity) {
        for (int c = 0; c < 256; ++c) is_name_[static_cast<size_t>(c)] = is_name_byte(static_cast<u8>(c));
    }

    void begin(u8* block, i64 size, i64 start, i64 end, i64 line, i64 step) override {
        Lines::begin(block, size, start, end, line, step);
        leader_.forget();
    }

    void scan() override {
        count = 0;
        ends.clear();
        leader_.steps = steps;
        while (at < stop && count < static_cast<i64>(tokens.size())) {
            const i64 end = find_byte(text.bytes, '\n', at, stop), before = leader_.steps;
            Token& token = tokens[static_cast<size_t>(count)];
            Line line = this->line(at, end, token);
            if (line == Line::DAMAGED && token.damage == Damage::UNREADABLE) [[unlikely]] {
                const i64 start = rejoined(at, end);
                if (start >= 0) {
                    at = start;
                    leader_.steps = before;
                    ++lines;
                    continue;
                }
                token.table = table_line(at, end);
                if (token.table != Table::NONE) {  // Whether it stands in one, the follower knows.
                    line = Line::SUMMARY;
                    leader_.steps = before;
                }
            }
            keep(token, line, end);
        }
        steps = leader_.steps;
    }

  private:
    Leader leader_{text};
    Outcome outcome_{text};
    std::array<bool, 256> is_name_{};

    bool is_open(const Token& token, u8 c) const override {
        if (token.line == Line::SIGNAL) return c != '-' && c != '>' && c != '?';
        const bool is_call = token.line == Line::CALL || token.line == Line::RESUMED;
        return is_call && token.result != Result::NOTHING && token.duration == ABSENT && c != ')' && c != '>';
    }

    // Join a line with the next one, if strace told of a child in its middle: what it told is
    // overwritten by what stands before it. Returns where the line now begins, or NOWHERE.
    i64 rejoined(i64 start, i64 end) {
        const i64 following = end + 1;
        if (text.before(end) == '\r') --end;
        if (following >= stop || !text.holds(" attached", end - 9, end)) return NOWHERE;
        i64 k = end - 10;
        while (k > start && is_digit(text.bytes[k])) --k;
        k -= 15;
        if (k <= start || k + 16 > end - 10 || !text.holds("strace: Process ", k, end)) return NOWHERE;
        leader_.forget();
        copy_bytes(writable_ + following - (k - start), text.bytes + start, k - start);
        return following - (k - start);
    }

    Line line(i64 i, i64 end, Token& token) {
        if (end > i && text.bytes[end - 1] == '\r') --end;
        if (i >= end) return Line::PASSED;
        token.pid = -1;
        token.lwp = 0;
        token.clock = Clock::NO_CLOCK;
        token.time = token.duration = ABSENT;
        token.other = 0;
        if (has_hole(i, end)) return bad(token, Damage::HOLE);
        if ((text.bytes[i] == ' ' || text.bytes[i] == '\t') && is_aside(i, end)) return Line::PASSED;
        i = leader_.read(i, end, token);
        if (i < 0) return bad(token, leader_.damage);
        if (i >= end) return bad(token, Damage::UNREADABLE);
        const u8 c = text.bytes[i];
        if (is_name_[c]) return call(i, end, token);  // The leader has passed over all digits.
        if (c == '<') return resumed(i, end, token);
        if (c == '+') return ended(i, end, token);
        if (text.holds("--- ", i, end)) return Line::SIGNAL;
        if (text.holds("[ Process PID=", i, end)) return Line::PASSED;
        return bad(token, Damage::UNREADABLE);
    }

    // Say whether a line that begins with a blank is of a stack or a dump, or all blank.
    bool is_aside(i64 i, i64 end) const {
        if (text.holds(" |", i, end) || text.holds(" >", i, end)) return true;
        return text.after_blanks(i, end) == end;
    }

    // -- calls ------------------------------------------------------------------------------------

    // Read `name(arguments) = result <duration>`, or its first part.
    Line call(i64 i, i64 end, Token& token) {
        const i64 start = i;
        while (is_name_[text.bytes[i]]) ++i;  // A line's end is none.
        if (i >= end || text.bytes[i] != '(') return message(start, end, token);
        keep_name(token, start, i);
        ++i;
        const i64 unfinished = unfinished_at(i, end, token);
        if (unfinished >= 0) {
            if (text.split(i, unfinished, false) < 0) return bad(token, Damage::UNREADABLE);
            keep_args(token, unfinished);
            return Line::UNFINISHED;
        }
        return rest_of_call(i, end, token, Line::CALL);
    }

    // Read `arguments) = result <duration>`.
    Line rest_of_call(i64 i, i64 end, Token& token, Line whole) {
        const i64 close = text.split(i, end, whole == Line::RESUMED);
        if (close < 0 || close >= end) return bad(token, Damage::UNREADABLE);
        keep_args(token, close);
        const Damage wrong = outcome_.read(close + 1, end, token);
        return wrong == Damage::SOUND ? whole : bad(token, wrong);
    }

    // Return where the mark of a call's first part begins, or NOWHERE.
    i64 unfinished_at(i64 i, i64 end, Token& token) {
        if (text.bytes[end - 1] != '>' || text.bytes[end - 2] != '.') return NOWHERE;
        for (const Word mark : {Word("<unfinished ...>"), Word("<detached ...>")}) {
            const i64 start = end - static_cast<i64>(mark.size());
            if (start >= i && text.holds(mark, start, end)) return before_space(i, start);
        }
        i64 k = end - 6;
        while (k > i && is_digit(text.bytes[k])) --k;
        if (k - 15 < i || !text.holds("<pid changed to ", k - 15, end)) return NOWHERE;
        if (text.reads(k + 1, end)) token.other = text.value;
        return before_space(i, k - 15);
    }

    i64 before_space(i64 i, i64 end) const { return end > i && text.bytes[end - 1] == ' ' ? end - 1 : end; }

    // Read `<... name resumed> arguments) = result <duration>`.
    Line resumed(i64 i, i64 end, Token& token) {
        constexpr Word MARK = " resumed>";
        if (!text.holds("<... ", i, end)) return bad(token, Damage::UNREADABLE);
        const i64 start = i += 5;
        while (i < end && is_name_[text.bytes[i]]) ++i;
        if (i == start || !text.holds(MARK, i, end)) return bad(token, Damage::UNREADABLE);
        keep_name(token, start, i);
        i += static_cast<i64>(MARK.size());
        token.args = static_cast<i32>(i);
        if (unfinished_at(i, end, token) >= 0) return Line::PASSED;  // <... read resumed> <unfinished ...>
        const Line line = rest_of_call(i, end, token, Line::RESUMED);
        if (line == Line::RESUMED && token.call >= 0 && known.of(token.call).forks()) ends.push_back(static_cast<i32>(count));
        return line;
    }

    // -- other lines ------------------------------------------------------------------------------

    // Read `+++ exited with 0 +++` and its like.
    Line ended(i64 i, i64 end, Token& token) {
        constexpr Word SUPERSEDED = "+++ superseded by execve in pid ";
        if (end - i < 8 || text.bytes[end - 1] != '+' || text.bytes[end - 4] != ' ') return bad(token, Damage::UNREADABLE);
        if (text.holds("+++ exited with ", i, end) || text.holds("+++ killed by ", i, end)) return Line::ENDED;
        if (!text.holds(SUPERSEDED, i, end) || !text.reads(i + static_cast<i64>(SUPERSEDED.size()), end))
            return bad(token, Damage::UNREADABLE);
        token.other = text.value;
        return Line::SUPERSEDED;
    }

    // Read what strace says of itself.
    Line message(i64 i, i64 end, Token& token) {
        const bool of_strace = text.holds("strace: ", i, end);
        if (of_strace) i += 8;
        if (text.holds("Process ", i, end) && text.reads(i + 8, end)) {
            if (!text.holds(" attached", text.at, end)) return Line::PASSED;
            token.other = text.value;
            return Line::ATTACHED;
        }
        return of_strace ? Line::PASSED : bad(token, Damage::UNREADABLE);
    }

    // Say which line of the table of -C an unreadable line may be, by its form.
    Table table_line(i64 i, i64 end) const {
        constexpr Word HEAD = "System call usage summary for ", TAIL = " mode:";
        if (text.before(end) == '\r') --end;
        if (text.holds(HEAD, i, end) && text.holds(TAIL, end - static_cast<i64>(TAIL.size()), end)) return Table::TITLE;
        i64 headings = 0, rules = 0, names = 0, words = 0;
        while ((i = text.after_spaces(i, end)) < end) {
            const i64 first = i;
            bool is_name = false;
            for (; i < end && text.bytes[i] != ' '; ++i) {
                const u8 c = text.bytes[i];
                if (!is_name_[c] && c != '#' && c != '%' && c != '-' && c != '.' && c != '/') return Table::NONE;
                is_name |= !is_digit(c) && c != '.';
            }
            ++words;
            names += is_name;
            rules += text.bytes[first] == '-' && text.bytes[i - 1] == '-';
            headings += is_heading(first, i);
        }
        if (!words) return Table::NONE;
        if (rules == words) return Table::RULE;
        if (headings == words) return Table::HEAD;
        return names <= 1 ? Table::ROW : Table::NONE;
    }

    bool is_heading(i64 start, i64 end) const {
        for (const Word one : {"%", "time", "seconds", "shortest", "longest", "usecs/call", "calls", "errors", "syscall"})
            if (end - start == static_cast<i64>(one.size()) && text.holds(one, start, end)) return true;
        return false;
    }
};

}  // namespace nwtsim
