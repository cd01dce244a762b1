// Conversion of a plan to a kernel: processes, phases, and synchronisation.
#pragma once

#include "simulator/native/fill_queues.hpp"

namespace nwtsim {

inline void Preparation::fill_programs(Kernel& kernel) {
    Programs& programs = kernel.programs;
    programs.others_column = numbers.others_column;
    programs.lock_column = numbers.lock_column;
    programs.barrier_column = numbers.barrier_column;
    programs.first_copier = numbers.first_copier;
    programs.operations = {plan.of("operation.kind").as<i8>(), plan.of("operation.file").as<i32>(),
                           plan.of("operation.offset").as<i64>(), plan.of("operation.size").as<i64>(),
                           plan.of("operation.gap").as<i64>(), plan.of("operation.column").as<i16>(),
                           plan.of("operation.path").as<i32>()};
    programs.draws = plan.rows<DrawRow>("draw");
    programs.cuts = plan.rows<CutRow>("cut");
    programs.exponential = plan.values<i64>("exponential");
    programs.arrival_times = plan.values<Nanoseconds>("arrival_time");
    for (const ArrivalsRow& row : plan.rows<ArrivalsRow>("arrivals")) {
        Arrivals& made = programs.arrivals.emplace_back();
        static_cast<ArrivalsRow&>(made) = row;
        made.last = row.first_ns;
        if (row.count <= Arrivals::MOST_KEPT) made.took.assign(static_cast<size_t>(row.count), Arrivals::NOT_ENDED);
    }
    programs.edges = plan.values<i64>("edge");
    programs.times = plan.values<Nanoseconds>("restart_time");
    for (const RestartRow& row : plan.rows<RestartRow>("restart")) {
        Restart& made = programs.restarts.emplace_back();
        static_cast<RestartRow&>(made) = row;
        made.row = static_cast<i32>(programs.restarts.size()) - 1;
        programs.begin(made);
    }
    for (const Bytes memory : plan.values<Bytes>("named.memory")) programs.named.emplace_back().memory = memory;
    programs.marks.resize(static_cast<size_t>(numbers.marks));
    programs.mutexes.resize(static_cast<size_t>(numbers.locks));
    programs.responses.resize(static_cast<size_t>(numbers.jobs));
    programs.of_job = numbers.latencies_by_job ? OPERATIONS : 0;
    programs.latencies.resize(OPERATIONS * (numbers.latencies_by_job ? static_cast<size_t>(numbers.jobs) : 1));
    for (const i64 members : plan.values<i64>("barrier")) programs.barriers.emplace_back().members = members;
    for (const ChannelRow& row : channel_rows) {
        Channel& made = programs.channels.emplace_back();
        if (row.top >= 0) made.top = &at(kernel.layout.tiers, row.top);
        made.places = rules(kernel.layout, row.places, row.places_count);
        made.source = row.source;
        made.target = row.target;
    }
    kernel.listed_lengths_ = plan.values<i64>("listed_length");
    kernel.lengths_ = plan.rows<LengthsRow, Lengths>("lengths");
    for (Lengths& one : kernel.lengths_) one.listed = kernel.listed_lengths_.data() + one.pool;
    programs.runtimes.calls = plan.of("listed_call").as<ListedCall>();
    programs.runtimes.firsts = plan.values<i64>("listed_first");
    fill_phases(kernel);
    fill_processes(kernel);
    fill_queues(kernel);
}

inline void Preparation::fill_phases(Kernel& kernel) {
    kernel.phases_ = plan.rows<PhaseRow, Phase>("phase");
    for (Phase& one : kernel.phases_) {
        if (one.kind != PhaseKind::stream) continue;
        one.way = &at(kernel.layout.paths, one.path);
        one.records = &at(kernel.lengths_, one.lengths);
        one.bits = static_cast<u8>((one.synchronous ? SYNCED : 0) | (one.direct ? DIRECT : 0));
    }
}

inline void Preparation::fill_processes(Kernel& kernel) {
    Programs& programs = kernel.programs;
    i64 passes = 0;
    i32 members = 0, most_until = -1;
    for (const ProcessRow& row : process_rows) {
        passes += row.phases_count;
        most_until = std::max(most_until, row.until);
        programs.awaited += row.until < 0;
    }
    kernel.passes_.resize(static_cast<size_t>(passes));
    kernel.placed_.resize(process_rows.size() * static_cast<size_t>(most_places));
    programs.certain.resize(static_cast<size_t>(most_until) + 1);
    const bool any_queued = std::any_of(process_rows.begin(), process_rows.end(), [](const ProcessRow& p) { return p.queued; });
    const bool any_streams = std::any_of(kernel.phases_.begin(), kernel.phases_.end(), [](const Phase& p) { return p.kind == PhaseKind::stream; });
    if (any_streams || !any_queued) programs.streams.resize(process_rows.size());
    programs.processes.resize(process_rows.size());
    passes = 0;
    for (size_t i = 0; i < process_rows.size(); ++i) {
        const ProcessRow& row = process_rows[i];
        Process& x = programs.processes[i];
        x.number = static_cast<i32>(i);
        x.job = row.job;
        x.is_crowded = row.group >= 0 && at(groups, row.group).crowded;
        x.asleep = row.sleeps && row.arrivals < 0;
        x.cpu = &at(kernel.parts.reading, row.cpu >= 0 ? row.cpu : static_cast<i64>(part_rows.size()));
        x.processor = &at(kernel.kinds.cpu.specs, x.cpu->spec);
        x.instance = row.cpu >= 0 ? x.cpu->first + row.node : numbers.instances;
        x.node = row.node;
        x.nodes = row.nodes;
        x.placed = kernel.placed_.data() + i * static_cast<size_t>(most_places);
        x.phases = kernel.phases_.data() + row.phases;
        x.phases_count = row.repeat ? row.phases_count : 0;
        x.passes = kernel.passes_.data() + passes;
        passes += row.phases_count;
        x.repeat = row.repeat;
        if (row.restart >= 0) {
            x.team = &at(programs.restarts, row.restart);
            x.phases_count = x.own_phases = row.phases_count - row.reading;
            x.reading = row.reading;
        }
        x.until = row.until;
        x.arrivals = row.arrivals;
        x.first_memory = row.memory;
        x.group = row.group;
        x.client = row.client;
        x.stops = row.stops;
        if (row.exchange >= 0) x.exchange = &at(kernel.layout.tiers, row.exchange);
        x.exchange_places = rules(kernel.layout, row.places, row.places_count);
        x.queued = row.queued;
        if (row.queued) {
            x.at = At::queued;
            x.members = row.node;
        } else if (row.nodes > 1) {
            x.members = members;
            members += row.nodes;
        }
        // Files that are drained, in the order in which its phases write them.
        x.drains = static_cast<i32>(programs.drained.size());
        const auto drain = [&](i32 file, const Path& path) {
            if (!path.drain) return NONE;
            for (size_t one = static_cast<size_t>(x.drains); one < programs.drained.size(); ++one)
                if (programs.drained[one].file == file && programs.drained[one].path == &path)
                    return static_cast<i32>(one) - x.drains;
            programs.drained.push_back({file, &path});
            return static_cast<i32>(programs.drained.size()) - 1 - x.drains;
        };
        const bool any_drains = std::any_of(path_rows.begin(), path_rows.end(), [](const PathRow& p) { return p.drain >= 0; });
        for (i32 number = row.phases; any_drains && number < row.phases + row.phases_count; ++number) {
            Phase& phase = at(kernel.phases_, number);
            if (phase.kind == PhaseKind::stream && phase.write) phase.drain = drain(phase.file, *phase.way);
            if (phase.kind != PhaseKind::operations) continue;
            for (i64 one = phase.first; one < phase.first + phase.count; ++one)
                if ((programs.operations.kind[one] & PLAIN) == WRITE && programs.operations.size[one]) {
                    const i32 file = programs.operations.file[one], way = programs.operations.path[one];
                    drain(file, way >= 0 ? at(kernel.layout.paths, way) : *at(kernel.layout.files, file).path);
                }
        }
        x.drains_count = static_cast<i32>(programs.drained.size()) - x.drains;
    }
    programs.member_service.resize(static_cast<size_t>(members));
}

}  // namespace nwtsim
