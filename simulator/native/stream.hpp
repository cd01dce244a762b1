// A record stream: what a runtime library asks of the system to write or read a file of records, one
// call after the other. It has no clock and holds no data.
//
// Each library has a class with two static functions, `write` and `read` (simulator/kinds/runtimes,
// native.hpp), that go to the next call and return whether there is one. All keep their state in a
// Stream, and where two of them mean the same they use the same field.
#pragma once

#include "simulator/native/lengths.hpp"
#include "simulator/native/pulse.hpp"

namespace nwtsim {

constexpr i64 MARK = 4;                         // Bytes of a record length.
constexpr i64 MAX_TRANSFER = 2'147'479'552;     // Bytes that Linux moves in one read or write at most.
constexpr i64 LARGEST_FILE = i64{1} << 61;
constexpr i64 NO_LIMIT = (i64{1} << 62) - 1 + (i64{1} << 62);

enum class Call : u8 { seek, read, write };

struct Stream {
    // The call: where it lands, begins or goes to; bytes it moves.
    Call op;
    i64 offset, size;
    // Between the previous call and this one: data handed over, records completed.
    i64 copied, records;
    // What the stream is; its records, and the one in hand: number, length, what of it comes next.
    i32 policy;
    bool is_write;
    u8 part;
    const Lengths* lengths;
    i64 record, length;
    i64 left;     // Bytes of the part, or data of the record, still to come.
    i64 at;       // Where the record or its next byte lies in the file.
    i64 arrived;  // Bytes that the last call brought.
    i64 buffer, request, subrecord;  // Bytes of its buffer, of a request, of a subrecord at most.
    // The buffer: the offset in the file of its first byte, bytes in it, bytes of them that have to be
    // written next; for reading, the offset after its last byte.
    i64 start, fill, out, end;
    i64 place, file_end;  // Where a call would land; the end of the file.
    i64 piece, rest, run;  // Data of a subrecord; of it that no request has moved; left of a request.
    i64 straight, straight_at;  // Bytes that go past the buffer, and where they lie.
    i64 want;        // Bytes that must have been read before the program goes on.
    i64 prediction;  // The length that was written ahead of the data.
    Pulse* pulse;

    i64 count() const { return lengths->count; }

    // Make this the current call; returns that there is one.
    bool call(Call what, i64 where, i64 bytes) {
        op = what;
        offset = where;
        size = bytes;
        return true;
    }

    // Count so many records from the current one as done, and take up the next.
    void go_on(i64 done) {
        pulse->tick();
        records += done;
        record += done;
        if (record < count()) length = lengths->length(record);
    }

    // Let so many records be handed over whole, all as long as the current one.
    void take_whole(i64 done) {
        copied += done * length;
        go_on(done);
    }

    // How many records of the current one's length fit in so many bytes, lengths included.
    i64 fitting(i64 room) const {
        const i64 extent = length + 2 * MARK;
        if (extent > room) return 0;
        const i64 alike = lengths->alike(record);
        return alike == 1 ? 1 : std::min(alike, room / extent);
    }

    i64 within_file(i64 offset_behind) const { return std::min(offset_behind, file_end); }
};

}  // namespace nwtsim
