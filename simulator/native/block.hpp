// Contents of stores: blocks of files in rings, found by their number; without a clock.
//
// All instances of all stores share one table of blocks, which grows with the resident
// blocks. Blocks of an instance that are clean, dirty, or queued for write-back are in a ring each,
// and those of a file that are dirty, or clean and written, in another two.
#pragma once

#include <vector>

#include "simulator/native/actor.hpp"
#include "simulator/native/mixing.hpp"
#include "simulator/native/plan.hpp"
#include "simulator/native/rows.hpp"

namespace nwtsim {

using BlockId = i32;
using FileId = i32;  // A file in an instance of a store: its row there.
constexpr i32 NONE = -1;

enum class BlockState : u8 {
    clean, dirty, queued, again, busy,  // `again`: clean, in the second ring that policies may keep.
    free, gone, gone_again,             // Only keys of evicted blocks, for policies.
};

enum BlockFlag : u8 {
    GOING_BELOW = 1,  // It is being written back.
    FETCHING = 2,     // It is being fetched.
    WRITTEN = 4,      // A write has used it since its admission: it counts against the file's quota.
    WHOLE = 8,        // Last written from end to end by one call.
    AHEAD = 16,       // It was read ahead, and not used yet.
    USED_AGAIN = 32,  // For policies.
    AWAITED = 64,     // An actor waits for it.
    UNREAD = 128,     // It was created by a write, and has not been read yet.
};

struct Block {
    FileId file;
    i32 index;      // Its number in the file.
    BlockId next, prev;  // In a ring; `next` also in a run that is fetched or written back.
    BlockId chain;  // The next one of equal hash; or the next free row.
    i32 valid;      // Valid bytes from its begin.
    BlockState state;
    u16 flags;      // Bits of BlockFlag; as bytes their stores would alias everything.
    i64 memory;     // State of its policy.
};
static_assert(sizeof(Block) <= 48);

// Data of blocks that were written, or for which actors wait.
struct WrittenBlock {
    i64 dirty_sum;      // Sum of bytes written since its last write-back.
    i32 low, high;      // The range of these bytes.
    i32 writers;        // Transfers into it under way.
    i32 node;           // Node of its last write.
    const Tier* below;  // The tier below the store at its last write.
    BlockId next_of_file, prev_of_file;
    Waiters waiters;
    Nanoseconds dirty_since;  // Where needed; below 0: it is not dirty.
};

struct Ring {
    BlockId first = NONE, last = NONE;
    i64 count = 0;
};

struct FileRing {
    BlockId first = NONE, last = NONE;
};

struct Store : StoreRow {
    int shift = -1;  // Of a block of 2^shift bytes; else -1.
    Bytes extent_bytes{0};
    i64 exists = 0;  // Row of the first of its `exists`.
    i64 worker_row = 0;

    i32 block_at(Bytes offset) const {
        return static_cast<i32>(shift >= 0 ? offset.count >> shift : offset / block);
    }
};

// A counter for each event at an instance; composition.md, Stores.
struct StoreCounts {
    i64 hits = 0, misses = 0, fetched = 0, read_back = 0, written_back = 0, released = 0, rewrites_waited = 0;
    i64 prestaged = 0, created = 0, evicted = 0, read_ahead = 0, used_ahead = 0, limit_waits = 0, syncs = 0;
    i64 invalidated = 0, called_back = 0;
    Bytes accepted_bytes, overwritten_bytes, fetched_bytes, read_back_bytes, written_back_bytes, prestaged_bytes;
};

struct StoreInstance : StoreCounts {
    const Store* store = nullptr;
    i32 number = 0, member = 0;
    i64 used = 0;                       // Occupied slots.
    Ring rings[4];                      // By state: clean, dirty, queued, clean again.
    Ring gone, gone_again;              // Keys, for policies.
    i64 held = 0;                       // Blocks that are not clean.
    i64 target = 0, age = 0;            // For policies.
    i64 space = 0, most_dirty = 0, high = 0, low = 0;  // Slots that programs leave, and shares of limit and marks.
    Bytes programs{0};                  // Memory held by programs on its node.
    i32 idle_workers = 0;
    bool flusher_is_awake = false;
    Nanoseconds slowed{0};
    Queue room, limit;                  // Actors waiting for a slot for any file; for fewer dirty blocks.
    bool seen = false;                  // True if a file was looked up.
    bool writes_back = false;           // True if it has written back in the current period.
    i64 resident = 0, dirty = 0;        // At the end,
    Bytes dirty_bytes{0};

