/* Reads a file past the page cache, 4 KiB at a time: direct_read */
#include "io.h"

int main(void) {
    int file = opened("data", O_RDONLY | O_DIRECT);
    char *block = NULL;
    need(!posix_memalign((void **)&block, 4096, 4096), "memory");
    uint64_t total = 0;
    for (ssize_t got; (got = read(file, block, 4096)) > 0;) total += sum(block, (size_t)got);
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
