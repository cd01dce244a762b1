/* Writes records of 6000 bytes over those of an old file that is in no cache, whose last bytes it
   reads first. Pages that a record covers in part are read before.
   unaligned slow|unaligned|no-prestage RECORDS: written in blocks of 1 MiB; or the whole file is
   read before, with large calls. */
#include "io.h"

#define RECORD 6000

int main(int argc, char **argv) {
    need(argc == 3, "unaligned MODE RECORDS");
    int gather = !strcmp(argv[1], "unaligned");
    int file = opened("out", O_RDWR);
    size_t block = 1 << 20, held = 0;
    char *blocks = malloc(block + RECORD), text[RECORD], back[16];
    off_t end = lseek(file, -16, SEEK_END);
    need(read(file, back, 16) == 16, "read");
    uint64_t total = sum(back, 16) + (uint64_t)end;
    if (!strcmp(argv[1], "no-prestage"))
        for (off_t at = 0; at < end; at += (off_t)block)
            need(pread(file, blocks, block, at) > 0, "pread");
    end = 0;
    for (long number = 0; number < atol(argv[2]); number++) {
        record(text, RECORD, number);
        total += sum(text, RECORD);
        if (!gather) {
            need(pwrite(file, text, RECORD, (off_t)number * RECORD) == RECORD, "pwrite");
            continue;
        }
        memcpy(blocks + held, text, RECORD);
        held += RECORD;
        if (held >= block) {
            need(pwrite(file, blocks, block, end) == (ssize_t)block, "pwrite");
            end += (off_t)block;
            held -= block;
            memmove(blocks, blocks + block, held);
        }
    }
    if (held) need(pwrite(file, blocks, held, end) == (ssize_t)held, "pwrite");
    printf("%llu\n", (unsigned long long)total);
    close(file);
    return 0;
}
