// Listed operations, and synchronisation in them: marks, locks, barriers, messages, starts and
// ends.
#pragma once

#include "simulator/native/metadata.hpp"

namespace nwtsim {

class Listed : public MetadataCalls {
  public:
    using MetadataCalls::MetadataCalls;

    std::vector<Mark> marks;
    std::vector<Mutex> mutexes;
    std::vector<Barrier> barriers;
    std::vector<Channel> channels;
    std::vector<DrawRow> draws;
    std::vector<DrainedFile> drained;
    i32 others_column = -1, lock_column = -1, barrier_column = -1;

  protected:
    static constexpr Step PHASE_OVER{-4};

    static Nanoseconds since_called(const Clock& clock, const Process& x) { return clock.now - x.called; }

    // Run a process at a listed operation, or at a step common to all phases.
    Step step_listed(Actor* actor, Process& x) {
        const Nanoseconds waited = clock.now - x.called;
        switch (x.at) {
            case At::listed: return take_listed(actor, x);
            case At::listed_called: return move_listed(actor, x);
            case At::meta: return ask_metadata(actor, x);
            case At::answered: return answered(actor, x);
            case At::sync:
                x.at = x.after;
                request(actor, x, x.path->top, Op::sync, NO_BYTES, NO_BYTES);
                return GO;
            case At::arrived:
                x.phase_number = -1;
                x.round = 0;
                return PHASE_OVER;
            case At::flushed_list: return end_list(actor, x);
            case At::synced_list:
                if (has_metadata(x)) return call_metadata(actor, x, CLOSE, At::listed_ended);
                break;
            case At::awaited: parts.charge(actor, others_column, waited, ZERO_NS); break;
            case At::receiving:
                parts.charge(actor, others_column, waited, ZERO_NS);
                --channel_of(x).count;
                break;
            case At::locked: parts.charge(actor, lock_column, waited, ZERO_NS); break;
            case At::met: parts.charge(actor, barrier_column, waited, ZERO_NS); break;
            case At::sent: deliver(channel_of(x)); break;
            default: break;
        }
        end_listed(actor, x);
        return take_listed(actor, x);
    }

    Step begin_listed(Actor* actor, Process& x) {
        const Phase& phase = *x.phase;
        x.row = phase.first;
        x.cut = cuts.data() + phase.cuts;
        x.row_end = x.cut->at;
        x.counted = false;
        x.moved = phase.size;  // If it is one transfer.
        x.phase_began = clock.now;
        x.pass = x.passes[x.phase_number]++;
        return take_listed(actor, x);
    }

    // Run listed operations one after the other, until one takes time.
    Step take_listed(Actor* actor, Process& x) {
        while (x.counted || !has_failed(x)) {
            if (x.row >= x.row_end && !pass_cut(x)) break;
            clock.pulse.tick();
            const i64 row = x.row;
            if (!x.counted) {
                x.counted = true;
                const Nanoseconds gap{operations.gap[row]};
                pend(actor, x, gap);
                if (operations.column[row] < 0) x.computed += gap;
                else parts.charge(actor, operations.column[row], ZERO_NS, gap);
            }
            const u8 kind = static_cast<u8>(operations.kind[row]) & PLAIN;
            find_place(x);
            if (operations.file[row] >= 0) {
                x.file = operations.file[row];
                const i32 way = operations.path[row];
                x.path = way >= 0 ? &layout.paths[static_cast<size_t>(way)] : layout.files[static_cast<size_t>(x.file)].path;
            }
            if (x.pending && is_seen(x, kind)) return catch_up(actor, x, At::listed);
            x.called = clock.now + x.pending;
            if (kind <= WRITE) {
                call_file(actor, x);
                if (kind != SEEK && x.size) return catch_up(actor, x, At::listed_called);
            } else {
                const Step time = do_listed(actor, x, kind);
                if (time != READY) return time;
            }
            end_listed(actor, x);
        }
        return x.pending ? catch_up(actor, x, At::flushed_list) : end_list(actor, x);
    }

