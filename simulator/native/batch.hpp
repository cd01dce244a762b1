// A queue of jobs without its order and its backfill: nodes, running jobs, limits, and usage.
//
// Times that may lie behind the end of a run (expected ends) have 128 bits: they are only compared.
#pragma once

#include <span>

#include "simulator/native/pool.hpp"
#include "simulator/native/waiting.hpp"

namespace nwtsim {

// A job of a queue.
struct Batch : BatchRow {
    i32 left = 0, left_in = 0, left_out = 0;  // Processes that have not ended: its own, and those of its data.
    i32 runs = 0, runs_count = 0;             // Its nodes, of NodeRuns.
    i32 queue = 0, slot = 0;                  // `slot`: the row of BatchQueue::held while it runs.
    bool waits = false, is_staged = false;    // `is_staged`: its stage_in has begun.
    Nanoseconds ready{-1}, start{-1}, end{-1}, done{-1};
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Batch;
        FIELD(ready), FIELD(start), FIELD(end), FIELD(done);
    }

    bool may_start() const { return !holds || !left_in; }
};

class BatchQueue {
  public:
    struct Limit : LimitRow {
        i64 running = 0, used = 0;  // Jobs, and their nodes.
    };

    struct User {
        wide used = 0;      // Node-nanoseconds of ended jobs, halved.
        i64 halved = 0;     // How often it was halved.
        i64 nodes = 0;      // Nodes of running jobs.
        wide begun = 0;     // The sum of these jobs' `nodes * start`.
    };

    struct Running {
        wide end;  // As requested.
        i32 row, nodes, slot;
    };

    BatchQueue(i32 number, const QueueRow& row, std::vector<Batch>& jobs, const std::vector<i32>& limits_of,
               std::vector<NodeRun>& runs, Pulse& pulse)
        : number(number), row(row), pulse(pulse), users(static_cast<size_t>(row.users)), jobs_(jobs), limits_of_(limits_of), runs_(runs) {}

    const i32 number;
    const QueueRow row;
    Pulse& pulse;
    std::vector<Pool> pools;
    std::vector<Limit> limits;
    std::vector<User> users;
    Waiting waiting;
    std::vector<Running> running;         // By their ends.
    std::vector<i64> held;                // Of each slot: nodes of a running job in each pool.
    std::vector<i64> ons, changes;        // Times at which pools go on; at which they go on or off.
    i64 now = 0;
    i64 free = 0;                         // Number of free nodes.
    std::vector<i32> started, staged;     // Jobs whose processes, or those that bring their data, are to be woken.
    std::vector<i32> to_submit;           // Its jobs in the order of submission,
    size_t submitted = 0;                 // and how many of them have an actor that submits them, or did.

    Batch& job(i32 number) { return jobs_[static_cast<size_t>(number)]; }

    // Begin to look at a time.
    void move_to(i64 time) {
        now = time;
        for (Pool& pool : pools) pool.pass(now);
        while (next_on_ < ons.size() && ons[next_on_] <= now) ++next_on_;
        while (next_change_ < changes.size() && changes[next_change_] <= now) ++next_change_;
    }

    // Return the later times at which pools go on; the next at which one goes on or off.
    std::span<const i64> later_ons() const { return std::span(ons).subspan(next_on_); }
    i64 next_change() const { return next_change_ < changes.size() ? changes[next_change_] : LIMIT; }

    wide expected(const Running& one) const { return std::max<wide>(one.end, static_cast<wide>(now) + 1); }

    // Return whether limits keep a job from starting.
    bool is_limited(const Batch& one) const {
        for (i32 i = one.limits; i < one.limits + one.limits_count; ++i) {
            const Limit& limit = limits[static_cast<size_t>(limits_of_[static_cast<size_t>(i)])];
            if (limit.running + 1 > limit.jobs || limit.used + one.nodes > limit.nodes) return true;
        }
        return false;
    }

    // Return whether a job's nodes are free now, and of how many of each pool it would take.
    bool fits(const Batch& one) const {
        i64 nodes = 0;
        for (size_t p = static_cast<size_t>(one.pool); p < pools.size() && nodes < one.nodes; ++p)
            if (pools[p].free && is_open(one, p)) nodes += pools[p].free;
        return nodes >= one.nodes;
    }
    void count_taken(const Batch& one, std::vector<i64>& taken) const {
        taken.assign(pools.size(), 0);
        i64 left = one.nodes;
        for (size_t p = static_cast<size_t>(one.pool); p < pools.size() && left; ++p)
            if (pools[p].free && is_open(one, p)) left -= taken[p] = std::min(pools[p].free, left);
    }

