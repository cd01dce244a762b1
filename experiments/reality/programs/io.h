/* What the programs share: calls that end the program where they fail, and a checksum. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void need(int good, const char *what) {
    if (!good) {
        perror(what);
        exit(1);
    }
}

static int opened(const char *name, int flags) {
    int file = open(name, flags, 0600);
    need(file >= 0, name);
    return file;
}

static void put(int file, const void *from, size_t size) {
    need(write(file, from, size) == (ssize_t)size, "write");
}

/* A pseudo-random number below `below`; the same ones in every run. */
static uint64_t state = 88172645463325252ull;
static uint64_t drawn(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* Sum of the bytes, eight at a time. */
static uint64_t sum(const void *from, size_t size) {
    uint64_t total = 0, word;
    for (size_t at = 0; at + 8 <= size; at += 8) {
        memcpy(&word, (const char *)from + at, 8);
        total += word;
    }
    return total;
}

/* The text of record `number`, of `size` bytes. */
static void record(char *into, size_t size, long number) {
    memset(into, '.', size);
    int length = snprintf(into, size, "record %ld", number);
    into[length] = ' ';
    into[size - 1] = '\n';
}
