// The jobs that wait in a queue, in the order in which they are looked at.
//
// They are kept in chunks, so that jobs come and go in little time however many wait; a chunk whose
// jobs all need more nodes than there are is passed over as a whole.
#pragma once

#include <limits>
#include <vector>

#include "simulator/native/pulse.hpp"

namespace nwtsim {

// What a visitor of a waiting job returns: it stays or leaves; or it stays, and none is visited
// after it.
enum class Visit : u8 { stays, leaves, ends };

class Waiting {
  public:
    struct Entry {
        wide key;
        i64 submit;
        i32 row, nodes;

        bool comes_before(const Entry& other) const {
            if (key != other.key) return key < other.key;
            return submit != other.submit ? submit < other.submit : row < other.row;
        }
    };
    static constexpr i64 ANY = std::numeric_limits<i64>::max();

    bool empty() const { return chunks_.empty(); }

    // Return the least number of nodes that one of them needs; no more than `enough` is as good.
    i64 least(i64 enough) const {
        i64 found = ANY;
        for (const Chunk& chunk : chunks_) {
            found = std::min<i64>(found, chunk.least);
            if (found <= enough) break;
        }
        return found;
    }

    void insert(const Entry& one) {
        if (chunks_.empty()) chunks_.emplace_back();
        auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                          [&](const Chunk& c) { return !c.all.empty() && c.all.back().comes_before(one); });
        if (chunk == chunks_.end()) --chunk;
        auto at = std::partition_point(chunk->all.begin(), chunk->all.end(),
                                       [&](const Entry& other) { return other.comes_before(one); });
        chunk->all.insert(at, one);
        chunk->least = std::min(chunk->least, one.nodes);
        if (chunk->all.size() <= MOST_OF_CHUNK) return;
        Chunk second;
        second.all.assign(chunk->all.begin() + MOST_OF_CHUNK / 2, chunk->all.end());
        chunk->all.resize(MOST_OF_CHUNK / 2);
        second.count_least();
        chunk->count_least();
        chunks_.insert(chunk + 1, std::move(second));
    }

    // Visit the jobs in order, but for those that need more than `most` nodes (which may change).
    template <class Visitor>
    void visit(const i64& most, Pulse& pulse, Visitor&& visitor) {
        bool ends = false, any_empty = false;
        for (Chunk& chunk : chunks_) {
            pulse.tick();
            if (chunk.least > most) continue;
            bool any_left = false;
            for (Entry& one : chunk.all) {
                if (one.nodes > most) continue;
                pulse.tick();
                const Visit what = visitor(one);
                ends = what == Visit::ends;
                if (ends) break;
                if (what == Visit::leaves) {
                    one.row = GONE;
                    any_left = true;
                }
            }
            if (any_left) {
                std::erase_if(chunk.all, [](const Entry& one) { return one.row == GONE; });
                chunk.count_least();
                any_empty = any_empty || chunk.all.empty();
            }
            if (ends) break;
        }
        if (any_empty) std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.all.empty(); });
    }

    // Order the jobs anew, by other keys.
    template <class Key>
    void sort(Pulse& pulse, Key&& key) {
        std::vector<Entry> all;
        for (const Chunk& chunk : chunks_) all.insert(all.end(), chunk.all.begin(), chunk.all.end());
        for (Entry& one : all) one.key = key(one.row);
        std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.comes_before(b); });
        pulse.tick(static_cast<i64>(all.size()));
        auto from = all.begin();
        for (Chunk& chunk : chunks_) {
            const auto size = static_cast<std::ptrdiff_t>(chunk.all.size());
            std::copy_n(from, size, chunk.all.begin());
            chunk.count_least();
            from += size;
        }
    }

  private:
    static constexpr i32 MOST_OF_CHUNK = 128, GONE = -1;

    struct Chunk {
        std::vector<Entry> all;
        i32 least = std::numeric_limits<i32>::max();

        void count_least() {
            least = std::numeric_limits<i32>::max();
            for (const Entry& one : all) least = std::min(least, one.nodes);
        }
    };
    std::vector<Chunk> chunks_;  // None is empty.
};

}  // namespace nwtsim
