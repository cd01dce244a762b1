// Claims of several parts at once, from when all are free; and requests at one part alone.
//
// A function that serves a request returns a Step: the time at which its actor resumes, or one of
// the others. See docs/composition.md, Requests.
#pragma once

#include "simulator/native/array.hpp"
#include "simulator/native/part_kinds.hpp"
#include "simulator/native/scheduling.hpp"
#include "simulator/native/tier.hpp"

namespace nwtsim {

// Result of serving an actor: a time, or one of these below 0.
using Step = Nanoseconds;
constexpr Step GO{-1};       // Act again at once: the frame has moved on, was answered, or has begun one below.
constexpr Step BLOCKED{-2};  // Another actor wakes this one.

class Holding {
  public:
    Holding(Actors& actors, Parts& parts, Sharing& sharing, Scheduling& scheduling, Arrays& arrays, PartKinds& kinds,
            Layout& layout)
        : actors(actors), parts(parts), sharing(sharing), scheduling(scheduling), arrays(arrays), kinds(kinds),
          layout(layout), clock(parts.clock) {}

    Actors& actors;
    Parts& parts;
    Sharing& sharing;
    Scheduling& scheduling;
    Arrays& arrays;
    PartKinds& kinds;
    Layout& layout;
    Clock& clock;

    // Claim several parts at once, from when all are free; returns the end of the slowest. Waiting
    // is charged to the part that was free last, service to the slowest; while that has failed, it
    // is waiting.
    [[gnu::always_inline]] Step route(Actor* actor, Frame* q, std::span<const Hold> holds, Bytes size, Bytes low, Bytes high) {
        if (holds[0].part->serving >= Serving::shared) return alone(actor, q, holds[0], size, low, high);
        if (holds.size() == 1) return pass_one(actor, q, holds[0], size, low, high);
        return parts.watched ? hold_all<true>(actor, q, holds, size, low, high)
                             : hold_all<false>(actor, q, holds, size, low, high);
    }

    // Queue the writes of a call of an array whose reads have ended.
    Step rewrite(Actor* actor, Frame* q) {
        const Hold& hold = *q->hold;
        const i64 instance = Layout::instance(*actors.before(q), hold);
        const Bytes low = q->low, size = q->size();
        const i64 reader = q->reader;
        actors.answer(actor);
        return arrays.rewrite(actor, *hold.part, instance, size, low, reader);
    }
  protected:
    struct Chosen {
        const Part* part;
        Instance* instance;
        Nanoseconds* server;
    };
    std::vector<Chosen> chosen_;  // The instances of a stage while it is entered.

    // Claim all from when the last one is free. `watched`: service times may be extended.
    template <bool watched>
    Step hold_all(Actor* actor, Frame* q, std::span<const Hold> holds, Bytes size, Bytes low, Bytes high) {
        const Nanoseconds now = clock.now;
        Nanoseconds start = now;
        const Part* held = holds[0].part;
        Chosen* chosen = chosen_.data();
        for (const Hold& hold : holds) {
            const Part& part = *hold.part;
            const i64 number = Layout::instance(*q, hold);
            Instance& instance = parts.at(number);
            Nanoseconds* server = part.servers <= 1 ? &instance.free : parts.first_of(part, number);
            *chosen++ = {&part, &instance, server};
            held = *server > start ? &part : held;
            start = std::max(start, *server);
        }
        if (start > now) parts.charge(actor, held->column, start - now, ZERO_NS);
        Nanoseconds end = start, lost{0};
        const Part* slowest = holds[0].part;
        for (const Chosen* one = chosen_.data(); one != chosen; ++one) {
            const Part& part = *one->part;
            Nanoseconds service = Parts::plain(part, size), freed;
            if (part.varies)
                service = varied(q, part, parts.number_of(*one->instance), start, size, service, low, high, 1);
            if constexpr (watched) {
                freed = parts.hold(part, parts.number_of(*one->instance), one->server, start, size, service);
                lost = freed > end ? parts.lost : lost;
            } else {
                freed = parts.hold_plain(part, *one->instance, one->server, start, size, service);
            }
            slowest = freed > end ? &part : slowest;
            end = std::max(end, freed);
        }
        parts.charge(actor, slowest->column, lost, end - start - lost);
        return end;
    }

