// What modules of Python in C++ share: Python's own header, and references that end with their scope.
//
// Made against the stable interface of Python 3.11.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace nwtsim {

// A reference that ends with its scope.
class Ref {
  public:
    explicit Ref(PyObject* object = nullptr) : object_(object) {}
    Ref(const Ref&) = delete;
    ~Ref() { Py_XDECREF(object_); }
    PyObject* get() const { return object_; }
    PyObject* release() {
        PyObject* object = object_;
        object_ = nullptr;
        return object;
    }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    PyObject* object_;
};

inline bool put(PyObject* dict, const char* key, PyObject* value) {
    Ref owned(value);
    return dict && value && PyDict_SetItemString(dict, key, value) == 0;
}

}  // namespace nwtsim
