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

static size_t log_take(struct log_entry *to, const uint8_t *at, size_t len)
{
    size_t count = 0;
    for (const uint8_t *end = at + len; at < end; count++) {
        to[count] = (struct log_entry){.time_ns = load_u64(at), .len = load_u32(at + 8)};
        to[count].at = at + LOG_HEAD;
        at += LOG_HEAD + to[count].len;
    }
    return count;
}

static int by_log_time(const void *a, const void *b, void *context)
{
    const struct log_entry *x = a, *y = b;
    (void)context;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

struct log_entry *track_log_entries(struct track_log *l, struct timeline *t, uint32_t track,
                                    size_t *count)
{
    struct log_track *k = &l->tracks[track];
    struct log_entry *all = calloc((size_t)k->count + 1, sizeof *all);
    *count = 0;
    if (!all) {
        timeline_nomem(t);
        return NULL;
    }
    for (size_t i = 0; i < k->chunk_count; i++)
        *count += log_take(all + *count, l->spool.at + k->chunks[i].at, (size_t)k->chunks[i].len);
    if (k->bytes.len)
        *count += log_take(all + *count, k->bytes.at, k->bytes.len);
    if (k->unordered)
        sort_with(all, *count, sizeof *all, by_log_time, NULL);
    return all;
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
