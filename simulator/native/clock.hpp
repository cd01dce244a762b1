// The clock: the alarm of each actor, and the next actor.
//
// A calendar queue: time is divided into days of 2^k ns, a year has a fixed number of days, and the
// alarms of a day are a pairing heap. Of two equal times the actor with the lower number is first.
// The length of a day, which adapts to the time between events, affects only the cost of an alarm.
//
// R. Brown, "Calendar queues", Commun. ACM 31 (1988); M. L. Fredman et al., "The pairing heap: a new
// form of self-adjusting heap", Algorithmica 1 (1986).
#pragma once

#include <vector>

#include "simulator/native/actor.hpp"
#include "simulator/native/pulse.hpp"

namespace nwtsim {

class Clock {
  public:
    explicit Clock(Pulse& pulse) : pulse(pulse), top_(FIRST_DAYS) {}

    Pulse& pulse;
    Nanoseconds now{0};
    i64 alarms = 0;  // Number of activations of actors.

    // Advance to the earliest alarm and remove it; returns its actor, or none.
    Actor* next_actor() {
        Actor* actor = top_[day_];
        if (!actor || actor->time >= evening_) {
            actor = next_day();
            if (!actor) return nullptr;
        }
        Actor* rest = actor->child;
        if (rest) {
            if (rest->next) rest = merged(rest);
            rest->before = nullptr;
        }
        top_[day_] = rest;
        actor->is_set = false;
        --set_;
        advance(actor->time);
        return actor;
    }

    // Resume the acting actor at a time; returns the next one, as `next_actor`.
    Actor* go_on(Actor* actor, Nanoseconds time) {
        ++alarms;
        if (!actor->is_set) {
            actor->time = time;
            if (time < evening_) {
                Actor* first = top_[day_];
                if (!first || comes_before(actor, first)) {  // It is next itself.
                    advance(time);
                    return actor;
                }
            }
        }
        set(actor, time);
        return next_actor();
    }

    // Resume an actor at a time; at now, at its own turn.
    void at(Actor* actor, Nanoseconds time) {
        ++alarms;
        set(actor, time);
    }
    void wake(Actor* actor) { at(actor, now); }

    void wake_all(Waiters& waiters) {
        Actor* actor = waiters.first;
        waiters.first = nullptr;
        while (actor) {
            Actor* after = actor->after;
            wake(actor);
            actor = after;
        }
    }

    // Set an actor's alarm to a time, replacing any other; it is not counted as an event.
    void set(Actor* actor, Nanoseconds time) {
        if (actor->is_set) take_out(actor);
        actor->time = time;
        actor->child = actor->next = nullptr;
        actor->is_set = true;
        if (++set_ > static_cast<i64>(last_day_)) [[unlikely]] more_days();
        put(actor);
    }

    // Set the time; all alarms have moved.
    void move_to(Nanoseconds time) {
        now = time;
        rebuild(shift_, top_.size());
    }

    // An actor waits for another one, or has ended.
    void stop(Actor* actor) {
        if (actor->is_set) take_out(actor);
    }

  private:
    static constexpr size_t FIRST_DAYS = 16;
    static constexpr i64 FIRST_PERIOD = 64, LONGEST_PERIOD = 4096;

    std::vector<Actor*> top_;  // Top of each day's heap; their number is a power of two.
    size_t last_day_ = FIRST_DAYS - 1;
    int shift_ = 0;            // A day has 2^shift ns.
    size_t day_ = 0;           // The current day.
    Nanoseconds evening_{1};   // Its end.
    i64 set_ = 0;              // Number of alarms.
    i64 period_ = FIRST_PERIOD, left_ = FIRST_PERIOD;  // Events until the length of a day is adapted.
    Nanoseconds began_{0};

    void advance(Nanoseconds time) {
        now = time;
        if (--left_ == 0) [[unlikely]] tune();
    }

