// Equal servers with one queue.
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct QueueKind : PartKind {
    static i32 servers(const PartRow& part) { return part.servers; }
};

}  // namespace nwtsim
