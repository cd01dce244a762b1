// A job passes others if it delays none of them: each gets the earliest time at which it can start.
#pragma once

#include "simulator/native/backfill.hpp"

namespace nwtsim {

struct ConservativeBackfill : Backfill {
    static void take(BatchQueue& queue) {
        std::vector<i64> least;  // Of each waiting job: the fewest nodes of it and of those behind it.
        queue.waiting.visit(Waiting::ANY, queue.pulse, [&](const Waiting::Entry& entry) {
            least.push_back(entry.nodes);
            return Visit::stays;
        });
        for (size_t i = least.size(); i-- > 1;) least[i - 1] = std::min(least[i - 1], least[i]);
        Schedule schedule(queue);
        size_t at = 0;
        queue.waiting.visit(Waiting::ANY, queue.pulse, [&](const Waiting::Entry& entry) {
            if (queue.free < least[at++]) return Visit::ends;  // None behind it can start now.
            const Batch& one = queue.job(entry.row);
            if (!is_candidate(queue, one) || !schedule.place(one)) return Visit::stays;
            queue.start(entry.row, schedule.taken);
            return Visit::leaves;
        });
    }

  private:
    // Free nodes of each pool from each of some times on until the next.
    class Schedule {
      public:
        explicit Schedule(const BatchQueue& queue) : queue_(queue), pools_(queue.pools.size()), least_(pools_) {
            times_.push_back(queue.now);
            for (const Pool& pool : queue.pools) free_.push_back(pool.free);
            const std::span<const i64> ons = queue.later_ons();
            auto on = ons.begin();
            const auto add_ons = [&](wide until) {
                for (; on != ons.end() && *on <= until; ++on)
                    if (times_.back() != *on) add_time(*on);
            };
            for (const BatchQueue::Running& one : queue.running) {
                const wide end = queue.expected(one);
                add_ons(end);
                if (times_.back() != end) add_time(end);
                for (size_t p = 0; p < pools_; ++p)
                    free_[free_.size() - pools_ + p] += queue.held[static_cast<size_t>(one.slot) * pools_ + p];
            }
            if (!ons.empty()) add_ons(ons.back());
        }

        std::vector<i64> taken;  // Nodes of each pool that the last job placed has.

        // Give a job the earliest time at which its nodes are free throughout; returns whether that
        // is now.
        bool place(const Batch& one) {
            for (size_t from = 0; from < times_.size();) {
                const size_t next = try_from(one, from);
                if (next == from) {
                    occupy(one, from);
                    return from == 0;
                }
                from = next;
            }
            return false;
        }

      private:
        const BatchQueue& queue_;
        size_t pools_;
        std::vector<wide> times_;
        std::vector<i64> free_;
        std::vector<i64> least_;  // Of the job under consideration: nodes of each pool that are free throughout.

        // A job that starts has its nodes for 1 ns at least.
        static i64 length_of(const Batch& one) { return std::max<i64>(1, one.requested_ns.count); }

        void add_time(wide time) {
            times_.push_back(time);
            const size_t last = free_.size() - pools_;
            for (size_t p = 0; p < pools_; ++p) free_.push_back(free_[last + p]);
        }

        // Return `from` if a job has its nodes from that time on, else the next to try.
        size_t try_from(const Batch& one, size_t from) {
            const wide begin = times_[from], end = begin + length_of(one);
            const size_t first = static_cast<size_t>(one.pool);
            for (size_t p = 0; p < pools_; ++p)
                least_[p] = p >= first && queue_.pools[p].is_open(begin, one.requested_ns.count) ? free_[from * pools_ + p] : 0;
            for (size_t at = from; at < times_.size() && (at == from || times_[at] < end); ++at) {
                queue_.pulse.tick();
                i64 nodes = 0, all = 0;
                for (size_t p = first; p < pools_; ++p) {
                    all += free_[at * pools_ + p];
                    nodes += least_[p] = std::min(least_[p], free_[at * pools_ + p]);
                }
                if (all < one.nodes) return at + 1;
                if (nodes < one.nodes) return from + 1;
            }
            return from;
        }

        void occupy(const Batch& one, size_t from) {
            taken.assign(pools_, 0);
            i64 left = one.nodes;
            for (size_t p = static_cast<size_t>(one.pool); p < pools_; ++p) left -= taken[p] = std::min(least_[p], left);
            const wide end = times_[from] + length_of(one);
            size_t until = from + 1;
            while (until < times_.size() && times_[until] < end) ++until;
            if (until == times_.size() || times_[until] != end) {
                times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(until), end);
                const auto row = free_.begin() + static_cast<std::ptrdiff_t>((until - 1) * pools_);
                const std::vector<i64> before(row, row + static_cast<std::ptrdiff_t>(pools_));
                free_.insert(free_.begin() + static_cast<std::ptrdiff_t>(until * pools_), before.begin(), before.end());
            }
            for (size_t at = from; at < until; ++at)
                for (size_t p = 0; p < pools_; ++p) free_[at * pools_ + p] -= taken[p];
        }
    };
};

}  // namespace nwtsim
