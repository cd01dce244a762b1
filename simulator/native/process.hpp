// Processes and their synchronisation: marks, locks, barriers, messages.
#pragma once

#include <memory>

#include "simulator/kinds/parts/cpu/native.hpp"
#include "simulator/native/runtimes.hpp"
#include "simulator/native/tier.hpp"

namespace nwtsim {

// Operations of programs; those of simulator/runtime/operations.py.
enum Operation : u8 {
    SEEK, READ, WRITE, OPEN, CLOSE, PASS, WAIT, PAUSE, STAT, SYNC, LOCK, UNLOCK, BARRIER, SEND, RECEIVE, ASK_READ,
    ASK_WRITE, START, JOIN, JOB, CALL, CREATE, LOOKUP, UNLINK, RENAME, MKDIR, RMDIR, READDIR, SETATTR, OPERATIONS,
};
constexpr u8 PLAIN = 31, DIRECT = 32, SYNCED = 64;  // Bits of the kind of a read or write.

// The kinds of metadata operations, in the order of tiers' costs; -1: none.
enum Metadata : i8 {
    NO_METADATA = -1, META_OPEN, META_CREATE, META_CLOSE, META_STAT, META_LOOKUP, META_UNLINK, META_RENAME, META_MKDIR,
    META_RMDIR, META_READDIR, META_SETATTR,
};
constexpr Metadata metadata_of(u8 kind) {
    switch (kind) {
        case OPEN: return META_OPEN;
        case CREATE: return META_CREATE;
        case CLOSE: return META_CLOSE;
        case STAT: return META_STAT;
        case LOOKUP: return META_LOOKUP;
        default: return kind >= UNLINK ? static_cast<Metadata>(META_UNLINK + (kind - UNLINK)) : NO_METADATA;
    }
}

// Next step of a process: in a stream, or from `listed` on in a list of operations.
enum class At : u8 {
    start, computed, opened, called, moved, packed, crossed, flushed, synced, closed, begun, stopped,
    listed, listed_called, listed_ended, awaited, meta, sync, arrived, receiving, sent, locked, met, flushed_list,
    synced_list, answered, endless, queued, completed, halted, resumed,
};

struct Phase : PhaseRow {
    const Path* way = nullptr;
    const Lengths* records = nullptr;
    i32 drain = NONE_OF_DRAINS;  // Number of the process's drained file that it writes.
    u8 bits = 0;                 // Those of its calls' kind.
    static constexpr i32 NONE_OF_DRAINS = -1;
};

// Window of a process's reads or writes, and their bytes.
struct Window {
    Bytes bytes{0};
    Nanoseconds time{0};              // Time in calls.
    Nanoseconds first{-1}, last{-1};  // Begin of the first, end of the last.
    Nanoseconds beside{0};            // Time in syncs and closes.
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Window;
        FIELD(bytes), FIELD(time), FIELD(first), FIELD(last), FIELD(beside);
    }
};

struct Restart;

struct alignas(64) Process {
    // Fields used by each call: two lines of the cache.
    At at = At::start;
    At after = At::start;   // Next step after a request that another one follows.
    bool is_crowded = false, is_plain = false, counted = false, asleep = false;
    u8 asked = 0;           // The metadata operation that it has requested.
    bool queued = false;    // A queue starts it.
    i32 number = 0, job = 0;
    const Part* cpu = nullptr;
    const CpuKind::Spec* processor = nullptr;
    i64 instance = 0;       // Of the cpu.
    const Phase* phase = nullptr;  // Current phase.
    const Path* path = nullptr;
    i32 file = -1, last_file = -1;
    Bytes last_end{0};
    Nanoseconds called{0};   // Begin of its call.
    Bytes moved{0};          // Bytes of the phase.
    Restart* team = nullptr;  // If its job fails and goes on from its last checkpoint.
    i32 node = 0;
    i32 placed_file = -2;      // File and path of the places in `placed`.
    const Path* placed_path = nullptr;
    i32* placed = nullptr;
    Nanoseconds pending{0};  // Cpu time spent that the clock has not reached yet.
    // Fields used by operations of a list: the row, and the end of this part of it.
    i64 row = 0, row_end = 0;
    Bytes offset{0}, size{0};
    // Its program.
    i32 nodes = 1;
    const Phase* phases = nullptr;
    i32 phases_count = 0, phase_number = -1;
    i64* passes = nullptr;   // Number of passes of each phase.
    i64 pass = 0;            // Number of the current pass.
    i64 repeat = 1, round = 0;
    i32 until = -1, arrivals = -1;
    i64 arrival = 0;         // The number of the arrival that it serves.
    Nanoseconds round_began{0}, phase_began{0}, arrived{0};
    // Its counters.
    Nanoseconds started{0}, ended{-1}, computed{0}, idle{0};
    Window reads, writes;
    i32 read_file = -1, opened_file = -1;
    Nanoseconds opened{0};
    // Its named phase, the begin of that, and the bytes moved before.
    i32 named = -1;
    const CutRow* cut = nullptr;  // The next named phase in a list.
    Nanoseconds named_since{0};
    Bytes named_read{0}, named_written{0};
    Bytes memory{0}, first_memory{0};  // Memory held now, and from its start on.
    i32 group = 0, client = 0;
    // Members that share its data.
    const Tier* exchange = nullptr;
    std::span<const PlaceRule> exchange_places;
    i32 rank = 0, members = 0;  // `members`: the first row of their times; if it is queued, its node within its job.
    Bytes share{0};
    bool more_calls = false;
    Nanoseconds own{0};  // Of a call: its time before it leaves the node.
    // Files that its copier copies.
    i32 drains = 0, drains_count = 0;
    Waiters joiners;     // Actors waiting for its end.
    // With a team: phases of a round, those behind them that read the checkpoint back, and whether it is in these.
    i32 own_phases = 0, reading = 0;
    bool is_reading = false;
    // Of its requests that timed out.
    bool stops = false;
    i64 failed = 0;
    Nanoseconds failed_first{0}, failed_last{0};
    Bytes failed_read{0}, failed_written{0};

    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Process;
        FIELD(started), FIELD(ended), FIELD(computed), FIELD(idle), FIELD(round), FIELD(failed);
        FIELD(failed_first), FIELD(failed_last), FIELD(failed_read), FIELD(failed_written);
        FIELD(members);
    }
};

