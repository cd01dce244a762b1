// Stages, work and syncs on the path of requests; and timeouts of requests.
#pragma once

#include "simulator/native/packets.hpp"

namespace nwtsim {

class Stages : public Packets {
  public:
    using Packets::Packets;

    // Space for the claims of a stage, and for the shares of a striped transfer.
    void make_room(size_t holds, size_t pieces) {
        chosen_.resize(holds);
        shares_.resize(pieces);
    }

    // Nothing is left to do here: the request itself continues.
    static Step go_below(Frame* q) {
        q->tier = q->entry = q->tier->next();
        q->state = State::fresh;
        return GO;
    }

    // A request is at the end of its path: its written data are on stable storage.
    void reach(const Frame* q, const Tier* end) {
        if (q->op == Op::write && !layout.is_parity(*q, end)) count_stable(q, end, q->size());
    }
    void count_stable(const Frame* q, const Tier* end, Bytes size) {
        if (q->file < 0 || !end->stable || !size) return;
        File& file = layout.files[static_cast<size_t>(q->file)];
        file.stable = nwtsim::within(file.stable + size, Culprit::file, q->file);
        file.stable_last = clock.now;
    }

    // The end of a path: answer the request.
    [[gnu::noinline]] Step end(Actor* actor, Frame* q) {
        reach(q, q->tier);
        actors.answer(actor);
        return GO;
    }

    // Pass a stage: down with the data of a write, up with those of a read.
    Step stage(Actor* actor, Frame* q) {
        const Tier& tier = *q->tier;
        if (q->state == State::fresh) {
            if (tier.entry) {  // A store passes its entry itself.
                q->entry = &tier;
                q->tier = tier.entry;
                return GO;
            }
            q->state = State::down;
            Bytes size = load(q, tier, Op::write);
            if (is_asked(*q) && tier.header) size += layout.messages[static_cast<size_t>(FIRST_ASKED - q->file)];
            const Step time = way(actor, q, tier, true, size, q->low, q->high);
            if (time != GO) return time;
        }
        if (q->state == State::down) {
            if (q->op != Op::read && !tier.header) return go_below(q);
            q->state = State::below;
            const Tier* below = tier.next();
            if (below->kind != TierKind::end) {
                actors.part_of(actor, q, below, q->low, q->high);
                return GO;
            }
            reach(q, below);
        }
        if (q->state == State::below) {
            q->state = State::up;
            const Step time = way(actor, q, tier, false, load(q, tier, Op::read), q->low, q->high);
            if (time != GO) return time;
        }
        actors.answer(actor);
        return GO;
    }

    // Pass a stage in one direction with a message of `size` bytes; GO if nothing is passed. Its
    // data are [low, high) of the file. What does it is jumped to, with nothing saved.
    Step way(Actor* actor, Frame* q, const Tier& tier, bool down, Bytes size, Bytes low, Bytes high) {
        if (!size) return GO;
        if (size.count >= LIMIT) [[unlikely]] throw Parts::beyond(actor, true);
        const auto holds = down ? tier.down : tier.up;
        if (holds.empty()) return GO;
        const i32* ends = down ? tier.remote_down : tier.remote_up;
        if ((down ? tier.remote_only_down : tier.remote_only_up) && q->places[ends[0]] == q->places[ends[1]]) return GO;
        if (tier.is_guarded) [[unlikely]] return guarded_way(actor, q, tier, down, size, low, high);
        if (tier.packets) return depart(actor, q, holds, size, low, high);
        return pass(actor, q, tier, down, size, low, high);
    }

    // -- work, syncs -----------------------------------------------------------------------------

    // Make a request at a part, on the way down.
    Step work(Actor* actor, Frame* q) {
        if (q->state == State::down) return go_below(q);
        q->state = State::down;
        const Tier& tier = *q->tier;
        if (tier.costs && q->op == Op::meta && tier.costs[q->meta] >= 0)
            return fixed(actor, q, tier.down[0], {tier.costs[q->meta]});
        return route(actor, q, tier.down, q->size(), q->low, q->high);
    }

