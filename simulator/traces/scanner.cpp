// The scanner of logs of system calls as a module of Python: `Scanner` makes tokens of the lines of
// a block, `Follower` makes rows of tokens. Both work without the interpreter's lock.
//
// Made against the stable interface of Python 3.11; a block, and a table of calls, is anything with
// a buffer. What goes out are `Memory` objects, whose bytes pyarrow takes as they are.
#include "simulator/traces/binding.hpp"

#include <utility>

#include "simulator/traces/follower.hpp"
#include "simulator/traces/strace.hpp"
#include "simulator/traces/truss.hpp"

using namespace nwtsim;

namespace {

PyTypeObject* scanner_type;

// Read the calls that are known, a line each; sets an exception if they are none.
std::unique_ptr<KnownCalls> known_calls(const char* calls, Py_ssize_t size) {
    auto known = std::make_unique<KnownCalls>();
    const Word words(calls, static_cast<size_t>(size));
    for (size_t i = 0; i < words.size();) {
        const size_t end = std::min(words.find('\n', i), words.size());
        const Word line = words.substr(i, end - i);
        if (!known->add(line)) {
            PyErr_Format(PyExc_ValueError, "no call in the words of syscalls.py: %s", std::string(line).c_str());
            return nullptr;
        }
        i = end + 1;
    }
    return known;
}

bool is_count(long long number) {
    if (number < 1) PyErr_SetString(PyExc_ValueError, "a count of tokens or rows is 1 at least");
    return number >= 1;
}

// -- Scanner ----------------------------------------------------------------------------------------

struct Scanner {
    std::unique_ptr<KnownCalls> known;
    std::unique_ptr<Lines> lines;
    Py_buffer block{};

    ~Scanner() { release(); }
    void release() {
        if (block.obj) PyBuffer_Release(&block);
    }
};

PyObject* scanner_new(PyTypeObject* type, PyObject* arguments, PyObject*) {
    const char* calls;
    Py_ssize_t size;
    long long capacity, numbers = -1;
    PyObject* base = Py_None;
    int deltas = 0;
    if (!PyArg_ParseTuple(arguments, "y#L|LpO", &calls, &size, &capacity, &numbers, &deltas, &base)) return nullptr;
    auto made = std::make_unique<Scanner>();
    made->known = known_calls(calls, size);
    if (!made->known || !is_count(capacity)) return nullptr;
    if (numbers < 0) {
        made->lines = std::make_unique<StraceLines>(*made->known, capacity);
    } else {
        const i64 began = base == Py_None ? ABSENT : PyLong_AsLongLong(base);
        if (PyErr_Occurred()) return nullptr;
        made->lines = std::make_unique<TrussLines>(*made->known, capacity, TrussTimes{began, numbers, deltas != 0});
    }
    return object_of(type, std::move(made));
}

PyObject* scanner_hold(PyObject* self, PyObject* data) {
    Scanner& scanner = inner<Scanner>(self);
    scanner.release();
    scanner.lines->count = 0;
    if (PyObject_GetBuffer(data, &scanner.block, PyBUF_WRITABLE)) return nullptr;
    Py_RETURN_NONE;
}

PyObject* scanner_release(PyObject* self, PyObject*) {
    inner<Scanner>(self).release();
    Py_RETURN_NONE;
}

PyObject* scanner_scan(PyObject* self, PyObject* arguments) {
    long long start, stop, line, steps;
    if (!PyArg_ParseTuple(arguments, "LLLL", &start, &stop, &line, &steps)) return nullptr;
    Scanner& scanner = inner<Scanner>(self);
    auto* bytes = static_cast<u8*>(scanner.block.buf);
    const i64 size = scanner.block.obj ? scanner.block.len : 0;
    if (start < 0 || stop < start || stop > size || size > INT32_MAX || (stop > start && bytes[stop - 1] != '\n')) {
        PyErr_SetString(PyExc_ValueError, "a scanner wants whole lines of a block that it holds");
        return nullptr;
    }
    if (!outside_python([&] {
            scanner.lines->begin(bytes, size, start, stop, line, steps);
            scanner.lines->scan();
        }))
        return nullptr;
    return PyLong_FromLongLong(scanner.lines->count);
}

PyObject* scanner_unread(PyObject* self, PyObject*) {
    Ref list(PyList_New(0));
    const Lines& lines = *inner<Scanner>(self).lines;
    for (i64 n = 0; list && n < lines.count; ++n) {
        const Token& token = lines.tokens[static_cast<size_t>(n)];
        if (token.line != Line::DAMAGED || token.damage != Damage::UNREADABLE) continue;
        Ref start(PyLong_FromLong(token.start));
        if (!start || PyList_Append(list.get(), start.get())) return nullptr;
    }
    return list.release();
}

PyObject* scanner_check_cut(PyObject* self, PyObject*) {
    Lines& lines = *inner<Scanner>(self).lines;
    if (lines.count) lines.check_cut();
    Py_RETURN_NONE;
}

PyObject* scanner_line_of(PyObject* self, PyObject* arguments) {
    long long n;
    if (!PyArg_ParseTuple(arguments, "L", &n)) return nullptr;
    const Lines& lines = *inner<Scanner>(self).lines;
    if (n < 0 || n >= lines.count) {
        PyErr_SetString(PyExc_IndexError, "there is no such token");
        return nullptr;
    }
    const Token& token = lines.tokens[static_cast<size_t>(n)];
    return Py_BuildValue("(iii)", token.number, token.start, token.end);
}

PyObject* scanner_forks(PyObject* self, PyObject*) {
    Ref list(PyList_New(0));
    const Lines& lines = *inner<Scanner>(self).lines;
    for (const i32 n : lines.ends) {
        const Token& token = lines.tokens[static_cast<size_t>(n)];
        if (token.line != Line::RESUMED || !token.has_value()) continue;
        Ref one(Py_BuildValue("(iiL)", n, token.pid, static_cast<long long>(token.value)));
        if (!one || !list || PyList_Append(list.get(), one.get())) return nullptr;
    }
    return list.release();
}

PyMethodDef scanner_methods[] = {
    {"hold", scanner_hold, METH_O, "Look at a block of whole lines, whose bytes may be changed in place."},
    {"release", scanner_release, METH_NOARGS, "The block is needed no more."},
    {"scan", scanner_scan, METH_VARARGS,
     "Make tokens of the lines from start to stop, with how many lines and steps were before; return how many."},
    {"unread", safely<scanner_unread>, METH_NOARGS, "Return where the lines begin that cannot be read."},
    {"check_cut", scanner_check_cut, METH_NOARGS, "Take the last line for cut off, unless its form says that it is whole."},
    {"line_of", scanner_line_of, METH_VARARGS,
     "Return the number of a token's line in the block, where it begins and ends."},
    {"forks", safely<scanner_forks>, METH_NOARGS, "Return the second parts of forks: token, parent, and the pid of the child."},
    {nullptr, nullptr, 0, nullptr},
};

#define NUMBER(Inner, name, expression, doc) \
    {name, get_number<Inner>, nullptr, doc, reinterpret_cast<void*>(+[](Inner& of) -> i64 { return expression; })}

PyGetSetDef scanner_numbers[] = {
    NUMBER(Scanner, "at", of.lines->at, "Where the next line begins."),
    NUMBER(Scanner, "lines", of.lines->lines, "The lines of the block that were read."),
    NUMBER(Scanner, "steps", of.lines->steps, "The time that steps since the line before come to; ns."),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// -- Follower ---------------------------------------------------------------------------------------

struct Log {
    std::unique_ptr<KnownCalls> known;
    Names kinds;
    Calls calls{kinds};
    std::unique_ptr<Follower> follower;
};

PyObject* follower_new(PyTypeObject* type, PyObject* arguments, PyObject*) {
    const char* calls;
    Py_ssize_t size;
    long long batch;
    int lenient;
    if (!PyArg_ParseTuple(arguments, "y#Lp", &calls, &size, &batch, &lenient)) return nullptr;
    auto made = std::make_unique<Log>();
    made->known = known_calls(calls, size);
    if (!made->known || !is_count(batch)) return nullptr;
    for (const Word word : KINDS) made->kinds.add(word);
    made->follower = std::make_unique<Follower>(made->calls, *made->known, batch, lenient != 0);
    return object_of(type, std::move(made));
}

Follower& follower_of(PyObject* self) { return *inner<Log>(self).follower; }

PyObject* follower_begin(PyObject* self, PyObject* arguments) {
    int truss;
    if (!PyArg_ParseTuple(arguments, "p", &truss)) return nullptr;
    Follower& follower = follower_of(self);
    if (!outside_python([&] { follower.forget(); })) return nullptr;
    follower.stamped_at_end = follower.calls.names.few_escapes = truss;
    Py_RETURN_NONE;
}

PyObject* follower_begin_in(PyObject* self, PyObject* arguments) {
    const char* path;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "y#", &path, &size)) return nullptr;
    Follower& follower = follower_of(self);
    Text text;
    text.hold(reinterpret_cast<const u8*>(path), size);
    if (!outside_python([&] { follower.directory = follower.calls.names.join(-1, text, 0, size); })) return nullptr;
    Py_RETURN_NONE;
}

