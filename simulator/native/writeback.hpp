// Write-back: waiting actors of a store and their turns, the workers, and expired blocks.
//
// The rules are those of docs/composition.md, Stores.
#pragma once

#include "simulator/native/cache.hpp"
#include "simulator/native/tiers.hpp"

namespace nwtsim {

class WriteBack {
  public:
    WriteBack(Tiers& tiers, Cache& cache) : tiers(tiers), cache(cache), actors(tiers.actors), clock(tiers.clock) {}

    Tiers& tiers;
    Cache& cache;
    Actors& actors;
    Clock& clock;
    std::vector<Bytes> exists;  // For each store, existing bytes of each file, here or below.

    struct Worker {
        bool is_awake = false;
        FileId file = NONE;
        BlockId first = NONE;  // First of the blocks that it writes back,
        i32 index = 0, count = 0;
        Bytes size{0};         // their number, and bytes.
    };
    std::vector<Worker> workers;

    Bytes& exists_of(const Store& store, i32 file) { return exists[static_cast<size_t>(store.exists + file)]; }

    // Return the bytes of data of a block of a file.
    i32 valid_bytes(const Store& store, i32 file, i32 index) {
        const Bytes there = exists_of(store, file) - store.block * index;
        return static_cast<i32>(std::max(NO_BYTES, std::min(store.block, there)).count);
    }

    // -- waiting -------------------------------------------------------------------------------------

    // Wait as a request: for a block, room, or the limit.
    Step wait(Actor* actor, Frame* q, i32 column, Turn what = Turn::none) {
        q->state = State::waiting;
        q->since = clock.now;
        q->column = static_cast<i16>(column);
        q->waits_for = what;
        actor->after = nullptr;
        return BLOCKED;
    }

    // Resume a request after waiting.
    void resume(Actor* actor, Frame* q) {
        tiers.parts.charge(actor, q->column, clock.now - q->since, ZERO_NS);
        if (q->waits_for != Turn::none) q->turn = q->waits_for;
    }

    // Wait until a block is fetched, or is below.
    Step wait_for_block(Actor* actor, Frame* q, BlockId b, i32 column) {
        wait(actor, q, column);
        Waiters& waiters = cache.written(b).waiters;
        if (!(cache[b].flags & AWAITED)) waiters = {};
        cache[b].flags |= AWAITED;
        waiters.join(actor);
        return BLOCKED;
    }

    void wake_block(BlockId b) {
        if (!(cache[b].flags & AWAITED)) return;
        cache[b].flags &= static_cast<u16>(~AWAITED);
        clock.wake_all(cache.written(b).waiters);
    }

    // Wait until a block can be evicted: of a file, or (NONE) of any.
    Step wait_for_room(Actor* actor, Frame* q, StoreInstance& at, FileId f) {
        queue_oldest(at, f);
        const bool again = q->turn == Turn::room;
        wait(actor, q, at.store->writeback_column, Turn::room);
        stand(f < 0 ? at.room : cache.file(f).room, actor, again);
        return BLOCKED;
    }

    // Wait until fewer blocks are dirty.
    Step wait_for_limit(Actor* actor, Frame* q, StoreInstance& at) {
        ++at.limit_waits;
        queue_oldest(at, NONE);
        const bool again = q->turn == Turn::limit;
        wait(actor, q, at.store->writeback_column, Turn::limit);
        stand(at.limit, actor, again);
        return BLOCKED;
    }

    // Wait until a file has no dirty block in its instance.
    Step wait_for_sync(Actor* actor, Frame* q, FileId f, i32 column) {
        wait(actor, q, column);
        cache.file(f).syncs.join(actor);
        return BLOCKED;
    }

    // An actor has used its turn: offer the rest to others.
    void pass_turn(Frame* q, StoreInstance& at, FileId f) {
        if (q->turn == Turn::none) return;
        const Turn had = q->turn;
        q->turn = Turn::none;
        if (had == Turn::room) offer_room(f);
        else offer_limit(at);
    }

