// Calls in two parts, with the lines of other processes between them, and ends of processes.
#pragma once

#include "simulator/traces/processes.hpp"
#include "simulator/traces/requests.hpp"
#include "simulator/traces/rows.hpp"

namespace nwtsim {

// What a call returned, and when.
struct Ended {
    i64 time = ABSENT, duration = ABSENT;
    i32 error = -1;
    i64 returned = ABSENT;
};

// Writes the rows of calls, of those too that are interrupted or never return.
class Joining : public Processes {
  public:
    Joining(Calls& calls, KnownCalls& known, i64 capacity)
        : Processes(calls, known), rows_written(calls.names, capacity), error_words() {
        error_words.add("EBADF");
        first_request_ = known.names.add("aio_pread");
        destroy_call_ = known.names.add("io_destroy");
    }

    Rows rows_written;
    Names error_words;
    Heads heads;
    i64 inherited_calls = 0, inherited_bytes = 0;
    bool durations = false;
    i64 call_count = 0;
    i64 within = 0;  // The time of all calls of the log.
    OpenRequests requests;
    i64 submit_calls = 0, submit_lost = 0;  // With requests that are not shown, and how many.

    // Return the oldest rows that are ready to be handed out, if any are.
    std::optional<Batch> take_rows() {
        std::optional<Batch> batch = rows_written.take(requests.oldest());
        if (batch) requests.give_up(batch->first + batch->count);
        return batch;
    }

  protected:
    static constexpr i32 EBADF_WORD = 0;
    std::unordered_set<i64> early_;  // Children (truss) whose lines came before the parent's.

    // Write the row of the current call.
    void emit(i32 row, i32 call, const Ended& ended) {
        i32 kind = calls.kind;
        if (kind == kind::INHERITED && ended.error == EBADF_WORD) kind = UNSAID;
        else if (ended.error != EBADF_WORD && (kind == kind::INHERITED || is_inherited(calls.file2)))
            count_inherited(call, ended.returned);
        calls.count_root();
        Process& process = at(row);
        if (ended.duration != ABSENT) {
            durations = true;
            within = plus(within, ended.duration);
            if (ended.time != ABSENT) process.until = plus(ended.time, ended.duration);
        }
        ++call_count;
        rows_written.add({
            .time = ended.time, .duration = ended.duration, .offset = calls.offset, .to_offset = calls.offset2,
            .requested = calls.requested, .returned = ended.returned,
            .pid = static_cast<i32>(std::max<i64>(process.pid, 0)), .process = process.number, .call = call,
            .fd = static_cast<i32>(calls.fd), .kind = kind, .file = calls.name, .to_file = calls.name2,
            .error = ended.error, .flags = calls.flags,
        });
        const Act act = known.of(call).act;
        if (ended.returned < 0 || (act != Act::SUBMIT && act != Act::CONTEXT)) return;
        if (act == Act::SUBMIT) emit_requests(row, ended);
        else if (call == destroy_call_) requests.end(calls.offset, process.caller.group);
        else complete_requests(process.caller.group);
        calls.text.overflow = false;  // What has more than 64 bits is not shown.
    }

    // Have the call that is under way in a process before us again; returns which it is.
    i32 take_up(i32 row) {
        Process& process = at(row);
        const i32 call = process.busy;
        calls.clear(known.of(call), process.caller, process.subject);
        process.busy = -1;
        return call;
    }

    // The call that slept (truss) is written again, as a whole.
    void wake(i32 row) {
        heads.leave(at(row).head);
        at(row).head = -1;
        take_up(row);
        calls.release();
    }

    // End the current call, whose arguments are in two lines, and let `joined` be its token.
    void join_parts(const Token& token, Token& joined, i32 row, i32 call) {
        const i64 size = heads.join(at(row).head, calls.text, token.args, token.end, joined);
        at(row).head = -1;
        const i32 by = static_cast<i32>(size) - token.args;
        joined.end += by;
        joined.value_at += by;
        joined.args_end += by;
        joined.args = 0;
        if (token.count) split_joined(joined);  // Else the second part has a bracket only.
        calls.arguments.token = &joined;
        calls.end(call);
    }

    // Look at a line of the block again.
    void back_to(const Text& block, const Token& token) {
        calls.text.hold(block.bytes, block.size);
        calls.arguments.token = &token;
    }

    // The call that is under way in a process ends without a result.
    void break_off(i32 row) {
        if (at(row).busy < 0) return;
        forget_birth(row);
        const i64 began = at(row).began;
        const i32 call = take_up(row);
        if (at(row).head >= 0) lose_head(row);
        emit(row, call, {.time = began});
        calls.release();
    }

    // The first line of a child (truss) says of whom: it may come before the parent's.
    void truss_child(const Token& token) {
        const i32 parent = groups_.find(token.other);
        if (parent < 0 || groups_.find(token.pid) >= 0) return;
        const Caller caller = at(parent).caller;
        new_process(token.pid, token.lwp, {calls.tables.copy(caller.table), calls.tables.copy_place(caller.place), next_group()});
        early_.insert(token.pid);
    }

    // A process has ended.
    void finish(i32 row) {
        break_off(row);
        forget_birth(row);
        free(row);
    }

    // Of a process (truss) only this thread is left, or none.
    void finish_others(i32 row) {
        std::vector<i32> others;
        for (i32 other = 0; other < rows(); ++other)
            if (other != row && at(other).pid == at(row).pid) others.push_back(other);
        const auto order = [this](i32 one) { return at(one).busy >= 0 ? at(one).order : 0; };
        std::stable_sort(others.begin(), others.end(), [&](i32 one, i32 other) { return order(one) < order(other); });
        for (const i32 other : others) finish(other);
    }

