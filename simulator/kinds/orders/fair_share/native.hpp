// Jobs of the user who has used least first.
#pragma once

#include "simulator/native/order.hpp"

namespace nwtsim {

struct FairShareOrder : Order {
    static constexpr bool moves = true;
    static wide key(const BatchRow&, const QueueRow&, wide usage) { return usage; }
};

}  // namespace nwtsim
