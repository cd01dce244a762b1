// The state of a run: all that what happens next depends on, said once.
//
// `visit_state` goes through it with a visitor, which either records it or compares it with a record
// (repeats.hpp); docs/decisions/0054 says what each kind of number is:
//
// - same(x): it has to be the same in both states;
// - sum(x): it is only added to; wide(x): of more than 64 bits;
// - free(t): when something is free: one that has passed is as good as another;
// - since(t): it moves with the clock, or stays; last(t): a result that nothing looks at;
// - actor(a): who it is, by its number; queue(q): who stands there.
//
// What nothing that happens depends on is left out: how blocks are found, free lists, extremes. A
// struct that gets another member changes its size, which the assertions below say.
#pragma once

#include "simulator/native/kernel.hpp"

namespace nwtsim {

// Thrown where two states differ.
struct Differs {
    std::string what;
};

template <class Visitor>
class StateWalk {
  public:
    StateWalk(Kernel& kernel, Visitor& visitor) : k(kernel), v(visitor) {}

    void all() {
        actors();
        parts();
        shared();
        arrays();
        pools_and_locks();
        files();
        processes();
        meeting_places();
        counts();
        buffers();
        stores();
    }

  private:
    Kernel& k;
    Visitor& v;

    void queue(const Queue& queue) {
        for (Actor* one = queue.first; one; one = one->after) v.actor(one, "who stands in a queue");
        v.actor(nullptr, "who stands in a queue");
    }
    void queue(const Waiters& waiters) {
        for (Actor* one = waiters.first; one; one = one->after) v.actor(one, "who waits");
        v.actor(nullptr, "who waits");
    }
    template <class Pointer>
    void pointer(const Pointer* to, const char* what) { v.same(reinterpret_cast<i64>(to), what); }

    // -- actors and their requests ---------------------------------------------------------------------

    void actors() {
        std::vector<Actor*> all;
        k.actors.each([&](Actor* one) { all.push_back(one); });
        std::sort(all.begin(), all.end(), [](const Actor* a, const Actor* b) { return a->number < b->number; });
        v.same(static_cast<i64>(all.size()), "who is under way");
        v.actor(k.left_, "whose turn it is");
        for (Actor* one : all) actor(*one);
    }

    void actor(Actor& one) {
        static_assert(sizeof(Actor) == 112);
        v.same(one.number, "who is under way");
        v.same(one.is_set, "whether an actor waits");
        if (one.is_set) v.alarm(one.time);
        v.same(static_cast<i64>(one.role), "an actor");
        v.same(one.index, "an actor");
        pointer(one.store, "an actor");
        if (one.role == Role::worker || one.role == Role::copier) v.same(one.worker, "an actor");
        if (one.role == Role::branch) {
            v.actor(one.parent, "whose branch it is");
            v.same(reinterpret_cast<char*>(one.parent_frame) - reinterpret_cast<char*>(one.parent->bottom), "a branch");
        }
        for (int i = 0; i < k.actors.columns && (one.role == Role::process || one.role == Role::branch); ++i) {
            Account& account = one.account[i];
            if (one.role == Role::branch) {
                v.same(account.waiting.count, "the account of a branch");
                v.same(account.service.count, "the account of a branch");
            } else {
                v.sum(account.waiting.count);
                v.sum(account.service.count);
            }
        }
        for (Frame* q = one.bottom; q <= one.top; q = k.actors.behind(q)) frame(*q);
        v.same(0, "how many requests there are");
    }

