// Tiers, paths and files for the engine; and the places of requests.
//
// The tiers of a path are contiguous in memory, down to its end: the next tier of `tier` is `tier +
// 1`. A place is one member of a group that a request uses: place 0 is the process's node, others
// are decided by stripes and forwards, or follow from the file.
#pragma once

#include <span>
#include <vector>

#include "simulator/native/actor.hpp"
#include "simulator/native/part.hpp"
#include "simulator/native/plan.hpp"

namespace nwtsim {

// A claim of a stage on one part, at a place.
struct Hold {
    const Part* part;
    i32 slot;
    bool leads;  // A message pays the latency of its network here: the first port of it.
};

// A place that follows from another one, once that is decided.
struct Child {
    i32 place, of, each;
    i32 divisor;  // 0: it is the member around the other one.
};

// A part that data of a stripe's members pass: instance `first + member / each` of the engine.
struct Passed {
    i64 first;
    i32 each;
};

struct Path;

struct Tier {
    TierKind kind;
    bool is_guarded = false;       // Requests of calls time out here.
    bool packets = false, aligned = false, stable = false;
    bool remote_only_down = false, remote_only_up = false;
    i16 column = -1;
    i32 slot = 0, by = 0, row = 0;
    std::span<const Hold> down, up;
    Bytes header{0}, size{0};
    i32 pieces = 0, window = 1, width = 1, grow = 1;
    i32 data = 1, parity = 0;      // Members of a group of an erasure code; without one all have data.
    i32 columns = 1;               // Members of a stripe that have data.
    std::vector<Passed> passed;  // Erasure codes: the parts on its members and their nodes, that data pass below.
    const Tier* coder = nullptr;   // Of an end: the erasure code above it, or none;
    const Tier* coded_end = nullptr;  // of a code: its end.
    i32 remote_down[2] = {}, remote_up[2] = {};  // The places that must differ, or the stage is skipped.
    const Tier* entry = nullptr;   // Of a stage directly above a store: that store's tier.
    const Tier* asking = nullptr;  // Locks: where requests for them begin.
    const Path* path = nullptr;    // The first path that leads here, or none.
    std::span<const Child> children;  // Places that follow from the one that it decides.
    const i64* costs = nullptr;    // ns that kinds of metadata requests take, or -1; before: kinds asked first.
    i32 count = 0, by_count = 1;   // Members of its place's group; of the group of the deciding place.
    i32 within = -1;               // The place of the node within which members are chosen; -1: none.
    i32 each = 1, divisor = 1;
    const i32* order = nullptr;    // Members in the order of nodes in turn.
    i32 first_node = 0;            // Locks: the number of the first node of its group.

    const Tier* next() const { return this + 1; }
    // Return the position of a member that has data among all.
    i32 position(i32 column) const { return parity ? column / data * (data + parity) + column % data : column; }
};

// Determination of a place at the begin of a request.
struct PlaceRule {
    enum class How : u8 { node, only, lead, child } how;
    i32 count, of, each, divisor;
    const i32* order;
};

struct Path {
    i32 number = 0;
    const Tier *top = nullptr, *metadata = nullptr, *drain = nullptr, *first_store = nullptr, *asked = nullptr;
    Closing close = Closing::free;
    Opening opening = Opening::asks;
    Nanoseconds attributes_min{0}, attributes_max{0}, call{0}, give_up{-1};
    i32 call_column = -1;
    bool copied = false, remembers = false;
    std::span<const PlaceRule> places;
};

struct File {
    const Path* path = nullptr;
    i32 lead = 0, within = 0;
    Bytes base{0}, room{0}, length{0};
    Bytes end{0};  // As an erasure code knows it.
    bool prestaged = false;
    // Data on stable storage: bytes, time of the last of them, and the job that wrote the file
    // (from 1 on; 0: none, -1: several).
    Bytes stable{0};
    Nanoseconds stable_last{0};
    i32 stable_job = 0;
    i64 version = 0;  // Number of changes, as seen by clients.
    template <class Visitor>
    static void describe(Visitor&& field) {
        using Row = File;
        FIELD(stable), FIELD(stable_last), FIELD(stable_job);
    }
};

// The tiers of all paths, and the tiers that decide places.
class Layout {
  public:
    std::vector<Tier> tiers;  // Those of the plan, and behind them the engine's own:
    const Tier *ask = nullptr, *hop = nullptr, *rewrite = nullptr, *failed = nullptr;
    std::vector<Hold> holds;
    std::vector<Child> children;
    std::vector<i64> costs;
    std::vector<std::vector<i32>> orders;  // Of each group: members in the order of nodes in turn.
    std::vector<Path> paths;
    std::vector<PlaceRule> rules;
    std::vector<File> files;
    std::vector<Bytes> messages;  // Bytes of each asked request's message, without header and data.

