// Asked requests: all of a call at once, a branch for each, and their service by a buffer cache.
//
// A call is a frame of its process at a tier of its own (TierKind::ask), whose range is that of its
// rows; docs/composition.md, Asked requests.
#pragma once

#include "simulator/native/buffers.hpp"
#include "simulator/native/tiers.hpp"

namespace nwtsim {

class Asking {
  public:
    Asking(Tiers& tiers, Buffers& buffers, i32 merging_column)
        : tiers(tiers), buffers(buffers), actors(tiers.actors), parts(tiers.parts), clock(tiers.clock),
          merging_column_(merging_column) {}

    Tiers& tiers;
    Buffers& buffers;
    Actors& actors;
    Parts& parts;
    Clock& clock;
    std::vector<AskedRow> requests;

    // Merged requests: the members that have arrived.
    struct Merged : MergedRow {
        i64 come = 0;
        Waiters waiting;
    };
    std::vector<Merged> merged;

    // Send requests to nodes, and wait for the last reply.
    Step ask(Actor* actor, Frame* q) {
        if (q->state == State::forked) {
            actors.answer(actor);
            return GO;
        }
        q->state = State::forked;
        q->open = 0;
        const Path& path = tiers.layout.paths[static_cast<size_t>(q->places[1])];
        for (i64 row = q->low.count; row < q->high.count; ++row) {
            const AskedRow& one = requests[static_cast<size_t>(row)];
            Actor* branch = tiers.fork(actor, q, one.node);
            Frame* request = actors.call(branch, path.asked, q->op, static_cast<i32>(FIRST_ASKED - row), NO_BYTES, one.size);
            request->how = WAITS;
            Layout::place_two(*request, path.places, q->places[0], one.node);
        }
        return BLOCKED;
    }

    // Serve a request at its node.
    Step step(Actor* actor, Frame* q) {
        if (is_asked(*q)) return serve(actor, q);
        return q->op == Op::sync ? sync(actor, q) : call(actor, q);
    }

  private:
    const i32 merging_column_;
    static constexpr i64 NO_ASKER = -1;

    Unit& unit_of(const Frame* q) { return buffers.units[static_cast<size_t>(q->tier->row + q->places[q->tier->slot])]; }

    // Serve an asked request: the processor handles it, the cache finds or reads its blocks.
    Step serve(Actor* actor, Frame* q) {
        Unit& u = unit_of(q);
        const AskedRow& one = requests[static_cast<size_t>(FIRST_ASKED - q->file)];
        const bool write = q->op == Op::write, is_merged = one.group >= 0;
        Merged* group = is_merged ? &merged[static_cast<size_t>(one.group)] : nullptr;
        const i64 first = is_merged ? group->first : one.first, count = is_merged ? group->count : one.count;
        if (q->state == State::waiting) {
            parts.charge(actor, merging_column_, clock.now - q->since, ZERO_NS);
            actors.answer(actor);
            return GO;
        }
        if (q->state == State::fresh && is_merged) {
            q->state = State::looking;
            return work(actor, q, handling(actor, u, one.pieces));
        }
        if (q->state == State::fresh || q->state == State::looking) {
            if (is_merged && !gather(actor, q, *group)) return BLOCKED;
            q->state = State::fetching;
            await(q, buffers.access(u, first, count, write, is_merged ? NO_ASKER : actor->parent->index));
        }
        if (q->state == State::fetching) {
            const Step time = await_cache(actor, q, u);
            if (time != GO) return time;
            q->state = State::passing;
            if (is_merged) return work(actor, q, copying(q, u, group->more, group->size));
            return work(actor, q, copying(q, u, handling(actor, u, one.pieces), one.size));
        }
        if (write) buffers.written(u, first, count);
        if (is_merged) {  // The last member has served the request for all; wake the others.
            Waiters others{q->waiting};
            clock.wake_all(others);
        }
        actors.answer(actor);
        return GO;
    }

