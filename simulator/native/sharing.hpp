// Shared parts: all transfers under way progress at the same rate, and a timer ends them.
//
// Each instance has one virtual time; a transfer ends when that has grown by its own service. The
// transfers of an instance are a pairing heap, the next to end at its root. The cores of a node are
// shared in the same way by its tasks: then the instance is that of the cpu.
#pragma once

#include "simulator/native/part.hpp"

namespace nwtsim {

class Sharing {
  public:
    Sharing(Actors& actors, Parts& parts, i64 first_timer) : actors(actors), parts(parts), first_timer_(first_timer) {}

    Actors& actors;
    Parts& parts;
    std::vector<i64> speeds;  // Total speed of n transfers, in 2^-20 of that of one.
    i64 rings = 0;            // Number of timer events that did not end a transfer's wait by themselves.

    struct Transfer {
        Actor* actor;
        Transfer *child, *sibling;
        Nanoseconds goal;  // The virtual time at which it ends: whole nanoseconds,
        i64 behind;        // Its fraction.
        Nanoseconds began, service;
        Bytes size;
        bool writes;
    };

    // A shared instance.
    struct Shared {
        Transfer* root = nullptr;
        i64 count = 0, writing = 0;  // Transfers under way; those of them that write.
        Nanoseconds virtual_time{0};
        i64 behind = 0;              // Its fraction, with SCALE bits.
        Nanoseconds since{0}, active{0};  // Time of the last update; time with any transfer.
        Actor* timer = nullptr;
        const Part* part = nullptr;
        i64 instance = 0;
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Shared;
            FIELD(active);
        }
    };
    std::vector<Shared> shared;

    Shared& of(const Part& part, i64 instance) { return shared[static_cast<size_t>(part.own + part.member(instance))]; }

    // Begin a transfer; its actor waits until the timer wakes it. `service`: its time alone.
    void join(Actor* actor, const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        service = parts.stretch(part, instance, service);
        ++parts.at(instance).requests;
        parts.book(part, instance, size, service);
        begin(actor, part, instance, size, service);
    }

    // Make a request at a `core` part on a crowded node; returns whether its actor waits for the
    // timer (a task of no time does not join, and continues now). The time alone is service; the
    // cpu charges the rest.
    bool join_core(Actor* actor, const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        parts.queue(part, instance, size, service);
        parts.charge(actor, part.column, ZERO_NS, service);
        if (!service) return false;
        const Part& cpu = parts.reading[static_cast<size_t>(part.cpu)];
        use_core(actor, cpu, cpu.first + part.member(instance), service);
        return true;
    }

    // Begin a task whose cpu time has not been spent, and is counted there now.
    void use_core(Actor* actor, const Part& cpu, i64 instance, Nanoseconds work) {
        parts.book(cpu, instance, NO_BYTES, work);
        begin(actor, cpu, instance, NO_BYTES, work);
    }

    // Begin a transfer, or a task of a cpu.
    void begin(Actor* actor, const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        Shared& here = of(part, instance);
        advance(here);
        Transfer* one = new_transfer();
        *one = {actor, nullptr, nullptr, Parts::within_part(here.virtual_time + service, part), here.behind,
                parts.clock.now, service, size, part.is_writing && part.written};
        if (!here.count) {
            here.timer = actors.take(Role::timer, part.own + part.member(instance), first_timer_ + instance);
            here.part = part.reading;
            here.instance = instance;
        }
        here.root = here.count ? merged(here.root, one) : one;
        ++here.count;
        here.writing += one->writes;
        parts.clock.set(here.timer, next_end(here));
    }

    // End the completed transfers; returns the end of the next one, or NEVER if there is none.
    Nanoseconds ring(Actor* timer) {
        ++rings;
        Shared& here = shared[static_cast<size_t>(timer->index)];
        const Part& part = *here.part;
        const Nanoseconds now = parts.clock.now;
        advance(here);
        while (here.count && !is_ahead(*here.root, here)) {
            Transfer* one = here.root;
            here.root = without(one);
            --here.count;
            here.writing -= one->writes;
            const Nanoseconds passed = now - one->began;
            const Nanoseconds service = std::min(one->service, passed);
            if (parts.calendars.has(here.instance))
                parts.calendars.miss(here.instance, parts.calendars.down(here.instance, one->began, now));
            if (part.serving == Serving::cpu) {  // The time alone is charged already.
                parts.charge(one->actor, part.column, passed - service, ZERO_NS);
            } else {
                parts.charge(one->actor, part.column, passed - service, service);
                if (parts.timing) parts.note(here.instance, one->began, passed, one->size);
            }
            parts.clock.wake(one->actor);
            one->sibling = free_;
            free_ = one;
        }
        if (!here.count) {
            here.virtual_time = ZERO_NS;
            here.behind = 0;
            actors.give_back(timer);
            return NEVER;
        }
        --parts.clock.alarms;  // It is counted when it rings.
        return next_end(here);
    }

