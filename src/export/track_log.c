/* track_log.c - the events of every track by itself, for targets that store one after the other. */
#include "export/track_log.h"
#include "base/sort.h"

#include <stdlib.h>

enum { LOG_HEAD = 12 };
#define LOG_BUFFERED ((size_t)32 << 20)

void track_log_track(struct track_log *l, struct timeline *t, uint32_t track)
{
    if (!array_grow(&l->tracks, &l->room, track + 1u, sizeof *l->tracks)) {
        timeline_nomem(t);
        return;
    }
    while (l->count <= track)
        l->tracks[l->count++] = (struct log_track){0};
}

/* All that is in memory goes to the spool, each track as one chunk. */
static void log_spool(struct track_log *l, struct timeline *t)
{
    for (size_t i = 0; i < l->count; i++) {
        struct log_track *k = &l->tracks[i];
        if (!k->bytes.len)
            continue;
        if (!array_grow(&k->chunks, &k->chunk_room, k->chunk_count + 1, sizeof *k->chunks)) {
            timeline_nomem(t);
            return;
        }
        k->chunks[k->chunk_count++] = (struct log_chunk){l->spool.len, k->bytes.len};
        struct ras_error err = {0};
        if (t->sink_err.status >= 0 && spool_append(&l->spool, k->bytes.at, k->bytes.len, &err) < 0)
            t->sink_err = err;
        out_free(&k->bytes);
        k->bytes = (struct out){0};
    }
    l->buffered = 0;
}

void track_log_add(struct track_log *l, struct timeline *t, uint32_t track, uint64_t time_ns)
{
    struct log_track *k = &l->tracks[track];
    uint8_t head[LOG_HEAD];
    store_u32(store_u64(head, time_ns), (uint32_t)l->scratch.len);
    out_bytes(&k->bytes, head, sizeof head);
    out_bytes(&k->bytes, l->scratch.at, l->scratch.len);
    if (k->bytes.failed || l->scratch.failed)
        timeline_nomem(t);
    l->buffered += sizeof head + l->scratch.len;
    l->scratch.len = 0;
    k->unordered |= k->count && time_ns < k->last_ns;
    k->last_ns = time_ns;
    k->count++;
    if (l->buffered > LOG_BUFFERED)
        log_spool(l, t);
}

void track_log_free(struct track_log *l)
{
    for (size_t i = 0; i < l->count; i++) {
        out_free(&l->tracks[i].bytes);
        free(l->tracks[i].chunks);
    }
    free(l->tracks);
    spool_free(&l->spool);
    out_free(&l->scratch);
}

/* ---- reading ----------------------------------------------------------------------------- */

static void log_rewind(struct log_walk *w)
{
    w->chunk = w->at = 0;
    w->next = w->end = NULL;
}

/* The bytes after those that were read: the chunks of the spool, then what is in memory. */
static bool log_refill(struct log_walk *w)
{
    const struct log_track *k = w->track;
    if (w->chunk < k->chunk_count) {
        w->next = w->log->spool.at + k->chunks[w->chunk].at;
        w->end = w->next + k->chunks[w->chunk].len;
    } else if (w->chunk == k->chunk_count && k->bytes.len) {
        w->next = k->bytes.at;
        w->end = w->next + k->bytes.len;
    } else {
        return false;
    }
    w->chunk++;
    return true;
}

static const struct log_entry *log_step(struct log_walk *w)
{
    if (w->at == w->count || (w->next == w->end && !log_refill(w)))
        return NULL;
    w->entry = (struct log_entry){
        .time_ns = load_u64(w->next), .at = w->next + LOG_HEAD, .len = load_u32(w->next + 8)};
    w->next += LOG_HEAD + w->entry.len;
    w->at++;
    return &w->entry;
}

const struct log_entry *log_walk_next(struct log_walk *w)
{
    const struct log_entry *e;
    if (w->sorted)
        e = w->at < w->count ? &w->sorted[w->at++] : NULL;
    else
        e = log_step(w);
    if (!e)
        log_rewind(w);
    return e;
}

static int by_log_time(const void *a, const void *b, void *context)
{
    const struct log_entry *x = a, *y = b;
    (void)context;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static bool log_sort(struct log_walk *w)
{
    struct log_entry *all = calloc(w->count, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < w->count; i++)
        all[i] = *log_step(w);
    log_rewind(w);
    sort_with(all, w->count, sizeof *all, by_log_time, NULL);
    w->sorted = all;
    return true;
}

void log_walk_open(struct log_walk *w, const struct track_log *l, struct timeline *t,
                   uint32_t track)
{
    const struct log_track *k = &l->tracks[track];
    *w = (struct log_walk){.log = l, .track = k, .count = (size_t)k->count};
    if (!w->count || t->nomem || t->sink_err.status < 0) {
        w->count = 0;
        return;
    }
    if (k->unordered && !log_sort(w)) {
        timeline_nomem(t);
        w->count = 0;
        return;
    }
    w->first_ns = w->sorted ? w->sorted[0].time_ns : log_step(w)->time_ns;
    w->last_ns = w->sorted ? w->sorted[w->count - 1].time_ns : k->last_ns;
    log_rewind(w);
}

void log_walk_close(struct log_walk *w)
{
    free(w->sorted);
    w->sorted = NULL;
    w->count = 0;
}
