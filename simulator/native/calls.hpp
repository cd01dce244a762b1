// Common parts of all calls of processes: requests, the cpu, latencies, windows, named phases.
#pragma once

#include "simulator/native/process.hpp"
#include "simulator/native/queue.hpp"
#include "simulator/native/writeback.hpp"

namespace nwtsim {

// Listed operations, as the plan has them.
struct OperationColumns {
    const i8* kind = nullptr;
    const i32* file = nullptr;
    const i64 *offset = nullptr, *size = nullptr, *gap = nullptr;
    const i16* column = nullptr;
    const i32* path = nullptr;  // -1: that of the file.
};

class Calls {
  public:
    Calls(Tiers& tiers, WriteBack& back)
        : tiers(tiers), back(back), actors(tiers.actors), parts(tiers.parts), sharing(tiers.sharing), clock(tiers.clock),
          layout(tiers.layout) {}

    Tiers& tiers;
    WriteBack& back;
    Actors& actors;
    Parts& parts;
    Sharing& sharing;
    Clock& clock;
    Layout& layout;

    std::vector<Process> processes;
    std::vector<Actor*> actor_of;        // By process.
    OperationColumns operations;
    std::vector<NamedPhase> named;
    std::vector<std::unique_ptr<Histogram>> latencies;  // By operation; `of_job` further on those of the next job.
    size_t of_job = 0;                   // OPERATIONS, or 0 if those of all jobs are counted together.
    std::vector<std::unique_ptr<Histogram>> responses;  // By job: response times of arrivals.
    bool recording = false;              // Every call is recorded.
    std::vector<LoggedCall> log;
    Curves* curves = nullptr;            // None if they were not requested.
    std::vector<Nanoseconds> member_service;  // Time spent by members that share a process's data.
    Queues queues{clock};

  protected:
    // -- requests ------------------------------------------------------------------------------------

    // Begin a request of a process for its file.
    Frame* request(Actor* actor, Process& x, const Tier* top, Op op, Bytes low, Bytes high) {
        Frame* q = actors.call(actor, top, op, x.file, low, high);
        if (top->entry) q->tier = top->entry;  // A store passes its entry itself.
        if (x.placed_file == x.file && x.placed_path == x.path) {
            for (int place = 0; place < actors.places; ++place) q->places[place] = x.placed[place];
        } else {
            layout.place(*q, x.path->places, x.node);
            x.placed_file = x.file;
            x.placed_path = x.path;
            for (int place = 0; place < actors.places; ++place) x.placed[place] = q->places[place];
        }
        return q;
    }

    // Begin a request of a process that moves data.
    void move(Actor* actor, Process& x, Op op, Bytes low, Bytes high, bool direct) {
        const bool in_order = low == (x.last_file == x.file ? x.last_end : NO_BYTES);
        x.last_file = x.file;
        x.last_end = high;
        Frame* q = request(actor, x, x.path->top, op, low, high);
        q->how = static_cast<u16>(OF_CALL | (direct ? PAST : 0) | (in_order ? IN_ORDER : 0));
    }

    // Begin to send bytes from a node to another.
    void message(Actor* actor, const Tier* top, std::span<const PlaceRule> places, i32 from, i32 to, Bytes size) {
        Frame* q = actors.call(actor, top, Op::write, -1, NO_BYTES, size);
        q->how = WAITS;
        Layout::place_two(*q, places, from, to);
    }

    // -- the cpu -------------------------------------------------------------------------------------

    // Spend time of a process by itself, which passes later.
    static void pend(const Actor* actor, Process& x, Nanoseconds more) {
        x.pending = Parts::within_actor(x.pending + more, actor);
    }

    // Advance the clock by the time that a process has spent by itself, in one event.
    Step catch_up(Actor* actor, Process& x, At at) {
        const Nanoseconds pending = x.pending;
        x.pending = ZERO_NS;
        x.at = at;
        if (pending && x.is_crowded) [[unlikely]] {
            sharing.begin(actor, *x.cpu, x.instance, NO_BYTES, pending);
            return BLOCKED;
        }
        return clock.now + pending;
    }

    Step compute(Actor* actor, Process& x, Nanoseconds time, At at) {
        x.computed += time;
        x.at = at;
        if (time && x.is_crowded) {
            sharing.use_core(actor, *x.cpu, x.instance, time);
            return BLOCKED;
        }
        return clock.now + time;
    }

    // Make a call of the operating system, of which the timeline shows the overhead.
    void call_system(Actor* actor, Process& x) {
        const Nanoseconds service = parts.spend(actor, *x.cpu, x.instance, x.processor->call_overhead_ns, NO_BYTES);
        if (parts.timing) parts.note(x.instance, clock.now + x.pending, service, NO_BYTES);
        pend(actor, x, service);
    }

    // Make a call along a path, which may cost more than any other.
    void call_file(Actor* actor, Process& x) {
        call_system(actor, x);
        call_path(actor, x);
    }
    Nanoseconds call_path(Actor* actor, Process& x) {
        const Nanoseconds more = x.path->call;
        if (more) {
            parts.charge(actor, x.path->call_column, ZERO_NS, more);
            pend(actor, x, more);
        }
        return more;
    }

