/* range.h - --from, --to and their axis, as several verbs take them. */
#ifndef CLI_RANGE_H
#define CLI_RANGE_H

#include "cli/command.h"

#include <stddef.h>

struct range {
    const char *axis, *from, *to, *media_seconds;
};

extern const char *const axis_words[];

/* clang-format off */
#define RANGE_ROWS(type, member)                                                                   \
    {"from", 0, OPTION_TEXT, "A", "from this tick, time or number on", NULL,                       \
     offsetof(type, member.from)},                                                                 \
    {"to", 0, OPTION_TEXT, "B", "up to, but not including", NULL, offsetof(type, member.to)},      \
    {"axis", 0, OPTION_TEXT, "AXIS", "what --from and --to count: time, tick or seq", axis_words,  \
     offsetof(type, member.axis)},                                                                 \
    {"at-media-seconds", 0, OPTION_TEXT, "S", "from this second of the recorded media on", NULL,   \
     offsetof(type, member.media_seconds)}
/* clang-format on */

/* Set the scan's axis and bounds; leaves it alone when nothing was asked. 0, or
 * EXIT_TROUBLE after saying why. */
int range_find(const char *path, const struct range *, struct ras_trace *, struct ras_scan *);
/* Whether a part of the trace was asked for. */
bool range_asked(const struct range *);
#endif
