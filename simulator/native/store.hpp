// The stores as tiers: writing back and through, syncs, direct requests; docs/composition.md, Stores.
#pragma once

#include "simulator/native/reading.hpp"

namespace nwtsim {

class Stores : public Reading {
  public:
    using Reading::Reading;

    // Serve a request at a store.
    Step step(Actor* actor, Frame* q) { return q->state == State::fresh ? begin(actor, q) : go_on(actor, q); }

    // A request at a store has timed out: neither its fetched nor its written blocks arrive.
    void fail(Frame* q) {
        const bool writes = q->op == Op::write;
        if (q->state == State::fetching) {
            const i32 first = writes ? q->block : q->run, end = writes ? q->block + 1 : q->block;
            for (i32 index = first; index < end; ++index) fail_fetch(q, index);
        } else if (q->state == State::passing && writes && q->instance->store->back) {
            for (i32 index = q->run; index < q->block; ++index) cancel_write(q, index);
        }
    }

  private:
    static constexpr Step CLOSE_RUN{-4};  // The block is not free, and blocks of a run are open.

    [[gnu::noinline]] Step begin(Actor* actor, Frame* q) {
        Reading::begin(q);
        return go_on(actor, q);
    }

    Step go_on(Actor* actor, Frame* q) {
        if (q->how & PAST && q->tier->slot == 0) return go_past(actor, q);
        if (q->op == Op::read) return read(actor, q);
        if (q->op == Op::write) return q->instance->store->back ? write(actor, q) : write_through(actor, q);
        return sync(actor, q);
    }

    // -- writing back --------------------------------------------------------------------------------

    // Move bytes into a store with write-back.
    Step write(Actor* actor, Frame* q) {
        StoreInstance& at = *q->instance;
        const Bytes size = at.store->block;
        if (goes_on_done(actor, q)) return GO;
        while (true) {
            if (q->state != State::passing) {
                q->state = State::looking;
                while (size * q->block < q->stop) {
                    clock.pulse.tick();
                    const Step time = open_block(actor, q, at);
                    if (time == CLOSE_RUN) break;
                    if (time != READY) return time;
                }
            }
            const Step time = pass_entry(actor, q, std::max(q->at, size * q->run), std::min(q->stop, size * q->block));
            if (time != GO) return time;
            q->state = State::looking;
            const Nanoseconds until = back.slow_down(at, close_run(q, at));
            if (until) {
                back.wait(actor, q, at.store->writeback_column);
                q->state = State::slowed;
                return until;
            }
            if (ends_write(actor, q)) return GO;
        }
    }

    // Return whether a write that resumes after waiting is done.
    bool goes_on_done(Actor* actor, Frame* q) {
        switch (q->state) {
            case State::waiting: back.resume(actor, q); return false;
            case State::fetching: {
                const BlockId b = cache.find(q->file_in_store, q->block);
                ++q->instance->read_back;
                q->instance->read_back_bytes.count += cache[b].valid;
                arrive(*q->instance, q->file_in_store, b);
                return false;
            }
            case State::slowed:
                back.resume(actor, q);
                q->state = State::looking;
                return ends_write(actor, q);
            default: return false;
        }
    }

    // Return whether a write has ended with the current run; it proceeds to an extent.
    bool ends_write(Actor* actor, Frame* q) {
        const Store& store = *q->instance->store;
        if (store.block * q->block < q->stop || next_extent(q, store)) return false;
        actors.answer(actor);
        return true;
    }

    // Open one block for writing: READY, or CLOSE_RUN if it is not free and a run is open.
    Step open_block(Actor* actor, Frame* q, StoreInstance& at) {
        const Store& store = *at.store;
        const FileId f = q->file_in_store;
        const i32 index = q->block;
        const i64 begin = (store.block * index).count, size = store.block.count;
        const i64 low = std::max<i64>(0, q->at.count - begin), high = std::min(size, q->stop.count - begin);
        const bool run_is_open = index > q->run, full = Cache::is_at_limit(at);
        BlockId b = cache.find(f, index);
        count(q, at, index, b >= 0);
        if (b < 0) {
            if (full) return run_is_open ? CLOSE_RUN : reach_limit(actor, q, at);
            const i64 valid = back.valid_bytes(store, q->file, index);
            const bool partial = valid > 0 && (low > 0 || high < valid);
            if (partial && run_is_open) {
                cache.note_quota(cache.file(f));
                return CLOSE_RUN;
            }
            b = cache.admit(f, index, true);
            if (b < 0) return run_is_open ? CLOSE_RUN : want_room(actor, q, at);
            back.pass_turn(q, at, f);
            if (partial) {
                begin_fetch(b, store, 0, NONE);
                fetch_below(actor, q, store, index, index + 1);
                return GO;
            }
            ++at.created;
        } else {
            const Step time = free_block(actor, q, at, b, run_is_open, low, high);
            if (time != READY) return time;
            if (full && cache.is_clean(b)) return run_is_open ? CLOSE_RUN : reach_limit(actor, q, at);
            back.pass_turn(q, at, f);
        }
        cache.begin_write(at, b, q->tier->next(), q->places[0]);
        q->block = index + 1;
        return READY;
    }

