// Processes: phase after phase, round after round, arrival after arrival; and their copiers.
//
// `step` runs a process without a request under way.
#pragma once

#include "simulator/native/restarts.hpp"

namespace nwtsim {

class Programs : public Restarts {
  public:
    using Restarts::Restarts;

    std::vector<Arrivals> arrivals;
    std::vector<Nanoseconds> arrival_times;
    std::vector<Restart> restarts;
    std::vector<i64> exponential;   // Factors of mean 1, equally likely.
    std::vector<i64> certain;       // For each row of processes that repeat until others end: rounds that are certain.
    i64 awaited = 0;                // Processes that have not ended, and whose end others wait for to stop repeating.
    i64 first_copier = 0;

    // The process watched for repetition (repeats.hpp), the events from which it counts, and what
    // it has just begun again: the number of a loop, or its phases.
    static constexpr i32 NOT_TURNED = -2, A_ROUND = -1;
    i32 watched = -1, turned = NOT_TURNED;
    i64 watch_from = 0;

    Process& of(const Actor* actor) { return processes[static_cast<size_t>(actor->index)]; }

    Step step(Actor* actor) {
        Process& x = of(actor);
        Step time;
        if (x.at == At::moved && x.is_plain) {
            time = next_plain(actor, x);
            if (time >= ZERO_NS) return time;
            time = pump(actor, x);
        } else if (x.at == At::start) {
            return begin_phases(actor, x);
        } else if (x.at == At::queued) {
            return submit(x) ? begin_phases(actor, x) : BLOCKED;
        } else if (x.at == At::computed) {
            return next_phase(actor, x);
        } else if (x.at == At::stopped) {
            stopped(actor, x);
            end(actor, x);
            return BLOCKED;
        } else if (x.at >= At::completed) {
            return step_restarting(actor, x);
        } else {
            time = x.at >= At::listed ? step_listed(actor, x) : step_stream(actor, x);
        }
        return time == PHASE_OVER ? next_phase(actor, x) : time;
    }

    // Begin a process: schedule its start, or wait for the actor that starts it.
    void start(Actor* actor, const ProcessRow& row) {
        Process& x = of(actor);
        if (x.arrivals >= 0) {
            hold_from_start(x);
            x.at = At::arrived;
            const Nanoseconds time = next_arrival(actor, x);
            if (time < NEVER) clock.at(actor, time);
            else end(actor, x);
        } else if (row.born >= 0) {
            marks[static_cast<size_t>(row.born)].waiting.join(actor);
        } else if (!x.asleep) {
            clock.at(actor, row.start_ns);
        }
    }

    // A process's request, whose frame was `q`, has timed out: its call ends.
    Step fail(Actor* actor, const Frame* q) {
        Process& x = of(actor);
        if (!x.failed++) x.failed_first = clock.now;
        x.failed_last = clock.now;
        if (q->op == Op::read) x.failed_read += q->size();
        if (q->op == Op::write) x.failed_written += q->size();
        if (x.at == At::sync || x.at == At::answered) x.at = x.after;  // There is nothing to sync, or to learn.
        if (x.stops) {
            x.after = x.at;
            x.at = At::stopped;
        }
        return GO;
    }

    // Begin the next file of a copier; it ends if there is none.
    Step copy_next(Actor* copier) {
        const Process& x = of(copier);
        while (copier->worker < x.drains_count) {
            const DrainedFile& one = drained[static_cast<size_t>(x.drains + copier->worker++)];
            if (!one.written) continue;
            Frame* q = actors.call(copier, one.path->drain, Op::write, one.file, NO_BYTES, one.written);
            q->how = WAITS;
            layout.place(*q, one.path->places, x.node);
            return GO;
        }
        actors.give_back(copier);
        return BLOCKED;
    }

  private:
    void hold_from_start(Process& x) { hold_memory(x, x.first_memory); }

    Step begin_phases(Actor* actor, Process& x) {
        x.started = x.round_began = clock.now;
        hold_from_start(x);
        if (x.arrivals < 0) return next_phase(actor, x);
        x.at = At::arrived;
        const Nanoseconds time = next_arrival(actor, x);
        if (time < NEVER) return time;
        end(actor, x);
        return BLOCKED;
    }

    // Begin the next phase of a process, or end it.
    Step next_phase(Actor* actor, Process& x) {
        while (true) {
            clock.pulse.tick();
            if (has_failed(x)) [[unlikely]] return halt(actor, x);
            if (++x.phase_number >= x.phases_count) {
                if (x.team) {
                    if (!x.is_reading && (!complete(actor, x) || is_last(actor, x))) return BLOCKED;
                    begin_part(x, false);
                    continue;
                }
                x.phase_number = 0;
                ++x.round;
                const bool is_last = x.round >= x.repeat && !goes_on(x);
                if (is_last || !x.phases_count) return end_round(actor, x);
                turn(x, A_ROUND);
                if (x.until >= 0 && takes_no_time(x)) return block(x, At::endless);
            }
            const Phase& phase = x.phases[x.phase_number];
            if (phase.kind == PhaseKind::loop) {
                go_back(x, phase);
                continue;
            }
            x.phase = &phase;
            if (phase.named >= 0) begin_named(x, phase.named);
            if (phase.kind == PhaseKind::compute) return compute(actor, x, computing(x, phase), At::computed);
            const Step time = phase.kind == PhaseKind::operations ? begin_listed(actor, x) : begin_stream(actor, x);
            if (time != PHASE_OVER) return time;
        }
    }

