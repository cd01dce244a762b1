// Schedulers of a disk, named after Linux's: which of the requests that wait is next.
//
// They have no clock: a request is its direction, file and addresses. As those of
// simulator/kinds/parts/scheduled/reference.py.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "simulator/native/part_kinds.hpp"

namespace nwtsim {

// A request that waits to be chosen.
struct Ordered {
    static constexpr i64 ALL_WRITES = -2;
    i64 number;  // In the order of coming.
    Nanoseconds came;
    Actor* actor;
    i64 file;
    Bytes low, high, size;
    bool writes;

    // Return bfq's queue: the file of a read, or that of all writes.
    i64 queue() const { return writes ? ALL_WRITES : file; }
};
using Command = std::vector<Ordered>;  // Requests that the drive carries out together.

class Scheduler {
  public:
    using Spec = ScheduledKind::Spec;
    std::vector<Ordered> waiting;  // In the order of coming.

    void add(const Spec& spec, const Ordered& one) {
        if (spec.policy == FAIR && !(is_serving_ && one.queue() == serving_) && !first_of(one.queue())) {
            i64& tag = tags_[one.queue()];
            tag = std::max(virtual_, tag);
        }
        waiting.push_back(one);
    }

    // Choose a request, and take it out with those that are merged; empty: none now.
    Command next(const Spec& spec, Nanoseconds now) {
        Ordered* first = spec.policy == FAIR       ? fair(spec, now)
                         : spec.policy == DEADLINE ? deadline(spec, now)
                                                   : (waiting.empty() ? nullptr : &waiting[0]);
        if (!first) return {};
        Command command = taken(spec, *first);
        Bytes low = command[0].low, high = command[0].high;
        i64 size = 0;
        for (const Ordered& one : command) {
            low = std::min(low, one.low);
            high = std::max(high, one.high);
            size += one.size.count;
        }
        if (spec.policy == DEADLINE) positions_[writing_] = low;
        if (spec.policy == FAIR) {
            position_ = high;
            left_ -= size;
            tags_[serving_] += size;
            ++flying_[serving_];
        }
        return command;
    }

    // The drive has carried out a command.
    void ended(const Spec& spec, const Command& command, Nanoseconds now) {
        if (spec.policy != FAIR) return;
        const i64 queue = command[0].queue();
        --flying_[queue];
        if (is_serving_ && queue == serving_) idle_end = now + spec.slice_idle_ns;
    }

    Nanoseconds idle_end{0};  // When to ask again, if requests wait and none was chosen for an idle drive.

  private:
    enum : i64 { FIRST_COME, DEADLINE, FAIR };  // As SCHEDULERS of spec.py.

    // mq-deadline: where the last commands of reads, and of writes, began; the batch under way.
    Bytes positions_[2] = {};
    bool writing_ = false;
    i64 batched_ = -1, starved_ = 0;
    // bfq: what queues were given, and how many commands of each the drive has.
    std::map<i64, i64> tags_, flying_;
    i64 virtual_ = 0, serving_ = 0, left_ = 0;
    bool is_serving_ = false;
    Nanoseconds slice_end_{0};
    Bytes position_{0};

    // Take a request out with those that continue it, or that it continues.
    Command taken(const Spec& spec, const Ordered& first) {
        Command command{first};
        Bytes low = first.low, high = first.high, size = first.size;
        remove(first.number);
        while (low < high) {
            const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const Ordered& one) {
                return one.low < one.high && (one.low == high || one.high == low) && one.writes == command[0].writes
                       && one.file == command[0].file && size + one.size <= spec.merge;
            });
            if (found == waiting.end()) break;
            low = std::min(low, found->low);
            high = std::max(high, found->high);
            size += found->size;
            command.push_back(*found);
            waiting.erase(found);
        }
        return command;
    }

    void remove(i64 number) {
        waiting.erase(std::find_if(waiting.begin(), waiting.end(), [&](auto& one) { return one.number == number; }));
    }

    // Return the lowest request of some from a position on.
    template <class Mine>
    Ordered* ahead(Bytes position, Mine&& mine) {
        Ordered* best = nullptr;
        for (Ordered& one : waiting)
            if (mine(one) && one.low >= position && (!best || one.low < best->low)) best = &one;
        return best;
    }

    Ordered* deadline(const Spec& spec, Nanoseconds now) {
        if (batched_ < 0) batched_ = spec.fifo_batch;
        const auto mine = [this](const Ordered& one) { return one.writes == writing_; };
        if (batched_ < spec.fifo_batch)
            if (Ordered* found = ahead(positions_[writing_], mine)) {
                ++batched_;
                return found;
            }
        Ordered* oldest[2] = {};
        for (Ordered& one : waiting)
            if (!oldest[one.writes]) oldest[one.writes] = &one;
        if (!oldest[0] && !oldest[1]) return nullptr;
        writing_ = !oldest[0] || (oldest[1] && starved_ >= spec.writes_starved);
        starved_ = writing_ ? 0 : starved_ + (oldest[1] != nullptr);
        batched_ = 1;
        const Nanoseconds expire = writing_ ? spec.write_expire_ns : spec.read_expire_ns;
        if (now >= oldest[writing_]->came + expire) return oldest[writing_];
        Ordered* found = ahead(positions_[writing_], mine);
        return found ? found : oldest[writing_];
    }

    Ordered* first_of(i64 queue) {
        for (Ordered& one : waiting)
            if (one.queue() == queue) return &one;
        return nullptr;
    }

    Ordered* fair(const Spec& spec, Nanoseconds now) {
        if (is_serving_ && left_ > 0 && now < slice_end_) {
            if (first_of(serving_)) return nearest();
            const bool is_flying = flying_[serving_] > 0 && spec.slice_idle_ns > ZERO_NS;
            if (serving_ != Ordered::ALL_WRITES && (is_flying || now < idle_end)) return nullptr;
        }
        is_serving_ = false;
        if (waiting.empty()) return nullptr;
        const Ordered* first = &waiting[0];
        for (const Ordered& one : waiting)
            if (tags_[one.queue()] < tags_[first->queue()]) first = &one;
        is_serving_ = true;
        serving_ = first->queue();
        virtual_ = tags_[serving_];
        left_ = spec.budget.count;
        slice_end_ = now + spec.slice_ns;
        idle_end = now;
        return nearest();
    }

    Ordered* nearest() {
        const auto mine = [this](const Ordered& one) { return one.queue() == serving_; };
        Ordered* found = ahead(position_, mine);
        return found ? found : ahead(NO_BYTES, mine);
    }
};

}  // namespace nwtsim
