// A flash device: what is in its write cache, and how much was written since it stalled.
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct SsdKind : PartKind {
    struct Spec {
        Bytes cache, erase;   // `erase`: bytes between two stalls; 0: it does not stall.
        i64 sustained = 1;    // Bytes per second that leave the cache.
        Nanoseconds stall_ns;
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Spec;
            FIELD(cache), FIELD(erase), FIELD(sustained), FIELD(stall_ns);
        }
    };
    struct Memory {
        Bytes held{0}, written{0};  // In the cache; since the last stall.
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Memory;
            FIELD(held), FIELD(written);
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
        const Bytes fast = std::min(load.size, std::max(NO_BYTES, spec.cache - cache.held));
        cache.held += fast;
        const Nanoseconds slow{scaled((load.size - fast).count, SECOND, spec.sustained)};
        Nanoseconds time = Parts::within_part(Parts::plain(part, fast) + slow, part);
        if (spec.erase) {
            const Bytes written = cache.written + load.size;
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

    static void drain(Parts& parts, i64 instance, const Spec& spec, Memory& cache, Nanoseconds begin) {
        const Nanoseconds idle = begin - parts.at(instance).free;
        cache.held = std::max(NO_BYTES, cache.held - Bytes{scaled(idle.count, spec.sustained, SECOND)});
    }
};

}  // namespace nwtsim
