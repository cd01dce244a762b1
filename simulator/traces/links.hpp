// Symbolic links that a log makes: which name another one leads to.
//
// Few logs make any, so that this is asked for seldom. Not known here: links from before the log.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "simulator/traces/names.hpp"

namespace nwtsim {

class Links {
  public:
    explicit Links(Names& names) : names_(names) {}

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
            const std::string top = root >= 0 ? std::string(names_.text(root)) : "";
            found->second = names_.add(followed(std::string(names_.text(name)), top, follow, moves));
        }
        return found->second;
    }

  private:
    static constexpr int MOST_HOPS = 40;  // Links that Linux follows in one name.
    struct Link {
        std::string text;
        i64 moves;
    };

    Names& names_;
    bool made_ = false;
    std::unordered_map<std::string, Link> texts_;
    std::map<std::tuple<i32, i32, bool>, i32> found_;

    void set(i32 name, Link link) {
        texts_.insert_or_assign(std::string(names_.text(name)), std::move(link));
        found_.clear();
        made_ = true;
    }

    std::string followed(std::string path, const std::string& top, bool follow, i64 moves) const {
        for (int hop = 0; hop < MOST_HOPS; ++hop) {
            const Link* link = nullptr;
            size_t end = path.empty() ? 0 : path.find('/', 1);
            for (; end != 0; end = end < path.size() ? path.find('/', end + 1) : 0) {
                end = std::min(end, path.size());
                if (end == path.size() && !follow) break;
                const auto found = texts_.find(path.substr(0, end));
                if (found != texts_.end() && found->second.moves == moves) {
                    link = &found->second;
                    break;
                }
            }
            if (!link) break;
            const std::string rest = path.substr(end), folder = path.substr(0, end);
            const size_t slash = folder.rfind('/');
            const std::string where = link->text.starts_with('/') ? top : slash == std::string::npos ? "" : folder.substr(0, slash);
            path = plain(where + "/" + link->text + rest, top, path.starts_with('/'));
        }
        return path;
    }

    // Take `.`, `..` and `//` out of a path, which cannot go up from `top`.
    static std::string plain(const std::string& path, const std::string& top, bool absolute) {
        std::vector<std::string> parts;
        const auto joined = [&] {
            std::string whole;
            for (const std::string& part : parts) whole += (whole.empty() && !absolute ? "" : "/") + part;
            return whole.empty() && absolute ? std::string("/") : whole;
        };
        for (size_t i = 0; i <= path.size();) {
            const size_t end = std::min(path.find('/', i), path.size());
            const std::string part = path.substr(i, end - i);
            i = end + 1;
            if (part != "..") {
                if (!part.empty() && part != ".") parts.push_back(part);
            } else if (joined() != top) {
                if (!parts.empty() && parts.back() != "..") parts.pop_back();
                else if (!absolute) parts.push_back(part);
            }
        }
        const std::string whole = joined();
        return whole.empty() ? "." : whole;
    }
};

}  // namespace nwtsim