    // Wait for a resident block until it may be changed; READY if it may be.
    Step free_block(Actor* actor, Frame* q, StoreInstance& at, BlockId b, bool run_is_open, i64 low, i64 high) {
        const FileId f = q->file_in_store;
        const u16 flags = cache[b].flags;
        i32 column = at.store->writeback_column;
        BlockId awaited = b;
        if (flags & FETCHING) {
            column = at.store->cache_column;
        } else if (!(flags & GOING_BELOW)) {
            if (!at.store->rewrite || !cache.overlaps_dirty(b, low, high)) return READY;
            if (run_is_open) return CLOSE_RUN;
            awaited = back.on_its_way(at, f, b);
            if (awaited < 0) {
                awaited = cache.dirty_before(b);
                cache.queue(at, awaited, true);
                back.pass_turn(q, at, f);
                back.call_worker(at);
                at.rewrites_waited += awaited == b;
            }
        }
        if (run_is_open) return CLOSE_RUN;
        back.pass_turn(q, at, f);
        return back.wait_for_block(actor, q, awaited, column);
    }

    // Wait for fewer dirty blocks; a turn for room is passed on.
    Step reach_limit(Actor* actor, Frame* q, StoreInstance& at) {
        if (q->turn == Turn::room) back.pass_turn(q, at, q->file_in_store);
        return back.wait_for_limit(actor, q, at);
    }

    // Wait for room for a write; offered room may suffice for another actor.
    Step want_room(Actor* actor, Frame* q, StoreInstance& at) {
        const FileId f = q->file_in_store;
        if (q->turn == Turn::limit) back.pass_turn(q, at, f);
        else if (q->turn == Turn::room) back.offer_room(f);
        return back.wait_for_room(actor, q, at, cache.may_write(cache.file(f)) ? NONE : f);
    }

    // Complete a run: its blocks are dirty. Returns the number of newly dirty ones.
    i64 close_run(Frame* q, StoreInstance& at) {
        if (q->run == q->block) return 0;
        const Store& store = *at.store;
        const i64 size = store.block.count;
        i64 start = size * q->run, fresh = 0;
        const i64 begin = std::max(q->at.count, start), end = std::min(q->stop.count, size * q->block);
        const bool hurried = back.is_hurried(at, cache.file(q->file_in_store));
        accept(q, {end - begin}, {end});
        for (i32 index = q->run; index < q->block; ++index, start += size) {
            const i64 low = std::max<i64>(0, begin - start), high = std::min(size, end - start);
            const BlockId b = cache.look(q->file_in_store, index);  // It is resident: it has been opened.
            fresh += cache.written(b).dirty_sum == 0;
            cache.end_write(at, b, static_cast<i32>(low), static_cast<i32>(high), size);
            if (cache.written(b).dirty_sum && !(cache[b].flags & GOING_BELOW)) back.became_dirty(at, b, hurried);
        }
        q->run = q->block;
        return fresh;
    }

    // Count bytes of a file that an instance receives, and extend the file.
    void accept(Frame* q, Bytes size, Bytes end) {
        StoreInstance& at = *q->instance;
        at.accepted_bytes = within(at.accepted_bytes + size, Culprit::file, q->file);
        Bytes& exists = back.exists_of(*at.store, q->file);
        exists = std::max(exists, end);
    }

    // -- writing through -----------------------------------------------------------------------------

    // Move bytes into a store and to the tiers below it.
    Step write_through(Actor* actor, Frame* q) {
        const Store& store = *q->instance->store;
        if (q->state == State::below) {
            end_through(q);
            actors.answer(actor);
            return GO;
        }
        do {
            const Step time = pass_entry(actor, q, q->at, q->stop);
            if (time != GO) return time;
        } while (next_extent(q, store));
        q->state = State::below;
        actors.part_of(actor, q, q->tier->next(), q->low, q->high);
        return GO;
    }

