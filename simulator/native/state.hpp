// The state of a run on which its future depends, listed once.
//
// `visit_state` traverses it with a visitor, which either records it or compares it with a record
// (repeats.hpp); docs/decisions/0054 defines each kind of number:
//
// - same(x): it must be equal in both states;
// - sum(x): it only grows; wide(x): of more than 64 bits;
// - free(t): the time at which a server is free: past ones are equivalent;
// - since(t): it moves with the clock, or stays; last(t): a result without effect on the run;
// - actor(a): an actor, by its number; queue(q): the actors in it.
//
// State without effect on the run is left out: indexes of blocks, free lists, extremes. A struct
// that gets another member changes its size, which the assertions below detect.
#pragma once

#include "simulator/native/machine_state.hpp"

namespace nwtsim {

template <class Visitor>
class StateWalk : MachineWalk<Visitor> {
  public:
    StateWalk(Kernel& kernel, Visitor& visitor) : MachineWalk<Visitor>(kernel, visitor) {}

    void all() {
        actors();
        this->machine();
        files();
        processes();
        meeting_places();
        counts();
    }

  private:
    using Machine = MachineWalk<Visitor>;
    using Machine::k, Machine::v, Machine::queue, Machine::pointer;

    // -- actors and their requests ---------------------------------------------------------------------

    void actors() {
        std::vector<Actor*> all;
        k.actors.each([&](Actor* one) { all.push_back(one); });
        std::sort(all.begin(), all.end(), [](const Actor* a, const Actor* b) { return a->number < b->number; });
        v.same(static_cast<i64>(all.size()), "who is under way");
        v.actor(k.left_, "whose turn it is");
        for (Actor* one : all) actor(*one);
    }

    void actor(Actor& one) {
        static_assert(has_size<Actor>(104));
        v.same(one.number, "who is under way");
        v.same(one.is_set, "whether an actor waits");
        if (one.is_set) v.alarm(one.time);
        v.same(static_cast<i64>(one.role), "an actor");
        v.same(one.index, "an actor");
        pointer(one.store, "an actor");
        if (one.role == Role::worker || one.role == Role::copier) v.same(one.worker, "an actor");
        if (one.role == Role::branch) {
            v.actor(one.parent, "whose branch it is");
            v.same(reinterpret_cast<char*>(one.parent_frame) - reinterpret_cast<char*>(one.parent->bottom), "a branch");
        }
        for (int i = 0; i < k.actors.columns && (one.role == Role::process || one.role == Role::branch); ++i) {
            Account& account = one.account()[i];
            if (one.role == Role::branch) {
                v.same(account.waiting.count, "the account of a branch");
                v.same(account.service.count, "the account of a branch");
            } else {
                v.sum(account.waiting.count);
                v.sum(account.service.count);
            }
        }
        for (Frame* q = one.bottom; q <= one.top; q = k.actors.behind(q)) frame(*q);
        v.same(0, "how many requests there are");
    }

    void frame(Frame& q) {
        static_assert(has_size<Frame>(120));
        pointer(q.tier, "a request");
        pointer(q.entry, "a request");
        for (const Bytes size : {q.low, q.high, q.stop}) v.same(size.count, "a request");
        const i64 codes = static_cast<i64>(q.state) | static_cast<i64>(q.op) << 8 | i64{q.how} << 16 | i64{q.meta} << 24
                          | i64{q.step} << 32 | static_cast<i64>(q.turn) << 40 | static_cast<i64>(q.waits_for) << 48;
        v.same(codes, "a request");
        v.same(i64{q.asked} | i64{q.units} << 8 | i64{q.gives_up} << 16 | i64{q.column} << 32, "a request");
        if (q.tier->kind == TierKind::buffers) {  // Another actor, and a moment.
            if (q.moment) throw Differs{"what a RAID unit has not done yet"};
        } else {
            v.same(q.at.count, "a request");
            pointer(q.instance, "a request");
        }
        v.since(q.since);
        v.same(q.missed.count, "a request");
        for (const i32 number : {q.file, q.file_in_store, q.block, q.run, q.counted, q.open}) v.same(number, "a request");
        for (int place = 0; place < k.actors.places; ++place) v.same(q.places[place], "a request");
    }

    // -- files and processes ---------------------------------------------------------------------------

    void files() {
        for (File& file : k.layout.files) {
            v.same(file.end.count, "where a file ends");
            v.sum(file.stable.count);
            v.last(file.stable_last);
            v.same(file.stable_job, "who has written a file");
            file_steps.push_back(v.sum(file.version));
        }
        k.programs.each_known([&](const KnownKey& key, Known& known) {
            const bool is_fresh = known.version == k.layout.files[static_cast<size_t>(key.file)].version;
            v.same(is_fresh, "what a client knows");
            if (is_fresh) v.grows(known.version, file_steps[static_cast<size_t>(key.file)]);
            v.same(known.life.count, "for how long a client knows");
            v.free(known.until);
        });
    }
    std::vector<i64> file_steps;

