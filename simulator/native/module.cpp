// The kernel as a Python module: `layout()`, and `Run`, which takes columns and returns tables.
//
// It uses the stable ABI of Python 3.11; a column is any object with a buffer.
#include "simulator/python.hpp"

#include "simulator/native/result.hpp"

using namespace nwtsim;

namespace {

PyObject *limit_error, *refused_error;

// -- layout -----------------------------------------------------------------------------------------

PyObject* names_of(const char* const* first, size_t count) {
    Ref list(PyList_New(0));
    for (size_t i = 0; list && i < count; ++i) {
        std::string name = first[i];
        std::replace(name.begin(), name.end(), '_', '-');
        Ref text(PyUnicode_FromString(name.c_str()));
        if (!text || PyList_Append(list.get(), text.get())) return nullptr;
    }
    return list.release();
}
template <size_t Count>
PyObject* names_of(const char* const (&names)[Count]) { return names_of(names, Count); }

template <class Row>
bool add_fields(PyObject* tables, const char* table) {
    Ref fields(PyDict_New());
    for (const Field& field : fields_of<Row>()) {
        const char form = field.form();
        if (!put(fields.get(), field.name, PyUnicode_FromStringAndSize(&form, 1))) return false;
    }
    return put(tables, table, fields.release());
}

PyObject* layout(PyObject*, PyObject*) {
    Ref made(PyDict_New()), tables(PyDict_New());
    PyObject* of = tables.get();
    const bool fine =
        add_fields<PlanNumbers>(of, "plan") && add_fields<GroupRow>(of, "group") && add_fields<PartRow>(of, "part")
        && add_fields<NoiseRow>(of, "noise") && add_fields<ServiceRow>(of, "service") && add_fields<PointRow>(of, "point") && add_fields<EventRow>(of, "event") && add_fields<HoldRow>(of, "hold")
        && add_fields<TierRow>(of, "tier") && add_fields<PathRow>(of, "path") && add_fields<FileRow>(of, "file")
        && add_fields<StoreRow>(of, "store") && add_fields<UnitRow>(of, "unit") && add_fields<RunOfBlocks>(of, "stored")
        && add_fields<ProcessRow>(of, "process") && add_fields<PhaseRow>(of, "phase") && add_fields<CutRow>(of, "cut")
        && add_fields<DrawRow>(of, "draw") && add_fields<ArrivalsRow>(of, "arrivals")
        && add_fields<ChannelRow>(of, "channel") && add_fields<RestartRow>(of, "restart") && add_fields<AskedRow>(of, "asked")
        && add_fields<MergedRow>(of, "merged") && add_fields<ExtentRow>(of, "extent")
        && add_fields<LengthsRow>(of, "lengths") && add_fields<QueueRow>(of, "queue") && add_fields<PoolRow>(of, "pool")
        && add_fields<OffRow>(of, "off") && add_fields<LimitRow>(of, "limit") && add_fields<BatchRow>(of, "batch")
#define KIND(name, Class) &&add_fields<Class::Spec>(of, "spec_" #name)
            NWTSIM_PARTS(KIND)
#undef KIND
        && put(made.get(), "tables", tables.release()) && put(made.get(), "parts", names_of(PART_KINDS))
        && put(made.get(), "policies", names_of(POLICIES)) && put(made.get(), "runtimes", names_of(RUNTIMES))
        && put(made.get(), "tiers", names_of(TIER_KINDS)) && put(made.get(), "releases", names_of(RELEASES))
        && put(made.get(), "orders", names_of(ORDERS)) && put(made.get(), "backfills", names_of(BACKFILLS));
    return fine ? made.release() : nullptr;
}

// -- runs -------------------------------------------------------------------------------------------

struct Run {
    PyObject_HEAD
    Kernel* kernel;
    PyObject* look;            // Polled; its exceptions end the run.
    std::vector<Py_buffer>* buffers;
    PyThreadState* outside;    // While the kernel runs without the GIL.
};

// Poll for interrupts, holding the GIL meanwhile.
bool hear(Run* run) {
    PyEval_RestoreThread(run->outside);
    bool goes_on = PyErr_CheckSignals() == 0;
    if (goes_on && run->look && run->look != Py_None) {
        Ref answer(PyObject_CallNoArgs(run->look));
        goes_on = bool(answer);
    }
    run->outside = PyEval_SaveThread();
    return goes_on;
}

// Run without the GIL; C++ exceptions become Python ones.
template <class Work>
bool outside_python(Run* run, Work&& work) {
    std::string text;
    PyObject* error = nullptr;
    LimitPassed limit{};
    bool limited = false, stopped = false;
    run->outside = PyEval_SaveThread();
    try {
        work();
    } catch (const Interrupted&) {
        stopped = true;  // The exception is set already.
    } catch (const LimitPassed& passed) {
        limited = true;
        limit = passed;
    } catch (const Refused& refused) {
        error = refused_error;
        text = refused.text;
    } catch (const BadPlan& bad) {
        error = PyExc_ValueError;
        text = bad.text;
    } catch (const std::bad_alloc&) {
        error = PyExc_MemoryError;
        text = "the native engine has no memory left";
    }
    PyEval_RestoreThread(run->outside);
    if (error) PyErr_SetString(error, text.c_str());
    if (limited) {
        static const char* const culprits[] = {"part", "process", "store", "file", "unit", "event", "restart"};
        Ref value(Py_BuildValue("(sLO)", culprits[static_cast<int>(limit.what)], static_cast<long long>(limit.which),
                                limit.size ? Py_True : Py_False));
        if (value) PyErr_SetObject(limit_error, value.get());
    }
    return !error && !limited && !stopped;
}

bool read_columns(PyObject* given, Columns& columns, std::vector<Py_buffer>& buffers) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(given, &at, &key, &value)) {
        Ref name(PyUnicode_AsUTF8String(key));
        if (!name) return false;
        Py_buffer view;
        if (PyObject_GetBuffer(value, &view, PyBUF_ND | PyBUF_FORMAT)) return false;
        buffers.push_back(view);
        const char* format = view.format ? view.format : "B";
        char form = format[*format == '@' || *format == '<' || *format == '=' ? 1 : 0];
        if (form == 'l') form = view.itemsize == 8 ? 'q' : 'i';
        columns.all.emplace(PyBytes_AsString(name.get()), Column{view.buf, form, view.len / view.itemsize});
    }
    return true;
}