    // End a listed operation.
    void end_listed(Actor* actor, Process& x) {
        const u8 bits = static_cast<u8>(operations.kind[x.row]), kind = bits & PLAIN;
        const Nanoseconds begin = x.called, end = clock.now + x.pending;
        if (!x.moved) {  // Otherwise the phase as a whole is one transfer.
            if (kind == READ || kind == WRITE) {
                Window& window = kind == READ ? x.reads : x.writes;
                more_bytes(actor, window.bytes, x.size);
                window.time += end - begin;
                if (kind == READ) x.read_file = x.file;
                widen(x, window, begin, end);
            } else if (kind > WRITE) {
                end_beside(x, kind, begin, end);
            }
        }
        if (kind == WRITE && x.size) note_change(x);
        count_latency(x, kind, end - begin);
        if (curves) [[unlikely]] draw(bits, end, x.size);
        if (recording) write_log(x, bits, operations.file[x.row], x.offset, x.size);
        ++x.row;
        x.counted = false;
    }

    // Wait in a list of actors, and resume at a given place.
    static Step block(Process& x, At at) {
        x.at = at;
        return BLOCKED;
    }

  public:
    std::vector<CutRow> cuts;

  private:
    Channel& channel_of(const Process& x) { return channels[static_cast<size_t>(x.offset.count)]; }

    // Issue the request of a listed read or write.
    Step move_listed(Actor* actor, Process& x) {
        const u8 bits = static_cast<u8>(operations.kind[x.row]);
        const Op op = (bits & PLAIN) == READ ? Op::read : Op::write;
        const Bytes end = x.offset + x.size;
        x.at = At::listed_ended;
        move(actor, x, op, x.offset, end, bits & DIRECT);
        if (bits & SYNCED) {
            x.after = At::listed_ended;
            x.at = At::sync;
        }
        if (op == Op::write)  // The file may be drained.
            for (i32 i = 0; i < x.drains_count; ++i) {
                DrainedFile& one = drained[static_cast<size_t>(x.drains + i)];
                if (one.file == x.file && one.path == x.path) one.written = std::max(one.written, end);
            }
        return GO;
    }

    // Return whether the time before an operation must have passed when it begins.
    bool is_seen(const Process& x, u8 kind) const {
        if (kind == PAUSE) return !!x.size;
        if (kind > WRITE) return kind == CLOSE || metadata_of(kind) == NO_METADATA || has_metadata(x);
        return kind != SEEK && x.size && x.is_crowded;
    }

    // Return the offset and size of an operation, drawn anew if its offset is random.
    void find_place(Process& x) {
        x.offset = {operations.offset[x.row]};
        x.size = {operations.size[x.row]};
        if (x.phase->draw < 0) return;
        const DrawRow& draw = draws[static_cast<size_t>(x.phase->draw)];
        if (x.row < draw.first || x.row >= draw.first + draw.count * draw.each) return;
        const i64 call = (x.row - draw.first) / draw.each, part = (x.row - draw.first) % draw.each;
        const i64 drawn = x.pass * draw.count + call;
        const i64 place = draw.end ? drawn % draw.places
                                   : static_cast<i64>(mix(draw.key, drawn) % static_cast<u64>(draw.places));
        if (draw.step) {
            x.offset = {draw.base + place * draw.step};
            if (draw.end) x.size = std::min(x.size, Bytes{draw.end} - x.offset);
        } else {
            const i64 other = draw.base + place * draw.each + part;
            x.offset = {operations.offset[other]};
            x.size = {operations.size[other]};
        }
    }

    // End a phase; it may be one transfer.
    Step end_list(Actor* actor, Process& x) {
        if (x.moved) {
            Window& window = x.phase->write ? x.writes : x.reads;
            more_bytes(actor, window.bytes, x.moved);
            window.time += clock.now - x.phase_began;
            if (!x.phase->write) x.read_file = -1;
            reach(window, x.phase_began, clock.now);
        }
        return PHASE_OVER;
    }

