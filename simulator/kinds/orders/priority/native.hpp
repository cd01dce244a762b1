// Highest priority first; with an aging, waiting for that long counts as one point.
#pragma once

#include "simulator/native/order.hpp"

namespace nwtsim {

struct PriorityOrder : Order {
    static wide key(const BatchRow& job, const QueueRow& queue, wide) {
        const wide priority = job.priority;
        return queue.aging_ns ? job.submit_ns.count - priority * queue.aging_ns.count : -priority;
    }
};

}  // namespace nwtsim