    // Start a job that takes so many nodes of each pool.
    void start(i32 number, const std::vector<i64>& taken) {
        Batch& one = job(number);
        one.waits = false;
        one.start = {now};
        one.runs = static_cast<i32>(runs_.size());
        one.slot = new_slot();
        i32 from = 0;
        for (size_t p = 0; p < pools.size(); ++p) {
            held[static_cast<size_t>(one.slot) * pools.size() + p] = taken[p];
            if (!taken[p]) continue;
            pools[p].take(taken[p], from, runs_);
            from += static_cast<i32>(taken[p]);
        }
        one.runs_count = static_cast<i32>(runs_.size()) - one.runs;
        free -= one.nodes;
        const Running made{static_cast<wide>(now) + one.requested_ns.count, number, one.nodes, one.slot};
        running.insert(place_of(made.end, number), made);
        count_limits(one, 1);
        User& user = users[static_cast<size_t>(one.user)];
        user.nodes += one.nodes;
        user.begun += static_cast<wide>(one.nodes) * now;
        started.push_back(number);
        if (one.stage_in_count && !one.is_staged) {  // Its data are not ahead of it.
            one.is_staged = true;
            staged.push_back(number);
        }
    }

    // End a job: its nodes are free.
    void end(i32 number, i64 time) {
        Batch& one = job(number);
        one.end = {time};
        for (i32 i = one.runs; i < one.runs + one.runs_count; ++i) {
            const NodeRun& run = runs_[static_cast<size_t>(i)];
            const i32 until = i + 1 < one.runs + one.runs_count ? runs_[static_cast<size_t>(i) + 1].number : one.nodes;
            for (Pool& pool : pools)
                if (pool.has(run.first)) pool.give_back(run.first, until - run.number);
        }
        free += one.nodes;
        running.erase(place_of(static_cast<wide>(one.start.count) + one.requested_ns.count, number));
        slots_.push_back(one.slot);
        count_limits(one, -1);
        User& user = users[static_cast<size_t>(one.user)];
        user.nodes -= one.nodes;
        user.begun -= static_cast<wide>(one.nodes) * one.start.count;
        halve(user, time);
        user.used += static_cast<wide>(one.nodes) * (time - one.start.count);
    }

    // Return the usage of a user now.
    wide usage(i32 number) {
        User& user = users[static_cast<size_t>(number)];
        halve(user, now);
        return user.used + static_cast<wide>(user.nodes) * now - user.begun;
    }

  private:
    std::vector<Batch>& jobs_;
    const std::vector<i32>& limits_of_;
    std::vector<NodeRun>& runs_;
    std::vector<i32> slots_;  // Those that are free.
    size_t next_on_ = 0, next_change_ = 0;

    bool is_open(const Batch& one, size_t pool) const { return pools[pool].is_open(now, one.requested_ns.count); }

    std::vector<Running>::iterator place_of(wide end, i32 number) {
        return std::partition_point(running.begin(), running.end(), [&](const Running& one) {
            return one.end != end ? one.end < end : one.row < number;
        });
    }

    i32 new_slot() {
        if (slots_.empty()) {
            slots_.push_back(static_cast<i32>(held.size() / pools.size()));
            held.resize(held.size() + pools.size());
        }
        const i32 slot = slots_.back();
        slots_.pop_back();
        return slot;
    }

    void count_limits(const Batch& one, i64 sign) {
        for (i32 i = one.limits; i < one.limits + one.limits_count; ++i) {
            Limit& limit = limits[static_cast<size_t>(limits_of_[static_cast<size_t>(i)])];
            limit.running += sign;
            limit.used += sign * one.nodes;
        }
    }

    void halve(User& user, i64 time) const {
        if (row.half_life_ns <= ZERO_NS) return;
        const i64 times = time / row.half_life_ns.count;
        user.used >>= std::min<i64>(times - user.halved, 127);
        user.halved = times;
    }
};

}  // namespace nwtsim