  private:
    static constexpr int SCALE = 10;  // Bits of a nanosecond in the virtual time.
    const i64 first_timer_;
    Transfer* free_ = nullptr;
    std::vector<std::unique_ptr<Transfer[]>> chunks_;

    Transfer* new_transfer() {
        if (!free_) {
            constexpr size_t count = 64;
            chunks_.push_back(std::make_unique<Transfer[]>(count));
            for (size_t i = 0; i < count; ++i) {
                chunks_.back()[i].sibling = free_;
                free_ = &chunks_.back()[i];
            }
        }
        Transfer* one = free_;
        free_ = one->sibling;
        return one;
    }

    // Advance the virtual time to now.
    void advance(Shared& here) {
        const Nanoseconds now = parts.clock.now;
        if (here.count) {
            Nanoseconds passed = now - here.since;
            here.active += passed;
            if (parts.calendars.has(here.instance)) passed = parts.calendars.done(here.instance, here.since, now);
            const i64 speed = speed_of_all(here);
            i64 whole, behind;
            if (speed < 0) {
                whole = passed.count / here.count;
                behind = ((passed.count - whole * here.count) << SCALE) / here.count;
            } else {
                const wide grown = static_cast<wide>(passed.count) * speed;
                const i64 by = here.count << POINT;
                whole = bounded(grown / by);
                behind = static_cast<i64>(grown % by / (here.count << SCALE));
            }
            behind += here.behind;
            here.virtual_time += Nanoseconds{whole + (behind >> SCALE)};
            here.behind = behind & ((1 << SCALE) - 1);
        }
        here.since = now;
    }

    // Return whether the goal of a transfer is not reached yet.
    static bool is_ahead(const Transfer& one, const Shared& here) {
        return one.goal != here.virtual_time ? one.goal > here.virtual_time : one.behind > here.behind;
    }

    // Return the end of the next transfer if none begins before.
    Nanoseconds next_end(const Shared& here) {
        const bool happens = parts.calendars.has(here.instance);
        const Transfer& root = *here.root;
        if (!is_ahead(root, here)) {  // A failed instance completes no transfer.
            if (!happens) return here.since;
            return Parts::within_part(parts.calendars.service(here.instance, here.since, ZERO_NS).end, *here.part);
        }
        i64 left = (root.goal - here.virtual_time).count, behind = root.behind - here.behind;
        if (behind < 0) {
            left -= 1;
            behind += 1 << SCALE;
        }
        const i64 speed = speed_of_all(here);
        wide takes;
        if (speed < 0) {
            takes = static_cast<wide>(left) * here.count + ((behind * here.count + (1 << SCALE) - 1) >> SCALE);
        } else {
            const wide needed = (static_cast<wide>(left) << POINT) * here.count
                                + static_cast<wide>(behind) * (here.count << SCALE);
            takes = (needed + speed - 1) / speed;
        }
        const Nanoseconds work = Parts::within_part({bounded(takes)}, *here.part);
        if (!happens) return Parts::within_part(here.since + work, *here.part);
        return Parts::within_part(parts.calendars.service(here.instance, here.since, work).end, *here.part);
    }

    // Return the total speed of all transfers, in 2^-20; -1 for the full rate. For transfers in
    // both directions it is the mean of both speeds.
    i64 speed_of_all(const Shared& here) const {
        i64 reading = speed_of(*here.part, here.count);
        if (!here.writing) return reading;
        i64 writing = speed_of(*here.part->writing, here.count);
        if (reading < 0 && writing < 0) return -1;
        if (reading < 0) reading = ONE;
        if (writing < 0) writing = ONE;
        return ((here.count - here.writing) * reading + here.writing * writing) / here.count;
    }

    i64 speed_of(const Part& part, i64 count) const {
        if (!part.speeds_count) return -1;
        return speeds[static_cast<size_t>(part.speeds + std::min<i64>(count, part.speeds_count - 1))];
    }

    // -- the heap ------------------------------------------------------------------------------------

    static bool ends_before(const Transfer* one, const Transfer* other) {
        if (one->goal != other->goal) return one->goal < other->goal;
        if (one->behind != other->behind) return one->behind < other->behind;
        return one->actor->number < other->actor->number;
    }

    static Transfer* merged(Transfer* one, Transfer* other) {
        if (ends_before(other, one)) std::swap(one, other);
        other->sibling = one->child;
        one->child = other;
        return one;
    }

    // Return the heap without its root.
    static Transfer* without(const Transfer* root) {
        Transfer* pairs = nullptr;
        for (Transfer* one = root->child; one;) {
            Transfer* other = one->sibling;
            Transfer* after = other ? other->sibling : nullptr;
            if (other) one = merged(one, other);
            one->sibling = pairs;
            pairs = one;
            one = after;
        }
        Transfer* heap = nullptr;
        while (pairs) {
            Transfer* after = pairs->sibling;
            pairs->sibling = nullptr;
            heap = heap ? merged(pairs, heap) : pairs;
            pairs = after;
        }
        return heap;
    }
};

}  // namespace nwtsim
