// Loops over the rows of tables as a module of Python: lengths of files, the same job with other
// buffers, lengths of records, and calls of the C library one after the other.
//
// Made against the stable interface of Python 3.11. Each has a twin in Python, for where nothing is
// compiled: extents.py and buffered.py in simulator/workload, lengthtable.py in simulator/runtime,
// loops.py in simulator/measure.
#include "simulator/python.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "simulator/native/mixing.hpp"
#include "simulator/workload/buffered.hpp"

using namespace nwtsim;

namespace {

// The columns that a function is given: buffers, until it returns.
template <int Count>
class Given {
  public:
    explicit Given(const int (&widths)[Count]) : widths_(widths) {}
    ~Given() {
        for (int k = 0; k < held_; ++k) PyBuffer_Release(&views_[k]);
    }

    // Take the first arguments; false, with an exception, if they are no columns of these widths.
    bool take(PyObject* arguments, u32 writable = 0) {
        for (; held_ < Count; ++held_) {
            PyObject* column = PyTuple_GetItem(arguments, held_);
            const int flags = PyBUF_ND | (writable >> held_ & 1 ? PyBUF_WRITABLE : 0);
            if (!column || PyObject_GetBuffer(column, &views_[held_], flags)) return false;
            if (views_[held_].itemsize == widths_[held_]) continue;
            ++held_;
            PyErr_Format(PyExc_ValueError, "column %d has numbers of another width than %d bytes", held_ - 1, widths_[held_ - 1]);
            return false;
        }
        return true;
    }

    template <class Value>
    Value* at(int column) const { return static_cast<Value*>(views_[column].buf); }
    i64 count(int column) const { return views_[column].len / views_[column].itemsize; }

    // Say whether columns are as long as the first of them.
    bool same(int first, int last) const {
        for (int k = first; k <= last; ++k)
            if (count(k) != count(first)) return false;
        return true;
    }

  private:
    const int (&widths_)[Count];
    Py_buffer views_[Count];
    int held_ = 0;
};

PyObject* bad(const char* text) {
    PyErr_SetString(PyExc_ValueError, text);
    return nullptr;
}

// Say whether all rows are of files that there are; -1 is none, if `none` is allowed.
bool are_files(const i32* file, i64 rows, i64 files, bool none) {
    for (i64 row = 0; row < rows; ++row)
        if (file[row] >= files || file[row] < (none ? -1 : 0)) return false;
    return true;
}

PyObject* follow(PyObject*, PyObject* arguments) {
    static constexpr int WIDTHS[] = {1, 4, 8, 8, 8, 8, 8, 1};
    Given<8> given(WIDTHS);
    if (!given.take(arguments, 0b1110100)) return nullptr;
    if (!given.same(0, 3) || !given.same(4, 7)) return bad("columns of calls, or of files, differ in length");
    const CallColumns calls{given.at<i8>(0), given.at<i32>(1), given.at<i64>(2), given.at<i64>(3), given.count(0)};
    for (i64 row = 0; row < calls.count; ++row) {
        const bool moves = calls.kind[row] == static_cast<i8>(Operation::READ) || calls.kind[row] == static_cast<i8>(Operation::WRITE);
        if (moves && !are_files(calls.file + row, 1, given.count(4), false)) return bad("a call is of no file");
    }
    const ExtentColumns files{given.at<i64>(4), given.at<i64>(5), given.at<i64>(6), given.at<i8>(7)};
    return PyLong_FromLongLong(follow_extents(calls, files));
}

template <class Value, class Each>
PyObject* column_of(size_t count, Each&& each) {
    PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(sizeof(Value) * count));
    if (!bytes) return nullptr;
    char* data = PyBytes_AsString(bytes);
    for (size_t row = 0; row < count; ++row) {
        const Value value = each(row);
        std::memcpy(data + sizeof(Value) * row, &value, sizeof(Value));
    }
    return bytes;
}

PyObject* gather(PyObject*, PyObject* arguments) {
    static constexpr int WIDTHS[] = {1, 4, 8, 8, 8, 8, 8, 8};  // The table; first and last rows of clients; sizes and reach of files.
    Given<8> given(WIDTHS);
    if (!given.take(arguments)) return nullptr;
    PyObject* last = PyTuple_GetItem(arguments, 8);
    const int ordered = last ? PyObject_IsTrue(last) : -1;
    if (ordered < 0) return nullptr;
    const i64 rows = given.count(0), clients = given.count(5) / 2;
    const auto* stretch = given.at<i64>(5);
    if (!given.same(0, 4) || !given.same(6, 7)) return bad("columns of calls, or of files, differ in length");
    if (!are_files(given.at<i32>(1), rows, given.count(6), true)) return bad("a call is of no file");
    for (i64 client = 0; client < clients; ++client)
        if (stretch[2 * client] < 0 || stretch[2 * client + 1] < stretch[2 * client] || stretch[2 * client + 1] > rows)
            return bad("a client has rows that are not in the table");
    Gatherer made(given.at<i64>(6), given.at<i64>(7), given.count(6), ordered);
    std::vector<i64> ends;
    bool fine = true;
    Py_BEGIN_ALLOW_THREADS
    try {
        for (i64 client = 0; client < clients; ++client) {
            made.gather(client, stretch[2 * client], stretch[2 * client + 1], [&](i64 row) {
                return CallRow{given.at<i8>(0)[row], given.at<i32>(1)[row], given.at<i64>(2)[row], given.at<i64>(3)[row],
                               given.at<i64>(4)[row]};
            });
            ends.push_back(static_cast<i64>(made.rows.size()));
        }
    } catch (const std::bad_alloc&) {
        fine = false;
    }
    Py_END_ALLOW_THREADS
    if (!fine) return PyErr_NoMemory();
    const size_t count = made.rows.size();
    return Py_BuildValue(
        "(NNNNNNN)", column_of<i8>(count, [&](size_t row) { return made.rows[row].kind; }),
        column_of<i32>(count, [&](size_t row) { return made.rows[row].file; }),
        column_of<i64>(count, [&](size_t row) { return made.rows[row].offset; }),
        column_of<i64>(count, [&](size_t row) { return made.rows[row].size; }),
        column_of<i64>(count, [&](size_t row) { return made.rows[row].gap; }),
        column_of<i64>(count, [&](size_t row) { return made.cause[row]; }),
        column_of<i64>(ends.size(), [&](size_t row) { return ends[row]; }));
}

