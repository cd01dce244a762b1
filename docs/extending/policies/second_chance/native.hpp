// Second chance: first in, first out, but for blocks that were used meanwhile.
#pragma once

#include "simulator/native/policy.hpp"

namespace nwtsim {

struct SecondChancePolicy : Policy {
    static void touch(Rings& rings, StoreInstance&, BlockId b) { rings[b].flags |= USED_AGAIN; }

    static BlockId victim(Rings& rings, StoreInstance& at, int) {
        while (true) {
            const BlockId b = at.clean().first;
            if (!(rings[b].flags & USED_AGAIN)) return b;
            rings[b].flags &= static_cast<u8>(~USED_AGAIN);
            rings.remove(b, at.clean());
            rings.append(b, at.clean());
        }
    }
};

}  // namespace nwtsim
