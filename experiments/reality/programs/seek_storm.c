/* Reads records of 512 bytes at random places of a file that is in no cache.
   seek_storm slow|seek-storm|sorted RECORDS: the whole file read once with large calls, and the
   records taken from memory; or read in the order of their places. */
#include "io.h"

static int order(const void *one, const void *other) {
    uint64_t left = *(const uint64_t *)one, right = *(const uint64_t *)other;
    return (left > right) - (left < right);
}

int main(int argc, char **argv) {
    need(argc == 3, "seek_storm MODE RECORDS");
    long records = atol(argv[2]);
    int file = opened("data", O_RDONLY);
    struct stat about;
    need(!fstat(file, &about), "fstat");
    uint64_t *places = calloc((size_t)records, sizeof *places), total = 0;
    for (long number = 0; number < records; number++)
        places[number] = drawn((uint64_t)about.st_size / 512) * 512;
    char text[512], *all = NULL;
    if (!strcmp(argv[1], "sorted")) qsort(places, (size_t)records, sizeof *places, order);
    if (!strcmp(argv[1], "seek-storm")) {
        all = malloc((size_t)about.st_size);
        for (long at = 0; at < about.st_size; at += 1 << 20)
            need(read(file, all + at, 1 << 20) > 0, "read");
    }
    for (long number = 0; number < records; number++) {
        if (!all) need(pread(file, text, 512, (off_t)places[number]) == 512, "pread");
        total += sum(all ? all + places[number] : text, 512) * (places[number] + 1);
    }
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
