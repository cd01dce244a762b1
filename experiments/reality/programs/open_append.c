/* Opens a file for each record, appends it in four pieces, and closes the file.
   open_append slow|open-storm|small-io RECORDS: kept open; or one write for each record. */
#include "io.h"

int main(int argc, char **argv) {
    need(argc == 3, "open_append MODE RECORDS");
    int keep = !strcmp(argv[1], "open-storm"), whole = !strcmp(argv[1], "small-io"), file = -1;
    char text[128];
    for (long number = 0; number < atol(argv[2]); number++) {
        record(text, sizeof text, number);
        if (file < 0) file = opened("out", O_WRONLY | O_CREAT | O_APPEND);
        for (size_t at = 0; at < sizeof text; at += whole ? 128 : 32)
            put(file, text + at, whole ? 128 : 32);
        if (!keep) {
            close(file);
            file = -1;
        }
    }
    return 0;
}