    File* file_of(const Frame& q) { return q.file >= 0 ? &files[static_cast<size_t>(q.file)] : nullptr; }
    i32 lead(const Frame& q) { return q.file >= 0 ? files[static_cast<size_t>(q.file)].lead : 0; }
    i32 within(const Frame& q) { return q.file >= 0 ? files[static_cast<size_t>(q.file)].within : 0; }

    // Return the number of a request's file among those of the members over which a tier stripes
    // it.
    i32 number(const Frame& q, const Tier& tier) { return tier.within < 0 ? lead(q) : within(q) / tier.divisor; }

    static i64 instance(const Frame& q, const Hold& hold) { return hold.part->first + q.places[hold.slot]; }

    // Set the places of a request to those at its begin.
    void place(Frame& q, std::span<const PlaceRule> rules, i32 node) {
        const i32 lead_of_file = lead(q);
        for (size_t place = 0; place < rules.size(); ++place) {
            const PlaceRule& rule = rules[place];
            i32 member = 0;
            switch (rule.how) {
                case PlaceRule::How::node: member = node; break;
                case PlaceRule::How::only: break;
                case PlaceRule::How::lead:
                    member = lead_of_file % rule.count;
                    if (rule.order) member = rule.order[member];
                    break;
                case PlaceRule::How::child:
                    member = q.places[rule.of] * rule.each + within(q) / rule.divisor % rule.each;
                    break;
            }
            q.places[place] = member;
        }
    }

    // Set the first two places of a request; others are as for a file with lead 0.
    static void place_two(Frame& q, std::span<const PlaceRule> rules, i32 one, i32 other) {
        q.places[0] = one;
        for (size_t place = 1; place < rules.size(); ++place) {
            const PlaceRule& rule = rules[place];
            i32 member = 0;
            if (place == 1) member = other;
            else if (rule.how == PlaceRule::How::child) member = q.places[rule.of] * rule.each;
            q.places[place] = member;
        }
    }

    // Set the place that a tier decides, and those that follow from it, as for the file.
    void decide(Frame& q, const Tier& tier, i32 member) {
        q.places[tier.slot] = member;
        for (const Child& child : tier.children) {
            i32 other = q.places[child.of];
            if (child.divisor) other = other * child.each + within(q) / child.divisor % child.each;
            else other /= child.each;
            q.places[child.place] = other;
        }
    }

    // Return the member of a file's units `index`, `index + width`, ...
    i32 target(const Frame& q, const Tier& tier, i32 index) {
        const i32 member = (number(q, tier) + index) % tier.each;
        if (tier.within >= 0) return q.places[tier.within] * tier.each + member;
        return tier.order ? tier.order[member] : member;
    }

    // Return whether a request at an end writes parity.
    bool is_parity(const Frame& q, const Tier* end) {
        if (!end->coder) [[likely]] return false;
        const Tier& tier = *end->coder;
        for (i32 position = 0; position < tier.width; ++position)
            if (position % (tier.data + tier.parity) >= tier.data && target(q, tier, position) == q.places[tier.slot]) return true;
        return false;
    }

    void forward(Frame& q) {
        const Tier& tier = *q.tier;
        decide(q, tier, static_cast<i32>(i64{q.places[tier.by]} * tier.count / tier.by_count));
    }
};

// Return the number of a striped file's first bytes that are on its member of a number.
constexpr Bytes part_below(Bytes offset, Bytes unit, i64 width, i64 index) {
    const Bytes whole = unit * width;
    const Bytes rest = offset % whole - unit * index;
    return unit * (offset / whole) + std::min(std::max(rest, NO_BYTES), unit);
}

}  // namespace nwtsim
