// From tokens to rows: processes, calls in two parts, forks, and the clock.
//
// Blocks come in order; what of them lasts is here, in a row for each process that lives. The class
// is cut by what it knows of: `processes`, `joining` (calls in two parts, and ends) and, here, lines.
#pragma once

#include "simulator/traces/joining.hpp"

namespace nwtsim {

class Follower : public Joining {
  public:
    Follower(Calls& calls, KnownCalls& known, i64 capacity, bool lenient)
        : Joining(calls, known, capacity), lenient(lenient), exit_call_(known.names.add("_exit")) {
        known.specs.resize(static_cast<size_t>(known.names.count()));
    }

    const bool lenient;
    bool stamped_at_end = false;  // Times are those at which calls return (truss).
    // What is wrong with which token, if one was damaged.
    Damage damage = Damage::SOUND;
    i64 damaged = 0;
    i64 skipped = 0, table_lines = 0, unfinished = 0;
    // The clock of the log.
    i64 clock = -1;
    i64 steps = 0;                     // The time that steps in the blocks before come to.
    i64 torn_calls = 0, torn_ns = 0;   // Calls that begin before the last one of their process has ended, and by how much.
    i64 torn = -1;                     // The token of the first of them, in the block that is read.

    // Read tokens of a block from `first` on; returns the first one that is not read yet: `count`, or
    // less if the rows are full or `asks` is a pid whose parent the driver should look for ahead. -1:
    // token `damaged` is.
    i64 follow(const Lines& lines, i64 first) {
        calls.text.hold(lines.text.bytes, lines.text.size);
        for (i64 n = first; n < lines.count; ++n) {
            if (rows_written.count >= rows_written.last) return n;
            const Token& token = lines.tokens[static_cast<size_t>(n)];
            calls.arguments.token = &token;
            if (one(token, n)) continue;
            if (asks >= 0) return n;
            damaged = n;
            if (!lenient) return -1;
            ++skipped;
        }
        return lines.count;
    }

    // Write calls that have not ended, the earliest first; returns whether that was all of them.
    bool end_log() {
        if (!ending_) left_ = latest_first();
        requests.forget();
        ending_ = true;
        for (; !left_.empty() && rows_written.count < rows_written.last; left_.pop_back()) {
            ++unfinished;
            break_off(left_.back());
        }
        return left_.empty();
    }

    // Another log begins, of another world.
    void forget() {
        for (i32 row = 0; row < rows(); ++row)
            if (at(row).pid >= 0) finish(row);
        calls.forget();
        ending_ = false;
        attached_.clear();
        early_.clear();
        clock = torn = -1;
        day_ = steps = torn_calls = torn_ns = within = 0;
        last_time_ = ABSENT;
        table_ = Table::NONE;
    }

  private:
    static constexpr i64 HALF_DAY = 12 * 3600 * SECOND;
    static constexpr i64 SLACK = 10'000;  // How far times and durations may contradict each other: both are rounded; ns.

    i32 exit_call_;
    i32 late_ = NOBODY, late_node_ = -1;  // Whose lines (truss -v) may follow, of which file.
    i64 day_ = 0;                         // Midnight, of times of the day.
    i64 last_time_ = ABSENT;
    Table table_ = Table::NONE;           // Of the table that strace -C writes: after its HEAD, in its rows (RULE), after them (ROW).
    i64 orders_ = 0;
    bool ending_ = false;
    std::vector<i32> left_;

    bool bad(Damage what) {
        damage = what;
        return false;
    }

