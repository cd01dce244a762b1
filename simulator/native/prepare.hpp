// Conversion of a plan to a kernel: properties derived from its rows before a run.
//
// Most of them concern places: those decided by tiers, those that follow from others, and the
// number per request. A tier must have the same meaning in all chains that contain it.
#pragma once

#include <map>
#include <set>

#include "simulator/native/kernel.hpp"

namespace nwtsim {

struct Refused {  // The kernel lacks a feature that the plan needs.
    std::string text;
};

using Places = std::vector<i32>;  // The group of each place.

// Effect of a tier on places.
struct Meaning {
    bool remote_only_down = false, remote_only_up = false;
    i32 remote_down[2] = {}, remote_up[2] = {};
    i32 count = 0, by_count = 1, within = -1, each = 1, divisor = 1, order_of = -1, first_node = 0;
    struct Follows {
        i32 place, of, each, divisor;
        bool operator==(const Follows&) const = default;
    };
    std::vector<Follows> children;
    bool operator==(const Meaning&) const = default;
};

class Preparation {
  public:
    explicit Preparation(const Columns& plan) : plan(plan) {
        numbers = plan.only<PlanNumbers>("plan");
        groups = plan.rows<GroupRow>("group");
        part_rows = plan.rows<PartRow>("part");
        hold_rows = plan.rows<HoldRow>("hold");
        tier_rows = plan.rows<TierRow>("tier");
        path_rows = plan.rows<PathRow>("path");
        places = plan.values<i32>("place");
        file_rows = plan.rows<FileRow>("file");
        process_rows = plan.rows<ProcessRow>("process");
        channel_rows = plan.rows<ChannelRow>("channel");
        find_ends();
        order_groups();
        meanings.resize(tier_rows.size());
        known.resize(tier_rows.size());
        path_of.assign(tier_rows.size(), NONE);
        find_guarded();
        walk_chains();
        check_numbers();
    }

    const Columns& plan;
    PlanNumbers numbers;
    std::vector<GroupRow> groups;
    std::vector<PartRow> part_rows;
    std::vector<HoldRow> hold_rows;
    std::vector<TierRow> tier_rows;
    std::vector<PathRow> path_rows;
    std::vector<i32> places;
    std::vector<FileRow> file_rows;
    std::vector<ProcessRow> process_rows;
    std::vector<ChannelRow> channel_rows;
    int depth = 2, most_places = 2;

    void fill(Kernel& kernel) {
        fill_parts(kernel);
        fill_layout(kernel);
        fill_stores(kernel);
        fill_units(kernel);
        fill_programs(kernel);
    }

  private:
    std::vector<i32> ends;                 // The row of the `end` of each tier's chain.
    std::vector<std::vector<i32>> orders;  // Of each group with a parent: members in the order of nodes in turn.
    std::vector<Meaning> meanings;
    std::vector<bool> known;
    std::vector<i32> path_of;              // The first path that leads to a tier, or NONE.
    std::set<i32> guarded;                 // Tiers at which requests of calls time out.
    int forks = 0;                         // Maximum number of forking tiers in one chain.
    std::map<Places, i32> rules_of_;       // First rule of such places.

    template <class Row>
    static Row& at(std::vector<Row>& rows, i64 number) { return rows[static_cast<size_t>(number)]; }
    template <class Row>
    static const Row& at(const std::vector<Row>& rows, i64 number) { return rows[static_cast<size_t>(number)]; }

    Places some_places(i32 first, i32 count) const { return {places.begin() + first, places.begin() + first + count}; }

    // -- chains of tiers -----------------------------------------------------------------------------

    void find_ends() {
        ends.resize(tier_rows.size());
        i32 end = static_cast<i32>(tier_rows.size());
        for (i32 row = end - 1; row >= 0; --row) {
            if (at(tier_rows, row).kind == TierKind::end) end = row;
            at(ends, row) = end;
        }
    }

    void find_guarded() {
        for (const PathRow& path : path_rows)
            if (path.give_up_ns >= ZERO_NS)
                for (i32 top : {path.top, path.metadata})
                    for (i32 row = top; top >= 0 && row < at(ends, top); ++row) guarded.insert(row);
    }

    void walk_chains() {
        std::set<std::pair<i32, Places>> seen;
        const auto chain = [&](i32 top, const Places& of, i32 path) {
            if (top >= 0 && seen.insert({top, of}).second) walk(top, of, path);
        };
        for (i32 number = 0; number < static_cast<i32>(path_rows.size()); ++number) {
            const PathRow& path = at(path_rows, number);
            const Places of = some_places(path.places, path.places_count);
            for (i32 top : {path.top, path.metadata, path.drain}) chain(top, of, number);
            for (i32 row = path.top; row < at(ends, path.top); ++row)
                if (at(tier_rows, row).kind == TierKind::locks) chain(row + at(tier_rows, row).ask, of, number);
        }
        for (const ChannelRow& one : channel_rows) chain(one.top, some_places(one.places, one.places_count), NONE);
        for (const ProcessRow& one : process_rows)
            if (one.exchange >= 0) chain(one.exchange, some_places(one.places, one.places_count), NONE);
    }

