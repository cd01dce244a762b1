// A Fortran library that goes back to write lengths of records: the NWT's. As nwt.py.
#pragma once

#include "simulator/native/stream.hpp"

namespace nwtsim {

struct NwtRuntime {
    static bool write(Stream& s) { return next_write(s, false); }

    static bool next_write(Stream& s, bool predicted) {
        while (s.record < s.count()) {
            if (s.part == NEW) put_whole_records(s);
            else if (s.part == DONE) end_record(s);
            else if (s.part >= BACK) return rewrite(s);
            else if (s.fill == s.buffer) return write_buffer(s);
            else if (s.left == 0) end_part(s, predicted);
            else put(s);
        }
        return s.fill ? write_buffer(s) : false;
    }

    static bool read(Stream& s) {
        while (s.record < s.count()) {
            if (s.part == NEW) take_whole_records(s);
            else if (s.left == 0) go_to_next_part(s);
            else if (s.at == s.end) return read_buffer(s);
            else take(s);
        }
        return false;
    }

  private:
    // What of a record comes next. LEAD to TRAIL go through the buffer, BACK to FORTH are calls.
    enum : u8 { NEW, LEAD, DATA, TRAIL, BACK, FIX, FORTH, DONE };

    // -- writing -------------------------------------------------------------------------------------

    // Put records into the buffer that do not fill it with both lengths, or begin one.
    static void put_whole_records(Stream& s) {
        const i64 records = s.fitting(s.buffer - s.fill - 1);
        if (records) {
            s.fill += records * (s.length + 2 * MARK);
            s.prediction = s.length;
            s.take_whole(records);
        } else {
            s.at = s.start + s.fill;
            s.part = LEAD;
            s.left = MARK;
        }
    }

    // Put into the buffer what it takes of the current part.
    static void put(Stream& s) {
        const i64 moved = std::min(s.left, s.buffer - s.fill);
        s.fill += moved;
        s.left -= moved;
        if (s.part == DATA) s.copied += moved;
    }

    static void end_part(Stream& s, bool predicted) {
        if (s.part == LEAD) {
            s.part = DATA;
            s.left = s.length;
        } else if (s.part == DATA) {
            s.part = TRAIL;
            s.left = MARK;
        } else {  // The leading length is still in the buffer, or was written right in advance; or not.
            const bool is_right = s.at >= s.start || (predicted && s.prediction == s.length);
            s.part = is_right ? DONE : BACK;
        }
    }

    static bool write_buffer(Stream& s) {
        const i64 start = s.start, size = s.fill;
        s.start += size;
        s.fill = 0;
        return s.call(Call::write, start, size);
    }

    // Go back, write what of the length has left the buffer, and return to the end.
    static bool rewrite(Stream& s) {
        switch (s.part++) {
            case BACK: return s.call(Call::seek, s.at, 0);
            case FIX: return s.call(Call::write, s.at, std::min(MARK, s.start - s.at));
            default: return s.call(Call::seek, s.start, 0);
        }
    }

    static void end_record(Stream& s) {
        s.prediction = s.length;
        s.part = NEW;
        s.go_on(1);
    }

    // -- reading -------------------------------------------------------------------------------------

    // Take records that are in the buffer with both lengths, or begin one.
    static void take_whole_records(Stream& s) {
        const i64 records = s.fitting(s.end - s.at);
        if (records) {
            s.at += records * (s.length + 2 * MARK);
            s.take_whole(records);
        } else {
            s.part = LEAD;
            s.left = MARK;
        }
    }

    static void go_to_next_part(Stream& s) {
        if (s.part == LEAD) {
            s.part = DATA;
            s.left = s.length;
        } else if (s.part == DATA) {
            s.part = TRAIL;
            s.left = MARK;
        } else {
            s.part = NEW;
            s.go_on(1);
        }
    }

    static bool read_buffer(Stream& s) {
        s.end = s.within_file(s.at + s.buffer);
        return s.call(Call::read, s.at, s.end - s.at);
    }

    // Take what is in the buffer of the current part.
    static void take(Stream& s) {
        const i64 moved = std::min(s.left, s.end - s.at);
        s.at += moved;
        s.left -= moved;
        if (s.part == DATA) s.copied += moved;
    }
};

}  // namespace nwtsim
