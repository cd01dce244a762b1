// Output of a run: tables of numbers; and reasons for which processes are blocked at the end.
#pragma once

#include "simulator/native/fill.hpp"
#include "simulator/native/repeats.hpp"

namespace nwtsim {

// Sums of more than 64 bits are written as two numbers: the lower 62 bits, and the rest.
inline void put_wide(OutTable& table, const char* name, const std::vector<wide>& sums) {
    table.fields.insert(table.fields.end(), {name, std::string(name) + "_above"});
    auto& low = table.columns.emplace_back();
    for (const wide sum : sums) low.push_back(static_cast<i64>(sum & (LIMIT - 1)));
    auto& above = table.columns.emplace_back();
    for (const wide sum : sums) above.push_back(static_cast<i64>(sum >> 62));
}

class Outcome {
  public:
    explicit Outcome(const Kernel& kernel) : kernel_(kernel) {}

    OutTable table(const std::string& name) const {
        const Programs& programs = kernel_.programs;
        if (name == "process") return written<Process>(programs.processes);
        if (name == "reads") return windows(&Process::reads);
        if (name == "writes") return windows(&Process::writes);
        if (name == "account") return accounts();
        if (name == "member") return values("service", programs.member_service);
        if (name == "instance") return written<Instance>(kernel_.parts.instances);
        if (name == "carry") return values("busy", kernel_.parts.carries);
        if (name == "shared") return written<Sharing::Shared>(kernel_.sharing.shared);
        if (name == "store") return written<StoreInstance>(kernel_.cache.instances);
        if (name == "unit") return written<Unit>(kernel_.buffers.units);
        if (name == "array") return written<Array>(kernel_.arrays.arrays);
        if (name == "file") return written<File>(kernel_.layout.files);
        if (name == "needless") return values("calls", kernel_.tiers.needless);
        if (name == "event") return written<Calendars::Counts>(kernel_.calendars.counts);
        if (name == "span") return written<Span>(kernel_.parts.spans);
        if (name == "call") return written<LoggedCall>(programs.log);
        if (name == "named") return named();
        if (name == "restart") return written<Restart>(programs.restarts);
        if (name == "batch") return written<Batch>(programs.queues.jobs);
        if (name == "batch_node") return batch_nodes();
        if (name == "curve") return curves();
        if (name == "moved") return moved();
        if (name == "latency") return programs.of_job ? histograms(of_all_jobs()) : histograms(programs.latencies);
        if (name == "job_latency") return histograms(programs.latencies);
        if (name == "response") return histograms(programs.responses);
        if (name == "arrival") return arrivals();
        throw BadPlan{"there is no table " + name};
    }

    // Return the reason for which a process is blocked: words, with the numbers that belong to
    // them.
    struct Waits {
        std::string what;
        std::vector<i64> numbers;
        bool operator<=>(const Waits&) const = default;
    };

    std::vector<Waits> waits(i64 process) const {
        std::vector<Waits> found;
        const Actor* actor = kernel_.programs.actor_of[static_cast<size_t>(process)];
        if (actor && actor->has_request()) of_request(actor, found);
        else found.push_back(of_program(kernel_.programs.processes[static_cast<size_t>(process)]));
        return found;
    }

  private:
    const Kernel& kernel_;

    template <class Value>
    static OutTable values(const char* name, const std::vector<Value>& all) {
        OutTable table{{name}, {{}}};
        for (const Value& one : all) table.columns[0].push_back(number_of(one));
        return table;
    }

    // Response times of arrivals, row after row.
    OutTable arrivals() const {
        OutTable table{{"took"}, {{}}};
        for (const Arrivals& row : kernel_.programs.arrivals)
            table.columns[0].insert(table.columns[0].end(), row.took.begin(), row.took.end());
        return table;
    }

    OutTable windows(Window Process::*which) const {
        std::vector<Window> all;
        for (const Process& x : kernel_.programs.processes) all.push_back(x.*which);
        return written<Window>(all);
    }

