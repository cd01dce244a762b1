// Prestaging: the contents of stores before the clock starts, and the time to load them.
//
// The time is that of a single reader, extent by extent, without noise: a stage counts with its
// slowest part, pieces and members of a stripe with the longest (docs/composition.md, Prestaging).
#pragma once

#include <set>

#include "simulator/native/kernel.hpp"

namespace nwtsim {

class Prestaging {
  public:
    explicit Prestaging(Kernel& kernel) : kernel_(kernel), layout_(kernel.layout), cache_(kernel.cache) {}

    // Load the prestaged files; returns the time that this would take.
    Nanoseconds load() {
        Nanoseconds total{0};
        first_exists_ = kernel_.back.exists;
        for (size_t number = 0; number < layout_.files.size(); ++number) {
            const File& file = layout_.files[number];
            if (!file.prestaged || !file.path->first_store) continue;
            actor_ = kernel_.actors.take(Role::reader, 0, 0);
            Frame* q = kernel_.actors.call(actor_, file.path->top, Op::read, static_cast<i32>(number), NO_BYTES, file.length);
            layout_.place(*q, file.path->places, 0);
            total = nwtsim::within(together(total, below(q, file.path->top, file.length)), Culprit::file, static_cast<i64>(number));
            kernel_.actors.give_back(actor_);
        }
        return total;
    }

  private:
    Kernel& kernel_;
    Layout& layout_;
    Cache& cache_;
    Actor* actor_ = nullptr;
    std::vector<Bytes> first_exists_;
    std::set<std::pair<const Part*, i32>> seen_;  // Parts that have served the file, and members.

    using Members = std::vector<i32>;
    Members places_of(const Frame* q) const { return {q->places, q->places + kernel_.actors.places}; }
    void put_places(Frame* q, const Members& places) { std::copy(places.begin(), places.end(), q->places); }

    // Load the first bytes at the first store from a tier on; returns their time.
    Nanoseconds below(Frame* q, const Tier* tier, Bytes length) {
        if (tier->kind == TierKind::store) return load_store(q, *tier, length);
        if (tier->kind == TierKind::stripe) {
            Nanoseconds longest{0};
            const Members kept = places_of(q);
            for (const auto& [low, high, places] : members(q, *tier, NO_BYTES, length)) {
                put_places(q, places);
                longest = std::max(longest, below(q, tier->next(), high));
            }
            put_places(q, kept);
            return longest;
        }
        if (tier->kind == TierKind::forward) forward(q, *tier);
        return below(q, tier->next(), length);
    }

    void forward(Frame* q, const Tier& tier) {
        q->tier = &tier;
        layout_.forward(*q);
    }

    Nanoseconds load_store(Frame* q, const Tier& tier, Bytes length) {
        const Store& store = at(cache_.stores, tier.row);
        StoreInstance& here = at(cache_.instances, store.first + q->places[tier.slot]);
        const Bytes there = at(first_exists_, store.exists + q->file);
        const FileId f = cache_.file_row(here, q->file);
        Bytes loaded{0};
        const i64 blocks = (length + store.block - Bytes{1}) / store.block;
        for (i64 index = 0; index < blocks && here.used < store.slots; ++index) {
            kernel_.pulse.tick();
            const BlockId b = cache_.admit(f, static_cast<i32>(index), false);
            const Bytes valid = std::min(store.block, there - store.block * index);
            cache_[b].valid = static_cast<i32>(valid.count);
            loaded += valid;
            cache_.settle(here, b);
            ++here.prestaged;
        }
        here.prestaged_bytes += loaded;
        seen_.clear();
        Nanoseconds total{0};
        for (Bytes low{0}; low < loaded; low += store.extent_bytes)
            total = together(total, time(q, tier.next(), low, std::min(low + store.extent_bytes, loaded)));
        return total;
    }

    // Return the time of a read of [low, high) from a tier on.
    Nanoseconds time(Frame* q, const Tier* tier, Bytes low, Bytes high) {
        kernel_.pulse.tick();
        if (tier->kind == TierKind::end || high <= low) return ZERO_NS;
        switch (tier->kind) {
            case TierKind::stage: {
                const Nanoseconds down = tier->header ? way(q, *tier, true, tier->header) : ZERO_NS;
                const Nanoseconds under = time(q, tier->next(), low, high);
                return together(together(down, under), way(q, *tier, false, tier->header + (high - low)));
            }
            case TierKind::work: return together(service_of_work(q, *tier, high - low), time(q, tier->next(), low, high));
            case TierKind::request: {
                Nanoseconds total{0};
                while (low < high) {
                    const Bytes end = tier->aligned ? tier->size * (low / tier->size + 1) : low + tier->size;
                    total = together(total, time(q, tier->next(), low, std::min(high, end)));
                    low = end;
                }
                return total;
            }
            case TierKind::stripe: {
                Nanoseconds longest{0};
                const Members kept = places_of(q);
                for (const auto& [begin, end, places] : members(q, *tier, low, high)) {
                    put_places(q, places);
                    longest = std::max(longest, time(q, tier->next(), begin, end));
                }
                put_places(q, kept);
                return longest;
            }
            case TierKind::forward: forward(q, *tier); [[fallthrough]];
            default: return time(q, tier->next(), low, high);  // A further store below is passed whole.
        }
    }

