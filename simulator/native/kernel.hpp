// The native engine: a kernel that runs a plan, without Python inside.
//
// A run is a sequence of times at which actors act. The clock (clock.hpp) selects the next one; the
// kernel lets it act until it has to wait:
//
//   - a process (programs.hpp) goes through its phases and makes requests: frames (actor.hpp);
//   - jobs wait in queues (queue.hpp, batch.hpp) for nodes (pool.hpp), their processes for the job's start
//     (queued.hpp); orders and backfills are kinds (simulator/kinds/orders, simulator/kinds/backfills);
//   - a request goes down its path from tier to tier (tier.hpp) and is answered at the end: stages and
//     packets (stage.hpp), pools, cuts, stripes and branches (tiers.hpp), stores (reading.hpp, store.hpp),
//     locks of files (locks.hpp), buffer caches of I/O nodes (asking.hpp);
//   - what a request passes are parts: part.hpp begins with a list of all reasons for which it waits there;
//   - a write becomes dirty where its bytes have come (Stores::close_run), and goes to the tiers below with
//     a worker (writeback.hpp); which clean block goes is a policy's matter (simulator/kinds/policies).
//     I/O nodes have a write-back cache of their own (buffers.hpp): Buffers::want makes a block dirty, and
//     it is written when it is full, evicted or synced, or at the end (write_back).
//
// Times and sizes are those of quantity.hpp: values beyond 2^62 throw LimitPassed. Long loops tick
// (pulse.hpp). docs/composition.md specifies the behaviour, which the reference engine shares.
#pragma once

#include "simulator/native/asking.hpp"
#include "simulator/native/locks.hpp"
#include "simulator/native/programs.hpp"
#include "simulator/native/store.hpp"

namespace nwtsim {

class Preparation;

class Kernel {
  public:
    Kernel(const Columns& plan, std::function<bool()> look);  // prepare.hpp
    Kernel(const Kernel&) = delete;
    ~Kernel();

    Pulse pulse;
    Clock clock{pulse};
    Calendars calendars, failing_disks, slow_disks;
    Layout layout;
    Actors actors;
    PartKinds kinds;
    Parts parts{clock, calendars};
    Sharing sharing;
    Scheduling scheduling;
    Arrays arrays{parts, failing_disks, slow_disks};
    Tiers tiers{actors, parts, sharing, scheduling, arrays, kinds, layout};
    Cache cache;
    WriteBack back{tiers, cache};
    Stores stores;
    Buffers buffers{parts};
    Asking asking;
    Locks locks{back};
    Programs programs{tiers, back};
    Nanoseconds prestage_time{0};
    std::unique_ptr<Curves> curves;          // None if they were not requested.
    std::unique_ptr<class Repeats> repeats;  // Skips repeated periods; none if that is not possible.

    // Process a number of events; returns whether the run has ended.
    bool run(i64 events) {
        Actor* actor = left_ ? left_ : clock.next_actor();
        left_ = nullptr;
        for (; actor; --events) {
            if (events <= 0) {
                left_ = actor;
                return false;
            }
            if (programs.turned != Programs::NOT_TURNED) [[unlikely]] look(actor);
            pulse.tick();
            const Step time = act(actor);
            if (time == BLOCKED) {
                clock.stop(actor);
                actor = clock.next_actor();
            } else {
                actor = clock.go_on(actor, Parts::within_actor(time, actor));
            }
        }
        return true;
    }

    // Keep curves of at most a number of bins; before the first event.
    void sample(i64 bins) {
        curves = std::make_unique<Curves>(clock.now, bins, cache.instances.size());
        cache.curves = programs.curves = curves.get();
        for (const StoreInstance& at : cache.instances)
            if (at.used) curves->change_used(at.number, at.used);
    }

    // Process the events after the last process has ended; returns the end.
    Nanoseconds finish() {
        Nanoseconds ended{0};
        for (const Process& x : programs.processes) ended = std::max(ended, x.ended);
        const Nanoseconds end = std::max(clock.now, buffers.drain(ended));
        arrays.finish(end);
        cache.count_dirty();
        if (curves) {
            for (const StoreInstance& at : cache.instances)
                if (at.seen) curves->of(at.number);
            curves->finish(end);
        }
        return end;
    }

