// Pieces of the kernel without the rest, for tests: a question a line, and an answer a line.
#include <cstdio>
#include <iostream>
#include <sstream>

#include "simulator/native/clock.hpp"
#include "simulator/native/runtimes.hpp"

using namespace nwtsim;

namespace {

// "number ..." of actors, then acts: at I TIME, wake I, stop I, next, go I TIME, move TIME; who is next each time.
void clock(std::istream& in) {
    Pulse pulse;
    Clock made{pulse};
    Actors actors{1, 2, 1};
    std::vector<Actor*> known;
    i64 count, number, time;
    size_t one;
    for (in >> count; count > 0 && in >> number; --count) known.push_back(actors.take(Role::process, 0, number));
    const auto tell = [&](const Actor* next) {
        std::cout << (next ? next->number : -1) << ' ' << made.now.count << ' ';
    };
    for (std::string act; in >> act;) {
        if (act == "next") tell(made.next_actor());
        else if (act == "move") in >> time, made.move_to(Nanoseconds{time});
        else if (in >> one; act == "wake") made.wake(known.at(one));
        else if (act == "stop") made.stop(known.at(one));
        else if (in >> time; act == "at") made.at(known.at(one), Nanoseconds{time});
        else tell(made.go_on(known.at(one), Nanoseconds{time}));
    }
}

// A row of lengths: kind, key, first, size, count, total, longest, last, and the listed ones.
Lengths lengths_of(std::istream& in, std::vector<i64>& listed) {
    Lengths made{};
    in >> made.kind >> made.key >> made.first >> made.size >> made.count >> made.total >> made.longest >> made.last;
    size_t count;
    in >> count;
    listed.resize(count);
    for (i64& one : listed) in >> one;
    made.listed = listed.data();
    return made;
}

// Policy, whether it writes, buffer, request, subrecord, the most calls, lengths: all calls, and what is before each.
void stream(std::istream& in) {
    Pulse pulse;
    Runtimes runtimes;
    std::string policy;
    bool is_write;
    i64 buffer, request, most;
    in >> policy >> is_write >> buffer >> request >> runtimes.subrecord >> most;
    std::vector<i64> listed;
    const Lengths lengths = lengths_of(in, listed);
    i32 number = 0;
    while (policy != RUNTIMES[number]) ++number;
    Stream s;
    runtimes.begin(s, number, is_write, buffer, lengths, pulse);
    s.request = request;
    while (most-- > 0) {
        const bool is_call = runtimes.step(s);
        if (is_call) std::cout << static_cast<int>(s.op) << ' ' << s.offset << ' ' << s.size;
        else std::cout << "-1 0 0";
        std::cout << ' ' << s.copied << ' ' << s.records << ' ';
        if (!is_call) break;
    }
}

void lengths(std::istream& in) {
    std::vector<i64> listed;
    const Lengths made = lengths_of(in, listed);
    for (i64 i = 0; i < made.count; ++i) std::cout << made.length(i) << ' ';
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        std::string what;
        in >> what;
        i64 a = 0, b = 0, by = 0;
        u64 key = 0;
        if (what == "clock") clock(in);
        else if (what == "stream") stream(in);
        else if (what == "lengths") lengths(in);
        else if (what == "product") in >> a >> b, std::cout << product(a, b);
        else if (what == "stretched") in >> a >> b, std::cout << stretched(Nanoseconds{a}, b).count;
        else if (what == "scaled") in >> a >> b >> by, std::cout << scaled(a, b, by) << ' ' << scaled_up(a, b, by);
        else if (what == "mix") in >> key >> a, std::cout << mix(key, a) << ' ' << pick(key, a);
        else return 1;
        std::cout << std::endl;
    }
}
