// A rate that all transfers under way share (native/sharing.hpp).
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct SharedKind : PartKind {
    static constexpr Serving serving = Serving::shared;
    static i32 servers(const PartRow&) { return 0; }
};

}  // namespace nwtsim
