// Conversion of a plan to a kernel: queues, their nodes and their jobs.
#pragma once

#include "simulator/native/prepare.hpp"

namespace nwtsim {

inline void Preparation::fill_queues(Kernel& kernel) {
    Queues& made = kernel.programs.queues;
    const auto rows = plan.rows<QueueRow>("queue");
    const auto pools = plan.rows<PoolRow>("pool");
    const auto limits = plan.rows<LimitRow>("limit");
    made.offs = plan.rows<OffRow>("off");
    made.limits_of = plan.values<i32>("batch_limit");
    for (const BatchRow& row : plan.rows<BatchRow>("batch")) {
        Batch& one = made.jobs.emplace_back();
        static_cast<BatchRow&>(one) = row;
        one.left = row.count;
        one.left_in = row.stage_in_count;
        one.left_out = row.stage_out_count;
        made.has_stages = made.has_stages || row.stage_in_count;
    }
    if (rows.empty()) return;
    made.job_of.assign(process_rows.size(), -1);
    kernel.programs.accounts.resize(process_rows.size() * static_cast<size_t>(kernel.actors.columns));
    for (const QueueRow& row : rows) {
        const i32 number = static_cast<i32>(made.queues.size());
        BatchQueue& queue = made.queues.emplace_back(number, row, made.jobs, made.limits_of, made.runs, kernel.pulse);
        for (i32 i = row.pools; i < row.pools + row.pools_count; ++i) {
            Pool& pool = queue.pools.emplace_back();
            static_cast<PoolRow&>(pool) = at(pools, i);
            pool.offs = made.offs.data() + pool.off;
            pool.begin();
            queue.free += pool.count;
            for (i32 one = 0; one < pool.off_count; ++one)
                for (const i64 time : {pool.offs[one].begin, pool.offs[one].end}) {
                    if (time >= LIMIT - 1) continue;  // They are off for ever.
                    queue.changes.push_back(time);
                    if (time == pool.offs[one].end) queue.ons.push_back(time);
                }
        }
        for (std::vector<i64>* times : {&queue.changes, &queue.ons}) {
            std::sort(times->begin(), times->end());
            times->erase(std::unique(times->begin(), times->end()), times->end());
        }
        for (i32 i = row.limits; i < row.limits + row.limits_count; ++i)
            static_cast<LimitRow&>(queue.limits.emplace_back()) = at(limits, i);
        for (i32 i = row.jobs; i < row.jobs + row.jobs_count; ++i) {
            Batch& one = at(made.jobs, i);
            const auto within = [](i32 value, i32 count) { return value >= 0 && value < count; };
            bool known = within(one.user, row.users) && within(one.pool, row.pools_count);
            for (i32 limit = one.limits; limit < one.limits + one.limits_count; ++limit)
                known = known && within(at(made.limits_of, limit), row.limits_count);
            if (!known) throw BadPlan{"a job of a queue names a user, a pool or a limit that the queue has not"};
            one.queue = number;
            queue.to_submit.push_back(i);
            const auto belongs = [&](i32 first, i32 count) {
                for (i32 process = first; process < first + count; ++process) at(made.job_of, process) = i;
            };
            belongs(one.first, one.count);
            belongs(one.stage_in, one.stage_in_count);
            belongs(one.stage_out, one.stage_out_count);
        }
        std::sort(queue.to_submit.begin(), queue.to_submit.end(), [&](i32 a, i32 b) {
            const Batch &one = at(made.jobs, a), &other = at(made.jobs, b);
            return one.submit_ns != other.submit_ns ? one.submit_ns < other.submit_ns : one.first < other.first;
        });
    }
}

}  // namespace nwtsim