PyObject* follower_follow(PyObject* self, PyObject* arguments) {
    PyObject* scanner;
    long long first;
    if (!PyArg_ParseTuple(arguments, "O!L", scanner_type, &scanner, &first)) return nullptr;
    const Scanner& held = inner<Scanner>(scanner);
    if (!held.block.obj || first < 0) {
        PyErr_SetString(PyExc_ValueError, "a scanner is followed as long as it holds its block");
        return nullptr;
    }
    Follower& follower = follower_of(self);
    i64 next = 0;
    if (!outside_python([&] { next = follower.follow(*held.lines, first); })) return nullptr;
    return PyLong_FromLongLong(next);
}

PyObject* follower_tell(PyObject* self, PyObject* arguments) {
    long long pid, parent;
    if (!PyArg_ParseTuple(arguments, "LL", &pid, &parent)) return nullptr;
    follower_of(self).tell(pid, parent);
    Py_RETURN_NONE;
}

PyObject* follower_is_cloning(PyObject* self, PyObject* arguments) {
    long long pid;
    if (!PyArg_ParseTuple(arguments, "L", &pid)) return nullptr;
    return PyBool_FromLong(follower_of(self).is_cloning(pid));
}

PyObject* follower_end_log(PyObject* self, PyObject*) {
    Follower& follower = follower_of(self);
    bool all = false;
    if (!outside_python([&] { all = follower.end_log(); })) return nullptr;
    return PyBool_FromLong(all);
}

PyObject* follower_add_steps(PyObject* self, PyObject* arguments) {
    long long steps;
    if (!PyArg_ParseTuple(arguments, "L", &steps)) return nullptr;
    follower_of(self).steps = plus(follower_of(self).steps, steps);
    Py_RETURN_NONE;
}

// Return the token at which times contradict durations, if any is new; else -1.
PyObject* follower_take_torn(PyObject* self, PyObject*) {
    i64& torn = follower_of(self).torn;
    return PyLong_FromLongLong(std::exchange(torn, -1));
}

template <class Value, class Each>
Pool::Piece piece_of(size_t count, Each&& each) {
    Pool::Piece piece(sizeof(Value) * count);
    for (size_t k = 0; k < count; ++k) {
        const Value value = each(k);
        std::memcpy(piece.data() + sizeof(Value) * k, &value, sizeof(Value));
    }
    return piece;
}

// Return texts as pyarrow has them: how many, where each ends (the first number is 0), their bytes.
template <class NameOf>
PyObject* texts(const Names& names, size_t count, NameOf&& name_of) {
    i64 size = 0;
    for (size_t k = 0; k < count; ++k) size += names.size(name_of(k));
    if (size > INT32_MAX) return PyErr_Format(PyExc_OverflowError, "the names in one batch have over 2 GiB");
    Pool::Piece data(static_cast<size_t>(size) + 1);
    i32 end = 0;
    Pool::Piece ends = piece_of<i32>(count + 1, [&](size_t k) {
        if (k == 0) return end;
        const i64 name = name_of(k - 1);
        copy_bytes(data.data() + end, names.bytes(name), names.size(name));
        return end += static_cast<i32>(names.size(name));
    });
    Ref ends_memory(memory_of(std::move(ends))), data_memory(memory_of(std::move(data)));
    if (!ends_memory || !data_memory) return nullptr;
    return Py_BuildValue("(nOO)", static_cast<Py_ssize_t>(count), ends_memory.get(), data_memory.get());
}