    // Thread `old` has called execve, and goes on under the number `pid`.
    void supersede(i64 old, i64 pid) {
        const i32 row = pids_.find(old);
        if (row < 0 || old == pid) return;
        const i32 leader = pids_.find(pid);
        if (leader >= 0) finish(leader);
        rename(row, pid);
    }

    // A fork has returned a pid, or an error.
    void returned_child(i32 row, i64 pid, bool has_lwps) {
        if (!at(row).is_forking()) return;  // The child has begun before.
        if (pid <= 0) return forget_birth(row);
        const i32 old = pids_.find(key(has_lwps, pid));
        if (old == row || early_.erase(pid)) return forget_birth(row);
        if (old >= 0) set_aside(old);  // Its end is not in the log.
        birth(row, pid, has_lwps);
    }

  private:
    i32 first_request_ = 0;  // The number of the first of the requests of io_submit, which follow each other.
    i32 destroy_call_ = 0;

    bool is_inherited(i32 file) const { return file >= 0 && calls.files[file].kind == kind::INHERITED; }

    // A call was on a descriptor that was open before the log began.
    void count_inherited(i32 call, i64 returned) {
        ++inherited_calls;
        if (known.of(call).moving && returned > 0) inherited_bytes = plus(inherited_bytes, returned);
    }

    // Write the rows of requests that `io_submit` has accepted, as far as it shows them.
    void emit_requests(i32 row, const Ended& ended) {
        const i64 context = calls.offset;
        const i32 group = at(row).caller.group;
        i64 left = ended.returned, without_row = 0;
        i64 i = calls.submitted == ended.returned ? calls.arguments.first_structure(2) : NOWHERE;
        calls.submitted = 0;
        for (; i >= 0 && left > 0 && rows_written.count < rows_written.capacity; i = calls.arguments.next_structure(i)) {
            const Request what = calls.arguments.request(i);
            if (what == Request::NOTHING) {
                --left;
                ++without_row;
            } else if (what != Request::UNKNOWN && emit_request(row, context, what, i, ended.time)) {
                --left;
            }
            calls.file = -1;
        }
        if (left > 0) {
            ++submit_calls;
            submit_lost = plus(submit_lost, left);
        }
        if (left + without_row > 0) requests.hide(context, group, left + without_row);
    }

    // Write the row of the request at `i`, with what it asks for; false if that is not all shown.
    bool emit_request(i32 row, i64 context, Request what, i64 i, i64 time) {
        OpenRequest made{.row = rows_written.next(), .data = data_of(i), .writes = what == Request::WRITE || what == Request::WRITEV};
        const i64 inherited = inherited_calls, appended = calls.append_calls;
        if (!calls.take_request(what, i)) return false;
        emit(row, first_request_ + static_cast<i32>(what), {.time = time, .returned = calls.submitted});
        made.asked = calls.submitted;
        made.inherited = inherited_calls > inherited;
        made.appended = calls.append_calls > appended;
        requests.add(context, at(row).caller.group, made);
        return true;
    }

    // Correct the rows of requests that are complete, and did not move what they asked for.
    void complete_requests(i32 group) {
        const i64 context = calls.offset;
        for (i64 i = calls.arguments.first_structure(3); i >= 0; i = calls.arguments.next_structure(i)) {
            const i64 moved = calls.arguments.field_number(i, "res=");
            const auto one = moved == ABSENT ? std::nullopt : requests.take(context, group, data_of(i), moved);
            if (!one || one->asked == moved) continue;
            if (moved < 0) rows_written.correct(one->row, ABSENT, error_words.add(error_name(-moved)));
            else rows_written.correct(one->row, moved, -1);
            const i64 less = one->asked - std::max<i64>(moved, 0);
            if (one->inherited) inherited_bytes -= less;
            if (one->appended) calls.append_bytes -= less;
            if (one->writes) calls.files.change_any();
        }
    }

    // Return what the structure at `i` is known by when it is complete.
    i64 data_of(i64 i) { return std::max<i64>(calls.arguments.field_number(i, "data="), 0); }

    // Find the arguments that were put together, up to the end that the token says.
    void split_joined(Token& token) {
        const i64 close = calls.text.split(0, token.args_end, true);
        token.count = close >= 0 ? static_cast<i32>(calls.text.count) : 0;
        for (size_t k = 0; k < MOST_ARGS; ++k) token.arg[k] = static_cast<i32>(calls.text.arg[k]);
    }

    // Read the first part of a call that never returns.
    void lose_head(i32 row) {
        const Text block = calls.text;
        const Token* before = calls.arguments.token;
        Token lost;
        const i64 size = heads.join(at(row).head, calls.text, 0, 0, lost);
        at(row).head = -1;
        if (size) {
            lost.args_end = lost.end = static_cast<i32>(size);
            split_joined(lost);
            calls.arguments.token = &lost;
            calls.lose();
            calls.text.overflow = false;
        }
        calls.text.hold(block.bytes, block.size);
        calls.arguments.token = before;
    }

    // End a process whose number another has, keeping the call that is before us.
    void set_aside(i32 row) {
        const Subject subject = calls;
        const Spec spec = calls.spec;
        Caller* const caller = calls.caller;
        finish(row);
        static_cast<Subject&>(calls) = subject;
        calls.spec = spec;
        calls.caller = caller;
    }
};

}  // namespace nwtsim
