// The same job with another buffer: see buffered.py, which does the same where nothing is compiled.
#pragma once

#include <vector>

#include "simulator/workload/extents.hpp"

namespace nwtsim {

// A row of a table of calls.
struct CallRow {
    i8 kind;
    i32 file;
    i64 offset, size, gap;
};

class Gatherer {
  public:
    // `sizes`: bytes of the buffer of each file; 0: it has none. `reach`: how far each file goes.
    // `ordered`: buffers are written before other clients are made, or waited for.
    Gatherer(const i64* sizes, const i64* reach, i64 files, bool ordered) : ordered_(ordered) {
        for (i64 file = 0; file < files; ++file) buffers_.push_back({.size = sizes[file], .reach = reach[file]});
    }

    std::vector<CallRow> rows;
    std::vector<i64> cause;  // The number of the row that caused each.

    // Take in the rows [first, end) of a client; what it leaves in its buffers is written at its end.
    // That is before a pause and the marks that may follow its last call: others wait for these.
    template <class RowAt>
    void gather(i64 client, i64 first, i64 end, RowAt&& row_at) {
        pending_ = 0;
        i64 last = end;
        while (last > first && is(row_at(last - 1), Operation::PASS)) --last;
        if (last > first && is(row_at(last - 1), Operation::PAUSE)) --last;
        for (i64 number = first; number < end; ++number) {
            if (number == last) flush_all(number);
            take(client, number, row_at(number));
        }
        if (last == end) flush_all(end - 1);
        if (pending_) put(end - 1, Operation::PAUSE, -1, 0, 0);
    }

  private:
    enum class State : u8 { NONE, CLEAN, DIRTY };  // It holds nothing, bytes that were read, bytes to be written.
    struct Buffer {
        i64 size, reach;
        i64 low = 0, high = 0;
        i64 owner = -1;    // The client whose buffer it is.
        i64 chained = -1;  // The client in whose chain of files with bytes to write it is; each is there once.
        i32 next = -1;
        State state = State::NONE;
    };

    std::vector<Buffer> buffers_;
    bool ordered_;
    i32 first_dirty_ = -1;
    i64 pending_ = 0;  // Computing since the last row that was made; ns.

    static bool is(const CallRow& row, Operation operation) { return row.kind == static_cast<i8>(operation); }
    Buffer& at(i32 file) { return buffers_[static_cast<size_t>(file)]; }

    void put(i64 from, CallRow row) {
        row.gap = pending_;
        pending_ = 0;
        rows.push_back(row);
        cause.push_back(from);
    }
    void put(i64 from, Operation operation, i32 file, i64 offset, i64 size) {
        put(from, {static_cast<i8>(operation), file, offset, size, 0});
    }

    void take(i64 client, i64 number, const CallRow& row) {
        pending_ = plus(pending_, row.gap);
        if (row.file < 0) {
            if (ordered_ && !is(row, Operation::PAUSE)) flush_all(number);
            put(number, row);
        } else if (at(row.file).size == 0) {
            put(number, row);
        } else if (!is(row, Operation::SEEK)) {
            Buffer& buffer = at(row.file);
            if (buffer.owner != client) buffer.state = State::NONE;
            buffer.owner = client;
            buffered(client, number, row);
        }
    }

    // Take in a call on a file with a buffer.
    void buffered(i64 client, i64 number, const CallRow& row) {
        const bool reads = is(row, Operation::READ), writes = is(row, Operation::WRITE);
        if (writes && row.size > 0) return write(client, number, row);
        if (reads && row.size > 0) return read(number, row);
        if (!reads && !writes && !is(row, Operation::OPEN) && !is(row, Operation::STAT)) flush(number, row.file);  // A close, or a sync.
        if (is(row, Operation::CLOSE)) at(row.file).state = State::NONE;
        put(number, row);
    }

    // Write into the buffer, or past it.
    void write(i64 client, i64 number, const CallRow& row) {
        Buffer& buffer = at(row.file);
        const i64 end = plus(row.offset, row.size);
        if (buffer.state == State::DIRTY) {
            const i64 low = std::min(buffer.low, row.offset), high = std::max(buffer.high, end);
            if (row.offset <= buffer.high && end >= buffer.low && high - low <= buffer.size) {
                buffer.low = low;
                buffer.high = high;
                return;
            }
            flush(number, row.file);
        }
        if (row.size >= buffer.size) {
            buffer.state = State::NONE;
            return put(number, Operation::WRITE, row.file, row.offset, row.size);
        }
        buffer.state = State::DIRTY;
        buffer.low = row.offset;
        buffer.high = end;
        if (buffer.chained == client) return;
        buffer.chained = client;
        buffer.next = first_dirty_;
        first_dirty_ = row.file;
    }

    // Read from the buffer, and what it does not hold in whole buffers.
    void read(i64 number, const CallRow& row) {
        flush(number, row.file);
        Buffer& buffer = at(row.file);
        const i64 end = plus(row.offset, row.size);
        i64 from = row.offset;
        if (buffer.state == State::CLEAN && buffer.low <= from && from < buffer.high) from = std::min(end, buffer.high);
        while (from < end) {
            i64 length = end - from;
            if (length < buffer.size) length = std::max(length, std::min(buffer.size, buffer.reach - from));
            put(number, Operation::READ, row.file, from, length);
            buffer.state = State::CLEAN;
            buffer.low = from;
            buffer.high = from = plus(from, length);
        }
    }

    // Write what the buffer of a file holds.
    void flush(i64 number, i32 file) {
        Buffer& buffer = at(file);
        if (buffer.state != State::DIRTY) return;
        buffer.state = State::NONE;
        put(number, Operation::WRITE, file, buffer.low, buffer.high - buffer.low);
    }

    // Write what all buffers of the client hold, the last one first.
    void flush_all(i64 number) {
        for (i32 file = first_dirty_; file >= 0; file = at(file).next) {
            flush(number, file);
            at(file).chained = -1;
        }
        first_dirty_ = -1;
    }
};

}  // namespace nwtsim