PyObject* texts(const Names& names, const std::vector<i32>& used) {
    return texts(names, used.size(), [&](size_t k) { return used[k]; });
}

PyObject* follower_batch(PyObject* self, PyObject*) {
    Follower& follower = follower_of(self);
    Rows& rows = follower.rows_written;
    std::optional<Batch> batch = follower.take_rows();
    if (!batch) Py_RETURN_NONE;
    Ref columns(PyDict_New()), names(PyDict_New());
    for (int k = 0; k < Rows::COLUMNS; ++k) {
        const ColumnForm& form = Rows::FORMS[k];
        Pool::Piece bits(static_cast<size_t>(batch->count + 7) / 8);
        const bool whole = form.always || Rows::present(*batch, k, bits.data());
        Ref values(memory_of(std::move(batch->pieces[static_cast<size_t>(k)]), rows.pool));
        Ref present(whole ? Py_NewRef(Py_None) : memory_of(std::move(bits)));
        if (!values || !present) return nullptr;
        if (!put(columns.get(), form.name, Py_BuildValue("(OO)", values.get(), present.get()))) return nullptr;
    }
    if (!put(names.get(), "file", texts(rows.files.names, batch->files))
        || !put(names.get(), "to_file", texts(rows.to_files.names, batch->to_files)))
        return nullptr;
    return Py_BuildValue("(LOO)", static_cast<long long>(batch->count), columns.get(), names.get());
}

// Return all texts of a column with few, or None if they are as many as are known already.
PyObject* follower_words(PyObject* self, PyObject* arguments) {
    const char* column;
    int known;
    if (!PyArg_ParseTuple(arguments, "si", &column, &known)) return nullptr;
    Log& log = inner<Log>(self);
    const Word name = column;
    const Names* words = name == "call"    ? &log.known->names
                         : name == "kind"  ? &log.kinds
                         : name == "error" ? &log.follower->error_words
                         : name == "flags" ? &log.calls.flag_words
                                           : nullptr;
    if (!words) return PyErr_Format(PyExc_KeyError, "no column %s has words", column);
    if (words->count() == known) Py_RETURN_NONE;
    return texts(*words, static_cast<size_t>(words->count()), [](size_t k) { return static_cast<i32>(k); });
}

PyObject* follower_unread(PyObject* self, PyObject*) {
    Ref list(PyList_New(0));
    const Log& log = inner<Log>(self);
    for (const auto& [call, one] : log.calls.unread) {
        const Word name = log.known->names.text(call);
        Ref row(Py_BuildValue("(s#LLL)", name.data(), static_cast<Py_ssize_t>(name.size()), static_cast<long long>(one.calls),
                              static_cast<long long>(one.bytes), static_cast<long long>(one.unsized_calls)));
        if (!row || !list || PyList_Append(list.get(), row.get())) return nullptr;
    }
    return list.release();
}

