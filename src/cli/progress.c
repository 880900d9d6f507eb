/* progress.c - one line on standard error for work that takes a while.
 *
 * A thread draws it while the library reports no progress, so that every verb shows activity; code
 * that writes to standard error locks the line meanwhile. */
#include "cli/session.h"
#include "cli/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t line = PTHREAD_MUTEX_INITIALIZER;
static bool is_shown; /* the one progress line of the process */

static double progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void clear(void)
{
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
}

void progress_hold(void)
{
    pthread_mutex_lock(&line);
    clear();
}

void progress_release(void)
{
    pthread_mutex_unlock(&line);
}

void progress_clear(void)
{
    progress_hold();
    progress_release();
}

static void draw(const char *fmt, va_list args)
{
    is_shown = true;
    fputs("\r\033[K", stderr);
    vfprintf(stderr, fmt, args);
}

/* With the line locked. */
static void __attribute__((format(printf, 1, 2))) draw_held(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    draw(fmt, args);
    va_end(args);
}

void progress_draw(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    pthread_mutex_lock(&line);
    draw(fmt, args);
    pthread_mutex_unlock(&line);
    va_end(args);
}

/* No progress was reported lately: show the elapsed time. */
static void draw_time(struct progress *p)
{
    double t = progress_now();
    if (t - p->started < 0.5 || t - p->last < 1)
        return;
    draw_held("%s: %.0f s", p->what, t - p->started);
}

static void *keep_drawing(void *user)
{
    struct progress *p = user;
    pthread_mutex_lock(&line);
    p->ready = true;
    pthread_cond_broadcast(&p->changed);
    while (!p->stopped) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p->changed, &line, &until);
        if (!p->stopped)
            draw_time(p);
    }
    pthread_mutex_unlock(&line);
    return NULL;
}

void progress_start(struct progress *p, const struct common *common, const char *what, bool hidden)
{
    *p = (struct progress){.what = what, .started = progress_now()};
    p->wanted = isatty(STDERR_FILENO) && !common->quiet && !common->no_progress && !hidden;
    p->last = p->started - 1;
    pthread_cond_init(&p->changed, NULL);
    p->threaded = p->wanted && host_start_thread(&p->thread, keep_drawing, p) == 0;
    /* The verb may fork: not while the thread is being made, with locks that a child would keep. */
    pthread_mutex_lock(&line);
    while (p->threaded && !p->ready)
        pthread_cond_wait(&p->changed, &line);
    pthread_mutex_unlock(&line);
}

/* The remaining time as text; empty if the end is not known. */
static void progress_put_left(const struct progress *p, char *text, size_t size, double done,
                              double total)
{
    double spent = progress_now() - p->started;
    text[0] = 0;
    if (total > 0 && done > 0)
        snprintf(text, size, ", %.0f s left", total > done ? (total - done) * spent / done : 0.0);
}

bool progress_at(void *user, uint64_t done, uint64_t total)
{
    struct progress *p = user;
    if (!p->wanted)
        return true;
    double t = progress_now(), spent = t - p->started;
    if (spent < 0.5 || t - p->last < 0.1)
        return true;
    pthread_mutex_lock(&line);
    p->last = t;
    if (done < p->done) /* a session's files are not walked one after the other */
        done = p->done;
    p->done = done;
    char left[40], of[40] = "";
    progress_put_left(p, left, sizeof left, (double)done, (double)total);
    const char *unit = p->unit ? p->unit : "MB";
    const double scale = p->unit ? 1 : 1e6;
    const int digits = p->unit ? 0 : 1;
    if (total)
        snprintf(of, sizeof of, " of %.*f", digits, (double)total / scale);
    if (p->percent && total)
        draw_held("%s: %.0f%%%s", p->what, 100.0 * (double)done / (double)total, left);
    else
        draw_held("%s: %.*f%s %s, %.0f %s/s%s", p->what, digits, (double)done / scale, of, unit,
                  (double)done / spent / scale, unit, left);
    pthread_mutex_unlock(&line);
    return true;
}

void progress_stop(struct progress *p)
{
    pthread_mutex_lock(&line);
    p->stopped = true;
    pthread_cond_signal(&p->changed);
    clear();
    pthread_mutex_unlock(&line);
    if (p->threaded)
        pthread_join(p->thread, NULL);
    p->threaded = false;
    pthread_cond_destroy(&p->changed);
}
