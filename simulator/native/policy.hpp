// Interface of a replacement policy: choice of the clean block to evict. It has no clock.
//
// A policy is a class with static functions, native.hpp in its folder of simulator/kinds/policies;
// it inherits those of Policy that it does not define. The clean blocks of an instance are in the
// ring `clean`, in the order of their arrival; a policy may keep some in a second one, `again`
// (state BlockState::again). It may store a number for each block (Block::memory) and each instance
// (target), and keys of evicted blocks (rings `gone` and `gone_again`). `age` is a further number
// of an instance, for a clock with which only keys are compared: their memory is the time of
// eviction.
#pragma once

#include "simulator/native/block.hpp"

namespace nwtsim {

// First in, first out.
struct Policy {
    // A resident block is used, clean or not.
    static void touch(Rings&, StoreInstance&, BlockId) {}
    // It is used by a write, by the first read of one that was written or read ahead, or by one
    // that continues sequentially in the block where its process's last one ended. Most policies
    // count this as a use.
    static constexpr bool counts_going_on = true;
    // Return the ring to which a block that is now clean is appended.
    static BlockState ring(Rings&, BlockId) { return BlockState::clean; }
    // Admit a block; returns 1 or 2 if its key was remembered (`keep`), otherwise 0.
    static int recall(Rings&, StoreInstance&, FileId, i32 /*index*/) { return 0; }
    // Return the clean block to evict for an admitted one; one exists. `remembered`: the result of
    // `recall` for the new block.
    static BlockId victim(Rings&, StoreInstance& at, int /*remembered*/) { return at.clean().first; }
    // Forget an evicted clean block of the ring of a state, or remember its key.
    static void keep(Rings& rings, StoreInstance&, BlockId b, BlockState) { rings.forget(b); }

  protected:
    // Remember the key of an evicted block, in a ring of limited size.
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
