// Queues of jobs: submission, looking through, the ends of jobs, and the clocks of queues.
//
// It says which jobs start and which data are to be moved; their processes are woken by Queued
// (queued.hpp). Orders and backfills are kinds: native.hpp each in simulator/kinds/orders and
// simulator/kinds/backfills.
#pragma once

#include <deque>

#include "backfills.inc"
#include "orders.inc"
#include "simulator/native/clock.hpp"

namespace nwtsim {

constexpr const char* ORDERS[] = {
#define KIND(name, Class) #name,
    NWTSIM_ORDERS(KIND)
#undef KIND
};
constexpr const char* BACKFILLS[] = {
#define KIND(name, Class) #name,
    NWTSIM_BACKFILLS(KIND)
#undef KIND
};

enum class OrderNumber : u8 {
#define KIND(name, Class) name,
    NWTSIM_ORDERS(KIND)
#undef KIND
};
enum class BackfillNumber : u8 {
#define KIND(name, Class) name,
    NWTSIM_BACKFILLS(KIND)
#undef KIND
};

// Call a function with the class of an order, or of a backfill.
template <class Call>
decltype(auto) with_order(i32 number, Call&& call) {
    switch (static_cast<OrderNumber>(number)) {
#define KIND(name, Class) \
    case OrderNumber::name: return call(Class{});
        NWTSIM_ORDERS(KIND)
#undef KIND
    }
    __builtin_unreachable();
}
template <class Call>
decltype(auto) with_backfill(i32 number, Call&& call) {
    switch (static_cast<BackfillNumber>(number)) {
#define KIND(name, Class) \
    case BackfillNumber::name: return call(Class{});
        NWTSIM_BACKFILLS(KIND)
#undef KIND
    }
    __builtin_unreachable();
}

// What a process of a queue does: it is of a job, brings its data, or takes them away.
enum class Task : u8 { job, stage_in, stage_out };

class Queues {
  public:
    explicit Queues(Clock& clock) : clock(clock) {}

    Clock& clock;
    std::deque<BatchQueue> queues;
    std::vector<Batch> jobs;           // Of all queues, one after the other.
    std::vector<i32> limits_of;        // Of all jobs: rows of their queue's limits.
    std::vector<NodeRun> runs;         // Nodes of jobs that have started.
    std::vector<OffRow> offs;
    std::vector<i32> job_of;           // Of each process; -1: it is in no queue. Empty without queues.
    std::vector<Actor*> clocks;        // Of each queue.
    bool has_stages = false;           // Any job has data that are brought.

    Batch& of(i32 process) { return jobs[static_cast<size_t>(job_of[static_cast<size_t>(process)])]; }
    const Batch& of(i32 process) const { return jobs[static_cast<size_t>(job_of[static_cast<size_t>(process)])]; }
    BatchQueue& queue_of(const Batch& one) { return queues[static_cast<size_t>(one.queue)]; }

    static Task task_of(const Batch& one, i32 process) {
        if (process >= one.first && process < one.first + one.count) return Task::job;
        const bool brings = process >= one.stage_in && process < one.stage_in + one.stage_in_count;
        return brings ? Task::stage_in : Task::stage_out;
    }

    // Return the member of its group on which a process of a queue has a node number.
    i32 member(i32 process, i32 number) const {
        const Batch& one = of(process);
        if (task_of(one, process) != Task::job) return number;
        const auto first = runs.begin() + one.runs, last = first + one.runs_count;
        const auto run = std::partition_point(first, last, [&](const NodeRun& run) { return run.number <= number; }) - 1;
        return run->first + number - run->number;
    }

    // A job joins its queue, which is looked through.
    void submit(Batch& one) {
        BatchQueue& queue = queue_of(one);
        const i32 row = row_of(one);
        one.waits = true;
        const wide key = with_order(queue.row.order, [&](auto order) { return decltype(order)::key(one, queue.row, 0); });
        queue.waiting.insert({key, one.submit_ns.count, row, one.nodes});
        if (!queue.row.ahead && one.stage_in_count) stage(queue, row);
        look(queue);
    }

    // A process of a queue has ended; returns whether the queue was looked through.
    bool end(i32 process) {
        Batch& one = of(process);
        BatchQueue& queue = queue_of(one);
        switch (task_of(one, process)) {
            case Task::job:
                if (--one.left) return false;
                queue.end(row_of(one), clock.now.count);
                if (!one.left_out) one.done = clock.now;
                break;
            case Task::stage_in:
                if (--one.left_in) return false;
                one.ready = clock.now;
                break;
            case Task::stage_out:
                if (!--one.left_out) one.done = clock.now;
                return false;
        }
        look(queue);
        return true;
    }

    // Look a queue through: start what may start, and set its clock.
    void look(BatchQueue& queue) {
        queue.move_to(clock.now.count);
        const bool starts = queue.waiting.least(queue.free) <= queue.free;
        const bool stages = queue.row.ahead && has_stages;
        with_order(queue.row.order, [&](auto order) {
            using Kind = decltype(order);
            if constexpr (Kind::moves)
                if (starts || stages) sort<Kind>(queue);
        });
        if (stages) stage_first(queue);
        if (starts) with_backfill(queue.row.backfill, [&](auto backfill) { decltype(backfill)::take(queue); });
        const i64 next = queue.waiting.empty() ? LIMIT : queue.next_change();
        Actor* actor = clocks[static_cast<size_t>(queue.number)];
        if (next < LIMIT) clock.set(actor, {next});
        else clock.stop(actor);
    }

    // The clock of a queue rings, which is an event.
    void ring(i32 number) {
        ++clock.alarms;
        look(queues[static_cast<size_t>(number)]);
    }

  private:
    i32 row_of(const Batch& one) const { return static_cast<i32>(&one - jobs.data()); }

    // Begin to bring a job's data.
    void stage(BatchQueue& queue, i32 row) {
        queue.job(row).is_staged = true;
        queue.staged.push_back(row);
    }

    // Bring the data of the first waiting jobs.
    void stage_first(BatchQueue& queue) {
        i32 left = queue.row.ahead;
        queue.waiting.visit(Waiting::ANY, clock.pulse, [&](const Waiting::Entry& entry) {
            const Batch& one = queue.job(entry.row);
            if (one.stage_in_count && !one.is_staged) stage(queue, entry.row);
            return --left ? Visit::stays : Visit::ends;
        });
    }

    template <class Kind>
    void sort(BatchQueue& queue) {
        std::vector<wide> usage;
        for (i32 user = 0; user < queue.row.users; ++user) usage.push_back(queue.usage(user));
        queue.waiting.sort(clock.pulse, [&](i32 row) {
            const Batch& one = queue.job(row);
            return Kind::key(one, queue.row, usage[static_cast<size_t>(one.user)]);
        });
    }
};

}  // namespace nwtsim