    // Record the effects of a chain's tiers, and the maximum of their requests.
    void walk(i32 top, const Places& of, i32 path) {
        most_places = std::max(most_places, static_cast<int>(of.size()));
        const i32 end = std::min(at(ends, top) + 1, static_cast<i32>(tier_rows.size()));
        bool hops = false;
        int forks_here = 0;
        for (i32 row = top; row < end; ++row) {
            const TierRow& tier = at(tier_rows, row);
            hops = hops || guarded.contains(row) || tier.packets || is_array(tier);
            forks_here += (tier.kind == TierKind::stripe ? tier.width : tier.window) > 1;
            forks_here += tier.kind == TierKind::buffers;
            Meaning meaning = meaning_of(top, end, row, of);
            if (!known[static_cast<size_t>(row)]) {
                known[static_cast<size_t>(row)] = true;
                at(meanings, row) = std::move(meaning);
                at(path_of, row) = path;
            } else if (at(meanings, row) != meaning) {
                throw Refused{"the native engine wants a tier to mean the same in all paths; tier "
                              + std::to_string(row) + " has other places in another one"};
            }
        }
        forks = std::max(forks, forks_here);
        depth = std::max(depth, 1 + hops + depth_of(top, end));
    }

    // Return whether writes of a stage may need a read before.
    bool is_array(const TierRow& tier) const {
        for (i32 i = tier.down; i < tier.down + tier.down_count; ++i)
            if (at(part_rows, at(hold_rows, i).part).kind == static_cast<i32>(PartKindNumber::array)) return true;
        return false;
    }

    // Return the maximum number of nested requests of an actor on a chain.
    int depth_of(i32 top, i32 end) const {
        int found = 0;
        for (i32 row = top; row < end; ++row) {
            found += calls(row);
            if (at(tier_rows, row).kind == TierKind::locks) {
                const i32 asked = row + at(tier_rows, row).ask;
                found += 1 + depth_of(asked, at(ends, asked));
            }
        }
        return found;
    }

    // Return whether an actor begins a request below its own at a tier.
    bool calls(i32 row) const {
        switch (at(tier_rows, row).kind) {
            case TierKind::stage:  // None below the last, and a store passes its entry itself.
                return entry_of(row) < 0 && at(tier_rows, row + 1).kind != TierKind::end;
            case TierKind::work: case TierKind::forward: case TierKind::end: case TierKind::sync: case TierKind::export_:
                return false;
            default: return true;
        }
    }

    // Return the store tier whose entry contains a stage, or NONE.
    i32 entry_of(i32 row) const {
        while (at(tier_rows, row).kind == TierKind::stage) ++row;
        return at(tier_rows, row).kind == TierKind::store ? row : NONE;
    }

    void check_numbers() const {
        wide number = numbers.first_branch;
        for (int i = 0; i < forks; ++i) number = numbers.first_branch + (number + 1) * numbers.width;
        if (number >= LIMIT)
            throw Refused{"the native engine numbers at most 2**62 actors; " + std::to_string(forks) + " tiers that fork "
                          + std::to_string(numbers.width) + " ways in one path need more"};
    }

    // -- places --------------------------------------------------------------------------------------

    void order_groups() {
        orders.resize(groups.size());
        for (size_t row = 0; row < groups.size(); ++row) {
            const GroupRow& group = groups[row];
            if (group.parent < 0) continue;
            const auto& around = at(orders, group.parent);
            for (i32 within = 0; within < group.each; ++within)
                for (i32 node = 0; node < at(groups, group.parent).count; ++node)
                    orders[row].push_back((around.empty() ? node : at(around, node)) * group.each + within);
        }
    }

    // Return the place of a place's parent: the last one before it in the parent's group, or NONE.
    i32 parent_place(const Places& of, i32 slot) const {
        const i32 parent = at(groups, at(of, slot)).parent;
        if (parent >= 0)
            for (i32 place = slot - 1; place >= 0; --place)
                if (at(of, place) == parent) return place;
        return NONE;
    }

    // Return the divisor of the number within nodes, for a group within another one.
    i32 divisor(i32 group) const {
        i32 by = 1;
        for (i32 around = at(groups, group).parent; at(groups, around).parent >= 0; around = at(groups, around).parent)
            by *= at(groups, around).each;
        return by;
    }

