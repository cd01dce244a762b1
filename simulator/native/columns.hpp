// Named columns of integers: input of a plan, and output of a run.
//
// A row type says its fields once, in `describe`: names, and pointers to members. From that rows are
// read from columns "table.field", written to columns, and listed for whoever makes them (layout).
#pragma once

#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "simulator/native/quantity.hpp"

namespace nwtsim {

struct BadPlan {
    std::string text;
};

// A column owned by the caller, as Python's buffers.
struct Column {
    const void* data = nullptr;
    char form = 'q';  // b, B, h, i, q, Q or d, as in Python's array module.
    i64 count = 0;
    mutable bool is_read = false;

    i64 at(i64 row) const {
        switch (form) {
            case 'b': return static_cast<const i8*>(data)[row];
            case 'B': return static_cast<const u8*>(data)[row];
            case 'h': return static_cast<const i16*>(data)[row];
            case 'i': return static_cast<const i32*>(data)[row];
            default: return static_cast<const i64*>(data)[row];
        }
    }
    double real(i64 row) const {
        return form == 'd' ? static_cast<const double*>(data)[row] : static_cast<double>(at(row));
    }
    template <class T>
    const T* as() const { return static_cast<const T*>(data); }
};

// A field of a row: its name, its offset, and its size in bytes.
struct Field {
    const char* name;
    size_t offset, size;
    bool is_real;

    char form() const { return is_real ? 'd' : 'q'; }
    void put(char* row, const Column& column, i64 number) const {
        row += offset;
        if (is_real) {
            const double value = column.real(number);
            std::memcpy(row, &value, sizeof value);
        } else {
            const i64 value = column.at(number);
            std::memcpy(row, &value, size);  // The lower bytes come first (columns.hpp wants little-endian).
        }
    }
    i64 get(const char* row) const {
        row += offset;
        if (size == 8) return load<i64>(row);
        if (size == 4) return load<i32>(row);
        return size == 2 ? load<i16>(row) : load<u8>(row);
    }

  private:
    template <class Value>
    static i64 load(const char* from) {
        Value value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
};
static_assert(std::endian::native == std::endian::little);

// The fields of a row type.
template <class Row>
const std::vector<Field>& fields_of() {
    static const std::vector<Field> all = [] {
        std::vector<Field> found;
        alignas(Row) static char memory[sizeof(Row)];
        Row* row = reinterpret_cast<Row*>(memory);
        Row::describe([&](const char* name, auto member) {
            using Kept = std::remove_reference_t<decltype(row->*member)>;
            const auto offset = reinterpret_cast<char*>(&(row->*member)) - memory;
            found.push_back({name, static_cast<size_t>(offset), sizeof(Kept), std::is_floating_point_v<Kept>});
        });
        return found;
    }();
    return all;
}

template <class Value>
i64 number_of(const Value& value) {
    if constexpr (requires { value.count; }) return value.count;
    else return static_cast<i64>(value);
}

class Columns {
  public:
    std::map<std::string, Column, std::less<>> all;

    const Column& of(const std::string& name) const {
        const auto found = all.find(name);
        if (found == all.end()) throw BadPlan{"there is no column " + name};
        found->second.is_read = true;
        return found->second;
    }

    // Throw for an unread column: its name is unknown.
    void check_read() const {
        for (const auto& [name, column] : all)
            if (!column.is_read) throw BadPlan{"there is a column that nothing reads: " + name};
    }

    // Return the rows of a table, or what is kept of each: a type that begins with its row.
    template <class Row, class Kept = Row>
    std::vector<Kept> rows(const std::string& table) const {
        const std::vector<Field>& fields = fields_of<Row>();
        std::vector<Kept> made(fields.empty() ? 0 : static_cast<size_t>(of(table + "." + fields[0].name).count));
        Row* row = made.data();
        read(table, fields, reinterpret_cast<char*>(row), sizeof(Kept), static_cast<i64>(made.size()));
        return made;
    }

    template <class Row>
    Row only(const std::string& table) const {
        auto found = rows<Row>(table);
        if (found.size() != 1) throw BadPlan{"table " + table + " has not one row"};
        return found[0];
    }

    template <class Value>
    std::vector<Value> values(const std::string& name) const {
        const Column& column = of(name);
        std::vector<Value> made(static_cast<size_t>(column.count));
        for (i64 row = 0; row < column.count; ++row) {
            if constexpr (requires { made[0].count; }) made[static_cast<size_t>(row)].count = column.at(row);
            else made[static_cast<size_t>(row)] = static_cast<Value>(column.at(row));
        }
        return made;
    }

  private:
    void read(const std::string& table, const std::vector<Field>& fields, char* rows, size_t width, i64 count) const {
        for (const Field& field : fields) {
            const Column& column = of(table + "." + field.name);
            if (column.count != count) throw BadPlan{"column " + table + "." + field.name + " is as long as no other"};
            for (i64 row = 0; row < count; ++row) field.put(rows + static_cast<size_t>(row) * width, column, row);
        }
    }
};

// An output table: its fields, and for each the numbers of all rows.
struct OutTable {
    std::vector<std::string> fields;
    std::vector<std::vector<i64>> columns;

    void add(const std::vector<Field>& all, const char* rows, size_t width, size_t count) {
        for (const Field& field : all) {
            fields.push_back(field.name);
            auto& column = columns.emplace_back();
            column.reserve(count);
            for (size_t row = 0; row < count; ++row) column.push_back(field.get(rows + row * width));
        }
    }
};

template <class Row>
OutTable written(const std::vector<Row>& rows) {
    OutTable table;
    table.add(fields_of<Row>(), reinterpret_cast<const char*>(rows.data()), sizeof(Row), rows.size());
    return table;
}

}  // namespace nwtsim
