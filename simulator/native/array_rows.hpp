// Rows of units of an array, and the accesses of a request to each disk.
//
// Unit c of data of row r is at the same bytes of disk `disk_of(r, c)`, its parity of
// `parity_of(r, i)`; without parity each two disks have the same (docs/composition.md, Arrays).
#pragma once

#include <span>

#include "simulator/kinds/parts/array/native.hpp"
#include "simulator/native/clock.hpp"

namespace nwtsim {

using ArraySpec = ArrayKind::Spec;

// Bytes of a disk that are accessed together: from the first to the last.
struct Stretch {
    i64 low = -1, high = -1;
    bool any() const { return low >= 0; }
    void add(i64 from, i64 to) {
        low = any() ? std::min(low, from) : from;
        high = std::max(high, to);
    }
};

struct Disk {
    Nanoseconds free{0};
    i64 head = -1;                 // End of the previous access.
    i64 valid = LIMIT;             // End of its valid data.
    Nanoseconds back{0}, fails{0};  // Time of its replacement; time of its next failure.
    i64 reader = 0;                // Number of the request for which its last access read.
    bool is_nearest = false;       // Of a mirror: the one that is read.
    // Of the current request:
    Stretch read, read_last, write;  // `read_last`: the reads for the last row, separately.

    bool is_whole() const { return valid == LIMIT; }
};

class ArrayRows {
  public:
    ArrayRows(const ArraySpec& spec, std::span<Disk> disks, i64& reconstructed)
        : spec(spec), disks(disks), unit(spec.unit.count),
          columns(spec.parities ? spec.disks - spec.parities : spec.disks / 2), reconstructed_(reconstructed) {}

    const ArraySpec& spec;
    const std::span<Disk> disks;
    const i64 unit, columns;  // Data units per row.

    // Determine the reads and writes of each disk for bytes [low, high).
    void spread(i64 low, i64 high, bool writes, const Clock& clock) {
        bool may_skip = true;
        for (Disk& disk : disks) {
            may_skip = may_skip && disk.is_whole();
            disk.read = disk.read_last = disk.write = {};
        }
        if (!spec.parities) choose_mirrors(low, clock.now);
        const i64 whole = columns * unit;
        const i64 first = low / whole, last = std::max(low, high - 1) / whole;
        for (i64 row = first; row <= last; ++row) {
            const i64 begin = std::max<i64>(0, low - row * whole), end = std::min(whole, high - row * whole);
            if (!writes) read_row(row, begin, end);
            else if (!spec.parities) write_mirrors(row, begin, end);
            else write_row(row, begin, end, row == first ? &Disk::read : &Disk::read_last);
            // Rows in between are whole, and within the span of as many rows as disks at each end.
            if (may_skip && row + 1 - first > spec.disks) {
                row = std::max(row, last - spec.disks - 1);
                may_skip = false;
            }
            clock.pulse.tick();
        }
    }

    bool has_reads() const {
        return std::any_of(disks.begin(), disks.end(), [](const Disk& d) { return d.read.any() || d.read_last.any(); });
    }

  private:
    i64& reconstructed_;
    using Kind = Stretch Disk::*;

    Disk& disk_of(i64 row, i64 column) const {
        if (!spec.parities) return disks[static_cast<size_t>(2 * column)];
        const i64 n = spec.disks;
        return disks[static_cast<size_t>((n - spec.parities - row % n + n + spec.parities + column) % n)];
    }
    Disk& parity_of(i64 row, i64 number) const {
        const i64 n = spec.disks;
        return disks[static_cast<size_t>((2 * n - spec.parities - row % n + number) % n)];
    }
    bool has(const Disk& disk, i64 row) const { return disk.valid >= (row + 1) * unit; }
    void use(Disk& disk, Kind kind, i64 row, i64 low, i64 high) const {
        (disk.*kind).add(row * unit + low, row * unit + high);
    }