    Ring& clean() { return rings[0]; }
    Ring& again() { return rings[3]; }
    Ring& dirty_ring() { return rings[1]; }
    Ring& queued() { return rings[2]; }
    i64 cleans() const { return rings[0].count + rings[3].count; }

    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = StoreInstance;
        FIELD(hits), FIELD(misses), FIELD(fetched), FIELD(read_back), FIELD(written_back);
        FIELD(released), FIELD(rewrites_waited), FIELD(prestaged), FIELD(created), FIELD(evicted);
        FIELD(accepted_bytes), FIELD(overwritten_bytes), FIELD(fetched_bytes);
        FIELD(read_back_bytes), FIELD(written_back_bytes), FIELD(prestaged_bytes);
        FIELD(read_ahead), FIELD(used_ahead), FIELD(limit_waits), FIELD(syncs);
        FIELD(invalidated), FIELD(called_back), FIELD(seen), FIELD(resident), FIELD(dirty);
        FIELD(dirty_bytes);
    }
};

struct StoredFile {
    StoreInstance* instance = nullptr;
    i32 file = NONE;
    FileId chain = NONE;
    i64 written = 0;        // Its written blocks.
    bool outgrown = false;  // True once these have exceeded its quota.
    FileRing clean, dirty;  // Clean written blocks; dirty ones that are not queued.
    Queue room;             // Actors waiting for its quota.
    Actor* reader = nullptr;  // The reader that fetches blocks ahead: [run, run_end).
    i32 run = 0, run_end = 0;
    i64 pending = 0;        // Blocks that are dirty, queued or being written back.
    Waiters syncs;          // Actors waiting until there are none.
};

// The blocks of all stores, with their index.
class Rings {
  public:
    std::vector<Store> stores;
    std::vector<StoreInstance> instances;
    std::vector<StoredFile> files;
    std::vector<FileId> recent_files;  // Of each store and file (Store::exists): its row at the instance that used it last.

    Block& operator[](BlockId b) { return blocks_[b]; }
    WrittenBlock& written(BlockId b) { return written_[b]; }
    StoredFile& file_of(BlockId b) { return files[static_cast<size_t>((*this)[b].file)]; }
    StoredFile& file(FileId f) { return files[static_cast<size_t>(f)]; }

    // -- files in instances --------------------------------------------------------------------------

    // Return the row of a file in an instance; NONE if it never had a block there.
    FileId known_file(const StoreInstance& at, i32 file) const {
        if (file_heads_.empty()) return NONE;
        FileId f = file_heads_[file_head(at, file)];
        while (f >= 0 && (files[static_cast<size_t>(f)].file != file || files[static_cast<size_t>(f)].instance != &at))
            f = files[static_cast<size_t>(f)].chain;
        return f;
    }

    // Return the same, adding the row on first use.
    FileId file_row(StoreInstance& at, i32 file) {
        if (file < 0) return found_row(at, file);
        FileId& recent = recent_files[static_cast<size_t>(at.store->exists + file)];
        if (recent < 0 || files[static_cast<size_t>(recent)].instance != &at) recent = found_row(at, file);
        return recent;
    }
    FileId found_row(StoreInstance& at, i32 file) {
        const FileId known = known_file(at, file);
        if (known >= 0) return known;
        at.seen = true;
        StoredFile& made = files.emplace_back();
        made.instance = &at;
        made.file = file;
        if (files.size() > file_heads_.size() / 2) {
            file_bits_ = std::max(4, file_bits_ + 1);
            file_heads_.assign(size_t{1} << file_bits_, NONE);
            for (size_t f = 0; f < files.size(); ++f) chain_file(static_cast<FileId>(f));
        } else {
            chain_file(static_cast<FileId>(files.size() - 1));
        }
        return static_cast<FileId>(files.size() - 1);
    }

    // -- finding blocks ------------------------------------------------------------------------------

    // Return the row of a block of a file, including remembered keys; or NONE.
    [[gnu::always_inline]] BlockId look(FileId f, i32 index) {
        BlockId b = heads_[head(f, index)];
        while (b >= 0 && ((*this)[b].index != index || (*this)[b].file != f)) b = (*this)[b].chain;
        return b;
    }

    // Return the row of a resident block of a file, or NONE.
    [[gnu::always_inline]] BlockId find(FileId f, i32 index) {
        const BlockId b = look(f, index);
        return b >= 0 && (*this)[b].state >= BlockState::gone ? NONE : b;
    }

    // Add a row for a block to the index.
    BlockId new_block(FileId f, i32 index) {
        BlockId b = free_;
        if (b >= 0) {
            free_ = (*this)[b].chain;
        } else {
            if (blocks_.size() >= MOST_BLOCKS) throw BadPlan{"the native engine keeps at most 2**26 blocks; write larger ones"};
            b = static_cast<BlockId>(blocks_.add());
            written_.add();
            if (blocks_.size() > static_cast<i64>(heads_.size())) more_chains();
        }
        Block& block = (*this)[b];
        block.file = f;
        block.index = index;
        block.memory = 0;
        remember(b);
        return b;
    }

    // Remove a block from the index; its row is free.
    void forget(BlockId b) {
        Block& block = (*this)[b];
        BlockId* link = &heads_[head(block.file, block.index)];
        while (*link != b) link = &(*this)[*link].chain;
        *link = block.chain;
        block.state = BlockState::free;
        block.chain = free_;
        free_ = b;
    }

