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

void progress_start(struct progress *p, const struct common *common, const char *what)
{
    *p = (struct progress){.what = what, .started = now()};
    p->wanted = isatty(STDERR_FILENO) && !common->quiet && !common->no_progress;
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
    double rate = (double)done / spent;
    double left = rate > 0 && total > done ? (double)(total - done) / rate : 0;
    fprintf(stderr, "\r\033[K%s: %.1f of %.1f MB, %.0f MB/s, %.0f s left", p->what,
            (double)done / 1e6, (double)total / 1e6, rate / 1e6, left);
}

void progress_stop(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
