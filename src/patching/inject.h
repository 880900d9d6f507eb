/* inject.h - calling functions in another process, and changing its code while it is stopped.
 *
 * All of its threads are traced from inject_open() to inject_close(); they run, and are stopped
 * only as long as something is done to them. */
#ifndef PATCHING_INJECT_H
#define PATCHING_INJECT_H

#include "base/attach.h"
#include <rastrum/rastrum.h>

#include <sys/types.h>

struct inject;

/* RAS_EUNSUPPORTED: it may not be traced, or cannot be recorded; the error says why. */
int inject_open(struct inject **, pid_t, struct ras_error *);
/* The process goes on as if it had never been traced. NULL is fine. The result is the longest time
 * that a thread was stopped, in nanoseconds. */
uint64_t inject_close(struct inject *);

/* Load a library with dlopen(), in a new thread; it is created by one that is at a place where
 * that is safe. */
int inject_load(struct inject *, const char *path, struct ras_error *);
/* Call a function without arguments, in any thread, on the stack that ends at this address: it
 * must be safe in a signal handler, and preserve errno. */
int inject_call(struct inject *, uint64_t function, uint64_t stack, struct ras_error *);

/* Whether it has ended, or is another program now, as far as was seen. */
bool inject_is_gone(const struct inject *);
/* Let it run on, also where a thread waits for us, as one that was just created. */
void inject_run(struct inject *);

/* The address of a symbol of a library that is loaded, by its path; 0: none. */
uint64_t inject_symbol(const struct inject *, const char *path, const char *name);
/* The path of a library of this file name, the last that was loaded; false: none. */
bool inject_find(const struct inject *, const char *name, char *path, size_t room);
/* Read memory; false: it is not there. */
bool inject_read(const struct inject *, uint64_t at, void *to, size_t size);

/* Write a number; false: it cannot be written. */
bool inject_put(const struct inject *, uint64_t at, uint32_t);

/* Stop all threads and write the jumps of all sites, or the original bytes in place of them.
 * `*written` and `*left`: how many were, and how many were not, because a thread is in the middle
 * of their bytes. Sites are sorted by address. */
int inject_write(struct inject *, const struct attach_site *, size_t count, bool original,
                 size_t *written, size_t *left, struct ras_error *);
#endif
