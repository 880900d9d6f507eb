/* range.c - --from, --to and their axis, as bounds of a trace. */
#include "cli/range.h"
#include "cli/say.h"
#include "cli/times.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const axis_words[] = {"seq", "time", "tick", NULL};

static enum ras_axis pick_axis(const struct range *o, const struct ras_format_about *f)
{
    static const enum ras_axis axes[] = {RAS_AXIS_SEQ, RAS_AXIS_TIME, RAS_AXIS_TICK};
    for (size_t i = 0; o->axis && axis_words[i]; i++)
        if (!strcmp(o->axis, axis_words[i]))
            return axes[i];
    bool timed = (o->from && time_like(o->from)) || (o->to && time_like(o->to));
    return timed || o->media_seconds ? RAS_AXIS_TIME : f->axis;
}

static int parse_bound(struct ras_trace *t, enum ras_axis axis, const char *text, uint64_t *bound)
{
    struct ras_error err;
    if (axis == RAS_AXIS_TIME)
        return time_parse(t, text, bound, &err) ? 0 : trouble("%s", err.text);
    char *end;
    errno = 0;
    *bound = strtoull(text, &end, 10);
    if (errno || *end || !isdigit((unsigned char)*text))
        return trouble("'%s' is no tick or sequence number", text);
    return 0;
}

static int media_bound(const struct range *o, struct ras_trace *t, struct ras_scan *scan)
{
    struct ras_error err;
    char *end;
    double seconds = strtod(o->media_seconds, &end);
    if (end == o->media_seconds || *end || !(seconds >= 0))
        return trouble("'%s' is no number of seconds", o->media_seconds);
    if (ras_media_time(t, seconds, &scan->from, &err) < 0)
        return trouble("--at-media-seconds: %s", err.text);
    return 0;
}

int range_find(const struct range *o, struct ras_trace *t, struct ras_scan *scan)
{
    const struct ras_format_about *f = ras_format_of(t);
    if (!o->from && !o->to && !o->media_seconds)
        return 0;
    enum ras_axis axis = pick_axis(o, f);
    if (axis != RAS_AXIS_SEQ && !(f->axes >> axis & 1))
        return trouble("%s has no %s axis", f->name, axis == RAS_AXIS_TIME ? "time" : "tick");
    scan->axis = axis;
    scan->to = RAS_NONE;
    int status = 0;
    if (o->media_seconds)
        status = media_bound(o, t, scan);
    if (!status && o->from)
        status = parse_bound(t, axis, o->from, &scan->from);
    if (!status && o->to)
        status = parse_bound(t, axis, o->to, &scan->to);
    if (!status && scan->from > scan->to)
        status = trouble("the range ends at %" PRIu64 ", before it begins at %" PRIu64, scan->to,
                         scan->from);
    return status;
}
