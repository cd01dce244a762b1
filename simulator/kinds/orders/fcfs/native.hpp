// First come, first served.
#pragma once

#include "simulator/native/order.hpp"

namespace nwtsim {

struct FcfsOrder : Order {};

}  // namespace nwtsim
