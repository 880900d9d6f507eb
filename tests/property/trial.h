/* trial.h - one trial: its name, its time limit, its memory, its failures. */
#ifndef PROPERTY_TRIAL_H
#define PROPERTY_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begin a trial on these bytes (NULL: none to keep). It may take TRIAL_SECONDS; when it hangs or
 * crashes its name is printed and its bytes are kept in a file. */
void trial(const void *bytes, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The current trial failed. Reported at most 10 times a run. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The closing line, `N passed, M failed`, and the exit status. */
int trials_close(void);

/* Memory requested through malloc and the like by code linked into this program. */
struct heap {
    uint64_t calls; /* that gave memory */
    int64_t live;   /* bytes held now */
    int64_t peak;   /* most held since heap_watch() */
};
struct heap heap_now(void);
/* Measure the peak from here on; what is held now counts as nothing. */
void heap_watch(void);
/* The allocation of this number, from 0 and now, is refused; UINT64_MAX: none. */
void heap_fail(uint64_t call);

/* True when built with AddressSanitizer: slower, and address space is no measure. */
bool sanitized(void);
/* Make bytes unreadable, or readable again, where a sanitizer can see it. */
void hide(const void *at, size_t size);
void show(const void *at, size_t size);
#endif
