// Erasure codes over the members of a stripe: where data and parity lie, and what a request moves.
// As simulator/plan/coding.py: positions are those among the members, bytes those of a member.
#pragma once

#include <algorithm>
#include <vector>

#include "simulator/native/tier.hpp"

namespace nwtsim {

struct Extent {
    Bytes low{0}, high{0};
    Bytes size() const { return low < high ? high - low : NO_BYTES; }
    void add(Extent other) {
        if (!other.size()) return;
        if (!size()) *this = other;
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

// The bytes of each position; none of most.
struct Extents : std::vector<Extent> {
    explicit Extents(i32 width) : std::vector<Extent>(static_cast<size_t>(width)) {}
    Extent& of(i32 position) { return (*this)[static_cast<size_t>(position)]; }
    Bytes total() const {
        Bytes sum{0};
        for (const Extent& one : *this) sum += one.size();
        return sum;
    }
};

class Coding {
  public:
    // `lost`: positions that are away, of groups whose others hold all their data; or empty.
    Coding(const Tier& tier, Bytes end, const std::vector<bool>& lost) : tier_(tier), end_(end), lost_(lost) {}

    // Return what a read reads; adds the bytes that it decodes.
    Extents reads(Bytes low, Bytes high, Bytes& decoded) const {
        Extents wanted = data(low, high), found = wanted;
        for (i32 position = 0; position < tier_.width; ++position)
            if (is_lost(position)) found.of(position) = {};
        for (i32 position = 0; position < tier_.width; ++position) {
            const Extent span = wanted.of(position);
            if (!is_lost(position) || !span.size()) continue;
            decoded += span.size() * i64{tier_.data};
            add_sources(found, position / members(), span);
        }
        return found;
    }

    // Return what a write writes: its data, and of each group's parities the hull of these.
    Extents writes(Bytes low, Bytes high) const {
        Extents found = data(low, high);
        for (i32 first = 0; first < tier_.width; first += members()) {
            Extent hull;
            for (i32 unit = 0; unit < tier_.data; ++unit) hull.add(found.of(first + unit));
            for (i32 unit = tier_.data; unit < members(); ++unit) found.of(first + unit) = hull;
        }
        for (i32 position = 0; position < tier_.width; ++position)
            if (is_lost(position)) found.of(position) = {};
        return found;
    }

    // Return the bytes of data that a write cannot write.
    Bytes lost_data(Bytes low, Bytes high) const {
        Bytes sum{0};
        if (lost_.empty()) return sum;
        Extents found = data(low, high);
        for (i32 position = 0; position < tier_.width; ++position)
            if (is_lost(position)) sum += found.of(position).size();
        return sum;
    }

    // Return what the parities of a row need before a write; nothing if it is written whole, or new.
    Extents before(i64 row, Bytes low, Bytes high) const {
        const Bytes size = tier_.size, whole = row_size(), start = whole * row;
        const Bytes first = std::max(low, start) - start, last = std::min(high, start + whole) - start;
        const Bytes there = end_ > start ? std::min(whole, end_ - start) : NO_BYTES;
        const i64 groups = tier_.width / members();
        const Bytes base = size * (row / groups);
        const i32 group = static_cast<i32>(row % groups), at = group * members();
        Extents old(tier_.width), rest(tier_.width);
        bool parities = false;
        for (i32 unit = tier_.data; unit < members(); ++unit) parities |= !is_lost(at + unit);
        if (!there || last - first == whole || !parities) return old;
        const bool one_unit = first / size == (last - Bytes{1}) / size;
        const Extent hull = one_unit ? Extent{first % size, (last - Bytes{1}) % size + Bytes{1}} : Extent{NO_BYTES, size};
        for (i32 unit = 0; unit < tier_.data; ++unit) {
            const Bytes from = size * i64{unit};
            const Extent written{std::max(first, from) - from, std::min(std::max(last, from) - from, size)};
            const Bytes has = std::min(std::max(there, from) - from, size);
            if (written.size()) {  // All of the hull but what is written: before it, or behind it.
                put(old, at + unit, base, {written.low, std::min(written.high, has)});
                put(rest, at + unit, base, {hull.low, std::min(written.low, has)});
                put(rest, at + unit, base, {written.high, std::min(hull.high, has)});
            } else {
                put(rest, at + unit, base, {hull.low, std::min(hull.high, has)});
            }
        }
        for (i32 unit = tier_.data; unit < members(); ++unit)
            if (!is_lost(at + unit)) put(old, at + unit, base, {hull.low, std::min(hull.high, there)});
        const bool is_old = is_there(old), is_rest = is_there(rest);
        if (is_rest && (!is_old || rest.total() <= old.total())) return rest;
        if (is_old) return old;
        Extents found(tier_.width);
        add_sources(found, group, {base + hull.low, base + hull.high});
        return found;
    }

    Bytes row_size() const { return tier_.size * i64{tier_.data}; }

  private:
    const Tier& tier_;
    const Bytes end_;
    const std::vector<bool>& lost_;

    i32 members() const { return tier_.data + tier_.parity; }
    bool is_lost(i32 position) const { return !lost_.empty() && lost_[static_cast<size_t>(position)]; }

    Extents data(Bytes low, Bytes high) const {
        Extents found(tier_.width);
        for (i32 column = 0; column < tier_.columns; ++column)
            found.of(tier_.position(column)) = {part_below(low, tier_.size, tier_.columns, column),
                                                part_below(high, tier_.size, tier_.columns, column)};
        return found;
    }

    static void put(Extents& spans, i32 position, Bytes base, Extent span) {
        if (span.size()) spans.of(position) = {base + span.low, base + span.high};
    }

    bool is_there(Extents& spans) const {
        for (i32 position = 0; position < tier_.width; ++position)
            if (is_lost(position) && spans.of(position).size()) return false;
        return true;
    }

    // Add what computes bytes of a group: those of its first members that are there.
    void add_sources(Extents& found, i32 group, Extent span) const {
        i32 needed = tier_.data;
        for (i32 unit = 0; unit < members() && needed; ++unit) {
            const i32 position = group * members() + unit;
            if (is_lost(position)) continue;
            --needed;
            const i32 column = group * tier_.data + (unit < tier_.data ? unit : 0);
            const Bytes has = part_below(end_, tier_.size, tier_.columns, column);
            found.of(position).add({span.low, std::min(span.high, has)});
        }
    }
};

}  // namespace nwtsim
