// Processes whose job fails and goes on from its last checkpoint: docs/composition.md, "Restarts".
//
// As simulator/reference/restarts.py. A process looks whether its job has failed (Calls::has_failed)
// before each phase, each call and each listed operation.
#pragma once

#include "simulator/native/queued.hpp"

namespace nwtsim {

class Restarts : public Queued {
  public:
    using Queued::Queued;

    std::vector<i64> edges;          // Of equally likely intervals of an exponential time.
    std::vector<Nanoseconds> times;  // At which jobs fail.

    // Find the first failure of a job.
    void begin(Restart& team) const {
        team.next = team.since = team.start_ns;
        advance(team);
    }

  protected:
    // Begin the phases of a round, or those that read the checkpoint back.
    static void begin_part(Process& x, bool is_reading) {
        x.is_reading = is_reading;
        x.phase_number = (is_reading ? x.own_phases : 0) - 1;
        x.phases_count = x.own_phases + (is_reading ? x.reading : 0);
    }

    // End a round of a process; true if it goes on now.
    bool complete(Actor* actor, Process& x) {
        Restart& team = *x.team;
        if (++team.come < team.processes) {
            team.complete.join(actor);
            x.called = clock.now;
            x.at = At::completed;
            return false;
        }
        team.come = 0;
        ++team.rounds;
        team.since = clock.now;
        team.in_vain = 0;
        clock.wake_all(team.complete);
        return true;
    }

    // Stop a process of a job that has failed; returns the time at which it goes on, or BLOCKED.
    Step halt(Actor* actor, Process& x) {
        Restart& team = *x.team;
        if (team.named >= 0) begin_named(x, team.named);
        if (!team.stopped) break_off(team);
        if (++team.stopped < team.processes) {
            team.stopping.join(actor);
            x.called = clock.now;
            return block(x, At::halted);
        }
        team.stopped = 0;
        fail(team);
        clock.wake_all(team.stopping);
        return resume(x);
    }

    // All have stopped: wait until the job goes on.
    Step halted(Actor* actor, Process& x) {
        parts.charge(actor, barrier_column, clock.now - x.called, ZERO_NS);
        return resume(x);
    }

    // The job goes on: with the checkpoint, if there is one, which the memory of its nodes does not have.
    void resumed(Actor* actor, Process& x) {
        for (i32 number = 0; number < x.own_phases; ++number)
            if (x.phases[number].kind == PhaseKind::loop) x.passes[number] = 0;
        begin_part(x, x.team->rounds > 0);
        if (!x.is_reading) return;
        for (i32 number = x.own_phases; number < x.phases_count; ++number) forget(actor, x, x.phases[number]);
    }

  private:
    static constexpr i64 MOST_IN_VAIN = 1'000;

    // Drop the clean blocks that the store of a process's node has of the file of a phase.
    void forget(Actor* actor, Process& x, const Phase& phase) {
        if (phase.kind == PhaseKind::stream) {
            x.file = phase.file;
            x.path = phase.way;
        } else {
            if (phase.kind != PhaseKind::operations || operations.file[phase.first] < 0) return;
            x.file = operations.file[phase.first];
            const i32 way = operations.path[phase.first];
            x.path = way >= 0 ? &layout.paths[static_cast<size_t>(way)] : layout.files[static_cast<size_t>(x.file)].path;
        }
        const Tier* store = x.path->first_store;
        if (store && store->slot == 0) tell_store(actor, x, true);
    }

    void advance(Restart& team) const {
        ++team.number;
        if (team.mean_ns) team.next += exponential_gap(team.mean_ns, mix(team.key, team.number), edges);
        else team.next = team.number <= team.times_count ? times[static_cast<size_t>(team.times + team.number - 1)] : NEVER;
    }

    // Wake those that wait for others of the job, which do not come.
    void break_off(Restart& team) {
        team.come = 0;
        clock.wake_all(team.complete);
        for (i32 number = team.barriers; number < team.barriers + team.barriers_count; ++number) {
            Barrier& barrier = barriers[static_cast<size_t>(number)];
            barrier.come = 0;
            clock.wake_all(barrier.waiting);
        }
    }

    // Count the failure, and those before the job goes on; find when it does.
    void fail(Restart& team) {
        const Nanoseconds failed = team.next;
        Nanoseconds begin = clock.now;
        while (team.next < begin + team.delay_ns || team.next == failed) {
            begin = std::max(begin, team.next);
            advance(team);
            ++team.failures;
            if (++team.in_vain > MOST_IN_VAIN) throw LimitPassed{Culprit::restart, team.row, false};
        }
        team.lost += failed - team.since;
        team.since = team.resume = begin + team.delay_ns;
        team.down += team.resume - failed;
    }

    Step resume(Process& x) {
        x.idle += x.team->resume - clock.now;
        x.at = At::resumed;
        return x.team->resume;
    }
};

}  // namespace nwtsim
