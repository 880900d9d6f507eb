/* range.h - --from, --to and their axis, as several verbs take them. */
#ifndef CLI_RANGE_H
#define CLI_RANGE_H

#include "cli/command.h"
#include <rastrum/rundir.h>

#include <stddef.h>

struct range {
    const char *axis, *from, *to, *media_seconds;
    const char *to_option; /* what `to` is called; NULL: --to */
};

extern const char *const axis_words[];

/* clang-format off */
#define RANGE_ROWS(type, member)                                                                   \
    {"from", 0, OPTION_TEXT, "A", "start at this tick, time or number", NULL,                      \
     offsetof(type, member.from)},                                                                 \
    {"to", 0, OPTION_TEXT, "B", "end before this one", NULL, offsetof(type, member.to)},           \
    {"axis", 0, OPTION_TEXT, "AXIS", "unit of --from and --to: time, tick or seq", axis_words,     \
     offsetof(type, member.axis)},                                                                 \
    {"at-media-seconds", 0, OPTION_TEXT, "S", "start at this second of the recorded media", NULL,  \
     offsetof(type, member.media_seconds)}
/* clang-format on */

/* --time: how places in time are written. */
extern const char *const time_words[];
#define TIME_ROW(type, member)                                                                     \
    {                                                                                              \
        "time", 0, OPTION_TEXT, "STYLE", "times in text: relative, wall or raw", time_words,       \
            offsetof(type, member)                                                                 \
    }
/* The meaning of the word of --time for this trace; `plain` if there is none. 0, or EXIT_TROUBLE
 * after saying why. */
int time_find(const char *path, const char *word, enum ras_time_style plain, struct ras_trace *,
              struct ras_time_writing *);
/* Whether a bound counts from the trace's first time. */
bool range_relative(const struct range *);

/* Set the scan's axis and bounds; unchanged if no range is given. 0, or EXIT_TROUBLE after saying
 * why. */
int range_find(const char *path, const struct range *, struct ras_trace *, struct ras_scan *);
/* The same of a run: ticks, or times on its clock, which are relative to its first one. */
int range_find_run(const char *path, const struct range *, const struct ras_rundir *,
                   struct ras_scan *);
/* Whether a range is given. */
bool range_given(const struct range *);
#endif
