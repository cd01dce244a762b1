// Fast-forward: a run whose state repeats is continued by arithmetic, where that is exact;
// docs/decisions/0054.
//
// A repeating process is watched: each time it begins a repetition the state is compared with a
// stored one. If they are equal, all periods are added that pass before anything ends; then the run
// continues. Comparisons cost a fiftieth of the run at most, counted in events.
#pragma once

#include <map>
#include <utility>

#include "simulator/native/state.hpp"

namespace nwtsim {

// Records a state, a number for each cell.
class StateRecord {
  public:
    std::vector<i64> cells;
    Nanoseconds now{0};
    i64 events = 0;

    explicit StateRecord(Kernel& kernel) : now(kernel.clock.now), events(kernel.clock.alarms + kernel.sharing.rings) {
        StateWalk walk(kernel, *this);
        walk.all();
    }

    void same(i64 value, const char*) { cells.push_back(value); }
    i64 sum(i64& value) { return cells.push_back(value), 0; }
    i64 fixed(i64 value, const char*) { return cells.push_back(value), 0; }
    i64 arrivals(i64& value, Nanoseconds) { return sum(value); }
    void grows(i64& value, i64) { cells.push_back(value); }
    void wide_sum(wide& value) {
        cells.push_back(static_cast<i64>(value));
        cells.push_back(static_cast<i64>(value >> 64));
    }
    void wide(Nanoseconds& value, i64& carry) {
        cells.push_back(value.count);
        cells.push_back(carry);
    }
    void free(Nanoseconds& time) { cells.push_back(time.count); }
    void since_always(Nanoseconds& time) { cells.push_back(time.count); }
    void since(Nanoseconds& time) { cells.push_back(time.count); }
    void last(Nanoseconds& time) { cells.push_back(time.count); }
    void alarm(Nanoseconds& time) { cells.push_back(time.count); }
    void known(When& when) { cells.push_back(when.time.count); }
    void actor(const Actor* one, const char*) { cells.push_back(one ? one->number : -1); }
    void dirty(i64& sum, i64, bool) { cells.push_back(sum); }
    void ends_after(i64) {}
    void bytes(const void* data, size_t size, const char*) {
        const size_t first = cells.size();
        cells.resize(first + size / 8);
        std::memcpy(&cells[first], data, size);
    }
};

// Compares a stored state with the current one; collects the increments of a period, and the number
// of periods that may follow.
class StateChange {
  public:
    StateChange(const StateRecord& kept, Kernel& kernel)
        : then_(kept.cells), before_(kept.now), now_(kernel.clock.now), passed_(now_ - before_) {
        if (passed_ <= ZERO_NS) throw Differs{"no time has passed"};
        StateWalk walk(kernel, *this);
        walk.all();
        if (at_ != then_.size()) throw Differs{"how much there is"};
    }

    i64 most = LIMIT;  // Maximum number of periods that may follow.
    Nanoseconds passed() const { return passed_; }

    void carry_on(i64 periods) {
        for (const auto& [value, step] : added_) *value += periods * step;
        for (const auto& [value, carry, step] : wide_) {
            const nwtsim::wide sum = (static_cast<nwtsim::wide>(*carry) << 62) + *value + static_cast<nwtsim::wide>(periods) * step;
            *value = static_cast<i64>(sum & (LIMIT - 1));
            *carry = static_cast<i64>(sum >> 62);
        }
        for (const auto& [value, step] : sums_) *value += step * periods;
    }

