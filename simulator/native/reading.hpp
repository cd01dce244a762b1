// Reads of stores: extents, fetches, and read-ahead.
//
// A request at a store proceeds extent by extent, and block by block within one: `at` and `stop`
// are the extent's bytes, `block` the current block, and [`run`, `block`) those that it has just
// fetched, or opened for writing.
#pragma once

#include "simulator/native/writeback.hpp"

namespace nwtsim {

class Reading {
  public:
    Reading(Tiers& tiers, Cache& cache, WriteBack& back, i64 first_reader, i64 files)
        : tiers(tiers), cache(cache), back(back), actors(tiers.actors), clock(tiers.clock),
          first_reader_(first_reader), files_(files) {}

    Tiers& tiers;
    Cache& cache;
    WriteBack& back;
    Actors& actors;
    Clock& clock;

    // Complete the fetch of a reader.
    Step end_reader(Actor* actor) {
        const FileId f = actor->index;
        StoredFile& file = cache.file(f);
        end_fetch(*file.instance, f, file.run, file.run_end);
        cache.file(f).reader = nullptr;
        actors.give_back(actor);
        return BLOCKED;
    }

  protected:
    // -- extents -------------------------------------------------------------------------------------

    // Begin a request at a store: its instance, its file there, its first extent.
    void begin(Frame* q) {
        const Store& store = cache.stores[static_cast<size_t>(q->tier->row)];
        StoreInstance& at = cache.instances[static_cast<size_t>(store.first + q->places[q->tier->slot])];
        q->instance = &at;
        q->file_in_store = cache.file_row(at, q->file);
        q->turn = Turn::none;
        q->counted = NONE;
        q->step = 0;
        q->at = q->low;
        q->block = q->run = store.block_at(q->low);
        const Bytes extent = store.extent_bytes;
        const Bytes stop = extent == store.block ? extent * (i64{q->block} + 1) : extent * (q->low / extent + 1);
        q->stop = std::min(stop, q->high);
    }

    // Advance to the next extent of a request; returns whether there is one.
    static bool next_extent(Frame* q, const Store& store) {
        if (q->stop >= q->high) return false;
        q->at = q->stop;
        q->stop = std::min(q->at + store.extent_bytes, q->high);
        q->run = q->block;
        return true;
    }

    static i64 stages(const Frame* q) { return q->tier - q->entry; }

    // Pass the stages directly above a store, down and then up, up to a step.
    Step enter(Actor* actor, Frame* q, Bytes low, Bytes high, i64 until) {
        const i64 count = stages(q);
        while (q->step < until) {
            const i64 step = q->step++;
            const bool down = step < count;
            const Tier& stage = q->entry[down ? step : 2 * count - 1 - step];
            Bytes size = stage.header;
            if (q->op == (down ? Op::write : Op::read)) size += high - low;
            const Step time = tiers.way(actor, q, stage, down, size, low, high);
            if (time != GO) return time;
        }
        return GO;
    }

    [[gnu::noinline]] Step pass_stages(Actor* actor, Frame* q, Bytes low, Bytes high) {
        const Step time = enter(actor, q, low, high, 2 * stages(q));
        if (time == GO) q->step = 0;
        return time;
    }

    // Pass all stages of the entry with bytes [low, high); GO when that is done.
    Step pass_entry(Actor* actor, Frame* q, Bytes low, Bytes high) {
        const i64 count = stages(q);
        if (count == 0) return GO;
        q->state = State::passing;
        if (count == 1 && !q->entry->header) {  // One stage, one way.
            if (q->step) {
                q->step = 0;
                return GO;
            }
            const Step time = tiers.way(actor, q, *q->entry, q->op == Op::write, high - low, low, high);
            q->step = time != GO;
            return time;
        }
        return pass_stages(actor, q, low, high);
    }

    // -- reading -------------------------------------------------------------------------------------

    // Make a request's blocks resident, and move its bytes up.
    Step read(Actor* actor, Frame* q) {
        StoreInstance& at = *q->instance;
        const Store& store = *at.store;
        if (q->state == State::waiting) {
            back.resume(actor, q);
        } else if (q->state == State::fetching) {
            end_fetch(at, q->file_in_store, q->run, q->block);
        } else if (q->state == State::passing) {
            const Step time = pass_entry(actor, q, q->at, q->stop);
            if (time != GO) return time;
            if (!next_extent(q, store)) {
                actors.answer(actor);
                return GO;
            }
        }
        q->state = State::looking;
        while (true) {
            while (store.block * q->block < q->stop) {
                clock.pulse.tick();
                const Step time = look(actor, q, at);
                if (time != READY) return time;
            }
            if (q->stop == q->high && q->how & IN_ORDER) read_ahead(q, at);
            const Step time = pass_entry(actor, q, q->at, q->stop);
            if (time != GO) return time;
            if (!next_extent(q, store)) {
                actors.answer(actor);
                return GO;
            }
        }
    }

