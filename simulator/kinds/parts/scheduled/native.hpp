// A disk behind a scheduler: its service is a disk's, its order that of native/scheduling.hpp.
#pragma once

#include "simulator/kinds/parts/disk/native.hpp"

namespace nwtsim {

struct ScheduledKind : DiskKind {
    static constexpr Serving serving = Serving::scheduled;
    struct Spec : DiskKind::Spec {
        i64 policy = 0, ncq = 1, writes_starved = 2, fifo_batch = 16;
        Bytes merge, budget;
        Nanoseconds read_expire_ns, write_expire_ns, slice_ns, slice_idle_ns;
        template <class Visitor>
        static void describe(Visitor&& field) {
            DiskKind::Spec::describe(field);
            using Row = Spec;
            FIELD(policy), FIELD(ncq), FIELD(writes_starved), FIELD(fifo_batch), FIELD(merge), FIELD(budget);
            FIELD(read_expire_ns), FIELD(write_expire_ns), FIELD(slice_ns), FIELD(slice_idle_ns);
        }
    };
};

}  // namespace nwtsim