    void same(i64 value, const char* what) {
        if (next() != value) throw Differs{what};
    }
    i64 fixed(i64 value, const char* what) { return same(value, what), 0; }
    i64 sum(i64& value) {
        const i64 step = value - next();
        if (step) add(value, step);
        return step;
    }
    i64 arrivals(i64& value, Nanoseconds gap) {
        const i64 step = value - next();
        if (!step) return 0;
        if (gap * step != passed_) throw Differs{"arrivals at other times"};
        if (moved_.insert(&value).second) add(value, step);
        return step;
    }
    void grows(i64& value, i64 step) {
        if (value - next() != step) throw Differs{"what grows with something else"};
        if (step && moved_.insert(&value).second) add(value, step);
    }
    void wide_sum(nwtsim::wide& value) {
        const u64 low = static_cast<u64>(next());
        const nwtsim::wide was = (static_cast<nwtsim::wide>(next()) << 64) | low;
        if (value != was) sums_.push_back({&value, value - was});
    }
    void wide(Nanoseconds& value, i64& carry) {
        const i64 was = next();
        const i64 step = value.count - was + ((carry - next()) << 62);
        if (step) wide_.push_back({&value.count, &carry, step});
    }
    void free(Nanoseconds& time) {
        const Nanoseconds was{next()}, none{-1};
        if (std::max(was - before_, none) != std::max(time - now_, none)) throw Differs{"when something is free"};
        added_.push_back({&time.count, passed_.count});
    }
    void since_always(Nanoseconds& time) {
        const Nanoseconds was{next()};
        if (was == time && was < before_) return;  // It was not used.
        if (time - was != passed_) throw Differs{"since when something is free"};
        added_.push_back({&time.count, passed_.count});
    }
    void since(Nanoseconds& time) {
        const i64 step = time.count - next();
        if (!step) return;
        if (step != passed_.count) throw Differs{"since when something is so"};
        added_.push_back({&time.count, step});
    }
    void last(Nanoseconds& time) {
        if (time.count != next()) added_.push_back({&time.count, passed_.count});
    }
    void alarm(Nanoseconds& time) {
        const i64 step = time.count - next();
        if (step == 0) ends_after((time - now_ - Nanoseconds{1}) / passed_);  // Its actor is idle until then.
        else if (step == passed_.count) added_.push_back({&time.count, step});
        else throw Differs{"when an actor goes on"};
    }
    void known(When& when) { free(when.time); }
    void actor(const Actor* one, const char* what) { same(one ? one->number : -1, what); }
    // Bytes rewritten in a block that was dirty from its first to its last: these change nothing.
    void dirty(i64& sum, i64 hull, bool writes_back) {
        const i64 was = next();
        if (was == sum) return;
        if (hull > was || was >= sum || writes_back) throw Differs{"how often a block was written to"};
        add(sum, sum - was);
    }
    void ends_after(i64 periods) { most = std::min(most, periods); }
    void bytes(const void* data, size_t size, const char* what) {
        if (at_ + size / 8 > then_.size() || std::memcmp(&then_[at_], data, size)) throw Differs{what};
        at_ += size / 8;
    }

  private:
    const std::vector<i64>& then_;
    size_t at_ = 0;
    const Nanoseconds before_, now_, passed_;
    struct Added {
        i64* value;
        i64 step;
    };
    struct WideAdded {
        i64 *value, *carry;
        i64 step;
    };
    struct Summed {
        nwtsim::wide* value;
        nwtsim::wide step;
    };
    std::vector<Added> added_;
    std::vector<WideAdded> wide_;
    std::vector<Summed> sums_;
    std::set<i64*> moved_;

    i64 next() {
        if (at_ == then_.size()) throw Differs{"how much there is"};
        return then_[at_++];
    }
    // Add an increment to a number in each period; it stays below its limit.
    void add(i64& value, i64 step) {
        if (step < 0) throw Differs{"a number that grows"};
        added_.push_back({&value, step});
        ends_after((LIMIT - 1 - value) / step - 1);
    }
};

// Watches a run, and fast-forwards it.
class Repeats {
  public:
    explicit Repeats(Kernel& kernel) : k(kernel) { lead(); }

    i64 periods = 0, events = 0;
    Nanoseconds time{0};  // Time that was skipped.
    std::string differed;
    i64 share = SHARE;    // Events per comparison, in units of its cost; 0: unlimited.

    bool watches() const { return leader_ >= 0; }

    // The watched process has begun a repetition: compare, and fast-forward.
    void look() {
        const i32 turned = std::exchange(k.programs.turned, Programs::NOT_TURNED);
        if (leader_ < 0) return;
        Level& level = levels_[turned];
        const i64 work = work_done(), coming = (work - level.last) * left(turned);
        level.last = work;
        const i64 cost = FIXED + cells_ / CELLS, missing = share * (spent_ + cost) - work - coming;
        if (share && missing > 0) {
            const i64 now = k.clock.alarms;
            k.programs.watch_from = now + static_cast<i64>(static_cast<double>(missing) * static_cast<double>(now - events) / static_cast<double>(work));
            return;
        }
        spent_ += cost;
        compare(level);
    }

