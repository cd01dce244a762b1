// A process that writes or reads a stream of records: its library's calls, one after the other.
//
// A stream ends with PHASE_OVER. Where a process has members that share its data, they exchange it.
#pragma once

#include "simulator/native/listed.hpp"

namespace nwtsim {

class Streaming : public Listed {
  public:
    using Listed::Listed;

    Runtimes runtimes;
    std::vector<Stream> streams;  // By process.

  protected:
    // Run a process that is in a stream.
    Step step_stream(Actor* actor, Process& x) {
        switch (x.at) {
            case At::called:
                move_stream(actor, x);
                return GO;
            case At::moved:
                end_call(x);
                return pump(actor, x);
            case At::packed: return packed(actor, x);
            case At::crossed: return crossed(actor, x);
            case At::begun:
                x.called = clock.now;
                x.pending = x.own;
                return catch_up_stream(actor, x, At::called);
            case At::opened:
                note(x, OPEN, NO_BYTES, NO_BYTES);
                return pump(actor, x);
            case At::flushed: return close_stream(actor, x);
            case At::synced: return close_metadata(actor, x);
            default: return closed(actor, x);
        }
    }

    // Begin to write or read records, with opening the file.
    Step begin_stream(Actor* actor, Process& x) {
        const Phase& phase = *x.phase;
        runtimes.begin(stream_of(x), phase.policy, phase.write, phase.buffer.count, *phase.records, clock.pulse);
        x.file = phase.file;
        x.path = phase.way;
        x.phase_began = x.called = clock.now;
        x.moved = NO_BYTES;
        x.is_plain = is_plain(x);
        if (has_metadata(x)) return call_metadata(actor, x, OPEN, At::opened);
        note(x, OPEN, NO_BYTES, NO_BYTES);
        return pump(actor, x);
    }

    // A call of a plain stream has moved its bytes: run its next call, and all of its claims at
    // once. Returns the end; or GO, with only the last call counted, where the general code
    // continues: at a record of several calls, at the end, beyond limits.
    Step next_plain(Actor* actor, Process& x) {
        Stream& s = stream_of(x);
        count_latency(x, s.is_write ? WRITE : READ, clock.now - x.called);
        if (s.is_write) note_change(x);
        if (has_failed(x)) [[unlikely]] return GO;
        const i64 record = s.record + 1;
        if (record >= s.count() || s.left) return GO;
        const i64 length = s.lengths->length(record);
        if (length <= 0 || length > MAX_TRANSFER) return GO;
        const Bytes copied{s.is_write ? length : s.arrived};
        const Part& cpu = *x.cpu;
        Instance& one = parts.at(x.instance);
        Nanoseconds service = x.processor->call_overhead_ns, used{0};
        i64 requests = one.requests + 1;
        Bytes bytes = one.bytes;
        if (!x.path->copied) {
            used = parts.stretch(cpu, x.instance, copy_time(x, copied, 0), requests++);
            bytes += copied;
        }
        service = parts.stretch(cpu, x.instance, service, requests);
        used += service;
        const Nanoseconds time = clock.now + used, busy = one.busy + used;
        Account& account = actor->account()[cpu.column];
        const Nanoseconds charged = account.service + used;
        if ((time.count | busy.count | charged.count | bytes.count) >= LIMIT) [[unlikely]] return GO;
        account.service = charged;
        one.requests = requests;
        one.bytes = bytes;
        one.busy = busy;
        const i64 low = s.at;
        s.offset = low;
        s.size = s.length = length;
        s.copied = copied.count;
        s.records = 1;
        s.record = record;
        s.at = low + length;
        if (!s.is_write) s.arrived = length;
        x.moved += copied;
        x.called = time - service;
        move(actor, x, s.is_write ? Op::write : Op::read, {low}, {low + length}, false);
        return time;
    }

    // Run the runtime's calls one after the other, until one moves data.
    Step pump(Actor* actor, Process& x) {
        Stream& s = stream_of(x);
        while (true) {
            clock.pulse.tick();
            if (has_failed(x)) [[unlikely]] {
                end_transfer(actor, x);
                return PHASE_OVER;
            }
            const bool more = runtimes.step(s);
            x.moved += Bytes{s.copied};
            if (s.copied || s.records) {
                if (x.nodes == 1) copy_user(actor, x);
                else if (begin_exchange(actor, x, more)) return catch_up_stream(actor, x, At::packed);
            }
            if (!more) return flush(actor, x);
            if (call_stream(actor, x)) return begin_call(actor, x);
        }
    }

