/* Reads the same file once for each step, 4 kB at a time.
   reread slow|re-read|small-io STEPS: kept in memory; or read with 1 MiB for each call. */
#include "io.h"

int main(int argc, char **argv) {
    need(argc == 3, "reread MODE STEPS");
    int steps = atoi(argv[2]), keep = !strcmp(argv[1], "re-read");
    size_t block = strcmp(argv[1], "small-io") ? 4096 : 1 << 20, most = 256 << 20;
    char *all = malloc(keep ? most : block);
    uint64_t total = 0, first = 0;
    for (int step = 0; step < steps; step++) {
        if (!step || !keep) {
            int file = opened("data", O_RDONLY);
            size_t size = 0;
            for (ssize_t got; (got = read(file, all + (keep ? size : 0), block)) > 0;) {
                if (!size) first = sum(all, 4096);
                size += (size_t)got;
                need(size < most, "size");
            }
            close(file);
        }
        total += first * (uint64_t)(step + 1);
    }
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
