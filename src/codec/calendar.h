/* calendar.h - dates and times of day, UTC, and seconds since 1970. */
#ifndef CODEC_CALENDAR_H
#define CODEC_CALENDAR_H

#include <stddef.h>
#include <stdint.h>

struct calendar {
    int64_t year;
    unsigned month, day; /* from 1 on */
    unsigned hour, minute, second;
};

/* The date must exist. */
int64_t calendar_seconds(const struct calendar *);
struct calendar calendar_of(int64_t seconds);
/* 2026-01-31, 2026-01-31T12:00 or 2026-01-31T12:00:00; returns its end. NULL: not a date. */
const char *calendar_parse(const char *text, struct calendar *);
/* 2026-01-31T12:00:00; returns its length. */
size_t calendar_write(char *text, size_t room, int64_t seconds);
#endif
