// Rows with a number each: memory grows with how many there are at once.
#pragma once

#include <vector>

#include "simulator/traces/number.hpp"

namespace nwtsim {

template <class Item>
class Numbered {
  public:
    Item& operator[](i64 number) { return items_[static_cast<size_t>(number)]; }
    i64 size() const { return static_cast<i64>(items_.size()); }

    i32 add(Item item) {
        if (free_.empty()) {
            items_.push_back(item);
            return static_cast<i32>(items_.size()) - 1;
        }
        const i32 number = free_.back();
        free_.pop_back();
        (*this)[number] = item;
        return number;
    }
    void free(i32 number) { free_.push_back(number); }

    // The same, with an item as it was left.
    i32 add_again() {
        if (free_.empty()) return add({});
        const i32 number = free_.back();
        free_.pop_back();
        return number;
    }

  private:
    std::vector<Item> items_;
    std::vector<i32> free_;
};

}  // namespace nwtsim
