// The processes that a log follows: who they are, and who has forked whom.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "simulator/traces/calls.hpp"
#include "simulator/traces/heads.hpp"
#include "simulator/traces/lines.hpp"

namespace nwtsim {

constexpr i32 NOBODY = -1;  // No process.

// A process that lives, or a thread of one, and the call that is under way in it.
struct Process {
    i64 pid = -1;            // -1: the row is free.
    i32 lwp = 0;             // Of truss; 0: none.
    i32 number = -1;         // In the columns, from its first call on.
    Caller caller;
    i64 until = ABSENT;      // When its last call ended,
    i64 shift = 0;           // and how much later than its lines say its calls are, since others had not ended.
    i32 busy = -1;           // Which call is under way.
    i32 head = -1;           // Its first part.
    Subject subject;         // What it is about.
    i64 began = ABSENT;
    i64 order = 0;           // Among all calls that were interrupted.
    Caller born;             // What the child of a fork will have, as long as it has not begun.

    bool is_forking() const { return born.table >= 0; }
};

// Rows of processes by their numbers.
class Pids {
  public:
    i32 find(i64 key) const {
        const auto found = rows_.find(key);
        return found == rows_.end() ? NOBODY : found->second;
    }
    void put(i64 key, i32 row) { rows_[key] = row; }
    void remove(i64 key) { rows_.erase(key); }

  private:
    std::unordered_map<i64, i32> rows_;
};

class Processes {
  public:
    Processes(Calls& calls, KnownCalls& known) : calls(calls), known(known) {}

    Calls& calls;
    KnownCalls& known;
    i32 directory = -1;      // Of processes that no other one made.
    i64 asks = -1;           // The pid of which the driver should find out the parent.
    i64 numbers = 0;         // Of processes with a call, each thread for itself,
    i64 groups = 0;          // and with their threads.
    i64 roots = 0;           // Processes that no other one made.

    // The driver has looked ahead: a fork of `parent` (or of nobody, -1) returns `pid`.
    void tell(i64 pid, i64 parent) {
        asks = -1;
        answered_ = pid;
        answer_ = parent;
    }

    // Say whether a fork is under way in a process.
    bool is_cloning(i64 pid) const {
        const i32 row = pids_.find(pid);
        return row >= 0 && processes_[static_cast<size_t>(row)]->is_forking();
    }

  protected:
    std::vector<std::unique_ptr<Process>> processes_;  // Each stays where it is.
    Pids pids_, groups_;  // By lwp and pid; of those with lwps one of each pid.
    std::unordered_set<i64> attached_;
    i64 last_pid_ = NO_LINE;   // Of the line before, and its row.
    i32 last_ = NOBODY;
    bool is_root_ = false;     // The line is the first of a process that no other one made.

    static constexpr i64 NO_LINE = -2;

    Process& at(i32 row) { return *processes_[static_cast<size_t>(row)]; }
    i32 rows() const { return static_cast<i32>(processes_.size()); }

    static i64 key(i64 lwp, i64 pid) {
        return static_cast<i64>(((static_cast<u64>(lwp) << 32) + static_cast<u64>(pid)) & static_cast<u64>(MOST));
    }
    static i64 key(const Process& process) { return key(process.lwp, process.pid); }

    // Return the number of the call's name.
    i32 which(const Token& token) {
        if (token.call >= 0) return token.call;
        const i32 call = known.names.add(calls.text.bytes + token.name, token.name_end - token.name);
        if (static_cast<size_t>(call) >= known.specs.size()) known.specs.emplace_back();
        return call;
    }

    // Return the process of a line; NOBODY if the driver has to look ahead first.
    i32 find_process(const Token& token) {
        if (token.pid < 0) return only_process();
        i32 row = pids_.find(key(token.lwp, token.pid));
        if (row >= 0) return row;
        if (token.lwp) {
            row = groups_.find(token.pid);
            if (row >= 0) return another_lwp(row, token.lwp);
        }
        row = pids_.find(0);
        if (row >= 0 && !attached_.contains(token.pid) && may_go_on(at(row), token)) {
            rename(row, token.pid);
            return row;
        }
        if (cloning_ && token.line != Line::RESUMED) {
            if (!knows_parent(token.pid)) return NOBODY;
            row = parent_of(token.pid);
            if (row >= 0) return birth(row, token.pid, token.lwp);
        }
        return new_root(token.pid, token.lwp);
    }

    // Return the number of a process that is no thread of another one.
    i32 next_group() { return groups_made_++; }

    // Assign a process its number, with its first call.
    void count_process(Process& process) {
        if (process.number >= 0) return;
        process.number = static_cast<i32>(numbers++);
        const auto group = static_cast<size_t>(process.caller.group);
        if (group >= has_called_.size()) has_called_.resize(2 * group + 1);
        groups += !has_called_[group];
        has_called_[group] = true;
    }

    // Assign a row to a process.
    i32 new_process(i64 pid, i32 lwp, Caller caller) {
        i32 row = rows();
        if (free_.empty()) {
            processes_.push_back(std::make_unique<Process>());
        } else {
            row = free_.back();
            free_.pop_back();
        }
        Process& process = at(row) = Process{};
        process.pid = pid;
        process.lwp = lwp;
        process.caller = caller;
        pids_.put(key(lwp, pid), row);
        if (lwp) groups_.put(pid, row);
        ++alive_;
        return row;
    }