    // Wake an actor that waits for room, if there is room: for a file, and for any.
    void offer_room(FileId f) {
        StoredFile& file = cache.file(f);
        StoreInstance& at = *file.instance;
        if (!file.room.empty()) {
            // With memory of programs an actor may wait for any room, and its quota delays no
            // others.
            const bool is_freed = at.store->elastic && cache.may_write(file);
            if (is_freed || cache.has_room(file)) clock.wake(file.room.leave());
        }
        offer_any_room(at);
    }

    void offer_any_room(StoreInstance& at) {
        if (!at.room.empty() && Cache::has_any_room(at)) clock.wake(at.room.leave());
    }

    void offer_limit(StoreInstance& at) {
        if (!at.limit.empty() && !Cache::is_at_limit(at)) clock.wake(at.limit.leave());
    }

    // -- write-back requests
    // -----------------------------------------------------------------------------

    // Request the write-back of the oldest dirty block: of a file, or of any (NONE).
    void queue_oldest(StoreInstance& at, FileId f) {
        const BlockId b = f < 0 ? at.dirty_ring().first : cache.file(f).dirty.first;
        if (b >= 0) ask_for(at, b);
    }

    void queue_all(FileId f) {
        while (cache.file(f).dirty.first >= 0) queue_oldest(*cache.file(f).instance, f);
    }

    void ask_for(StoreInstance& at, BlockId b, bool in_front = false) {
        cache.queue(at, b, in_front);
        call_worker(at);
    }

    // Return whether each dirty block of a file is written back at once.
    bool is_hurried(const StoreInstance& at, const StoredFile& file) const {
        return at.store->eager || !file.room.empty() || !file.syncs.empty() || !at.room.empty() || !at.limit.empty();
    }

    // Apply the write-back triggers to a block that has become dirty; `hurried`: its file is.
    void became_dirty(StoreInstance& at, BlockId b, bool hurried) {
        const Store& store = *at.store;
        if (cache[b].state == BlockState::dirty && (hurried || is_wanted(at, b))) ask_for(at, b);
        look_at_marks(at);
        if (store.expire_ns >= ZERO_NS && cache[b].state == BlockState::dirty) grow_old(at, b);
    }

    // Add memory that programs hold on the node of an instance.
    void hold(StoreInstance& at, Bytes size) {
        const Store& store = *at.store;
        at.programs += size;
        at.space = std::max<i64>(1, store.slots - (at.programs + store.block - Bytes{1}) / store.block);
        cache.share_out(at);
        if (store.back) {
            look_at_marks(at);
            offer_limit(at);
        }
        offer_any_room(at);
    }

    // A process closes a file that it has written.
    void close(StoreInstance& at, i32 file) {
        if (!at.store->close) return;
        const FileId f = cache.known_file(at, file);
        if (f >= 0) queue_all(f);
    }

    // Drop the clean blocks of a file that has changed elsewhere.
    void drop(StoreInstance& at, i32 file) {
        const FileId f = cache.known_file(at, file);
        if (f >= 0) drop_blocks(f, 0, i64{1} << 40);
    }
    void drop_blocks(FileId f, i64 low, i64 high) {
        if (cache.invalidate(f, low, high)) offer_room(f);
    }

    // Return another block of the file that is queued or being written back, with the lowest
    // number.
    BlockId on_its_way(StoreInstance& at, FileId f, BlockId b) {
        if (cache.file(f).pending == 1) return NONE;
        i32 lowest = NONE;
        const auto see = [&](i32 index) { lowest = lowest < 0 || index < lowest ? index : lowest; };
        for (BlockId other = at.queued().first; other >= 0; other = cache[other].next)
            if (other != b && cache[other].file == f) see(cache[other].index);
        Worker* worker = first_worker(at);
        for (i32 i = 0; i < at.store->workers; ++i)
            if (worker[i].count && worker[i].file == f) see(worker[i].index);
        return lowest >= 0 ? cache.find(f, lowest) : NONE;
    }

