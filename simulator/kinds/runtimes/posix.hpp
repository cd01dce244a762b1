// A program that writes and reads its records itself: one call for each, and no library. As posix.py.
#pragma once

#include "simulator/native/stream.hpp"

namespace nwtsim {

struct PosixRuntime {
    static bool write(Stream& s) {
        if (!has_more(s)) return false;
        const i64 at = s.at, size = next_size(s);
        s.copied += size;
        return s.call(Call::write, at, size);
    }

    static bool read(Stream& s) {
        s.copied += s.arrived;
        s.arrived = 0;
        if (!has_more(s)) return false;
        const i64 at = s.at, size = next_size(s);
        s.arrived = size;
        return s.call(Call::read, at, size);
    }

  private:
    enum : u8 { NEW, DATA, DONE };

    // Count a record whose last call was made; whether there is another call.
    static bool has_more(Stream& s) {
        if (s.part == DONE) {
            s.part = NEW;
            s.go_on(1);
        }
        return s.record < s.count();
    }

    // Take the bytes of one call off what is left of the record.
    static i64 next_size(Stream& s) {
        if (s.part == NEW) s.left = s.length;
        const i64 size = std::min(s.left, MAX_TRANSFER);
        s.left -= size;
        s.at += size;
        s.part = s.left ? DATA : DONE;
        return size;
    }
};

}  // namespace nwtsim