    // A row is that of no process any more.
    void free(i32 row) {
        Process& process = at(row);
        pids_.remove(key(process));
        if (process.lwp && groups_.find(process.pid) == row) groups_.remove(process.pid);
        attached_.erase(process.pid);
        calls.tables.leave(process.caller.table);
        calls.tables.leave_place(process.caller.place);
        process = Process{};
        free_.push_back(row);
        --alive_;
        last_pid_ = NO_LINE;
    }

    // The process that had no number has one.
    void rename(i32 row, i64 pid) {
        pids_.remove(key(at(row)));
        at(row).pid = pid;
        pids_.put(key(at(row)), row);
        last_pid_ = NO_LINE;
    }

    // A thread (truss) goes on as the first of its process.
    void be_first(i32 row) {
        pids_.remove(key(at(row)));
        at(row).lwp = 1;
        pids_.put(key(at(row)), row);
        groups_.put(at(row).pid, row);
        last_pid_ = NO_LINE;
    }

    // -- forks ------------------------------------------------------------------------------------

    // Note what descriptors and directory a child will have, as the fork begins.
    void prepare_birth(i32 row, const Spec& spec) {
        const Token& token = *calls.arguments.token;
        const auto shares = [&](Word flag) {
            return spec.act == Act::CLONE && calls.text.find(flag, token.args, token.args_end) >= 0;
        };
        Process& parent = at(row);
        Caller born = parent.caller;
        if (!shares("CLONE_THREAD")) born.group = next_group();
        if (shares("CLONE_FILES")) calls.tables.share(born.table);
        else born.table = calls.tables.copy(born.table);
        if (shares("CLONE_FS")) ++calls.tables.place(born.place).users;
        else born.place = calls.tables.copy_place(born.place);
        forget_birth(row);
        parent.born = born;
        ++cloning_;
        cloning_sum_ += row;
    }

    // There will be no child.
    void forget_birth(i32 row) {
        Process& parent = at(row);
        if (!parent.is_forking()) return;
        calls.tables.leave(parent.born.table);
        calls.tables.leave_place(parent.born.place);
        end_birth(row);
    }

    // The child of a fork that is under way, or has just returned, begins.
    i32 birth(i32 row, i64 pid, i32 lwp) {
        const Caller born = at(row).born;
        end_birth(row);
        return new_process(pid, lwp, born);
    }

  private:
    std::vector<i32> free_;
    i64 alive_ = 0;
    i32 groups_made_ = 0;
    std::vector<bool> has_called_;  // By group.
    i64 answer_ = -1, answered_ = -1;
    i64 cloning_ = 0;      // How many forks are under way whose child has not begun.
    i64 cloning_sum_ = 0;  // The sum of their processes' rows: the row, if there is one only.

    void end_birth(i32 row) {
        at(row).born = {};
        --cloning_;
        cloning_sum_ -= row;
    }

    i32 new_root(i64 pid, i32 lwp) {
        is_root_ = true;
        ++roots;
        return new_process(pid, lwp, {calls.tables.fresh(), calls.tables.fresh_place(directory), next_group()});
    }

    // Say whether a line may be of a process, by the call that is under way in it.
    bool may_go_on(const Process& process, const Token& token) {
        if (token.line == Line::RESUMED) return process.busy < 0 || process.busy == which(token);
        return process.busy < 0 && !cloning_;
    }

    // Return the process of a line without a pid: the only one that strace follows. A child may have
    // been forked that strace has not attached to yet: it has no line so far.
    i32 only_process() {
        const i32 known = pids_.find(0);
        if (known >= 0) return known;
        i64 numbered = 0;
        i32 some = NOBODY;
        for (i32 row = 0; alive_ && row < rows(); ++row) {
            const Process& process = at(row);
            if (process.pid < 0 || (numbered && process.number < 0)) continue;
            numbered += process.number >= 0;
            some = row;
        }
        return alive_ == 1 || numbered == 1 ? some : new_root(0, 0);
    }

    // Say whether it is known which fork, if any, this pid is of; else the driver is asked.
    bool knows_parent(i64 pid) {
        if (cloning_ == 1 || answered_ == pid) return true;
        asks = pid;
        return false;
    }

    // Return the process whose fork this pid is of, or NOBODY.
    i32 parent_of(i64 pid) {
        if (cloning_ == 1) return static_cast<i32>(cloning_sum_);
        if (answered_ == pid) answered_ = -1;
        const i32 row = answer_ >= 0 ? pids_.find(answer_) : NOBODY;
        return row >= 0 && at(row).is_forking() ? row : NOBODY;
    }

    // Assign a row to another thread (truss) of a process that is known.
    i32 another_lwp(i32 sibling, i32 lwp) {
        const Caller caller = at(sibling).caller;
        calls.tables.share(caller.table);
        ++calls.tables.place(caller.place).users;
        return new_process(at(sibling).pid, lwp, caller);
    }
};

}  // namespace nwtsim
