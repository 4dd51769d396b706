/*
 * Moves the time of day of every program that loads this library: by OFFSET_SECONDS, which the compiler is
 * given, or by the number of seconds that OFFSET_FILE holds (eight bytes, as the machine writes an int64_t),
 * at every moment the present one. Clocks that measure durations keep the machine's time, and so do timers and the times of files.
 *
 * libfaketime is not used: it fakes the monotonic clock too, on which programs wait, and it turns itself off
 * while a process waits for a socket, so that a time-out of Postgres strikes by another clock than it was
 * set, or never.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* What the programs would have called: the system's functions, or those of a library that moves the clock too. */
static int (*next_clock_gettime)(clockid_t, struct timespec *);
static int (*next_gettimeofday)(struct timeval *, void *);
static time_t (*next_time)(time_t *);
static int (*next_timespec_get)(struct timespec *, int);

#ifdef OFFSET_FILE
static const volatile int64_t *offset;

/* Mapped, because a signal's handler asks too. A program without the file would show a wrong time unnoticed. */
static void find_offset(void) {
  int file = open(OFFSET_FILE, O_RDONLY | O_CLOEXEC);
  void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) abort();
  close(file);
  offset = mapped;
}

static time_t offset_seconds(void) { return *offset; }
#else
static void find_offset(void) {}

static time_t offset_seconds(void) { return OFFSET_SECONDS; }
#endif

/* Before main, because a signal's handler must not look for a function. */
__attribute__((constructor)) static void find_next(void) {
  find_offset();
  next_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  next_gettimeofday = dlsym(RTLD_NEXT, "gettimeofday");
  next_time = dlsym(RTLD_NEXT, "time");
  next_timespec_get = dlsym(RTLD_NEXT, "timespec_get");
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  /* Another library's constructor may ask sooner. */
  if (next_clock_gettime == NULL) find_next();
  int result = next_clock_gettime(clock, now);
  int is_time_of_day =
    clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  if (result == 0 && is_time_of_day) now->tv_sec += offset_seconds();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  if (next_gettimeofday == NULL) find_next();
  int result = next_gettimeofday(now, zone);
  if (result == 0 && now != NULL) now->tv_sec += offset_seconds();
  return result;
}

time_t time(time_t *stored) {
  if (next_time == NULL) find_next();
  time_t now = next_time(NULL) + offset_seconds();
  if (stored != NULL) *stored = now;
  return now;
}

int timespec_get(struct timespec *now, int base) {
  if (next_timespec_get == NULL) find_next();
  int result = next_timespec_get(now, base);
  if (result == TIME_UTC) now->tv_sec += offset_seconds();
  return result;
}
