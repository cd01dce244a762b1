cdef enum:
    ACT = 0
    FD = 1
    DIR = 2
    PATH = 3
    FD2 = 4
    DIR2 = 5
    PATH2 = 6
    BYTES = 7
    VECTOR = 8
    OFFSET = 9
    OFFSET2 = 10
    FLAGS = 11
    PAIR = 12
    MAKES = 13
    MOVING = 14
    SIMPLE = 15
    SPECS = 16
