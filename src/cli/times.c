/* times.c - positions on an axis as people write them. */
#include "cli/times.h"
#include "cli/session.h"

#include <ctype.h>
#include <stdio.h>
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

static bool no(struct ras_error *err, const char *text, const char *why)
{
    *err = (struct ras_error){.status = RAS_EUSAGE, .offset = RAS_NONE};
    snprintf(err->text, sizeof err->text, "'%.80s' is no time: %s", text, why);
    return false;
}

bool time_like(const char *text)
{
    if (!isdigit((unsigned char)*text) && *text != '+')
        return false;
    for (const char *p = text; *p; p++)
        if (!isdigit((unsigned char)*p))
            return true;
    return false;
}

/* Digits, perhaps a fraction of at most nine digits, and a unit: exact. */
bool duration_parse(const char *text, uint64_t *ns, struct ras_error *err)
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
        return true;
    }
    return no(err, text, "the unit is none of ns, us, ms, s, m, h");
}

static bool first_time(struct ras_trace *t, uint64_t *first, struct ras_error *err)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    if (ras_cursor_open(&c, t, &(struct ras_scan){.headers_only = true}, err) < 0)
        return false;
    int status;
    do {
        status = ras_next(c, &r, err);
        while (status == RAS_WAIT && !interrupted()) /* a pipe that has not brought it yet */
            status = ras_wait(t, 200, err) < 0 ? RAS_EIO : ras_next(c, &r, err);
    } while (status == RAS_OK && !(r->flags & RAS_HAS_TIME));
    if (status == RAS_OK)
        *first = r->time_ns;
    ras_cursor_close(c);
    return status == RAS_OK || no(err, "+", "the trace has no first time to count from");
}

/* 2026-01-31T12:00:00[.5][Z]: taken as UTC. */
static bool wall_time(struct ras_trace *t, const char *text, uint64_t *ns, struct ras_error *err)
{
    int64_t zero;
    struct tm tm = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
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
    if (*rest && strcmp(rest, "Z") != 0 && strcmp(rest, "+00:00") != 0)
        return no(err, text, "only UTC (Z) is understood");
    long_time since = (long_time)timegm(&tm) * 1000000000 + fraction - zero;
    if (since > UINT64_MAX)
        return no(err, text, "it does not fit 64 bits");
    *ns = since > 0 ? (uint64_t)since : 0;
    return true;
}

bool time_parse(struct ras_trace *t, const char *text, uint64_t *time_ns, struct ras_error *err)
{
    if (*text == '+') {
        uint64_t first;
        if (!duration_parse(text + 1, time_ns, err) || !first_time(t, &first, err))
            return false;
        return !__builtin_add_overflow(first, *time_ns, time_ns) ||
               no(err, text, "it does not fit 64 bits");
    }
    return strchr(text, '-') ? wall_time(t, text, time_ns, err)
                             : duration_parse(text, time_ns, err);
}
