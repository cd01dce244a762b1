// Stages: parts that a request holds at once, passes as packets, or deals its bytes out over.
//
// A function that lets a request act returns a Step: the time at which its actor goes on, or one of
// the others. See docs/composition.md, Requests and Packets.
#pragma once

#include "simulator/native/array.hpp"
#include "simulator/native/part_kinds.hpp"
#include "simulator/native/sharing.hpp"
#include "simulator/native/tier.hpp"

namespace nwtsim {

// What letting an actor act comes to: a time, or one of these below 0.
using Step = Nanoseconds;
constexpr Step GO{-1};       // Act again at once: the frame has moved on, was answered, or has begun one below.
constexpr Step BLOCKED{-2};  // Another actor wakes this one.

class Stages {
  public:
    Stages(Actors& actors, Parts& parts, Sharing& sharing, Arrays& arrays, PartKinds& kinds, Layout& layout)
        : actors(actors), parts(parts), sharing(sharing), arrays(arrays), kinds(kinds), layout(layout),
          clock(parts.clock) {}

    Actors& actors;
    Parts& parts;
    Sharing& sharing;
    Arrays& arrays;
    PartKinds& kinds;
    Layout& layout;
    Clock& clock;

    // Room for what a stage holds, and for the shares of a transfer that is dealt out.
    void make_room(size_t holds, size_t pieces) {
        chosen_.resize(holds);
        shares_.resize(pieces);
    }

    // Nothing is left to do here: the request itself goes on.
    static Step go_below(Frame* q) {
        q->tier = q->entry = q->tier->next();
        q->state = State::fresh;
        return GO;
    }

    // A request is at the end of its path: what it writes there is on stable storage.
    void reach(const Frame* q, const Tier* end) {
        if (q->op != Op::write || q->file < 0 || !end->stable || !q->size()) return;
        File& file = layout.files[static_cast<size_t>(q->file)];
        file.stable = nwtsim::within(file.stable + q->size(), Culprit::file, q->file);
        file.stable_last = clock.now;
    }

