// Disks with zones: the rate of a request follows from its address.
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct ZonedDiskKind : PartKind {
    struct Spec {
        i64 outer, inner;  // Bytes per second.
        Bytes capacity;
        Nanoseconds position_ns;
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Spec;
            FIELD(outer), FIELD(inner), FIELD(capacity), FIELD(position_ns);
        }
    };
    struct Memory {
        Bytes head{-1};  // The address behind the last byte.
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Memory;
            FIELD(head);
        }
    };

    static bool hooked(const Spec&) { return true; }

    static Nanoseconds serve(Parts&, const Part& part, i64, const Spec& spec, Memory& last, const Load& load,
                             Nanoseconds) {
        const Bytes inside = std::min(load.address, spec.capacity);
        const double depth = static_cast<double>(inside.count) / static_cast<double>(spec.capacity.count);
        const double rate = static_cast<double>(spec.outer) + static_cast<double>(spec.inner - spec.outer) * depth;
        Nanoseconds service = Parts::within_part(transfer_time(load.size, 1e9 / rate), part);
        if (load.address != last.head) service = Parts::within_part(service + spec.position_ns, part);
        last.head = load.address + load.span;
        return service;
    }
};

}  // namespace nwtsim
