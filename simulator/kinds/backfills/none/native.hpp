// No job passes another: those start that fit, up to the first that does not.
#pragma once

#include "simulator/native/backfill.hpp"

namespace nwtsim {

struct NoneBackfill : Backfill {
    static void take(BatchQueue& queue) {
        std::vector<i64> taken;
        queue.waiting.visit(Waiting::ANY, queue.pulse, [&](const Waiting::Entry& entry) {
            const Batch& one = queue.job(entry.row);
            if (!is_candidate(queue, one)) return Visit::stays;
            return queue.fits(one) ? start(queue, entry.row, taken) : Visit::ends;
        });
    }
};

}  // namespace nwtsim
