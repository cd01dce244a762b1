/* Counts events in a mapped file of gauges, each on its page, so that a crash loses no event.
   gauges each|once EVENTS: msync of an event's page after the event; or of the file at the end. */
#include "io.h"
#include <sys/mman.h>

enum { PAGE = 4096, GAUGES = 512 };

int main(int argc, char **argv) {
    need(argc == 3, "gauges MODE EVENTS");
    int each = !strcmp(argv[1], "each"), file = opened("out", O_RDWR | O_CREAT | O_TRUNC);
    static char empty[PAGE];
    for (int gauge = 0; gauge < GAUGES; gauge++) put(file, empty, PAGE);
    need(!fsync(file), "fsync");
    char *gauges = mmap(NULL, GAUGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    need(gauges != MAP_FAILED, "mmap");
    for (long event = 0; event < atol(argv[2]); event++) {
        char *page = gauges + drawn(GAUGES) * PAGE;
        uint64_t *counts = (uint64_t *)page;
        counts[0]++;
        counts[1 + event % 8] += event;
        if (each) need(!msync(page, PAGE, MS_SYNC), "msync");
    }
    need(!msync(gauges, GAUGES * PAGE, MS_SYNC), "msync");
    munmap(gauges, GAUGES * PAGE);
    close(file);
    return 0;
}
