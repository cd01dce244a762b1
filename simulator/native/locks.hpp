// Locks of files and their units: requests take, use and give them back, or call them back from other
// nodes; docs/composition.md, Locks.
#pragma once

#include "simulator/native/lock_table.hpp"
#include "simulator/native/writeback.hpp"

namespace nwtsim {

class Locks : public LockTable {
  public:
    explicit Locks(WriteBack& back) : back(back), tiers(back.tiers), cache(back.cache), actors(back.actors) {}

    WriteBack& back;
    Tiers& tiers;
    Cache& cache;
    Actors& actors;

    // Take locks for a request, or release them when it is answered.
    Step step(Actor* actor, Frame* q) {
        if (q->state == State::fresh) {
            if (q->op > Op::write || q->low == q->high) return Tiers::go_below(q);
            const Bytes unit = q->tier->size;
            q->block = static_cast<i32>(q->low / unit);
            q->run = static_cast<i32>((q->high - Bytes{1}) / unit + 1);
            q->asked = false;
            q->step = WHOLE;
        } else if (q->state == State::below) {
            give_back(q);
            actors.answer(actor);
            return GO;
        } else if (q->state == State::waiting) {
            back.resume(actor, q);
        }
        q->state = State::looking;
        while (true) {
            back.clock.pulse.tick();
            const Step time = take(actor, q);
            if (time != READY) return time;
        }
    }

    // Release the locks of an answered request.
    void give_back(const Frame* q) {
        if (!q->units) {
            end_use(files[static_cast<size_t>(q->file)]);
            return;
        }
        for (i32 number = static_cast<i32>(q->low / q->tier->size); number < q->run; ++number) end_use(unit(q->file, number));
    }

  private:
    static constexpr Step READY{-3};  // Continue at once with the next step.

    // The next step of a request for its locks. Of Frame, `block` is the wanted unit, `run` the end
    // of the range.
    enum Next : u8 { WHOLE, DIVIDE, SYNCED, UNITS, FIRST, CALL_BACK };

    Step take(Actor* actor, Frame* q) {
        switch (q->step) {
            case WHOLE: return take_whole(actor, q);
            case UNITS: return take_unit(actor, q);
            case FIRST: return first_in_line(actor, q);
            case CALL_BACK: return call_back(actor, q);
            case DIVIDE: return divide(actor, q);
            default: return end_file(q);
        }
    }

    // -- common steps
    // ---------------------------------------------------------------------------------

    static i32 node(const Frame* q) { return q->tier->first_node + q->places[0]; }
    static bool exclusive(const Frame* q) { return q->op == Op::write; }
    Lock& of_file(const Frame* q) { return files[static_cast<size_t>(q->file)]; }

    // Return the instance with the blocks protected by the locks of a request's node, or none.
    StoreInstance* store_at(const Frame* q) {
        if (q->tier->row < 0) return nullptr;
        return &cache.instances[static_cast<size_t>(cache.stores[static_cast<size_t>(q->tier->row)].first + q->places[0])];
    }

    // Request locks from the server, from the wanted unit on.
    Step ask(Actor* actor, Frame* q) {
        q->asked = true;
        q->state = State::down;
        const Bytes begin = q->tier->size * q->block;
        const Tier* top = q->tier->asking;
        const i32 here = q->places[0];
        Frame* request = actors.call(actor, top, Op::meta, q->file, begin, begin);
        request->how = WAITS;
        tiers.layout.place(*request, top->path->places, here);
        return GO;
    }

    // Pass a request on that holds all its locks.
    Step go_on(Actor* actor, Frame* q, bool units) {
        q->units = units;
        q->state = State::below;
        actors.part_of(actor, q, q->tier->next(), q->low, q->high);
        return GO;
    }

    // End the use of a lock by a request; wake the one that waits for the last.
    void end_use(Lock& lock) {
        if (--lock.used || !lock.is_awaited) return;
        lock.is_awaited = false;
        back.clock.wake(lock.head);
    }

    Step wait(Actor* actor, Frame* q) { return back.wait(actor, q, q->tier->column); }

    // Wait until no request uses a lock, as the first in line.
    Step wait_for_use(Actor* actor, Frame* q, Lock& lock) {
        lock.is_awaited = true;
        return wait(actor, q);
    }

    Step stand(Actor* actor, Frame* q, Lock& lock) {
        wait(actor, q);
        lock.line.join(actor);
        return BLOCKED;
    }

    // -- a whole file --------------------------------------------------------------------------------

    // Take the lock of a whole file, unless it is divided.
    Step take_whole(Actor* actor, Frame* q) {
        Lock& lock = of_file(q);
        if (lock.division == Lock::Division::divided) {
            q->step = UNITS;
            return READY;
        }
        if (lock.division == Lock::Division::dividing) return stand(actor, q, lock);
        if (suits(lock, node(q), exclusive(q))) {
            ++lock.used;
            return go_on(actor, q, false);
        }
        if (!q->asked) return ask(actor, q);
        if (!in_the_way(lock, node(q), exclusive(q))) {
            grant(lock, node(q), store_at(q), exclusive(q));
            return READY;
        }
        lock.division = Lock::Division::dividing;
        lock.head = actor;
        q->step = DIVIDE;
        return lock.used ? wait_for_use(actor, q, lock) : READY;
    }

