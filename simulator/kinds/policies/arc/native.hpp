// Adaptive replacement (Megiddo, Modha, 2003): blocks used once, and blocks used again.
//
// T1 is the ring of clean blocks used once, T2 of those used again; B1 and B2 are the keys of blocks
// that went from them. The target for the size of T1 grows with admissions from B1, and shrinks with
// those from B2.
#pragma once

#include "simulator/native/policy.hpp"

namespace nwtsim {

struct ArcPolicy : Policy {
    static void touch(Rings& rings, StoreInstance& at, BlockId b) {
        rings[b].flags |= USED_AGAIN;
        const BlockState state = rings[b].state;
        if (state == BlockState::clean || state == BlockState::again) move_to_end(rings, at, b, BlockState::again);
    }
    static BlockState ring(Rings& rings, BlockId b) { return by_use(rings, b); }
    static int recall(Rings& rings, StoreInstance& at, FileId f, i32 index) {
        const BlockId b = rings.look(f, index);
        if (b < 0) return 0;
        const i64 once = at.gone.count, again = at.gone_again.count;
        if (rings[b].state == BlockState::gone) {
            at.target = std::min(at.store->slots, at.target + std::max<i64>(1, again / once));
            forget_key(rings, at.gone, b);
            return 1;
        }
        at.target = std::max<i64>(0, at.target - std::max<i64>(1, once / again));
        forget_key(rings, at.gone_again, b);
        return 2;
    }
    static BlockId victim(Rings&, StoreInstance& at, int remembered) {
        const i64 once = at.clean().count;
        const bool is_long = once > at.target || (remembered == 2 && once == at.target) || at.again().first < 0;
        return once && is_long ? at.clean().first : at.again().first;
    }
    static void keep(Rings& rings, StoreInstance& at, BlockId b, BlockState state) {
        if (state == BlockState::again) keep_key(rings, at.gone_again, b, BlockState::gone_again, at.store->slots);
        else keep_key(rings, at.gone, b, BlockState::gone, at.store->slots);
    }
};

}  // namespace nwtsim
