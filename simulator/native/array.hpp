// Redundant arrays of disks: requests, failures and rebuilding.
//
// Each disk is a queue. Reads of a request join queues when it arrives, its writes once all is
// read; earlier failures and rebuild steps are processed before either.
#pragma once

#include "simulator/native/array_rows.hpp"

namespace nwtsim {

struct Array {
    i32 first_disk = 0;
    const Part* part = nullptr;
    const ArraySpec* spec = nullptr;
    i32 target = -1;                  // The disk under rebuild.
    bool step_writes = false;         // True if its next step writes.
    Nanoseconds step_at{0};           // Time of that step.
    Nanoseconds begun{0};             // Begin of the current step.
    Nanoseconds idle{0};              // End of the last rebuild.
    Nanoseconds degraded_since{-1};   // Begin of the current time in which some disk lacks data; -1: none.
    i64 readers = 0;                  // Number of requests that have read.
    i64 failures = 0, rebuilds = 0, losses = 0;
    Nanoseconds degraded_ns{0}, first_loss_ns{-1};
    i64 rebuilt_bytes = 0, rebuild_read_bytes = 0, reconstructed_bytes = 0, read_bytes = 0, written_bytes = 0;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Array;
        FIELD(failures), FIELD(rebuilds), FIELD(degraded_ns), FIELD(rebuilt_bytes);
        FIELD(rebuild_read_bytes), FIELD(reconstructed_bytes), FIELD(read_bytes);
        FIELD(written_bytes), FIELD(losses), FIELD(first_loss_ns);
    }
};

class Arrays {
  public:
    // `failing` and `slow`: the calendars of disks, by their numbers.
    Arrays(Parts& parts, Calendars& failing, Calendars& slow) : parts(parts), failing_(failing), slow_(slow) {}

    Parts& parts;
    std::vector<Array> arrays;
    std::vector<Disk> disks;

    // Make an instance of a part an array; to be called in order.
    void add(const Part& part, const ArraySpec& spec) {
        Array& made = arrays.emplace_back();
        made.first_disk = static_cast<i32>(disks.size());
        made.part = &part;
        made.spec = &spec;
        for (i64 i = 0; i < spec.disks; ++i) {
            Disk disk;
            const i64 number = static_cast<i64>(disks.size());
            disk.fails = failing_.has(number) ? failing_.next(number, ZERO_NS, true) : NEVER;
            disks.push_back(disk);
        }
    }

    struct Passed {
        Nanoseconds end;
        i64 reader;  // Number of a request that writes once it has read; 0 for others.
    };

    // Queue the reads of a request, or its writes if it need not read.
    Passed request(Actor* actor, const Part& part, i64 instance, Bytes size, Bytes low) {
        Array& array = look(part, instance);
        const bool writes = part.is_writing && size;
        ArrayRows rows = rows_of(array);
        rows.spread(low.count, (low + size).count, writes, parts.clock);
        parts.book(part, instance, size, ZERO_NS);
        ++parts.at(instance).requests;
        if (writes && !rows.has_reads()) return {pass_all(actor, array, instance, 0, true), 0};
        const i64 reader = ++array.readers;
        const Nanoseconds end = pass_all(actor, array, instance, reader, false);
        return {end, writes ? reader : 0};
    }

    // Queue the writes of a request whose reads have ended; returns their end.
    Nanoseconds rewrite(Actor* actor, const Part& part, i64 instance, Bytes size, Bytes low, i64 reader) {
        Array& array = look(part, instance);
        rows_of(array).spread(low.count, (low + size).count, true, parts.clock);
        return pass_all(actor, array, instance, reader, true);
    }

    // Process failures and rebuild steps up to the end of a run.
    void finish(Nanoseconds end) {
        for (Array& array : arrays) {
            advance(array, end);
            if (array.degraded_since >= ZERO_NS) {
                array.degraded_ns += end - array.degraded_since;
                array.degraded_since = end;
            }
        }
    }

  private:
    Calendars &failing_, &slow_;
    static constexpr i64 SECOND = 1'000'000'000;

    Array& look(const Part& part, i64 instance) {
        Array& array = arrays[static_cast<size_t>(part.own + part.member(instance))];
        advance(array, parts.clock.now);
        return array;
    }
    std::span<Disk> disks_of(const Array& array) {
        return {disks.data() + array.first_disk, static_cast<size_t>(array.spec->disks)};
    }
    ArrayRows rows_of(Array& array) { return {*array.spec, disks_of(array), array.reconstructed_bytes}; }
    i64 number_of_disk(const Disk& disk) const { return &disk - disks.data(); }
    Nanoseconds transfer(const Array& array, i64 size) const {
        return Parts::within_part(transfer_time({size}, array.part->ns_per_byte), *array.part);
    }

