#!/bin/sh
# How three logs of benchmarks/data were made: threads (git grep), makej (make -j4), threads64.
# Usage, as root: sh benchmarks/capture.sh CLONE_OF_THIS_PROJECT FOLDER_FOR_THE_LOGS
# It works in a mount namespace of its own, in which an empty /home gives neutral paths. Needs
# strace, git, gcc and make. The logs differ from one run to the next, as the order of threads does.
set -eu
if [ "${1:-}" != --inside ]; then
    exec unshare --mount sh "$0" --inside "$@" # the empty /home is seen from here on only
fi
shift
project=$(realpath "$1")
logs=$(realpath "$2")
mount -t tmpfs none /home && mkdir -p /home/user/work && cd /home/user/work
traced() {
    log=$1
    shift
    env -i PATH=/usr/bin:/bin HOME=/home/user strace -f -tt -T -o "$logs/$log.strace" "$@" >/dev/null
    gzip -9 -n -f "$logs/$log.strace"
}

# Eight threads search the files of a project.
cp -r "$project/simulator/traces" repo
env HOME=/home/user git -C repo init -q
env HOME=/home/user git -C repo add -- '*.py' '*.pxd'
traced threads git --no-pager -C repo grep --threads=8 -n "def read"

# Four jobs of make at once, each with a compiler, its passes, and an assembler.
mkdir src
for unit in alpha beta delta; do
    printf 'int %s(int x) { return 3 * x + 1; }\n' $unit > src/$unit.c
done
printf 'int alpha(int), beta(int), delta(int);\n' > src/main.c
printf 'int main(void) { return alpha(1) + beta(2) + delta(3) < 0; }\n' >> src/main.c
printf 'OBJ = alpha.o beta.o delta.o main.o\nprog: $(OBJ)\n\tgcc -o $@ $(OBJ)\n' > src/Makefile
printf '%%.o: %%.c\n\tgcc -O1 -c $<\n' >> src/Makefile
traced makej make -C src -j4

# 64 threads: each writes a file, reads it back, and adds a line to a common log.
cat > pool.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void *work(void *number) {
    char name[64], block[4096] = {0};
    snprintf(name, sizeof name, "out/part%ld", (long)number);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (int k = 0; k < 4; k++) if (write(file, block, sizeof block) < 0) return 0;
    lseek(file, 0, SEEK_SET);
    while (read(file, block, sizeof block) > 0) continue;
    pthread_mutex_lock(&lock);
    int n = snprintf(block, sizeof block, "%s is done\n", name);
    if (write(shared, block, n) < 0) return 0;
    pthread_mutex_unlock(&lock);
    close(file);
    return 0;
}
int main(void) {
    pthread_t threads[64];
    shared = open("out/log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    for (long k = 0; k < 64; k++) pthread_create(&threads[k], 0, work, (void *)k);
    for (int k = 0; k < 64; k++) pthread_join(threads[k], 0);
    return 0;
}
C
gcc -O1 -pthread -o pool pool.c
mkdir out
traced threads64 ./pool
