// The state of the machine: parts, arrays, pools, locks, buffer caches and stores; see state.hpp.
#pragma once

#include "simulator/native/kernel.hpp"

namespace nwtsim {

// Whether a struct is as large as when its members were listed, where pointers have 8 bytes.
template <class Struct>
constexpr bool has_size(size_t bytes) { return sizeof(void*) != 8 || sizeof(Struct) == bytes; }

// Thrown where two states differ.
struct Differs {
    std::string what;
};

template <class Visitor>
class MachineWalk {
  protected:
    MachineWalk(Kernel& kernel, Visitor& visitor) : k(kernel), v(visitor) {}

    void machine() {
        parts();
        shared();
        for (const auto& disk : k.scheduling.disks)
            if (disk.timer) throw Differs{"what a scheduler remembers"};
        arrays();
        pools_and_locks();
        buffers();
        stores();
    }

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

    // -- parts -----------------------------------------------------------------------------------------

    void parts() {
        static_assert(has_size<Instance>(32));
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
        for (Ends& last : k.parts.ends)
            for (size_t i = 0, count = last.times.size(); i < count; ++i) v.free(last.times[(last.next + i) % count]);
#define KIND(name, Class) \
    for (auto& memory : k.kinds.name.memories) memory_of(memory);
        NWTSIM_PARTS(KIND)
#undef KIND
    }

    // When the servers of an instance are free, irrespective of their order.
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
        static_assert(has_size<StoreInstance>(440) && has_size<StoredFile>(96) && has_size<WrittenBlock>(56));
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
