// RAID units of I/O nodes: a cache, disks and a bus with a queue each.
//
// A request joins the bus or the disks when it arrives there, possibly later than it is made. Its
// end is then a moment, which is known once it has joined; docs/composition.md, Asked requests.
#pragma once

#include "simulator/native/part.hpp"
#include "simulator/native/slots.hpp"

namespace nwtsim {

enum class RaidQueue : u8 { none, disks, bus };

struct Moment {
    Nanoseconds at;    // Time at which it is evaluated.
    Nanoseconds end;   // The time, or a lower bound.
    bool is_known;
    When one, other;   // The two times on which it depends.
    RaidQueue queue;   // The queue that it joins.
    i64 block;
    Bytes size;
    i64 number;        // Its number, in the order of creation.
    i64 users;         // Number of references to it.
    Moment *next, *child;
};

class RaidUnits {
  public:
    explicit RaidUnits(Parts& parts) : parts(parts) {}

    Parts& parts;
    std::deque<Slot> all_slots;

    // Join the disks and the bus for all requests up to a time, in the order of their times.
    void advance(Unit& u, Nanoseconds now) {
        while (u.first_moment && u.first_moment->at <= now) {
            parts.clock.pulse.tick();
            Moment* m = u.first_moment;
            unlink(u, m);
            const Nanoseconds was = m->at, least = std::max({was, bound(m->one), bound(m->other)});
            m->at = least;
            m->end += least - was;
            if (!is_known(m->one) || !is_known(m->other) || (m->queue != RaidQueue::none && least > was)) {
                link(u, m);
                continue;
            }
            if (m->queue != RaidQueue::none) m->end = serve(u, was, m->queue, m->block, m->size);
            m->is_known = true;
            drop(m->one);
            drop(m->other);
            forget(m);
        }
    }

    // -- times that may not be known -----------------------------------------------------------------

    static bool is_known(const When& when) { return !when.moment || when.moment->is_known; }
    // Return a time, or the lower bound of an unknown one.
    static Nanoseconds bound(const When& when) { return when.moment ? when.moment->end : when.time; }
    static When settled(const When& when) { return is_known(when) ? When{bound(when)} : when; }

    // Add or remove a reference to the moment of a time, if it has one.
    static When refer(const When& when) {
        if (when.moment) ++when.moment->users;
        return when;
    }
    void drop(const When& when) {
        if (!when.moment) return;
        --when.moment->users;
        forget(when.moment);
    }
    void keep(When& at, const When& when) {
        const When old = at;
        at = refer(settled(when));
        drop(old);
    }

    // Return the later of two times.
    When later(Unit& u, const When& one, const When& other) {
        const Nanoseconds least = std::max(bound(one), bound(other));
        if (is_known(one) && bound(other) == least) return settled(other);
        if (is_known(other) && bound(one) == least) return settled(one);
        return moment(u, least, one, other, RaidQueue::none, 0, NO_BYTES);
    }

  protected:
    // Read a block from the unit; returns the time at which it has crossed the bus.
    When read(Unit& u, Nanoseconds now, Cell& cell) {
        ++u.disk_reads;
        u.disk_read_bytes += u.block;
        Slot* slot = cell.raid_slot;
        if (slot) {
            ++u.disk_hits;
            u.raid_list.touch(slot);
        } else {
            slot = take_raid_slot(u, cell);
            const When ready = enter(u, now, RaidQueue::disks, cell.block, u.block, slot->clean, {});
            keep(slot->ready, ready);
            keep(slot->clean, ready);
        }
        return enter(u, now, RaidQueue::bus, cell.block, u.block, slot->ready, {});
    }

    // Write bytes of a block that are available at a time; returns the time at which they are in
    // the cache.
    When write(Unit& u, Nanoseconds now, const When& begin, Cell& cell, Bytes size) {
        ++u.disk_writes;
        u.disk_written_bytes += size;
        Slot* slot = cell.raid_slot;
        When clean;
        if (slot) {
            u.raid_list.touch(slot);
        } else {
            slot = take_raid_slot(u, cell);
            clean = slot->clean;
        }
        const When safe = enter(u, now, RaidQueue::bus, cell.block, size, begin, clean);
        keep(slot->ready, safe);
        keep(slot->clean, enter(u, now, RaidQueue::disks, cell.block, size, safe, {}));
        return safe;
    }