    void frame(Frame& q) {
        static_assert(sizeof(Frame) == 120);
        pointer(q.tier, "a request");
        pointer(q.entry, "a request");
        for (const Bytes size : {q.low, q.high, q.stop}) v.same(size.count, "a request");
        const i64 codes = static_cast<i64>(q.state) | static_cast<i64>(q.op) << 8 | i64{q.how} << 16 | i64{q.meta} << 24
                          | i64{q.step} << 32 | static_cast<i64>(q.turn) << 40 | static_cast<i64>(q.waits_for) << 48;
        v.same(codes, "a request");
        v.same(i64{q.asked} | i64{q.units} << 8 | i64{q.gives_up} << 16 | i64{q.column} << 32, "a request");
        if (q.tier->kind == TierKind::buffers) {  // Where another actor may stand, and a moment.
            if (q.moment) throw Differs{"what a RAID unit has not done yet"};
        } else {
            v.same(q.at.count, "a request");
            pointer(q.instance, "a request");
        }
        v.since(q.since);
        v.same(q.missed.count, "a request");
        for (const i32 number : {q.file, q.file_in_store, q.block, q.run, q.counted, q.open}) v.same(number, "a request");
        for (int place = 0; place < k.actors.places; ++place) v.same(q.places[place], "a request");
    }

    // -- parts -----------------------------------------------------------------------------------------

    void parts() {
        static_assert(sizeof(Instance) == 32);
        for (const Part& part : k.parts.reading)
            for (i32 i = 0; i < part.count; ++i) {
                Instance& one = k.parts.at(part.first + i);
                v.sum(one.requests);
                v.sum(one.bytes.count);
                v.wide(one.busy, k.parts.carries[static_cast<size_t>(part.first + i)]);
                if (part.servers > 1 && !part.is_pool) servers(part, i);
                else if (part.counts_idle) v.since_always(one.free);
                else v.free(one.free);
            }
#define KIND(name, Class) \
    for (auto& memory : k.kinds.name.memories) memory_of(memory);
        NWTSIM_PARTS(KIND)
#undef KIND
    }

    // When the servers of an instance are free: which of them, does not count.
    void servers(const Part& part, i32 member) {
        std::vector<Nanoseconds*> times;
        for (i32 i = 0; i < part.servers; ++i)
            times.push_back(&k.parts.servers[static_cast<size_t>(part.server + member * part.servers + i)]);
        std::sort(times.begin(), times.end(), [](auto* a, auto* b) { return *a < *b; });
        for (Nanoseconds* time : times) v.free(*time);
    }

    void memory_of(Nothing&) {}
    void memory_of(JournalKind::Memory& memory) {
        v.free(memory.begin);
        v.sum(memory.commits);
    }
    template <class Memory>
    void memory_of(Memory& memory) {
        Memory::describe([&](const char* name, auto member) { v.same(number_of(memory.*member), name); });
    }