    void processes() {
        static_assert(has_size<Process>(576) && has_size<Stream>(232));
        for (Process& x : k.programs.processes) {
            const char* what = "where a process is";
            v.same(static_cast<i64>(x.at) | static_cast<i64>(x.after) << 8 | i64{x.is_plain} << 16 | i64{x.counted} << 24
                       | i64{x.asleep} << 32 | i64{x.asked} << 40 | i64{x.more_calls} << 48, what);
            for (const i64 number : {i64{x.file}, i64{x.last_file}, x.last_end.count, x.pending.count, x.moved.count, x.row,
                                     x.row_end, x.offset.count, x.size.count, i64{x.phase_number}, i64{x.named}, x.memory.count,
                                     i64{x.rank}, x.share.count, x.own.count, i64{x.read_file}, i64{x.opened_file}, x.failed,
                                     x.started.count, x.ended.count})
                v.same(number, what);
            pointer(x.path, what);
            pointer(x.cut, what);
            for (Nanoseconds* time : {&x.called, &x.phase_began, &x.arrived, &x.named_since}) v.since(*time);
            v.free(x.round_began);
            v.last(x.opened);
            for (i64* sum : {&x.computed.count, &x.idle.count, &x.named_read.count, &x.named_written.count}) v.sum(*sum);
            for (Window* window : {&x.reads, &x.writes}) {
                for (i64* sum : {&window->bytes.count, &window->time.count, &window->beside.count}) v.sum(*sum);
                v.same(window->first.count, "when a process first read or wrote");
                v.last(window->last);
            }
            queue(x.joiners);
            v.bytes(&k.programs.streams[static_cast<size_t>(x.number)], sizeof(Stream), "a stream");
            progress(x);
        }
        v.same(k.programs.awaited, "how many others have not ended");
    }

    // Progress of a process in its repetition: one of these numbers may have grown.
    void progress(Process& x) {
        Programs& programs = k.programs;
        i64 grown = 0;
        const i64 step = v.sum(x.round);
        if (step) {
            ++grown;
            if (x.until < 0) {
                v.ends_after((x.repeat - 1 - x.round) / step);
            } else {
                i64& certain = programs.certain[static_cast<size_t>(x.until)];
                if (programs.awaited) v.grows(certain, step);
                else v.ends_after((certain - 1 - x.round) / step);
            }
        }
        for (i32 i = 0; i < x.phases_count; ++i) {
            const Phase& phase = x.phases[i];
            if (phase.kind == PhaseKind::loop) {
                const i64 more = v.sum(x.passes[i]);
                if (more) {
                    ++grown;
                    v.ends_after((phase.loops - 1 - x.passes[i]) / more);
                }
            } else if (phase.draw >= 0) {
                v.same(x.passes[i], "places that are drawn");
            }
        }
        if (x.arrivals >= 0) {
            Arrivals& row = programs.arrivals[static_cast<size_t>(x.arrivals)];
            const bool fixed = row.kind == Arriving::fixed;
            const i64 more = fixed ? v.arrivals(row.taken, row.gap_ns) : v.fixed(row.taken, "arrivals");
            if (fixed) v.arrivals(x.arrival, row.gap_ns);
            if (more) {
                ++grown;
                v.ends_after((row.count - row.taken) / more);
            }
        }
        if (grown > 1) throw Differs{"a process comes on in two ways"};
    }

    void meeting_places() {
        Programs& programs = k.programs;
        for (const Mark& mark : programs.marks) {
            v.same(mark.passed, "a mark");
            queue(mark.waiting);
        }
        for (const Mutex& mutex : programs.mutexes) {
            v.actor(mutex.holder, "who holds a lock");
            queue(mutex.waiting);
        }
        for (const Barrier& barrier : programs.barriers) {
            v.same(barrier.come, "who is at a barrier");
            queue(barrier.waiting);
        }
        for (const Channel& channel : programs.channels) {
            v.same(channel.count, "messages");
            v.actor(channel.waiting, "who waits for a message");
        }
        for (const DrainedFile& one : programs.drained) v.same(one.written.count, "what is drained");
        for (const auto& group : k.asking.merged) {
            v.same(group.come, "requests that are merged");
            queue(group.waiting);
        }
    }

    // Counters.
    void counts() {
        Programs& programs = k.programs;
        v.sum(k.clock.alarms);
        for (i64& calls : k.tiers.needless) v.sum(calls);
        for (Nanoseconds& time : programs.member_service) v.sum(time.count);
        for (NamedPhase& phase : programs.named) {
            v.sum(phase.passes);
            v.last(phase.end);
            for (wide* sum : {&phase.time, &phase.read, &phase.written}) v.wide_sum(*sum);
        }
        for (auto* all : {&programs.latencies, &programs.responses})
            for (auto& one : *all) {
                v.same(one != nullptr, "what was called");
                if (!one) continue;
                v.sum(one->count);
                v.wide_sum(one->sum);
                v.same(static_cast<i64>(one->first() << 32 | one->last()), "how long calls take");
                for (size_t bin = one->first(); bin <= one->last(); ++bin) v.sum(one->bins[bin]);
            }
    }
};

}  // namespace nwtsim