  private:
    Actor* left_ = nullptr;  // The actor at whose turn the loop was left.
    std::vector<Phase> phases_;
    std::vector<i64> passes_;
    std::vector<i32> placed_;
    std::vector<Lengths> lengths_;
    std::vector<i64> listed_lengths_;
    std::vector<RunOfBlocks> stored_;

    friend class Preparation;
    template <class Visitor>
    friend class MachineWalk;
    template <class Visitor>
    friend class StateWalk;
    void look(Actor* next);
    Kernel(Preparation&& made, std::function<bool()> look);

    // Run an actor until it has to wait.
    Step act(Actor* actor) {
        while (true) {
            const Step time = actor->has_request() ? serve(actor, actor->top) : begin(actor);
            if (time != GO) return time;
        }
    }

    // Serve an actor's request at its tier. The most frequent ones are jumps, for which no register is saved.
    Step serve(Actor* actor, Frame* q) {
        switch (q->tier->kind) {
            case TierKind::store: return stores.step(actor, q);
            case TierKind::stage: return tiers.stage(actor, q);
            case TierKind::end: return tiers.end(actor, q);
            default: return serve_other(actor, q);
        }
    }
    [[gnu::noinline]] Step serve_other(Actor* actor, Frame* q) {
        const Tier& tier = *q->tier;
        switch (tier.kind) {
            case TierKind::work: return tier.is_guarded ? tiers.guarded(actor, q) : tiers.work(actor, q);
            case TierKind::hold: return tiers.hold(actor, q);
            case TierKind::request: return tiers.request(actor, q);
            case TierKind::stripe: return tiers.stripe(actor, q);
            case TierKind::forward: return tiers.forward(q);
            case TierKind::sync: return tier.is_guarded ? tiers.guarded(actor, q) : tiers.commit(actor, q);
            case TierKind::export_: return tiers.export_(actor, q);
            case TierKind::locks: return locks.step(actor, q);
            case TierKind::before: return tiers.before(actor, q);
            case TierKind::buffers: return asking.step(actor, q);
            case TierKind::ask: return asking.ask(actor, q);
            case TierKind::hop: return q->gives_up ? tiers.guarded(actor, q) : tiers.hop(actor, q);
            case TierKind::rewrite: return tiers.rewrite(actor, q);
            case TierKind::failed: return unwind(actor);
            case TierKind::store: case TierKind::stage: case TierKind::end: break;  // Served above.
        }
        __builtin_unreachable();
    }

    // Run an actor without a request.
    Step begin(Actor* actor) {
        switch (actor->role) {
            case Role::process: return programs.step(actor);
            case Role::worker: return back.work(actor);
            case Role::branch: return tiers.end_branch(actor);
            case Role::timer: {
                const Nanoseconds next = sharing.ring(actor);
                return next < NEVER ? next : BLOCKED;
            }
            case Role::scheduler: {
                const Nanoseconds next = scheduling.ring(actor);
                return next < NEVER ? next : BLOCKED;
            }
            case Role::flusher: return back.flush_old(actor);
            case Role::copier: return programs.copy_next(actor);
            case Role::reader: return stores.end_reader(actor);
            case Role::queue: return programs.ring(actor);
        }
        __builtin_unreachable();
    }

    // End all requests that an actor has begun unserved, from the last on.
    Step unwind(Actor* actor) {
        for (; actor->has_request(); actors.answer(actor)) {
            Frame* q = actor->top;
            if (q->tier->kind == TierKind::store) stores.fail(q);
            else if (q->tier->kind == TierKind::hold) tiers.hand_over(q);
            else if (q->tier->kind == TierKind::locks) locks.give_back(q);
        }
        return actor->role == Role::process ? programs.fail(actor, actor->bottom) : tiers.fail_branch(actor);
    }
};

}  // namespace nwtsim
