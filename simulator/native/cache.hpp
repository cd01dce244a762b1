// The states of blocks: clean, dirty, queued; admission and eviction.
//
// The rules are those of docs/composition.md, Stores. No clock, no queues of actors.
#pragma once

#include "simulator/native/curves.hpp"
#include "simulator/native/policies.hpp"

namespace nwtsim {

class Cache : public Rings {
  public:
    Curves* curves = nullptr;  // None if they were not requested.

    // -- room ----------------------------------------------------------------------------------------

    // Return whether the file's written blocks are below its quota.
    bool may_write(const StoredFile& file) const {
        const i64 quota = file.instance->store->quota;
        return quota < 0 || file.written < quota;
    }

    // Test a file's quota for a write; a file at its limit has outgrown it.
    void note_quota(StoredFile& file) const {
        if (!may_write(file)) file.outgrown = true;
    }

    // Return whether `admit` would succeed now, for a write or for anything.
    bool has_room(const StoredFile& file) const {
        return may_write(file) ? has_any_room(*file.instance) : file.clean.first >= 0;
    }
    static bool has_any_room(const StoreInstance& at) { return at.used - at.cleans() < at.space; }

    // Return whether no more blocks of an instance may become dirty.
    static bool is_at_limit(const StoreInstance& at) { return at.most_dirty >= 0 && at.most_dirty <= at.held; }

    // Programs leave another number of slots: scale limit and watermarks, and evict clean blocks
    // until the others fit.
    void share_out(StoreInstance& at) {
        const Store& store = *at.store;
        const auto left = [&](i64 blocks) { return scaled(blocks, at.space, store.slots); };
        if (store.dirty_limit >= 0) at.most_dirty = std::max<i64>(1, left(store.dirty_limit));
        at.high = left(store.high);
        at.low = left(store.low);
        with_policy(store.policy, [&](auto policy) {
            while (at.used > at.space && at.cleans()) evict(policy, at, policy.victim(*this, at, 0));
        });
    }

    // Admit a block, busy and empty; returns its row, or NONE if none can be evicted for it. A
    // write takes a place in its file's quota; if that is full, only a clean written block of the
    // file itself can be evicted.
    BlockId admit(FileId f, i32 index, bool write) {
        StoredFile& own = file(f);
        StoreInstance& at = *own.instance;
        BlockId victim = NONE;
        if (write && !may_write(own)) {
            own.outgrown = true;
            victim = own.clean.first;
            if (victim < 0) return NONE;
        } else if (!has_any_room(at)) {
            return NONE;
        }
        const int remembered = with_policy(at.store->policy, [&](auto policy) {
            const int known = policy.recall(*this, at, f, index);
            if (victim >= 0) evict(policy, at, victim);
            else
                for (int coming = known; at.used >= at.space; coming = 0)  // One is evicted for the block that comes in.
                    evict(policy, at, policy.victim(*this, at, coming));
            return known;
        });
        ++at.used;
        if (curves) [[unlikely]] curves->change_used(at.number, 1);
        const BlockId b = new_block(f, index);
        Block& block = (*this)[b];
        block.state = BlockState::busy;
        block.flags = remembered ? USED_AGAIN : 0;
        block.valid = 0;
        if (write) {
            block.flags |= UNREAD;
            count_written(b, own);
        }
        return b;
    }

    // Drop the clean blocks [low, high) of a file; returns their number.
    i64 invalidate(FileId f, i64 low, i64 high) {
        StoreInstance& at = *file(f).instance;
        const i64 before = at.cleans();
        if (high - low < before) {
            for (i64 index = low; index < high; ++index) {
                const BlockId b = find(f, static_cast<i32>(index));
                if (b >= 0 && ((*this)[b].state == BlockState::clean || (*this)[b].state == BlockState::again)) drop(at, b);
            }
        } else {
            for (Ring* ring : {&at.clean(), &at.again()})
                for (BlockId b = ring->first; b >= 0;) {
                    const BlockId after = (*this)[b].next;
                    if ((*this)[b].file == f && low <= (*this)[b].index && (*this)[b].index < high) drop(at, b);
                    b = after;
                }
        }
        at.invalidated += before - at.cleans();
        return before - at.cleans();
    }

