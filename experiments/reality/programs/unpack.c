/* Unpacks small files into a new folder beside those of earlier runs, as an installer does.
   unpack slow|syncfs|none FILES: fsync for each; or syncfs once at the end; or neither. */
#include "io.h"

int main(int argc, char **argv) {
    need(argc == 3, "unpack MODE FILES");
    int each = !strcmp(argv[1], "slow"), last = !strcmp(argv[1], "syncfs");
    static char text[6000];
    char folder[32], name[64];
    for (int version = 0;; version++) {
        snprintf(folder, sizeof folder, "unpacked-%d", version);
        if (!mkdir(folder, 0700)) break;
    }
    for (long number = 0; number < atol(argv[2]); number++) {
        record(text, sizeof text, number);
        snprintf(name, sizeof name, "%s/part%06ld", folder, number);
        int file = opened(name, O_WRONLY | O_CREAT | O_EXCL);
        put(file, text, sizeof text);
        if (each) need(!fsync(file), "fsync");
        close(file);
    }
    if (last) {
        int file = opened(folder, O_RDONLY | O_DIRECTORY);
        need(!syncfs(file), "syncfs");
        close(file);
    }
    return 0;
}
