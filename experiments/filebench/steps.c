/* Makes the steps of lists, one thread a list, and times each: steps FOLDER LIST...
 *
 * A line of a list is a step: what to do, the file's name, its bytes. After `begin` all threads go on
 * together. Prints the median nanoseconds of each kind of step after `begin`, then the seconds until
 * the last thread has ended, and the processor's seconds of all. Steps before `begin` are not timed,
 * and are on the device (sync) when the timing begins.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20, NAME = 64 };

static const char *const kinds[] = {"create", "write", "close", "open", "append",
                                    "read",   "unlink", "stat"};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct step {
  int kind;
  char name[NAME];
  long size;
  long took_ns;
};

struct list {
  const char *path;
  struct step *steps;
  long count, begin;
};

static pthread_barrier_t made, go;

static void fail(const char *what, const char *name) {
  fprintf(stderr, "steps: %s %s: %s\n", what, name, strerror(errno));
  exit(1);
}

static long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void put(int file, char *bytes, const struct step *step) {
  for (long done = 0; done < step->size;) {
    long piece = step->size - done < PIECE ? step->size - done : PIECE;
    if (write(file, bytes, piece) != piece) fail("write", step->name);
    done += piece;
  }
}

static int make(const struct step *step, int file, char *bytes) {
  struct stat found;
  long got, sum = 0;
  switch (step->kind) {
    case 0: /* create */
    case 3: /* open */
      file = open(step->name, O_RDWR | (step->kind ? 0 : O_CREAT), 0666);
      if (file < 0) fail(kinds[step->kind], step->name);
      break;
    case 4: /* append */
      if (lseek(file, 0, SEEK_END) < 0) fail("seek", step->name);
      put(file, bytes, step);
      break;
    case 1: /* write */
      put(file, bytes, step);
      break;
    case 2: /* close */
      if (close(file)) fail("close", step->name);
      break;
    case 5: /* read */
      if (lseek(file, 0, SEEK_SET) < 0) fail("seek", step->name);
      while ((got = read(file, bytes, PIECE)) > 0) sum += got;
      if (sum != step->size) fail("read", step->name);
      break;
    case 6:
      if (unlink(step->name)) fail("unlink", step->name);
      break;
    default:
      if (stat(step->name, &found)) fail("stat", step->name);
  }
  return file;
}

static void *follow(void *argument) {
  struct list *list = argument;
  int file = -1;
  char *bytes = malloc(PIECE);
  memset(bytes, 1, PIECE);
  for (long i = 0; i < list->begin; i++) file = make(&list->steps[i], file, bytes);
  pthread_barrier_wait(&made);
  pthread_barrier_wait(&go);
  for (long i = list->begin; i < list->count; i++) {
    long begin = now_ns();
    file = make(&list->steps[i], file, bytes);
    list->steps[i].took_ns = now_ns() - begin;
  }
  return NULL;
}

static void load(struct list *list) {
  FILE *in = fopen(list->path, "r");
  char word[16], name[NAME];
  long size, room = 0;
  if (!in) fail("open", list->path);
  list->begin = -1;
  while (fscanf(in, "%15s %63s %ld", word, name, &size) == 3) {
    if (!strcmp(word, "begin")) {
      list->begin = list->count;
      continue;
    }
    if (list->count == room) {
      room = room ? 2 * room : 1 << 16;
      list->steps = realloc(list->steps, room * sizeof *list->steps);
    }
    struct step *step = &list->steps[list->count++];
    for (step->kind = 0; step->kind < KINDS && strcmp(word, kinds[step->kind]);) step->kind++;
    if (step->kind == KINDS) fail("unknown step", word);
    strcpy(step->name, name);
    step->size = size;
    step->took_ns = 0;
  }
  if (!feof(in) || list->begin < 0) fail("bad list", list->path);
  fclose(in);
}

static int compare(const void *one, const void *other) {
  long a = *(const long *)one, b = *(const long *)other;
  return (a > b) - (a < b);
}

static double processor_s(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_utime.tv_sec + used.ru_stime.tv_sec +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void report(const struct list *lists, int count) {
  long most = 0;
  for (int i = 0; i < count; i++) most += lists[i].count;
  long *took = malloc(most * sizeof *took);
  for (int kind = 0; kind < KINDS; kind++) {
    long n = 0;
    for (int i = 0; i < count; i++)
      for (long j = lists[i].begin; j < lists[i].count; j++)
        if (lists[i].steps[j].kind == kind) took[n++] = lists[i].steps[j].took_ns;
    if (!n) continue;
    qsort(took, n, sizeof *took, compare);
    printf("%s %ld\n", kinds[kind], took[n / 2]);
  }
  free(took);
}

int main(int count, char **words) {
  count -= 2;
  if (count < 1) {
    fprintf(stderr, "usage: steps FOLDER LIST...\n");
    return 2;
  }
  struct list *lists = calloc(count, sizeof *lists);
  pthread_t *threads = calloc(count, sizeof *threads);
  for (int i = 0; i < count; i++) {
    lists[i].path = words[i + 2];
    load(&lists[i]);
  }
  if (chdir(words[1])) fail("folder", words[1]);
  pthread_barrier_init(&made, NULL, count + 1);
  pthread_barrier_init(&go, NULL, count + 1);
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, follow, &lists[i])) fail("thread", lists[i].path);
  pthread_barrier_wait(&made);
  sync();
  double used = processor_s();
  long begin = now_ns();
  pthread_barrier_wait(&go);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  long end = now_ns();
  used = processor_s() - used;
  report(lists, count);
  printf("elapsed %ld\nprocessor %.0f\n", end - begin, used * 1e9);
  return 0;
}
