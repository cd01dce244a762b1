// The runtime library of gfortran (libgfortran), as its system calls show it. As gfortran.py, which
// says what was found.
#pragma once

#include "simulator/native/stream.hpp"

namespace nwtsim {

struct GfortranRuntime {
    static constexpr bool has_subrecords = true;

    // A request that finds no room has the buffer written, and is put again after that.
    static bool write(Stream& s) {
        while (true) {
            if (s.out) return write_buffer(s);
            if (s.straight) return write_straight(s);
            if (s.record < s.count()) write_part(s);
            else if (s.fill) s.out = s.fill;
            else return false;
        }
    }

    static bool read(Stream& s) {
        take(s, s.arrived);
        s.arrived = 0;
        if (s.straight) return read_straight(s);
        while (s.record < s.count()) {
            if (s.part == NEW) take_whole_records(s);
            else if (s.want == 0) go_to_next_part(s);
            else if (s.at < s.end) take(s, std::min(s.want, s.end - s.at));
            else return read_more(s);
        }
        return false;
    }

  private:
    // What of a record comes next, in the order of the requests. LEAD to END are of a subrecord.
    enum : u8 { NEW, LEAD, DATA, LEAD_AGAIN, TRAIL, END, DONE };

    // -- writing -------------------------------------------------------------------------------------

    static void write_part(Stream& s) {
        switch (s.part) {
            case NEW: put_whole_records(s); break;
            case LEAD:
                if (put(s, s.at, MARK)) begin_subrecord(s);
                break;
            case DATA: put_data(s); break;
            case LEAD_AGAIN:
                if (put(s, s.at, MARK)) s.part = TRAIL;
                break;
            case TRAIL:
                if (put(s, s.at + MARK + s.piece, MARK)) s.part = END;
                break;
            case END: end_subrecord(s); break;
            default:
                s.part = NEW;
                s.go_on(1);
        }
    }

    // Put records that have room in the buffer, until it is half full; or begin one. What the buffer
    // holds now ends where the record begins, and is less than half of it.
    static void put_whole_records(Stream& s) {
        const i64 extent = s.length + 2 * MARK, half = s.buffer / 2;
        i64 records = 0;
        if (s.length <= s.subrecord) {
            records = std::min(s.lengths->alike(s.record), (half - s.fill + extent - 1) / extent);
            if (s.fill + records * extent > s.buffer) --records;
        }
        if (records == 0) {
            s.part = LEAD;
            s.left = s.length;
            s.run = s.request;
            return;
        }
        if (s.fill == 0) s.start = s.at;
        s.fill += records * extent;
        s.copied += records * s.length;
        s.piece = s.length;
        // The last one may have filled the buffer by half: that is seen to when it ends.
        s.go_on(records - 1);
        s.at += (records - 1) * extent;
        s.left = 0;
        s.part = END;
    }

    // Its length is there, as 0; now for its data.
    static void begin_subrecord(Stream& s) {
        s.piece = s.rest = std::min(s.left, s.subrecord);
        s.left -= s.piece;
        s.part = s.piece ? DATA : LEAD_AGAIN;
    }

    // Put one request of data, or as many as the buffer takes one after the other.
    static void put_data(Stream& s) {
        const i64 at = s.at + MARK + s.piece - s.rest;
        const i64 size = asked(s, s.fill ? s.start + s.buffer - at : 0);
        if (!put(s, at, size)) return;
        s.copied += size;
        count_request(s, size);
        if (s.rest == 0) s.part = LEAD_AGAIN;
    }

    // Bytes of the next request, or of all whole ones that fit in so much room.
    static i64 asked(const Stream& s, i64 room) {
        const i64 one = std::min(s.run, s.rest);
        if (one == s.request && room > s.request) return std::min(room, s.rest) / s.request * s.request;
        return one;
    }

