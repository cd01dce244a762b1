/* Looks for each input along a path of 30 folders, the last of which has it, and reads it.
   search_path slow|failed-lookup|re-read INPUTS: found once, its folder remembered; or what was
   read is kept in memory, and only looked for. */
#include "io.h"

#define FOLDERS 30
#define FILES 20

int main(int argc, char **argv) {
    need(argc == 3, "search_path MODE INPUTS");
    int remember = !strcmp(argv[1], "failed-lookup"), keep = !strcmp(argv[1], "re-read");
    static char text[FILES][4096];
    int known[FILES], there[FILES];
    uint64_t total = 0;
    memset(known, 0, sizeof known);
    memset(there, 0, sizeof there);
    for (long input = 0; input < atol(argv[2]); input++) {
        int number = (int)drawn(FILES), file = -1;
        char name[64];
        for (int folder = remember ? known[number] : 0; file < 0 && folder < FOLDERS; folder++) {
            snprintf(name, sizeof name, "path/%02d/input%02d", folder, number);
            file = open(name, O_RDONLY);
            if (file >= 0) known[number] = folder;
        }
        need(file >= 0, name);
        if (!keep || !there[number]) need(read(file, text[number], 4096) == 4096, "read");
        there[number] = 1;
        close(file);
        total += sum(text[number], 4096) * (uint64_t)(input + 1);
    }
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
