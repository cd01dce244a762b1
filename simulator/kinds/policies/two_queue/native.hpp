// 2Q (Johnson, Shasha, 1994): A1in is the ring of clean blocks, Am the one of those used again, A1out
// the keys of blocks that went from A1in.
#pragma once

#include "simulator/native/policy.hpp"

namespace nwtsim {

struct TwoQueuePolicy : Policy {
    static void touch(Rings& rings, StoreInstance& at, BlockId b) {
        if (rings[b].state == BlockState::again) move_to_end(rings, at, b, BlockState::again);
    }
    static BlockState ring(Rings& rings, BlockId b) { return by_use(rings, b); }
    static int recall(Rings& rings, StoreInstance& at, FileId f, i32 index) {
        const BlockId b = rings.look(f, index);
        if (b < 0) return 0;
        forget_key(rings, at.gone, b);
        return 1;
    }
    static BlockId victim(Rings&, StoreInstance& at, int) {
        const bool is_long = at.clean().count > at.store->slots / 4;
        return is_long || at.again().first < 0 ? at.clean().first : at.again().first;
    }
    static void keep(Rings& rings, StoreInstance& at, BlockId b, BlockState state) {
        if (state == BlockState::again) rings.forget(b);
        else keep_key(rings, at.gone, b, BlockState::gone, std::max<i64>(1, at.store->slots / 2));
    }
};

}  // namespace nwtsim