    // No repetition began for a while: the watched process may have ended.
    void rest() {
        if (leader_ >= 0 && k.programs.processes[static_cast<size_t>(leader_)].ended >= ZERO_NS) lead();
    }

  private:
    static constexpr i64 SHARE = 50, FIXED = 300, CELLS = 60, LOOKS = 4;

    struct Level {  // A repetition of the watched process: its phases, or those of a loop.
        std::unique_ptr<StateRecord> kept;
        i64 since = 0, most = 1;  // Passes since then; number after which another state is stored.
        i64 last = 0;             // Work of the run at the last pass.
    };
    Kernel& k;
    i32 leader_ = -1;
    std::map<i32, Level> levels_;
    i64 spent_ = 0, skipped_ = 0, cells_ = 0;

    // Watch the process that will repeat most, if any does.
    void lead() {
        Programs& programs = k.programs;
        i64 most = 1;
        leader_ = -1;
        for (const Process& x : programs.processes) {
            if (x.ended >= ZERO_NS) continue;
            i64 times = x.repeat - x.round;
            for (i32 i = 0; i < x.phases_count; ++i)
                if (x.phases[i].kind == PhaseKind::loop) times = std::max(times, x.phases[i].loops);
            if (x.arrivals >= 0) times = std::max(times, programs.arrivals[static_cast<size_t>(x.arrivals)].count);
            if (x.until >= 0) times = std::max<i64>(times, 2);
            if (times > most) {
                most = times;
                leader_ = x.number;
            }
        }
        levels_.clear();
        programs.watched = leader_;
        programs.watch_from = 0;
    }

    // Return the work of the run so far, in events.
    i64 work_done() const {
        i64 looks = 0;
        for (const StoreInstance& at : k.cache.instances) looks += at.hits + at.misses;
        return k.clock.alarms + looks / LOOKS - skipped_;
    }

    // Return the number of remaining repetitions of the leader at a level.
    i64 left(i32 turned) const {
        const Process& x = k.programs.processes[static_cast<size_t>(leader_)];
        if (turned >= 0) return x.phases[turned].loops - x.passes[turned];
        if (x.arrivals >= 0) {
            const Arrivals& row = k.programs.arrivals[static_cast<size_t>(x.arrivals)];
            return row.count - row.taken;
        }
        return x.until >= 0 ? 1 : x.repeat - x.round;
    }

    // Compare the state with the stored one; store another one at intervals (R. Brent, 1980).
    void compare(Level& level) {
        k.buffers.settle();
        try {
            if (level.kept) {
                StateChange change(*level.kept, k);
                carry_on(level, change);
                return;
            }
        } catch (const Differs& differs) {
            differed = differs.what;
        }
        if (++level.since < level.most && level.kept) return;
        try {
            level.kept = std::make_unique<StateRecord>(k);
            cells_ = static_cast<i64>(level.kept->cells.size());
            level.most *= 2;
            level.since = 0;
        } catch (const Differs& differs) {
            differed = differs.what;
        }
    }

    // Skip periods equal to the one just ended.
    void carry_on(Level& level, StateChange& change) {
        if (change.most > 0) {
            const i64 each = k.clock.alarms + k.sharing.rings - level.kept->events, work = work_done();
            std::vector<i64> taken;
            for (const Arrivals& row : k.programs.arrivals) taken.push_back(row.taken);
            change.carry_on(change.most);
            for (size_t i = 0; i < taken.size(); ++i) {
                Arrivals& row = k.programs.arrivals[i];
                if (row.taken > taken[i]) row.skipped(taken[i], (row.taken - taken[i]) / change.most);
            }
            k.clock.move_to(k.clock.now + change.passed() * change.most);
            skipped_ += work_done() - work;
            periods += change.most;
            events += change.most * each;
            time += change.passed() * change.most;
        }
        level = {nullptr, 0, 1, level.last};
    }
};

inline Kernel::~Kernel() = default;

inline void Kernel::look(Actor* next) {
    left_ = next;
    if (repeats) repeats->look();
    else programs.turned = Programs::NOT_TURNED;
    left_ = nullptr;
}

}  // namespace nwtsim
