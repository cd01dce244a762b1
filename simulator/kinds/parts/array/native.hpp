// Redundant arrays of disks: each disk is a queue of its own (native/array.hpp).
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct ArrayKind : PartKind {
    static constexpr Serving serving = Serving::array;
    struct Spec {
        i64 disks = 0, parities = 0, rebuild = 0;  // `rebuild`: bytes per second.
        Bytes unit, capacity, step;
        Nanoseconds overhead_ns, seek_ns, turn_ns;
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Spec;
            FIELD(disks), FIELD(parities), FIELD(rebuild), FIELD(unit), FIELD(capacity), FIELD(step);
            FIELD(overhead_ns), FIELD(seek_ns), FIELD(turn_ns);
        }
    };
    static i32 servers(const PartRow&) { return 0; }
};

}  // namespace nwtsim
