// Tiers other than stages, stores and locks: pools, cuts, stripes; and branches of requests.
#pragma once

#include "simulator/native/coding.hpp"
#include "simulator/native/stage.hpp"

namespace nwtsim {

class Tiers : public Stages {
  public:
    using Stages::Stages;

    // Held servers of a pool's instance, and actors that wait for one.
    struct Pool {
        i32 kept = 0;
        Queue waiting;
    };
    std::vector<Pool> pools;
    std::vector<i64> needless;  // Of each tier: calls that it cut and that would have been one request elsewhere.
    i64 first_branch = 0, width = 1;  // Branch i of actor a has number first_branch + a * width + i.

    // End a sync or a change here; others continue.
    Step export_(Actor* actor, Frame* q) {
        if (!is_durable(*q)) return go_below(q);
        actors.answer(actor);
        return GO;
    }

    // Ask another question of the tiers below before a metadata operation.
    Step before(Actor* actor, Frame* q) {
        const i64 kind = q->op == Op::meta ? q->tier->costs[q->meta] : -1;
        if (kind < 0 || q->state == State::below) return go_below(q);
        q->state = State::below;
        actors.part_of(actor, q, q->tier->next(), q->low, q->high)->meta = static_cast<u16>(kind);
        return GO;
    }

    // Hold a server of a pool from here until the reply.
    Step hold(Actor* actor, Frame* q) {
        const Hold& hold = q->tier->down[0];
        const Part& part = *hold.part;
        Pool& pool = pool_of(*q, hold);
        if (q->state == State::below) {
            hand_over(q);
            actors.answer(actor);
            return GO;
        }
        if (q->state == State::fresh) {
            q->since = clock.now;
            if (pool.kept == part.servers) {
                q->state = State::waiting;
                pool.waiting.join(actor);
                return BLOCKED;
            }
            ++pool.kept;
        } else {
            parts.charge(actor, part.column, clock.now - q->since, ZERO_NS);
            q->since = clock.now;
        }
        q->state = State::below;
        actors.part_of(actor, q, q->tier->next(), q->low, q->high);
        return GO;
    }

    // Hand a request's server to the first that waits for it, or back to the pool.
    void hand_over(const Frame* q) {
        const Hold& hold = q->tier->down[0];
        const Part& part = *hold.part;
        const i64 instance = Layout::instance(*q, hold);
        const Nanoseconds kept = clock.now - q->since;
        ++parts.at(instance).requests;
        parts.book(part, instance, q->size(), kept);
        if (parts.timing) parts.note(instance, q->since, kept, q->size());
        Pool& pool = pool_of(*q, hold);
        if (pool.waiting.empty()) --pool.kept;
        else clock.wake(pool.waiting.leave());
    }

    // Cut a request at a size; a window of the pieces is outstanding.
    Step request(Actor* actor, Frame* q) {
        const Tier& tier = *q->tier;
        if (q->state == State::forked) {
            actors.answer(actor);
            return GO;
        }
        if (q->state == State::fresh) {
            if (q->op >= Op::sync || q->high <= cut(tier, q->low)) return go_below(q);
            if (q->size() <= tier.size && q->how & OF_CALL) ++needless[static_cast<size_t>(&tier - layout.tiers.data())];
            q->at = q->low;
            if (tier.window > 1) return open_window(actor, q);
            q->state = State::below;
        }
        if (q->at >= q->high) actors.answer(actor);
        else next_piece(actor, q);
        return GO;
    }

    // Decide a place by another one.
    Step forward(Frame* q) {
        layout.forward(*q);
        return go_below(q);
    }

