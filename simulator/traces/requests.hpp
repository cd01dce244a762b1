// Requests of io_submit that are under way: the rows that their completions correct.
//
// A completion names no request. It is of one of its context with the same `data`: of the oldest that
// asked for as much as was moved, else of the oldest that asked for more. Where it may as well be of
// a request that is not shown, it is of that.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "simulator/traces/number.hpp"

namespace nwtsim {

struct OpenRequest {
    i64 row = 0, data = 0, asked = 0;
    bool writes = false, inherited = false, appended = false;  // To what of the log its bytes were added.
};

class OpenRequests {
  public:
    i64 unseen = 0;  // Requests whose completion is not in the log, or too far from them.

    void add(i64 context, i32 group, const OpenRequest& one) {
        auto& open = contexts_[{context, group}].open;
        open.push_back(one);
        if (open.size() <= MOST_OPEN) return;
        open.pop_front();
        ++unseen;
    }

    // Requests have begun that have no row.
    void hide(i64 context, i32 group, i64 count) { contexts_[{context, group}].hidden += count; }

    // Take the request that has completed, having moved so many bytes, or failed (below 0).
    std::optional<OpenRequest> take(i64 context, i32 group, i64 data, i64 moved) {
        const auto found = find(context, group);
        if (found == contexts_.end()) return {};
        auto& [open, hidden] = found->second;
        i64 alike = 0;
        auto exact = open.end(), more = open.end();
        for (auto one = open.begin(); one != open.end() && exact == open.end(); ++one) {
            if (one->data != data) continue;
            ++alike;
            if (one->asked == moved) exact = one;
            else if (more == open.end() && one->asked > moved) more = one;
        }
        if (exact == open.end() && hidden && (data == 0 || alike != 1)) {
            --hidden;
            return {};
        }
        const auto chosen = exact == open.end() ? more : exact;
        if (chosen == open.end()) return {};
        const OpenRequest taken = *chosen;
        open.erase(chosen);
        return taken;
    }

    // Return the row of the oldest request that is under way, or MOST.
    i64 oldest() const {
        i64 row = MOST;
        for (const auto& [key, context] : contexts_)
            if (!context.open.empty()) row = std::min(row, context.open.front().row);
        return row;
    }

    // Rows before this one can be corrected no more.
    void give_up(i64 row) {
        for (auto one = contexts_.begin(); one != contexts_.end();) {
            auto& open = one->second.open;
            for (; !open.empty() && open.front().row < row; open.pop_front()) ++unseen;
            one = open.empty() && !one->second.hidden ? contexts_.erase(one) : std::next(one);
        }
    }

    // The log has ended.
    void forget() {
        for (const auto& [key, context] : contexts_) unseen += static_cast<i64>(context.open.size());
        contexts_.clear();
    }

    // A context is no more.
    void end(i64 context, i32 group) {
        const auto found = find(context, group);
        if (found == contexts_.end()) return;
        unseen += static_cast<i64>(found->second.open.size());
        contexts_.erase(found);
    }

  private:
    static constexpr size_t MOST_OPEN = 4096;  // In one context: of more, the oldest were not waited for by calls.
    struct Context {
        std::deque<OpenRequest> open;
        i64 hidden = 0;
    };
    using Contexts = std::map<std::pair<i64, i32>, Context>;  // By their numbers and processes.

    Contexts contexts_;

    // Return the context of a process; of one that the log does not know as a thread of the one that
    // submitted, the only context with that number.
    Contexts::iterator find(i64 context, i32 group) {
        const auto own = contexts_.find({context, group});
        if (own != contexts_.end()) return own;
        const auto first = contexts_.lower_bound({context, INT32_MIN});
        if (first == contexts_.end() || first->first.first != context) return contexts_.end();
        const auto second = std::next(first);
        return second != contexts_.end() && second->first.first == context ? contexts_.end() : first;
    }
};

// Return the name of an error's number.
inline std::string error_name(i64 number) {
    static constexpr std::pair<i64, const char*> NAMES[] = {
        {1, "EPERM"}, {4, "EINTR"}, {5, "EIO"}, {6, "ENXIO"}, {9, "EBADF"}, {11, "EAGAIN"}, {12, "ENOMEM"}, {13, "EACCES"},
        {14, "EFAULT"}, {16, "EBUSY"}, {19, "ENODEV"}, {22, "EINVAL"}, {27, "EFBIG"}, {28, "ENOSPC"}, {29, "ESPIPE"},
        {30, "EROFS"}, {32, "EPIPE"}, {38, "ENOSYS"}, {61, "ENODATA"}, {67, "ENOLINK"}, {84, "EILSEQ"}, {95, "EOPNOTSUPP"},
        {110, "ETIMEDOUT"}, {116, "ESTALE"}, {121, "EREMOTEIO"}, {122, "EDQUOT"}, {125, "ECANCELED"},
    };
    for (const auto& [known, name] : NAMES)
        if (known == number) return name;
    return "errno " + std::to_string(number);
}

}  // namespace nwtsim