    // Return the time to move bytes of a number of records between a program and its buffer.
    static Nanoseconds copy_time(const Process& x, Bytes size, i64 records) {
        const Nanoseconds handling{product(records, x.processor->record_overhead_ns.count)};
        return Parts::within_part(handling + transfer_time(size, x.cpu->ns_per_byte), *x.cpu);
    }

    // -- records of calls
    // -----------------------------------------------------------------------------

    // End a call that began at `called`: its latency, and its row of the log.
    void note(Process& x, u8 kind, Bytes offset, Bytes size) {
        count_latency(x, kind, clock.now + x.pending - x.called);
        if (curves) [[unlikely]] draw(kind, clock.now + x.pending, size);
        if (recording) write_log(x, kind, x.file, offset, size);
    }

    void write_log(const Process& x, u8 kind, i32 file, Bytes offset, Bytes size) {
        log.push_back({x.number, kind, file, offset, size, x.called, clock.now + x.pending});
    }

    // Add the bytes of a call that has ended to the curves.
    void draw(u8 kind, Nanoseconds end, Bytes size) {
        if ((kind & PLAIN) == READ || (kind & PLAIN) == WRITE) curves->call((kind & PLAIN) == WRITE, end, size);
    }

    // Return whether a process's job has failed, and not gone on since.
    bool has_failed(const Process& x) const { return x.team && clock.now >= x.team->next; }

    static constexpr bool is_timed(u8 kind) {
        switch (kind) {
            case READ: case WRITE: case SYNC: case LOCK: case BARRIER: case SEND: case RECEIVE: case ASK_READ:
            case ASK_WRITE: case JOB: return true;
            default: return metadata_of(kind) != NO_METADATA;
        }
    }
    void count_latency(const Process& x, u8 kind, Nanoseconds value) {
        kind &= PLAIN;
        if (is_timed(kind)) count_in(latencies[static_cast<size_t>(x.job) * of_job + kind], value);
    }
    static void count_in(std::unique_ptr<Histogram>& histogram, Nanoseconds value) {
        if (!histogram) [[unlikely]] histogram = std::make_unique<Histogram>();
        histogram->add(value);
    }

    static void more_bytes(const Actor* actor, Bytes& sum, Bytes size) {
        sum += size;
        if (sum.count >= LIMIT) [[unlikely]] throw Parts::beyond(actor, true);
    }

    // Extend the window of a process's reads or writes from begin to end. It begins with the open
    // or create of the file, if that is the one opened last.
    static void widen(const Process& x, Window& window, Nanoseconds begin, Nanoseconds end) {
        reach(window, x.opened_file == x.file ? x.opened : begin, end);
    }
    static void reach(Window& window, Nanoseconds begin, Nanoseconds end) {
        if (window.first < ZERO_NS) window.first = begin;
        window.last = end;
    }

    // -- named phases and memory -----------------------------------------------------------------------

    // Begin a named phase of a process, which ends the current one.
    void begin_named(Process& x, i32 row) {
        const Nanoseconds now = clock.now + x.pending;
        end_named(x, now);
        NamedPhase& phase = named[static_cast<size_t>(row)];
        x.named = row;
        x.named_since = now;
        x.named_read = x.reads.bytes - x.failed_read;
        x.named_written = x.writes.bytes - x.failed_written;
        ++phase.passes;
        if (phase.begin < ZERO_NS || now < phase.begin) phase.begin = now;
        hold_memory(x, phase.memory);
    }

    void end_named(Process& x, Nanoseconds now) {
        if (x.named < 0) return;
        NamedPhase& phase = named[static_cast<size_t>(x.named)];
        x.named = -1;
        phase.end = std::max(phase.end, now);
        phase.time += (now - x.named_since).count;
        phase.read += (x.reads.bytes - x.failed_read - x.named_read).count;
        phase.written += (x.writes.bytes - x.failed_written - x.named_written).count;
    }

    // Within a list, begin the next named phase; false at the end of the list.
    bool pass_cut(Process& x) {
        if (x.cut->named < 0) return false;
        begin_named(x, x.cut->named);
        ++x.cut;
        x.row_end = x.cut->at;
        return true;
    }

    // Return the node of a member that shares a process's data; the process itself is member 0.
    i32 node_of(const Process& x, i32 rank) const {
        return x.queued && rank ? queues.member(x.number, x.members + rank) : x.node + rank;
    }

    // Hold a number of bytes on each node of a process.
    void hold_memory(Process& x, Bytes size) {
        const Bytes more = size - x.memory;
        if (!more) return;
        x.memory = size;
        for (const Store& store : back.cache.stores)
            if (store.elastic && store.group == x.group)
                for (i32 rank = 0; rank < x.nodes; ++rank)
                    back.hold(back.cache.instances[static_cast<size_t>(store.first + node_of(x, rank))], more);
    }
};

}  // namespace nwtsim
