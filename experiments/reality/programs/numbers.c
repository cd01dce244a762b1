/* Reads numbers of a text, a byte for each read(2), and prints quantiles of them.
   numbers byte|buffer|whole: a byte for each call; or 64 KiB; or the whole text at once. */
#include "io.h"

static size_t size, at, block;
static char *text;
static int file;

static int next(void) {
    if (at == size) {
        ssize_t got = read(file, text, block);
        need(got >= 0, "read");
        size = (size_t)got;
        at = 0;
        if (!size) return EOF;
    }
    return (unsigned char)text[at++];
}

static int order(const void *one, const void *other) {
    double left = *(const double *)one, right = *(const double *)other;
    return (left > right) - (left < right);
}

int main(int argc, char **argv) {
    need(argc == 2, "numbers MODE");
    struct stat about;
    file = opened("numbers", O_RDONLY);
    need(!fstat(file, &about), "fstat");
    block = (size_t)about.st_size;
    if (!strcmp(argv[1], "byte")) block = 1;
    if (!strcmp(argv[1], "buffer")) block = 1 << 16;
    text = malloc(block);
    double *values = malloc(((size_t)about.st_size / 2 + 1) * sizeof *values), total = 0;
    size_t count = 0, length = 0;
    char word[64];
    for (int letter; (letter = next()) != EOF;) {
        if (letter != '\n') {
            if (length + 1 < sizeof word) word[length++] = (char)letter;
            continue;
        }
        word[length] = 0;
        length = 0;
        total += values[count++] = strtod(word, NULL);
    }
    close(file);
    qsort(values, count, sizeof *values, order);
    printf("count %zu, mean %.9f\n", count, total / (double)count);
    for (int part = 0; part <= 20; part++)
        printf("%3d %% %.9f\n", 5 * part, values[(count - 1) * (size_t)part / 20]);
    return 0;
}
