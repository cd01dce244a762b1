// Linux's two lists: clean blocks used once are in the first ring, those used again in the second.
//
// `age` counts the blocks that have gone or become active; of those that went the age at which they
// did is remembered (mm/workingset.c).
#pragma once

#include "simulator/native/policy.hpp"

namespace nwtsim {

struct ActiveInactivePolicy : Policy {
    static constexpr bool counts_going_on = false;

    // A block is active from its second read on.
    static void touch(Rings& rings, StoreInstance& at, BlockId b) {
        if (rings[b].flags & USED_AGAIN) return;
        rings[b].flags |= USED_AGAIN;
        ++at.age;
        if (rings[b].state == BlockState::clean) move(rings, b, at.clean(), at.again(), BlockState::again);
    }
    static BlockState ring(Rings& rings, BlockId b) { return by_use(rings, b); }
    // A block that went so lately that it is to be active.
    static int recall(Rings& rings, StoreInstance& at, FileId f, i32 index) {
        const BlockId b = rings.look(f, index);
        if (b < 0) return 0;
        const bool late = at.age - rings[b].memory <= at.again().count;
        at.age += late;
        forget_key(rings, at.gone, b);
        return late;
    }
    // The first inactive block; active ones become inactive while those are too few, and one for a
    // block that comes back. Too few: active / inactive > isqrt(10 G), at least 1, which is (as both
    // sides are whole) ceil(active / inactive)^2 > 10 G, of G GiB.
    static BlockId victim(Rings& rings, StoreInstance& at, int remembered) {
        const i64 most = std::max<i64>(1, 10 * (at.cleans() * at.store->block.count >> 30));
        bool coming = remembered && at.again().first >= 0;
        while (true) {
            const i64 active = at.again().count, inactive = at.clean().count;
            if (inactive && !coming) {
                const i64 quotient = (active + inactive - 1) / inactive;
                if (quotient * quotient <= most) return at.clean().first;
            }
            coming = false;
            const BlockId b = at.again().first;
            move(rings, b, at.again(), at.clean(), BlockState::clean);
            rings[b].flags &= static_cast<u16>(~USED_AGAIN);
        }
    }
    static void keep(Rings& rings, StoreInstance& at, BlockId b, BlockState) {
        rings[b].memory = ++at.age;
        keep_key(rings, at.gone, b, BlockState::gone, at.store->slots);
    }

  private:
    static void move(Rings& rings, BlockId b, Ring& from, Ring& to, BlockState state) {
        rings.remove(b, from);
        rings.append(b, to);
        rings[b].state = state;
    }
};

}  // namespace nwtsim