    // Run an operation that moves no data; READY if it has ended.
    Step do_listed(Actor* actor, Process& x, u8 kind) {
        const size_t target = static_cast<size_t>(x.offset.count);
        if (metadata_of(kind) != NO_METADATA) return do_metadata(actor, x, kind);
        switch (kind) {
            case SYNC:
                call_file(actor, x);
                x.after = At::listed_ended;
                return catch_up(actor, x, At::sync);
            case PAUSE:
                if (!x.size) return READY;
                x.idle += Nanoseconds{x.size.count};
                x.at = At::listed_ended;
                return Parts::within_actor(clock.now + Nanoseconds{x.size.count}, actor);
            case PASS:
                marks[target].passed = true;
                clock.wake_all(marks[target].waiting);
                return READY;
            case WAIT:
                if (marks[target].passed) return READY;
                marks[target].waiting.join(actor);
                return block(x, At::awaited);
            case LOCK: return lock(actor, x, mutexes[target]);
            case UNLOCK: {
                Mutex& mutex = mutexes[target];
                mutex.holder = mutex.waiting.empty() ? nullptr : mutex.waiting.leave();
                if (mutex.holder) clock.wake(mutex.holder);
                return READY;
            }
            case BARRIER: return meet(actor, x, barriers[target]);
            case SEND: return send(actor, x, channels[target]);
            case RECEIVE: {
                Channel& channel = channels[target];
                if (channel.count) {
                    --channel.count;
                    return READY;
                }
                channel.waiting = actor;
                return block(x, At::receiving);
            }
            case ASK_READ: case ASK_WRITE: return ask(actor, x, kind == ASK_READ ? Op::read : Op::write);
            case START:
                if (processes[target].asleep) {
                    processes[target].asleep = false;
                    clock.wake(actor_of[target]);
                }
                return READY;
            case JOIN:
                if (processes[target].ended >= ZERO_NS) return READY;
                processes[target].joiners.join(actor);
                return block(x, At::awaited);
            default: return READY;
        }
    }

    static Step lock(Actor* actor, Process& x, Mutex& mutex) {
        if (!mutex.holder) {
            mutex.holder = actor;
            return READY;
        }
        mutex.waiting.join(actor);
        return block(x, At::locked);
    }

    Step meet(Actor* actor, Process& x, Barrier& barrier) {
        if (++barrier.come < barrier.members) {
            barrier.waiting.join(actor);
            return block(x, At::met);
        }
        barrier.come = 0;
        clock.wake_all(barrier.waiting);
        return READY;
    }

    Step send(Actor* actor, Process& x, Channel& channel) {
        if (!channel.top) {
            deliver(channel);
            return READY;
        }
        x.at = At::sent;
        const i32 from = processes[static_cast<size_t>(channel.source)].node;
        const i32 to = processes[static_cast<size_t>(channel.target)].node;
        message(actor, channel.top, channel.places, from, to, {operations.size[x.row]});
        return GO;
    }

    void deliver(Channel& channel) {
        ++channel.count;
        if (!channel.waiting) return;
        clock.wake(channel.waiting);
        channel.waiting = nullptr;
    }

    // Request pieces of a process's file: rows of the asked requests.
    Step ask(Actor* actor, Process& x, Op op) {
        if (!x.size) return READY;
        Frame* q = actors.call(actor, layout.ask, op, x.file, x.offset, x.offset + x.size);
        q->how = WAITS;
        q->places[0] = x.node;
        q->places[1] = x.path->number;
        x.at = At::listed_ended;
        return GO;
    }

    // End an operation other than read and write: those of a file extend their windows.
    static void end_beside(Process& x, u8 kind, Nanoseconds begin, Nanoseconds end) {
        if (kind == OPEN || kind == CREATE) {
            x.opened = begin;
            x.opened_file = x.file;
        } else if (kind == SYNC || (kind == CLOSE && x.size)) {
            if (x.writes.first >= ZERO_NS) {
                x.writes.last = end;
                x.writes.beside += end - begin;
            }
        } else if (kind == CLOSE && x.read_file == x.file) {
            x.reads.last = end;
            x.reads.beside += end - begin;
        }
        if (kind == CLOSE && x.opened_file == x.file) x.opened_file = -1;
    }
};

}  // namespace nwtsim