    // Of two mirrors, the one that is free first is read; if both are free, the one whose head is
    // where a request begins in their column.
    void choose_mirrors(i64 low, Nanoseconds now) {
        const i64 row = low / (columns * unit), begin = low % (columns * unit);
        for (size_t i = 0; i + 1 < disks.size(); i += 2) {
            const i64 at = row * unit + std::min(unit, std::max<i64>(0, begin - static_cast<i64>(i) / 2 * unit));
            Disk &one = disks[i], &twin = disks[i + 1];
            const Nanoseconds free = std::max(now, one.free), twin_free = std::max(now, twin.free);
            twin.is_nearest = twin_free < free || (twin_free == free && twin.head == at && one.head != at);
            one.is_nearest = !twin.is_nearest;
        }
    }

    // Call a function for each unit of bytes [begin, end) of a row: its column, and its bytes.
    template <class Visit>
    void each_unit(i64 begin, i64 end, Visit&& visit) const {
        for (i64 column = begin / unit; column <= std::max(begin, end - 1) / unit; ++column)
            visit(column, std::max<i64>(0, begin - column * unit), std::min(unit, end - column * unit));
    }

    void read_row(i64 row, i64 begin, i64 end) {
        each_unit(begin, end, [&](i64 column, i64 low, i64 high) {
            Disk* disk = &disk_of(row, column);
            if (!spec.parities) {
                Disk* twin = disk + 1;
                const bool takes_twin = has(*disk, row) ? has(*twin, row) && twin->is_nearest : true;
                use(takes_twin ? *twin : *disk, &Disk::read, row, low, high);
            } else if (has(*disk, row)) {
                use(*disk, &Disk::read, row, low, high);
            } else {
                reconstructed_ += high - low;
                read_sources(&Disk::read, row, low, high);
            }
        });
    }

    // Read the first disks that suffice to reconstruct a row.
    void read_sources(Kind kind, i64 row, i64 low, i64 high) {
        i64 left = columns;
        for (Disk& disk : disks) {
            if (left > 0 && has(disk, row)) {
                use(disk, kind, row, low, high);
                --left;
            }
        }
    }

    void write_mirrors(i64 row, i64 begin, i64 end) {
        each_unit(begin, end, [&](i64 column, i64 low, i64 high) {
            Disk* disk = &disk_of(row, column);
            for (Disk* one : {disk, disk + 1})
                if (has(*one, row)) use(*one, &Disk::write, row, low, high);
        });
    }

    // Write bytes of a row, and its parity; add the reads that this needs, as `kind`.
    void write_row(i64 row, i64 begin, i64 end, Kind kind) {
        const i64 first = begin / unit, last = std::max(begin, end - 1) / unit;
        const i64 low = first == last ? begin - first * unit : 0, high = first == last ? end - first * unit : unit;
        const bool known = use_units(&Disk::write, row, begin, end);
        const bool parities = use_parities(&Disk::write, row, low, high);
        if (end - begin == columns * unit || !parities) return;
        if (known) {
            use_units(kind, row, begin, end);
            use_parities(kind, row, low, high);
        } else if (has_others(row, first, last)) {
            for (i64 column = 0; column < columns; ++column)
                if (column < first || column > last) use(disk_of(row, column), kind, row, low, high);
        } else {
            read_sources(kind, row, low, high);
        }
    }

    // Use the disks that have bytes of a row; returns whether all are complete.
    bool use_units(Kind kind, i64 row, i64 begin, i64 end) {
        bool known = true;
        each_unit(begin, end, [&](i64 column, i64 low, i64 high) {
            Disk& disk = disk_of(row, column);
            if (has(disk, row)) use(disk, kind, row, low, high);
            else known = false;
        });
        return known;
    }

    // Use the disks that have parity of a row; returns whether any is complete.
    bool use_parities(Kind kind, i64 row, i64 low, i64 high) {
        bool found = false;
        for (i64 number = 0; number < spec.parities; ++number) {
            Disk& disk = parity_of(row, number);
            if (!has(disk, row)) continue;
            use(disk, kind, row, low, high);
            found = true;
        }
        return found;
    }

    bool has_others(i64 row, i64 first, i64 last) const {
        for (i64 column = 0; column < columns; ++column)
            if ((column < first || column > last) && !has(disk_of(row, column), row)) return false;
        return true;
    }
};

}  // namespace nwtsim
