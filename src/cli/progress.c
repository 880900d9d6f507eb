/* progress.c - one line on standard error for work that takes a while. */
#include "cli/session.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

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
    p->shown = true;
    if (done < p->done) /* a session's files are not walked one after the other */
        done = p->done;
    p->done = done;
    double rate = (double)done / spent;
    double left = rate > 0 && total > done ? (double)(total - done) / rate : 0;
    const char *unit = p->unit ? p->unit : "MB";
    const double scale = p->unit ? 1 : 1e6;
    const int digits = p->unit ? 0 : 1;
    fprintf(stderr, "\r\033[K%s: %.*f", p->what, digits, (double)done / scale);
    if (total)
        fprintf(stderr, " of %.*f", digits, (double)total / scale);
    fprintf(stderr, " %s, %.0f %s/s", unit, rate / scale, unit);
    if (total)
        fprintf(stderr, ", %.0f s left", left);
}

void progress_stop(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