int run_init(PyObject* self, PyObject* arguments, PyObject*) {
    auto* run = reinterpret_cast<Run*>(self);
    PyObject *given, *look = Py_None;
    if (!PyArg_ParseTuple(arguments, "O!|O", &PyDict_Type, &given, &look)) return -1;
    Py_INCREF(look);
    run->look = look;
    run->buffers = new std::vector<Py_buffer>;
    Columns columns;
    if (!read_columns(given, columns, *run->buffers)) return -1;
    const bool fine = outside_python(run, [&] {
        run->kernel = new Kernel(columns, [run] { return hear(run); });
        columns.check_read();
    });
    return fine ? 0 : -1;
}

void run_dealloc(PyObject* self) {
    auto* run = reinterpret_cast<Run*>(self);
    PyTypeObject* type = Py_TYPE(self);
    delete run->kernel;
    if (run->buffers)
        for (Py_buffer& view : *run->buffers) PyBuffer_Release(&view);
    delete run->buffers;
    Py_XDECREF(run->look);
    auto free_it = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
    free_it(self);
    Py_DECREF(type);
}

PyObject* run_advance(PyObject* self, PyObject* arguments) {
    auto* run = reinterpret_cast<Run*>(self);
    long long events;
    if (!PyArg_ParseTuple(arguments, "L", &events)) return nullptr;
    bool ended = false;
    if (!outside_python(run, [&] {
            if (run->kernel->repeats) run->kernel->repeats->rest();
            ended = run->kernel->run(events);
        })) return nullptr;
    return PyBool_FromLong(ended);
}

PyObject* run_finish(PyObject* self, PyObject*) {
    auto* run = reinterpret_cast<Run*>(self);
    Nanoseconds end{0};
    if (!outside_python(run, [&] { end = run->kernel->finish(); })) return nullptr;
    return PyLong_FromLongLong(end.count);
}

PyObject* run_record(PyObject* self, PyObject* arguments) {
    int calls, services;
    if (!PyArg_ParseTuple(arguments, "pp", &calls, &services)) return nullptr;
    Kernel& kernel = *reinterpret_cast<Run*>(self)->kernel;
    kernel.programs.recording = calls;
    kernel.parts.timing = services;
    kernel.parts.watched = kernel.parts.watched || services;
    Py_RETURN_NONE;
}

PyObject* run_sample(PyObject* self, PyObject* arguments) {
    long long bins;
    if (!PyArg_ParseTuple(arguments, "L", &bins)) return nullptr;
    reinterpret_cast<Run*>(self)->kernel->sample(bins);
    Py_RETURN_NONE;
}

PyObject* run_fast_forward(PyObject* self, PyObject* arguments) {
    long long share;
    if (!PyArg_ParseTuple(arguments, "L", &share)) return nullptr;
    Kernel& kernel = *reinterpret_cast<Run*>(self)->kernel;
    kernel.repeats = std::make_unique<Repeats>(kernel);
    kernel.repeats->share = share;
    return PyBool_FromLong(kernel.repeats->watches());
}