// -- lengths of records -----------------------------------------------------------------------------

// Draw lengths, evenly or from a pool, until they make `left` bytes, or so many are drawn; returns how
// many, the bytes that are still left, and how long the last one may be.
PyObject* draw(PyObject*, PyObject* arguments) {
    Py_buffer pool;
    long long key, low, span, count, left, last = 0;
    if (!PyArg_ParseTuple(arguments, "y*LLLLL", &pool, &key, &low, &span, &count, &left)) return nullptr;
    const auto* listed = static_cast<const i64*>(pool.buf);
    const bool fits = pool.len == 0 || (low >= 0 && low + (i64{1} << TABLE_BITS) <= pool.len / 8);
    if (!fits || span < 1) {
        PyBuffer_Release(&pool);
        return bad("these lengths are not in the table");
    }
    for (const i64 end = count + (i64{1} << 20); left > 0 && count < end; left -= last) {
        const u64 from = static_cast<u64>(key);
        ++count;
        last = pool.len ? listed[low + pick(from, count)] : low + static_cast<i64>(mix(from, count) % static_cast<u64>(span));
        last = std::min(last, left);
    }
    PyBuffer_Release(&pool);
    return Py_BuildValue("LLL", count, left, last);
}

// -- calls of the C library -------------------------------------------------------------------------

// Functions by their addresses. An argument too many is in a register that nobody looks at, as a
// number of 64 bits in place of an int.
constexpr i64 ARGUMENTS = 5;
using Wide = i64 (*)(i64, i64, i64, i64, i64);
using Narrow = int (*)(i64, i64, i64, i64, i64);

i64 called(long long function, bool is_wide, const i64* with) {
    const auto address = static_cast<std::uintptr_t>(function);
    return is_wide ? reinterpret_cast<Wide>(address)(with[0], with[1], with[2], with[3], with[4])
                   : reinterpret_cast<Narrow>(address)(with[0], with[1], with[2], with[3], with[4]);
}

// Make a call for each row from first on; returns the row at which `one` says that it failed, or last.
template <class One>
PyObject* each_row(PyObject* rows, long long first, long long last, One&& one) {
    Py_buffer table;
    if (PyObject_GetBuffer(rows, &table, PyBUF_ND)) return nullptr;
    const auto* numbers = static_cast<const i64*>(table.buf);
    const bool fits = table.itemsize == 8 && first >= 0 && last <= table.len / (8 * ARGUMENTS);
    while (fits && first < last && one(numbers + ARGUMENTS * first)) ++first;
    PyBuffer_Release(&table);
    return fits ? PyLong_FromLongLong(first) : bad("these rows are not in the table");
}

PyObject* in_turn(PyObject*, PyObject* arguments) {
    long long function, first, last;
    int is_wide;
    PyObject* rows;
    if (!PyArg_ParseTuple(arguments, "LpOLL", &function, &is_wide, &rows, &first, &last)) return nullptr;
    return each_row(rows, first, last, [&](const i64* with) { return called(function, is_wide, with) >= 0; });
}

PyObject* regardless(PyObject*, PyObject* arguments) {
    long long function, first, last;
    int is_wide;
    PyObject* rows;
    if (!PyArg_ParseTuple(arguments, "LpOLL", &function, &is_wide, &rows, &first, &last)) return nullptr;
    return each_row(rows, first, last, [&](const i64* with) {
        called(function, is_wide, with);
        return true;
    });
}

PyObject* opened(PyObject*, PyObject* arguments) {
    long long opens, closes, first, last;
    PyObject* rows;
    if (!PyArg_ParseTuple(arguments, "LLOLL", &opens, &closes, &rows, &first, &last)) return nullptr;
    return each_row(rows, first, last, [&](const i64* with) {
        const i64 name[ARGUMENTS] = {with[0], with[1], with[2], 0, 0};
        const i64 file[ARGUMENTS] = {called(opens, false, name), 0, 0, 0, 0};
        return file[0] >= 0 && called(closes, false, file) >= 0;
    });
}

PyMethodDef functions[] = {
    {"follow", follow, METH_VARARGS, "Go through calls; return how many had no offset (extents.py)."},
    {"gather", gather, METH_VARARGS,
     "Return the rows of clients with other buffers, their causes, and where each client's end (buffered.py)."},
    {"draw", draw, METH_VARARGS, "Draw lengths of records that make so many bytes; return their number, what is left, the last (lengthtable.py)."},
    {"in_turn", in_turn, METH_VARARGS, "Make the calls of some rows; return the row at which one failed, or the last."},
    {"regardless", regardless, METH_VARARGS, "Make the calls of some rows, whether they fail or not; return the last."},
    {"opened", opened, METH_VARARGS, "Open the file of each row, and close it; return the row at which that failed, or the last."},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "rowloops", "Loops over the rows of tables.", -1, functions,
                      nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_rowloops() { return PyModule_Create(&module); }
