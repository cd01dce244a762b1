// Work for a core of its node: a delay, or, where tasks can wait for a core, a task (sharing.hpp).
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct CoreKind : PartKind {
    static i32 servers(const PartRow&) { return 0; }
};

}  // namespace nwtsim
