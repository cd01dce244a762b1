/* Writes numbers of 16 bytes, each by a call, and calls fsync every 20,000 of them.
   tiny_writes slow|small-io|sync-write|both NUMBERS: gathered in a buffer; or one fsync at the
   end; or both. */
#include "io.h"

int main(int argc, char **argv) {
    need(argc == 3, "tiny_writes MODE NUMBERS");
    int both = !strcmp(argv[1], "both"), gather = both || !strcmp(argv[1], "small-io");
    int once = both || !strcmp(argv[1], "sync-write");
    int file = opened("out", O_WRONLY | O_CREAT | O_TRUNC);
    static char buffer[1 << 16];
    size_t held = 0;
    for (long number = 1; number <= atol(argv[2]); number++) {
        record(buffer + held, 16, number);
        held += 16;
        int sync = !once && number % 20000 == 0;
        if (!gather || sync || held == sizeof buffer) {
            put(file, buffer, held);
            held = 0;
        }
        if (sync) need(!fsync(file), "fsync");
    }
    put(file, buffer, held);
    need(!fsync(file), "fsync");
    close(file);
    return 0;
}
