// C's buffered streams: fwrite and fread of records. As stdio.py.
#pragma once

#include "simulator/native/stream.hpp"

namespace nwtsim {

struct StdioRuntime {
    static bool write(Stream& s) {
        while (s.record < s.count()) {
            if (s.fill == s.buffer) return flush(s);
            if (!stepped(s)) s.fill += moved(s, s.buffer - s.fill);
        }
        return s.fill && flush(s);
    }

    static bool read(Stream& s) {
        while (s.record < s.count()) {
            if (stepped(s)) continue;
            if (s.fill == 0) return fetch(s);
            s.fill -= moved(s, s.fill);
        }
        return false;
    }

  private:
    enum : u8 { BEFORE, WITHIN };  // Where in the record in hand it is.

    // Begin the record in hand, or end it; false if there are data of it to move.
    static bool stepped(Stream& s) {
        if (s.part == WITHIN && s.left) return false;
        if (s.part == WITHIN) s.go_on(1);
        else s.left = s.length;
        s.part = s.part == WITHIN ? BEFORE : WITHIN;
        return true;
    }

    // Hand over what there is room for of the record in hand; returns how much that is.
    static i64 moved(Stream& s, i64 room) {
        const i64 size = std::min(s.left, room);
        s.left -= size;
        s.copied += size;
        return size;
    }

    static bool flush(Stream& s) {
        const i64 at = s.start, size = s.fill;
        s.start += size;
        s.fill = 0;
        return s.call(Call::write, at, size);
    }

    static bool fetch(Stream& s) {
        const i64 at = s.start;
        s.fill = std::min(s.buffer, s.lengths->total - at);
        s.start += s.fill;
        return s.call(Call::read, at, s.fill);
    }
};

}  // namespace nwtsim
