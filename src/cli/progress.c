/* progress.c - one line on standard error for work that takes a while. */
#include "cli/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static bool is_shown; /* a progress line, by whichever verb */

void progress_draw(const char *fmt, ...)
{
    va_list args;
    is_shown = true;
    va_start(args, fmt);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, fmt, args);
    va_end(args);
}

void progress_clear(void)
{
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_start(struct progress *p, const struct common *common, const char *what, bool hidden)
{
    *p = (struct progress){.what = what, .started = now()};
    p->wanted = isatty(STDERR_FILENO) && !common->quiet && !common->no_progress && !hidden;
    p->last = p->started;
}

void progress_at(void *user, uint64_t done, uint64_t total)
{
    struct progress *p = user;
    if (!p->wanted)
        return;
    double t = now(), spent = t - p->started;
    if (spent < 0.5 || t - p->last < 0.1)
        return;
    p->last = t;
    if (done < p->done) /* a session's files are not walked one after the other */
        done = p->done;
    p->done = done;
    double rate = (double)done / spent;
    double left = rate > 0 && total > done ? (double)(total - done) / rate : 0;
    const char *unit = p->unit ? p->unit : "MB";
    const double scale = p->unit ? 1 : 1e6;
    const int digits = p->unit ? 0 : 1;
    char of[40] = "", rest[40] = "";
    if (total) {
        snprintf(of, sizeof of, " of %.*f", digits, (double)total / scale);
        snprintf(rest, sizeof rest, ", %.0f s left", left);
    }
    progress_draw("%s: %.*f%s %s, %.0f %s/s%s", p->what, digits, (double)done / scale, of, unit,
                  rate / scale, unit, rest);
}

void progress_stop(struct progress *p)
{
    (void)p;
    progress_clear();
}