    // Of each process, column after column: waiting, and service.
    OutTable accounts() const {
        OutTable table{{"waiting", "service"}, {{}, {}}};
        for (const Process& x : kernel_.programs.processes) {
            const Account* account = kernel_.programs.account_of(x.number);
            for (int column = 0; column < kernel_.actors.columns; ++column) {
                table.columns[0].push_back(account[column].waiting.count);
                table.columns[1].push_back(account[column].service.count);
            }
        }
        return table;
    }

    // Nodes of the jobs of queues, job after job.
    OutTable batch_nodes() const {
        OutTable table{{"node"}, {{}}};
        const Queues& queues = kernel_.programs.queues;
        for (const Batch& one : queues.jobs)
            for (i32 i = one.runs; i < one.runs + one.runs_count; ++i) {
                const NodeRun& run = queues.runs[static_cast<size_t>(i)];
                const i32 end = i + 1 < one.runs + one.runs_count ? queues.runs[static_cast<size_t>(i) + 1].number : one.nodes;
                for (i32 node = 0; node < end - run.number; ++node) table.columns[0].push_back(run.first + node);
            }
        return table;
    }

    OutTable named() const {
        OutTable table = written<NamedPhase>(kernel_.programs.named);
        const auto sums = [&](const char* name, wide NamedPhase::*member) {
            std::vector<wide> all;
            for (const NamedPhase& one : kernel_.programs.named) all.push_back(one.*member);
            put_wide(table, name, all);
        };
        sums("time", &NamedPhase::time);
        sums("read", &NamedPhase::read);
        sums("written", &NamedPhase::written);
        return table;
    }

    // Curves of store instances; in "used_sum" and "dirty_sum" the bins of all of them.
    OutTable curves() const {
        OutTable table{{"instance", "shift", "bins", "left"}, {{}, {}, {}, {}}};
        std::vector<i64> numbers[6];
        std::vector<wide> moments[2], sums[2];
        kernel_.curves->each([&](const StoreCurve& one) {
            const i64 row[] = {one.instance, one.used.bins.shift, static_cast<i64>(one.used.bins.sums.size()), one.left};
            for (size_t field = 0; field < 4; ++field) table.columns[field].push_back(row[field]);
            size_t which = 0;
            for (const Level* level : {&one.used, &one.dirty}) {
                const i64 values[] = {level->value, level->most, level->most_at};
                for (size_t i = 0; i < 3; ++i) numbers[3 * which + i].push_back(values[i]);
                moments[which].push_back(level->moment);
                sums[which].insert(sums[which].end(), level->bins.sums.begin(), level->bins.sums.end());
                ++which;
            }
        });
        const std::string names[] = {"used", "dirty"};
        for (size_t which = 0; which < 2; ++which) {
            for (size_t i = 0; i < 3; ++i) {
                table.fields.push_back(names[which] + std::vector<const char*>{"", "_most", "_most_at"}[i]);
                table.columns.push_back(std::move(numbers[3 * which + i]));
            }
            put_wide(table, (names[which] + "_moment").c_str(), moments[which]);
            put_wide(table, (names[which] + "_sum").c_str(), sums[which]);
        }
        return table;
    }

    // Bytes of calls that end in each bin.
    OutTable moved() const {
        OutTable table{{"shift"}, {{kernel_.curves->read.shift}}};
        put_wide(table, "read", kernel_.curves->read.sums);
        put_wide(table, "written", kernel_.curves->written.sums);
        return table;
    }

    // Latencies by operation, where they are counted by job.
    std::vector<std::unique_ptr<Histogram>> of_all_jobs() const {
        std::vector<std::unique_ptr<Histogram>> all(OPERATIONS);
        const auto& by_job = kernel_.programs.latencies;
        for (size_t i = 0; i < by_job.size(); ++i) {
            if (!by_job[i]) continue;
            auto& one = all[i % OPERATIONS];
            if (!one) one = std::make_unique<Histogram>();
            one->add(*by_job[i]);
        }
        return all;
    }

