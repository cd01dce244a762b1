// The rows of a batch, column by column; texts are numbers of names.
//
// The memory of a column is handed out when its batch is full, and used again when nobody has it. A
// batch with rows that may still be corrected is kept back until the next one is full.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "simulator/traces/names.hpp"

namespace nwtsim {

// Memory that is used again. Only touched by who has the interpreter's lock.
class Pool {
  public:
    using Piece = std::vector<u8>;

    Piece take(size_t size) {
        for (size_t i = free_.size(); i-- > 0;) {
            if (free_[i].size() != size) continue;
            Piece piece = std::move(free_[i]);
            free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
            return piece;
        }
        return Piece(size);
    }
    void give_back(Piece&& piece) {
        if (free_.size() < MOST) free_.push_back(std::move(piece));
    }

  private:
    static constexpr size_t MOST = 64;
    std::vector<Piece> free_;
};

// Which of all names a column of a batch has, numbered from 0 as they come.
class Used {
  public:
    explicit Used(const Names& names) : names(names) {}

    const Names& names;
    std::vector<i32> used;

    // Return the number that a name has in the current batch.
    i32 local(i32 name) {
        const auto at = static_cast<size_t>(name);
        if (at >= local_of_.size()) local_of_.resize(std::max(2 * local_of_.size(), at + 1));
        const i32 local = local_of_[at];
        if (static_cast<size_t>(local) < used.size() && used[static_cast<size_t>(local)] == name) return local;
        used.push_back(name);
        return local_of_[at] = static_cast<i32>(used.size()) - 1;
    }

  private:
    std::vector<i32> local_of_;  // Of a name, the place that it has in `used` if it is there.
};

// A row, as it is known when its call has ended.
struct Row {
    i64 time, duration;
    i64 offset, to_offset, requested, returned;
    i32 pid, process, call, fd, kind, file, to_file, error, flags;  // Below 0: none.
};

// One column: its name, how many bytes a value has, and whether all values are there.
struct ColumnForm {
    const char* name;
    int width;
    bool always;
};

// Rows from number `first` on, and the names that two of their columns have.
struct Batch {
    std::vector<Pool::Piece> pieces;
    i64 first = 0, count = 0;
    std::vector<i32> files, to_files;
};

class Rows {
  public:
    static constexpr int COLUMNS = 15;
    static constexpr ColumnForm FORMS[COLUMNS] = {
        {"time_ns", 8, false}, {"duration_ns", 8, false}, {"offset", 8, false}, {"to_offset", 8, false},
        {"requested", 8, false}, {"returned", 8, false}, {"pid", 4, true}, {"process", 4, true}, {"call", 4, true},
        {"fd", 4, false}, {"kind", 4, false}, {"file", 4, false}, {"to_file", 4, false}, {"error", 4, false},
        {"flags", 4, false},
    };

    Rows(const Names& names, i64 capacity)
        : capacity(capacity), last(capacity - std::min(MOST_REQUESTS, capacity / 4) - 4), files(names), to_files(names) {
        begin();
    }

    const i64 capacity;
    const i64 last;  // With so many rows it is full: a call may have more than one.
    i64 count = 0;
    Used files, to_files;
    std::shared_ptr<Pool> pool = std::make_shared<Pool>();

    // How many rows have not been handed out, and the number of the next row of all.
    i64 left() const { return (kept_ ? kept_->count : 0) + count; }
    i64 next() const { return first_ + count; }

    // Return the oldest rows that are ready, if any are: rows from `open` on may be corrected, as
    // long as only one batch is kept back for that. Begins a new batch, in memory of its own.
    std::optional<Batch> take(i64 open) {
        if (kept_) return std::exchange(kept_, {});
        Batch made{std::move(pieces_), first_, count, std::move(files.used), std::move(to_files.used)};
        begin();
        if (open >= made.first + made.count) return made;
        kept_ = std::move(made);
        return {};
    }

    // A call whose row has been added has returned something else.
    void correct(i64 row, i64 returned, i32 error) {
        Batch* const kept = kept_ && row < first_ ? &*kept_ : nullptr;
        const i64 at = row - (kept ? kept->first : first_);
        const auto put = [&](size_t column, auto value) {
            std::memcpy((kept ? kept->pieces : pieces_)[column].data() + static_cast<size_t>(at) * sizeof value, &value, sizeof value);
        };
        put(RETURNED, returned);
        if (error < 0) return;
        put(OFFSET, ABSENT);
        put(ERROR, error);
    }

    void add(const Row& row) {
        const auto at = static_cast<size_t>(count++);
        const auto absent = [](i32 value) { return value >= 0 ? value : ABSENT32; };
        longs_[0][at] = row.time;
        longs_[1][at] = row.duration;
        longs_[2][at] = row.offset;
        longs_[3][at] = row.to_offset;
        longs_[4][at] = row.requested;
        longs_[5][at] = row.returned;
        ints_[0][at] = row.pid;
        ints_[1][at] = row.process;
        ints_[2][at] = row.call;
        ints_[3][at] = absent(row.fd);
        ints_[4][at] = absent(row.kind);
        ints_[5][at] = row.file >= 0 ? files.local(row.file) : ABSENT32;
        ints_[6][at] = row.to_file >= 0 ? to_files.local(row.to_file) : ABSENT32;
        ints_[7][at] = absent(row.error);
        ints_[8][at] = absent(row.flags);
    }

    // Set a bit for each value of a column that is there, the first one's the lowest of its byte;
    // returns whether all are.
    static bool present(const Batch& batch, int column, u8* bits) {
        const u8* bytes = batch.pieces[static_cast<size_t>(column)].data();
        return FORMS[column].width == 8 ? present(reinterpret_cast<const i64*>(bytes), batch.count, ABSENT, bits)
                                        : present(reinterpret_cast<const i32*>(bytes), batch.count, ABSENT32, bits);
    }

  private:
    static constexpr i64 MOST_REQUESTS = 1024;  // Rows of requests of one call of io_submit.
    static constexpr size_t LONGS = 6, INTS = 9;  // Columns of 64 bits, which come first, and of 32.
    static constexpr size_t OFFSET = 2, RETURNED = 5, ERROR = 13;

    std::vector<Pool::Piece> pieces_;
    i64 first_ = 0;  // The number of the batch's first row.
    std::optional<Batch> kept_;
    i64* longs_[LONGS];
    i32* ints_[INTS];

    void begin() {
        first_ += count;
        count = 0;
        files.used.clear();
        to_files.used.clear();
        pieces_.clear();
        for (const ColumnForm& form : FORMS) pieces_.push_back(pool->take(static_cast<size_t>(form.width * capacity)));
        for (size_t k = 0; k < LONGS; ++k) longs_[k] = reinterpret_cast<i64*>(pieces_[k].data());
        for (size_t k = 0; k < INTS; ++k) ints_[k] = reinterpret_cast<i32*>(pieces_[LONGS + k].data());
    }

    template <class Value>
    static bool present(const Value* values, i64 count, Value absent, u8* bits) {
        unsigned missing = 0;
        for (i64 at = 0; at < count; at += 8) {
            const int size = static_cast<int>(std::min<i64>(8, count - at));
            unsigned byte = 0;
            if (size == 8) {
                for (int k = 0; k < 8; ++k) byte |= static_cast<unsigned>(values[at + k] != absent) << k;
            } else {
                for (int k = 0; k < size; ++k) byte |= static_cast<unsigned>(values[at + k] != absent) << k;
            }
            missing |= byte ^ ((1u << size) - 1);
            bits[at / 8] = static_cast<u8>(byte);
        }
        return missing == 0;
    }
};

}  // namespace nwtsim
