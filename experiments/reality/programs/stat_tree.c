/* Counts the files of a tree, asking stat for every entry, and opens every file to read its head.
   stat_tree slow|stat-storm|open-storm PASSES: the kind of an entry is that of readdir; or heads
   are read in the first pass only. */
#include <dirent.h>

#include "io.h"

static int ask, read_heads;
static long files, folders;
static uint64_t total;

static void walk(const char *name) {
    DIR *folder = opendir(name);
    need(folder != NULL, name);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        int is_folder = entry->d_type == DT_DIR;
        if (ask || entry->d_type == DT_UNKNOWN) {
            struct stat about;
            need(!stat(path, &about), path);
            is_folder = S_ISDIR(about.st_mode);
        }
        if (is_folder) {
            folders++;
            walk(path);
            continue;
        }
        files++;
        if (read_heads && files % 16 == 0) {
            char head[64] = "";
            int file = opened(path, O_RDONLY);
            need(read(file, head, sizeof head) >= 0, path);
            close(file);
            total += sum(head, sizeof head);
        }
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    need(argc == 3, "stat_tree MODE PASSES");
    ask = strcmp(argv[1], "stat-storm") != 0;
    int once = !strcmp(argv[1], "open-storm");
    uint64_t first = 0, all = 0;
    for (int pass = 0; pass < atoi(argv[2]); pass++) {
        total = 0;
        read_heads = !once || !pass;
        walk("tree");
        first = pass ? first : total;
        all += first;
    }
    printf("%ld %ld %llu\n", files, folders, (unsigned long long)all);
    return 0;
}
