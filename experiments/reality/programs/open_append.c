/* Opens a file for each record, appends it in four pieces, and closes the file.
   open_append slow|open-storm|small-io|both RECORDS: kept open; or one write for each record; or
   kept open, and gathered in 128 KiB. */
#include "io.h"

int main(int argc, char **argv) {
    need(argc == 3, "open_append MODE RECORDS");
    int both = !strcmp(argv[1], "both"), keep = both || !strcmp(argv[1], "open-storm");
    int whole = !strcmp(argv[1], "small-io"), file = -1;
    static char text[128], lines[128 << 10];
    size_t held = 0;
    for (long number = 0; number < atol(argv[2]); number++) {
        record(text, sizeof text, number);
        if (file < 0) file = opened("out", O_WRONLY | O_CREAT | O_APPEND);
        if (both) {
            memcpy(lines + held, text, sizeof text);
            held += sizeof text;
            if (held < sizeof lines) continue;
            put(file, lines, held);
            held = 0;
            continue;
        }
        for (size_t at = 0; at < sizeof text; at += whole ? 128 : 32)
            put(file, text + at, whole ? 128 : 32);
        if (!keep) {
            close(file);
            file = -1;
        }
    }
    if (held) put(file, lines, held);
    return 0;
}
