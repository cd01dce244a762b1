// A flash device: what is in its write cache, how much was written since it stalled, and whether it
// has erased flash left.
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct SsdKind : PartKind {
    struct Spec {
        Bytes cache, erase;   // `erase`: bytes between two stalls; 0: it does not stall.
        i64 sustained = 1;    // Bytes per second that leave the cache.
        Nanoseconds stall_ns;
        Bytes page, spare;    // `page` 0: any bytes; `spare`: written before it collects.
        i64 collecting = 0;   // Bytes per second past the cache while it collects; 0: `sustained`.
        Nanoseconds collect_ns;  // Of a write that does not follow the one before.
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Spec;
            FIELD(cache), FIELD(erase), FIELD(sustained), FIELD(stall_ns);
            FIELD(page), FIELD(spare), FIELD(collecting), FIELD(collect_ns);
        }
    };
    struct Memory {
        Bytes held{0}, written{0};  // In the cache; since the last stall.
        Bytes spent{0}, head{-1};   // Of the spare flash; behind the last write, if that matters.
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Memory;
            FIELD(held), FIELD(written), FIELD(spent), FIELD(head);
        }
    };
    static constexpr bool counts_idle = true;
    static constexpr i64 SECOND = 1'000'000'000;

    static bool hooked(const Spec&) { return true; }

    // Let the cache drain since the request before, and write to it what fits.
    static Nanoseconds serve(Parts& parts, const Part& part, i64 instance, const Spec& spec, Memory& cache,
                             const Load& load, Nanoseconds service) {
        drain(parts, instance, spec, cache, load.begin);
        if (!part.is_writing) return service;
        Bytes size = load.size;
        if (spec.page && size)
            size = within(size + Bytes{load.address.count % spec.page.count} + lacking(load.address + load.span, spec.page),
                          Culprit::part, part.row);
        const Bytes fast = std::min(size, std::max(NO_BYTES, spec.cache - cache.held));
        cache.held += fast;
        const Nanoseconds slow = past_cache(part, spec, cache, load, size, size - fast);
        Nanoseconds time = Parts::within_part(parts.plain_now(part, fast) + slow, part);
        if (spec.erase) {
            const Bytes written = cache.written + size;
            const i64 stalls = written / spec.erase;
            cache.written = written - spec.erase * stalls;
            time = Parts::within_part(time + Nanoseconds{product(stalls, spec.stall_ns.count)}, part);
        }
        return time;
    }

    static Nanoseconds spend(Parts& parts, const Part&, i64 instance, const Spec& spec, Memory& cache,
                             Nanoseconds begin, Nanoseconds service) {
        drain(parts, instance, spec, cache, begin);
        return service;
    }

    // Return what is lacking to whole pages.
    static Bytes lacking(Bytes end, Bytes page) { return {(page.count - end.count % page.count) % page.count}; }

    // Return the time of bytes past the cache: without spare flash, it collects as much as it writes.
    static Nanoseconds past_cache(const Part& part, const Spec& spec, Memory& cache, const Load& load, Bytes size,
                                  Bytes slow) {
        const Bytes beyond = cache.spent + size - spec.spare;
        cache.spent = std::min(spec.spare, cache.spent + size);
        const Bytes collected = std::min(slow, std::max(NO_BYTES, beyond));
        Nanoseconds time{scaled((slow - collected).count, SECOND, spec.sustained)};
        time += Nanoseconds{scaled(collected.count, SECOND, spec.collecting ? spec.collecting : spec.sustained)};
        time = Parts::within_part(time, part);
        if (!spec.collect_ns) return time;
        if (collected && load.address != cache.head) time = Parts::within_part(time + spec.collect_ns, part);
        cache.head = load.address + load.span;
        return time;
    }

    static void drain(Parts& parts, i64 instance, const Spec& spec, Memory& cache, Nanoseconds begin) {
        const Nanoseconds idle = begin - parts.at(instance).free;
        cache.held = std::max(NO_BYTES, cache.held - Bytes{scaled(idle.count, spec.sustained, SECOND)});
    }
};

}  // namespace nwtsim