    // Wake the idle worker of the lowest number, if there is one.
    void call_worker(StoreInstance& at) {
        if (!at.idle_workers) return;
        Worker* worker = first_worker(at);
        while (worker->is_awake) ++worker;
        const i64 row = worker - workers.data();
        Actor* actor = actors.take(Role::worker, 0, at.store->first_worker + row - at.store->worker_row);
        actor->store = &at;
        actor->worker = static_cast<i32>(row);
        worker->is_awake = true;
        --at.idle_workers;
        clock.wake(actor);
    }

    // -- workers -------------------------------------------------------------------------------------

    // A worker is idle: it completes its last write-back, and takes queued blocks.
    Step work(Actor* actor) {
        StoreInstance& at = *actor->store;
        Worker& worker = workers[static_cast<size_t>(actor->worker)];
        if (worker.count) end_run(at, worker);
        const BlockId b = at.queued().first;
        if (b < 0) {
            worker.is_awake = false;
            ++at.idle_workers;
            actors.give_back(actor);
            return BLOCKED;
        }
        begin_run(actor, at, worker, b);
        return GO;
    }

    // Queue blocks that have expired; returns the time of the next expiry.
    Step flush_old(Actor* actor) {
        StoreInstance& at = *actor->store;
        const Nanoseconds interval = at.store->interval_ns;
        while (at.dirty_ring().first >= 0) {
            Nanoseconds due = cache.written(at.dirty_ring().first).dirty_since + at.store->expire_ns;
            if (due < NEVER) due = interval * ((due + interval - Nanoseconds{1}) / interval);  // Otherwise the run ends.
            if (due > clock.now) return due;
            queue_oldest(at, NONE);
        }
        at.flusher_is_awake = false;
        actors.give_back(actor);
        return BLOCKED;
    }

    // Return the time until which a writer pauses after making a number of blocks dirty; 0: none.
    // As simulator/plan/throttle.py.
    Nanoseconds slow_down(StoreInstance& at, i64 fresh) {
        const Store& store = *at.store;
        if (!fresh || !store.slow_ns) return ZERO_NS;
        const i64 dirty = at.held, limit = at.most_dirty, free = (limit + at.high) / 2;
        if (dirty <= free) {
            at.slowed = std::max(clock.now, at.slowed);
            return ZERO_NS;
        }
        const i64 work = std::min(product(fresh, store.slow_ns.count), MOST_WORK);
        const Nanoseconds period{work * RATIO / position_ratio(dirty, free, limit, store.span)};
        at.slowed = std::max(clock.now - CREDIT, at.slowed) + std::min(LONGEST, period);
        if (at.slowed <= clock.now) return ZERO_NS;
        ++at.limit_waits;
        return at.slowed;
    }