    // A call has failed with which the process ends.
    void stopped(Actor* actor, Process& x) {
        const bool in_stream = x.after < At::listed;
        if (!in_stream) {
            end_listed(actor, x);
        } else if (x.after == At::moved) {
            end_call(x);
            // Its requested bytes; they have been counted as failed.
            if (!x.phase->write) x.moved += Bytes{stream_of(x).size};
        } else if (x.after == At::opened) {
            note(x, OPEN, NO_BYTES, NO_BYTES);
        } else {
            note(x, CLOSE, NO_BYTES, {x.phase->write});
        }
        if (in_stream) end_transfer(actor, x);
    }

  private:
    // Cpu time of the acting process since that was booked.
    i64 uses_ = 0;
    Nanoseconds used_{0};
    Bytes used_bytes_{0};

    Stream& stream_of(const Process& x) { return streams[static_cast<size_t>(x.number)]; }
    static bool has_library(const Stream& s) { return s.policy != RUNTIME_posix; }

    // Return whether calls of a stream are those of a program without a library, and are not
    // recorded.
    bool is_plain(const Process& x) const {
        const Phase& phase = *x.phase;
        return phase.policy == RUNTIME_posix && x.nodes == 1 && !x.is_crowded && phase.drain < 0 && !phase.bits
               && !x.path->call && x.cpu->column >= 0 && !recording && !parts.timing && !curves;
    }

    // -- the cpu: booked once for all calls at one time
    // ----------------------------------------------------

    // Catch up in a stream, which the timeline shows as one service.
    Step catch_up_stream(Actor* actor, Process& x, At at) {
        if (parts.timing) parts.note(x.instance, clock.now, x.pending, NO_BYTES);
        return catch_up(actor, x, at);
    }

    // Use a process's cpu; returns the time. It is booked by `settle`.
    Nanoseconds use(const Actor* actor, const Process& x, Nanoseconds service, Bytes size) {
        ++uses_;
        service = parts.stretch(*x.cpu, x.instance, service, parts.at(x.instance).requests + uses_);
        used_ = Parts::within_actor(used_ + service, actor);
        used_bytes_ = within(used_bytes_ + size, Culprit::part, x.cpu->row);
        return service;
    }

    // Book a process's use of its cpu, all at once.
    void settle(Actor* actor, Process& x) {
        parts.at(x.instance).requests += uses_;
        parts.book(*x.cpu, x.instance, used_bytes_, used_);
        parts.charge(actor, x.cpu->column, ZERO_NS, used_);
        pend(actor, x, used_);
        uses_ = 0;
        used_ = ZERO_NS;
        used_bytes_ = NO_BYTES;
    }

    // Copy between the program and its buffer; only a library spends time on each record. A
    // program's own transfers may be copied by a memory part on the path.
    void copy_user(const Actor* actor, Process& x) {
        const Stream& s = stream_of(x);
        if (!has_library(s) && x.path->copied) return;
        use(actor, x, copy_time(x, {s.copied}, has_library(s) ? s.records : 0), {s.copied});
    }

    // -- calls ---------------------------------------------------------------------------------------

    // Make the runtime's call; returns whether it moves data.
    bool call_stream(Actor* actor, Process& x) {
        const Stream& s = stream_of(x);
        const bool moves = s.op != nwtsim::Call::seek && s.size > 0;
        const Nanoseconds own = x.processor->call_overhead_ns;
        Nanoseconds whole = own;
        if (moves && s.size > MARK && has_library(s)) {
            const i64 turns = x.processor->turns(s.offset, s.size);
            whole = Parts::within_part(own + Nanoseconds{product(turns, x.processor->turn_overhead_ns.count)}, *x.cpu);
        }
        Nanoseconds service = use(actor, x, whole, NO_BYTES);
        if (whole != own) service = {scaled(service.count, own.count, whole.count)};
        service += call_path(actor, x);
        x.called = clock.now + x.pending + used_ - service;
        if (!moves && recording) {
            settle(actor, x);
            write_log(x, static_cast<u8>(s.op), x.file, {s.offset}, {s.size});
        }
        return moves;
    }

    // Catch up with a call that moves data; on a crowded node first with its begin. On others the
    // request is at its first tier already when that time has passed.
    Step begin_call(Actor* actor, Process& x) {
        settle(actor, x);
        if (!x.is_crowded) {
            const Step time = catch_up_stream(actor, x, At::called);
            move_stream(actor, x);
            return time;
        }
        x.own = clock.now + x.pending - x.called;
        if (x.pending == x.own) return catch_up_stream(actor, x, At::called);
        x.pending -= x.own;
        return catch_up_stream(actor, x, At::begun);
    }

    // Begin the request of a call of the runtime; a synchronous write has two.
    void move_stream(Actor* actor, Process& x) {
        const Stream& s = stream_of(x);
        const Op op = s.op == nwtsim::Call::read ? Op::read : Op::write;
        x.at = At::moved;
        move(actor, x, op, {s.offset}, {s.offset + s.size}, x.phase->bits & DIRECT);
        if (x.phase->bits & SYNCED && op == Op::write) {
            x.after = At::moved;
            x.at = At::sync;
        }
    }