    // Count a block as gone.
    void uncount(StoreInstance& at, BlockId b) {
        if ((*this)[b].flags & WRITTEN) --file_of(b).written;
        --at.used;
        if (curves) [[unlikely]] curves->change_used(at.number, -1);
    }

    // -- using ---------------------------------------------------------------------------------------

    // Use a resident block; `goes_on`: not by a new read of it.
    void touch(StoreInstance& at, BlockId b, bool goes_on, bool writes) {
        Block& block = (*this)[b];
        if (block.flags & AHEAD) {
            block.flags &= static_cast<u16>(~AHEAD);
            ++at.used_ahead;
            goes_on = true;
        }
        if (block.flags & UNREAD && !writes) {
            block.flags &= static_cast<u16>(~UNREAD);
            goes_on = true;
        }
        if (block.flags & WRITTEN && (block.state == BlockState::clean || block.state == BlockState::again)) {
            remove_from_file(b, file_of(b).clean);
            append_to_file(b, file_of(b).clean);
        }
        with_policy(at.store->policy, [&](auto policy) {
            if (!goes_on || policy.counts_going_on) policy.touch(*this, at, b);
        });
    }

    // Move a busy block to the ring of its state, if it is no longer in use.
    void settle(StoreInstance& at, BlockId b) {
        const Block& block = (*this)[b];
        if (block.state != BlockState::busy || block.flags & (GOING_BELOW | FETCHING)) return;
        FileRing* clean = nullptr;
        if (block.flags & WRITTEN) {
            StoredFile& own = file_of(b);
            const WrittenBlock& more = written(b);
            if (more.dirty_sum) {
                ++own.pending;
                join_both(at, b, BlockState::dirty, &own.dirty);
                return;
            }
            if (more.writers) return;
            clean = &own.clean;
        }
        join_both(at, b, with_policy(at.store->policy, [&](auto policy) { return policy.ring(*this, b); }), clean);
    }

    // Return whether a block has no data that are not below, and no transfer into it.
    bool is_clean(BlockId b) {
        const u16 flags = (*this)[b].flags;
        return !(flags & WRITTEN) || (!written(b).writers && !written(b).dirty_sum && !(flags & GOING_BELOW));
    }

    // Begin a transfer into a block: it cannot be evicted before its end.
    void begin_write(StoreInstance& at, BlockId b, const Tier* below, i32 node) {
        if (is_clean(b)) ++at.held;
        const BlockState state = (*this)[b].state;
        if (state == BlockState::clean || state == BlockState::again) leave(at, b);
        if (!((*this)[b].flags & WRITTEN)) count_written(b, file_of(b));
        WrittenBlock& block = written(b);
        ++block.writers;
        block.below = below;
        block.node = node;
    }

    // End a transfer into [low, high) of a block: the block is dirty.
    void end_write(StoreInstance& at, BlockId b, i32 low, i32 high, i64 size) {
        WrittenBlock& block = written(b);
        const i64 before = curves && block.dirty_sum ? dirty_bytes(b) : 0;
        --block.writers;
        block.low = block.dirty_sum ? std::min(low, block.low) : low;
        block.high = block.dirty_sum ? std::max(high, block.high) : high;
        block.dirty_sum += high - low;
        if (curves) [[unlikely]] curves->change_dirty(at.number, dirty_bytes(b) - before);
        Block& own = (*this)[b];
        own.valid = std::max(high, own.valid);
        own.flags = static_cast<u16>(high - low == size ? own.flags | WHOLE : own.flags & ~WHOLE);
        settle(at, b);
    }

