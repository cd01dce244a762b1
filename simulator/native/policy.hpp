// What a replacement policy is: which clean block goes when room is needed. It has no clock.
//
// A policy is a class with static functions, native.hpp in its folder of simulator/kinds/policies;
// it has those of Policy unless it says otherwise. The clean blocks of an instance are in the ring
// `clean`, those that came first in front; a policy may keep some in a second one, `again` (state
// BlockState::again). It may remember a number of each block (Block::memory) and of each instance
// (target), and keys of blocks that have gone (rings `gone` and `gone_again`). `age` is a number of
// an instance too, for a clock that only keys are compared with: their memory is when they went.
#pragma once

#include "simulator/native/block.hpp"

namespace nwtsim {

// First in, first out.
struct Policy {
    // A block that is there is used, clean or not.
    static void touch(Rings&, StoreInstance&, BlockId) {}
    // It is used by a write, by the first read of one that was written or read ahead, or by one that
    // goes on in order in the block where its process's last one ended. Most take that as a use.
    static constexpr bool counts_going_on = true;
    // The ring that a block joins at its end now that it is clean.
    static BlockState ring(Rings&, BlockId) { return BlockState::clean; }
    // A block is admitted; returns 1 or 2 if it was remembered (`keep`), else 0.
    static int recall(Rings&, StoreInstance&, FileId, i32 /*index*/) { return 0; }
    // The clean block that goes now for one that is admitted; there is one. `remembered`: what
    // `recall` has returned for the block that comes.
    static BlockId victim(Rings&, StoreInstance& at, int /*remembered*/) { return at.clean().first; }
    // Forget a clean block that has gone from the ring of a state, or remember its key.
    static void keep(Rings& rings, StoreInstance&, BlockId b, BlockState) { rings.forget(b); }

  protected:
    // Remember the key of a block that has gone, in a ring of at most so many.
    static void keep_key(Rings& rings, Ring& keys, BlockId b, BlockState state, i64 most) {
        rings[b].state = state;
        rings[b].flags = 0;
        rings.append(b, keys);
        if (keys.count <= most) return;
        const BlockId oldest = keys.first;
        rings.remove(oldest, keys);
        rings.forget(oldest);
    }
    static void forget_key(Rings& rings, Ring& keys, BlockId b) {
        rings.remove(b, keys);
        rings.forget(b);
    }
    static BlockState by_use(Rings& rings, BlockId b) {
        return rings[b].flags & USED_AGAIN ? BlockState::again : BlockState::clean;
    }
    static void move_to_end(Rings& rings, StoreInstance& at, BlockId b, BlockState state) {
        rings.leave(at, b);
        rings.join(at, b, state);
    }
};

}  // namespace nwtsim