    // Divide a request over the members of its units.
    Step stripe(Actor* actor, Frame* q) {
        const Tier& tier = *q->tier;
        if (q->state == State::forked) {
            if (tier.parity && q->op == Op::write) count_stable(q, tier.coded_end, q->at);
            actors.answer(actor);
            return GO;
        }
        std::vector<bool> lost;
        if (tier.parity) [[unlikely]] {
            if (q->op == Op::write || q->state != State::fresh) return write_code(actor, q);
            lost = lost_of(*q, tier);
            if (q->op == Op::read && !lost.empty() && decode(actor, q, lost)) return q->open ? BLOCKED : GO;
        }
        const Bytes unit = tier.size, low = q->low, high = q->high;
        const i64 first = low / unit, last = std::max(low, high - Bytes{1}) / unit;
        const bool sync = q->op == Op::sync;
        const i32 columns = tier.columns;
        if (tier.width == 1 || ((columns == 1 || first == last) && !sync)) {
            const i32 index = static_cast<i32>(first % columns);
            layout.decide(*q, tier, layout.target(*q, tier, tier.position(index)));
            q->low = part_below(low, unit, columns, index);
            q->high = q->low + (high - low);
            return go_below(q);
        }
        q->state = State::forked;
        q->open = 0;
        for (i32 index = 0; index < (sync ? tier.width : columns); ++index) {
            const Bytes begin = part_below(low, unit, columns, index), end = part_below(high, unit, columns, index);
            if (sync ? !lost.empty() && lost[static_cast<size_t>(index)] : end <= begin) continue;
            send(actor, q, sync ? index : tier.position(index), sync ? Extent{low, high} : Extent{begin, end});
        }
        return BLOCKED;
    }

    // -- branches ------------------------------------------------------------------------------------

    // Begin a branch of a request; it acts now, at its own turn.
    Actor* fork(Actor* actor, Frame* q, i32 index) {
        Actor* branch = actors.take(Role::branch, index, first_branch + actor->number * width + index);
        branch->parent = actor;
        branch->parent_frame = q;
        ++q->open;
        actors.clear_account(branch);
        clock.wake(branch);
        return branch;
    }

    // A branch has been answered: it takes another piece, or ends.
    Step end_branch(Actor* branch) {
        Frame* q = branch->parent_frame;
        if (q->tier->kind == TierKind::request && q->at < q->high) {
            next_piece(branch, q);
            return GO;
        }
        if (!--q->open) {  // It is the last: its time is that of the request.
            parts.add_account(branch->parent, branch, actors.columns);
            clock.wake(branch->parent);
        }
        actors.give_back(branch);
        return BLOCKED;
    }

    // A branch has timed out; so will its parent, once the others have ended.
    Step fail_branch(Actor* branch) {
        Frame* q = branch->parent_frame;
        if (q->tier->kind == TierKind::request) q->at = q->high;  // No branch takes another piece.
        if (branch->parent->top == q)  // It is the first.
            actors.call(branch->parent, layout.failed, q->op, -1, NO_BYTES, NO_BYTES);
        return end_branch(branch);
    }

  private:
    // -- erasure codes -------------------------------------------------------------------------------

    // Return the positions of a code that are away, of groups whose others hold all data; or none.
    std::vector<bool> lost_of(const Frame& q, const Tier& tier) {
        if (!parts.calendars.any()) return {};
        std::vector<bool> lost(static_cast<size_t>(tier.width));
        bool any = false;
        const i32 members = tier.data + tier.parity;
        for (i32 first = 0; first < tier.width; first += members) {
            i32 away = 0;
            for (i32 position = first; position < first + members; ++position)
                away += lost[static_cast<size_t>(position)] = is_away(tier, layout.target(q, tier, position));
            if (away > tier.parity) std::fill_n(lost.begin() + first, members, false);
            else any |= away > 0;
        }
        return any ? lost : std::vector<bool>{};
    }

    bool is_away(const Tier& tier, i32 member) {
        for (const Passed& one : tier.passed) {
            const i64 instance = one.first + member / one.each;
            if (parts.calendars.has(instance) && parts.calendars.next(instance, clock.now, false) != clock.now) return true;
        }
        return false;
    }

