// The first parts of calls that other lines interrupt, until their second parts come.
//
// A first part is kept in a place: its bytes, and where in them each argument begins. A place that
// is free again is used again, so memory grows with the calls that are under way at once.
#pragma once

#include "simulator/traces/tables.hpp"
#include "simulator/traces/text.hpp"

namespace nwtsim {

class Heads {
  public:
    // How many places there have been at once.
    i64 count() const { return parts_.size(); }

    // Keep the arguments of a token; returns their place.
    i32 keep(const Text& text, const Token& token) {
        const i32 place = parts_.add_again();
        Part& part = parts_[place];
        part.bytes.assign(text.bytes + token.args, text.bytes + token.args_end);
        part.count = token.count;
        for (size_t k = 0; k < MOST_ARGS; ++k) part.arg[k] = token.arg[k] - token.args;
        return place;
    }

    // A first part is needed no more.
    void leave(i32 place) {
        if (place < 0) return;
        std::vector<u8>& bytes = parts_[place].bytes;
        if (bytes.capacity() > ROOM) std::vector<u8>().swap(bytes);
        parts_.free(place);
    }

    // Have a text be a first part with [start, end) of it behind; returns how much the first part is.
    // A token says where the first part's arguments are. It is needed no more.
    i64 join(i32 place, Text& text, i64 start, i64 end, Token& token) {
        const Part& part = parts_[place];
        const i64 size = static_cast<i64>(part.bytes.size());
        joined_.assign(part.bytes.begin(), part.bytes.end());
        joined_.insert(joined_.end(), text.bytes + start, text.bytes + end);
        joined_.push_back('\n');
        token.count = part.count;
        token.arg = part.arg;
        leave(place);
        text.hold(joined_.data(), static_cast<i64>(joined_.size()));
        return size;
    }

  private:
    static constexpr size_t ROOM = 1024;  // Longer ones, which are rare, are not kept for the next.
    struct Part {
        std::vector<u8> bytes;
        i32 count = 0;
        std::array<i32, MOST_ARGS> arg{};
    };

    Numbered<Part> parts_;
    std::vector<u8> joined_;
};

}  // namespace nwtsim
