/* calendar.c - dates and times of day, UTC, and seconds since 1970.
 *
 * A year begins in March here, so that the day that not every year has is its last one. */
#include "codec/calendar.h"

#include <stdbool.h>
#include <stdio.h>

enum { DAYS_400 = 146097, DAYS_TO_1970 = 719468 }; /* from the March of year 0 on */

/* Days of a year before each month from March on. */
static const uint16_t days_before[12] = {0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337};

static int64_t floor_of(int64_t n, int64_t by)
{
    return n / by - (n % by < 0);
}

/* The first day of a year. */
static int64_t first_day(int64_t year)
{
    return year * 365 + floor_of(year, 4) - floor_of(year, 100) + floor_of(year, 400);
}

static unsigned days_in(int64_t year, unsigned month)
{
    if (month == 2)
        return (unsigned)(first_day(year) - first_day(year - 1)) - days_before[11];
    unsigned i = month < 3 ? month + 9 : month - 3;
    return (unsigned)(days_before[i + 1] - days_before[i]);
}

int64_t calendar_seconds(const struct calendar *c)
{
    bool early = c->month < 3; /* it belongs to the year before */
    int64_t days = first_day(c->year - early) + days_before[early ? c->month + 9 : c->month - 3] +
                   c->day - 1 - DAYS_TO_1970;
    return days * 86400 + c->hour * 3600 + c->minute * 60 + c->second;
}

struct calendar calendar_of(int64_t seconds)
{
    int64_t days = floor_of(seconds, 86400);
    unsigned rest = (unsigned)(seconds - days * 86400), month = 11;
    days += DAYS_TO_1970;
    int64_t year = floor_of(days * 400, DAYS_400); /* or one of its neighbours */
    while (first_day(year) > days)
        year--;
    while (first_day(year + 1) <= days)
        year++;
    unsigned day = (unsigned)(days - first_day(year));
    while (days_before[month] > day)
        month--;
    return (struct calendar){.year = year + (month >= 10),
                             .month = month < 10 ? month + 3 : month - 9,
                             .day = day - days_before[month] + 1,
                             .hour = rest / 3600,
                             .minute = rest / 60 % 60,
                             .second = rest % 60};
}

/* Up to `most` digits; NULL: no digit, or the number is too large. */
static const char *parse_number(const char *text, int most, unsigned largest, unsigned *to)
{
    *to = 0;
    const char *p = text;
    for (; p - text < most && *p >= '0' && *p <= '9'; p++)
        *to = *to * 10 + (unsigned)(*p - '0');
    return p == text || *to > largest ? NULL : p;
}

/* T12:00[:00], if it is there. */
static const char *time_of_day(const char *text, struct calendar *c)
{
    unsigned hour, minute, second;
    const char *p = *text == 'T' ? parse_number(text + 1, 2, 23, &hour) : NULL;
    p = p && *p == ':' ? parse_number(p + 1, 2, 59, &minute) : NULL;
    if (!p)
        return text;
    c->hour = hour;
    c->minute = minute;
    const char *end =
        *p == ':' ? parse_number(p + 1, 2, 60, &second) : NULL; /* 60: a leap second */
    if (!end)
        return p;
    c->second = second;
    return end;
}

const char *calendar_parse(const char *text, struct calendar *c)
{
    unsigned year;
    *c = (struct calendar){.month = 1};
    const char *p = parse_number(text, 4, 9999, &year);
    c->year = year;
    p = p && *p == '-' ? parse_number(p + 1, 2, 12, &c->month) : NULL;
    p = p && *p == '-' ? parse_number(p + 1, 2, 31, &c->day) : NULL;
    if (!p || !c->month || !c->day || c->day > days_in(c->year, c->month))
        return NULL;
    return time_of_day(p, c);
}

size_t calendar_write(char *text, size_t room, int64_t seconds)
{
    struct calendar c = calendar_of(seconds);
    int len = snprintf(text, room, "%04lld-%02u-%02uT%02u:%02u:%02u", (long long)c.year, c.month,
                       c.day, c.hour, c.minute, c.second);
    return len < 0 ? 0 : (size_t)len < room ? (size_t)len : room - 1;
}
