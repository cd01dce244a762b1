/* Four processes write the rows of one field: cyclic row|block ROWS
   They have every fourth row each, and write it where it belongs; or each has a quarter of the rows
   that follow each other, and writes them by 1 MiB. */
#include <sys/wait.h>

#include "io.h"

enum { RANKS = 4, VALUES = 32, GATHERED = (1 << 20) / (8 * VALUES) };

static double rows[GATHERED][VALUES];

static void computed(double *row, long number) {
    for (int at = 0; at < VALUES; at++) row[at] = 0.5 * number + 0.25 * at * (number % 17);
}

static void written(int file, int rank, long many, int by_row) {
    if (by_row) {
        for (long number = rank; number < many; number += RANKS) {
            computed(rows[0], number);
            off_t at = number * sizeof rows[0];
            need(pwrite(file, rows[0], sizeof rows[0], at) == sizeof rows[0], "pwrite");
        }
        return;
    }
    long end = many * (rank + 1) / RANKS;
    for (long number = many * rank / RANKS; number < end;) {
        long count = end - number < GATHERED ? end - number : GATHERED;
        for (long one = 0; one < count; one++) computed(rows[one], number + one);
        ssize_t size = count * sizeof rows[0];
        need(pwrite(file, rows, size, number * sizeof rows[0]) == size, "pwrite");
        number += count;
    }
}

int main(int argc, char **argv) {
    need(argc == 3, "cyclic MODE ROWS");
    close(opened("out", O_WRONLY | O_CREAT | O_TRUNC));
    for (int rank = 0; rank < RANKS; rank++) {
        pid_t child = fork();
        need(child >= 0, "fork");
        if (child) continue;
        int file = opened("out", O_WRONLY);
        written(file, rank, atol(argv[2]), !strcmp(argv[1], "row"));
        close(file);
        return 0;
    }
    for (int rank = 0; rank < RANKS; rank++) {
        int status;
        need(wait(&status) > 0 && !status, "wait");
    }
    return 0;
}
