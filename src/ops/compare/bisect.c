/* bisect.c - where the last of several traces diverges from each of the others, in parallel. */
#include "base/error.h"
#include "base/os.h"
#include "base/struct_size.h"
#include "base/thread.h"
#include "core/format.h"
#include "ops/compare/compare_driver.h"

#include <stdatomic.h>
#include <stdlib.h>

struct work {
    const char *bad;
    const struct ras_bisect_options *options;
    struct ras_compare_options compare; /* without the caller's progress */
    struct ras_bisect *out;
    atomic_size_t next;
    struct pair_progress *pairs; /* one for each; NULL: nobody is told */
    atomic_bool canceled;
    struct os_mutex lock;
    struct os_condition changed;
    size_t finished; /* with the lock: threads that were started, and have no more to do */
};

/* How far a pair is. The caller's callback is called by the caller's thread only, with the sums;
 * other threads leave their figures here. */
struct pair_progress {
    struct work *work;
    bool own; /* compared by the caller's thread */
    _Atomic uint64_t done, total;
};

static bool report_sums(struct work *w)
{
    uint64_t done = 0, total = 0;
    for (size_t i = 0; i < w->out->pair_count; i++) {
        done += atomic_load(&w->pairs[i].done);
        total += atomic_load(&w->pairs[i].total);
    }
    if (!atomic_load(&w->canceled) && !w->options->progress(w->options->user, done, total))
        atomic_store(&w->canceled, true);
    return !atomic_load(&w->canceled);
}

static bool pair_progress(void *user, uint64_t done, uint64_t total)
{
    struct pair_progress *p = user;
    atomic_store(&p->total, total);
    atomic_store(&p->done, done);
    return p->own ? report_sums(p->work) : !atomic_load(&p->work->canceled);
}

static void keep_endings(struct ras_bisect_pair *pair, struct ras_trace *const *sides)
{
    for (int i = 0; i < 2; i++) {
        struct ras_ending *e = &pair->diff->endings[i];
        snprintf(pair->why[i], sizeof pair->why[i], "%.199s", e->why ? e->why : "");
        snprintf(pair->part[i], sizeof pair->part[i], "%.127s", ras_part_name(sides[i], e->part));
        e->why = pair->why[i];
    }
}

static void compare_pair(struct work *w, struct ras_bisect_pair *pair, bool own)
{
    struct ras_compare_options how = w->compare;
    struct ras_trace *sides[2] = {NULL, NULL};
    struct pair_progress *progress = w->pairs ? &w->pairs[pair - w->out->pairs] : NULL;
    how.progress = progress ? pair_progress : NULL;
    how.user = progress;
    if (progress)
        progress->own = own;
    const char *const paths[2] = {pair->path, w->bad};
    pair->status = RAS_OK;
    for (int i = 0; i < 2 && pair->status == RAS_OK; i++) {
        pair->status = ras_open(&sides[i], paths[i], w->options->open, &pair->err);
        pair->failed = i;
    }
    if (pair->status == RAS_OK) {
        pair->failed = 2;
        pair->status = ras_diff(&pair->diff, sides[0], sides[1], &how, &pair->err);
    }
    if (progress)
        atomic_store(&progress->done, atomic_load(&progress->total));
    if (pair->diff)
        keep_endings(pair, sides);
    ras_close(sides[0]);
    ras_close(sides[1]);
}

static void work_on(struct work *w, bool own)
{
    size_t i;
    while (!atomic_load(&w->canceled) && (i = atomic_fetch_add(&w->next, 1)) < w->out->pair_count)
        compare_pair(w, &w->out->pairs[i], own);
}

static void *help(void *user)
{
    struct work *w = user;
    work_on(w, false);
    mutex_lock(&w->lock);
    w->finished++;
    condition_notify_all(&w->changed);
    mutex_unlock(&w->lock);
    return NULL;
}

