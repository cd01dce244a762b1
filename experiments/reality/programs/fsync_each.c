/* A log: opens, appends, calls fsync and closes for every record.
   fsync_each slow|sync-write|open-storm RECORDS: one fsync at the end; or one open. */
#include "io.h"

int main(int argc, char **argv) {
    need(argc == 3, "fsync_each MODE RECORDS");
    int each = strcmp(argv[1], "sync-write") != 0, keep = !strcmp(argv[1], "open-storm");
    int file = -1;
    char text[512];
    for (long number = 0; number < atol(argv[2]); number++) {
        record(text, sizeof text, number);
        if (file < 0) file = opened("out", O_WRONLY | O_CREAT | O_APPEND);
        put(file, text, sizeof text);
        if (each) need(!fsync(file), "fsync");
        if (!keep) {
            close(file);
            file = -1;
        }
    }
    if (!each) need(!fsync(file = opened("out", O_WRONLY)), "fsync");
    if (file >= 0) close(file);
    return 0;
}
