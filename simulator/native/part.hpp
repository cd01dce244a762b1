// Parts: their servers, service times of requests, and accounts of actors.
//
// A part has an instance on each member of a group, numbered over all parts.
//
// Why a request is not served at once, and why its service takes longer than alone:
//
//   - the servers of the instance have earlier requests: Parts::queue, below;
//   - it claims several parts together, from when all are free: Holding::hold_all (holding.hpp); as
//     packets, each part in turn: packets.hpp; a stripe asks its members one by one (pieces.hpp);
//   - requests hold the servers of a pool until their replies: Tiers (tiers.hpp);
//   - a commit of a journal is waited for, or another one is under way: kinds/parts/journal;
//   - the instance has failed, or is slower for a time: Parts::hold_watched, below (calendar.hpp);
//   - a scheduler, then the drive, chooses another one first, or bfq idles: scheduling.hpp;
//   - disks of an array have other requests or a step of a rebuild; its writes wait for its reads:
//     array.hpp. RAID units of I/O nodes have queues of their own: raid_unit.hpp;
//   - a shared part, or the cores of a crowded node, are divided among all: sharing.hpp;
//   - the kind of part takes time of its own (a seek, a mount, collecting garbage): its native.hpp in
//     simulator/kinds/parts; noise: Parts::stretch, below.
#pragma once

#include <tuple>
#include <vector>

#include "simulator/native/actor.hpp"
#include "simulator/native/calendar.hpp"
#include "simulator/native/clock.hpp"
#include "simulator/native/mixing.hpp"
#include "simulator/native/plan.hpp"

namespace nwtsim {

// How the engine serves a part. The order matters: those from `shared` on are not claimed together
// with others (Holding::route).
enum class Serving : u8 {
    station,  // Identical servers, first come, first served; or no queue.
    cpu, journal, core, shared, array, scheduled,
};

// A part in one direction: for reads, or for writes.
struct Part {
    Serving serving = Serving::station;
    u8 kind = 0;             // Number of the kind, in the generated list.
    bool varies = false;     // Service may differ from overhead and bytes,
    bool hooked = false;     // since its kind computes it for each request.
    bool is_writing = false;
    bool written = false;    // Writes have a service of their own.
    bool is_pool = false;    // Requests hold its servers.
    bool counts_idle = false;  // Its idle time is recorded.
    i32 row = 0;             // Row in the plan.
    i32 first = 0;           // First instance.
    i32 count = 0;           // Number of instances.
    i32 servers = 1;         // Per instance; 0: no queue.
    i32 server = 0;          // With several servers: the first one of the first instance.
    i32 column = -1;         // Account category; -1: none.
    i32 spec = 0;            // Row of its kind's specifications.
    i32 memory = 0;          // First memory of its instances.
    i32 own = 0;             // First of its shared instances, pools, arrays or scheduled disks.
    i32 noise = -1;          // First of its rows of noise.
    i32 cpu = -1;            // Of a core: the cpu that owns it.
    i32 speeds = 0, speeds_count = 0;
    const ServiceRow* services = nullptr;  // By the number of requests under way, from 1 on; none: one rate.
    const PointRow* points = nullptr;      // Of all parts.
    i32 services_count = 0;
    i32 depths = 1;          // Numbers of requests under way that differ, in any direction.
    i32 ends = 0;            // The first of its instances' ends of requests.
    Nanoseconds overhead{0}, latency{0};
    double ns_per_byte = 0;
    const Part* reading = nullptr;  // Itself, or the other direction.
    const Part* writing = nullptr;

    i32 member(i64 instance) const { return static_cast<i32>(instance) - first; }
};

// An instance of a part.
struct Instance {
    Nanoseconds free{0};  // Time at which its only server is free.
    i64 requests = 0;
    Bytes bytes{0};
    Nanoseconds busy{0};  // 2^62 ns of it may have been taken away (Parts::carries).
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Instance;
        FIELD(requests), FIELD(bytes), FIELD(busy);
    }
};

