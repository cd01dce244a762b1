// Disks behind a scheduler: requests wait until they are chosen, by it and then by the drive.
//
// A timer ends the command under way, or the time for which bfq lets the disk idle.
#pragma once

#include "simulator/native/schedulers.hpp"
#include "simulator/native/sharing.hpp"

namespace nwtsim {

class Scheduling {
  public:
    Scheduling(Actors& actors, Parts& parts, PartKinds& kinds, Sharing& sharing, i64 first_timer)
        : actors(actors), parts(parts), kinds(kinds), sharing(sharing), first_timer_(first_timer) {}

    struct Given {  // A command that the drive has.
        Command requests;
        Nanoseconds cost;  // NEVER: it follows from its bytes.
        i64 passed = 0;    // How many others the drive has preferred to it.
    };
    struct Disk {
        Scheduler scheduler;
        std::vector<Given> urgent;  // Requests with a cost of their own, which no scheduler orders.
        std::vector<Given> drive;   // In the order of coming.
        i64 under_way = -1;         // Which of these; -1: none.
        Nanoseconds begin{0}, lost{0};
        i64 came = 0;
        Actor* timer = nullptr;     // None before the first request.
        const Part* part = nullptr;
        i64 instance = 0;
    };

    Actors& actors;
    Parts& parts;
    PartKinds& kinds;
    Sharing& sharing;
    std::vector<Disk> disks;

    // Queue a request; its actor waits until the timer wakes it.
    void join(Actor* actor, const Part& part, i64 instance, const Load& load, Nanoseconds cost) {
        const i64 number = part.own + part.member(instance);
        Disk& disk = disks[static_cast<size_t>(number)];
        if (!disk.timer) {
            disk.timer = actors.take(Role::scheduler, static_cast<i32>(number), first_timer_ + instance);
            disk.part = part.reading;
            disk.instance = instance;
        }
        const Ordered one{++disk.came, parts.clock.now, actor, load.file, load.address, load.address + load.span,
                          load.size, part.is_writing};
        if (cost < NEVER) disk.urgent.push_back({{one}, cost});
        else disk.scheduler.add(spec_of(disk), one);
        const Nanoseconds next = go_on(disk);
        if (next < NEVER) parts.clock.set(disk.timer, next);
    }

    // End the command under way, or idling; returns when it rings next, or NEVER.
    Nanoseconds ring(const Actor* timer) {
        ++sharing.rings;
        Disk& disk = disks[static_cast<size_t>(timer->index)];
        const Nanoseconds now = parts.clock.now;
        if (disk.under_way >= 0) {
            const auto at = disk.drive.begin() + disk.under_way;
            const Given given = std::move(*at);
            disk.drive.erase(at);
            disk.under_way = -1;
            if (given.cost == NEVER) disk.scheduler.ended(spec_of(disk), given.requests, now);
            for (const Ordered& one : given.requests) {
                parts.charge(one.actor, disk.part->column, disk.begin - one.came + disk.lost,
                             now - disk.begin - disk.lost);
                parts.clock.wake(one.actor);
            }
        }
        const Nanoseconds next = go_on(disk);
        if (next < NEVER) --parts.clock.alarms;  // It is counted when it rings.
        return next;
    }

  private:
    const i64 first_timer_;

    const Scheduler::Spec& spec_of(const Disk& disk) const {
        return kinds.scheduled.specs[static_cast<size_t>(disk.part->spec)];
    }
    DiskKind::Memory& memory_of(const Disk& disk) const {
        return kinds.scheduled.memories[static_cast<size_t>(disk.part->memory + disk.part->member(disk.instance))];
    }

    // Fill the drive's queue, and begin a command unless one is under way; returns a new time for
    // the timer, or NEVER.
    Nanoseconds go_on(Disk& disk) {
        const Scheduler::Spec& spec = spec_of(disk);
        const Nanoseconds now = parts.clock.now;
        while (static_cast<i64>(disk.drive.size()) < spec.ncq) {
            if (!disk.urgent.empty()) {
                disk.drive.push_back(std::move(disk.urgent.front()));
                disk.urgent.erase(disk.urgent.begin());
                continue;
            }
            Command command = disk.scheduler.next(spec, now);
            if (command.empty()) break;
            disk.drive.push_back({std::move(command), NEVER});
        }
        if (disk.under_way >= 0) return NEVER;
        if (!disk.drive.empty()) return begin(disk, chosen(disk, spec));
        return disk.scheduler.waiting.empty() ? NEVER : Parts::within_part(disk.scheduler.idle_end, *disk.part);
    }

    static Bytes low_of(const Command& requests) {
        Bytes low = requests[0].low;
        for (const Ordered& one : requests) low = std::min(low, one.low);
        return low;
    }

    // Return the command nearest to the head, or one that others were preferred to often.
    i64 chosen(const Disk& disk, const Scheduler::Spec& spec) const {
        const Bytes head = std::max(NO_BYTES, memory_of(disk).head);
        i64 best = -1;
        Bytes least{0};
        for (i64 i = 0; i < static_cast<i64>(disk.drive.size()); ++i) {
            const Given& one = disk.drive[static_cast<size_t>(i)];
            if (one.passed >= spec.ncq) return i;
            Bytes distance = one.cost < NEVER ? NO_BYTES : low_of(one.requests) - head;
            if (distance < NO_BYTES) distance = NO_BYTES - distance;
            if (best < 0 || distance < least) {
                best = i;
                least = distance;
            }
        }
        return best;
    }

    // Begin a command; returns its end.
    Nanoseconds begin(Disk& disk, i64 number) {
        for (i64 i = 0; i < static_cast<i64>(disk.drive.size()); ++i)
            disk.drive[static_cast<size_t>(i)].passed += i != number;
        const Given& given = disk.drive[static_cast<size_t>(number)];
        const Part& part = given.requests[0].writes ? *disk.part->writing : *disk.part;
        const Nanoseconds now = parts.clock.now;
        const Bytes low = low_of(given.requests);
        Bytes high = low, size{0};
        for (const Ordered& one : given.requests) {
            high = std::max(high, one.high);
            size += one.size;
        }
        Nanoseconds service = given.cost;
        if (given.cost == NEVER) {
            const Load load{now, size, low, high - low, given.requests[0].file, 1};
            service = DiskKind::serve(parts, part, disk.instance, spec_of(disk), memory_of(disk), load,
                                      Parts::plain(part, size));
        }
        service = parts.stretch(part, disk.instance, service);
        Instance& one = parts.at(disk.instance);
        const Nanoseconds give_up = parts.give_up;
        parts.give_up = Nanoseconds{-1};  // Requests wait here for as long as it takes.
        const Nanoseconds end = parts.hold(part, disk.instance, &one.free, now, size, service);
        parts.give_up = give_up;
        one.requests += static_cast<i64>(given.requests.size()) - 1;
        disk.begin = now;
        disk.lost = parts.watched ? parts.lost : ZERO_NS;
        disk.under_way = number;
        return end;
    }
};

}  // namespace nwtsim
