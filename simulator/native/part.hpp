// Parts: when each server is free, what a request takes, and where the time of actors went.
//
// A part has an instance on each member of a group, all numbered through. What a request takes
// beside an overhead, its bytes and noise is the matter of the part's kind (simulator/kinds/parts,
// native.hpp); queueing is here.
#pragma once

#include <tuple>
#include <vector>

#include "simulator/native/actor.hpp"
#include "simulator/native/calendar.hpp"
#include "simulator/native/clock.hpp"
#include "simulator/native/mixing.hpp"
#include "simulator/native/plan.hpp"

namespace nwtsim {

// What the engine does with a part.
enum class Serving : u8 {
    station,  // Equal servers, first come, first served; or nothing queues.
    cpu, journal, core, shared, array,
};

// A part in one direction: that of what reads it, or of what writes it.
struct Part {
    Serving serving = Serving::station;
    u8 kind = 0;             // Which of the kinds, in the generated list.
    bool varies = false;     // A request may take something else than its overhead and bytes,
    bool hooked = false;     // since its kind decides that for each.
    bool is_writing = false;
    bool written = false;    // What writes it has a service of its own.
    bool is_pool = false;    // Requests keep its servers.
    bool counts_idle = false;  // It counts for how long it was idle.
    i32 row = 0;             // Its row in the plan.
    i32 first = 0;           // Its first instance,
    i32 count = 0;           // and how many it has.
    i32 servers = 1;         // Of each instance; 0: nothing queues.
    i32 server = 0;          // Of several servers: the first one of the first instance.
    i32 column = -1;         // What time is charged to; -1: nothing.
    i32 spec = 0;            // Its row of specifications of its kind,
    i32 memory = 0;          // and the first of what its instances remember.
    i32 own = 0;             // The first of its shared instances, pools or arrays.
    i32 noise = -1;          // The first of its rows of noise.
    i32 cpu = -1;            // Of a core: the cpu whose cores it is.
    i32 speeds = 0, speeds_count = 0;
    Nanoseconds overhead{0}, latency{0};
    double ns_per_byte = 0;
    const Part* reading = nullptr;  // Itself, or the other one.
    const Part* writing = nullptr;

    i32 member(i64 instance) const { return static_cast<i32>(instance) - first; }
};

// An instance of a part.
struct Instance {
    Nanoseconds free{0};  // When its only server is.
    i64 requests = 0;
    Bytes bytes{0};
    Nanoseconds busy{0};  // 2^62 ns of it may have been taken away (Parts::carries).
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Instance;
        FIELD(requests), FIELD(bytes), FIELD(busy);
    }
};

// A request at a part, as its kind sees it.
struct Load {
    Nanoseconds begin;  // When its service begins.
    Bytes size;         // Bytes that the part moves.
    Bytes address, span;  // The first byte of the whole transfer, and its length.
    i64 file;           // -1: none.
    i32 spread;         // Over how many members the transfer is dealt out.
};

struct Span {  // A service on the timeline.
    i64 instance;  // Above TRACK_BITS which of its queues, from 1 on; 0: itself.
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
    std::vector<Part> reading, writing;  // By their rows in the plan; one more cpu that takes no time.
    std::vector<Instance> instances;
    std::vector<i64> carries;            // Of each instance, how often 2^62 ns have been taken from its busy time.
    std::vector<Nanoseconds> servers;    // When each is free, of instances with several.
    std::vector<NoiseRow> noise;
    std::vector<i64> factors;
    std::vector<Span> spans;
    bool timing = false;   // Every service is written down.
    bool watched = false;  // Services may take longer than they should, or are written down.

    // Of the request that was served last.
    Nanoseconds started{0};  // When it begins,
    Nanoseconds began{0};    // when really, since its instance was away,
    Nanoseconds lost{0};     // and for how long that is not there.
    // Paths that give up: for how long the request that is made now waits for an instance that has
    // failed (below 0: for ever), whether one has given up since, and when the last one comes back.
    Nanoseconds give_up{-1};
    bool failed = false;
    Nanoseconds gave_up{0};

    // -- accounts ------------------------------------------------------------------------------------

    // Write down time that an actor spent; nothing for no column.
    void charge(Actor* actor, i32 column, Nanoseconds wait, Nanoseconds service) {
        if (column < 0) return;
        Account& account = actor->account[column];
        wait += account.waiting;
        service += account.service;
        if ((wait.count | service.count) >= LIMIT) [[unlikely]] throw beyond(actor);
        account = {wait, service};
    }

    void add_account(Actor* actor, const Actor* other, int columns) {
        for (int i = 0; i < columns; ++i) charge(actor, i, other->account[i].waiting, other->account[i].service);
    }

    // The limit is passed by the process whose request an actor carries out, or by a store.
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

    // Add to what an instance has moved, and to how long it was busy.
    void book(const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        Instance& one = at(instance);
        one.bytes = within(one.bytes + size, Culprit::part, part.row);
        one.busy += service;
        if (one.busy >= NEVER) [[unlikely]] {
            one.busy -= NEVER;
            ++carries[static_cast<size_t>(instance)];
        }
    }

    // The service time of an instance's request of a number (from 1), its noise included.
    Nanoseconds stretch(const Part& part, i64 instance, Nanoseconds service, i64 number) const {
        if (part.noise < 0) return service;
        const NoiseRow& row = noise[static_cast<size_t>(part.noise + part.member(instance))];
        service = within_part(stretched(service, row.run_factor), part);
        if (row.table >= 0)
            service = stretched(service, factors[static_cast<size_t>(row.table) + pick(row.key, number)]);
        return within_part(service, part);
    }
    // That of its next request.
    Nanoseconds stretch(const Part& part, i64 instance, Nanoseconds service) {
        return part.noise < 0 ? service : stretch(part, instance, service, at(instance).requests + 1);
    }

    // What some bytes take without what varies.
    static Nanoseconds plain(const Part& part, Bytes size) {
        const double time = static_cast<double>(size.count) * part.ns_per_byte + 0.5;
        if (time >= static_cast<double>(LIMIT)) [[unlikely]] throw LimitPassed{Culprit::part, part.row, false};
        return within_part(part.overhead + Nanoseconds{static_cast<i64>(time)}, part);
    }

    // What a request takes with what varies; defined behind all kinds.
    Nanoseconds varied(const Part& part, i64 instance, const Load& load, Nanoseconds service);
    // The same of one that moves no bytes and takes a given time.
    Nanoseconds spent(const Part& part, i64 instance, Nanoseconds begin, Nanoseconds service);

    // -- queueing ------------------------------------------------------------------------------------

    Instance& at(i64 instance) { return instances[static_cast<size_t>(instance)]; }
    i64 number_of(const Instance& instance) const { return &instance - instances.data(); }

    // When the server is free that is free first (the lowest of several); always, where nothing queues.
    Nanoseconds* first_server(const Part& part, i64 instance) {
        return part.servers <= 1 ? &at(instance).free : first_of(part, instance);
    }
    Nanoseconds* first_of(const Part& part, i64 instance) {
        Nanoseconds* server = &servers[static_cast<size_t>(part.server + part.member(instance) * part.servers)];
        Nanoseconds* best = server;
        Nanoseconds least = *server;
        for (i32 i = 1; i < part.servers; ++i) {
            const bool sooner = server[i] < least;  // No branch: which one it is, nobody can foresee.
            best = sooner ? server + i : best;
            least = sooner ? server[i] : least;
        }
        return best;
    }

    // Begin a request at a time, at its first server; returns when it has ended.
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

    // Queue a request now; returns when it has ended.
    Nanoseconds queue(const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        Nanoseconds* server = first_server(part, instance);
        started = std::max(clock.now, *server);
        return hold(part, instance, server, started, size, service);
    }

    // The same, charged to an actor: waiting, and service.
    Nanoseconds pass(Actor* actor, const Part& part, i64 instance, Bytes size, Nanoseconds service) {
        const Nanoseconds end = queue(part, instance, size, service);
        const Nanoseconds start = started + lost;
        charge(actor, part.column, start - clock.now, end - start);
        return end;
    }

    // Spend time at a cpu, where nothing queues; returns how long.
    Nanoseconds spend(Actor* actor, const Part& part, i64 instance, Nanoseconds service, Bytes size) {
        service = stretch(part, instance, service);
        ++at(instance).requests;
        book(part, instance, size, service);
        charge(actor, part.column, ZERO_NS, service);
        return service;
    }

    // When an instance can begin with a request that comes now.
    Nanoseconds start(const Part& part, i64 instance) { return std::max(clock.now, *first_server(part, instance)); }

    // A number from 0 to 1 of an instance's next request.
    double draw(const Part& part, i64 instance) {
        const u64 key = part.noise >= 0 ? noise[static_cast<size_t>(part.noise + part.member(instance))].key : 0;
        return static_cast<double>(mix(key, -at(instance).requests - 1) >> 11) / 9007199254740992.0;
    }

  private:
    // Let what happens to the instance put off the end of a request; write it down.
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

    // A request gives up that nobody serves from a time on; returns until when it is here.
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