// A request at a part, as its kind receives it.
struct Load {
    Nanoseconds begin;  // When its service begins.
    Bytes size;         // Bytes that the part moves.
    Bytes address, span;  // The first byte of the whole transfer, and its length.
    i64 file;           // -1: none.
    i32 spread;         // Number of members over which the transfer is striped.
};

// When the last requests of an instance end, as many as its services tell apart.
struct Ends {
    std::vector<Nanoseconds> times;
    size_t next = 0;  // Where the oldest is.
};

struct Span {  // A service on the timeline.
    i64 instance;  // Above TRACK_BITS the number of its queue, from 1 on; 0: itself.
    Nanoseconds start, service;
    Bytes size;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Span;
        FIELD(instance), FIELD(start), FIELD(service), FIELD(size);
    }
};
constexpr int TRACK_BITS = 40;

class Parts {
  public:
    Parts(Clock& clock, Calendars& calendars) : clock(clock), calendars(calendars) {}

    Clock& clock;
    Calendars& calendars;
    std::vector<Part> reading, writing;  // By row in the plan; with one more cpu that takes no time.
    std::vector<Instance> instances;
    std::vector<i64> carries;            // Of each instance, how often 2^62 ns have been taken from its busy time.
    std::vector<Nanoseconds> servers;    // Times at which each is free, for instances with several.
    std::vector<NoiseRow> noise;
    std::vector<i64> factors;
    std::vector<ServiceRow> services;
    std::vector<PointRow> points;
    std::vector<Ends> ends;
    std::vector<Span> spans;
    bool timing = false;   // Every service is recorded.
    bool watched = false;  // Services may be extended by failures, or are recorded.

    i64 depth = 1;  // Requests under way at an instance when the last one came, itself included.
    // Of the last request served:
    Nanoseconds started{0};  // Its begin,
    Nanoseconds began{0};    // its begin after an outage,
    Nanoseconds lost{0};     // and its delay by outages.
    // Paths with a timeout: the timeout of the current request at a failed instance (below 0:
    // none), whether one has timed out since, and the time of the last timeout.
    Nanoseconds give_up{-1};
    bool failed = false;
    Nanoseconds gave_up{0};

    // -- accounts ------------------------------------------------------------------------------------

    // Charge time of an actor; nothing without a category. Whoever makes it wait or serves it does so,
    // once for each time. Branches have accounts of their own: that of the last one to end is added to
    // the request's (Tiers), so that accounts add up to elapsed time.
    void charge(Actor* actor, i32 column, Nanoseconds wait, Nanoseconds service) {
        if (column < 0) return;
        Account& account = actor->account()[column];
        wait += account.waiting;
        service += account.service;
        if ((wait.count | service.count) >= LIMIT) [[unlikely]] throw beyond(actor);
        account = {wait, service};
    }

    void add_account(Actor* actor, const Actor* other, int columns) {
        for (int i = 0; i < columns; ++i) charge(actor, i, other->account()[i].waiting, other->account()[i].service);
    }

    // The limit is exceeded by the process of an actor's request, or by a store.
    static LimitPassed beyond(const Actor* actor, bool size = false) {
        while (actor->role == Role::branch) actor = actor->parent;
        if (actor->role == Role::process) return {Culprit::process, actor->index, size};
        return {Culprit::store, 0, size};
    }
    static Nanoseconds within_actor(Nanoseconds time, const Actor* actor) {
        if (time >= NEVER) [[unlikely]] throw beyond(actor);
        return time;
    }

    void note(i64 instance, Nanoseconds start, Nanoseconds service, Bytes size) {
        spans.push_back({instance, start, service, size});
    }

    // -- service -------------------------------------------------------------------------------------

    static Nanoseconds within_part(Nanoseconds time, const Part& part) { return within(time, Culprit::part, part.row); }

    // Add to an instance's bytes and busy time.
    void book(const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        Instance& one = at(instance);
        one.bytes = within(one.bytes + size, Culprit::part, part.row);
        one.busy += service;
        if (one.busy >= NEVER) [[unlikely]] {
            one.busy -= NEVER;
            ++carries[static_cast<size_t>(instance)];
        }
    }