    // Read one token; false if it is damaged, or if `asks`.
    bool one(const Token& token, i64 n) {
        is_root_ = false;
        switch (token.line) {
        case Line::DAMAGED: return bad(token.damage);
        case Line::SUMMARY: return table_line(token);
        case Line::ATTACHED: attached_.insert(token.other); return true;
        default: break;
        }
        if (token.pid != last_pid_ || token.lwp) {
            if (token.line == Line::CHILD) truss_child(token);
            last_ = find_process(token);
            last_pid_ = last_ < 0 || token.lwp ? NO_LINE : token.pid;
            if (last_ < 0) return false;
        }
        const i32 row = last_;
        if (token.line == Line::LATE) {
            if (late_ == row && late_node_ >= 0) calls.files.learn(late_node_, token.value);
            return true;
        }
        i64 time = time_of(token);
        if (damage != Damage::SOUND) return false;
        if (time != ABSENT) time = plus(time, at(row).shift);
        switch (token.line) {
        case Line::CALL: case Line::UNFINISHED:
            if (at(row).busy >= 0) {
                if (stamped_at_end) wake(row);
                else if (!not_resumed(row)) return false;
            }
            count_process(at(row));
            if (at(row).until != ABSENT && !stamped_at_end) time = after_the_last(n, row, time);
            return token.line == Line::CALL ? whole(token, row, time) : first_part(token, row, time);
        case Line::RESUMED: return second_part(token, row, time);
        case Line::ENDED:
            if (token.lwp) finish_others(row);
            finish(row);
            return true;
        case Line::SUPERSEDED: supersede(token.other, token.pid); return true;
        default: return true;
        }
    }

    // Pass over a line of the table that strace -C writes; false if it stands in none.
    bool table_line(const Token& token) {
        const Table before = table_;
        table_ = Table::NONE;
        if (token.table == Table::HEAD) table_ = Table::HEAD;
        else if (token.table == Table::RULE && before == Table::HEAD) table_ = Table::RULE;
        else if (token.table == Table::RULE && before == Table::RULE) table_ = Table::ROW;
        else if (token.table == Table::ROW && before == Table::RULE) table_ = Table::RULE;
        else if (token.table != Table::TITLE && !(token.table == Table::ROW && before == Table::ROW)) return bad(token.damage);
        ++table_lines;
        return true;
    }

    // -- the clock --------------------------------------------------------------------------------

    // Return the time of a line in the log's terms; sets `damage` if it cannot be.
    i64 time_of(const Token& token) {
        damage = Damage::SOUND;
        if (const i64 kind = static_cast<i64>(token.clock); kind != clock) {
            if (clock >= 0) {
                damage = Damage::NO_TIME;
                return ABSENT;
            }
            clock = kind;
        }
        if (token.clock == Clock::NO_CLOCK) return ABSENT;
        i64 time = token.time;
        const i64 last = last_time_;
        if (token.clock == Clock::STEPS) {
            time = plus(time, steps);
        } else if (token.clock == Clock::WALL) {
            time += day_;
            if (last != ABSENT && last - time > HALF_DAY) {
                day_ += 2 * HALF_DAY;
                time += 2 * HALF_DAY;
            } else if (day_ && time - last > HALF_DAY && time - 2 * HALF_DAY >= last - SECOND) {
                time -= 2 * HALF_DAY;  // A moment before midnight, written after it.
            }
        }
        last_time_ = time;
        if (last != ABSENT && last - time > SECOND && !is_root_) damage = Damage::BACKWARDS;
        return time;
    }

    // Return when a call begins; if times count from other processes' lines, not too early.
    i64 after_the_last(i64 n, i32 row, i64 time) {
        const bool has_steps = clock == static_cast<i64>(Clock::STEPS);
        if (time == ABSENT || at(row).until <= plus(time, SLACK) || (!has_steps && time % SECOND == 0)) return time;
        const i64 by = at(row).until - time;
        if (!torn_calls) torn = n;
        ++torn_calls;
        torn_ns = plus(torn_ns, by);
        if (!has_steps) return time;
        at(row).shift = plus(at(row).shift, by);
        return at(row).until;
    }

    // -- calls ------------------------------------------------------------------------------------

    // A process begins a call while another is under way.
    bool not_resumed(i32 row) {
        damage = Damage::NOT_RESUMED;
        if (!lenient) return false;
        ++skipped;
        break_off(row);
        return true;
    }

    // Return the number of the error's name, or -1.
    i32 error_of(const Token& token) {
        if (token.result != Result::AN_ERROR) return -1;
        return error_words.add_valid(calls.text.bytes + token.error, std::max(0, token.error_end - token.error));
    }