    // A write has reached the tiers below: the blocks that it covers are resident, too.
    void end_through(Frame* q) {
        StoreInstance& at = *q->instance;
        const Store& store = *at.store;
        const FileId f = q->file_in_store;
        const i64 size = store.block.count;
        for (i32 index = store.block_at(q->low); index * size < q->high.count; ++index) {
            clock.pulse.tick();
            const i64 low = std::max<i64>(0, q->low.count - index * size), high = std::min(size, q->high.count - index * size);
            BlockId b = cache.find(f, index);
            if (b >= 0) {
                if (cache[b].flags & FETCHING) continue;
                cache.touch(at, b, true, true);
                cache[b].valid = std::max(static_cast<i32>(high), cache[b].valid);
                continue;
            }
            const i64 valid = back.valid_bytes(store, q->file, index);
            if (valid > 0 && (low > 0 || high < valid)) continue;
            b = cache.admit(f, index, false);
            if (b < 0) continue;
            ++at.created;
            cache[b].flags |= UNREAD;
            cache[b].valid = static_cast<i32>(high);
            cache.settle(at, b);
        }
        accept(q, q->size(), q->high);
    }

    // -- syncs, direct requests ----------------------------------------------------------------------

    // Wait until a file's dirty blocks are below, and continue; metadata requests continue at once.
    Step sync(Actor* actor, Frame* q) {
        StoreInstance& at = *q->instance;
        const FileId f = q->file_in_store;
        const i64 count = stages(q);
        if (q->state == State::fresh || q->state == State::down) {
            q->state = State::down;
            const Step time = enter(actor, q, NO_BYTES, NO_BYTES, count);
            if (time != GO) return time;
            if (q->op == Op::sync && at.store->back) {
                ++at.syncs;
                back.queue_all(f);
                if (cache.file(f).pending) return back.wait_for_sync(actor, q, f, at.store->writeback_column);
            }
        } else if (q->state == State::waiting) {
            back.resume(actor, q);
        }
        if (q->state != State::up) {
            if (count == 0) return Tiers::go_below(q);
            if (q->state != State::below) {
                q->state = State::below;
                actors.part_of(actor, q, q->tier->next(), NO_BYTES, NO_BYTES);
                return GO;
            }
            q->state = State::up;
        }
        const Step time = enter(actor, q, NO_BYTES, NO_BYTES, 2 * count);
        if (time != GO) return time;
        actors.answer(actor);
        return GO;
    }

    // Pass a direct request by a store of its process's node.
    Step go_past(Actor* actor, Frame* q) {
        const FileId f = q->file_in_store;
        StoreInstance& at = *q->instance;
        if (q->state == State::below) {
            write_past(q);
            actors.answer(actor);
            return GO;
        }
        if (q->state == State::fresh && at.store->back) {
            back.queue_all(f);
            if (cache.file(f).pending) return back.wait_for_sync(actor, q, f, at.store->writeback_column);
        } else if (q->state == State::waiting) {
            back.resume(actor, q);
        }
        if (q->op == Op::read) return Tiers::go_below(q);
        q->state = State::below;
        actors.part_of(actor, q, q->tier->next(), q->low, q->high);
        return GO;
    }

    // Drop clean blocks that a write below the store has touched.
    void write_past(Frame* q) {
        const Store& store = *q->instance->store;
        Bytes& exists = back.exists_of(store, q->file);
        exists = std::max(exists, q->high);
        back.drop_blocks(q->file_in_store, q->low / store.block, (q->high + store.block - Bytes{1}) / store.block);
    }

    // -- requests that time out
    // --------------------------------------------------------------------------

    // Drop a block whose fetch failed; wake actors that wait for it, or for room.
    void fail_fetch(Frame* q, i32 index) {
        const BlockId b = cache.find(q->file_in_store, index);
        cache.uncount(*q->instance, b);
        back.wake_block(b);
        cache.forget(b);
        back.offer_room(q->file_in_store);
    }

    // Cancel a transfer into a block: it is as before, or is dropped if empty.
    void cancel_write(Frame* q, i32 index) {
        const BlockId b = cache.find(q->file_in_store, index);
        if (cache.cancel_write(*q->instance, b)) {
            ++q->instance->invalidated;
            cache.forget(b);
        }
        back.offer_room(q->file_in_store);
        back.offer_limit(*q->instance);
    }
};

}  // namespace nwtsim