    // Pass a stage: down with the data of a write, up with those of a read.
    Step stage(Actor* actor, Frame* q) {
        const Tier& tier = *q->tier;
        if (q->state == State::fresh) {
            if (tier.entry) {  // A store takes its entry itself.
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

    // Pass a stage one way with a message of `size` bytes; GO if nothing is passed. Its data are
    // [low, high) of the file.
    Step way(Actor* actor, Frame* q, const Tier& tier, bool down, Bytes size, Bytes low, Bytes high) {
        if (!size) return GO;
        if (size.count >= LIMIT) [[unlikely]] throw Parts::beyond(actor, true);
        const auto holds = down ? tier.down : tier.up;
        if (holds.empty()) return GO;
        const i32* ends = down ? tier.remote_down : tier.remote_up;
        if ((down ? tier.remote_only_down : tier.remote_only_up) && q->places[ends[0]] == q->places[ends[1]]) return GO;
        if (tier.is_guarded) [[unlikely]] return guarded_way(actor, q, tier, holds, size, low, high);
        if (tier.packets) return depart(actor, q, holds, size, low, high);
        return pass(actor, q, tier, holds, size, low, high);
    }

    // -- parts held at once --------------------------------------------------------------------------

    // Hold several parts at once, from when all are free; returns when the slowest has ended. Waiting
    // is charged to the part that was free last, service to the slowest; while that has failed, it is
    // waiting for it.
    Step route(Actor* actor, Frame* q, std::span<const Hold> holds, Bytes size, Bytes low, Bytes high) {
        const Part& first = *holds[0].part;
        if (first.serving >= Serving::shared) return alone(actor, q, holds[0], size, low);
        if (holds.size() == 1) {
            const i64 instance = Layout::instance(*q, holds[0]);
            const Nanoseconds service = service_of(q, first, instance, size, low, high, 1);
            if (first.serving == Serving::core)
                return sharing.join_core(actor, first, instance, size, service) ? BLOCKED : clock.now;
            return parts.pass(actor, first, instance, size, service);
        }
        const Nanoseconds now = clock.now;
        Nanoseconds start = now;
        const Part* held = &first;
        for (size_t i = 0; i < holds.size(); ++i) {
            const Part& part = *holds[i].part;
            const i64 instance = Layout::instance(*q, holds[i]);
            Nanoseconds* server = parts.first_server(part, instance);
            chosen_[i] = {instance, server};
            held = *server > start ? &part : held;
            start = std::max(start, *server);
        }
        if (start > now) parts.charge(actor, held->column, start - now, ZERO_NS);
        Nanoseconds end = start, lost{0};
        const Part* slowest = &first;
        for (size_t i = 0; i < holds.size(); ++i) {
            const Part& part = *holds[i].part;
            const i64 instance = chosen_[i].instance;
            Nanoseconds service = Parts::plain(part, size);
            if (part.varies) service = varied(q, part, instance, start, size, service, low, high, 1);
            const Nanoseconds freed = parts.hold(part, instance, chosen_[i].server, start, size, service);
            slowest = freed > end ? &part : slowest;
            lost = freed > end ? parts.lost : lost;
            end = std::max(end, freed);
        }
        parts.charge(actor, slowest->column, lost, end - start - lost);
        return end;
    }

    // -- work, syncs -----------------------------------------------------------------------------------

    // Make a request at a part, on the way down.
    Step work(Actor* actor, Frame* q) {
        if (q->state == State::down) return go_below(q);
        q->state = State::down;
        const Tier& tier = *q->tier;
        if (tier.costs && q->op == Op::meta && tier.costs[q->meta] >= 0)
            return fixed(actor, q, tier.down[0], {tier.costs[q->meta]});
        return route(actor, q, tier.down, q->size(), q->low, q->high);
    }

    // Make the request of a sync, or a change, at a part; others pass it by.
    Step commit(Actor* actor, Frame* q) {
        if (q->state == State::down || !is_durable(*q)) return go_below(q);
        q->state = State::down;
        const Hold& hold = q->tier->down[0];
        const Part& part = *hold.part;
        if (part.serving != Serving::journal) return route(actor, q, q->tier->down, NO_BYTES, q->low, q->high);
        const i64 instance = Layout::instance(*q, hold);
        JournalKind::Memory& last = kinds.journal.memories[static_cast<size_t>(part.memory + part.member(instance))];
        return JournalKind::commit(parts, actor, part, instance, last);
    }

    // Whether a request is a sync, or changes metadata.
    static bool is_durable(const Frame& q) {
        return q.op == Op::sync || (q.op == Op::meta && ((CHANGING >> (q.meta % METADATA_KINDS)) & 1));
    }
    static constexpr int METADATA_KINDS = 11;       // open, create, close, stat, lookup, unlink, rename, mkdir,
    static constexpr u32 CHANGING = 0b10111100010;  // rmdir, readdir, setattr; a bit for those that change something.

    // -- packets -------------------------------------------------------------------------------------

    // Join the queue of a message's next part; returns when the first byte is at the one after. Of the
    // last part: when the last byte has passed all. `since` is when it has passed those so far,
    // `column` that of the part which this comes from, `missed` for how long that had failed.
    Step hop(Actor* actor, Frame* q) {
        const Hold& hold = *q->hold;
        const Part& part = *hold.part;
        const i64 instance = Layout::instance(*actors.before(q), hold);
        const Bytes size = q->message;
        const Nanoseconds service = service_of(q, part, instance, size, q->low, q->high, 1);
        const Nanoseconds end = parts.queue(part, instance, size, service);
        Nanoseconds start = parts.started, lost = parts.lost;
        if (parts.failed) [[unlikely]] {  // It does not come to those behind, but has passed those before.
            const Nanoseconds served = end - start - lost, back = std::max(parts.gave_up, q->since);
            parts.charge(actor, part.column, back - clock.now - served, served);
            return back;
        }
        if (lost) {  // It may begin later than it could have; what it misses then is waiting.
            lost -= parts.began - start;
            start = parts.began;
        }
        const Nanoseconds latency = hold.leads ? part.latency : ZERO_NS;
        if (end > q->since) {
            q->since = end;
            q->column = static_cast<i16>(part.column);
            q->missed = lost;
        }
        q->since = Parts::within_part(q->since + latency, part);
        if (q->hold++ != q->last_hold) {
            parts.charge(actor, part.column, start - clock.now, latency);
            return start + latency;
        }
        const Nanoseconds last = q->since;
        parts.charge(actor, part.column, start - clock.now, ZERO_NS);
        lost = std::min(q->missed, last - start);
        parts.charge(actor, q->column, lost, last - start - lost);
        actors.answer(actor);
        return last;
    }

    // -- paths that give up --------------------------------------------------------------------------

    // Let a request act at a tier, other than a stage, of a path whose calls give up.
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

    // A call of an array has read what it needs: queue what it writes.
    Step rewrite(Actor* actor, Frame* q) {
        const Hold& hold = *q->hold;
        const i64 instance = Layout::instance(*actors.before(q), hold);
        const Bytes low = q->low, size = q->size();
        const i64 reader = q->reader;
        actors.answer(actor);
        return arrays.rewrite(actor, *hold.part, instance, size, low, reader);
    }

  private:
    struct Chosen {
        i64 instance;
        Nanoseconds* server;
    };
    std::vector<Chosen> chosen_;  // The instances of a stage while it is entered.
    std::vector<Bytes> shares_;   // What each piece of a transfer has got, while it is dealt out.

    // Bytes of the message one way, whose data are those of `op`.
    static Bytes load(const Frame* q, const Tier& tier, Op op) {
        return q->op == op ? tier.header + q->size() : tier.header;
    }

    Step pass(Actor* actor, Frame* q, const Tier& tier, std::span<const Hold> holds, Bytes size, Bytes low,
              Bytes high) {
        if (!tier.pieces) return route(actor, q, holds, size, low, high);
        if (holds.size() == 1) return deal_one(actor, q, tier, holds[0], size, low, high);
        return deal(actor, q, tier, holds, size, low, high);
    }

    Nanoseconds service_of(Frame* q, const Part& part, i64 instance, Bytes size, Bytes low, Bytes high, i32 spread) {
        const Nanoseconds service = Parts::plain(part, size);
        if (!part.varies) return service;
        const Nanoseconds begin = part.hooked ? parts.start(part, instance) : ZERO_NS;
        return varied(q, part, instance, begin, size, service, low, high, spread);
    }

    // The service time of an instance's next request with what varies: its kind's own, and noise.
    Nanoseconds varied(Frame* q, const Part& part, i64 instance, Nanoseconds begin, Bytes size, Nanoseconds service,
                       Bytes low, Bytes high, i32 spread) {
        if (part.hooked) {
            const File* file = layout.file_of(*q);
            const Load load{begin, size, file ? file->base + low : low, high - low, file ? q->file : -1, spread};
            service = with_kind(kinds, part.kind, [&](auto kind, auto& table) {
                using Kind = decltype(kind);
                return Kind::serve(parts, part, instance, table.specs[static_cast<size_t>(part.spec)],
                                   table.memories[static_cast<size_t>(part.memory + part.member(instance))], load,
                                   service);
            });
        }
        return parts.stretch(part, instance, service);
    }

    // Make a request of 0 bytes at a part that takes a given time; returns when it ends.
    Step fixed(Actor* actor, Frame* q, const Hold& hold, Nanoseconds service) {
        const Part& part = *hold.part;
        const i64 instance = Layout::instance(*q, hold);
        if (part.serving == Serving::shared) {
            sharing.join(actor, part, instance, NO_BYTES, service);
            return BLOCKED;
        }
        if (part.hooked) {
            const Nanoseconds begin = parts.start(part, instance);
            service = with_kind(kinds, part.kind, [&](auto kind, auto& table) {
                using Kind = decltype(kind);
                return Kind::spend(parts, part, instance, table.specs[static_cast<size_t>(part.spec)],
                                   table.memories[static_cast<size_t>(part.memory + part.member(instance))], begin,
                                   service);
            });
        }
        service = parts.stretch(part, instance, service);
        if (part.serving == Serving::core)
            return sharing.join_core(actor, part, instance, NO_BYTES, service) ? BLOCKED : clock.now;
        return parts.pass(actor, part, instance, NO_BYTES, service);
    }

    // Make a request at a part that stands alone: shared, or an array of disks.
    Step alone(Actor* actor, Frame* q, const Hold& hold, Bytes size, Bytes low) {
        const Part& part = *hold.part;
        const i64 instance = Layout::instance(*q, hold);
        if (part.serving == Serving::shared) {
            sharing.join(actor, part, instance, size, Parts::plain(part, size));
            return BLOCKED;
        }
        if (const File* file = layout.file_of(*q)) low += file->base;
        const Arrays::Passed passed = arrays.request(actor, part, instance, size, low);
        if (passed.reader) {  // A frame on top of the request's own is there until it writes.
            Frame* top = actors.call(actor, layout.rewrite, Op::write, q->file, low, low + size);
            top->hold = &hold;
            top->reader = passed.reader;
        }
        return passed.end;
    }

    // -- pieces --------------------------------------------------------------------------------------

    // The first of the members over which a transfer is dealt out.
    static i64 base(const Frame* q, const Tier& tier) {
        return tier.within < 0 ? 0 : i64{q->places[tier.within]} * tier.width;
    }

    // The instance that serves a piece: that of its member, or the one of all pieces.
    static i64 dealt(const Frame* q, const Tier& tier, const Hold& hold, i64 member) {
        return hold.slot == tier.slot ? hold.part->first + member : Layout::instance(*q, hold);
    }

    // Deal a transfer out over the members of a place; returns when the last piece has ended. Time is
    // charged to the piece that ends last (the first of several).
    Step deal(Actor* actor, Frame* q, const Tier& tier, std::span<const Hold> holds, Bytes size, Bytes low,
              Bytes high) {
        const i32 volumes = tier.width, used = std::min(tier.pieces, volumes);
        const i32 spread = divide(size, tier.pieces, used);
        const i32 lead = layout.number(*q, tier) % volumes;
        const i64 first = base(q, tier);
        const Nanoseconds now = clock.now;
        Piece last{now, now, ZERO_NS, holds[0].part, holds[0].part};
        for (i32 volume = 0; volume < used; ++volume) {
            const Bytes share = shares_[static_cast<size_t>(volume)];
            if (!share) continue;
            const Piece one = piece(q, tier, holds, first + (lead + volume) % volumes, share, low, high, spread);
            if (one.end > last.end) last = one;
        }
        parts.charge(actor, last.held->column, last.start - now, ZERO_NS);
        parts.charge(actor, last.slowest->column, last.lost, last.end - last.start - last.lost);
        return last.end;
    }

    struct Piece {
        Nanoseconds start, end, lost;
        const Part *held, *slowest;
    };

    // Hold the parts of a stage for one piece of a transfer.
    Piece piece(Frame* q, const Tier& tier, std::span<const Hold> holds, i64 member, Bytes size, Bytes low, Bytes high,
                i32 spread) {
        Nanoseconds start = clock.now;
        const Part* held = holds[0].part;
        for (const Hold& hold : holds) {
            const Nanoseconds free = *parts.first_server(*hold.part, dealt(q, tier, hold, member));
            if (free > start) {
                start = free;
                held = hold.part;
            }
        }
        Piece made{start, start, ZERO_NS, held, holds[0].part};
        for (const Hold& hold : holds) {
            const Part& part = *hold.part;
            const i64 instance = dealt(q, tier, hold, member);
            Nanoseconds service = Parts::plain(part, size);
            if (part.varies) service = varied(q, part, instance, start, size, service, low, high, spread);
            const Nanoseconds freed = parts.hold(part, instance, parts.first_server(part, instance), start, size, service);
            if (freed > made.end) {
                made.end = freed;
                made.slowest = &part;
                made.lost = parts.lost;
            }
        }
        return made;
    }

    // Deal a transfer out, of which one part's instances serve the pieces.
    Step deal_one(Actor* actor, Frame* q, const Tier& tier, const Hold& hold, Bytes size, Bytes low, Bytes high) {
        const Part& part = *hold.part;
        const i32 volumes = tier.width, stripes = tier.pieces, used = std::min(stripes, volumes);
        const i32 lead = layout.number(*q, tier) % volumes;
        i64 instance = dealt(q, tier, hold, base(q, tier) + lead);
        const bool steps = hold.slot == tier.slot;
        const i64 beyond = steps ? instance - lead + volumes : -1;
        const Bytes quotient = size / i64{stripes};
        const i64 remainder = size.count - quotient.count * stripes;
        const bool several = used < stripes || !quotient;  // Pieces of one volume travel together.
        const Nanoseconds one = Parts::plain(part, quotient);
        const Nanoseconds other = remainder ? Parts::plain(part, quotient + Bytes{1}) : one;
        if (!several && !part.varies && !parts.watched && part.servers > 1 && !steps && (one.count | other.count) >> 40 == 0)
            return over_servers(actor, part, instance, size, stripes, one, other);
        const i32 spread = several ? divide(size, stripes, used) : used;
        const Nanoseconds now = clock.now;
        Nanoseconds begin = now, end = now;
        i64 carried = 0;
        for (i32 volume = 0; volume < used; ++volume) {
            Bytes share = quotient;
            Nanoseconds service = one;
            carried += remainder;
            if (carried >= stripes) {
                carried -= stripes;
                share += Bytes{1};
                service = other;
            }
            if (several) {
                share = shares_[static_cast<size_t>(volume)];
                service = Parts::plain(part, share);
            }
            if (share) {
                if (part.varies)
                    service = varied(q, part, instance, part.hooked ? parts.start(part, instance) : ZERO_NS, share,
                                     service, low, high, spread);
                const Nanoseconds done = parts.queue(part, instance, share, service);
                const Nanoseconds started = parts.started + parts.lost;
                begin = done > end ? started : begin;
                end = std::max(end, done);
            }
            instance += steps;
            if (instance == beyond) instance -= volumes;
        }
        parts.charge(actor, part.column, begin - now, end - begin);
        return end;
    }

    // Deal a transfer out, a piece each, over the servers of an instance, which is booked once for all.
    // Nothing varies: a piece takes `one`, or with a byte more the `other` time.
    Step over_servers(Actor* actor, const Part& part, i64 instance, Bytes size, i32 pieces, Nanoseconds one,
                      Nanoseconds other) {
        const i64 remainder = size.count % pieces;
        const Nanoseconds now = clock.now;
        Nanoseconds begin = now, end = now, spent{0};
        i64 carried = 0;
        for (i32 i = 0; i < pieces; ++i) {
            Nanoseconds service = one;
            carried += remainder;
            if (carried >= pieces) {
                carried -= pieces;
                service = other;
            }
            Nanoseconds* server = parts.first_server(part, instance);
            const Nanoseconds start = std::max(now, *server);
            const Nanoseconds done = Parts::within_part(start + service, part);
            *server = done;
            spent += service;
            begin = done > end ? start : begin;
            end = std::max(end, done);
        }
        parts.at(instance).requests += pieces;
        parts.book(part, instance, size, spent);
        parts.charge(actor, part.column, begin - now, end - begin);
        return end;
    }

    // Divide a transfer into shares; returns how many get any. Stripe i gets size*(i+1)//stripes -
    // size*i//stripes bytes: the whole quotient, and one more whenever the remainders have added up to
    // another whole.
    i32 divide(Bytes size, i32 stripes, i32 used) {
        if (used == 1) {
            shares_[0] = size;
            return 1;
        }
        const Bytes quotient = size / i64{stripes};
        const i64 remainder = size.count - quotient.count * stripes;
        std::fill_n(shares_.begin(), used, NO_BYTES);
        i64 carried = 0;
        for (i32 stripe = 0, volume = 0; stripe < stripes; ++stripe) {
            carried += remainder;
            const bool more = carried >= stripes;
            carried -= more ? stripes : 0;
            shares_[static_cast<size_t>(volume)] += quotient + Bytes{more};
            volume = volume + 1 == used ? 0 : volume + 1;
        }
        return static_cast<i32>(std::count_if(shares_.begin(), shares_.begin() + used, [](Bytes b) { return !!b; }));
    }

    // -- packets, giving up --------------------------------------------------------------------------

    // Let a message begin to pass parts one after the other. A frame on top of the request's own is on
    // the way until the last part is joined.
    Step depart(Actor* actor, Frame* q, std::span<const Hold> holds, Bytes size, Bytes low, Bytes high) {
        Frame* hop = actors.call(actor, layout.hop, q->op, q->file, low, high);
        hop->hold = &holds.front();
        hop->last_hold = &holds.back();
        hop->message = size;
        hop->since = Nanoseconds{-1};
        hop->missed = ZERO_NS;
        hop->column = -1;
        hop->gives_up = false;
        return this->hop(actor, hop);
    }

    // Pass a stage one way, of a path whose calls give up.
    Step guarded_way(Actor* actor, Frame* q, const Tier& tier, std::span<const Hold> holds, Bytes size, Bytes low,
                     Bytes high) {
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
        const Step time = pass(actor, q, tier, holds, size, low, high);
        bool whole = holds.size() == 1;
        if (whole && tier.pieces) whole = divide(size, tier.pieces, std::min(tier.pieces, tier.width)) == 1;
        return see_failure(actor, q, whole ? holds[0].part : nullptr, time);
    }

    // Let what follows wait for parts that have failed as long as the request does.
    void be_patient(const Frame& q) {
        parts.failed = false;
        parts.give_up = Nanoseconds{-1};
        if (!(q.how & WAITS)) parts.give_up = q.tier->path->give_up;
    }

    // A message is on its way to a part of a stage, or has failed.
    void leave_hop(Frame* hop) {
        if (parts.failed) hop->tier = layout.failed;
        parts.failed = false;
    }

    // Return when a request goes on that has passed parts until a time: if one failed, back. One that
    // needs one part only does not wait until it would have begun there.
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
};

}  // namespace nwtsim