    template <class Visit>
    void each_busy(Visit&& visit) const {
        for (BlockId b = 0; b < static_cast<BlockId>(blocks_.size()); ++b)
            if (blocks_[b].state == BlockState::busy) visit(b);
    }

    // -- rings ---------------------------------------------------------------------------------------

    void append(BlockId b, Ring& ring) {
        Block& block = (*this)[b];
        block.next = NONE;
        block.prev = ring.last;
        (ring.last < 0 ? ring.first : (*this)[ring.last].next) = b;
        ring.last = b;
        ++ring.count;
    }

    void prepend(BlockId b, Ring& ring) {
        Block& block = (*this)[b];
        block.prev = NONE;
        block.next = ring.first;
        (ring.first < 0 ? ring.last : (*this)[ring.first].prev) = b;
        ring.first = b;
        ++ring.count;
    }

    void remove(BlockId b, Ring& ring) {
        const Block& block = (*this)[b];
        (block.prev < 0 ? ring.first : (*this)[block.prev].next) = block.next;
        (block.next < 0 ? ring.last : (*this)[block.next].prev) = block.prev;
        --ring.count;
    }

    // Append a busy block to (or put it in front of) the ring of a state.
    void join(StoreInstance& at, BlockId b, BlockState state, bool in_front = false) {
        (*this)[b].state = state;
        Ring& ring = at.rings[static_cast<int>(state)];
        if (in_front) prepend(b, ring);
        else append(b, ring);
        if (FileRing* of_file = file_ring(b)) append_to_file(b, *of_file);
    }
    // The same, of a file whose ring for that state is known, or that has none.
    void join_both(StoreInstance& at, BlockId b, BlockState state, FileRing* of_file) {
        (*this)[b].state = state;
        append(b, at.rings[static_cast<int>(state)]);
        if (of_file) append_to_file(b, *of_file);
    }

    // Remove a block from its ring; it is busy then.
    void leave(StoreInstance& at, BlockId b) {
        Block& block = (*this)[b];
        remove(b, at.rings[static_cast<int>(block.state)]);
        if (FileRing* of_file = file_ring(b)) remove_from_file(b, *of_file);
        block.state = BlockState::busy;
    }

    void append_to_file(BlockId b, FileRing& ring) {
        WrittenBlock& block = written(b);
        block.next_of_file = NONE;
        block.prev_of_file = ring.last;
        (ring.last < 0 ? ring.first : written(ring.last).next_of_file) = b;
        ring.last = b;
    }

    void remove_from_file(BlockId b, FileRing& ring) {
        const WrittenBlock& block = written(b);
        (block.prev_of_file < 0 ? ring.first : written(block.prev_of_file).next_of_file) = block.next_of_file;
        (block.next_of_file < 0 ? ring.last : written(block.next_of_file).prev_of_file) = block.prev_of_file;
    }

  private:
    static constexpr i64 MOST_BLOCKS = i64{1} << 26;
    Rows<Block> blocks_;
    Rows<WrittenBlock> written_;
    std::vector<BlockId> heads_{NONE};  // First block of each chain of equal hash.
    u32 last_head_ = 0;
    std::vector<FileId> file_heads_;
    BlockId free_ = NONE;
    int file_bits_ = 3;

    // Chains of a file's blocks are adjacent in memory.
    size_t head(FileId f, i32 index) const {
        return (static_cast<u32>(f) * 0x9E3779B1u + static_cast<u32>(index)) & last_head_;
    }
    size_t file_head(const StoreInstance& at, i32 file) const {
        return spread((static_cast<u64>(at.number) << 32) + static_cast<u32>(file), file_bits_);
    }
    void chain_file(FileId f) {
        StoredFile& one = file(f);
        FileId& first = file_heads_[file_head(*one.instance, one.file)];
        one.chain = first;
        first = f;
    }
    void remember(BlockId b) {
        BlockId& first = heads_[head((*this)[b].file, (*this)[b].index)];
        (*this)[b].chain = first;
        first = b;
    }
    void more_chains() {
        heads_.assign(std::max<size_t>(64, 4 * heads_.size()), NONE);
        last_head_ = static_cast<u32>(heads_.size() - 1);
        for (BlockId b = 0; b < static_cast<BlockId>(blocks_.size()) - 1; ++b)  // The last one is new.
            if ((*this)[b].state != BlockState::free) remember(b);
    }

    // Return the ring of its file that contains a block, by its state; none for queued and
    // unwritten ones.
    FileRing* file_ring(BlockId b) {
        const Block& block = (*this)[b];
        if (block.state == BlockState::queued) return nullptr;
        if (block.state == BlockState::dirty) return &file_of(b).dirty;
        return block.flags & WRITTEN ? &file_of(b).clean : nullptr;
    }
};

}  // namespace nwtsim