    // Send bytes of a position to its member, as a branch; `again`: of a second row of a code.
    void send(Actor* actor, Frame* q, i32 position, Extent span, bool again = false, Op op = Op::meta) {
        const Tier& tier = *q->tier;
        const i32 member = layout.target(*q, tier, position);
        Actor* branch = fork(actor, q, member + (again ? tier.count : 0));
        Frame* part = actors.part_of(branch, q, tier.next(), span.low, span.high);
        if (op != Op::meta) part->op = op;
        layout.decide(*part, tier, member);
    }

    void send_all(Actor* actor, Frame* q, Extents& spans, Op op, bool again = false) {
        for (i32 position = 0; position < q->tier->width; ++position)
            if (spans.of(position).size()) send(actor, q, position, spans.of(position), again, op);
    }

    // Compute the code of as many bytes as the request has noted; then it is in a state.
    Step compute(Actor* actor, Frame* q, State after) {
        q->state = after;
        const Tier& tier = *q->tier;
        if (tier.down.empty()) return GO;
        if (!tier.is_guarded) return route(actor, q, tier.down, q->at, q->low, q->high);
        be_patient(*q);
        const Part* part = tier.down[0].part;
        return see_failure(actor, q, part, route(actor, q, tier.down, q->at, q->low, q->high));
    }

    // Read what decodes bytes that are away; returns whether there are any.
    bool decode(Actor* actor, Frame* q, const std::vector<bool>& lost) {
        Bytes decoded{0};
        Extents spans = Coding(*q->tier, layout.file_of(*q)->end, lost).reads(q->low, q->high, decoded);
        if (!decoded) return false;
        q->at = decoded;
        q->open = 0;
        q->state = State::up;
        send_all(actor, q, spans, Op::read);
        return true;
    }

    // Read what the parity needs, compute it, and write; or compute what was away.
    Step write_code(Actor* actor, Frame* q) {
        if (q->state == State::up) return compute(actor, q, State::forked);
        const Tier& tier = *q->tier;
        const std::vector<bool> lost = lost_of(*q, tier);
        File& file = *layout.file_of(*q);
        if (q->state == State::fresh) {
            const Coding coding(tier, file.end, lost);
            const i64 first = q->low / coding.row_size(), last = (q->high - Bytes{1}) / coding.row_size();
            Extents one = coding.before(first, q->low, q->high), other = coding.before(last, q->low, q->high);
            if (first == last) other = Extents(tier.width);
            file.end = std::max(file.end, q->high);
            q->at = q->size() + one.total() + other.total();
            q->open = 0;
            q->state = State::down;
            send_all(actor, q, one, Op::read);
            send_all(actor, q, other, Op::read, true);
            if (q->open) return BLOCKED;
        }
        if (q->state == State::down) {
            const Step time = compute(actor, q, State::passing);
            if (time != GO) return time;
        }
        q->state = State::forked;
        q->open = 0;
        const Coding coding(tier, file.end, lost);
        Extents spans = coding.writes(q->low, q->high);
        q->at = coding.lost_data(q->low, q->high);  // The others hold it.
        send_all(actor, q, spans, Op::write);
        return BLOCKED;
    }

    Pool& pool_of(const Frame& q, const Hold& hold) {
        return pools[static_cast<size_t>(hold.part->own + q.places[hold.slot])];
    }

    // Return the end of a piece that begins at `low`.
    static Bytes cut(const Tier& tier, Bytes low) {
        return tier.aligned ? tier.size * (low / tier.size + 1) : low + tier.size;
    }

    // Assign the next piece of a request to an actor.
    void next_piece(Actor* actor, Frame* q) {
        const Bytes low = q->at, high = std::min(q->high, cut(*q->tier, low));
        q->at = high;
        actors.part_of(actor, q, q->tier->next(), low, high);
    }

    // Fork a request into branches that take its pieces in turn.
    Step open_window(Actor* actor, Frame* q) {
        q->state = State::forked;
        q->open = 0;
        while (q->open < q->tier->window && q->at < q->high) next_piece(fork(actor, q, q->open), q);
        return BLOCKED;
    }
};

}  // namespace nwtsim