    // Cancel a transfer into a block; returns whether the block is dropped as empty.
    bool cancel_write(StoreInstance& at, BlockId b) {
        --written(b).writers;
        if (is_clean(b)) {
            --at.held;
            if (!(*this)[b].valid) {
                uncount(at, b);
                return true;
            }
        }
        settle(at, b);
        return false;
    }

    // Return whether a write of [low, high) would overwrite bytes that are not yet below.
    bool overlaps_dirty(BlockId b, i64 low, i64 high) {
        const WrittenBlock& block = written(b);
        return (*this)[b].flags & WRITTEN && block.dirty_sum > 0 && low < block.high && high > block.low;
    }

    // -- writing back --------------------------------------------------------------------------------

    // Return whether a block holds data up to its end.
    bool is_full(const StoreInstance& at, BlockId b) { return (*this)[b].valid >= at.store->block.count; }

    // Return the bytes that a write-back of a block alone would move.
    i64 dirty_bytes(BlockId b) {
        const WrittenBlock& block = written(b);
        return std::min<i64>(block.dirty_sum, block.high - block.low);
    }

    // Return the oldest other dirty block of the file, or `b` if there is none.
    BlockId dirty_before(BlockId b) {
        BlockId other = file_of(b).dirty.first;
        if (other == b) other = written(other).next_of_file;
        return other >= 0 ? other : b;
    }

    // Request the write-back of a dirty block; `in_front`: before the others.
    void queue(StoreInstance& at, BlockId b, bool in_front = false) {
        leave(at, b);
        join(at, b, BlockState::queued, in_front);
    }

    // Take a dirty block to write it back.
    void begin_writeback(StoreInstance& at, BlockId b) {
        leave(at, b);
        (*this)[b].flags |= GOING_BELOW;
        written(b).dirty_sum = 0;
    }

    // End a write-back; returns whether the block is evicted. It stays dirty if it was written to
    // since.
    bool end_writeback(StoreInstance& at, BlockId b) {
        StoredFile& file = file_of(b);
        (*this)[b].flags &= static_cast<u16>(~GOING_BELOW);
        --file.pending;
        if (!written(b).dirty_sum && !written(b).writers) {
            --at.held;
            if (file.outgrown && is_released(at, b)) {
                uncount(at, b);
                return true;
            }
        }
        settle(at, b);
        return false;
    }

    // Count the dirty data at the end of a run.
    void count_dirty() {
        for (StoreInstance& at : instances) {
            at.resident = at.used;
            for (Ring* ring : {&at.dirty_ring(), &at.queued()}) {
                at.dirty += ring->count;
                for (BlockId b = ring->first; b >= 0; b = (*this)[b].next) {
                    at.dirty_bytes.count += written(b).dirty_sum;
                    if (curves) curves->of(at.number).left += dirty_bytes(b);
                }
            }
        }
    }

  private:
    template <class Kind>
    void evict(Kind policy, StoreInstance& at, BlockId b) {
        ++at.evicted;
        const BlockState state = (*this)[b].state;
        leave(at, b);
        uncount(at, b);
        policy.keep(*this, at, b, state);
    }

    // Drop a clean block without remembering it.
    void drop(StoreInstance& at, BlockId b) {
        leave(at, b);
        uncount(at, b);
        forget(b);
    }

    // Count a block against its file's quota from now on.
    void count_written(BlockId b, StoredFile& own) {
        (*this)[b].flags |= WRITTEN;
        WrittenBlock& block = written(b);
        block.writers = 0;
        block.dirty_sum = 0;
        block.dirty_since = Nanoseconds{-1};
        ++own.written;
    }

    // Return whether a block of a file beyond its quota is evicted once it is clean.
    bool is_released(const StoreInstance& at, BlockId b) {
        switch (at.store->release) {
            case Release::whole: return (*this)[b].flags & WHOLE;
            case Release::full: return is_full(at, b);
            default: return false;
        }
    }
};

}  // namespace nwtsim