    // Make the request of a sync, or a change, at a part; others skip it.
    Step commit(Actor* actor, Frame* q) {
        if (q->state == State::down || !is_durable(*q)) return go_below(q);
        q->state = State::down;
        const Hold& hold = q->tier->down[0];
        const Part& part = *hold.part;
        if (part.serving != Serving::journal) return route(actor, q, q->tier->down, NO_BYTES, q->low, q->high);
        const i64 instance = Layout::instance(*q, hold);
        JournalKind::Memory& last = kinds.journal.memories[static_cast<size_t>(part.memory + part.member(instance))];
        const JournalKind::Spec& spec = kinds.journal.specs[static_cast<size_t>(part.spec)];
        return JournalKind::commit(parts, actor, part, instance, spec, last);
    }

    // Return whether a request is a sync, or changes metadata.
    static bool is_durable(const Frame& q) {
        return q.op == Op::sync || (q.op == Op::meta && ((CHANGING >> (q.meta % METADATA_KINDS)) & 1));
    }
    static constexpr int METADATA_KINDS = 11;       // open, create, close, stat, lookup, unlink, rename, mkdir,
    static constexpr u32 CHANGING = 0b10111100010;  // rmdir, readdir, setattr; a bit for each that changes the file system.

    // -- paths with a timeout --------------------------------------------------------------------

    // Serve a request at a tier, other than a stage, of a path with a timeout.
    Step guarded(Actor* actor, Frame* q) {
        if (q->tier == layout.hop) {
            const Frame* below = actors.before(q);
            be_patient(*below);
            const Step time = hop(actor, q);
            leave_hop(q);
            parts.give_up = Nanoseconds{-1};
            return time;
        }
        be_patient(*q);
        const Hold& hold = q->tier->down[0];
        const Step time = q->tier->kind == TierKind::work ? work(actor, q) : commit(actor, q);
        return see_failure(actor, q, hold.part, time);
    }

  protected:
    // Apply the request's timeout to failed parts from now on.
    void be_patient(const Frame& q) {
        parts.failed = false;
        parts.give_up = Nanoseconds{-1};
        if (!(q.how & WAITS)) parts.give_up = q.tier->path->give_up;
    }

    // Return the time at which a request continues that has passed parts until a time: if one
    // failed, it returns. A request of one part only does not wait until it would have begun there.
    Step see_failure(Actor* actor, Frame* q, const Part* part, Step time) {
        parts.give_up = Nanoseconds{-1};
        if (!parts.failed) return time;
        parts.failed = false;
        if (part) {
            const Nanoseconds more = parts.gave_up - time;
            parts.charge(actor, part->column, more, ZERO_NS);
            time += more;
        }
        actors.call(actor, layout.failed, q->op, q->file, NO_BYTES, NO_BYTES);
        return time;
    }

  private:
    // Return the bytes of the message in one direction, whose data are those of `op`.
    static Bytes load(const Frame* q, const Tier& tier, Op op) {
        return q->op == op ? tier.header + q->size() : tier.header;
    }

    [[gnu::always_inline]] Step pass(Actor* actor, Frame* q, const Tier& tier, bool down, Bytes size, Bytes low, Bytes high) {
        if (tier.pieces) return stripe_over(actor, q, tier, down, size, low, high);
        return route(actor, q, down ? tier.down : tier.up, size, low, high);
    }

    [[gnu::noinline]] Step stripe_over(Actor* actor, Frame* q, const Tier& tier, bool down, Bytes size, Bytes low,
                                       Bytes high) {
        const auto holds = down ? tier.down : tier.up;
        if (holds.size() == 1) return deal_one(actor, q, tier, holds[0], size, low, high);
        return deal(actor, q, tier, holds, size, low, high);
    }

    // Pass a stage in one direction, of a path with a timeout.
    Step guarded_way(Actor* actor, Frame* q, const Tier& tier, bool down, Bytes size, Bytes low, Bytes high) {
        const auto holds = down ? tier.down : tier.up;
        be_patient(*q);
        if (tier.packets) {
            const Step time = depart(actor, q, holds, size, low, high);
            if (actor->top != q) {
                actor->top->gives_up = true;
                leave_hop(actor->top);
            }
            parts.give_up = Nanoseconds{-1};
            return time;
        }
        const Step time = pass(actor, q, tier, down, size, low, high);
        bool whole = holds.size() == 1;
        if (whole && tier.pieces) whole = divide(size, tier.pieces, std::min(tier.pieces, tier.width)) == 1;
        return see_failure(actor, q, whole ? holds[0].part : nullptr, time);
    }

    // A message is under way to a part of a stage, or has failed.
    void leave_hop(Frame* hop) {
        if (parts.failed) hop->tier = layout.failed;
        parts.failed = false;
    }
};

}  // namespace nwtsim
