// Interface of a backfill: the choice of the waiting jobs that start at a look.
//
// A backfill is a class with a static function, native.hpp in its folder of
// simulator/kinds/backfills. `take` visits the waiting jobs of a queue in order; it starts jobs with
// BatchQueue::start, whose entries then leave. It is called if there are as many free nodes as one
// of the waiting jobs needs.
#pragma once

#include "simulator/native/batch.hpp"

namespace nwtsim {

struct Backfill {
    static void take(BatchQueue&) {}

  protected:
    // Start a job that fits.
    static Visit start(BatchQueue& queue, i32 row, std::vector<i64>& taken) {
        queue.count_taken(queue.job(row), taken);
        queue.start(row, taken);
        return Visit::leaves;
    }
    static bool is_candidate(const BatchQueue& queue, const Batch& one) { return one.may_start() && !queue.is_limited(one); }
};

}  // namespace nwtsim
