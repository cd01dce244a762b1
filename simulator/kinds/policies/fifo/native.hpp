// First in, first out: the block that has been clean for longest goes, used or not.
#pragma once

#include "simulator/native/policy.hpp"

namespace nwtsim {

struct FifoPolicy : Policy {};

}  // namespace nwtsim
