// Group commit: requests share the next commit.
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct JournalKind : PartKind {
    static constexpr Serving serving = Serving::journal;
    struct Spec {
        Nanoseconds wait_ns;  // From the first request for a commit until it may begin.
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Spec;
            FIELD(wait_ns);
        }
    };
    struct Memory {
        Nanoseconds begin{-1};  // Of the last commit,
        i64 commits = 0;        // and how many there were.
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Memory;
            FIELD(begin), FIELD(commits);
        }
    };
    static i32 servers(const PartRow&) { return 0; }

    // Have a request committed by the next commit; returns when that ends.
    static Nanoseconds commit(Parts& parts, Actor* actor, const Part& part, i64 instance, const Spec& spec, Memory& last) {
        Instance& one = parts.at(instance);
        const Nanoseconds now = parts.clock.now;
        Nanoseconds begin = last.begin;
        if (now >= begin) {  // It is under way, or has ended.
            begin = std::max(Parts::within_part(now + spec.wait_ns, part), one.free);
            const Nanoseconds service = parts.stretch(part, instance, part.overhead, last.commits + 1);
            last = {begin, last.commits + 1};
            one.free = Parts::within_part(begin + service, part);
            one.busy += service;  // Less than when it is free.
            if (parts.timing) parts.note(instance, begin, service, NO_BYTES);
        }
        ++one.requests;
        parts.charge(actor, part.column, begin - now, one.free - begin);
        return one.free;
    }
};

}  // namespace nwtsim