    // -- heaps ---------------------------------------------------------------------------------------

    static bool comes_before(const Actor* one, const Actor* other) {
        return one->time != other->time ? one->time < other->time : one->number < other->number;
    }

    size_t day_of(Nanoseconds time) const { return static_cast<size_t>(time.count >> shift_) & last_day_; }

    void put(Actor* actor) {
        const size_t day = day_of(actor->time);
        if (top_[day]) actor = linked(top_[day], actor);
        actor->before = nullptr;
        top_[day] = actor;
    }

    // Merge two heaps that stand alone; returns the top.
    static Actor* linked(Actor* one, Actor* other) {
        if (comes_before(other, one)) std::swap(one, other);
        other->next = one->child;
        other->before = one;
        if (one->child) one->child->before = other;
        one->child = other;
        return one;
    }

    // Merge the children of an alarm, from the first on: in pairs, then all.
    static Actor* merged(Actor* child) {
        Actor* pairs = nullptr;
        while (child) {
            Actor* other = child->next;
            Actor* after = other;
            if (other) {
                after = other->next;
                child = linked(child, other);
            }
            child->next = pairs;
            pairs = child;
            child = after;
        }
        Actor* whole = pairs;
        pairs = whole->next;
        while (pairs) {
            Actor* after = pairs->next;
            whole = linked(whole, pairs);
            pairs = after;
        }
        whole->next = nullptr;
        return whole;
    }

    void take_out(Actor* actor) {
        if (!actor->before) top_[day_of(actor->time)] = nullptr;
        else if (actor->before->child == actor) actor->before->child = actor->next;
        else actor->before->next = actor->next;
        if (actor->next) actor->next->before = actor->before;
        if (actor->child) put(merged(actor->child));
        actor->is_set = false;
        --set_;
    }

    // -- days ----------------------------------------------------------------------------------------

    // Advance to the day of the next alarm; returns that.
    [[gnu::noinline]] Actor* next_day() {
        const Nanoseconds length{i64{1} << shift_};
        for (size_t i = 0; i <= last_day_; ++i) {
            day_ = (day_ + 1) & last_day_;
            evening_ += length;
            Actor* actor = top_[day_];
            if (actor && actor->time < evening_) return actor;
        }
        Actor* first = nullptr;  // It is not within a year.
        for (Actor* actor : top_)
            if (actor && (!first || comes_before(actor, first))) first = actor;
        if (first) begin_day(first->time);
        return first;
    }

    void begin_day(Nanoseconds time) {
        const i64 number = time.count >> shift_;
        day_ = static_cast<size_t>(number) & last_day_;
        evening_ = {(number + 1) << shift_};
    }

    // Adapt the length of a day to the recent time between two events.
    [[gnu::noinline]] void tune() {
        const i64 gap = (now - began_).count / period_;
        int shift = 2;
        while (gap >> (shift - 2) > 1) ++shift;
        if (shift > shift_ + 1 || shift + 1 < shift_) rebuild(shift, top_.size());
        period_ = left_ = std::min(2 * period_, LONGEST_PERIOD);
        began_ = now;
    }

    void more_days() { rebuild(shift_, 2 * top_.size()); }

    // Set the number of days, of 2^shift ns each.
    void rebuild(int shift, size_t days) {
        std::vector<Actor*> old(days);
        old.swap(top_);
        last_day_ = days - 1;
        shift_ = shift;
        begin_day(now);
        for (Actor* top : old) scatter(top);
    }

    // Insert an alarm, its siblings and children into their days.
    void scatter(Actor* actor) {
        std::vector<Actor*> found;
        if (actor) found.push_back(actor);
        while (!found.empty()) {
            Actor* one = found.back();
            found.pop_back();
            for (Actor* child = one->child; child; child = child->next) found.push_back(child);
            one->child = one->next = nullptr;
            put(one);
        }
    }
};

}  // namespace nwtsim
