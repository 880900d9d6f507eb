/* times.c - positions on the time axis as people write and read them. */
#include "codec/calendar.h"
#include "core/format.h"

#include <ctype.h>
#include <string.h>

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
    return fail(err, RAS_EUSAGE, RAS_NONE, "'%.80s' is not a valid time: %s", text, why);
}

/* Digits, optionally a fraction of at most nine digits, and a unit: exact. */
static int duration(const char *text, uint64_t *ns, struct ras_error *err)
{
    const char *p = text;
    uint64_t whole = 0, fraction = 0, scale = 1;
    if (!isdigit((unsigned char)*p))
        return no(err, text, "it does not begin with a digit");
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
    return no(err, text, "the unit is not one of ns, us, ms, s, m, h");
}

/* ---- the first time --------------------------------------------------------------- */

/* The next record; waits for records that have not arrived yet. */
static int next_arrived(struct ras_trace *t, struct ras_cursor *c, const struct ras_record **r,
                        struct ras_error *err)
{
    int status = ras_next(c, r, err);
    while (status == RAS_WAIT) {
        if (!source_waits(t->source))
            return no(err, "+", "the trace has no first time yet to count from");
        status = ras_wait(t, 200, err);
        if (status == RAS_WAIT && source_interrupted(t->source))
            return no(err, "+", "interrupted while waiting for a first time");
        if (status >= 0)
            status = ras_next(c, r, err);
    }
    return status;
}

/* Records need not be in the order of time, so all of them are read; a growing trace may never end,
 * and begins with its first record. */
static int find_first(struct ras_trace *t, struct ras_cursor *c, struct ras_error *err)
{
    const struct ras_record *r;
    bool arriving = source_arriving(t->source), found = false;
    uint64_t first = 0;
    int status;
    while ((status = next_arrived(t, c, &r, err)) == RAS_OK) {
        if (!ras_has_time(c) || (found && r->time_ns >= first))
            continue;
        first = r->time_ns;
        found = true;
        if (arriving)
            break;
    }
    if (status < 0 || !found)
        return status;
    t->first_known = true;
    t->first_ns = first;
    return RAS_OK;
}

int ras_first_time(struct ras_trace *t, uint64_t *time_ns, struct ras_error *err)
{
    struct ras_cursor *c = NULL;
    int status = RAS_OK;
    *time_ns = 0;
    if (!t->first_known) {
        status = ras_cursor_open(&c, t, &(struct ras_scan){.headers_only = true}, err);
        if (status == RAS_OK)
            status = find_first(t, c, err);
        ras_cursor_close(c);
    }
    if (status == RAS_OK)
        *time_ns = t->first_ns;
    return status;
}

/* Z, +01:00, +0100 or +01 after a time of day: seconds to subtract. None: UTC. */
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
    struct calendar date;
    const char *rest = calendar_parse(text, &date);
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
        return no(err, text, "the time is followed by neither Z nor an offset like +01:00");
    long_time since = ((long_time)calendar_seconds(&date) - east) * 1000000000 + fraction - zero;
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
        return no(err, text, "its value depends on the trace");
    if (*text != '+')
        return wall_time(t, text, time_ns, err);
    uint64_t first = 0;
    int status = duration(text + 1, time_ns, err);
    if (status == RAS_OK)
        status = ras_first_time(t, &first, err);
    if (status == RAS_END)
        return no(err, "+", "the trace has no first time to count from");
    if (status < 0)
        return status;
    if (__builtin_add_overflow(first, *time_ns, time_ns))
        return no(err, text, "it does not fit 64 bits");
    return RAS_OK;
}

/* ---- writing ---------------------------------------------------------------------- */

int ras_time_writing(struct ras_trace *t, enum ras_time_style style, struct ras_time_writing *out,
                     struct ras_error *err)
{
    *out = (struct ras_time_writing){.style = style};
    if (style == RAS_TIME_WALL && !ras_wall_clock(t, &out->wall_ns))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "this trace has no wall clock");
    int status = style == RAS_TIME_RELATIVE ? ras_first_time(t, &out->first_ns, err) : RAS_OK;
    return status < 0 ? status : RAS_OK;
}

/* Seconds with nine decimals: exact, and easier to read than nanoseconds. */
static size_t seconds(char *text, char sign, uint64_t ns)
{
    char digits[32], *p = digits + sizeof digits, *from = text;
    *--p = 's';
    for (int i = 0; i < 9 || ns; i++, ns /= 10) {
        if (i == 9)
            *--p = '.';
        *--p = (char)('0' + ns % 10);
    }
    if (digits + sizeof digits - p == 10) { /* nine decimals and the unit */
        *--p = '.';
        *--p = '0';
    }
    if (sign)
        *text++ = sign;
    memcpy(text, p, (size_t)(digits + sizeof digits - p));
    text += digits + sizeof digits - p;
    *text = 0;
    return (size_t)(text - from);
}

/* False: the year does not have four digits. */
static bool wall(char *text, long_time unix_ns, size_t *len)
{
    const long_time second = 1000000000;
    if (unix_ns < 0 || unix_ns / second > 253402300799)
        return false;
    *len = calendar_write(text, RAS_TIME_ROOM, (int64_t)(unix_ns / second));
    *len +=
        (size_t)snprintf(text + *len, RAS_TIME_ROOM - *len, ".%09uZ", (unsigned)(unix_ns % second));
    return true;
}

size_t ras_time_write(char *text, const struct ras_time_writing *how, uint64_t time_ns)
{
    size_t len;
    if (how->style == RAS_TIME_WALL && wall(text, (long_time)how->wall_ns + time_ns, &len))
        return len;
    if (how->style != RAS_TIME_RELATIVE)
        return seconds(text, 0, time_ns);
    bool before = time_ns < how->first_ns;
    return seconds(text, before ? '-' : '+',
                   before ? how->first_ns - time_ns : time_ns - how->first_ns);
}
