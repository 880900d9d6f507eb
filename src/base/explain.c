/* explain.c - decisions reported to the caller who asked for them in ras_options. */
#include "base/explain.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MOST = 1024 };

const char *ras_debug_topic_name(enum ras_debug_topic topic)
{
    static const char *const names[RAS_DEBUG_COUNT] = {
        [RAS_DEBUG_PROBE] = "probe",
        [RAS_DEBUG_SOURCE] = "source",
        [RAS_DEBUG_INDEX] = "index",
        [RAS_DEBUG_DRIVER] = "driver",
    };
    return (unsigned)topic < RAS_DEBUG_COUNT ? names[topic] : NULL;
}

void debug_write(const struct ras_debug *debug, enum ras_debug_topic topic, const char *fmt, ...)
{
    if (!debug_wants(debug, topic))
        return;
    char line[LINE_MOST];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    debug->write(debug->user, topic, line);
}