    // Return the service time of an instance's request of a number (from 1), noise included.
    Nanoseconds stretch(const Part& part, i64 instance, Nanoseconds service, i64 number) const {
        if (part.noise < 0) return service;
        const NoiseRow& row = noise[static_cast<size_t>(part.noise + part.member(instance))];
        service = within_part(stretched(service, row.run_factor), part);
        if (row.table >= 0)
            service = stretched(service, factors[static_cast<size_t>(row.table) + pick(row.key, number)]);
        return within_part(service, part);
    }
    // Return that of its next request.
    Nanoseconds stretch(const Part& part, i64 instance, Nanoseconds service) {
        return part.noise < 0 ? service : stretch(part, instance, service, at(instance).requests + 1);
    }

    // Return the time of some bytes by the part's services, the limit at most: between two points it
    // is linear, outside of them the rate is that of the nearest.
    static Nanoseconds by_table(const Part& part, Bytes size, i64 depth) {
        const ServiceRow& row = part.services[std::min<i64>(depth, part.services_count) - 1];
        if (!row.points_count) return std::min(row.overhead_ns + transfer_time(size, row.ns_per_byte), NEVER);
        const PointRow* first = part.points + row.points;
        const PointRow* high = std::lower_bound(first, first + row.points_count, size,
                                                [](const PointRow& one, Bytes bytes) { return one.size < bytes; });
        i64 time;
        if (high == first || high == first + row.points_count) {
            const PointRow& near = high == first ? *high : high[-1];
            time = scaled_up(size.count, near.time_ns.count, near.size.count);
        } else {
            const PointRow& low = high[-1];
            const i64 more = (high->time_ns - low.time_ns).count;
            time = low.time_ns.count + scaled_up((size - low.size).count, more, (high->size - low.size).count);
        }
        return std::min(row.overhead_ns + Nanoseconds{time}, NEVER);
    }

    // Return the time of some bytes without variation.
    static Nanoseconds plain(const Part& part, Bytes size) {
        if (part.services) [[unlikely]] return within_part(by_table(part, size, 1), part);
        const double time = static_cast<double>(size.count) * part.ns_per_byte + 0.5;
        if (time >= static_cast<double>(LIMIT)) [[unlikely]] throw LimitPassed{Culprit::part, part.row, false};
        return within_part(part.overhead + Nanoseconds{static_cast<i64>(time)}, part);
    }
    // Return the same for as many requests under way as there were when the last one came.
    Nanoseconds plain_now(const Part& part, Bytes size) const {
        return part.services ? within_part(by_table(part, size, depth), part) : plain(part, size);
    }

    // Count the requests under way at an instance to which one comes now, itself included.
    void come(const Part& part, i64 instance) {
        Ends& last = ends[static_cast<size_t>(part.ends + part.member(instance))];
        const size_t count = last.times.size();
        last.times[last.next] = at(instance).free;
        last.next = last.next + 1 == count ? 0 : last.next + 1;
        depth = 1;
        for (size_t i = 0, place = last.next; i < count; ++i) {
            place = place ? place - 1 : count - 1;
            if (last.times[place] <= clock.now) break;
            ++depth;
        }
    }

    // -- queueing ------------------------------------------------------------------------------------

    Instance& at(i64 instance) { return instances[static_cast<size_t>(instance)]; }
    i64 number_of(const Instance& instance) const { return &instance - instances.data(); }

    // Return the time at which the first server is free (the lowest of several); always, without a
    // queue.
    Nanoseconds* first_server(const Part& part, i64 instance) {
        return part.servers <= 1 ? &at(instance).free : first_of(part, instance);
    }
    Nanoseconds* first_of(const Part& part, i64 instance) { return least_of(servers_of(part, instance), part.servers); }
    Nanoseconds* servers_of(const Part& part, i64 instance) {
        return &servers[static_cast<size_t>(part.server + part.member(instance) * part.servers)];
    }
    static Nanoseconds* least_of(Nanoseconds* server, i32 count) {
        Nanoseconds* best = server;
        Nanoseconds least = *server;
        for (i32 i = 1; i < count; ++i) {
            const bool sooner = server[i] < least;  // No branch: it would be unpredictable.
            best = sooner ? server + i : best;
            least = sooner ? server[i] : least;
        }
        return best;
    }

    // Begin a request at a time, at its first server; returns its end.
    Nanoseconds hold(const Part& part, i64 instance, Nanoseconds* server, Nanoseconds start, Bytes size,
                     Nanoseconds service) {
        if (watched) [[unlikely]] return hold_watched(part, instance, server, start, size, service);
        return hold_plain(part, at(instance), server, start, size, service);
    }

    Nanoseconds hold_plain(const Part& part, Instance& one, Nanoseconds* server, Nanoseconds start, Bytes size,
                           Nanoseconds service) {
        const Nanoseconds end = start + service, busy = one.busy + service;
        const Bytes bytes = one.bytes + size;
        ++one.requests;
        if ((end.count | bytes.count | busy.count) >= LIMIT) [[unlikely]] {
            within_part(end, part);
            book(part, number_of(one), size, service);
        } else {
            one.bytes = bytes;
            one.busy = busy;
        }
        if (part.servers) *server = end;
        return end;
    }

    // Queue a request now; returns its end.
    Nanoseconds queue(const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        Nanoseconds* server = first_server(part, instance);
        started = std::max(clock.now, *server);
        return hold(part, instance, server, started, size, service);
    }

    // Queue a request, and charge an actor: waiting, and service.
    Nanoseconds pass(Actor* actor, const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        const Nanoseconds end = queue(part, instance, size, service);
        const Nanoseconds start = started + lost;
        charge(actor, part.column, start - clock.now, end - start);
        return end;
    }

    // Spend time at a cpu without a queue; returns its length.
    Nanoseconds spend(Actor* actor, const Part& part, i64 instance, Nanoseconds service, Bytes size) {
        service = stretch(part, instance, service);
        ++at(instance).requests;
        book(part, instance, size, service);
        charge(actor, part.column, ZERO_NS, service);
        return service;
    }

    // Return the earliest begin of a request that arrives now at an instance.
    Nanoseconds start(const Part& part, i64 instance) { return std::max(clock.now, *first_server(part, instance)); }

    // Return a number from 0 to 1 for an instance's next request.
    double draw(const Part& part, i64 instance) {
        const u64 key = part.noise >= 0 ? noise[static_cast<size_t>(part.noise + part.member(instance))].key : 0;
        return static_cast<double>(mix(key, -at(instance).requests - 1) >> 11) / 9007199254740992.0;
    }

  private:
    // Extend a request by failures and speed changes of the instance; record it.
    Nanoseconds hold_watched(const Part& part, i64 instance, Nanoseconds* server, Nanoseconds start, Bytes size,
                             Nanoseconds service) {
        lost = ZERO_NS;
        began = start;
        Nanoseconds end;
        if (calendars.has(instance)) {
            const auto served = calendars.service(instance, start, service);
            if (give_up >= ZERO_NS) {
                const Nanoseconds gone = calendars.gone_from(instance, clock.now, served.end, give_up);
                if (gone < NEVER) return let_go(part, instance, server, start, gone);
            }
            end = within_part(served.end, part);
            began = served.began;
            lost = served.lost;
            calendars.miss(instance, lost);
            ++at(instance).requests;
            book(part, instance, size, end - start - lost);
            if (part.servers) *server = end;
        } else {
            end = hold_plain(part, at(instance), server, start, size, service);
        }
        if (timing) note(instance, start, end - start, size);
        return end;
    }

    // Time out a request at a time; returns the end of its stay.
    Nanoseconds let_go(const Part& part, i64 instance, Nanoseconds* server, Nanoseconds start, Nanoseconds gone) {
        failed = true;
        gave_up = within_part(gone + give_up, part);
        const Nanoseconds begun = std::min(start, gone);
        const Nanoseconds served = gone - begun - calendars.down(instance, begun, gone);
        ++at(instance).requests;
        book(part, instance, NO_BYTES, served);
        const Nanoseconds left = std::max(start, gave_up);
        lost = left - start - served;
        ++calendars.counts[static_cast<size_t>(instance)].given_up;
        if (part.servers) *server = left;
        if (timing) note(instance, begun, gone - begun, NO_BYTES);
        return left;
    }
};

}  // namespace nwtsim
