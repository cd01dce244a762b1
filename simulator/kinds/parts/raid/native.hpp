// A RAID unit: no request comes to it but from its buffer cache (native/raid_unit.hpp).
#pragma once

#include "simulator/native/part_kind.hpp"

namespace nwtsim {

struct RaidKind : PartKind {
    static i32 servers(const PartRow&) { return 0; }
};

}  // namespace nwtsim
