/* A disk that fails when a test wants it to, and remembers what it was told to write.
 *
 * Preloaded in front of the C library. Only files whose path begins with the watched one are touched: an SQLite
 * database and its -wal; its -shm is memory. Everything else passes through.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, TRUNCATE = 4, NOTE = 8 };

static char watched[4096];
static long countdown = -1;   /* calls until the one that fails; -1: none does */
static int failing, reason, lasting, torn;
static FILE *trace;

void disk_watch(const char *path) { snprintf(watched, sizeof watched, "%s", path); }

/* Fail the n-th call of these kinds from now on, once or for good; a torn write leaves its first half behind. */
void disk_fail(long n, int kinds, int error, int for_good, int half) {
    countdown = n, failing = kinds, reason = error, lasting = for_good, torn = half;
}

void disk_trace(const char *path) { trace = fopen(path, "wb"); }

static void record(int32_t kind, int32_t is_wal, int64_t offset, int64_t length, const void *data) {
    if (!trace) return;
    fwrite(&kind, 4, 1, trace), fwrite(&is_wal, 4, 1, trace), fwrite(&offset, 8, 1, trace), fwrite(&length, 8, 1, trace);
    if (data) fwrite(data, 1, length, trace);
    fflush(trace);
}

void disk_note(const char *text) { record(NOTE, 0, 0, strlen(text), text); }

/* 0: not ours, 1: the database, 2: its log */
static int ours(int fd) {
    char link[64], path[4096];
    if (!watched[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    size_t base = strlen(watched);
    if (strncmp(path, watched, base)) return 0;
    return !path[base] ? 1 : !strcmp(path + base, "-wal") ? 2 : 0;
}

static int fails(int kind) {
    if (countdown < 0 || !(kind & failing)) return 0;
    if (countdown > 1) { countdown--; return 0; }
    if (!lasting) countdown = -1;
    errno = reason;
    return 1;
}

#define REAL(name, type) static type real; if (!real) real = (type)dlsym(RTLD_NEXT, name)

typedef ssize_t (*pwrite_call)(int, const void *, size_t, off64_t);
typedef ssize_t (*write_call)(int, const void *, size_t);
typedef int (*truncate_call)(int, off64_t);
typedef int (*sync_call)(int);

static ssize_t write_at(int fd, const void *data, size_t n, off64_t offset, pwrite_call real) {
    int file = ours(fd);
    if (file && fails(WRITE)) {
        int why = errno;
        if (torn && real(fd, data, n / 2, offset) > 0) record(WRITE, file == 2, offset, n / 2, data);
        errno = why;
        return -1;
    }
    ssize_t done = real(fd, data, n, offset);
    if (file && done > 0) record(WRITE, file == 2, offset, done, data);
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t offset) {
    REAL("pwrite64", pwrite_call);
    return write_at(fd, data, n, offset, real);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t offset) {
    REAL("pwrite64", pwrite_call);
    return write_at(fd, data, n, offset, real);
}

ssize_t write(int fd, const void *data, size_t n) {
    REAL("write", write_call);
    if (ours(fd)) {
        ssize_t done = pwrite64(fd, data, n, lseek64(fd, 0, SEEK_CUR));
        if (done > 0) lseek64(fd, done, SEEK_CUR);
        return done;
    }
    return real(fd, data, n);
}

static int truncate_to(int fd, off64_t size) {
    REAL("ftruncate64", truncate_call);
    int file = ours(fd);
    if (file && fails(TRUNCATE)) return -1;
    int result = real(fd, size);
    if (file && !result) record(TRUNCATE, file == 2, size, 0, 0);
    return result;
}

int ftruncate64(int fd, off64_t size) { return truncate_to(fd, size); }
int ftruncate(int fd, off_t size) { return truncate_to(fd, size); }

static int synced(int fd, sync_call real) {
    int file = ours(fd);
    if (file && fails(SYNC)) return -1;
    int result = real(fd);
    if (file && !result) record(SYNC, file == 2, 0, 0, 0);
    return result;
}

int fsync(int fd) {
    REAL("fsync", sync_call);
    return synced(fd, real);
}

int fdatasync(int fd) {
    REAL("fdatasync", sync_call);
    return synced(fd, real);
}
