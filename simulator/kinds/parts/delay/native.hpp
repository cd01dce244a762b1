// A time that each request takes: nothing queues.
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct DelayKind : PartKind {
    static i32 servers(const PartRow&) { return 0; }
};

}  // namespace nwtsim
