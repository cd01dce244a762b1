// A job passes others if it does not delay the first that does not fit, the head (EASY: Lifka, 1995).
#pragma once

#include "simulator/native/backfill.hpp"

namespace nwtsim {

struct EasyBackfill : Backfill {
    static void take(BatchQueue& queue) {
        std::vector<i64> taken;
        Head head;
        i64 most = Waiting::ANY;
        queue.waiting.visit(most, queue.pulse, [&](const Waiting::Entry& entry) {
            const Batch& one = queue.job(entry.row);
            if (!is_candidate(queue, one)) return Visit::stays;
            if (!queue.fits(one)) {
                if (!head.job) head = head_of(queue, one);
                most = queue.free;
                return Visit::stays;
            }
            if (head.job && !head.lets_pass(queue, one, taken)) return Visit::stays;
            start(queue, entry.row, taken);
            if (head.job) most = queue.free;
            return Visit::leaves;
        });
    }

  private:
    // The first job that does not fit.
    struct Head {
        const Batch* job = nullptr;
        wide time = -1;             // When it is expected to start; -1: never.
        std::vector<i64> spare;     // Nodes of each pool that are free by then.
        std::vector<char> is_open;  // Whether a pool is open for it then.

        // Return whether a job may pass; the nodes that the head does not need are then fewer.
        bool lets_pass(const BatchQueue& queue, const Batch& one, std::vector<i64>& taken) {
            if (time < 0 || static_cast<wide>(queue.now) + one.requested_ns.count <= time) return true;
            queue.count_taken(one, taken);
            i64 left = 0;
            for (size_t p = 0; p < spare.size(); ++p)
                if (is_open[p]) left += spare[p] - taken[p];
            if (left < job->nodes) return false;
            for (size_t p = 0; p < spare.size(); ++p) spare[p] -= taken[p];
            return true;
        }
    };

    static Head head_of(const BatchQueue& queue, const Batch& one) {
        Head head;
        head.job = &one;
        const size_t pools = queue.pools.size();
        for (const Pool& pool : queue.pools) head.spare.push_back(pool.free);
        head.is_open.resize(pools);
        auto next = queue.running.begin();
        const std::span<const i64> ons = queue.later_ons();
        auto on = ons.begin();
        while (next != queue.running.end() || on != ons.end()) {
            queue.pulse.tick();
            wide time = next == queue.running.end() ? *on : queue.expected(*next);
            if (on != ons.end()) time = std::min<wide>(time, *on);
            for (; next != queue.running.end() && queue.expected(*next) <= time; ++next)
                for (size_t p = 0; p < pools; ++p) head.spare[p] += queue.held[static_cast<size_t>(next->slot) * pools + p];
            if (on != ons.end() && *on <= time) ++on;
            i64 nodes = 0;
            for (size_t p = static_cast<size_t>(one.pool); p < pools; ++p) {
                head.is_open[p] = queue.pools[p].is_open(time, one.requested_ns.count);
                if (head.is_open[p]) nodes += head.spare[p];
            }
            if (nodes >= one.nodes) {
                head.time = time;
                break;
            }
        }
        return head;
    }
};

}  // namespace nwtsim
