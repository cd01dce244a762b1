// Named columns of whole numbers: how a plan comes in and what a run gives comes out.
//
// A row type says its fields once, in `describe`: names, and pointers to members. From that rows are
// read from columns "table.field", written to columns, and listed for whoever makes them (layout).
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "simulator/native/quantity.hpp"

namespace nwtsim {

struct BadPlan {
    std::string text;
};

// A column that somebody else owns, as Python's buffers have it.
struct Column {
    const void* data = nullptr;
    char form = 'q';  // b, B, h, i, q, Q or d, as in Python's array module.
    i64 count = 0;

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

// How a field is kept: its whole number, or a double.
template <class Field>
void put(Field& field, const Column& column, i64 row) {
    if constexpr (std::is_floating_point_v<Field>) field = column.real(row);
    else if constexpr (requires { field.count; }) field.count = column.at(row);
    else field = static_cast<Field>(column.at(row));
}

template <class Field>
i64 number_of(const Field& field) {
    if constexpr (requires { field.count; }) return field.count;
    else return static_cast<i64>(field);
}

class Columns {
  public:
    std::map<std::string, Column, std::less<>> all;

    const Column& of(const std::string& name) const {
        const auto found = all.find(name);
        if (found == all.end()) throw BadPlan{"there is no column " + name};
        return found->second;
    }

    template <class Row>
    std::vector<Row> rows(const std::string& table) const {
        std::vector<Row> made;
        bool first = true;
        Row::describe([&](const char* field, auto member) {
            const Column& column = of(table + "." + field);
            if (first) made.resize(static_cast<size_t>(column.count));
            first = false;
            if (column.count != static_cast<i64>(made.size()))
                throw BadPlan{"column " + table + "." + field + " is as long as no other"};
            for (i64 row = 0; row < column.count; ++row) put(made[static_cast<size_t>(row)].*member, column, row);
        });
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
        for (i64 row = 0; row < column.count; ++row) put(made[static_cast<size_t>(row)], column, row);
        return made;
    }
};

// A table that goes out: its fields, and for each the numbers of all rows.
struct OutTable {
    std::vector<std::string> fields;
    std::vector<std::vector<i64>> columns;
};

template <class Row, class Rows>
OutTable written(const Rows& rows) {
    OutTable table;
    Row::describe([&](const char* field, auto member, auto...) {
        table.fields.push_back(field);
        auto& column = table.columns.emplace_back();
        column.reserve(rows.size());
        for (const Row& row : rows) column.push_back(number_of(row.*member));
    });
    return table;
}

// The fields of a row type, each with the form of its column.
struct Field {
    std::string name;
    char form;
};

template <class Row>
std::vector<Field> fields_of() {
    std::vector<Field> found;
    Row::describe([&](const char* name, auto member, auto...) {
        using Kept = std::remove_reference_t<decltype(std::declval<Row&>().*member)>;
        found.push_back({name, std::is_floating_point_v<Kept> ? 'd' : 'q'});
    });
    return found;
}

}  // namespace nwtsim