/* This thread works, too: where no other can be started it does everything. */
static void work_together(struct work *w)
{
    enum { MOST = 64, WAIT_MS = 100 };
    struct os_thread threads[MOST];
    size_t started = 0;
    size_t jobs = w->options->jobs ? w->options->jobs : os_processors();
    if (jobs > w->out->pair_count)
        jobs = w->out->pair_count;
    while (started + 1 < jobs && started < MOST && thread_start(&threads[started], help, w))
        started++;
    work_on(w, true);
    mutex_lock(&w->lock);
    while (w->pairs && w->finished < started && report_sums(w))
        condition_wait_ms(&w->changed, &w->lock, WAIT_MS);
    mutex_unlock(&w->lock);
    while (started)
        thread_join(&threads[--started]);
}

static const struct ras_value *place_of(const struct ras_bisect_pair *pair)
{
    return pair->diff && pair->diff->divergence_count ? &pair->diff->divergences[0].at[0].value
                                                      : NULL;
}

static bool is_later(const struct ras_value *a, const struct ras_value *b)
{
    bool a_wide = a->kind == RAS_UINT && a->u > INT64_MAX;
    bool b_wide = b->kind == RAS_UINT && b->u > INT64_MAX;
    if (a_wide || b_wide)
        return a_wide && (!b_wide || a->u > b->u);
    return a->i > b->i;
}

/* The good trace that agrees with the bad one for longest; one without a divergence agrees to the
 * end. */
static size_t nearest(const struct ras_bisect *b)
{
    size_t best = b->pair_count;
    for (size_t i = 0; i < b->pair_count; i++) {
        const struct ras_value *place = place_of(&b->pairs[i]);
        if (!place && b->pairs[i].diff)
            return b->pair_count;
        if (place && (best == b->pair_count || is_later(place, place_of(&b->pairs[best]))))
            best = i;
    }
    return best;
}

int ras_bisect(struct ras_bisect **out, const char *const *paths, size_t count,
               const struct ras_bisect_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_bisect_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    if (count < 2)
        return fail(err, RAS_EUSAGE, RAS_NONE, "two traces or more are compared, not %zu", count);
    struct ras_bisect *b = calloc(1, sizeof *b);
    struct ras_bisect_pair *pairs = calloc(count - 1, sizeof *pairs);
    if (!b || !pairs) {
        free(b);
        free(pairs);
        return fail_memory(err);
    }
    b->pairs = pairs;
    b->pair_count = count - 1;
    for (size_t i = 0; i + 1 < count; i++)
        pairs[i].path = paths[i];
    struct work w = {.bad = paths[count - 1], .options = options, .out = b};
    int status = OPTIONS(&w.compare, options->compare, err) ? RAS_OK : RAS_EUSAGE;
    if (status == RAS_OK && options->progress) {
        w.pairs = calloc(b->pair_count, sizeof *w.pairs);
        status = w.pairs ? RAS_OK : fail_memory(err);
        for (size_t i = 0; w.pairs && i < b->pair_count; i++)
            w.pairs[i].work = &w;
    }
    bool locked = mutex_init(&w.lock), notified = condition_init(&w.changed);
    if (status == RAS_OK && !(locked && notified))
        status = fail_memory(err);
    if (status == RAS_OK)
        work_together(&w);
    if (notified)
        condition_free(&w.changed);
    if (locked)
        mutex_free(&w.lock);
    free(w.pairs);
    if (atomic_load(&w.canceled))
        status = fail_canceled(err);
    if (status < 0) {
        ras_bisect_free(b);
        return status;
    }
    b->nearest = nearest(b);
    *out = b;
    return RAS_OK;
}

void ras_bisect_free(struct ras_bisect *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->pair_count; i++)
        ras_diff_free(b->pairs[i].diff);
    free(b->pairs);
    free(b);
}

static int64_t clamped(bool over, int64_t value, int64_t instead)
{
    return over ? instead : value;
}

bool ras_bisect_window(const struct ras_divergence *d, uint64_t before, uint64_t after,
                       int64_t *first, int64_t *last)
{
    const struct ras_value *at = &d->at[0].value;
    if ((at->kind != RAS_INT && at->kind != RAS_UINT) ||
        (at->kind == RAS_UINT && at->u > INT64_MAX))
        return false;
    bool over = __builtin_sub_overflow(at->i, before, first);
    *first = clamped(over, *first, INT64_MIN);
    over = __builtin_add_overflow(at->i, after, last);
    *last = clamped(over, *last, INT64_MAX);
    return true;
}