    Nanoseconds service_of(Frame* q, const Part& part, i64 instance, Bytes size, Bytes low, Bytes high, i32 spread) {
        const Nanoseconds service = Parts::plain(part, size);
        if (!part.varies) return service;
        const Nanoseconds begin = part.hooked ? parts.start(part, instance) : ZERO_NS;
        return varied(q, part, instance, begin, size, service, low, high, spread);
    }

    // Return the service time of an instance's next request with its kind's variation and noise.
    Nanoseconds varied(Frame* q, const Part& part, i64 instance, Nanoseconds begin, Bytes size, Nanoseconds service,
                       Bytes low, Bytes high, i32 spread) {
        if (part.depths > 1) {
            parts.come(part, instance);
            service = parts.plain_now(part, size);
        }
        if (part.hooked) {
            Load load = addresses(q, low, high, size);
            load.begin = begin;
            load.spread = spread;
            service = with_kind(kinds, part.kind, [&](auto kind, auto& table) {
                using Kind = decltype(kind);
                return Kind::serve(parts, part, instance, table.specs[static_cast<size_t>(part.spec)],
                                   table.memories[static_cast<size_t>(part.memory + part.member(instance))], load,
                                   service);
            });
        }
        return parts.stretch(part, instance, service);
    }

    // Make a request of 0 bytes at a part with a given time; returns its end.
    Step fixed(Actor* actor, Frame* q, const Hold& hold, Nanoseconds service) {
        const Part& part = *hold.part;
        const i64 instance = Layout::instance(*q, hold);
        if (part.serving == Serving::shared) {
            sharing.join(actor, part, instance, NO_BYTES, service);
            return BLOCKED;
        }
        if (part.depths > 1) parts.come(part, instance);
        if (part.serving == Serving::scheduled) {
            scheduling.join(actor, part, instance, addresses(q, q->low, q->high, NO_BYTES), service);
            return BLOCKED;
        }
        if (part.hooked) {
            const Nanoseconds begin = parts.start(part, instance);
            service = with_kind(kinds, part.kind, [&](auto kind, auto& table) {
                using Kind = decltype(kind);
                return Kind::spend(parts, part, instance, table.specs[static_cast<size_t>(part.spec)],
                                   table.memories[static_cast<size_t>(part.memory + part.member(instance))], begin,
                                   service);
            });
        }
        service = parts.stretch(part, instance, service);
        if (part.serving == Serving::core)
            return sharing.join_core(actor, part, instance, NO_BYTES, service) ? BLOCKED : clock.now;
        return parts.pass(actor, part, instance, NO_BYTES, service);
    }

    // Return what a request moves, and where its bytes are.
    Load addresses(const Frame* q, Bytes low, Bytes high, Bytes size) const {
        const File* file = layout.file_of(*q);
        return {clock.now, size, file ? file->base + low : low, high - low, file ? q->file : -1, 1};
    }

    // Make a request at one part.
    [[gnu::noinline]] Step pass_one(Actor* actor, Frame* q, const Hold& hold, Bytes size, Bytes low, Bytes high) {
        const Part& part = *hold.part;
        const i64 instance = Layout::instance(*q, hold);
        const Nanoseconds service = service_of(q, part, instance, size, low, high, 1);
        if (part.serving == Serving::core)
            return sharing.join_core(actor, part, instance, size, service) ? BLOCKED : clock.now;
        return parts.pass(actor, part, instance, size, service);
    }

    // Make a request at a part outside of stages: shared, a scheduled disk, or an array of disks.
    [[gnu::noinline]] Step alone(Actor* actor, Frame* q, const Hold& hold, Bytes size, Bytes low, Bytes high) {
        const Part& part = *hold.part;
        const i64 instance = Layout::instance(*q, hold);
        if (part.serving == Serving::shared) {
            sharing.join(actor, part, instance, size, Parts::plain(part, size));
            return BLOCKED;
        }
        if (part.serving == Serving::scheduled) {
            scheduling.join(actor, part, instance, addresses(q, low, high, size), NEVER);
            return BLOCKED;
        }
        if (const File* file = layout.file_of(*q)) low += file->base;
        const Arrays::Passed passed = arrays.request(actor, part, instance, size, low);
        if (passed.reader) {  // A frame above the request's own remains until it writes.
            Frame* top = actors.call(actor, layout.rewrite, Op::write, q->file, low, low + size);
            top->hold = &hold;
            top->reader = passed.reader;
        }
        return passed.end;
    }
};

}  // namespace nwtsim