    // End a call of the runtime that has moved its bytes.
    void end_call(Process& x) {
        const Stream& s = stream_of(x);
        note(x, static_cast<u8>(s.op) | x.phase->bits, {s.offset}, {s.size});
        if (s.op == nwtsim::Call::write) note_change(x);
        if (x.phase->drain >= 0 && x.phase->write) {
            DrainedFile& file = drained[static_cast<size_t>(x.drains + x.phase->drain)];
            file.written = std::max(file.written, Bytes{s.offset + s.size});
        }
    }

    // -- the end of a stream -------------------------------------------------------------------------

    // End the calls of the runtime: pass the rest of the time.
    Step flush(Actor* actor, Process& x) {
        settle(actor, x);
        return x.pending ? catch_up_stream(actor, x, At::flushed) : close_stream(actor, x);
    }

    Step close_stream(Actor* actor, Process& x) {
        x.called = clock.now;
        if (x.phase->write && close_written(actor, x, 1, At::synced)) return GO;
        return close_metadata(actor, x);
    }

    Step close_metadata(Actor* actor, Process& x) {
        return has_metadata(x) ? call_metadata(actor, x, CLOSE, At::closed) : closed(actor, x);
    }

    // The file of a stream is closed: the phase ends.
    Step closed(Actor* actor, Process& x) {
        note(x, CLOSE, NO_BYTES, {x.phase->write});
        end_transfer(actor, x);
        return PHASE_OVER;
    }

    // Record the transfer of a stream, and its window.
    void end_transfer(const Actor* actor, Process& x) {
        Window& window = x.phase->write ? x.writes : x.reads;
        more_bytes(actor, window.bytes, x.moved);
        window.time += clock.now - x.phase_began;
        if (!x.phase->write) x.read_file = x.file;
        widen(x, window, x.phase_began, clock.now);
    }

    // -- members that share the data -----------------------------------------------------------------

    // Begin to exchange shared data; returns whether there is anything. Writes are copied once the
    // data are together, reads before.
    bool begin_exchange(Actor* actor, Process& x, bool more) {
        x.more_calls = more;
        x.rank = 0;
        if (!x.phase->write) copy_user(actor, x);
        settle(actor, x);
        if (exchange(actor, x)) return true;
        if (x.phase->write) copy_user(actor, x);
        return false;
    }

    // Pack the next member's share; returns whether there is one.
    bool exchange(Actor* actor, Process& x) {
        const Stream& s = stream_of(x);
        while (++x.rank < x.nodes) {
            const i64 before = scaled(s.copied, x.rank, x.nodes);
            x.share = {scaled(s.copied, x.rank + 1, x.nodes) - before};
            if (!x.share) continue;
            const Nanoseconds service = copy(actor, x, x.phase->write ? x.rank : 0);
            if (x.phase->write) spent_by_member(actor, x, service);
            return true;
        }
        return false;
    }

    // Copy a share at one of the members; returns the time.
    Nanoseconds copy(Actor* actor, Process& x, i32 member) {
        Nanoseconds service = copy_time(x, x.share, stream_of(x).records);
        service = parts.spend(actor, *x.cpu, x.instance + node_of(x, member) - x.node, service, x.share);
        pend(actor, x, service);
        return service;
    }

    void spent_by_member(const Actor* actor, const Process& x, Nanoseconds service) {
        if (x.queued) return;
        Nanoseconds& sum = member_service[static_cast<size_t>(x.members + x.rank)];
        sum = Parts::within_actor(sum + service, actor);
    }

    // A share has been packed: send it.
    Step packed(Actor* actor, Process& x) {
        const i32 other = node_of(x, x.rank);
        x.at = At::crossed;
        if (!x.exchange) return crossed(actor, x);
        if (x.phase->write) message(actor, x.exchange, x.exchange_places, other, x.node, x.share);
        else message(actor, x.exchange, x.exchange_places, x.node, other, x.share);
        return GO;
    }

    // A share has arrived: unpack it, and continue with the next.
    Step crossed(Actor* actor, Process& x) {
        const bool write = x.phase->write;
        const Nanoseconds service = copy(actor, x, write ? 0 : x.rank);
        if (!write) spent_by_member(actor, x, service);
        if (exchange(actor, x)) return catch_up_stream(actor, x, At::packed);
        if (write) copy_user(actor, x);
        if (!x.more_calls) return flush(actor, x);
        if (call_stream(actor, x)) return begin_call(actor, x);
        return pump(actor, x);
    }
};

}  // namespace nwtsim
