// The runtime library of LLVM's flang: its buffer grows with the records. As flang.py.
#pragma once

#include "simulator/native/stream.hpp"

namespace nwtsim {

struct FlangRuntime {
    static constexpr bool has_buffer = false;

    static bool write(Stream& s) {
        while (true) {
            if (s.out) return write_buffer(s);
            if (s.record < s.count()) put_part(s);
            else if (s.fill) s.out = s.fill;
            else return false;
        }
    }

    static bool read(Stream& s) {
        while (s.record < s.count()) {
            if (s.part == NEW) take_whole_records(s);
            else if (s.end < s.at + s.want) return read_buffer(s);
            else go_to_next_part(s);
        }
        return false;
    }

  private:
    static constexpr i64 GROWTH = 65'536;  // Bytes by which the buffer grows at least, and its first size.
    enum : u8 { NEW, LEAD, DATA, TRAIL, DONE };

    static void put_part(Stream& s) {
        if (s.part == NEW) {
            put_whole_records(s);
            return;
        }
        switch (s.part++) {
            case LEAD: make_room(s, MARK); break;
            case DATA: make_room(s, MARK + s.length); break;
            case TRAIL:
                s.copied += s.length;
                make_room(s, MARK + s.length + MARK);
                break;
            default:
                s.fill += MARK + s.length + MARK;
                s.part = NEW;
                s.go_on(1);
        }
    }

    // Put records together that have room in the buffer, or begin one.
    static void put_whole_records(Stream& s) {
        const i64 records = s.fitting(s.buffer - s.fill);
        if (records) {
            s.fill += records * (s.length + 2 * MARK);
            s.take_whole(records);
        } else {
            s.part = LEAD;
        }
    }

    // See to so many bytes for the current record, after the whole records or alone.
    static void make_room(Stream& s, i64 size) {
        grow(s, size);
        if (s.fill + size > s.buffer) s.out = s.fill;
    }

    static void grow(Stream& s, i64 size) {
        if (size > s.buffer) s.buffer = std::max(size, s.buffer + GROWTH);
    }

    static bool write_buffer(Stream& s) {
        const i64 start = s.start, size = std::min(s.out, MAX_TRANSFER);
        s.start += size;
        s.out -= size;
        s.fill -= size;
        return s.call(Call::write, start, size);
    }

    // Take records that are in the buffer with all their lengths, or begin one.
    static void take_whole_records(Stream& s) {
        const i64 before = length_before(s), records = s.fitting(s.end - s.at - before);
        if (records) {
            s.at += before + records * (s.length + 2 * MARK) - MARK;
            s.take_whole(records);
        } else {
            s.part = LEAD;
            make_frame(s, before + MARK);
        }
    }

    // Bytes that are needed before the current record: the length that ends the one before.
    static i64 length_before(const Stream& s) { return s.record ? MARK : 0; }

    static void go_to_next_part(Stream& s) {
        const i64 before = length_before(s);
        if (s.part == LEAD) {
            s.part = DATA;
            make_frame(s, before + MARK + s.length + MARK);
        } else {
            s.copied += s.length;
            s.at += before + MARK + s.length;
            s.part = NEW;
            s.go_on(1);
        }
    }

    // Let the buffer hold so much from the frame on, dropping what comes before if it must.
    static void make_frame(Stream& s, i64 want) {
        s.want = want;
        grow(s, want);
        if (s.at + want > s.start + s.buffer) s.start = s.at;
    }

    static bool read_buffer(Stream& s) {
        const i64 start = s.end, room = s.start + s.buffer - start;
        s.end = s.within_file(start + std::min(room, MAX_TRANSFER));
        return s.call(Call::read, start, s.end - start);
    }
};

}  // namespace nwtsim
