// Curves over time: blocks in use and dirty bytes of store instances, and bytes of processes' calls.
//
// A curve has bins of equal width, 2^20 ns at first. When the time passes the last of at most `most`
// bins, they are added up in pairs, and the width doubles. All sums are integers, so that they do not
// depend on the engine; docs/composition.md, "What comes out".
#pragma once

#include <memory>
#include <vector>

#include "simulator/native/quantity.hpp"

namespace nwtsim {

// Sums of each bin.
struct Bins {
    static constexpr int FIRST_SHIFT = 20;
    int shift = FIRST_SHIFT;  // A bin has 2^shift ns.
    std::vector<wide> sums;

    // Widen the bins until at most `most` of them reach to a time.
    void reach(i64 time, i64 most) {
        while (time > static_cast<wide>(most) << shift) {  // The last time may be beyond the limit.
            for (size_t i = 0; i < sums.size(); i += 2) sums[i / 2] = sums[i] + (i + 1 < sums.size() ? sums[i + 1] : 0);
            sums.resize((sums.size() + 1) / 2);
            ++shift;
        }
    }

    wide& at(i64 bin) {
        if (bin >= static_cast<i64>(sums.size())) sums.resize(static_cast<size_t>(bin) + 1);
        return sums[static_cast<size_t>(bin)];
    }

    // Add a value that lasted from one time to another.
    void add(i64 value, i64 begin, i64 end) {
        for (i64 bin = begin >> shift; begin < end; ++bin) {
            const i64 stop = static_cast<i64>(std::min<wide>(end, static_cast<wide>(bin + 1) << shift));
            at(bin) += static_cast<wide>(value) * (stop - begin);
            begin = stop;
        }
    }
};

// A value over time: its integral over each bin, and its maximum.
struct Level {
    i64 value = 0;
    i64 most = 0, most_at = 0;  // The largest value that has lasted, and the begin of that.
    wide moment = 0;            // The sum of all changes, each times its time.
    Bins bins;

    void pass(i64 begin, i64 end, i64 most_bins) {
        bins.reach(end, most_bins);
        bins.add(value, begin, end);
        if (value > most) {
            most = value;
            most_at = begin;
        }
    }
    void change(i64 by, i64 time) {
        value += by;
        moment += static_cast<wide>(by) * time;
    }
};

struct StoreCurve {
    i64 instance = 0;
    i64 since = 0;      // Time up to which the levels have been added up.
    i64 left = 0;       // Bytes that were to be written back at the end; counted from the blocks.
    Level used, dirty;  // In blocks, and bytes.

    void pass(i64 now, i64 most_bins) {
        if (now <= since) return;
        used.pass(since, now, most_bins);
        dirty.pass(since, now, most_bins);
        since = now;
    }
};

// All curves of a run.
class Curves {
  public:
    Curves(const Nanoseconds& now, i64 most_bins, size_t instances) : most_bins_(most_bins), now_(now), stores_(instances) {}

    Bins read, written;  // Bytes of the calls that end in each bin.

    void change_used(i64 instance, i64 blocks) { changed(instance, &StoreCurve::used, blocks); }
    void change_dirty(i64 instance, i64 bytes) { changed(instance, &StoreCurve::dirty, bytes); }

    // A call of a process ends, which has read or written bytes. A bin has the calls that end after its
    // begin, and until its end.
    void call(bool writes, Nanoseconds end, Bytes size) {
        Bins& bins = writes ? written : read;
        bins.reach(end.count, most_bins_);
        bins.at(std::max<i64>(0, end.count - 1) >> bins.shift) += size.count;
    }

    StoreCurve& of(i64 instance) {
        auto& curve = stores_[static_cast<size_t>(instance)];
        if (!curve) {
            curve = std::make_unique<StoreCurve>();
            curve->instance = instance;
        }
        return *curve;
    }

    // Extend all curves to the end of the run.
    void finish(Nanoseconds end) {
        each([&](StoreCurve& curve) { curve.pass(end.count, most_bins_); });
        for (Bins* bins : {&read, &written}) {
            bins->reach(end.count, most_bins_);
            if (end) bins->at((end.count - 1) >> bins->shift);
        }
    }

    template <class Visit>
    void each(Visit&& visit) {
        for (auto& curve : stores_)
            if (curve) visit(*curve);
    }

  private:
    const i64 most_bins_;
    const Nanoseconds& now_;
    std::vector<std::unique_ptr<StoreCurve>> stores_;  // By instance; none before its first change.

    void changed(i64 instance, Level StoreCurve::*level, i64 by) {
        StoreCurve& curve = of(instance);
        curve.pass(now_.count, most_bins_);
        (curve.*level).change(by, now_.count);
    }
};

}  // namespace nwtsim