    struct Access {
        Nanoseconds begin, end;
    };

    // Queue an access of a disk at a time. `again`: the disk just read there.
    Access access(const Array& array, Disk& disk, Nanoseconds start, i64 low, i64 high, bool again) {
        const ArraySpec& spec = *array.spec;
        const Part& part = *array.part;
        start = std::max(start, disk.free);
        const Nanoseconds idle = start - disk.free, move = transfer(array, high - low);
        Nanoseconds service = move;
        if (again) {
            service = Parts::within_part(service + spec.turn_ns, part);
        } else {
            service = Parts::within_part(service + Parts::within_part(spec.seek_ns + spec.turn_ns / 2, part), part);
            const i64 gap = low - disk.head;
            if (disk.head >= 0 && gap >= 0 && gap <= spec.parities * spec.unit.count)
                service = std::min(service, std::max(move, transfer(array, gap + high - low) - idle));
        }
        service = Parts::within_part(service + spec.overhead_ns, part);
        Nanoseconds end = start + service;
        if (slow_.has(number_of_disk(disk))) end = slow_.service(number_of_disk(disk), start, service).end;
        end = Parts::within_part(end, part);
        disk.head = high;
        disk.free = end;
        disk.reader = 0;
        return {start, end};
    }

    // Queue all accesses of one kind now; returns the end of the last, which is charged. A disk
    // idle since it read for the reader has its head at the end of that access.
    Nanoseconds pass_all(Actor* actor, Array& array, i64 instance, i64 reader, bool writes) {
        const Nanoseconds now = parts.clock.now;
        Nanoseconds end = now, waited{0};
        i64 track = 0;
        for (Disk& disk : disks_of(array)) {
            ++track;
            const Stretch* wanted[] = {writes ? &disk.write : &disk.read, writes ? nullptr : &disk.read_last};
            for (const Stretch* one : wanted) {
                if (!one || !one->any()) continue;
                const bool again = writes && reader > 0 && disk.reader == reader;
                const Access done = access(array, disk, now, one->low, one->high, again);
                const Nanoseconds took = done.end - done.begin;
                disk.reader = writes ? 0 : reader;
                (writes ? array.written_bytes : array.read_bytes) += one->high - one->low;
                parts.book(*array.part, instance, NO_BYTES, took);
                if (parts.timing) parts.note(instance + (track << TRACK_BITS), done.begin, took, {one->high - one->low});
                if (done.end > end) {
                    end = done.end;
                    waited = done.begin - now;
                }
            }
        }
        parts.charge(actor, array.part->column, waited, end - now - waited);
        return end;
    }

    // -- failures and rebuilding ---------------------------------------------------------------------

    // Process failures and rebuild steps up to a time; at equal times failures first.
    void advance(Array& array, Nanoseconds now) {
        while (true) {
            parts.clock.pulse.tick();
            Disk* failing = earliest(array, &Disk::fails, false);
            const Nanoseconds fails = failing->fails, step = next_step(array);
            if (fails > now && step > now) return;
            if (fails <= step) fail(array, *failing);
            else if (array.step_writes) write_step(array, step);
            else if (!leap(array, step, std::min(now, fails - Nanoseconds{1}))) read_step(array, step);
        }
    }

    // Return the first disk with the least time; `broken`: among those to be rebuilt, if there are
    // any.
    Disk* earliest(const Array& array, Nanoseconds Disk::*field, bool broken) {
        Disk* best = nullptr;
        for (Disk& disk : disks_of(array))
            if ((!broken || !disk.is_whole()) && (!best || disk.*field < best->*field)) best = &disk;
        return best;
    }

    void fail(Array& array, Disk& disk) {
        const Nanoseconds now = disk.fails;
        const i64 number = number_of_disk(disk);
        disk.valid = 0;
        disk.back = failing_.next(number, now, false);
        disk.fails = failing_.next(number, disk.back, true);
        ++array.failures;
        if (array.target == number) give_up(array);
        if (array.degraded_since < ZERO_NS) array.degraded_since = now;
        if (is_lost(array, disk)) lose(array, now);
    }

    Disk& twin_of(const Array& array, const Disk& disk) {
        const i64 number = number_of_disk(disk) - array.first_disk;
        return disks[static_cast<size_t>(array.first_disk + (number ^ 1))];
    }

    bool is_lost(const Array& array, const Disk& failed) {
        if (!array.spec->parities) return !twin_of(array, failed).is_whole();
        return broken(array) > array.spec->parities;
    }

    i64 broken(const Array& array) {
        const auto own = disks_of(array);
        return std::count_if(own.begin(), own.end(), [](const Disk& disk) { return !disk.is_whole(); });
    }

