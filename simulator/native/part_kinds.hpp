// All kinds of parts of this build, by number; and their memories for a machine.
#pragma once

#include <tuple>

#include "parts.inc"
#include "simulator/native/part_kind.hpp"

namespace nwtsim {

template <class Kind>
struct KindTable {
    std::vector<typename Kind::Spec> specs;
    std::vector<typename Kind::Memory> memories;
};

// The specifications of the machine's parts, and the memories of their instances.
struct PartKinds {
#define KIND(name, Class) KindTable<Class> name;
    NWTSIM_PARTS(KIND)
#undef KIND
};

constexpr const char* PART_KINDS[] = {
#define KIND(name, Class) #name,
    NWTSIM_PARTS(KIND)
#undef KIND
};

enum class PartKindNumber : u8 {
#define KIND(name, Class) name,
    NWTSIM_PARTS(KIND)
#undef KIND
};

// Call a function with the class of a kind, and its table.
template <class Call>
decltype(auto) with_kind(PartKinds& kinds, u8 number, Call&& call) {
    switch (static_cast<PartKindNumber>(number)) {
#define KIND(name, Class) \
    case PartKindNumber::name: return call(Class{}, kinds.name);
        NWTSIM_PARTS(KIND)
#undef KIND
    }
    __builtin_unreachable();
}

}  // namespace nwtsim