  private:
    static constexpr i64 RATIO = 1 << 10, MOST_WORK = i64{1} << 50;
    static constexpr Nanoseconds LONGEST{200'000'000}, CREDIT{1'000'000'000};

    void stand(Queue& queue, Actor* actor, bool again) {
        if (again) queue.join_in_front(actor);
        else queue.join(actor);
    }

    // Return whether a dirty block is written back at once for what it holds.
    bool is_wanted(const StoreInstance& at, BlockId b) {
        return (at.store->full && cache.dirty_bytes(b) >= at.store->block.count)
               || (cache.file_of(b).outgrown && cache.is_full(at, b));
    }

    // Queue the oldest dirty blocks of an instance down to its low watermark, above its high one.
    void look_at_marks(StoreInstance& at) {
        if (!at.store->mark || at.dirty_ring().count <= at.high) return;
        while (at.dirty_ring().count > at.low) queue_oldest(at, NONE);
    }

    // Note since when a block is dirty, if it was not: the flusher of its instance becomes active.
    void grow_old(StoreInstance& at, BlockId b) {
        WrittenBlock& block = cache.written(b);
        if (block.dirty_since >= ZERO_NS) return;
        block.dirty_since = clock.now;
        if (at.flusher_is_awake) return;
        at.flusher_is_awake = true;
        const Store& store = *at.store;
        const i64 number = store.first_worker + i64{store.workers} * store.count + at.member;
        Actor* flusher = actors.take(Role::flusher, 0, number);
        flusher->store = &at;
        clock.wake(flusher);
    }

    Worker* first_worker(const StoreInstance& at) {
        return workers.data() + at.store->worker_row + i64{at.member} * at.store->workers;
    }

    // Write back a block, and those that follow it without a gap in their dirty bytes.
    void begin_run(Actor* actor, StoreInstance& at, Worker& worker, BlockId b) {
        const Store& store = *at.store;
        const WrittenBlock first = cache.written(b);
        const FileId f = cache[b].file;
        const i32 index = cache[b].index;
        worker.file = f;
        worker.first = b;
        worker.index = index;
        worker.count = 0;
        const Bytes low = store.block * index + Bytes{first.low};
        Bytes high = low;
        while (b >= 0) {
            const i64 moved = cache.dirty_bytes(b);
            at.overwritten_bytes.count += cache.written(b).dirty_sum - moved;
            cache.begin_writeback(at, b);
            cache.written(b).dirty_since = Nanoseconds{-1};
            high.count += moved;
            ++worker.count;
            const BlockId before = b;
            b = next_of_run(store, f, index + worker.count, high);
            cache[before].next = b;  // Neither is in a ring until they are below.
        }
        worker.size = high - low;
        const Tier* below = first.below;
        Frame* q = actors.call(actor, below, Op::write, cache.file(f).file, low, high);
        q->how = WAITS;
        tiers.layout.place(*q, below->path->places, first.node);
        tiers.layout.decide(*q, below[-1], at.member);
    }

    // Return the block that is written back together with the previous ones, whose bytes end at
    // `end`.
    BlockId next_of_run(const Store& store, FileId f, i32 index, Bytes end) {
        if (end != store.block * index || index % store.extent == 0) return NONE;
        const BlockId b = cache.find(f, index);
        if (b < 0 || (cache[b].state != BlockState::dirty && cache[b].state != BlockState::queued)) return NONE;
        return cache.written(b).low ? NONE : b;
    }

    // Complete a worker's write-back.
    void end_run(StoreInstance& at, Worker& worker) {
        at.written_back += worker.count;
        at.written_back_bytes += worker.size;
        if (cache.curves) [[unlikely]] cache.curves->change_dirty(at.number, -worker.size.count);
        worker.count = 0;
        for (BlockId b = worker.first; b >= 0;) {
            const BlockId after = cache[b].next;
            written_back(at, worker.file, b);
            b = after;
        }
    }

    void written_back(StoreInstance& at, FileId f, BlockId b) {
        const bool goes = cache.end_writeback(at, b);
        wake_block(b);
        StoredFile& file = cache.file(f);
        if (!file.pending) clock.wake_all(file.syncs);
        if (goes) {
            ++at.released;
            cache.forget(b);
        } else if (cache.written(b).dirty_sum) {
            became_dirty(at, b, is_hurried(at, file));
            return;
        }
        if (!file.room.empty() && !cache.has_room(file)) queue_oldest(at, f);  // Released, but still past its quota.
        if (at.store->elastic) queue_more(at);
        offer_room(f);
        offer_limit(at);
    }

    // Queue another block if a waiting actor is still blocked because programs hold more memory.
    void queue_more(StoreInstance& at) {
        if (!at.room.empty() && !Cache::has_any_room(at)) queue_oldest(at, NONE);
        if (!at.limit.empty() && Cache::is_at_limit(at)) queue_oldest(at, NONE);
    }

    static i64 position_ratio(i64 dirty, i64 free, i64 limit, i64 span) {
        const i64 setpoint = (free + limit) / 2;
        const i64 away = dirty <= setpoint ? setpoint - dirty : dirty - setpoint;
        const i64 distance = std::min(RATIO, (away << 10) / std::max<i64>(1, limit - setpoint));
        const i64 cube = ((distance * distance >> 10) * distance) >> 10;
        i64 ratio = dirty <= setpoint ? RATIO + cube : RATIO - cube;
        const i64 left = setpoint + span - dirty;
        ratio = 4 * left > span ? ratio * left / span : ratio / 4;
        return std::max<i64>(1, ratio);
    }
};

}  // namespace nwtsim
