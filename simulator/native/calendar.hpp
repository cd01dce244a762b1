// Failures and speed changes of instances of parts, and of disks of arrays.
//
// As `Calendar` of simulator/plan/events.py. It does not depend on the run; the current event of
// each moves with the times sought.
#pragma once

#include <vector>

#include "simulator/native/mixing.hpp"
#include "simulator/native/plan.hpp"

namespace nwtsim {

// Return a time drawn from an exponential distribution by 64 random bits, as gap_ns of simulator/plan/events.py.
// `edges`: of equally likely intervals of it, in 2^-20 of its mean.
inline Nanoseconds exponential_gap(Nanoseconds mean, u64 bits, const std::vector<i64>& edges) {
    constexpr Nanoseconds LONGEST_GAP{i64{1} << 61};
    constexpr i64 FRACTION = i64{1} << 32;
    const size_t place = static_cast<size_t>(bits >> (64 - TABLE_BITS));
    const Nanoseconds low = stretched(mean, edges[place]), high = stretched(mean, edges[place + 1]);
    const i64 fraction = static_cast<i64>((bits >> 20) & (FRACTION - 1));
    return std::min(LONGEST_GAP, low + Nanoseconds{scaled((high - low).count, fraction, FRACTION)});
}

struct RestartRow {  // A job that fails at times of the list `restart_time`, or at drawn ones.
    i32 processes, times, times_count, barriers, barriers_count, named;
    Nanoseconds start_ns, mean_ns, delay_ns;
    u64 key;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = RestartRow;
        FIELD(processes), FIELD(times), FIELD(times_count), FIELD(barriers), FIELD(barriers_count), FIELD(named);
        FIELD(start_ns), FIELD(mean_ns), FIELD(delay_ns), FIELD(key);
    }
};

class Calendars {
  public:
    // `edges`: of equally likely intervals of an exponential time, in 2^-20 of its mean.
    Calendars(const std::vector<EventRow>& events, i64 instances, std::vector<i64> edges)
        : edges_(std::move(edges)) {
        if (events.empty()) return;
        first_.assign(static_cast<size_t>(instances) + 2, 0);
        for (const EventRow& one : events) ++first_[static_cast<size_t>(one.instance) + 1];
        for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
        causes_.resize(events.size());
        auto next = first_;
        for (const EventRow& one : events)
            causes_[static_cast<size_t>(next[static_cast<size_t>(one.instance)]++)] = cause(one);
        counts.resize(static_cast<size_t>(instances) + 1);
    }

    struct Counts {
        i64 delayed = 0, given_up = 0;  // Requests that waited until the instance was available, or timed out.
        Nanoseconds missed{0};          // Total delay of those that waited.
        template <class Visitor>
        static void describe(Visitor&& field) {
            using Row = Counts;
            FIELD(delayed), FIELD(given_up), FIELD(missed);
        }
    };
    std::vector<Counts> counts;

    bool any() const { return !causes_.empty(); }
    // Return whether an instance has any events.
    bool has(i64 instance) const {
        return any() && first_[static_cast<size_t>(instance) + 1] > first_[static_cast<size_t>(instance)];
    }

    struct Service {
        Nanoseconds end, began, lost;  // `lost`: time during which the instance is unavailable.
    };

    // Return the times of a service of a given length at the usual speed, from a time on.
    Service service(i64 instance, Nanoseconds start, Nanoseconds work) {
        Nanoseconds time = start, began = NEVER, lost{0};
        while (time < NEVER) {
            const Stretch now = at(instance, time);
            if (now.speed == 0) {
                lost += now.until - time;
                time = now.until;
                continue;
            }
            began = std::min(began, time);
            const Nanoseconds takes{scaled_up(work.count, ONE, now.speed)};
            if (takes <= now.until - time) {
                time += takes;
                break;
            }
            work -= stretched(now.until - time, now.speed);
            time = now.until;
        }
        return {time, began, lost};
    }

