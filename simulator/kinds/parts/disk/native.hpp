// Disks: an arm that is somewhere, and a medium that turns. What does not follow the last request
// positions.
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct DiskKind : PartKind {
    struct Spec {
        Nanoseconds seek_ns, turn_ns, mount_ns, track_seek_ns, full_seek_ns;
        Bytes capacity;
        double rate = 0, inner_rate = 0;
        bool rotation_drawn = false;
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Spec;
            FIELD(seek_ns), FIELD(turn_ns), FIELD(mount_ns), FIELD(track_seek_ns);
            FIELD(full_seek_ns), FIELD(capacity), FIELD(rate), FIELD(inner_rate), FIELD(rotation_drawn);
        }

        Nanoseconds seek(Bytes distance) const {
            if (!full_seek_ns) return seek_ns;
            const double more = static_cast<double>((full_seek_ns - track_seek_ns).count) * part_of(distance) + 0.5;
            return track_seek_ns + Nanoseconds{static_cast<i64>(more)};
        }

        // Return the part of the addresses that lie below one.
        double part_of(Bytes address) const {
            return address < capacity ? static_cast<double>(address.count) / static_cast<double>(capacity.count) : 1.0;
        }

        // Return what a transfer takes longer than at address 0, as DiskSpec.inner_ns.
        Nanoseconds inner(Bytes address, Nanoseconds transfer, const Part& of) const {
            const double share = inner_rate / rate, slower = 1.0 / (1.0 - (1.0 - share) * part_of(address)) - 1.0;
            const double more = static_cast<double>(transfer.count) * slower + 0.5;
            if (more >= static_cast<double>(LIMIT)) throw LimitPassed{Culprit::part, of.row, false};
            return {static_cast<i64>(more)};
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
        return spec.seek_ns || spec.turn_ns || spec.mount_ns || spec.full_seek_ns || spec.inner_rate > 0;
    }
    static bool draws(const Spec& spec) { return hooked(spec) && spec.rotation_drawn; }
    static Nanoseconds first(const Spec& spec) { return spec.mount_ns + spec.seek(NO_BYTES) + spec.turn_ns / 2; }

    static Nanoseconds serve(Parts& parts, const Part& part, i64 instance, const Spec& spec, Memory& last,
                             const Load& load, Nanoseconds service) {
        Nanoseconds more{0};
        if (spec.inner_rate > 0)
            service = Parts::within_part(service + spec.inner(load.address, service - part.overhead, part), part);
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
