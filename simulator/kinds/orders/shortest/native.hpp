// Shortest requested run time first.
#pragma once

#include "simulator/native/order.hpp"

namespace nwtsim {

struct ShortestOrder : Order {
    static wide key(const BatchRow& job, const QueueRow&, wide) { return job.requested_ns.count; }
};

}  // namespace nwtsim
