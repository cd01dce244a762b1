// Lines of a block as tokens: what the scanners of strace and of truss share.
//
// A block is looked at without what other blocks said, so that several can be looked at at once.
#pragma once

#include <vector>

#include "simulator/traces/names.hpp"
#include "simulator/traces/text.hpp"

namespace nwtsim {

// The calls that are known: their names, and what is at which argument.
struct KnownCalls {
    Names names;
    std::vector<Spec> specs;

    const Spec& of(i64 call) const { return specs[static_cast<size_t>(call)]; }

    // Add a call in the words of syscalls.py, like `open p0g1 open file`; false if it is none, or is
    // known. A star before its name: it moves bytes.
    bool add(Word line) {
        Spec made;
        made.moving = line.starts_with('*');
        line.remove_prefix(made.moving);
        std::vector<Word> words;
        for (size_t i = 0; i <= line.size();) {
            const size_t end = std::min(line.find(' ', i), line.size());
            words.push_back(line.substr(i, end - i));
            i = end + 1;
        }
        size_t at = 1;
        if (at < words.size() && made.take_places(words[at])) ++at;
        if (at < words.size() && made.take_act(words[at])) ++at;
        if (at < words.size() && made.take_kind(words[at])) ++at;
        names.add(words[0]);
        specs.push_back(made);
        return at == words.size() && !words[0].empty() && static_cast<size_t>(names.count()) == specs.size();
    }
};

class Lines {
  public:
    Lines(const KnownCalls& known, i64 capacity) : known(known), tokens(static_cast<size_t>(capacity)) {}
    virtual ~Lines() = default;

    const KnownCalls& known;
    Text text;
    std::vector<Token> tokens;
    i64 count = 0;           // Of the tokens, how many are of lines.
    i64 at = 0, stop = 0;    // Where the next line begins, and where the lines end.
    i64 lines = 0;           // That were read of the block.
    i64 steps = 0;           // The time that steps since the line before come to.
    std::vector<i32> ends;   // The tokens that are second parts of forks.

    // Look at the lines in [start, stop) of a block, whose bytes may be changed in place.
    virtual void begin(u8* block, i64 size, i64 start, i64 end, i64 line, i64 step) {
        text.hold(block, size);
        writable_ = block;
        at = start;
        stop = end;
        lines = line;
        steps = step;
        holes_ = find_byte(block, 0, start, end) < end;
    }

    // Fill the tokens with the next lines.
    virtual void scan() = 0;

    // Take a last line without an end for cut off, unless its form says that it is whole.
    void check_cut() {
        Token& last = tokens[static_cast<size_t>(count - 1)];
        if (last.number != lines - 1) return;
        if (last.line == Line::SUMMARY) last.damage = Damage::CUT_OFF;  // If it stands in no table.
        else if (last.line == Line::DAMAGED || is_open(last, text.bytes[last.end - 1])) bad(last, Damage::CUT_OFF);
    }

  protected:
    u8* writable_ = nullptr;
    bool holes_ = false;

    // Say whether more of a line that ends with `c` may have followed.
    virtual bool is_open(const Token& token, u8 c) const = 0;

    static Line bad(Token& token, Damage damage) {
        token.damage = damage;
        return token.line = Line::DAMAGED;
    }

    bool has_hole(i64 i, i64 end) const { return holes_ && find_byte(text.bytes, 0, i, end) < end; }

    // Keep a token for the line in [at, end), and go to the next line.
    void keep(Token& token, Line line, i64 end) {
        if (line != Line::PASSED) {
            token.line = line;
            token.number = static_cast<i32>(lines);
            token.start = static_cast<i32>(at);
            token.end = static_cast<i32>(end);
            ++count;
        }
        ++lines;
        at = end + 1;
    }

    void keep_name(Token& token, i64 start, i64 end) const {
        token.name = static_cast<i32>(start);
        token.name_end = static_cast<i32>(end);
        token.call = static_cast<i32>(known.names.find(text.bytes + start, end - start));
        token.args = static_cast<i32>(end + 1);
    }

    void keep_args(Token& token, i64 end) const {
        token.args_end = static_cast<i32>(end);
        token.count = static_cast<i32>(text.count);
        const size_t kept = static_cast<size_t>(std::min(text.count, MOST_ARGS));
        for (size_t k = 0; k < kept; ++k) token.arg[k] = static_cast<i32>(text.arg[k]);
    }
};

}  // namespace nwtsim