PyObject* run_repeats(PyObject* self, PyObject*) {
    const Repeats* one = reinterpret_cast<Run*>(self)->kernel->repeats.get();
    if (!one) Py_RETURN_NONE;
    return Py_BuildValue("(LLLs)", static_cast<long long>(one->periods), static_cast<long long>(one->events),
                         static_cast<long long>(one->time.count), one->differed.c_str());
}

PyObject* run_table(PyObject* self, PyObject* arguments) {
    const char* name;
    if (!PyArg_ParseTuple(arguments, "s", &name)) return nullptr;
    auto* run = reinterpret_cast<Run*>(self);
    OutTable table;
    if (!outside_python(run, [&] { table = Outcome(*run->kernel).table(name); })) return nullptr;
    Ref columns(PyDict_New());
    for (size_t i = 0; i < table.fields.size(); ++i) {
        const auto& column = table.columns[i];
        PyObject* bytes = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(column.data()),
                                                    static_cast<Py_ssize_t>(8 * column.size()));
        if (!put(columns.get(), table.fields[i].c_str(), bytes)) return nullptr;
    }
    return columns.release();
}

PyObject* run_waits(PyObject* self, PyObject* arguments) {
    long long process;
    if (!PyArg_ParseTuple(arguments, "L", &process)) return nullptr;
    Ref list(PyList_New(0));
    for (const auto& one : Outcome(*reinterpret_cast<Run*>(self)->kernel).waits(process)) {
        Ref numbers(PyList_New(0));
        for (const i64 number : one.numbers) {
            Ref value(PyLong_FromLongLong(number));
            if (!value || PyList_Append(numbers.get(), value.get())) return nullptr;
        }
        Ref pair(Py_BuildValue("(sO)", one.what.c_str(), numbers.get()));
        if (!pair || PyList_Append(list.get(), pair.get())) return nullptr;
    }
    return list.release();
}

PyObject* run_numbers(PyObject* self, PyObject*) {
    const Kernel& kernel = *reinterpret_cast<Run*>(self)->kernel;
    return Py_BuildValue("(LLL)", static_cast<long long>(kernel.clock.now.count),
                         static_cast<long long>(kernel.clock.alarms + kernel.sharing.rings),
                         static_cast<long long>(kernel.prestage_time.count));
}

PyMethodDef run_methods[] = {
    {"record", run_record, METH_VARARGS, "Have every call, and every service, written down."},
    {"sample", run_sample, METH_VARARGS, "Have curves kept, of so many bins at most."},
    {"fast_forward", run_fast_forward, METH_VARARGS,
     "Carry on what repeats itself; comparing may cost one event's time in so many. Return whether anything may."},
    {"repeats", run_repeats, METH_NOARGS, "Return periods, events and time (ns) that went by arithmetic, and what differed last."},
    {"advance", run_advance, METH_VARARGS, "Let so many events happen; return whether that was the end."},
    {"finish", run_finish, METH_NOARGS, "Let happen what does once all have ended; return when all is over (ns)."},
    {"numbers", run_numbers, METH_NOARGS, "Return the time (ns), the events, and the time of prestaging (ns)."},
    {"table", run_table, METH_VARARGS, "Return a table of what came out: columns of 64-bit numbers, as bytes."},
    {"waits", run_waits, METH_VARARGS, "Return what a process waits for that has not ended."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot run_slots[] = {
    {Py_tp_init, reinterpret_cast<void*>(run_init)},
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(run_dealloc)},
    {Py_tp_methods, run_methods},
    {Py_tp_doc, const_cast<char*>("A plan that is carried out: columns by their names, and what to call now and then.")},
    {0, nullptr},
};
PyType_Spec run_spec = {"simulator.native.kernel.Run", sizeof(Run), 0, Py_TPFLAGS_DEFAULT, run_slots};

PyMethodDef functions[] = {
    {"layout", layout, METH_NOARGS, "Return the tables with their fields and forms, and the names of kinds."},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "kernel", "The native engine.", -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_kernel() {
    Ref made(PyModule_Create(&module));
    if (!made) return nullptr;
    limit_error = PyErr_NewException("simulator.native.kernel.LimitPassedError", nullptr, nullptr);
    refused_error = PyErr_NewException("simulator.native.kernel.KernelRefusedError", nullptr, nullptr);
    PyObject* run = PyType_FromSpec(&run_spec);
    if (!limit_error || !refused_error || !run) return nullptr;
    if (PyModule_AddObjectRef(made.get(), "LimitPassedError", limit_error) || PyModule_AddObjectRef(made.get(), "KernelRefusedError", refused_error)
        || PyModule_AddObjectRef(made.get(), "Run", run))
        return nullptr;
    return made.release();
}
