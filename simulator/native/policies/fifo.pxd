from simulator.native.policy cimport Policy


cdef class Fifo(Policy):
    pass
