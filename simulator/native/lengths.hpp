// Lengths of the records of a file: a function of the file's row and the number of the record, so
// that single records need no storage. As simulator/runtime/lengthtable.py.
#pragma once

#include "simulator/native/mixing.hpp"
#include "simulator/native/plan.hpp"

namespace nwtsim {

struct Lengths : LengthsRow {
    enum Kind : i32 { EQUAL, IN_TURN, EVENLY, FROM_TABLE };
    const i64* listed = nullptr;  // Lengths to cycle, or to draw from.

    // Return the bytes of user data in record i, counted from 0.
    i64 length(i64 i) const { return i == count - 1 ? last : drawn(i); }

    // Return the same for one that is not the last.
    i64 drawn(i64 i) const {
        switch (kind) {
            case EQUAL: return first;
            case IN_TURN: return listed[i % size];
            case EVENLY: return first + static_cast<i64>(mix(key, i + 1) % static_cast<u64>(size));
            default: return listed[pick(key, i + 1)];
        }
    }

    // Return a number of records from i on known to have the same length; 1 or more.
    i64 alike(i64 i) const {
        const i64 ahead = count - 1 - i;
        if (ahead <= 0 || kind != EQUAL) return 1;
        return last == first ? ahead + 1 : ahead;
    }

    // Return the number of pieces of all records: a record over `most` bytes is cut into several.
    i64 pieces(i64 most) const {
        if (longest <= most || count == 0) return count;
        const auto of = [most](i64 length) { return length <= most ? 1 : (length - 1) / most + 1; };
        const i64 cycle = kind <= IN_TURN ? size : std::max<i64>(1, count);
        i64 number = of(last);
        for (i64 i = 0; i < std::min(count - 1, cycle); ++i) number += ((count - 2 - i) / cycle + 1) * of(drawn(i));
        return number;
    }
};

}  // namespace nwtsim