    // Return the first time from one on at which an instance becomes available, or fails.
    Nanoseconds next(i64 instance, Nanoseconds time, bool down) {
        while (time < NEVER) {
            const Stretch now = at(instance, time);
            if ((now.speed == 0) == down) return time;
            time = now.until;
        }
        return NEVER;
    }

    // Return the begin of the first outage longer than `most` for a request that arrives at one
    // time and would be served until another; or NEVER.
    Nanoseconds gone_from(i64 instance, Nanoseconds since, Nanoseconds end, Nanoseconds most) {
        while (since < end) {
            Stretch now = at(instance, since);
            if (now.speed == 0) {
                now.until = next(instance, since, false);
                if (now.until - since > most) return since;
            }
            since = now.until;
        }
        return NEVER;
    }

    // Return the work of an instance between two times, in ns of the usual speed.
    Nanoseconds done(i64 instance, Nanoseconds since, Nanoseconds now) {
        return sum(instance, since, now, [](Nanoseconds time, i64 speed) { return stretched(time, speed); });
    }

    // Return the time between two times during which an instance is unavailable.
    Nanoseconds down(i64 instance, Nanoseconds since, Nanoseconds now) {
        return sum(instance, since, now, [](Nanoseconds time, i64 speed) { return speed ? ZERO_NS : time; });
    }

    // Count a request that waited until its instance was available.
    void miss(i64 instance, Nanoseconds lost) {
        if (!lost) return;
        ++counts[static_cast<size_t>(instance)].delayed;
        counts[static_cast<size_t>(instance)].missed += lost;
    }

  private:
    static constexpr i64 MOST_TIMES = 1 << 20;

    struct Cause {
        Nanoseconds begin, end, before;  // Of the current event; the end of the previous one.
        i64 number = 1;
        Nanoseconds mean, lasts;
        i64 speed;
        u64 key;
    };
    struct Stretch {
        i64 speed;          // In 2^-20 of the usual one.
        Nanoseconds until;  // End of that speed.
    };
    std::vector<i64> edges_, first_;
    std::vector<Cause> causes_;

    Cause cause(const EventRow& one) const {
        Cause made{{}, {}, {}, 1, one.mean_ns, one.lasts_ns, one.speed, one.key};
        made.begin = one.mean_ns ? gap(made) : one.at_ns;
        made.end = made.begin + made.lasts;
        return made;
    }

    Nanoseconds gap(const Cause& one) const {
        return exponential_gap(one.mean, mix(one.key, one.number), edges_);
    }

    Stretch at(i64 instance, Nanoseconds time) {
        Stretch found{ONE, NEVER};
        for (i64 row = first_[static_cast<size_t>(instance)]; row < first_[static_cast<size_t>(instance) + 1]; ++row) {
            Cause& one = causes_[static_cast<size_t>(row)];
            seek(one, time);
            if (time < one.begin) {
                found.until = std::min(found.until, one.begin);
            } else if (time < one.end) {
                found.speed = found.speed == ONE ? one.speed : std::min(found.speed, one.speed);
                found.until = std::min(found.until, one.end);
            }
        }
        return found;
    }

    // Find the first one that ends after a time, which may be before the last one.
    void seek(Cause& one, Nanoseconds time) const {
        if (!one.mean) return;
        while (one.end <= time) {
            if (one.number == MOST_TIMES) throw LimitPassed{Culprit::event, 0, false};
            ++one.number;
            one.before = one.end;
            one.begin = one.end + gap(one);
            one.end = one.begin + one.lasts;
        }
        while (time < one.before) {
            --one.number;
            one.end = one.before;
            one.begin = one.end - one.lasts;
            one.before = one.begin - gap(one);
        }
    }

    template <class Part>
    Nanoseconds sum(i64 instance, Nanoseconds since, Nanoseconds now, Part&& part) {
        Nanoseconds total{0};
        while (since < now) {
            const Stretch one = at(instance, since);
            const Nanoseconds end = std::min(one.until, now);
            total += part(end - since, one.speed);
            since = end;
        }
        return total;
    }
};

}  // namespace nwtsim