    // Return for how long a process computes in a phase: at most until its job fails.
    Nanoseconds computing(const Process& x, const Phase& phase) const {
        return x.team ? std::min(phase.compute_ns, x.team->next - clock.now) : phase.compute_ns;
    }

    // Run a process that has waited for others of its job, at the end of a round or after a failure.
    Step step_restarting(Actor* actor, Process& x) {
        if (x.at == At::halted) return halted(actor, x);
        if (x.at == At::resumed) {
            resumed(actor, x);
        } else {
            parts.charge(actor, barrier_column, clock.now - x.called, ZERO_NS);
            if (has_failed(x)) return halt(actor, x);
            if (is_last(actor, x)) return BLOCKED;
            begin_part(x, false);
        }
        return next_phase(actor, x);
    }

    // At a complete round of the job: end a process, if that was the last.
    bool is_last(Actor* actor, Process& x) {
        if (x.team->rounds < x.repeat) return false;
        end(actor, x);
        return true;
    }

    // At the end of a loop: return to its first phase, unless it was the last pass.
    void go_back(Process& x, const Phase& loop) {
        i64& passes = x.passes[x.phase_number];
        if (++passes < loop.loops) {
            turn(x, x.phase_number);
            x.phase_number = static_cast<i32>(loop.first) - 1;
        } else {
            passes = 0;
        }
    }

    void turn(const Process& x, i32 what) {
        if (x.number == watched && clock.alarms >= watch_from) turned = what;
    }

    // Return whether no time has passed since the last round began; the next one begins now.
    bool takes_no_time(Process& x) {
        const Nanoseconds began = x.round_began;
        x.round_began = clock.now;
        return began == clock.now;
    }

    // Return whether a process that repeats until others end does another round.
    bool goes_on(const Process& x) {
        if (x.until < 0) return false;
        i64& rounds = certain[static_cast<size_t>(x.until)];
        if (awaited && rounds <= x.round) rounds = x.round + 1;
        return x.round < rounds;
    }

    // End a round: take the next job, or end the process.
    Step end_round(Actor* actor, Process& x) {
        if (x.arrivals >= 0) {
            end_named(x, clock.now);
            const Nanoseconds took = clock.now - x.arrived;
            count_latency(x, JOB, took);
            count_in(responses[static_cast<size_t>(x.job)], took);
            Arrivals& row = arrivals[static_cast<size_t>(x.arrivals)];
            if (!row.took.empty()) row.took[static_cast<size_t>(x.arrival)] = took.count;
            const Nanoseconds time = next_arrival(actor, x);
            if (time < NEVER) {
                x.at = At::arrived;
                turn(x, A_ROUND);
                return time;
            }
        }
        end(actor, x);
        return BLOCKED;
    }

    // End a process: wake those that wait for it, and begin its copier.
    void end(Actor* actor, Process& x) {
        x.ended = clock.now;
        end_named(x, clock.now);
        if (x.until < 0) --awaited;
        clock.wake_all(x.joiners);
        hold_memory(x, NO_BYTES);
        for (i32 i = 0; i < x.drains_count; ++i)
            if (drained[static_cast<size_t>(x.drains + i)].written) {
                Actor* copier = actors.take(Role::copier, x.number, first_copier + x.number);
                copier->worker = 0;
                clock.wake(copier);
                break;
            }
        if (x.queued) [[unlikely]] end_queued(actor, x);
    }

    // Take the next job of a row of arrivals; returns its begin, or NEVER for no more.
    Nanoseconds next_arrival(const Actor* actor, Process& x) {
        Arrivals& row = arrivals[static_cast<size_t>(x.arrivals)];
        if (row.taken == row.count) return NEVER;
        const i64 number = x.arrival = row.taken++;
        Nanoseconds time;
        switch (row.kind) {
            case Arriving::at_times: time = arrival_times[static_cast<size_t>(row.times + number)]; break;
            case Arriving::fixed: time = row.first_ns + Nanoseconds{product(number, row.gap_ns.count)}; break;
            default:
                time = row.last + stretched(row.gap_ns, exponential[pick(row.key, number + 1)]);
                row.last = time = Parts::within_actor(time, actor);
        }
        x.arrived = Parts::within_actor(time, actor);
        const Nanoseconds begin = std::max(clock.now, x.arrived);
        x.idle += begin - clock.now;
        return begin;
    }
};

}  // namespace nwtsim
