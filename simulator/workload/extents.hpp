// How long files are, from the calls on them: see extents.py, which does the same where nothing is compiled.
#pragma once

#include "simulator/traces/number.hpp"

namespace nwtsim {

// What a row does; the numbers are those of simulator/runtime/operations.py.
enum class Operation : i8 { SEEK, READ, WRITE, OPEN, CLOSE, PASS, WAIT, PAUSE, STAT };

// Columns of calls, in the order in which they ended; those without an offset get one.
struct CallColumns {
    const i8* kind;
    const i32* file;
    i64* offset;
    const i64* size;
    i64 count;
};

// Of each file: what must have been there before, how far it has been read or written, where it was
// touched last, and whether it is known to be an old one.
struct ExtentColumns {
    i64 *length, *reach, *last;
    const i8* old;
};

// Go through calls; returns how many had no offset.
inline i64 follow_extents(const CallColumns& calls, const ExtentColumns& files) {
    constexpr i64 UNKNOWN = -1;
    i64 placed = 0;
    for (i64 i = 0; i < calls.count; ++i) {
        const bool reads = calls.kind[i] == static_cast<i8>(Operation::READ);
        if (!reads && calls.kind[i] != static_cast<i8>(Operation::WRITE)) continue;
        const i32 file = calls.file[i];
        const i64 size = calls.size[i];
        if (calls.offset[i] == UNKNOWN) {
            placed += size > 0;
            calls.offset[i] = reads ? files.last[file] : files.reach[file];
        }
        if (size <= 0) continue;
        const i64 start = calls.offset[i], end = plus(start, size);
        if (reads && end > files.reach[file]) files.length[file] = end;
        else if (!reads && start > files.reach[file] && files.old[file]) files.length[file] = start;
        files.reach[file] = std::max(files.reach[file], end);
        files.last[file] = end;
    }
    return placed;
}

}  // namespace nwtsim
