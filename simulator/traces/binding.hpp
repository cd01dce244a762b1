// What the reader's module is made of: objects with one of C++ within, and memory that is handed out.
#pragma once

#include "simulator/python.hpp"

#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "simulator/traces/rows.hpp"

namespace nwtsim {

// Do something without the interpreter's lock; false, with an exception, if memory has run out.
template <class Work>
bool outside_python(Work&& work) {
    bool fine = true;
    Py_BEGIN_ALLOW_THREADS
    try {
        work();
    } catch (const std::bad_alloc&) {
        fine = false;
    } catch (const std::length_error&) {
        fine = false;
    }
    Py_END_ALLOW_THREADS
    if (!fine) PyErr_NoMemory();
    return fine;
}

// A method that raises MemoryError if memory runs out.
template <auto Method, class... Arguments>
PyObject* safely(Arguments... arguments) {
    try {
        return Method(arguments...);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::length_error&) {
        return PyErr_NoMemory();
    }
}

// The object of C++ within one of Python.
template <class Inner>
struct Object {
    PyObject_HEAD
    Inner* inner;
};
template <class Inner>
Inner& inner(PyObject* self) { return *reinterpret_cast<Object<Inner>*>(self)->inner; }

template <class Inner>
void dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    delete reinterpret_cast<Object<Inner>*>(self)->inner;
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

// Return a new object of Python with one of C++ within.
template <class Inner>
PyObject* object_of(PyTypeObject* type, std::unique_ptr<Inner> made) {
    auto* object = PyObject_New(Object<Inner>, type);
    if (object) object->inner = made.release();
    return reinterpret_cast<PyObject*>(object);
}

// A number of an object that Python reads.
template <class Inner>
PyObject* get_number(PyObject* self, void* of) {
    return PyLong_FromLongLong(reinterpret_cast<i64 (*)(Inner&)>(of)(inner<Inner>(self)));
}

// -- memory -----------------------------------------------------------------------------------------

inline PyTypeObject* memory_type;

// Bytes of a column, which pyarrow takes as they are.
struct Memory {
    Pool::Piece bytes;
    std::shared_ptr<Pool> pool;  // Where it goes when nobody has it any more; or none.
    ~Memory() {
        if (pool) pool->give_back(std::move(bytes));
    }
};

inline PyObject* memory_of(Pool::Piece&& bytes, std::shared_ptr<Pool> pool = nullptr) {
    return object_of(memory_type, std::unique_ptr<Memory>(new Memory{std::move(bytes), std::move(pool)}));
}

inline int memory_getbuffer(PyObject* self, Py_buffer* view, int flags) {
    Pool::Piece& bytes = inner<Memory>(self).bytes;
    return PyBuffer_FillInfo(view, self, bytes.data(), static_cast<Py_ssize_t>(bytes.size()), 1, flags);
}

inline PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc<Memory>)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(memory_getbuffer)},
    {Py_tp_doc, const_cast<char*>("Bytes of a column.")},
    {0, nullptr},
};
inline PyType_Spec memory_spec = {"simulator.traces.scanner.Memory", sizeof(Object<Memory>), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, memory_slots};

}  // namespace nwtsim
