// The nodes of a pool of a queue: which are free, and when they are on.
#pragma once

#include <bit>
#include <vector>

#include "simulator/native/plan.hpp"

namespace nwtsim {

// Nodes of a job with consecutive numbers, in the job and in the group.
struct NodeRun {
    i32 number, first;  // That of the first within the job; its member of the group.
};

struct Pool : PoolRow {
    const OffRow* offs = nullptr;
    i32 passed = 0;          // Those of `offs` that are over.
    i64 free = 0;            // Number of free nodes.
    std::vector<u64> bits;   // A bit for each node: 1 if it is free.
    size_t lowest = 0;       // No word before it has a bit.

    void begin() {
        free = count;
        bits.assign((static_cast<size_t>(count) + 63) / 64, ~u64{0});
        if (count % 64) bits.back() >>= 64 - count % 64;
    }

    bool has(i32 member) const { return member >= first && member < first + count; }

    void pass(i64 now) {
        while (passed < off_count && offs[passed].end <= now) ++passed;
    }

    // Return whether its nodes are on for a time from `from` on, which is not before `pass`.
    bool is_open(wide from, wide length) const {
        if (passed == off_count) return true;
        const OffRow* next = std::upper_bound(offs + passed, offs + off_count, from,
                                              [](wide time, const OffRow& one) { return time < one.end; });
        return next == offs + off_count || from + length <= next->begin;
    }

    // Take its free nodes with the lowest numbers, which are some nodes of a job from `number` on.
    void take(i64 nodes, i32 number, std::vector<NodeRun>& runs) {
        free -= nodes;
        i32 end = -1;
        for (; nodes; ++lowest) {
            u64& word = bits[lowest];
            while (word && nodes) {
                const int bit = std::countr_zero(word);
                const int run = static_cast<int>(std::min<i64>(std::countr_one(word >> bit), nodes));
                word &= ~((run == 64 ? ~u64{0} : (u64{1} << run) - 1) << bit);
                const i32 member = first + static_cast<i32>(lowest * 64) + bit;
                if (member != end) runs.push_back({number, member});
                end = member + run;
                number += run;
                nodes -= run;
            }
            if (!nodes) break;
        }
    }

    void give_back(i32 member, i32 nodes) {
        free += nodes;
        const size_t from = static_cast<size_t>(member - first), to = from + static_cast<size_t>(nodes);
        lowest = std::min(lowest, from / 64);
        for (size_t word = from / 64; word * 64 < to; ++word) {
            const size_t low = std::max(from, word * 64) % 64, high = std::min(to, word * 64 + 64) - word * 64;
            bits[word] |= (high == 64 ? ~u64{0} : (u64{1} << high) - 1) & (~u64{0} << low);
        }
    }
};

}  // namespace nwtsim
