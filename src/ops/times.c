/* times.c - positions on the axis of time as people write them. */
#include "core/format.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 long_time;

static const struct {
    const char *name;
    uint64_t ns;
} units[] = {
    {"ns", 1},           {"us", 1000},          {"ms", 1000000}, {"s", 1000000000},
    {"m", 60000000000u}, {"h", 3600000000000u}, {"", 1},
};

static int no(struct ras_error *err, const char *text, const char *why)
{
    return fail(err, RAS_EUSAGE, RAS_NONE, "'%.80s' is no time: %s", text, why);
}

/* Digits, perhaps a fraction of at most nine digits, and a unit: exact. */
static int duration(const char *text, uint64_t *ns, struct ras_error *err)
{
    const char *p = text;
    uint64_t whole = 0, fraction = 0, scale = 1;
    if (!isdigit((unsigned char)*p))
        return no(err, text, "it begins with no digit");
    for (; isdigit((unsigned char)*p); p++)
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole))
            return no(err, text, "it does not fit 64 bits");
    if (*p == '.')
        for (p++; isdigit((unsigned char)*p); p++)
            if (scale < 1000000000u) {
                fraction = fraction * 10 + (uint64_t)(*p - '0');
                scale *= 10;
            }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].name, p) != 0)
            continue;
        uint64_t part = (uint64_t)((wide)fraction * units[i].ns / scale);
        if (__builtin_mul_overflow(whole, units[i].ns, ns) || __builtin_add_overflow(*ns, part, ns))
            return no(err, text, "it does not fit 64 bits");
        return RAS_OK;
    }
    return no(err, text, "the unit is none of ns, us, ms, s, m, h");
}

/* The first record that has a time; a pipe that has not brought it yet is waited for. */
static int find_first(struct ras_trace *t, struct ras_cursor *c, uint64_t *first,
                      struct ras_error *err)
{
    const struct ras_record *r;
    for (;;) {
        int status = ras_next(c, &r, err);
        while (status == RAS_WAIT) {
            if (!source_waits(t->source))
                return no(err, "+", "the trace has no first time yet to count from");
            status = ras_wait(t, 200, err);
            if (status == RAS_WAIT && source_interrupted(t->source))
                return no(err, "+", "the waiting for a first time was interrupted");
            if (status >= 0)
                status = ras_next(c, &r, err);
        }
        if (status < 0)
            return status;
        if (status == RAS_END)
            return no(err, "+", "the trace has no first time to count from");
        if (ras_has_time(c)) {
            *first = r->time_ns;
            return RAS_OK;
        }
    }
}

static int first_time(struct ras_trace *t, uint64_t *first, struct ras_error *err)
{
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &(struct ras_scan){.headers_only = true}, err);
    if (status == RAS_OK)
        status = find_first(t, c, first, err);
    ras_cursor_close(c);
    return status;
}

/* Z, +01:00, +0100 or +01 behind a time of day: seconds to take away. None: UTC. */
static bool zone(const char *text, int *east)
{
    int hours = 0, minutes = 0, used = 0;
    *east = 0;
    if (!*text || !strcmp(text, "Z"))
        return true;
    if ((*text != '+' && *text != '-') || !isdigit((unsigned char)text[1]) ||
        (sscanf(text + 1, "%2d%n:%2d%n", &hours, &used, &minutes, &used) < 2 &&
         sscanf(text + 1, "%2d%n%2d%n", &hours, &used, &minutes, &used) < 1))
        return false;
    *east = (*text == '-' ? -60 : 60) * (60 * hours + minutes);
    return !text[1 + used] && hours < 24 && minutes >= 0 && minutes < 60;
}

/* 2026-01-31[T12:00[:00[.5]]][Z or +01:00]. */
static int wall_time(struct ras_trace *t, const char *text, uint64_t *ns, struct ras_error *err)
{
    int64_t zero;
    struct tm tm = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!rest)
        rest = strptime(text, "%Y-%m-%dT%H:%M", &tm);
    if (!rest)
        rest = strptime(text, "%Y-%m-%d", &tm);
    if (!rest)
        return no(err, text, "write 2026-01-31T12:00:00Z");
    if (!ras_wall_clock(t, &zero))
        return no(err, text, "this trace has no wall clock");
    uint64_t fraction = 0, scale = 1000000000u;
    if (*rest == '.')
        for (rest++; isdigit((unsigned char)*rest); rest++)
            fraction += (uint64_t)(*rest - '0') * (scale /= 10);
    int east;
    if (!zone(rest, &east))
        return no(err, text, "what follows the time is neither Z nor an offset like +01:00");
    long_time since = ((long_time)timegm(&tm) - east) * 1000000000 + fraction - zero;
    if (since > UINT64_MAX)
        return no(err, text, "it does not fit 64 bits");
    *ns = since > 0 ? (uint64_t)since : 0;
    return RAS_OK;
}

int ras_time_parse(struct ras_trace *t, const char *text, uint64_t *time_ns, struct ras_error *err)
{
    if (*text != '+' && !strchr(text, '-'))
        return duration(text, time_ns, err);
    if (!t)
        return no(err, text, "only a trace tells what it means");
    if (*text != '+')
        return wall_time(t, text, time_ns, err);
    uint64_t first = 0;
    int status = duration(text + 1, time_ns, err);
    if (status == RAS_OK)
        status = first_time(t, &first, err);
    if (status < 0)
        return status;
    if (__builtin_add_overflow(first, *time_ns, time_ns))
        return no(err, text, "it does not fit 64 bits");
    return RAS_OK;
}
