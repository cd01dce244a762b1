// The processor of a node: what copying and calling cost. It may be shared (sharing.hpp).
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct CpuKind : PartKind {
    static constexpr Serving serving = Serving::cpu;
    struct Spec {
        double copy_rate = 0;  // Bytes per second.
        Nanoseconds record_overhead_ns, call_overhead_ns, turn_overhead_ns;
        i64 turn_unit = 0;
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Spec;
            FIELD(copy_rate), FIELD(record_overhead_ns), FIELD(call_overhead_ns);
            FIELD(turn_overhead_ns), FIELD(turn_unit);
        }

        double copy_ns_per_byte() const { return copy_rate ? 1e9 / copy_rate : 0; }
        // How often a turn of the buffer costs its overhead that moves some bytes from `low` on.
        i64 turns(i64 low, i64 size) const {
            return turn_unit ? (low + size - 1) / turn_unit - low / turn_unit + 1 : 1;
        }
    };
    static i32 servers(const PartRow&) { return 0; }
};

}  // namespace nwtsim
