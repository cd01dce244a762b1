// What a kind of part says to the engine: native.hpp in its folder of simulator/kinds/parts.
//
// A kind is a class with static functions. It has those of PartKind unless it says otherwise:
//
// - Spec: the numbers of its specification, by the names that simulator/kinds/parts/<kind>/spec.py
//   has for them; Memory: what an instance remembers;
// - serving, servers: what the engine does with it, and how many servers an instance has;
// - hooked: whether `serve` and `spend` are called for each request; draws: whether these draw.
//
// The kinds of a build stand in one generated list (kinds.inc).
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
    static constexpr bool counts_idle = false;  // An instance depends on how long it was idle.

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
    // What the first request of a file takes besides, where nothing was before.
    template <class Spec>
    static Nanoseconds first(const Spec&) { return ZERO_NS; }
};

}  // namespace nwtsim
