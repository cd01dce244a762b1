// A token: one line of a log, as numbers that say where in its block each thing stands.
#pragma once

#include <array>

#include "simulator/traces/codes.hpp"

namespace nwtsim {

constexpr i64 MOST_ARGS = 7;  // Whose places are kept.

struct Token {
    i64 time = ABSENT;      // As its clock counts it.
    i64 value = 0;          // What the call returned, or what else the line says.
    i64 duration = ABSENT;
    i64 other = 0;          // A second number: of a pipe, or a process.
    Line line = Line::PASSED;
    Clock clock = Clock::NO_CLOCK;
    Result result = Result::NOTHING;
    Damage damage = Damage::SOUND;
    Table table = Table::NONE;
    i32 number = 0;         // Of the line in its block, where it begins and ends.
    i32 start = 0, end = 0;
    i32 pid = -1, lwp = 0;
    i32 call = -1;          // Which of the known calls, and where its name stands.
    i32 name = 0, name_end = 0;
    i32 args = 0, args_end = 0;
    i32 count = 0;          // Of arguments; `arg` says where the first of them begin.
    std::array<i32, MOST_ARGS> arg{};
    i32 value_at = 0;       // Where the result, and an error's name, stand.
    i32 error = 0, error_end = 0;

    bool has_value() const { return result == Result::A_NUMBER; }
    i64 returned() const { return has_value() ? value : ABSENT; }
};

}  // namespace nwtsim