    // Non-empty histograms: their numbers, sums and extremes, and in "bin" the non-empty bins, each
    // with its number and its count.
    static OutTable histograms(const std::vector<std::unique_ptr<Histogram>>& all) {
        OutTable table{{"number", "count", "most", "least", "bins"}, {{}, {}, {}, {}, {}}};
        std::vector<wide> sums;
        std::vector<i64> bin, counts;
        for (size_t i = 0; i < all.size(); ++i) {
            if (!all[i]) continue;
            const Histogram& one = *all[i];
            const size_t before = bin.size();
            for (size_t b = one.first(); b <= one.last(); ++b) {
                if (!one.bins[b]) continue;
                bin.push_back(static_cast<i64>(b));
                counts.push_back(one.bins[b]);
            }
            const i64 row[] = {static_cast<i64>(i), one.count, one.most.count, one.least.count, static_cast<i64>(bin.size() - before)};
            for (size_t field = 0; field < 5; ++field) table.columns[field].push_back(row[field]);
            sums.push_back(one.sum);
        }
        put_wide(table, "sum", sums);
        table.fields.insert(table.fields.end(), {"bin", "bin_count"});
        table.columns.push_back(std::move(bin));
        table.columns.push_back(std::move(counts));
        return table;
    }

    // -- reasons for blocking
    // ----------------------------------------------------------------------------

    Waits of_program(const Process& x) const {
        if (x.at == At::queued) return of_queue(x);
        if (x.at == At::start) return {"start", {}};
        if (x.at == At::endless) return {"endless", {}};
        if (x.at == At::completed || x.at == At::halted) return {"others", {}};
        const u8 kind = static_cast<u8>(kernel_.programs.operations.kind[x.row]) & PLAIN;
        const i64 which = x.offset.count;
        switch (kind) {
            case LOCK: return {"lock", {which, kernel_.programs.mutexes[static_cast<size_t>(which)].holder->index}};
            case BARRIER: {
                const Barrier& barrier = kernel_.programs.barriers[static_cast<size_t>(which)];
                return {"barrier", {which, barrier.come, barrier.members}};
            }
            case RECEIVE: return {"message", {which}};
            case JOIN: return {"join", {which}};
            default: return {"mark", {which}};
        }
    }

    Waits of_queue(const Process& x) const {
        const Batch& one = kernel_.programs.queues.of(x.number);
        switch (Queues::task_of(one, x.number)) {
            case Task::job: return {"queue", {one.queue}};
            case Task::stage_in: return {"data", {}};
            default: return {"job", {}};
        }
    }

    // Return the reasons for which an actor's request waits; of one that forked, those of its
    // branches, each once.
    void of_request(const Actor* actor, std::vector<Waits>& found) const {
        const Frame* q = actor->top;
        if (q->state == State::forked) {
            std::vector<const Actor*> branches;
            const_cast<Actors&>(kernel_.actors).each([&](const Actor* one) {
                if (one->role == Role::branch && one->parent == actor) branches.push_back(one);
            });
            std::sort(branches.begin(), branches.end(), [](auto* a, auto* b) { return a->number < b->number; });
            for (const Actor* branch : branches) of_request(branch, found);
            return;
        }
        const Tier& tier = *q->tier;
        Waits waits{"parts", {}};
        if (tier.kind == TierKind::store) waits = {"store", {tier.row}};
        else if (tier.kind == TierKind::locks) waits = {"locks", {}};
        else if (tier.kind == TierKind::buffers) waits = {"buffers", {tier.row + q->places[tier.slot]}};
        else
            for (const auto way : {tier.down, tier.up})
                for (const Hold& hold : way)
                    if (std::find(waits.numbers.begin(), waits.numbers.end(), hold.part->row) == waits.numbers.end())
                        waits.numbers.push_back(hold.part->row);
        if (std::find(found.begin(), found.end(), waits) == found.end()) found.push_back(std::move(waits));
    }
};

}  // namespace nwtsim
