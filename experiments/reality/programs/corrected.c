/* Corrects the values of all records of a file in place, in their order, with stdio.
   corrected record|block|whole: each record is read and written back before the next one; or 1024
   records at a time; or all of them. */
#include "io.h"

enum { VALUES = 150, BLOCK = 1024 };

struct Record {
    uint32_t values[VALUES];
};

static void corrected(struct Record *one) {
    uint32_t offset = one->values[0] >> 16;
    for (int at = 1; at < VALUES; at++) one->values[at] += offset * at;
}

int main(int argc, char **argv) {
    need(argc == 2, "corrected MODE");
    struct stat found;
    need(!stat("out", &found), "out");
    size_t all = found.st_size / sizeof(struct Record), many = 1;
    if (!strcmp(argv[1], "block")) many = BLOCK;
    if (!strcmp(argv[1], "whole")) many = all;
    struct Record *records = malloc(many * sizeof *records);
    FILE *file = fopen("out", "r+b");
    need(file && records, "out");
    size_t got;
    for (long at = 0; (got = fread(records, sizeof *records, many, file)) > 0;) {
        for (size_t one = 0; one < got; one++) corrected(&records[one]);
        need(!fseek(file, at, SEEK_SET), "fseek");
        need(fwrite(records, sizeof *records, got, file) == got, "fwrite");
        at += got * sizeof *records;
        need(!fseek(file, at, SEEK_SET), "fseek");
    }
    need(!fclose(file), "fclose");
    free(records);
    return 0;
}
