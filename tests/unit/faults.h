/* faults.h - system calls that fail on request.
 *
 * A test that names `faults` as its third item in unit_tests is linked so that its
 * calls of write, pwrite, fsync, ftruncate, open, openat, posix_fallocate, mkdir, rename,
 * renameat2 and linkat,
 * the library's too, pass through here. Write everything once with faults_count() to
 * learn how many calls there are; then once for each of them and each way to fail. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>

enum fault_way {
    FAULT_ONCE,  /* this call fails, later ones work */
    FAULT_SINCE, /* it and every later one fail: a full disk, a broken pipe */
    FAULT_SHORT, /* a write takes half of its bytes; the rest goes well */
    FAULT_TORN,  /* a write takes half of its bytes, and every later one fails */
};

/* Nothing fails; calls are counted from 0. */
void faults_count(void);
/* The call of this number, from 0 and now, fails with this errno. */
void faults_arm(unsigned call, int error, enum fault_way way);
/* Calls since; and nothing fails from now on. */
unsigned faults_stop(void);

/* Whether a call has failed since it was armed. */
bool faults_hit(void);
/* The same, and it went on failing: what was half written could not be taken back. */
bool faults_stayed(void);

/* Run `work` once with nothing failing, then with every one of its calls failing in
 * every way. It prepares, writes, calls faults_stop(), and checks what it left: all of
 * it when it was reported of success; when no call was hit, success. */
void faults_everywhere(void (*work)(void *user), void *user);
#endif