    // Call back the lock of the lowest other node; without one, the file is divided.
    Step divide(Actor* actor, Frame* q) {
        Lock& lock = of_file(q);
        Holder* other = in_the_way(lock, node(q), true);
        if (!other) {
            while (lock.holders) take_from(lock, lock.holders);
            lock.division = Lock::Division::divided;
            Waiters all{lock.line.first};
            back.clock.wake_all(all);
            q->step = UNITS;
            return READY;
        }
        const FileId f = called_back(lock, q, other);
        if (f < 0) return READY;
        back.queue_all(f);
        q->file_in_store = f;
        q->step = SYNCED;
        if (!cache.file(f).pending) return READY;
        return back.wait_for_sync(actor, q, f, q->tier->column);
    }

    // Call back a node's lock: returns the file in the store that it protects, or NONE if it is
    // released.
    FileId called_back(Lock& lock, Frame* q, Holder* other) {
        FileId f = NONE;
        q->instance = other->store;
        if (other->store) {
            ++other->store->called_back;
            f = cache.known_file(*other->store, q->file);
        }
        if (f < 0) take_from(lock, other);
        return f;
    }

    // Drop the blocks of a file at a node that loses its lock.
    Step end_file(Frame* q) {
        const Store& store = *q->instance->store;
        const Bytes there = back.exists_of(store, q->file);
        back.drop_blocks(q->file_in_store, 0, (there + store.block - Bytes{1}) / store.block);
        Lock& lock = of_file(q);
        take_from(lock, in_the_way(lock, node(q), true));
        q->step = DIVIDE;
        return READY;
    }

    // -- units ---------------------------------------------------------------------------------------

    // Take the lock of the wanted unit.
    Step take_unit(Actor* actor, Frame* q) {
        if (q->block == q->run) return go_on(actor, q, true);
        Lock& lock = unit(q->file, q->block);
        const bool free = !lock.head;
        if (free && suits(lock, node(q), exclusive(q))) {
            use(q, lock);
            return READY;
        }
        if (!q->asked) return ask(actor, q);
        if (free && !in_the_way(lock, node(q), exclusive(q))) {
            grant_units(q, lock);
            use(q, lock);
            return READY;
        }
        q->step = FIRST;
        if (!free) return stand(actor, q, lock);
        lock.head = actor;
        return READY;
    }

    // Use the lock of a unit; the next one is wanted.
    static void use(Frame* q, Lock& lock) {
        ++lock.used;
        ++q->block;
    }

    // Grant a unit, and the following ones as far as they are free.
    void grant_units(const Frame* q, Lock& first) {
        StoreInstance* at = store_at(q);
        grant(first, node(q), at, exclusive(q));
        for (i32 more = 1; more < q->tier->grow; ++more) {
            Lock& lock = unit(first.file, first.number + more);
            if (lock.head || in_the_way(lock, node(q), exclusive(q))) return;
            if (!suits(lock, node(q), exclusive(q))) grant(lock, node(q), at, exclusive(q));
        }
    }

    // Take a lock, or begin to call back that of the lowest conflicting node.
    Step first_in_line(Actor* actor, Frame* q) {
        Lock& lock = unit(q->file, q->block);
        Holder* other = in_the_way(lock, node(q), exclusive(q));
        if (!other) {
            grant_units(q, lock);
            lock.head = lock.line.empty() ? nullptr : lock.line.leave();  // It is the turn of the next one.
            if (lock.head) back.clock.wake(lock.head);
            use(q, lock);
            q->step = UNITS;
            return READY;
        }
        if (lock.used) return wait_for_use(actor, q, lock);
        const FileId f = called_back(lock, q, other);
        if (f < 0) return READY;
        q->file_in_store = f;
        if (cache.file(f).pending)
            each_block(q, [&](BlockId b) {
                if (cache[b].state == BlockState::dirty) back.ask_for(*q->instance, b);
            });
        q->counted = first_block(q, 0);
        q->step = CALL_BACK;
        return READY;
    }

    // Return the first block of the wanted unit, or of a later one, in the store that loses it.
    static i32 first_block(const Frame* q, i32 further) {
        return static_cast<i32>(q->tier->size * (i64{q->block} + further) / q->instance->store->block);
    }

    // Call a function for each resident block of the wanted unit.
    template <class Visit>
    void each_block(Frame* q, Visit&& visit) {
        for (i32 index = first_block(q, 0); index < first_block(q, 1); ++index) {
            back.clock.pulse.tick();
            const BlockId b = cache.find(q->file_in_store, index);
            if (b >= 0) visit(b);
        }
    }

    // Wait until the blocks of a unit are written back at a node (`counted` is the next one), and
    // drop them there.
    Step call_back(Actor* actor, Frame* q) {
        const i32 end = first_block(q, 1);
        for (; q->counted < end && cache.file(q->file_in_store).pending; ++q->counted) {
            back.clock.pulse.tick();
            const BlockId b = cache.find(q->file_in_store, q->counted);
            if (b < 0 || !is_changed(b)) continue;
            if (cache[b].state == BlockState::dirty) back.ask_for(*q->instance, b);
            return back.wait_for_block(actor, q, b, q->tier->column);
        }
        back.drop_blocks(q->file_in_store, first_block(q, 0), end);
        Lock& lock = unit(q->file, q->block);
        take_from(lock, in_the_way(lock, node(q), exclusive(q)));
        q->step = FIRST;
        return READY;
    }

    // Return whether a block has data that are not below.
    bool is_changed(BlockId b) {
        const u16 flags = cache[b].flags;
        return flags & WRITTEN && (cache.written(b).dirty_sum > 0 || flags & GOING_BELOW);
    }
};

}  // namespace nwtsim
