// Signals and progress: long loops tick, and a callback is called about every 30 ms.
#pragma once

#include <atomic>
#include <functional>

#include "simulator/native/quantity.hpp"

namespace nwtsim {

struct Interrupted {};  // Thrown when the callback ends the run.

class Pulse {
  public:
    // Called about every 2^16 ticks of at most a microsecond; false ends the run.
    std::function<bool()> look;

    void tick(i64 steps = 1) {
        left_ -= steps;
        if (left_ < 0) [[unlikely]] beat();
    }

  private:
    static constexpr i64 TICKS = 1 << 16;
    i64 left_ = TICKS;

    [[gnu::noinline]] void beat() {
        left_ = TICKS;
        if (look && !look()) throw Interrupted{};
    }
};

}  // namespace nwtsim
