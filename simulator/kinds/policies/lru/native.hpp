// Least recently used: the clean block that was used longest ago goes.
#pragma once

#include "simulator/native/policy.hpp"

namespace nwtsim {

struct LruPolicy : Policy {
    static void touch(Rings& rings, StoreInstance& at, BlockId b) {
        if (rings[b].state != BlockState::clean) return;
        Ring& ring = at.clean();
        if (ring.last == b) return;
        rings.remove(b, ring);
        rings.append(b, ring);
    }
};

}  // namespace nwtsim