PyMethodDef follower_methods[] = {
    {"begin", follower_begin, METH_VARARGS, "Begin another log, of another world; of truss?"},
    {"begin_in", follower_begin_in, METH_VARARGS, "Let processes that no other one made begin in a directory."},
    {"follow", follower_follow, METH_VARARGS,
     "Follow a scanner's tokens from one on; return the first that is not read yet, or -1: one is damaged."},
    {"tell", follower_tell, METH_VARARGS, "Tell which process forks the one that was asked for, or -1."},
    {"is_cloning", follower_is_cloning, METH_VARARGS, "Say whether a fork is under way in a process."},
    {"add_steps", follower_add_steps, METH_VARARGS, "Add the steps of a block that was followed."},
    {"take_torn", follower_take_torn, METH_NOARGS,
     "Return the token at which times first contradict durations, once; else -1."},
    {"end_log", follower_end_log, METH_NOARGS, "Write calls that have not ended; return whether that was all of them."},
    {"batch", safely<follower_batch>, METH_NOARGS,
     "Return the oldest rows: how many, columns (values and bits of those that are there), and texts; None if they are kept back."},
    {"words", safely<follower_words>, METH_VARARGS,
     "Return the texts of a column with few, or None if they are as many as are known."},
    {"unread", safely<follower_unread>, METH_NOARGS, "Return calls that move data and are not read: which, how often, how many bytes, and how often that is not said."},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* follower_damage(PyObject* self, void*) {
    return PyUnicode_FromString(DAMAGES[static_cast<int>(follower_of(self).damage)]);
}

PyObject* follower_clock(PyObject* self, void*) {
    const i64 clock = follower_of(self).clock;
    return clock < 0 ? Py_NewRef(Py_None) : PyUnicode_FromString(CLOCKS[clock]);
}

#define OF_FOLLOWER(name) NUMBER(Log, #name, static_cast<i64>(of.follower->name), nullptr)
#define OF_CALLS(name) NUMBER(Log, #name, of.calls.name, nullptr)

PyGetSetDef follower_numbers[] = {
    NUMBER(Log, "rows", of.follower->rows_written.left(), "Rows that were not handed out."),
    NUMBER(Log, "heads", of.follower->heads.count(), "First parts that were kept at once."),
    NUMBER(Log, "table_nodes", of.calls.tables.nodes(), "Nodes of tables of descriptors that there were at once."),
    OF_FOLLOWER(asks), OF_FOLLOWER(damaged), OF_FOLLOWER(skipped), OF_FOLLOWER(table_lines),
    OF_FOLLOWER(unfinished), OF_FOLLOWER(torn_calls), OF_FOLLOWER(torn_ns), OF_FOLLOWER(within),
    OF_FOLLOWER(durations), OF_FOLLOWER(call_count), OF_FOLLOWER(numbers), OF_FOLLOWER(groups), OF_FOLLOWER(roots), OF_FOLLOWER(inherited_calls),
    OF_FOLLOWER(inherited_bytes), OF_CALLS(append_calls), OF_CALLS(append_bytes), OF_CALLS(root_calls),
    OF_CALLS(mapped_calls), OF_CALLS(mapped_bytes), OF_CALLS(ring_calls), OF_CALLS(ring_submitted),
    NUMBER(Log, "open_requests", of.follower->requests.unseen, "Requests without a completion."),
    OF_FOLLOWER(submit_calls), OF_FOLLOWER(submit_lost),
    {"damage", follower_damage, nullptr, "What is wrong with the damaged token.", nullptr},
    {"clock", follower_clock, nullptr, "Which times the log has, or None before its first line.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// -- the module -------------------------------------------------------------------------------------

PyType_Slot scanner_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(safely<scanner_new, PyTypeObject*, PyObject*, PyObject*>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc<Scanner>)},
    {Py_tp_methods, scanner_methods},
    {Py_tp_getset, scanner_numbers},
    {Py_tp_doc, const_cast<char*>("Makes tokens of blocks: the known calls, tokens at once; of truss: its "
                                  "times.")},
    {0, nullptr},
};
PyType_Spec scanner_spec = {"simulator.traces.scanner.Scanner", sizeof(Object<Scanner>), 0, Py_TPFLAGS_DEFAULT, scanner_slots};

PyType_Slot follower_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(safely<follower_new, PyTypeObject*, PyObject*, PyObject*>)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc<Log>)},
    {Py_tp_methods, follower_methods},
    {Py_tp_getset, follower_numbers},
    {Py_tp_doc, const_cast<char*>("Makes rows of tokens: the known calls, rows of a batch, whether damage is "
                                  "passed over.")},
    {0, nullptr},
};
PyType_Spec follower_spec = {"simulator.traces.scanner.Follower", sizeof(Object<Log>), 0, Py_TPFLAGS_DEFAULT, follower_slots};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "scanner", "Logs of system calls as rows.", -1, nullptr,
                      nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_scanner() {
    Ref made(PyModule_Create(&module));
    if (!made) return nullptr;
    memory_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&memory_spec));
    scanner_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&scanner_spec));
    Ref follower_type(PyType_FromSpec(&follower_spec));
    if (!memory_type || !scanner_type || !follower_type) return nullptr;
    if (PyModule_AddObjectRef(made.get(), "Scanner", reinterpret_cast<PyObject*>(scanner_type))
        || PyModule_AddObjectRef(made.get(), "Follower", follower_type.get()))
        return nullptr;
    return made.release();
}
