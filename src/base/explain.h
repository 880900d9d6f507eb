/* explain.h - decisions reported to the caller who asked for them in ras_options. */
#ifndef BASE_EXPLAIN_H
#define BASE_EXPLAIN_H

#include <rastrum/rastrum.h>

/* Whether a topic is reported: ask before anything is computed only for the report. */
static inline bool debug_wants(const struct ras_debug *debug, enum ras_debug_topic topic)
{
    return debug && debug->topics >> topic & 1;
}

/* One line of a topic, without its newline; nothing where debug is NULL or leaves it out. */
void debug_write(const struct ras_debug *debug, enum ras_debug_topic topic, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif
