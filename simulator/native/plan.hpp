// The plan as input: a row type for each of its tables, fields named as in simulator/plan.
//
// Rows name each other by number. What follows from a plan (which places tiers decide, how deep
// requests nest) is worked out in prepare.hpp.
#pragma once

#include "simulator/native/columns.hpp"

namespace nwtsim {

#define FIELD(name) field(#name, &Row::name)

enum class TierKind : u8 {
    stage, work, hold, request, stripe, forward, store, buffers, end, sync, export_, locks,
    before,
    // Internal kinds: a process's requests for pieces, a message between two ports, an array that
    // has read before a write, and a request that returns unserved.
    ask, hop, rewrite, failed,
};
constexpr const char* TIER_KINDS[] = {
    "stage", "work", "hold", "request", "stripe", "forward", "store", "buffers", "end", "sync",
    "export", "locks", "before",
};

enum class PhaseKind : u8 { compute, stream, operations, mesh, calls, loop };
enum class Closing : u8 { free, queue, flush, replaced };
enum class Opening : u8 { asks, checks, cached };
enum class Arriving : u8 { fixed, poisson, at_times };
enum class Release : u8 { none, whole, full };
constexpr const char* RELEASES[] = {"none", "whole", "full"};

struct PlanNumbers {
    i64 instances, first_copier, first_queue, first_timer, first_reader, first_branch, width, columns;
    i32 others_column, barrier_column, lock_column, merging_column, locks, marks, jobs;
    bool latencies_by_job;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = PlanNumbers;
        FIELD(instances), FIELD(first_copier), FIELD(first_queue), FIELD(first_timer), FIELD(first_reader);
        FIELD(first_branch), FIELD(width), FIELD(columns), FIELD(others_column);
        FIELD(barrier_column), FIELD(lock_column), FIELD(merging_column), FIELD(locks);
        FIELD(marks), FIELD(jobs), FIELD(latencies_by_job);
    }
};

struct GroupRow {
    i32 count, parent, each;
    bool crowded;  // Tasks can wait for a core on its nodes.
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = GroupRow;
        FIELD(count), FIELD(parent), FIELD(each), FIELD(crowded);
    }
};

struct PartRow {
    i32 kind, spec, group, first, count, servers, cores, column;  // `spec`: its row among those of its kind.
    Nanoseconds latency_ns, overhead_ns, write_overhead_ns;
    double ns_per_byte, write_ns_per_byte;
    bool written;  // Writes have a service of their own.
    i32 services, services_count, write_services, write_services_count;  // Tables by depth; none: one rate.
    i32 speeds, speeds_count, write_speeds, write_speeds_count;  // speeds: the first, how many.
    i32 noise;  // First of its instances' rows of noise; -1: no variation.
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = PartRow;
        FIELD(kind), FIELD(spec), FIELD(group), FIELD(first), FIELD(count), FIELD(servers);
        FIELD(cores), FIELD(column), FIELD(latency_ns), FIELD(overhead_ns);
        FIELD(write_overhead_ns), FIELD(ns_per_byte), FIELD(write_ns_per_byte), FIELD(written);
        FIELD(services), FIELD(services_count), FIELD(write_services), FIELD(write_services_count);
        FIELD(speeds), FIELD(speeds_count), FIELD(write_speeds), FIELD(write_speeds_count);
        FIELD(noise);
    }
};

// A service while so many requests are under way: points by size, or one rate.
struct ServiceRow {
    Nanoseconds overhead_ns;
    double ns_per_byte;
    i32 points, points_count;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = ServiceRow;
        FIELD(overhead_ns), FIELD(ns_per_byte), FIELD(points), FIELD(points_count);
    }
};

struct PointRow {
    Bytes size;
    Nanoseconds time_ns;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = PointRow;
        FIELD(size), FIELD(time_ns);
    }
};

struct NoiseRow {
    u64 key;
    i64 run_factor;
    i32 table;  // The first of 2^TABLE_BITS factors; -1: none is drawn.
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = NoiseRow;
        FIELD(key), FIELD(run_factor), FIELD(table);
    }
};

struct EventRow {
    i64 instance;  // Or the disk of an array; disks of all arrays are numbered consecutively.
    Nanoseconds at_ns, mean_ns, lasts_ns;
    i64 speed;
    u64 key;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = EventRow;
        FIELD(instance), FIELD(at_ns), FIELD(mean_ns), FIELD(lasts_ns), FIELD(speed), FIELD(key);
    }
};

struct HoldRow {
    i32 part, slot;
    bool writes, leads;  // `leads`: the first port of its network, whose latency a message pays.
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = HoldRow;
        FIELD(part), FIELD(slot), FIELD(writes), FIELD(leads);
    }
};

struct TierRow {
    TierKind kind;
    i32 down, down_count, up, up_count;
    Bytes header, size;
    bool remote_only, packets, aligned, stable;
    i32 pieces, window, width, data, parity, slot, by, row, ask, grow, column, costs, costs_count;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = TierRow;
        FIELD(kind), FIELD(down), FIELD(down_count), FIELD(up), FIELD(up_count), FIELD(header);
        FIELD(size), FIELD(remote_only), FIELD(packets), FIELD(aligned), FIELD(stable);
        FIELD(pieces), FIELD(window), FIELD(width), FIELD(data), FIELD(parity), FIELD(slot), FIELD(by), FIELD(row);
        FIELD(ask), FIELD(grow), FIELD(column), FIELD(costs), FIELD(costs_count);
    }
};

struct PathRow {
    i32 top, metadata, drain, first_store, asked;
    Closing close;
    Opening opening;
    Nanoseconds attributes_min_ns, attributes_max_ns, call_ns, give_up_ns;
    i32 call_column, places, places_count;
    bool copied;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = PathRow;
        FIELD(top), FIELD(metadata), FIELD(drain), FIELD(first_store), FIELD(asked), FIELD(close);
        FIELD(opening), FIELD(attributes_min_ns), FIELD(attributes_max_ns), FIELD(call_ns);
        FIELD(give_up_ns), FIELD(call_column), FIELD(places), FIELD(places_count), FIELD(copied);
    }
};

struct FileRow {
    i32 path, lead, inner;
    bool prestaged;
    Bytes length, size, base, room;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = FileRow;
        FIELD(path), FIELD(lead), FIELD(inner), FIELD(prestaged), FIELD(length), FIELD(size);
        FIELD(base), FIELD(room);
    }
};

struct StoreRow {
    i32 group, first, count, policy, workers, ahead, cache_column, writeback_column;
    i32 named;  // Row of the first of its name: those of other groups keep the same files.
    i64 slots, extent, dirty_limit, quota, high, low, span, first_worker;
    Bytes block;
    Nanoseconds expire_ns, interval_ns, slow_ns;
    Release release;
    bool back, elastic, mark, eager, full, close, rewrite;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = StoreRow;
        FIELD(group), FIELD(first), FIELD(count), FIELD(policy), FIELD(workers), FIELD(ahead);
        FIELD(cache_column), FIELD(writeback_column), FIELD(named), FIELD(slots), FIELD(extent);
        FIELD(dirty_limit), FIELD(quota), FIELD(high), FIELD(low), FIELD(span);
        FIELD(first_worker), FIELD(block), FIELD(expire_ns), FIELD(interval_ns), FIELD(slow_ns);
        FIELD(release), FIELD(back), FIELD(elastic), FIELD(mark), FIELD(eager), FIELD(full);
        FIELD(close), FIELD(rewrite);
    }
};

struct UnitRow {  // A member of a row of buffers, with its RAID unit.
    i32 instance, stored, stored_count, column;
    i64 slots, raid_slots, blocks, ahead;
    Bytes block;
    Nanoseconds request_ns, piece_ns, copy_ns, pause_ns, seek_ns, bus_ns;
    double copy_rate, disk_rate, bus_rate;  // ns per byte
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = UnitRow;
        FIELD(instance), FIELD(stored), FIELD(stored_count), FIELD(column), FIELD(slots);
        FIELD(raid_slots), FIELD(blocks), FIELD(ahead), FIELD(block), FIELD(request_ns);
        FIELD(piece_ns), FIELD(copy_ns), FIELD(pause_ns), FIELD(seek_ns), FIELD(bus_ns);
        FIELD(copy_rate), FIELD(disk_rate), FIELD(bus_rate);
    }
};

struct RunOfBlocks {
    i64 first, end;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = RunOfBlocks;
        FIELD(first), FIELD(end);
    }
};

struct ProcessRow {
    i32 job, group, node, nodes, cpu, exchange, places, places_count, born, until, arrivals;
    i32 phases, phases_count, client, restart, reading;
    i64 repeat;
    Bytes memory;
    Nanoseconds start_ns;
    bool sleeps, stops, queued;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = ProcessRow;
        FIELD(job), FIELD(group), FIELD(node), FIELD(nodes), FIELD(cpu), FIELD(exchange);
        FIELD(places), FIELD(places_count), FIELD(born), FIELD(until), FIELD(arrivals);
        FIELD(phases), FIELD(phases_count), FIELD(client), FIELD(repeat), FIELD(memory);
        FIELD(start_ns), FIELD(sleeps), FIELD(stops), FIELD(queued), FIELD(restart), FIELD(reading);
    }
};

struct PhaseRow {
    PhaseKind kind;
    bool write, synchronous, direct;
    i32 file, path, lengths, policy, draw, named, cuts;
    i64 first, count, loops;
    Nanoseconds compute_ns;
    Bytes buffer, size;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = PhaseRow;
        FIELD(kind), FIELD(write), FIELD(synchronous), FIELD(direct), FIELD(file), FIELD(path);
        FIELD(lengths), FIELD(policy), FIELD(draw), FIELD(named), FIELD(cuts), FIELD(first);
        FIELD(count), FIELD(loops), FIELD(compute_ns), FIELD(buffer), FIELD(size);
    }
};

struct CutRow {  // Within a list: the operation before which the next named phase begins; -1: none.
    i64 at;
    i32 named;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = CutRow;
        FIELD(at), FIELD(named);
    }
};

struct DrawRow {
    u64 key;
    i64 first, count, places, base, step, each, end;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = DrawRow;
        FIELD(key), FIELD(first), FIELD(count), FIELD(places), FIELD(base), FIELD(step);
        FIELD(each), FIELD(end);
    }
};

struct ArrivalsRow {
    Arriving kind;
    i64 count, times;
    Nanoseconds gap_ns, first_ns;
    u64 key;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = ArrivalsRow;
        FIELD(kind), FIELD(count), FIELD(times), FIELD(gap_ns), FIELD(first_ns), FIELD(key);
    }
};

struct ChannelRow {
    i32 source, target, top, places, places_count;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = ChannelRow;
        FIELD(source), FIELD(target), FIELD(top), FIELD(places), FIELD(places_count);
    }
};

struct AskedRow {
    i32 node, group;
    i64 first, count, pieces;
    Bytes size, message;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = AskedRow;
        FIELD(node), FIELD(group), FIELD(first), FIELD(count), FIELD(pieces), FIELD(size);
        FIELD(message);
    }
};

struct MergedRow {
    i64 members, first, count;
    Bytes size;
    Nanoseconds more;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = MergedRow;
        FIELD(members), FIELD(first), FIELD(count), FIELD(size), FIELD(more);
    }
};

struct ExtentRow {
    i64 block, low, high;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = ExtentRow;
        FIELD(block), FIELD(low), FIELD(high);
    }
};

struct LengthsRow {
    i32 kind, pool;
    u64 key;
    i64 first, size, count, total, longest, last;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = LengthsRow;
        FIELD(kind), FIELD(pool), FIELD(key), FIELD(first), FIELD(size), FIELD(count);
        FIELD(total), FIELD(longest), FIELD(last);
    }
};

struct QueueRow {
    i32 order, backfill, ahead, users, pools, pools_count, limits, limits_count, jobs, jobs_count;
    Nanoseconds aging_ns, half_life_ns;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = QueueRow;
        FIELD(order), FIELD(backfill), FIELD(ahead), FIELD(users), FIELD(pools), FIELD(pools_count);
        FIELD(limits), FIELD(limits_count), FIELD(jobs), FIELD(jobs_count), FIELD(aging_ns);
        FIELD(half_life_ns);
    }
};

struct PoolRow {
    i32 first, count, off, off_count;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = PoolRow;
        FIELD(first), FIELD(count), FIELD(off), FIELD(off_count);
    }
};

struct OffRow {  // A time at which the nodes of a pool are off.
    i64 begin, end;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = OffRow;
        FIELD(begin), FIELD(end);
    }
};

struct LimitRow {
    i64 jobs, nodes;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = LimitRow;
        FIELD(jobs), FIELD(nodes);
    }
};

struct BatchRow {  // A job of a queue; its limits are a part of the list `batch_limit`.
    Nanoseconds submit_ns, requested_ns;
    i64 priority;
    i32 nodes, first, count, pool, user, limits, limits_count, stage_in, stage_in_count, stage_out, stage_out_count;
    bool holds;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = BatchRow;
        FIELD(submit_ns), FIELD(requested_ns), FIELD(priority), FIELD(nodes), FIELD(first);
        FIELD(count), FIELD(pool), FIELD(user), FIELD(limits), FIELD(limits_count), FIELD(stage_in);
        FIELD(stage_in_count), FIELD(stage_out), FIELD(stage_out_count), FIELD(holds);
    }
};

}  // namespace nwtsim