    void shared() {
        v.sum(k.sharing.rings);
        for (auto& here : k.sharing.shared) {
            v.sum(here.active.count);
            v.same(here.count, "what shares a part");
            if (!here.count) continue;
            for (const i64 number : {here.writing, here.behind, here.instance}) v.same(number, "what shares a part");
            pointer(here.part, "what shares a part");
            v.actor(here.timer, "who ends what shares a part");
            v.since(here.since);
            std::vector<Sharing::Transfer*> all{here.root};
            for (size_t i = 0; i < all.size(); ++i)
                for (Sharing::Transfer* child = all[i]->child; child; child = child->sibling) all.push_back(child);
            std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->actor->number < b->actor->number; });
            for (Sharing::Transfer* one : all) {
                v.actor(one->actor, "which transfers share a part");
                v.same((one->goal - here.virtual_time).count, "the goal of a transfer");
                for (const i64 number : {one->behind, one->service.count, one->size.count, i64{one->writes}})
                    v.same(number, "a transfer");
                v.since(one->began);
            }
        }
    }

    void arrays() {
        for (Array& array : k.arrays.arrays) {
            Array::describe([&](const char* name, auto member) {
                if constexpr (requires { (array.*member).count; }) v.same((array.*member).count, name);
                else v.sum(array.*member);
            });
            for (i64 i = array.first_disk; i < array.first_disk + array.spec->disks; ++i) {
                Disk& disk = k.arrays.disks[static_cast<size_t>(i)];
                v.free(disk.free);
                v.same(disk.head, "the head of a disk");
                v.same(disk.reader ? array.readers - disk.reader : -1, "what a disk has read last");
            }
        }
    }

    void pools_and_locks() {
        for (const auto& pool : k.tiers.pools) {
            v.same(pool.kept, "the servers of a pool");
            queue(pool.waiting);
        }
        k.locks.each([&](const Lock& lock) {
            v.same(i64{lock.exclusive} | i64{lock.is_awaited} << 8 | static_cast<i64>(lock.division) << 16, "a lock");
            v.same(lock.used, "a lock");
            v.actor(lock.head, "who is first in line for a lock");
            queue(lock.line);
            for (const Holder* one = lock.holders; one; one = one->next) v.same(one->node, "who has a lock");
            v.same(-1, "who has a lock");
        });
    }

    // -- files and processes ---------------------------------------------------------------------------

    void files() {
        for (File& file : k.layout.files) {
            v.sum(file.stable.count);
            v.last(file.stable_last);
            v.same(file.stable_job, "who has written a file");
            file_steps.push_back(v.sum(file.version));
        }
        k.programs.each_known([&](const KnownKey& key, Known& known) {
            const bool is_fresh = known.version == k.layout.files[static_cast<size_t>(key.file)].version;
            v.same(is_fresh, "what a client knows");
            if (is_fresh) v.grows(known.version, file_steps[static_cast<size_t>(key.file)]);
            v.same(known.life.count, "for how long a client knows");
            v.free(known.until);
        });
    }
    std::vector<i64> file_steps;

    void processes() {
        static_assert(sizeof(Process) == 552 && sizeof(Stream) == 232);
        for (Process& x : k.programs.processes) {
            const char* what = "where a process is";
            v.same(static_cast<i64>(x.at) | static_cast<i64>(x.after) << 8 | i64{x.is_plain} << 16 | i64{x.counted} << 24
                       | i64{x.asleep} << 32 | i64{x.asked} << 40 | i64{x.more_calls} << 48, what);
            for (const i64 number : {i64{x.file}, i64{x.last_file}, x.last_end.count, x.pending.count, x.moved.count, x.row,
                                     x.row_end, x.offset.count, x.size.count, i64{x.phase_number}, i64{x.named}, x.memory.count,
                                     i64{x.rank}, x.share.count, x.own.count, i64{x.read_file}, i64{x.opened_file}, x.failed,
                                     x.started.count, x.ended.count})
                v.same(number, what);
            pointer(x.path, what);
            pointer(x.cut, what);
            for (Nanoseconds* time : {&x.called, &x.phase_began, &x.arrived, &x.named_since}) v.since(*time);
            v.free(x.round_began);
            v.last(x.opened);
            for (i64* sum : {&x.computed.count, &x.idle.count, &x.named_read.count, &x.named_written.count}) v.sum(*sum);
            for (Window* window : {&x.reads, &x.writes}) {
                for (i64* sum : {&window->bytes.count, &window->time.count, &window->beside.count}) v.sum(*sum);
                v.same(window->first.count, "when a process first read or wrote");
                v.last(window->last);
            }
            queue(x.joiners);
            v.bytes(&k.programs.streams[static_cast<size_t>(x.number)], sizeof(Stream), "a stream");
            progress(x);
        }
        v.same(k.programs.awaited, "how many others have not ended");
    }

    // How far a process has come in what it repeats: one of these numbers may have grown.
    void progress(Process& x) {
        Programs& programs = k.programs;
        i64 grown = 0;
        const i64 step = v.sum(x.round);
        if (step) {
            ++grown;
            if (x.until < 0) {
                v.ends_after((x.repeat - 1 - x.round) / step);
            } else {
                i64& certain = programs.certain[static_cast<size_t>(x.until)];
                if (programs.awaited) v.grows(certain, step);
                else v.ends_after((certain - 1 - x.round) / step);
            }
        }
        for (i32 i = 0; i < x.phases_count; ++i) {
            const Phase& phase = x.phases[i];
            if (phase.kind == PhaseKind::loop) {
                const i64 more = v.sum(x.passes[i]);
                if (more) {
                    ++grown;
                    v.ends_after((phase.loops - 1 - x.passes[i]) / more);
                }
            } else if (phase.draw >= 0) {
                v.same(x.passes[i], "places that are drawn");
            }
        }
        if (x.arrivals >= 0) {
            Arrivals& row = programs.arrivals[static_cast<size_t>(x.arrivals)];
            const i64 more = row.kind == Arriving::fixed ? v.arrivals(row.taken, row.gap_ns) : v.fixed(row.taken, "arrivals");
            if (more) {
                ++grown;
                v.ends_after((row.count - row.taken) / more);
            }
        }
        if (grown > 1) throw Differs{"a process comes on in two ways"};
    }

    void meeting_places() {
        Programs& programs = k.programs;
        for (const Mark& mark : programs.marks) {
            v.same(mark.passed, "a mark");
            queue(mark.waiting);
        }
        for (const Mutex& mutex : programs.mutexes) {
            v.actor(mutex.holder, "who holds a lock");
            queue(mutex.waiting);
        }
        for (const Barrier& barrier : programs.barriers) {
            v.same(barrier.come, "who is at a barrier");
            queue(barrier.waiting);
        }
        for (const Channel& channel : programs.channels) {
            v.same(channel.count, "messages");
            v.actor(channel.waiting, "who waits for a message");
        }
        for (const DrainedFile& one : programs.drained) v.same(one.written.count, "what is drained");
        for (const auto& group : k.asking.merged) {
            v.same(group.come, "requests that are merged");
            queue(group.waiting);
        }
    }

    // What is only counted.
    void counts() {
        Programs& programs = k.programs;
        v.sum(k.clock.alarms);
        for (i64& calls : k.tiers.needless) v.sum(calls);
        for (Nanoseconds& time : programs.member_service) v.sum(time.count);
        for (NamedPhase& phase : programs.named) {
            v.sum(phase.passes);
            v.last(phase.end);
            for (wide* sum : {&phase.time, &phase.read, &phase.written}) v.wide_sum(*sum);
        }
        for (auto* all : {&programs.latencies, &programs.responses})
            for (auto& one : *all) {
                v.same(one != nullptr, "what was called");
                if (!one) continue;
                v.sum(one->count);
                v.wide_sum(one->sum);
                for (i64& bin : one->bins) v.sum(bin);
            }
    }

    // -- buffer caches and stores ----------------------------------------------------------------------

    void buffers() {
        for (Unit& u : k.buffers.units) {
            if (u.first_moment) throw Differs{"what a RAID unit has not done yet"};
            Unit::describe([&](const char*, auto member) {
                if constexpr (requires { (u.*member).count; }) v.sum((u.*member).count);
                else v.sum(u.*member);
            });
            v.free(u.disk_free);
            v.free(u.bus_free);
            v.known(u.safe);
            v.same(u.head, "the head of a RAID unit");
            v.same(u.dirties, "dirty slots");
            for (const i64 end : u.ends) v.same(end, "where a process's last request ended");
            for (SlotList* list : {&u.slots_list, &u.raid_list}) {
                for (Slot* slot = list->first; slot; slot = slot->next) {
                    v.same(slot->cell->block, "a slot");
                    v.known(slot->ready);
                    v.known(slot->clean);
                    v.same(slot->dirty.count, "a slot");
                    v.same(slot->is_early, "a slot");
                }
                v.same(-1, "how many slots are used");
            }
            v.same(static_cast<i64>(u.cells.size()), "blocks that were wanted");
            i64 stored = 0;
            for (const auto& [block, cell] : u.cells) stored += cell.is_stored;
            v.same(stored, "blocks that are on disks");
        }
    }

    void stores() {
        static_assert(sizeof(StoreInstance) == 440 && sizeof(StoredFile) == 96 && sizeof(WrittenBlock) == 56);
        for (const Bytes size : k.back.exists) v.same(size.count, "how long a file is");
        v.same(static_cast<i64>(k.cache.files.size()), "files of stores");
        for (StoreInstance& at : k.cache.instances) {
            for (i64* sum : {&at.hits, &at.misses, &at.fetched, &at.read_back, &at.released, &at.rewrites_waited, &at.prestaged,
                             &at.created, &at.evicted, &at.read_ahead, &at.used_ahead, &at.limit_waits, &at.syncs,
                             &at.invalidated, &at.called_back, &at.accepted_bytes.count, &at.overwritten_bytes.count,
                             &at.fetched_bytes.count, &at.read_back_bytes.count, &at.written_back_bytes.count,
                             &at.prestaged_bytes.count})
                v.sum(*sum);
            at.writes_back = v.sum(at.written_back) != 0;
            for (const i64 number : {at.used, at.held, at.target, at.space, at.most_dirty, at.high, at.low, at.programs.count,
                                     i64{at.idle_workers}, i64{at.flusher_is_awake}})
                v.same(number, "an instance of a store");
            queue(at.room);
            queue(at.limit);
        }
        for (const auto& worker : k.back.workers) {
            for (const i64 number : {i64{worker.is_awake}, i64{worker.count}}) v.same(number, "a worker");
            if (worker.count)
                for (const i64 number : {i64{worker.file}, i64{worker.index}, worker.size.count}) v.same(number, "a worker");
        }
        for (StoredFile& file : k.cache.files) {
            for (const i64 number : {i64{file.file}, file.written, i64{file.outgrown}, file.pending}) v.same(number, "a file of a store");
            queue(file.room);
            queue(file.syncs);
            v.actor(file.reader, "who reads a file ahead");
            if (file.reader)
                for (const i32 number : {file.run, file.run_end}) v.same(number, "what is read ahead");
            for (FileRing* ring : {&file.clean, &file.dirty}) {
                for (BlockId b = ring->first; b >= 0; b = k.cache.written(b).next_of_file) v.same(k.cache[b].index, "the order of a file's blocks");
                v.same(-1, "the order of a file's blocks");
            }
        }
        for (StoreInstance& at : k.cache.instances) {
            for (Ring* ring : {&at.rings[0], &at.rings[1], &at.rings[2], &at.rings[3], &at.gone, &at.gone_again}) {
                for (BlockId b = ring->first; b >= 0; b = k.cache[b].next) block(at, b);
                v.same(-1, "how many blocks a ring has");
            }
        }
        std::vector<BlockId> busy;
        k.cache.each_busy([&](BlockId b) { busy.push_back(b); });
        std::sort(busy.begin(), busy.end(), [&](BlockId a, BlockId b) {
            return std::pair(k.cache[a].file, k.cache[a].index) < std::pair(k.cache[b].file, k.cache[b].index);
        });
        for (const BlockId b : busy) block(*k.cache.file_of(b).instance, b);
        v.same(-1, "which blocks are busy");
    }

    void block(StoreInstance& at, BlockId b) {
        Block& one = k.cache[b];
        v.same(i64{one.file} << 32 | static_cast<u32>(one.index), "a block");
        v.same(i64{one.valid} << 32 | i64{one.flags} << 8 | static_cast<i64>(one.state), "a block");
        if (one.state >= BlockState::gone) v.same(at.age - one.memory, "when a block went");
        else v.same(one.memory, "what a policy remembers of a block");
        WrittenBlock& more = k.cache.written(b);
        if (one.state < BlockState::gone && one.flags & WRITTEN) {
            v.same(more.writers, "who writes a block");
            v.dirty(more.dirty_sum, more.high - more.low, at.writes_back);
            if (more.dirty_sum)
                for (const i32 number : {more.low, more.high}) v.same(number, "what is dirty of a block");
            if (more.dirty_sum || more.writers) {
                pointer(more.below, "where a block was written from");
                v.same(more.node, "where a block was written from");
            }
        }
        if (one.flags & AWAITED) queue(more.waiters);
    }
};

}  // namespace nwtsim