    // Make one block resident; READY if it is, or is empty.
    Step look(Actor* actor, Frame* q, StoreInstance& at) {
        const BlockId b = cache.find(q->file_in_store, q->block);
        count(q, at, q->block, b >= 0);
        if (b < 0) return fetch_row(actor, q, at);
        back.pass_turn(q, at, q->file_in_store);
        if (cache[b].flags & FETCHING) return back.wait_for_block(actor, q, b, at.store->cache_column);
        const bool goes_on = q->how & IN_ORDER && at.store->block * q->block < q->low;
        cache.touch(at, b, goes_on, false);
        ++q->block;
        return READY;
    }

    // Count the first lookup of a block.
    static void count(Frame* q, StoreInstance& at, i32 index, bool is_there) {
        if (q->counted == index) return;
        q->counted = index;
        ++(is_there ? at.hits : at.misses);
    }

    // Fetch the contiguous absent blocks from `block` on that can be admitted now.
    Step fetch_row(Actor* actor, Frame* q, StoreInstance& at) {
        const FileId f = q->file_in_store;
        const Store& store = *at.store;
        const i32 first = q->block;
        BlockId b = cache.admit(f, first, false);
        if (b < 0) return back.wait_for_room(actor, q, at, NONE);
        begin_fetch(b, store, 0, NONE);
        i32 index = first + 1;
        while (store.block * index < q->stop && cache.find(f, index) < 0) {
            clock.pulse.tick();
            const BlockId before = b;
            b = cache.admit(f, index, false);
            if (b < 0) break;
            count(q, at, index, false);
            begin_fetch(b, store, 0, before);
            ++index;
        }
        back.pass_turn(q, at, f);
        q->run = first;
        q->block = index;
        if (fetch_below(actor, q, store, first, index)) return GO;
        end_fetch(at, f, first, index);
        return READY;
    }

    // Fetch an admitted block, chained to the previous one, if any.
    void begin_fetch(BlockId b, const Store& store, u16 flags, BlockId before) {
        if (before >= 0) cache[before].next = b;  // Neither is in a ring.
        cache[b].flags |= FETCHING | flags;
        cache[b].valid = back.valid_bytes(store, cache.file_of(b).file, cache[b].index);
    }

    // Request the existing bytes of some blocks from the tiers below; returns whether there are
    // any.
    bool fetch_below(Actor* actor, Frame* q, const Store& store, i32 first, i32 last) {
        const Bytes low = store.block * first;
        const Bytes high = std::min(store.block * last, back.exists_of(store, q->file));
        if (high <= low) return false;
        q->state = State::fetching;
        Frame* below = actors.part_of(actor, q, q->tier->next(), low, high);
        below->op = Op::read;
        below->how &= IN_ORDER | PAST | WAITS;
        return true;
    }

    // Complete blocks fetched for a miss, or ahead of one.
    void end_fetch(StoreInstance& at, FileId f, i32 first, i32 last) {
        BlockId b = cache.find(f, first);
        for (i32 index = first; index < last; ++index) {
            const BlockId after = cache[b].next;
            ++at.fetched;
            at.fetched_bytes.count += cache[b].valid;
            arrive(at, f, b);
            b = after;
        }
    }

    void arrive(StoreInstance& at, FileId f, BlockId b) {
        cache[b].flags &= static_cast<u16>(~FETCHING);
        cache.settle(at, b);
        back.wake_block(b);
        back.offer_room(f);
    }

    static constexpr Step READY{-3};  // The block is resident.

  private:
    const i64 first_reader_, files_;

    // Start a reader of absent blocks after those of a sequential read.
    void read_ahead(Frame* q, StoreInstance& at) {
        const Store& store = *at.store;
        const FileId f = q->file_in_store;
        if (!store.ahead || cache.file(f).reader) return;
        const Bytes there = back.exists_of(store, q->file);
        i32 index = q->block;
        const i64 last = std::min(i64{index} + store.ahead, (there + store.block - Bytes{1}) / store.block);
        while (index < last && cache.find(f, index) >= 0) ++index;
        const i32 first = index;
        BlockId before = NONE;
        while (index < last && cache.find(f, index) < 0) {
            clock.pulse.tick();
            const BlockId b = cache.admit(f, index, false);
            if (b < 0) break;
            begin_fetch(b, store, AHEAD, before);
            before = b;
            ++index;
        }
        if (index == first) return;
        at.read_ahead += index - first;
        Actor* reader = actors.take(Role::reader, f, first_reader_ + at.number * files_ + q->file);
        StoredFile& file = cache.file(f);
        file.reader = reader;
        file.run = first;
        file.run_end = index;
        Frame* below = actors.part_of(reader, q, q->tier->next(), store.block * first, std::min(store.block * index, there));
        below->how = static_cast<u16>((below->how & (IN_ORDER | PAST)) | WAITS);
        clock.wake(reader);
    }
};

}  // namespace nwtsim
