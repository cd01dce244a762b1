// Transfers that are striped over the members of a place, in pieces.
#pragma once

#include "simulator/native/holding.hpp"

namespace nwtsim {

class Pieces : public Holding {
  public:
    using Holding::Holding;

    // Stripe a transfer over the members of a place; returns the end of the last piece. Time is
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

    // Stripe a transfer over the instances of one part.
    Step deal_one(Actor* actor, Frame* q, const Tier& tier, const Hold& hold, Bytes size, Bytes low, Bytes high) {
        const Part& part = *hold.part;
        const i32 volumes = tier.width, stripes = tier.pieces, used = std::min(stripes, volumes);
        const i32 lead = layout.number(*q, tier) % volumes;
        i64 instance = dealt(q, tier, hold, base(q, tier) + lead);
        const bool steps = hold.slot == tier.slot;
        const i64 beyond = steps ? instance - lead + volumes : -1;
        const Bytes quotient = size / i64{stripes};
        const i64 remainder = size.count - quotient.count * stripes;
        const bool several = used < stripes || !quotient;  // Pieces of one volume are one request.
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

    // Divide a transfer into shares; returns the number of nonzero ones. Stripe i gets
    // size*(i+1)//stripes - size*i//stripes bytes: the whole quotient, and one more whenever the
    // remainders have added up to another whole.
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
  protected:
    std::vector<Bytes> shares_;  // Bytes of each share of a transfer.

  private:
    // Return the first of the members over which a transfer is striped.
    static i64 base(const Frame* q, const Tier& tier) {
        return tier.within < 0 ? 0 : i64{q->places[tier.within]} * tier.width;
    }

    // Return the instance that serves a piece: that of its member, or the common one.
    static i64 dealt(const Frame* q, const Tier& tier, const Hold& hold, i64 member) {
        return hold.slot == tier.slot ? hold.part->first + member : Layout::instance(*q, hold);
    }

    struct Piece {
        Nanoseconds start, end, lost;
        const Part *held, *slowest;
    };

    // Claim the parts of a stage for one piece of a transfer.
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

    // Stripe a transfer over the servers of an instance, booked once for all. Without variation a
    // piece takes `one`, or with a byte more the `other` time.
    Step over_servers(Actor* actor, const Part& part, i64 instance, Bytes size, i32 pieces, Nanoseconds one,
                      Nanoseconds other) {
        const i64 remainder = size.count % pieces;
        const i32 count = part.servers;
        Nanoseconds* const servers = parts.servers_of(part, instance);
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
            Nanoseconds* server = Parts::least_of(servers, count);
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
};

}  // namespace nwtsim
