// Interface of a kind of part to the engine: native.hpp in its folder of simulator/kinds/parts.
//
// A kind is a class with static functions. It inherits those of PartKind that it does not define:
//
// - Spec: the numbers of its specification, by the names that simulator/kinds/parts/<kind>/spec.py
//   has for them; Memory: what an instance remembers;
// - serving, servers: how the engine serves it, and the number of servers of an instance;
// - hooked: whether `serve` and `spend` are called for each request; draws: whether these draw.
//
// The kinds of a build are in one generated list (parts.inc).
#pragma once

#include "simulator/native/part.hpp"

namespace nwtsim {

struct Nothing {
    template <class Visitor>
    static void describe(Visitor&&) {}
};

struct PartKind {
    using Spec = Nothing;
    using Memory = Nothing;
    static constexpr Serving serving = Serving::station;
    static constexpr bool counts_idle = false;  // An instance depends on its idle time.

    static i32 servers(const PartRow&) { return 1; }  // 0: nothing queues.
    template <class Spec>
    static bool hooked(const Spec&) { return false; }
    template <class Spec>
    static bool draws(const Spec&) { return false; }

    // Serve a request that takes `service` by overhead and rate; returns its time without noise.
    template <class Spec, class Memory>
    static Nanoseconds serve(Parts&, const Part&, i64, const Spec&, Memory&, const Load&, Nanoseconds service) {
        return service;
    }
    // Serve one of a given time that moves no bytes.
    template <class Spec, class Memory>
    static Nanoseconds spend(Parts&, const Part&, i64, const Spec&, Memory&, Nanoseconds, Nanoseconds service) {
        return service;
    }
    // Additional time of the first request of a file, without an earlier one.
    template <class Spec>
    static Nanoseconds first(const Spec&) { return ZERO_NS; }
};

}  // namespace nwtsim
