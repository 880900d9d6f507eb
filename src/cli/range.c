/* range.c - --from, --to and their axis, as bounds of a trace. */
#include "cli/range.h"
#include "cli/session.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const axis_words[] = {"seq", "time", "tick", NULL};

const char *const time_words[] = {"raw", "relative", "wall", NULL};

int time_find(const char *path, const char *word, enum ras_time_style plain, struct ras_trace *t,
              struct ras_time_writing *out)
{
    static const enum ras_time_style styles[] = {RAS_TIME_RAW, RAS_TIME_RELATIVE, RAS_TIME_WALL};
    enum ras_time_style style = plain;
    const struct ras_format_about *f = ras_format_of(t);
    struct ras_error err;
    for (size_t i = 0; word && time_words[i]; i++)
        if (!strcmp(word, time_words[i]))
            style = styles[i];
    *out = (struct ras_time_writing){.style = RAS_TIME_RAW};
    if (!(f->axes >> RAS_AXIS_TIME & 1))
        return word ? trouble("%s: --time: %s has no time axis", shown_path(path), f->name) : 0;
    if (ras_time_writing(t, style, out, &err) == RAS_OK)
        return 0;
    return interrupted() ? EXIT_TROUBLE
                         : trouble("%s: --time: %s", shown_path(path), text_of(&err));
}

/* Whether the text can only be a time: it has a unit, a plus or a date. */
static bool time_like(const char *text)
{
    if (!isdigit((unsigned char)*text) && *text != '+')
        return false;
    uint64_t number;
    return number_parse(text, &number) == NUMBER_NONE;
}

static enum ras_axis pick_axis(const struct range *o, const struct ras_format_about *f)
{
    static const enum ras_axis axes[] = {RAS_AXIS_SEQ, RAS_AXIS_TIME, RAS_AXIS_TICK};
    for (size_t i = 0; o->axis && axis_words[i]; i++)
        if (!strcmp(o->axis, axis_words[i]))
            return axes[i];
    bool timed = (o->from && time_like(o->from)) || (o->to && time_like(o->to));
    return timed || o->media_seconds ? RAS_AXIS_TIME : f->axis;
}

/* The trace and the option of an invalid bound. */
static int parse_bound(const char *path, struct ras_trace *t, enum ras_axis axis,
                       const char *option, const char *text, uint64_t *bound)
{
    struct ras_error err;
    if (axis == RAS_AXIS_TIME) {
        if (ras_time_parse(t, text, bound, &err) == RAS_OK)
            return 0;
        return interrupted() ? EXIT_TROUBLE
                             : trouble("%s: %s: %s", shown_path(path), option, text_of(&err));
    }
    const char *what = axis == RAS_AXIS_TICK ? "tick" : "sequence number";
    switch (number_parse(text, bound)) {
    case NUMBER_FINE:
        return 0;
    case NUMBER_TOO_LARGE:
        return trouble("%s: %s: %s is too large for a %s; the largest is %" PRIu64,
                       shown_path(path), option, text, what, UINT64_MAX);
    default:
        return trouble("%s: %s: '%s' is not a valid %s", shown_path(path), option, text, what);
    }
}

static int media_bound(const char *path, const struct range *o, struct ras_trace *t,
                       struct ras_scan *scan)
{
    struct ras_error err;
    char *end;
    double seconds = strtod(o->media_seconds, &end);
    if (end == o->media_seconds || *end || !(seconds >= 0))
        return trouble("'%s' is not a valid number of seconds", o->media_seconds);
    if (ras_clock_time(t, "media", seconds, &scan->from, &err) < 0)
        return trouble("%s: --at-media-seconds: %s", shown_path(path), text_of(&err));
    return 0;
}

bool range_given(const struct range *o)
{
    return o->from || o->to || o->media_seconds;
}

bool range_relative(const struct range *o)
{
    return (o->from && *o->from == '+') || (o->to && *o->to == '+');
}

