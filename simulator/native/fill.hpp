// Conversion of a plan to a kernel: its rows, with pointers instead of numbers.
#pragma once

#include "simulator/native/fill_parts.hpp"
#include "simulator/native/fill_programs.hpp"
#include "simulator/native/prestage.hpp"

namespace nwtsim {

inline Kernel::Kernel(Preparation&& made, std::function<bool()> look)
    : calendars(made.plan.rows<EventRow>("event"), made.numbers.instances, made.plan.values<i64>("edge")),
      failing_disks(made.plan.rows<EventRow>("disk_failing"), made.plan.of("disk").count, made.plan.values<i64>("edge")),
      slow_disks(made.plan.rows<EventRow>("disk_slow"), made.plan.of("disk").count, made.plan.values<i64>("edge")),
      actors(made.depth, made.most_places, static_cast<int>(std::max<i64>(1, made.numbers.columns))),
      sharing(actors, parts, made.numbers.first_timer),
      scheduling(actors, parts, kinds, sharing, made.numbers.first_timer),
      stores(tiers, cache, back, made.numbers.first_reader, static_cast<i64>(made.file_rows.size())),
      asking(tiers, buffers, made.numbers.merging_column) {
    pulse.look = std::move(look);
    made.fill(*this);
    prestage_time = Prestaging(*this).load();
    programs.actor_of.reserve(made.process_rows.size());
    for (size_t number = 0; number < made.process_rows.size(); ++number) {
        Actor* actor = nullptr;
        if (!made.process_rows[number].queued) actor = actors.take(Role::process, static_cast<i32>(number), static_cast<i64>(number));
        programs.actor_of.push_back(actor);
    }
    for (size_t number = 0; number < made.process_rows.size(); ++number)
        if (programs.actor_of[number]) programs.start(programs.actor_of[number], made.process_rows[number]);
    programs.begin_queues(made.numbers.first_queue);
}

inline Kernel::Kernel(const Columns& plan, std::function<bool()> look) : Kernel(Preparation(plan), std::move(look)) {}

// -- tiers, paths, files -----------------------------------------------------------------------------

inline i32 Preparation::add_rules(Layout& layout, const Places& of) {
    const auto [found, is_new] = rules_of_.try_emplace(of, static_cast<i32>(layout.rules.size()));
    if (is_new)
        for (i32 slot = 0; slot < static_cast<i32>(of.size()); ++slot) {
            const GroupRow& group = at(groups, at(of, slot));
            const i32 parent = parent_place(of, slot);
            PlaceRule rule{PlaceRule::How::lead, group.count, 0, 0, 1, nullptr};
            if (slot == 0) rule.how = PlaceRule::How::node;
            else if (group.count == 1) rule.how = PlaceRule::How::only;
            else if (parent >= 0) rule = {PlaceRule::How::child, group.count, parent, group.each, divisor(at(of, slot)), nullptr};
            else if (!at(orders, at(of, slot)).empty()) rule.order = at(orders, at(of, slot)).data();
            layout.rules.push_back(rule);
        }
    return found->second;
}

inline void Preparation::fill_layout(Kernel& kernel) {
    Layout& layout = kernel.layout;
    layout.orders = std::move(orders);
    orders = layout.orders;  // The rules point into those of the layout.
    for (const HoldRow& row : hold_rows) {
        const auto& way = row.writes ? kernel.parts.writing : kernel.parts.reading;
        layout.holds.push_back({&at(way, row.part), row.slot, row.leads});
    }
    layout.costs = plan.values<i64>("cost");
    for (const Meaning& meaning : meanings)
        for (const auto& child : meaning.children) layout.children.push_back({child.place, child.of, child.each, child.divisor});
    for (const PathRow& row : path_rows) add_rules(layout, some_places(row.places, row.places_count));
    for (const ChannelRow& row : channel_rows) add_rules(layout, some_places(row.places, row.places_count));
    for (const ProcessRow& row : process_rows) add_rules(layout, some_places(row.places, row.places_count));
    size_t at_rule = 0;
    for (const auto& [of, first] : rules_of_)
        for (size_t slot = 0; slot < of.size(); ++slot) {
            PlaceRule& rule = layout.rules[static_cast<size_t>(first) + slot];
            if (rule.order) rule.order = at(layout.orders, of[slot]).data();
            ++at_rule;
        }
    layout.tiers.resize(tier_rows.size() + 4);
    layout.paths.resize(path_rows.size());
    size_t child = 0, most_holds = 1, most_pieces = 1;
    for (size_t i = 0; i < tier_rows.size(); ++i) {
        const TierRow& row = tier_rows[i];
        const Meaning& meaning = meanings[i];
        Tier& tier = layout.tiers[i];
        tier.kind = row.kind;
        tier.is_guarded = guarded.contains(static_cast<i32>(i))
                          && (row.kind == TierKind::stage || row.kind == TierKind::work || row.kind == TierKind::sync || row.parity);
        tier.packets = row.packets;
        tier.aligned = row.aligned;
        tier.stable = row.stable;
        tier.remote_only_down = meaning.remote_only_down;
        tier.remote_only_up = meaning.remote_only_up;
        std::copy_n(meaning.remote_down, 2, tier.remote_down);
        std::copy_n(meaning.remote_up, 2, tier.remote_up);
        tier.column = static_cast<i16>(row.column);
        tier.slot = row.slot;
        tier.by = row.by;
        tier.row = row.row;
        tier.down = {layout.holds.data() + row.down, static_cast<size_t>(row.down_count)};
        tier.up = {layout.holds.data() + row.up, static_cast<size_t>(row.up_count)};
        most_holds = std::max({most_holds, tier.down.size(), tier.up.size()});
        most_pieces = std::max(most_pieces, static_cast<size_t>(row.pieces));
        tier.header = row.header;
        tier.size = row.size;
        tier.pieces = row.pieces;
        tier.window = row.window;
        tier.width = row.width;
        tier.columns = columns_of(row);
        if (row.parity) fill_code(layout, tier, static_cast<i32>(i));
        tier.grow = row.grow;
        if (row.kind == TierKind::stage && entry_of(static_cast<i32>(i)) >= 0)
            tier.entry = &at(layout.tiers, entry_of(static_cast<i32>(i)));
        if (row.kind == TierKind::locks) tier.asking = &at(layout.tiers, static_cast<i64>(i) + row.ask);
        if (path_of[i] >= 0) tier.path = &at(layout.paths, path_of[i]);
        tier.children = {layout.children.data() + child, meaning.children.size()};
        child += meaning.children.size();
        if (row.costs_count) tier.costs = layout.costs.data() + row.costs;
        tier.count = meaning.count;
        tier.by_count = meaning.by_count;
        tier.within = meaning.within;
        tier.each = meaning.each;
        tier.divisor = meaning.divisor;
        if (meaning.order_of >= 0) tier.order = at(layout.orders, meaning.order_of).data();
        tier.first_node = meaning.first_node;
    }
    Tier* own = layout.tiers.data() + tier_rows.size();
    const TierKind kinds[] = {TierKind::ask, TierKind::hop, TierKind::rewrite, TierKind::failed};
    const Tier** names[] = {&layout.ask, &layout.hop, &layout.rewrite, &layout.failed};
    for (int i = 0; i < 4; ++i) {
        own[i].kind = kinds[i];
        *names[i] = &own[i];
    }
    const auto tier_at = [&](i32 row) { return row >= 0 ? &at(layout.tiers, row) : nullptr; };
    for (size_t i = 0; i < path_rows.size(); ++i) {
        const PathRow& row = path_rows[i];
        layout.paths[i] = {static_cast<i32>(i), tier_at(row.top), tier_at(row.metadata), tier_at(row.drain),
                           tier_at(row.first_store), tier_at(row.asked), row.close, row.opening, row.attributes_min_ns,
                           row.attributes_max_ns, row.call_ns, row.give_up_ns, row.call_column, row.copied,
                           row.attributes_max_ns > ZERO_NS || row.opening != Opening::asks,
                           rules(layout, row.places, row.places_count)};
    }
    layout.files.reserve(file_rows.size());
    for (const FileRow& row : file_rows)
        layout.files.push_back({&at(layout.paths, row.path), row.lead, row.inner, row.base, row.room, row.length, row.length, row.prestaged});
    layout.messages = plan.values<Bytes>("asked.message");
    kernel.tiers.needless.resize(tier_rows.size());
    kernel.tiers.first_branch = numbers.first_branch;
    kernel.tiers.width = numbers.width;
    kernel.tiers.make_room(most_holds, most_pieces);
}

// An erasure code: its end, and what on its members data pass below.
inline void Preparation::fill_code(Layout& layout, Tier& tier, i32 row) {
    const TierRow& code = at(tier_rows, row);
    tier.data = code.data;
    tier.parity = code.parity;
    tier.coded_end = &at(layout.tiers, at(ends, row));
    at(layout.tiers, at(ends, row)).coder = &tier;
    const PathRow& path = at(path_rows, at(path_of, row));
    i32 each = 1;
    for (i32 group = at(places, path.places + tier.slot); group >= 0; group = at(groups, group).parent) {
        for (i32 below = row + 1; below < at(ends, row); ++below) {
            const TierRow& one = at(tier_rows, below);
            for (const auto& [first, count] : {std::pair{one.down, one.down_count}, std::pair{one.up, one.up_count}})
                for (i32 hold = first; hold < first + count; ++hold) {
                    const PartRow& part = at(part_rows, at(hold_rows, hold).part);
                    if (part.group == group) tier.passed.push_back({part.first, each});
                }
        }
        each *= at(groups, group).each;
    }
}

// -- stores, buffers -----------------------------------------------------------------------------------

inline void Preparation::fill_stores(Kernel& kernel) {
    Cache& cache = kernel.cache;
    i64 worker = 0;
    for (const StoreRow& row : plan.rows<StoreRow>("store")) {
        Store& store = cache.stores.emplace_back();
        static_cast<StoreRow&>(store) = row;
        if ((row.block.count & (row.block.count - 1)) == 0) store.shift = __builtin_ctzll(static_cast<u64>(row.block.count));
        store.extent_bytes = row.block * row.extent;
        store.exists = row.named * static_cast<i64>(file_rows.size());
        store.worker_row = worker;
        worker += i64{row.workers} * row.count;
    }
    for (const Store& store : cache.stores)
        for (i32 member = 0; member < store.count; ++member) {
            StoreInstance& one = cache.instances.emplace_back();
            one.store = &store;
            one.number = static_cast<i32>(cache.instances.size()) - 1;
            one.member = member;
            one.idle_workers = store.workers;
            one.space = store.slots;
            one.most_dirty = store.dirty_limit;
            one.high = store.high;
            one.low = store.low;
        }
    kernel.back.workers.resize(static_cast<size_t>(worker));
    fill_exists(kernel);
    const bool has_locks = std::any_of(tier_rows.begin(), tier_rows.end(), [](const TierRow& t) { return t.kind == TierKind::locks; });
    if (has_locks) kernel.locks.files.resize(file_rows.size());
    for (size_t i = 0; i < kernel.locks.files.size(); ++i) kernel.locks.files[i].file = static_cast<i32>(i);
}

// Units and widths of the stripes above a store on a path.
inline std::vector<std::pair<Bytes, i64>> Preparation::stripes_above(i32 path, i32 store, bool& found) const {
    std::vector<std::pair<Bytes, i64>> stripes;
    for (i32 top : {at(path_rows, path).top, at(path_rows, path).drain}) {
        if (top < 0) continue;
        stripes.clear();
        for (i32 row = top; row < at(ends, top); ++row) {
            const TierRow& tier = at(tier_rows, row);
            if (tier.kind == TierKind::stripe) stripes.push_back({tier.size, columns_of(tier)});
            if (tier.kind == TierKind::store && tier.row == store) {
                found = true;
                return stripes;
            }
        }
    }
    found = false;
    return {};
}

// Existing bytes of each file in each store or below, in offsets of its members.
inline void Preparation::fill_exists(Kernel& kernel) {
    const size_t count = kernel.cache.stores.size() * file_rows.size();
    kernel.back.exists.reserve(count);
    kernel.cache.recent_files.assign(count, NONE);
    for (i32 store = 0; store < static_cast<i32>(kernel.cache.stores.size()); ++store) {
        std::vector<std::vector<std::pair<Bytes, i64>>> ways(path_rows.size());
        std::vector<bool> is_there(path_rows.size());
        i32 first = NONE;
        for (i32 path = 0; path < static_cast<i32>(path_rows.size()); ++path) {
            bool found = false;
            at(ways, path) = stripes_above(path, store, found);
            is_there[static_cast<size_t>(path)] = found;
            if (found && first < 0) first = path;
        }
        for (const FileRow& file : file_rows) {
            Bytes length = file.length;
            const i32 way = is_there[static_cast<size_t>(file.path)] ? file.path : first;
            if (way >= 0)
                for (const auto& [unit, width] : at(ways, way))
                    length = unit * (length / (unit * width)) + std::min(length % (unit * width), unit);
            kernel.back.exists.push_back(length);
        }
    }
}

inline void Preparation::fill_units(Kernel& kernel) {
    kernel.stored_ = plan.rows<RunOfBlocks>("stored");
    kernel.buffers.extents = plan.rows<ExtentRow>("extent");
    for (const UnitRow& row : plan.rows<UnitRow>("unit")) {
        Unit& unit = kernel.buffers.units.emplace_back();
        static_cast<UnitRow&>(unit) = row;
        unit.slots_list.most = std::max<i64>(1, std::min(row.slots, row.blocks));
        unit.raid_list.most = std::max<i64>(1, std::min(row.raid_slots, row.blocks));
        unit.ends.assign(process_rows.size(), -1);
        unit.stored_runs = kernel.stored_.data() + row.stored;
    }
    kernel.asking.requests = plan.rows<AskedRow>("asked");
    for (const MergedRow& row : plan.rows<MergedRow>("merged")) static_cast<MergedRow&>(kernel.asking.merged.emplace_back()) = row;
}

}  // namespace nwtsim
