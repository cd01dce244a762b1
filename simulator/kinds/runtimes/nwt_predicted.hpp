// The library of the NWT as it was cured: it writes the length of the record before in advance.
#pragma once

#include "simulator/kinds/runtimes/nwt.hpp"

namespace nwtsim {

struct NwtPredictedRuntime : NwtRuntime {
    static bool write(Stream& s) { return next_write(s, true); }
};

}  // namespace nwtsim