    // Count a data loss, and continue with new disks that hold all data.
    void lose(Array& array, Nanoseconds now) {
        if (!array.losses++) array.first_loss_ns = now;
        for (Disk& disk : disks_of(array)) disk.valid = LIMIT;
        if (array.target >= 0) give_up(array);
        end_degraded(array, now);
    }

    // End a rebuild before its disk is complete; the next begins after the current step.
    static void give_up(Array& array) {
        array.target = -1;
        array.step_writes = false;
        array.idle = array.step_at;
    }

    static void end_degraded(Array& array, Nanoseconds now) {
        array.degraded_ns += now - array.degraded_since;
        array.degraded_since = Nanoseconds{-1};
    }

    // Return the time of the next rebuild step; the disk replaced first is rebuilt first.
    Nanoseconds next_step(const Array& array) {
        if (array.target >= 0) return array.step_at;
        const Disk* first = earliest(array, &Disk::back, true);
        return first ? std::max(first->back, array.idle) : NEVER;
    }

    // Return the disks that a step reads: the mirror, or the first complete ones.
    template <class Visit>
    void each_source(const Array& array, const Disk& target, Visit&& visit) {
        if (!array.spec->parities) {
            Disk& twin = twin_of(array, target);
            if (twin.is_whole()) visit(twin);
            return;
        }
        i64 left = array.spec->disks - array.spec->parities;
        for (Disk& disk : disks_of(array))
            if (left > 0 && disk.is_whole()) {
                visit(disk);
                --left;
            }
    }

    // Process equal whole steps up to a time by arithmetic; returns whether there were any. They
    // are equal if each disk is sequential and at its usual speed.
    bool leap(Array& array, Nanoseconds now, Nanoseconds until) {
        if (array.target < 0) return false;
        const ArraySpec& spec = *array.spec;
        Disk& target = disks[static_cast<size_t>(array.target)];
        const i64 low = target.valid, size = spec.step.count;
        i64 count = (spec.capacity.count - low - 1) / size;
        const Nanoseconds service = Parts::within_part(transfer(array, size) + spec.overhead_ns, *array.part);
        const Nanoseconds period = std::max(service * 2, Nanoseconds{scaled(size, SECOND, spec.rebuild)});
        if (period) count = std::min(count, (until - now) / period);
        i64 sources = 0;
        bool at_hand = is_at(target, now, low);
        each_source(array, target, [&](Disk& disk) {
            ++sources;
            at_hand = at_hand && is_at(disk, now, low);
        });
        if (count < 1 || !sources || !at_hand) return false;
        const Nanoseconds last = now + period * (count - 1);
        const auto move_to = [&](Disk& disk, Nanoseconds free) {
            disk.head = low + count * size;
            disk.free = free;
            disk.reader = 0;
        };
        each_source(array, target, [&](Disk& disk) { move_to(disk, last + service); });
        move_to(target, last + service * 2);
        target.valid = low + count * size;
        array.rebuild_read_bytes += count * size * sources;
        array.rebuilt_bytes += count * size;
        array.begun = last;
        array.step_at = last + period;
        return true;
    }

    bool is_at(const Disk& disk, Nanoseconds now, i64 low) const {
        return disk.head == low && disk.free <= now && !slow_.has(number_of_disk(disk));
    }

    // Read the data from which the next bytes of the disk are reconstructed.
    void read_step(Array& array, Nanoseconds now) {
        if (array.target < 0) array.target = static_cast<i32>(number_of_disk(*earliest(array, &Disk::back, true)));
        const Disk& target = disks[static_cast<size_t>(array.target)];
        const i64 low = target.valid, high = std::min(array.spec->capacity.count, low + array.spec->step.count);
        array.step_writes = true;
        array.begun = array.step_at = now;
        each_source(array, target, [&](Disk& disk) {
            array.step_at = std::max(array.step_at, access(array, disk, now, low, high, false).end);
            array.rebuild_read_bytes += high - low;
        });
    }

    // Write them.
    void write_step(Array& array, Nanoseconds now) {
        const ArraySpec& spec = *array.spec;
        Disk& disk = disks[static_cast<size_t>(array.target)];
        const i64 low = disk.valid, high = std::min(spec.capacity.count, low + spec.step.count);
        const Nanoseconds ended = access(array, disk, now, low, high, false).end;
        array.rebuilt_bytes += high - low;
        array.step_writes = false;
        array.step_at = std::max(ended, array.begun + Nanoseconds{scaled(high - low, SECOND, spec.rebuild)});
        disk.valid = high;
        if (high < spec.capacity.count) return;
        disk.valid = LIMIT;
        ++array.rebuilds;
        array.target = -1;
        array.idle = ended;
        if (!broken(array)) end_degraded(array, now);
    }
};

}  // namespace nwtsim
