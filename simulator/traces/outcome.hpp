// What stands behind the arguments of a call in a line of strace: result, error, duration.
#pragma once

#include "simulator/traces/text.hpp"

namespace nwtsim {

class Outcome {
  public:
    explicit Outcome(Text& text) : text_(text) {}

    // Read what follows the closing bracket of a call into a token; returns what is wrong with it.
    Damage read(i64 i, i64 end, Token& token) {
        if (text_.bytes[end - 1] == '>') {
            end = duration(i, end, token);
            if (end < 0) return Damage::BAD_DURATION;
        }
        i = text_.after_blanks(i, end);
        if (i + 1 >= end || text_.bytes[i] != '=') return Damage::UNREADABLE;
        i = text_.after_spaces(i + 1, end);
        if (i >= end) return Damage::UNREADABLE;
        token.value_at = static_cast<i32>(i);
        if (text_.bytes[i] == '?') {
            token.result = Result::NOTHING;
            ++i;
        } else {
            const Number found = text_.number(i, end);
            if (found != Number::READ) return found == Number::NONE ? Damage::UNREADABLE : Damage::TOO_LARGE;
            token.result = Result::A_NUMBER;
            token.value = text_.value;
            i = text_.at;
        }
        return i == end ? Damage::SOUND : explanation(i, end, token);
    }

  private:
    static constexpr i64 LONGEST = 9'000'000'000;  // Seconds; a longer duration is none.

    Text& text_;

    // Read what may follow a result: an annotation, an error's name, words in brackets.
    Damage explanation(i64 i, i64 end, Token& token) {
        if (text_.bytes[i] == '<') {
            i = text_.after_note(i, end);
            if (i < 0) return Damage::UNREADABLE;
            if (i < end && text_.bytes[i] == '(') i = find_byte(text_.bytes, ')', i, end) + 1;  // (deleted)
        }
        if (text_.holds(" /* ", i, end)) {
            i = after_pid_note(i + 4, end, token);
            if (i < 0) return Damage::UNREADABLE;
        }
        if (text_.holds(" E", i, end)) {
            const i64 start = ++i;
            while (i < end && is_name_byte(text_.bytes[i])) ++i;
            error(token, start, i);
        } else if (text_.holds(" (errno ", i, end) && token.value == -1) {
            error(token, i + 2, find_byte(text_.bytes, ')', i, end));
        }
        if (i >= end) return i == end ? Damage::SOUND : Damage::UNREADABLE;
        const bool in_brackets = i + 2 < end && text_.holds(" (", i, end) && text_.bytes[end - 1] == ')';
        return in_brackets ? Damage::SOUND : Damage::UNREADABLE;
    }

    static void error(Token& token, i64 start, i64 end) {
        token.result = Result::AN_ERROR;
        token.error = static_cast<i32>(start);
        token.error_end = static_cast<i32>(end);
    }

    // Take a process's number from `4567 in strace's PID NS */`; returns where that ends.
    i64 after_pid_note(i64 i, i64 end, Token& token) {
        constexpr Word TAIL = " in strace's PID NS */";
        if (!text_.reads(i, end) || text_.value <= 0 || !text_.holds(TAIL, text_.at, end)) return NOWHERE;
        token.value = text_.value;
        return text_.at + static_cast<i64>(TAIL.size());
    }

    // Read `<0.000012>` at the end; returns where the line ends before it, or NOWHERE.
    i64 duration(i64 i, i64 end, Token& token) {
        if (end - 12 > i && is_short(end - 10)) {
            const i64 fraction = six_digits(text_.bytes + end - 7);
            if (fraction >= 0) {
                token.duration = (text_.bytes[end - 9] - '0') * SECOND + fraction * 1000;
                return end - 11;
            }
        }
        i64 k = end - 2;
        while (k > i && is_of_duration(text_.bytes[k])) --k;
        if (k < 1 || text_.bytes[k] != '<' || text_.bytes[k - 1] != ' ') {
            const bool unavailable = end - 14 > i && text_.holds("<unavailable>", end - 13, end);
            return unavailable ? end - 14 : end;  // Else it is the annotation of a result.
        }
        if (!text_.reads(k + 1, end) || text_.bytes[k + 1] == '-' || text_.value >= LONGEST) return NOWHERE;
        i64 time = text_.value * SECOND;
        if (text_.bytes[text_.at] == '.') {
            const i64 fraction = text_.nanoseconds(text_.at + 1, end);
            if (fraction < 0) return NOWHERE;
            time += fraction;
        }
        if (text_.at != end - 1) return NOWHERE;
        token.duration = time;
        return k - 1;
    }

    // Say whether ` <0.` stands before `i`, as in nearly all durations: ` <0.000012>`.
    bool is_short(i64 i) const {
        return text_.bytes[i] == '<' && text_.bytes[i - 1] == ' ' && text_.bytes[i + 2] == '.' && is_digit(text_.bytes[i + 1]);
    }

    // Say whether a character may be of a duration, be it a wrong one.
    static bool is_of_duration(u8 c) { return is_digit(c) || (c && Word(".,-+NanIifeE").find(static_cast<char>(c)) != Word::npos); }
};

}  // namespace nwtsim