    // Read a call in one line.
    bool whole(const Token& token, i32 row, i64 time) {
        const i32 call = which(token), error = error_of(token);
        const Spec spec = known.of(call);
        calls.clear(spec, at(row).caller);
        if (!spec.simple) {
            calls.begin(error == EBADF_WORD);
            calls.end(call);
            if (calls.text.overflow) return too_large();
            if (spec.forks() && token.has_value()) {
                prepare_birth(row, spec);
                returned_child(row, token.value, token.lwp > 0);
            }
        }
        if (stamped_at_end && time != ABSENT && token.duration != ABSENT) time -= token.duration;
        emit(row, call, {time, token.duration, error, token.returned()});
        if (token.lwp) remember_file(row);
        calls.release();
        if (token.lwp) end_after_truss(token, row, call);
        return true;
    }

    // An argument has more than 64 bits.
    bool too_large() {
        calls.text.overflow = false;
        calls.release();
        return bad(Damage::TOO_LARGE);
    }

    // Remember which file the lines that follow a call (truss -v) are about.
    void remember_file(i32 row) {
        late_ = row;
        late_node_ = calls.spec.act == Act::STAT && (calls.file >= 0 || calls.name >= 0) ? calls.node() : -1;
    }

    // Notice that a process, or its other threads, have ended with a call (truss).
    void end_after_truss(const Token& token, i32 row, i32 call) {
        if (known.of(call).act == Act::EXEC && token.has_value()) {
            finish_others(row);
            be_first(row);
        } else if (call == exit_call_ && token.result == Result::NOTHING) {
            finish_others(row);
            finish(row);
        }
    }

    // Read a call that other lines interrupt.
    bool first_part(const Token& token, i32 row, i64 time) {
        const i32 call = which(token);
        const Spec spec = known.of(call);
        Process& process = at(row);
        calls.clear(spec, process.caller);
        process.head = -1;
        if (!spec.simple) {
            calls.begin(false);
            process.head = heads.keep(calls.text, token);
            calls.text.overflow = false;
            if (spec.forks() && !stamped_at_end) prepare_birth(row, spec);
        }
        process.busy = call;
        process.began = time;
        process.order = ++orders_;
        process.subject = calls;
        if (token.other > 0) supersede(process.pid, token.other);
        return true;
    }

    // Read the end of a call that was interrupted.
    bool second_part(const Token& token, i32 row, i64 time) {
        const i32 call = which(token), error = error_of(token);
        const Spec spec = known.of(call);
        i64 duration = token.duration;
        if (at(row).busy != call) {
            if (at(row).number >= 0) return bad(Damage::NOTHING_RESUMED);
            count_process(at(row));
            return only_end(token, row, call, time, error);
        }
        const i64 began = at(row).began;
        if (duration == ABSENT && began != ABSENT && time != ABSENT && time >= began) duration = time - began;
        take_up(row);
        const Text block = calls.text;
        Token joined = token;
        if (!spec.simple) {
            join_parts(token, joined, row, call);
            if (calls.text.overflow || spec.forks()) back_to(block, token);
            if (calls.text.overflow) return too_large();
            if (spec.forks()) returned_child(row, token.has_value() ? token.value : -1, token.lwp > 0);
        }
        emit(row, call, {began, duration, error, token.returned()});
        back_to(block, token);
        calls.release();
        return true;
    }

    // Read the end of a call that began before the log.
    bool only_end(const Token& token, i32 row, i32 call, i64 time, i32 error) {
        calls.clear(known.of(call), at(row).caller);
        if (time != ABSENT) time = token.duration != ABSENT ? time - token.duration : ABSENT;
        calls.change_anything();
        emit(row, call, {time, token.duration, error, token.returned()});
        return true;
    }

    // Return the processes with a call under way, by when it began.
    std::vector<i32> latest_first() {
        std::vector<i32> busy;
        for (i32 row = 0; row < rows(); ++row)
            if (at(row).pid >= 0 && at(row).busy >= 0) busy.push_back(row);
        std::sort(busy.begin(), busy.end(), [this](i32 one, i32 other) { return at(one).order > at(other).order; });
        return busy;
    }
};

}  // namespace nwtsim