struct DrainedFile {
    i32 file;
    const Path* path;
    Bytes written{0};
};

// A phase of a job as the workload defines it: times and bytes of all its processes.
struct NamedPhase {
    Bytes memory;
    i64 passes = 0;
    Nanoseconds begin{-1}, end{-1};
    wide time = 0, read = 0, written = 0;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = NamedPhase;
        FIELD(passes), FIELD(begin), FIELD(end);
    }
};

// -- synchronisation
// ------------------------------------------------------------------------------------

struct Mark {
    bool passed = false;
    Waiters waiting;
};

struct Mutex {
    Actor* holder = nullptr;
    Queue waiting;
};

struct Barrier {
    i64 members = 0, come = 0;
    Waiters waiting;
};

// The processes of a job that fail together, and have completed the same rounds.
struct Restart : RestartRow {
    i32 row = 0;
    i64 come = 0, stopped = 0;               // Processes that have ended the round, or stopped.
    i64 rounds = 0, number = 0, in_vain = 0;  // Complete rounds; the next failure; those since the last complete round.
    Nanoseconds next{0}, since{0}, resume{0};  // Of the next failure; since when work would be lost; when it goes on.
    Waiters complete, stopping;
    i64 failures = 0;
    Nanoseconds lost{0}, down{0};
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = Restart;
        FIELD(failures), FIELD(lost), FIELD(down);
    }
};

struct Channel {
    const Tier* top = nullptr;
    std::span<const PlaceRule> places;
    i32 source = 0, target = 0;        // The processes that send and receive.
    i64 count = 0;                     // Messages that have arrived.
    Actor* waiting = nullptr;
};

struct Arrivals : ArrivalsRow {
    static constexpr i64 MOST_KEPT = 4'000'000;  // As in simulator/plan/jobs.py.
    static constexpr i64 NOT_ENDED = -1;
    i64 taken = 0;
    Nanoseconds last{0};
    std::vector<i64> took;  // The response time of each, in their order; empty above MOST_KEPT.

    // Arrivals from `before` on were skipped, in periods of `step`: each took as long as the one a
    // period earlier, as do those under way, which are written again when they end.
    void skipped(i64 before, i64 step) {
        const i64 end = std::min(taken, static_cast<i64>(took.size()));
        i64 first = std::min(before, end);
        while (first > step && took[static_cast<size_t>(first - 1)] == NOT_ENDED) --first;
        for (i64 number = std::max(first, step); number < end; ++number) {
            i64& time = took[static_cast<size_t>(number)];
            if (time == NOT_ENDED) time = took[static_cast<size_t>(number - step)];
        }
    }
};

// -- latencies -----------------------------------------------------------------------------------------

struct Histogram {
    static constexpr size_t BINS = 3648;
    i64 count = 0;
    wide sum = 0;
    Nanoseconds most{0}, least{0};
    i64 bins[BINS] = {};

    void add(Nanoseconds value) {
        least = count == 0 ? value : std::min(least, value);
        most = std::max(most, value);
        ++count;
        sum += value.count;
        ++bins[bin_of(static_cast<u64>(value.count))];
    }

    void add(const Histogram& other) {
        least = count == 0 ? other.least : std::min(least, other.least);
        most = std::max(most, other.most);
        count += other.count;
        sum += other.sum;
        for (size_t i = other.first(); i <= other.last(); ++i) bins[i] += other.bins[i];
    }

    // The bins of the least value and of the greatest.
    size_t first() const { return bin_of(static_cast<u64>(least.count)); }
    size_t last() const { return bin_of(static_cast<u64>(most.count)); }

    // As bin_of of simulator/result/latency.py: 64 bins for each power of two.
    static size_t bin_of(u64 value) {
        if (value < 128) return value;
        const int shift = 57 - __builtin_clzll(value);
        return (static_cast<size_t>(shift) << 6) + (value >> shift);
    }
};

// A recorded call of a process.
struct LoggedCall {
    i64 process, kind, file;
    Bytes offset, size;
    Nanoseconds begin, end;
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = LoggedCall;
        FIELD(process), FIELD(kind), FIELD(file), FIELD(offset), FIELD(size), FIELD(begin), FIELD(end);
    }
};

}  // namespace nwtsim
