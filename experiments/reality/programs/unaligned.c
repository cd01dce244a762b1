/* Writes a file anew in records of 6000 bytes, over an old one that is in no cache: the pages at
   both ends of a record are read before. Each record is then read back and summed.
   unaligned slow|unaligned|re-read RECORDS: written in blocks of 1 MiB; or not read back. */
#include "io.h"

#define RECORD 6000

int main(int argc, char **argv) {
    need(argc == 3, "unaligned MODE RECORDS");
    int gather = !strcmp(argv[1], "unaligned"), keep = !strcmp(argv[1], "re-read");
    int file = opened("out", O_RDWR);
    size_t block = 1 << 20, held = 0;
    char *blocks = malloc(block + RECORD), text[RECORD], back[RECORD];
    uint64_t total = 0;
    off_t end = 0;
    for (long number = 0; number < atol(argv[2]); number++) {
        record(text, RECORD, number);
        off_t place = (off_t)number * RECORD;
        if (gather) {
            memcpy(blocks + held, text, RECORD);
            held += RECORD;
            if (held >= block) {
                need(pwrite(file, blocks, block, end) == (ssize_t)block, "pwrite");
                end += (off_t)block;
                held -= block;
                memmove(blocks, blocks + block, held);
            }
        } else {
            need(pwrite(file, text, RECORD, place) == RECORD, "pwrite");
        }
        if (!gather && !keep) need(pread(file, back, RECORD, place) == RECORD, "pread");
        total += sum(gather || keep ? text : back, RECORD);
    }
    if (held) need(pwrite(file, blocks, held, end) == (ssize_t)held, "pwrite");
    printf("%llu\n", (unsigned long long)total);
    close(file);
    return 0;
}
