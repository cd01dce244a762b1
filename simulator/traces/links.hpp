// Symbolic links that a log makes: which name another one leads to.
//
// Few logs make any, so that this is asked for seldom. Not known here: links from before the log.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "simulator/traces/paths.hpp"

namespace nwtsim {

class Links {
  public:
    explicit Links(Paths& names) : names_(names) {}

    bool empty() const { return !made_; }

    // Another log begins, of another world.
    void forget() {
        texts_.clear();
        found_.clear();
        made_ = false;
    }

    // A name is a link to a text; known until files are moved (`moves` counts that).
    void add(i32 name, i32 text, i64 moves) { set(name, {std::string(names_.text(text)), moves}); }

    // Say whether a name is known to be a link.
    bool is_link(i32 name, i64 moves) const {
        const auto found = texts_.find(std::string(names_.text(name)));
        return found != texts_.end() && found->second.moves == moves;
    }

    // A second name is the link that the first one is.
    void copy(i32 name, i32 to_name, i64 moves) {
        set(to_name, {texts_.at(std::string(names_.text(name))).text, moves});
    }

    // A name is no link any more.
    void remove(i32 name) {
        if (made_ && name >= 0 && texts_.erase(std::string(names_.text(name)))) found_.clear();
    }

    // Return the name that a name leads to; `follow`: its last part may be a link, too. `root` is the
    // process's root directory, or -1.
    i32 resolve(i32 name, i32 root, bool follow, i64 moves) {
        const auto [found, is_new] = found_.try_emplace({name, root, follow}, -1);
        if (is_new) {
            found->second = followed(name, root, follow, moves);
        }
        return found->second;
    }

  private:
    static constexpr int MOST_HOPS = 40;  // Links that Linux follows in one name.
    struct Link {
        std::string text;
        i64 moves;
    };

    Paths& names_;
    bool made_ = false;
    std::unordered_map<std::string, Link> texts_;
    std::map<std::tuple<i32, i32, bool>, i32> found_;

    void set(i32 name, Link link) {
        texts_.insert_or_assign(std::string(names_.text(name)), std::move(link));
        found_.clear();
        made_ = true;
    }

    i32 followed(i32 name, i32 root, bool follow, i64 moves) {
        for (int hop = 0; hop < MOST_HOPS; ++hop) {
            const std::string path(names_.text(name));
            const auto [link, end] = first_link(path, follow, moves);
            if (!link) break;
            const bool absolute = link->text.starts_with('/');
            const std::string where = absolute ? std::string(root < 0 ? Word() : names_.text(root))
                                               : path.substr(0, path.rfind('/', end - 1) + 1);
            name = names_.join_plain(root, where + link->text + path.substr(end));
        }
        return name;
    }

    // Return the first part of a path that is a link, and where it ends.
    std::pair<const Link*, size_t> first_link(const std::string& path, bool follow, i64 moves) const {
        for (size_t end = 0; end < path.size();) {
            end = std::min(path.find('/', end + 1), path.size());
            if (end == path.size() && !follow) break;
            const auto found = texts_.find(path.substr(0, end));
            if (found != texts_.end() && found->second.moves == moves) return {&found->second, end};
        }
        return {nullptr, 0};
    }
};

}  // namespace nwtsim
