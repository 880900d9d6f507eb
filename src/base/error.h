/* error.h - what is reported to the caller: failures in one line, and decisions on request. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <inttypes.h>
#include <rastrum/rastrum.h>

/* Fill err, if given, and return status, so that a check is one line:
 * return fail(err, RAS_EFORMAT, at, "TOC ends at %" PRIu64, end); */
int fail(struct ras_error *err, int status, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The operating system refused: "WHAT: strerror", errno kept. */
int fail_os(struct ras_error *err, const char *what);

int fail_memory(struct ras_error *err);
/* Add what a failure is about, and return its status; memory that is short is about nothing. */
int fail_about(int status, enum ras_error_about about, struct ras_error *err);
/* A ras_progress callback returned false. */
int fail_canceled(struct ras_error *err);

/* Whether a topic is reported: call it before computing anything only for the report. */
static inline bool debug_wants(const struct ras_debug *debug, enum ras_debug_topic topic)
{
    return debug && debug->topics >> topic & 1;
}

/* One line of a topic, without its newline; ignored where debug is NULL or does not include the
 * topic. */
void debug_write(const struct ras_debug *debug, enum ras_debug_topic topic, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif
