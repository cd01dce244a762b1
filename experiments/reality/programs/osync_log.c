/* A log of records of 256 bytes in a file opened with O_SYNC.
   osync_log slow|sync-write|small-io RECORDS: without O_SYNC and one fsync at the end; or 16
   records for each call. */
#include "io.h"

int main(int argc, char **argv) {
    need(argc == 3, "osync_log MODE RECORDS");
    int once = !strcmp(argv[1], "sync-write");
    size_t most = strcmp(argv[1], "small-io") ? 256 : 4096, held = 0;
    int file = opened("out", O_WRONLY | O_CREAT | O_TRUNC | (once ? 0 : O_SYNC));
    char text[4096];
    for (long number = 0; number < atol(argv[2]); number++) {
        record(text + held, 256, number);
        held += 256;
        if (held == most) {
            put(file, text, held);
            held = 0;
        }
    }
    if (held) put(file, text, held);
    if (once) need(!fsync(file), "fsync");
    close(file);
    return 0;
}
