// A record stream: the sequence of calls with which a runtime library writes or reads a file of
// records. It has no clock and holds no data.
//
// Each library has a class with two static functions, `write` and `read` (simulator/kinds/runtimes,
// native.hpp), that advance to the next call and return whether there is one. All keep their state
// in a Stream, and share fields of the same meaning.
#pragma once

#include "simulator/native/lengths.hpp"
#include "simulator/native/pulse.hpp"

namespace nwtsim {

constexpr i64 MARK = 4;                         // Bytes of a record length.
constexpr i64 MAX_TRANSFER = 2'147'479'552;     // Maximum bytes of one read or write in Linux.
constexpr i64 LARGEST_FILE = i64{1} << 61;
constexpr i64 NO_LIMIT = (i64{1} << 62) - 1 + (i64{1} << 62);

enum class Call : u8 { seek, read, write };

struct Stream {
    // The call: its offset; bytes it moves.
    Call op;
    i64 offset, size;
    // Between the previous call and this one: data copied, records completed.
    i64 copied, records;
    // The stream's parameters; its records, and the current one: number, length, next part.
    i32 policy;
    bool is_write;
    u8 part;
    const Lengths* lengths;
    i64 record, length;
    i64 left;     // Remaining bytes of the part, or data of the record.
    i64 at;       // Offset of the record or its next byte in the file.
    i64 arrived;  // Bytes of the last call.
    i64 buffer, request, subrecord;  // Bytes of its buffer, of a request, maximum of a subrecord.
    // The buffer: the offset in the file of its first byte, bytes in it, dirty bytes of them; for
    // reading, the offset after its last byte.
    i64 start, fill, out, end;
    i64 place, file_end;  // Offset of the next call; the end of the file.
    i64 piece, rest, run;  // Data of a subrecord; its part not yet moved; rest of a request.
    i64 straight, straight_at;  // Bytes that bypass the buffer, and their offset.
    i64 want;        // Bytes that must have been read before the program continues.
    i64 prediction;  // The length that was written ahead of the data.
    Pulse* pulse;

    i64 count() const { return lengths->count; }

    // Set the current call; returns that there is one.
    bool call(Call what, i64 where, i64 bytes) {
        op = what;
        offset = where;
        size = bytes;
        return true;
    }

    // Complete a number of records from the current one on, and begin the next.
    void go_on(i64 done) {
        pulse->tick();
        records += done;
        record += done;
        if (record < count()) length = lengths->length(record);
    }

    // Hand over a number of whole records, all of the current length.
    void take_whole(i64 done) {
        copied += done * length;
        go_on(done);
    }

    // Return the number of records of the current length that fit in a number of bytes, lengths
    // included.
    i64 fitting(i64 room) const {
        const i64 extent = length + 2 * MARK;
        if (extent > room) return 0;
        const i64 alike = lengths->alike(record);
        return alike == 1 ? 1 : std::min(alike, room / extent);
    }

    i64 within_file(i64 offset_behind) const { return std::min(offset_behind, file_end); }
};

}  // namespace nwtsim
