// All runtime libraries of this build, by number; and lists of calls of those that are not compiled.
#pragma once

#include "runtimes.inc"
#include "simulator/native/stream.hpp"

namespace nwtsim {

constexpr const char* RUNTIMES[] = {
#define KIND(name, Class) #name,
    NWTSIM_RUNTIMES(KIND)
#undef KIND
};

enum RuntimeNumber : i32 {
#define KIND(name, Class) RUNTIME_##name,
    NWTSIM_RUNTIMES(KIND)
#undef KIND
    RUNTIME_LISTED,  // From this number on a policy is a list of calls.
};

// A call of a list, with the program's work before it.
struct ListedCall {
    i64 op, offset, size, copied, records;  // op below 0: the end.
};

class Runtimes {
  public:
    i64 subrecord = 2'147'483'639;      // Maximum bytes of data in one subrecord (-fmax-subrecord-length).
    const ListedCall* calls = nullptr;  // Of all lists, concatenated.
    std::vector<i64> firsts;            // First call of each.

    // Begin a new stream.
    void begin(Stream& s, i32 policy, bool is_write, i64 buffer, const Lengths& lengths, Pulse& pulse) const {
        s = {};
        s.policy = policy;
        s.is_write = is_write;
        s.buffer = policy == RUNTIME_flang ? 0 : std::min(buffer, 2 * LARGEST_FILE);  // Never full, nor half full.
        s.request = NO_LIMIT;
        s.subrecord = subrecord;
        s.lengths = &lengths;
        s.pulse = &pulse;
        s.go_on(0);
        if (policy >= RUNTIME_LISTED) s.at = firsts[static_cast<size_t>(policy - RUNTIME_LISTED)];
        else if (!is_write) s.file_end = lengths.total + 2 * MARK * lengths.pieces(policy == RUNTIME_gfortran ? subrecord : NO_LIMIT);
    }

    // Advance to the next call; false when there is none.
    bool step(Stream& s) const {
        s.copied = s.records = 0;
        switch (s.policy) {
#define KIND(name, Class) \
    case RUNTIME_##name: return s.is_write ? Class::write(s) : Class::read(s);
            NWTSIM_RUNTIMES(KIND)
#undef KIND
        }
        const ListedCall& call = calls[s.at];
        s.copied = call.copied;
        s.records = call.records;
        if (call.op < 0) return false;
        ++s.at;
        return s.call(static_cast<Call>(call.op), call.offset, call.size);
    }
};

}  // namespace nwtsim
