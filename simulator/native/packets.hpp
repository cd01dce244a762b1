// Messages that pass parts one after the other (packets); docs/composition.md, Packets.
#pragma once

#include "simulator/native/pieces.hpp"

namespace nwtsim {

class Packets : public Pieces {
  public:
    using Pieces::Pieces;

    // Join the queue of a message's next part; returns the time at which the first byte is at the
    // following one, for the last part the time at which the last byte has passed all. `since` is
    // the time at which the earlier parts are passed, `column` the charged part's category,
    // `missed` its delay by failures.
    Step hop(Actor* actor, Frame* q) {
        const Hold& hold = *q->hold;
        const Part& part = *hold.part;
        const i64 instance = Layout::instance(*actors.before(q), hold);
        const Bytes size = q->message;
        const Nanoseconds service = service_of(q, part, instance, size, q->low, q->high, 1);
        const Nanoseconds end = parts.queue(part, instance, size, service);
        Nanoseconds start = parts.started, lost = parts.lost;
        if (parts.failed) [[unlikely]] {  // It does not reach the following parts, but has passed the previous ones.
            const Nanoseconds served = end - start - lost, back = std::max(parts.gave_up, q->since);
            parts.charge(actor, part.column, back - clock.now - served, served);
            return back;
        }
        if (lost) {  // It may begin later than possible; the delay is waiting.
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

    // Begin to pass a message over parts one after the other. A frame above the request's own is
    // under way until the last part is joined.
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
};

}  // namespace nwtsim
