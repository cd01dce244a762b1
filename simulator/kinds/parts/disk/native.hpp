// Disks: an arm that is somewhere, and a medium that turns. What does not follow the last request
// positions.
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct DiskKind : PartKind {
    struct Spec {
        Nanoseconds seek_ns, turn_ns, mount_ns, track_seek_ns, full_seek_ns;
        Bytes capacity;
        bool rotation_drawn = false;
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Spec;
            FIELD(seek_ns), FIELD(turn_ns), FIELD(mount_ns), FIELD(track_seek_ns);
            FIELD(full_seek_ns), FIELD(capacity), FIELD(rotation_drawn);
        }

        Nanoseconds seek(Bytes distance) const {
            if (!full_seek_ns) return seek_ns;
            double part = 1.0;
            if (distance < capacity)
                part = 1.0 * static_cast<double>(distance.count) / static_cast<double>(capacity.count);
            const double more = static_cast<double>((full_seek_ns - track_seek_ns).count) * part + 0.5;
            return track_seek_ns + Nanoseconds{static_cast<i64>(more)};
        }
    };
    struct Memory {
        Bytes head{-1};  // The address behind the last byte.
        i64 file = -1;
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Memory;
            FIELD(head), FIELD(file);
        }
    };

    static bool hooked(const Spec& spec) {
        return spec.seek_ns || spec.turn_ns || spec.mount_ns || spec.full_seek_ns;
    }
    static bool draws(const Spec& spec) { return hooked(spec) && spec.rotation_drawn; }
    static Nanoseconds first(const Spec& spec) { return spec.mount_ns + spec.seek(NO_BYTES) + spec.turn_ns / 2; }

    static Nanoseconds serve(Parts& parts, const Part& part, i64 instance, const Spec& spec, Memory& last,
                             const Load& load, Nanoseconds service) {
        Nanoseconds more{0};
        if (load.address != last.head) {
            Bytes distance = load.address - std::max(NO_BYTES, last.head);
            if (distance < NO_BYTES) distance = NO_BYTES - distance;
            Nanoseconds delay = spec.turn_ns / 2;
            if (spec.rotation_drawn)
                delay = {static_cast<i64>(static_cast<double>(spec.turn_ns.count) * parts.draw(part, instance))};
            more = Parts::within_part(spec.seek(distance / i64{load.spread}) + delay, part);
        }
        if (load.file != last.file) more = Parts::within_part(more + spec.mount_ns, part);
        last = {load.address + load.span, load.file};
        return service + more;
    }
};

}  // namespace nwtsim