  private:
    Moment* free_ = nullptr;
    std::deque<Moment> moments_;
    i64 made_ = 0;

    Slot* take_raid_slot(Unit& u, Cell& cell) {
        Slot* slot = u.take(u.raid_list, all_slots);
        if (slot->cell) slot->cell->raid_slot = nullptr;
        cell.raid_slot = slot;
        slot->cell = &cell;
        return slot;
    }

    // Join a queue with bytes of a block at the later of two times; returns the end.
    When enter(Unit& u, Nanoseconds now, RaidQueue queue, i64 block, Bytes size, const When& one, const When& other) {
        const Nanoseconds least = std::max({now, bound(one), bound(other)});
        if (least == now && is_known(one) && is_known(other)) return {serve(u, now, queue, block, size)};
        return moment(u, least, one, other, queue, block, size);
    }

    static Nanoseconds within_unit(Nanoseconds time, const Unit& u) { return within(time, Culprit::unit, u.instance); }

    // Queue a request at the disks or the bus; returns its end.
    Nanoseconds serve(Unit& u, Nanoseconds now, RaidQueue queue, i64 block, Bytes size) {
        const bool on_disks = queue == RaidQueue::disks;
        Nanoseconds& free = on_disks ? u.disk_free : u.bus_free;
        const Nanoseconds start = std::max(now, free);
        Nanoseconds service = service_of(u, queue, size);
        if (on_disks) {
            if (block != u.head) service += u.seek_ns;
            else if (start > free) service += u.pause_ns;
            service = within_unit(service, u);
            u.head = block + 1;
        }
        free = within_unit(start + service, u);
        (on_disks ? u.disk_busy_ns : u.bus_busy_ns) += service;  // It has one server: at most its end.
        if (parts.timing) parts.note(u.instance + (static_cast<i64>(queue) << TRACK_BITS), start, service, size);
        return free;
    }

    // Return the time of a request at the bus, or its minimum at the disks.
    static Nanoseconds service_of(const Unit& u, RaidQueue queue, Bytes size) {
        const bool on_bus = queue == RaidQueue::bus;
        const Nanoseconds time = within_unit(transfer_time(size, on_bus ? u.bus_rate : u.disk_rate), u);
        return within_unit(on_bus ? u.bus_ns + time : time, u);
    }

    // -- moments -------------------------------------------------------------------------------------

    // Return a moment that is known after two others, and after joining a queue if there is one.
    When moment(Unit& u, Nanoseconds least, const When& one, const When& other, RaidQueue queue, i64 block, Bytes size) {
        Moment* m = free_;
        if (m) free_ = m->next;
        else m = &moments_.emplace_back();
        Nanoseconds end = least;
        if (queue != RaidQueue::none) end = within_unit(least + service_of(u, queue, size), u);
        *m = {least, end, false, refer(settled(one)), refer(settled(other)), queue, block, size, ++made_, 0, nullptr, nullptr};
        link(u, m);
        return {ZERO_NS, m};
    }

    // Free the row of a known moment without references.
    void forget(Moment* m) {
        if (!m->is_known || m->users) return;
        m->next = free_;
        free_ = m;
    }

    // The unknown ones of a unit are a pairing heap.
    static void link(Unit& u, Moment* m) {
        m->child = m->next = nullptr;
        u.first_moment = merged(u.first_moment, m);
    }

    static void unlink(Unit& u, const Moment* m) {
        Moment* pairs = nullptr;
        for (Moment* child = m->child; child;) {
            Moment* other = child->next;
            Moment* after = nullptr;
            child->next = nullptr;
            if (other) {
                after = other->next;
                other->next = nullptr;
                child = merged(child, other);
            }
            child->next = pairs;
            pairs = child;
            child = after;
        }
        Moment* first = nullptr;
        while (pairs) {
            Moment* after = pairs->next;
            pairs->next = nullptr;
            first = merged(first, pairs);
            pairs = after;
        }
        u.first_moment = first;
    }

    static Moment* merged(Moment* one, Moment* other) {
        if (!one || !other) return one ? one : other;
        if (other->at < one->at || (other->at == one->at && other->number < one->number)) std::swap(one, other);
        other->next = one->child;
        one->child = other;
        return one;
    }
};

}  // namespace nwtsim
