// Tape drives: disks without an arm, whose mount is paid by each other file.
#pragma once

#include "simulator/kinds/parts/disk/native.hpp"

namespace nwtsim {

struct TapeKind : DiskKind {};

}  // namespace nwtsim