    Meaning meaning_of(i32 top, i32 end, i32 row, const Places& of) const {
        const TierRow& tier = at(tier_rows, row);
        Meaning made;
        if (tier.remote_only) {
            made.remote_only_down = remote(tier.down, tier.down_count, of, made.remote_down);
            made.remote_only_up = remote(tier.up, tier.up_count, of, made.remote_up);
        }
        if (tier.kind == TierKind::locks)
            for (i32 group = 0; group < of[0]; ++group) made.first_node += at(groups, group).count;
        const bool decides = tier.kind == TierKind::stripe || tier.kind == TierKind::forward || tier.kind == TierKind::store;
        if (!decides && !(tier.kind == TierKind::stage && tier.pieces)) return made;
        const i32 group = at(of, tier.slot), parent = parent_place(of, tier.slot);
        if (tier.kind == TierKind::stage) {
            made.within = parent;
            made.divisor = parent >= 0 ? divisor(group) : 1;
            return made;
        }
        made.count = made.each = at(groups, group).count;
        if (tier.kind == TierKind::forward) made.by_count = at(groups, at(of, tier.by)).count;
        if (tier.kind == TierKind::store) {
            follow_store(made, of, tier.slot);
            return made;
        }
        std::set<i32> above = decided_by(top, row);
        if (tier.kind == TierKind::stripe && parent >= 0 && is_decided(top, end, of, parent, above)) {
            made.within = parent;
            made.each = at(groups, group).each;
            made.divisor = divisor(group);
        } else if (tier.kind == TierKind::stripe && at(groups, group).parent >= 0) {
            made.order_of = group;
        }
        above.insert(tier.slot);
        follow(made, of, tier.slot, above);
        return made;
    }

    // Return whether a stage is skipped where its first and last places are the same member of one
    // group.
    bool remote(i32 first, i32 count, const Places& of, i32 (&slots)[2]) const {
        if (!count) return false;
        const i32 one = at(hold_rows, first).slot, other = at(hold_rows, first + count - 1).slot;
        if (at(of, one) != at(of, other)) return false;
        slots[0] = one;
        slots[1] = other;
        return true;
    }

    std::set<i32> decided_by(i32 first, i32 end) const {
        std::set<i32> found;
        for (i32 row = first; row < end; ++row)
            if (at(tier_rows, row).kind == TierKind::stripe || at(tier_rows, row).kind == TierKind::forward)
                found.insert(at(tier_rows, row).slot);
        return found;
    }

    bool is_decided(i32 top, i32 end, const Places& of, i32 slot, const std::set<i32>& above) const {
        if (above.contains(slot) || at(groups, at(of, slot)).count == 1) return true;
        if (decided_by(top, end).contains(slot)) return false;
        const i32 parent = parent_place(of, slot);
        return parent < 0 || is_decided(top, end, of, parent, above);
    }

    // Return the places within a place, which change with it.
    void follow(Meaning& made, const Places& of, i32 slot, const std::set<i32>& fixed) const {
        std::set<i32> changed{slot};
        for (i32 place = slot + 1; place < static_cast<i32>(of.size()); ++place) {
            const GroupRow& group = at(groups, at(of, place));
            const i32 parent = parent_place(of, place);
            if (!changed.contains(parent) || fixed.contains(place) || group.count == 1) continue;
            changed.insert(place);
            made.children.push_back({place, parent, group.each, divisor(at(of, place))});
        }
    }

    // Return the places that follow from a store's own: its parents, and those within.
    void follow_store(Meaning& made, const Places& of, i32 slot) const {
        std::set<i32> fixed{slot};
        for (i32 place = slot, parent = parent_place(of, slot); parent >= 0; place = parent, parent = parent_place(of, parent)) {
            made.children.push_back({parent, place, at(groups, at(of, place)).each, 0});
            fixed.insert(parent);
        }
        for (i32 place = 1; place < static_cast<i32>(of.size()); ++place) {
            const GroupRow& group = at(groups, at(of, place));
            const i32 parent = parent_place(of, place);
            if (parent >= 0 && !fixed.contains(place) && group.count > 1)
                made.children.push_back({place, parent, group.each, divisor(at(of, place))});
        }
    }

    // -- parts ---------------------------------------------------------------------------------------

    void fill_parts(Kernel& kernel);
    void fill_layout(Kernel& kernel);
    void fill_code(Layout& layout, Tier& tier, i32 row);
    void fill_stores(Kernel& kernel);
    void fill_units(Kernel& kernel);
    void fill_programs(Kernel& kernel);
    void fill_exists(Kernel& kernel);
    void fill_phases(Kernel& kernel);
    void fill_processes(Kernel& kernel);
    void fill_queues(Kernel& kernel);
    i32 add_rules(Layout& layout, const Places& of);
    std::span<const PlaceRule> rules(const Layout& layout, i32 first, i32 count) const {
        const Places of = some_places(first, count);
        return {layout.rules.data() + rules_of_.at(of), of.size()};
    }
    static i32 columns_of(const TierRow& row) { return row.parity ? row.width / (row.data + row.parity) * row.data : row.width; }
    std::vector<std::pair<Bytes, i64>> stripes_above(i32 path, i32 store, bool& found) const;
};

}  // namespace nwtsim