    struct Member {
        Bytes low, high;
        Members places;
    };

    // Return the parts of [low, high) on the members of a stripe, in the order in which the members
    // act.
    std::vector<Member> members(Frame* q, const Tier& tier, Bytes low, Bytes high) {
        std::vector<std::pair<i32, i32>> order;
        for (i32 index = 0; index < tier.columns; ++index) order.push_back({layout_.target(*q, tier, tier.position(index)), index});
        std::sort(order.begin(), order.end());
        std::vector<Member> found;
        const Members kept = places_of(q);
        for (const auto& [member, index] : order) {
            const Bytes begin = part_below(low, tier.size, tier.columns, index), end = part_below(high, tier.size, tier.columns, index);
            if (end <= begin) continue;
            layout_.decide(*q, tier, member);
            found.push_back({begin, end, places_of(q)});
            put_places(q, kept);
        }
        return found;
    }

    Nanoseconds service_of_work(Frame* q, const Tier& tier, Bytes size) {
        return service(tier.down[0], q->places[tier.down[0].slot], size);
    }

    // Return the time of a stage in one direction.
    Nanoseconds way(Frame* q, const Tier& tier, bool down, Bytes size) {
        const auto holds = down ? tier.down : tier.up;
        if (holds.empty() || !size) return ZERO_NS;
        const i32* ends = down ? tier.remote_down : tier.remote_up;
        if ((down ? tier.remote_only_down : tier.remote_only_up) && q->places[ends[0]] == q->places[ends[1]]) return ZERO_NS;
        if (tier.packets) return cross(q, holds, size);
        Nanoseconds longest{0};
        if (!tier.pieces) {
            for (const Hold& hold : holds) longest = std::max(longest, service(hold, q->places[hold.slot], size));
            return longest;
        }
        const i32 base = tier.within >= 0 ? q->places[tier.within] * tier.width : 0;
        const i32 used = std::min(tier.pieces, tier.width), lead = layout_.number(*q, tier) % tier.width;
        std::vector<Bytes> shares(static_cast<size_t>(used));
        for (i64 i = 0; i < tier.pieces; ++i)
            shares[static_cast<size_t>(i % used)] += Bytes{scaled(size.count, i + 1, tier.pieces) - scaled(size.count, i, tier.pieces)};
        if (used == 1) shares[0] = size;
        for (i32 volume = 0; volume < used; ++volume)
            if (at(shares, volume))
                for (const Hold& hold : holds) {
                    const i32 member = hold.slot == tier.slot ? base + (lead + volume) % tier.width : q->places[hold.slot];
                    longest = std::max(longest, service(hold, member, at(shares, volume)));
                }
        return longest;
    }

    // Return the time of a message over parts one after the other.
    Nanoseconds cross(Frame* q, std::span<const Hold> holds, Bytes size) {
        Nanoseconds begin{0}, end{0};
        for (const Hold& hold : holds) {
            end = std::max(end, together(begin, service(hold, q->places[hold.slot], size)));
            if (!hold.leads) continue;
            begin = together(begin, hold.part->latency);
            end = together(end, hold.part->latency);
        }
        return end;
    }

    // Return the time of a request at a part alone.
    Nanoseconds service(const Hold& hold, i32 member, Bytes size) {
        const Part& part = *hold.part;
        Nanoseconds time = part.services ? Parts::by_table(part, size, 1)
                                         : together(part.overhead, transfer_time(size, part.ns_per_byte));
        if (hold.part->spec >= 0 && seen_.insert({hold.part->reading, member}).second)
            time = together(time, with_kind(kernel_.kinds, hold.part->kind, [&](auto kind, auto& table) {
                return decltype(kind)::first(table.specs[static_cast<size_t>(hold.part->spec)]);
            }));
        return time;
    }

    // Return a sum, or the limit: the file is reported once all is known.
    static Nanoseconds together(Nanoseconds one, Nanoseconds other) { return std::min(one + other, NEVER); }

    template <class Row>
    static Row& at(std::vector<Row>& rows, i64 number) { return rows[static_cast<size_t>(number)]; }
};

}  // namespace nwtsim
