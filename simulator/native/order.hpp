// Interface of an order of waiting jobs: of several the one with the least key is first, of equal
// keys the one submitted first.
//
// An order is a class with static members, native.hpp in its folder of simulator/kinds/orders; it
// inherits those of Order that it does not define.
#pragma once

#include "simulator/native/plan.hpp"

namespace nwtsim {

struct Order {
    // Keys change while jobs wait: they are computed at each look, and `usage` is known.
    static constexpr bool moves = false;
    static wide key(const BatchRow&, const QueueRow&, wide /*usage*/) { return 0; }
};

}  // namespace nwtsim