static int range_ordered(const char *path, const struct ras_scan *scan)
{
    if (scan->from <= scan->to)
        return 0;
    return trouble("%s: the range ends at %" PRIu64 ", before it begins at %" PRIu64,
                   shown_path(path), scan->to, scan->from);
}

int range_find(const char *path, const struct range *o, struct ras_trace *t, struct ras_scan *scan)
{
    const struct ras_format_about *f = ras_format_of(t);
    if (!range_given(o) && !o->axis)
        return 0;
    enum ras_axis axis = pick_axis(o, f);
    if (o->media_seconds && o->from)
        return trouble("--from and --at-media-seconds cannot be combined");
    if (o->media_seconds && axis != RAS_AXIS_TIME)
        return trouble("--at-media-seconds needs the time axis, but --axis is %s", o->axis);
    if (axis != RAS_AXIS_SEQ && !(f->axes >> axis & 1))
        return trouble("%s: %s has no %s axis; --axis takes%s%s seq here", shown_path(path),
                       f->name, axis == RAS_AXIS_TIME ? "time" : "tick",
                       f->axes >> RAS_AXIS_TIME & 1 ? " time" : "",
                       f->axes >> RAS_AXIS_TICK & 1 ? " tick" : "");
    if (!range_given(o))
        return 0;
    scan->axis = axis;
    scan->to = RAS_NONE;
    int status = 0;
    if (o->media_seconds)
        status = media_bound(path, o, t, scan);
    if (!status && o->from)
        status = parse_bound(path, t, axis, "--from", o->from, &scan->from);
    if (!status && o->to)
        status = parse_bound(path, t, axis, o->to_option ? o->to_option : "--to", o->to, &scan->to);
    return status ? status : range_ordered(path, scan);
}

/* ---- of a run ------------------------------------------------------------------------------- */

/* A time relative to the first one of the run: that of the trace which begins first. */
static int parse_run_time(const char *path, const struct ras_rundir *run, const char *option,
                          const char *text, uint64_t *bound)
{
    struct ras_error err, first_err = {.status = RAS_OK};
    uint64_t found;
    *bound = RAS_NONE;
    for (size_t i = 0; i < run->pen_count; i++) {
        struct ras_trace *t = run->pens[i].trace;
        if (!t || ras_format_of(t)->axes >> RAS_AXIS_TICK & 1) /* not on the clock of the run */
            continue;
        if (ras_time_parse(t, text, &found, &err) == RAS_OK)
            *bound = found < *bound ? found : *bound;
        else if (first_err.status == RAS_OK)
            first_err = err;
    }
    if (*bound != RAS_NONE)
        return 0;
    if (first_err.status == RAS_OK && ras_time_parse(NULL, text, bound, &first_err) == RAS_OK)
        return 0;
    return interrupted() ? EXIT_TROUBLE
                         : trouble("%s: %s: %s", shown_path(path), option, text_of(&first_err));
}

static int parse_run_bound(const char *path, const struct ras_rundir *run, enum ras_axis axis,
                           const char *option, const char *text, uint64_t *bound)
{
    if (axis == RAS_AXIS_TIME)
        return parse_run_time(path, run, option, text, bound);
    return parse_bound(path, NULL, axis, option, text, bound);
}

int range_find_run(const char *path, const struct range *o, const struct ras_rundir *run,
                   struct ras_scan *scan)
{
    const struct ras_format_about of_run = {.axis = RAS_AXIS_TICK};
    enum ras_axis axis = pick_axis(o, &of_run);
    if (axis == RAS_AXIS_SEQ)
        return trouble("%s is a run directory: --axis takes tick or time; records are numbered in "
                       "each of its traces",
                       shown_path(path));
    if (!range_given(o))
        return 0;
    scan->axis = axis;
    scan->to = RAS_NONE;
    int status = 0;
    if (o->from)
        status = parse_run_bound(path, run, axis, "--from", o->from, &scan->from);
    if (!status && o->to)
        status = parse_run_bound(path, run, axis, o->to_option ? o->to_option : "--to", o->to,
                                 &scan->to);
    return status ? status : range_ordered(path, scan);
}