    // Count so many bytes of data as asked for; whole requests may be several.
    static void count_request(Stream& s, i64 size) {
        s.rest -= size;
        s.run = size < s.run ? s.run - size : s.request;
    }

    // Put bytes that belong at an offset into the buffer, or past it; false, and the buffer is to be
    // written, if that must be before.
    static bool put(Stream& s, i64 at, i64 size) {
        if (s.fill == 0) {
            if (size > s.buffer / 2) {
                s.straight = size;
                s.straight_at = at;
            } else {
                s.start = at;
                s.fill = size;
            }
            return true;
        }
        const i64 end = at + size - s.start;
        if (end > s.buffer || at < s.start || at - s.start > s.fill) {  // It must touch what is there.
            s.out = s.fill;
            return false;
        }
        s.fill = std::max(s.fill, end);
        return true;
    }

    // Go on to the next one, or end the record and write a buffer that is half full.
    static void end_subrecord(Stream& s) {
        s.at += s.piece + 2 * MARK;
        if (s.left) {
            s.part = LEAD;
            return;
        }
        s.part = DONE;
        if (s.fill >= s.buffer / 2) s.out = s.fill;
    }

    static bool write_buffer(Stream& s) {
        const i64 at = s.start;
        if (s.place != at) return seek(s, at);
        const i64 size = std::min(s.out, MAX_TRANSFER);
        s.start += size;
        s.out -= size;
        s.fill -= size;
        s.place += size;
        return s.call(Call::write, at, size);
    }

    static bool write_straight(Stream& s) {
        const i64 at = s.straight_at;
        if (s.place != at) return seek(s, at);
        const i64 size = std::min(s.straight, MAX_TRANSFER);
        s.straight_at += size;
        s.straight -= size;
        s.place += size;
        return s.call(Call::write, at, size);
    }

    static bool seek(Stream& s, i64 at) {
        s.place = at;
        return s.call(Call::seek, at, 0);
    }

    // -- reading -------------------------------------------------------------------------------------

    // Take records whose data are all in the buffer, or begin one.
    static void take_whole_records(Stream& s) {
        const i64 there = s.end - s.at;
        i64 records = 0;
        // The trailing length of the last need not be there: it is stepped over.
        if (there > 0 && s.length <= s.subrecord) records = s.fitting(there + MARK);
        if (records) {
            s.at += records * (s.length + 2 * MARK);
            s.take_whole(records);
        } else {
            s.part = LEAD;
            s.want = MARK;
            s.left = s.length;
            s.run = s.request;
        }
    }

    static void take(Stream& s, i64 size) {
        s.at += size;
        s.want -= size;
        if (s.part == DATA) s.copied += size;
    }

    static void go_to_next_part(Stream& s) {
        if (s.part == LEAD) {
            const i64 piece = std::min(s.left, s.subrecord);
            s.part = DATA;
            s.rest = piece;
            s.left -= piece;
        }
        if (s.rest) {
            s.want = asked(s, s.end - s.at);
            count_request(s, s.want);
        } else {  // Step over the trailing length, to the next subrecord or record.
            s.at += MARK;
            if (s.left) {
                s.part = LEAD;
                s.want = MARK;
            } else {
                s.part = NEW;
                s.go_on(1);
            }
        }
    }

    // Read what the buffer does not have, through it or past it.
    static bool read_more(Stream& s) {
        const i64 at = s.at;
        if (s.place != at) return seek(s, at);
        if (s.want > s.buffer / 2) {
            s.straight = s.want;
            return read_straight(s);
        }
        s.end = s.place = s.within_file(at + s.buffer);
        return s.call(Call::read, at, s.end - at);
    }

    static bool read_straight(Stream& s) {
        const i64 at = s.at, size = std::min(s.straight, MAX_TRANSFER);
        s.straight -= size;
        s.arrived = size;
        s.place = at + size;
        return s.call(Call::read, at, size);
    }
};

}  // namespace nwtsim