    // Serve a read or write of contiguous bytes on the member.
    Step call(Actor* actor, Frame* q) {
        Unit& u = unit_of(q);
        const Bytes base = tiers.layout.file_of(*q)->base, low = base + q->low, high = base + q->high;
        const bool write = q->op == Op::write;
        if (q->state == State::fresh) {
            q->state = State::fetching;
            await(q, buffers.move(u, low, high, write, process_of(actor)));
        }
        if (q->state == State::fetching) {
            const Step time = await_cache(actor, q, u);
            if (time != GO) return time;
            q->state = State::passing;
            const i64 pieces = (high - Bytes{1}) / u.block - low / u.block + 1;
            return work(actor, q, copying(q, u, handling(actor, u, pieces), high - low));
        }
        if (write) buffers.moved(u, low, high);
        actors.answer(actor);
        return GO;
    }

    // Write back a file's dirty bytes, and wait until they are durable.
    Step sync(Actor* actor, Frame* q) {
        Unit& u = unit_of(q);
        if (q->state == State::fresh) {
            q->state = State::looking;
            return work(actor, q, u.request_ns);
        }
        if (q->state == State::looking) {
            q->state = State::fetching;
            const File& file = *tiers.layout.file_of(*q);
            const i64 end = (file.base + file.room + u.block - Bytes{1}) / u.block;
            await(q, buffers.sync(u, file.base / u.block, end));
        }
        const Step time = await_cache(actor, q, u);
        if (time != GO) return time;
        actors.answer(actor);
        return GO;
    }

    // -- waiting for the cache -----------------------------------------------------------------------

    // Wait until a possibly unknown time, kept in the frame.
    static void await(Frame* q, const When& ready) {
        RaidUnits::refer(ready);
        q->since = ready.time;
        q->moment = ready.moment;
    }

    // Poll until that time is known; GO if nothing is left to wait for.
    Step await_cache(Actor* actor, Frame* q, Unit& u) {
        const When ready{q->since, q->moment};
        const Nanoseconds until = buffers.look(u, ready);
        if (until > clock.now) {
            parts.charge(actor, u.column, until - clock.now, ZERO_NS);
            return until;
        }
        buffers.drop(ready);
        return GO;
    }

    // Return the requesting process.
    static i64 process_of(const Actor* actor) {
        while (actor->role == Role::branch) actor = actor->parent;
        return actor->index;
    }

    // -- the node's processor ------------------------------------------------------------------------

    // Return its time for a request of a number of pieces, without its data.
    static Nanoseconds handling(const Actor* actor, const Unit& u, i64 pieces) {
        return Parts::within_actor(u.request_ns + Nanoseconds{product(pieces, u.piece_ns.count)}, actor);
    }

    // Return the same, including copying of data.
    static Nanoseconds copying(const Frame* q, const Unit& u, Nanoseconds service, Bytes size) {
        const Part& part = *q->tier->down[0].part;
        const Nanoseconds time = Parts::within_part(transfer_time(size, u.copy_rate), part);
        return Parts::within_part(service + Parts::within_part(u.copy_ns + time, part), part);
    }

    Step work(Actor* actor, Frame* q, Nanoseconds service) {
        const Hold& hold = q->tier->down[0];
        const i64 instance = Layout::instance(*q, hold);
        return parts.pass(actor, *hold.part, instance, NO_BYTES, parts.stretch(*hold.part, instance, service));
    }

    // Count a member of a group; returns whether all have arrived.
    bool gather(Actor* actor, Frame* q, Merged& group) {
        if (group.come + 1 < group.members) {
            ++group.come;
            group.waiting.join(actor);
            q->since = clock.now;
            q->state = State::waiting;
            return false;
        }
        q->waiting = group.waiting.first;
        group.come = 0;
        group.waiting = {};
        return true;
    }
};

}  // namespace nwtsim
