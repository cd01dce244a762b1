// Rows of a growing table: without constructors, so that unused rows take no memory.
#pragma once

#include <cstdlib>
#include <new>
#include <type_traits>

#include "simulator/native/quantity.hpp"

namespace nwtsim {

template <class Row>
class Rows {
    static_assert(std::is_trivially_copyable_v<Row>);

  public:
    Rows() = default;
    Rows(const Rows&) = delete;
    ~Rows() { std::free(rows_); }

    Row& operator[](i64 row) { return rows_[row]; }
    const Row& operator[](i64 row) const { return rows_[row]; }
    i64 size() const { return size_; }

    // Add a row with undefined fields; returns its number. References to others become invalid.
    i64 add() {
        if (size_ == room_) [[unlikely]] grow();
        return size_++;
    }

  private:
    Row* rows_ = nullptr;
    i64 size_ = 0, room_ = 0;

    void grow() {
        const i64 room = room_ ? 2 * room_ : 64;
        void* larger = std::realloc(static_cast<void*>(rows_), static_cast<size_t>(room) * sizeof(Row));
        if (!larger) throw std::bad_alloc();
        rows_ = static_cast<Row*>(larger);
        room_ = room;
    }
};

}  // namespace nwtsim
