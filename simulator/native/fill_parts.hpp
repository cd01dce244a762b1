// Conversion of a plan to a kernel: parts, with the properties of their kinds.
#pragma once

#include "simulator/native/prepare.hpp"

namespace nwtsim {

inline void Preparation::fill_parts(Kernel& kernel) {
    Parts& parts = kernel.parts;
    PartKinds& kinds = kernel.kinds;
#define KIND(name, Class) kinds.name.specs = plan.rows<Class::Spec>("spec_" #name);
    NWTSIM_PARTS(KIND)
#undef KIND
    parts.noise = plan.rows<NoiseRow>("noise");
    parts.factors = plan.values<i64>("factor");
    parts.services = plan.rows<ServiceRow>("service");
    parts.points = plan.rows<PointRow>("point");
    kernel.sharing.speeds = plan.values<i64>("speed");
    parts.instances.resize(static_cast<size_t>(numbers.instances) + 1);
    parts.carries.resize(parts.instances.size());
    parts.watched = kernel.calendars.any();
    std::set<i32> pools;
    for (const TierRow& tier : tier_rows)
        if (tier.kind == TierKind::hold) pools.insert(at(hold_rows, tier.down).part);
    const auto share = [&](Part& part) {
        part.own = static_cast<i32>(kernel.sharing.shared.size());
        kernel.sharing.shared.resize(kernel.sharing.shared.size() + static_cast<size_t>(part.count));
    };
    for (i32 number = 0; number < static_cast<i32>(part_rows.size()); ++number) {
        const PartRow& row = at(part_rows, number);
        Part part;
        part.row = number;
        part.kind = static_cast<u8>(row.kind);
        part.first = row.first;
        part.count = row.count;
        part.column = row.column;
        part.spec = row.spec;
        part.noise = row.noise;
        part.latency = row.latency_ns;
        part.overhead = row.overhead_ns;
        part.ns_per_byte = row.ns_per_byte;
        part.written = row.written;
        part.speeds = row.speeds;
        part.speeds_count = row.speeds_count;
        with_kind(kinds, part.kind, [&](auto kind, auto& table) {
            using Kind = decltype(kind);
            part.serving = Kind::serving;
            part.counts_idle = Kind::counts_idle;
            part.servers = Kind::servers(row);
            if (row.spec >= 0) part.hooked = Kind::hooked(at(table.specs, row.spec));
            part.memory = static_cast<i32>(table.memories.size());
            table.memories.resize(table.memories.size() + static_cast<size_t>(row.count));
            if constexpr (std::is_same_v<Kind, CpuKind>) part.ns_per_byte = at(table.specs, row.spec).copy_ns_per_byte();
            if constexpr (std::is_same_v<Kind, CoreKind>)
                if (at(groups, row.group).crowded) part.serving = Serving::core;
        });
        bool draws_noise = false;
        for (i32 i = 0; row.noise >= 0 && i < row.count; ++i) {
            const NoiseRow& one = at(parts.noise, row.noise + i);
            draws_noise = draws_noise || one.table >= 0 || one.run_factor != ONE;
        }
        part.points = parts.points.data();
        part.services = row.services_count ? &at(parts.services, row.services) : nullptr;
        part.services_count = row.services_count;
        part.depths = std::max({1, row.services_count, row.write_services_count});
        if (part.depths > 1) {
            part.ends = static_cast<i32>(parts.ends.size());
            parts.ends.resize(parts.ends.size() + static_cast<size_t>(row.count),
                              Ends{std::vector<Nanoseconds>(static_cast<size_t>(part.depths - 1))});
        }
        part.varies = part.hooked || draws_noise || part.depths > 1;
        if (pools.contains(number)) {
            part.is_pool = true;
            part.servers = row.servers;
            part.own = static_cast<i32>(kernel.tiers.pools.size());
            kernel.tiers.pools.resize(kernel.tiers.pools.size() + static_cast<size_t>(row.count));
        } else if (part.servers > 1) {
            part.server = static_cast<i32>(parts.servers.size());
            parts.servers.resize(parts.servers.size() + static_cast<size_t>(part.servers) * static_cast<size_t>(row.count));
        }
        if (part.serving == Serving::shared) share(part);
        if (part.serving == Serving::scheduled) {
            part.own = static_cast<i32>(kernel.scheduling.disks.size());
            kernel.scheduling.disks.resize(kernel.scheduling.disks.size() + static_cast<size_t>(row.count));
        }
        if (part.serving == Serving::cpu && at(groups, row.group).crowded) {
            share(part);
            part.speeds = static_cast<i32>(kernel.sharing.speeds.size());
            part.speeds_count = row.cores + 1;
            for (i64 n = 0; n <= row.cores; ++n) kernel.sharing.speeds.push_back(n << POINT);
        }
        parts.reading.push_back(part);
    }
    Part none;  // A cpu that takes no time.
    none.serving = Serving::cpu;
    none.servers = 0;
    none.first = static_cast<i32>(numbers.instances);
    none.spec = static_cast<i32>(kinds.cpu.specs.size());
    kinds.cpu.specs.emplace_back();
    parts.reading.push_back(none);
    for (Part& part : parts.reading)
        if (part.serving == Serving::core)
            for (Part& cpu : parts.reading)
                if (cpu.serving == Serving::cpu && cpu.row < static_cast<i32>(part_rows.size()) && &cpu != &parts.reading.back()
                    && at(part_rows, cpu.row).group == at(part_rows, part.row).group)
                    part.cpu = cpu.row;
    parts.writing = parts.reading;
    for (size_t i = 0; i < parts.reading.size(); ++i) {
        Part &reading = parts.reading[i], &writing = parts.writing[i];
        writing.is_writing = true;
        if (reading.written) {
            const PartRow& row = part_rows[i];
            writing.overhead = row.write_overhead_ns;
            writing.ns_per_byte = row.write_ns_per_byte;
            writing.services = row.write_services_count ? &at(parts.services, row.write_services) : nullptr;
            writing.services_count = row.write_services_count;
            writing.speeds = row.write_speeds;
            writing.speeds_count = row.write_speeds_count;
        }
        reading.reading = writing.reading = &reading;
        reading.writing = writing.writing = &writing;
    }
    for (size_t i = 0; i < part_rows.size(); ++i)
        if (parts.reading[i].serving == Serving::array) {
            parts.reading[i].own = parts.writing[i].own = static_cast<i32>(kernel.arrays.arrays.size());
            for (i32 one = 0; one < part_rows[i].count; ++one)
                kernel.arrays.add(parts.reading[i], at(kinds.array.specs, part_rows[i].spec));
        }
}

}  // namespace nwtsim
