// Processes of queues: they are submitted, woken when their job starts, and end it.
//
// Such a process has an actor only while it is under way, or submits its job; its account is kept.
#pragma once

#include "simulator/native/streaming.hpp"

namespace nwtsim {

class Queued : public Streaming {
  public:
    using Streaming::Streaming;

    std::vector<Account> accounts;  // Of processes that have ended, a row for each of the plan; or empty.

    // Set the actors that submit the first jobs, and those of the clocks.
    void begin_queues(i64 first_queue) {
        for (BatchQueue& queue : queues.queues) {
            queues.clocks.push_back(actors.take(Role::queue, queue.number, first_queue + queue.number));
            submit_next(queue);
        }
    }

    // The clock of a queue rings; returns its next time.
    Step ring(Actor* actor) {
        queues.ring(actor->index);
        wake(queues.queues[static_cast<size_t>(actor->index)]);
        if (!actor->is_set) return BLOCKED;
        --clock.alarms;  // It counts when it rings.
        return actor->time;
    }

    const Account* account_of(i32 process) const {
        const Actor* actor = actor_of[static_cast<size_t>(process)];
        return actor ? actor->account() : accounts.data() + process * actors.columns;
    }

  protected:
    // Submit the job of its first process; returns whether that starts now.
    bool submit(Process& x) {
        Batch& one = queues.of(x.number);
        BatchQueue& queue = queues.queue_of(one);
        submit_next(queue);
        queues.submit(one);
        acting_ = x.number;
        wake(queue);
        acting_ = -1;
        return x.at == At::start;
    }

    // End a process of a queue, and its actor.
    void end_queued(Actor* actor, const Process& x) {
        Batch& one = queues.of(x.number);
        const bool in_job = Queues::task_of(one, x.number) == Task::job;
        if (queues.end(x.number)) {
            if (in_job) start_all(one.stage_out, one.stage_out_count);
            wake(queues.queue_of(one));
        }
        if (!mutexes.empty()) return;  // It may hold a lock.
        std::copy_n(actor->account(), actors.columns, accounts.data() + x.number * actors.columns);
        actor_of[static_cast<size_t>(x.number)] = nullptr;
        actors.give_back(actor);
    }

  private:
    i32 acting_ = -1;  // The process at whose turn its job is submitted.

    // Set the actor that submits the next job of a queue.
    void submit_next(BatchQueue& queue) {
        if (queue.submitted == queue.to_submit.size()) return;
        const Batch& one = queue.job(queue.to_submit[queue.submitted++]);
        Actor* actor = new_actor(one.first);
        clock.at(actor, Parts::within_actor(one.submit_ns, actor));
    }

    Actor* new_actor(i32 process) {
        Actor* actor = actors.take(Role::process, process, process);
        actors.clear_account(actor);
        return actor_of[static_cast<size_t>(process)] = actor;
    }

    // Wake the processes that a look has found.
    void wake(BatchQueue& queue) {
        for (const i32 row : queue.started) {
            const Batch& one = queue.job(row);
            start_all(one.first, one.count);
        }
        for (const i32 row : queue.staged) {
            const Batch& one = queue.job(row);
            start_all(one.stage_in, one.stage_in_count);
        }
        queue.started.clear();
        queue.staged.clear();
    }

    void start_all(i32 first, i32 count) {
        for (i32 number = first; number < first + count; ++number) {
            clock.pulse.tick();
            Process& x = processes[static_cast<size_t>(number)];
            const i32 member = queues.member(number, x.members), moved = member - x.node;
            x.at = At::start;
            x.node = member;
            x.client += moved;
            if (x.cpu != &parts.reading.back()) x.instance += moved;
            Actor* actor = actor_of[static_cast<size_t>(number)];
            if (!actor) actor = new_actor(number);
            if (number != acting_) clock.wake(actor);
        }
    }
};

}  // namespace nwtsim
