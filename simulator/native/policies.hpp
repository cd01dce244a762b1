// All replacement policies of this build, by number.
#pragma once

#include "policies.inc"
#include "simulator/native/policy.hpp"

namespace nwtsim {

constexpr const char* POLICIES[] = {
#define KIND(name, Class) #name,
    NWTSIM_POLICIES(KIND)
#undef KIND
};

enum class PolicyNumber : u8 {
#define KIND(name, Class) name,
    NWTSIM_POLICIES(KIND)
#undef KIND
};

// Call a function with the class of a policy.
template <class Call>
decltype(auto) with_policy(i32 number, Call&& call) {
    switch (static_cast<PolicyNumber>(number)) {
#define KIND(name, Class) \
    case PolicyNumber::name: return call(Class{});
        NWTSIM_POLICIES(KIND)
#undef KIND
    }
    __builtin_unreachable();
}

}  // namespace nwtsim
