/* info.c - one pass over a trace: what it holds, from where to where, how it ends. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "core/format.h"
#include "ops/compare/diff.h"
#include "ops/info/info_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRESS_EVERY = 65536 };

struct counter {
    struct ras_info *info;
    size_t type_room, stream_room;
    uint32_t *type_of; /* by schema id: index + 1 into info->types */
    size_t type_of_room;
    uint32_t *names; /* by hash of the name, open addressing: index + 1 into info->types */
    size_t name_room;
    size_t stream_last; /* where the last record's stream was found */
};

struct info_walk {
    struct counter k;
    struct ras_cursor *cursor;
    bool follow;
};

static size_t slot_of(const struct counter *k, const char *name)
{
    size_t at = (size_t)fnv1a_text(name) & (k->name_room - 1);
    while (k->names[at] && strcmp(k->info->types[k->names[at] - 1].name, name) != 0)
        at = (at + 1) & (k->name_room - 1);
    return at;
}

/* Twice the room, or the first. */
static bool more_names(struct counter *k)
{
    size_t room = k->name_room ? 2 * k->name_room : 64;
    uint32_t *bigger = calloc(room, sizeof *bigger);
    if (!bigger)
        return false;
    free(k->names);
    k->names = bigger;
    k->name_room = room;
    for (size_t i = 0; i < k->info->type_count; i++)
        k->names[slot_of(k, k->info->types[i].name)] = (uint32_t)i + 1;
    return true;
}

static struct ras_count *type_named(struct counter *k, const char *name)
{
    struct ras_info *info = k->info;
    if (info->type_count >= k->name_room / 2 && !more_names(k))
        return NULL;
    size_t slot = slot_of(k, name);
    if (k->names[slot])
        return &info->types[k->names[slot] - 1];
    if (!array_grow(&info->types, &k->type_room, info->type_count + 1, sizeof *info->types))
        return NULL;
    info->types[info->type_count] = (struct ras_count){.name = name};
    k->names[slot] = (uint32_t)++info->type_count;
    return &info->types[info->type_count - 1];
}

/* Schemas may share a name, so counts are by name; looked up once per schema. */
static struct ras_count *type_of(struct counter *k, const struct ras_cursor *c, uint32_t schema)
{
    size_t old = k->type_of_room;
    if (!array_grow(&k->type_of, &k->type_of_room, schema + 1u, sizeof *k->type_of))
        return NULL;
    for (size_t i = old; i < k->type_of_room; i++)
        k->type_of[i] = 0;
    if (!k->type_of[schema]) {
        struct ras_count *type = type_named(k, ras_schema_of(c)->name);
        if (!type)
            return NULL;
        k->type_of[schema] = (uint32_t)(type - k->info->types) + 1;
    }
    return &k->info->types[k->type_of[schema] - 1];
}

/* Streams are kept sorted by id. */
static struct ras_count *stream_of(struct counter *k, uint32_t id)
{
    struct ras_info *info = k->info;
    if (k->stream_last < info->stream_count && info->streams[k->stream_last].id == id)
        return &info->streams[k->stream_last];
    size_t low = 0, high = info->stream_count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (info->streams[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    k->stream_last = low;
    if (low < info->stream_count && info->streams[low].id == id)
        return &info->streams[low];
    if (!array_grow(&info->streams, &k->stream_room, info->stream_count + 1, sizeof *info->streams))
        return NULL;
    memmove(&info->streams[low + 1], &info->streams[low],
            (info->stream_count - low) * sizeof *info->streams);
    info->streams[low] = (struct ras_count){.id = id};
    info->stream_count++;
    return &info->streams[low];
}

static void widen(bool *has, uint64_t *first, uint64_t *last, uint64_t value)
{
    if (!*has || value < *first)
        *first = value;
    if (!*has || value > *last)
        *last = value;
    *has = true;
}

static bool count(struct counter *k, const struct ras_cursor *c, const struct ras_record *r)
{
    struct ras_info *info = k->info;
    struct ras_count *type = type_of(k, c, r->schema);
    struct ras_count *stream = type ? stream_of(k, r->stream) : NULL;
    if (!stream)
        return false;
    type->records++;
    stream->records++;
    info->records++;
    info->gaps += r->schema == RAS_SCHEMA_GAP;
    if (ras_has_time(c))
        widen(&info->has_time, &info->time_first, &info->time_last, r->time_ns);
    if (r->flags & RAS_HAS_TICK)
        widen(&info->has_tick, &info->tick_first, &info->tick_last, r->tick);
    return true;
}

/* All streams of the trace are listed, also those without records. */
static bool name_streams(struct counter *k, const struct ras_trace *t)
{
    size_t n;
    const struct ras_stream *streams = ras_streams(t, &n);
    for (size_t i = 0; i < n; i++) {
        struct ras_count *s = stream_of(k, streams[i].id);
        if (!s)
            return false;
        s->name = streams[i].name;
    }
    if (!k->info->stream_count && !stream_of(k, 0))
        return false;
    for (size_t i = 0; i < k->info->stream_count; i++)
        if (!k->info->streams[i].name)
            k->info->streams[i].name = "main";
    return true;
}

static int by_records(const void *a, const void *b)
{
    const struct ras_count *x = a, *y = b;
    if (x->records != y->records)
        return x->records < y->records ? 1 : -1;
    return strcmp(x->name, y->name);
}

int info_walk_open(struct info_walk **out, struct ras_trace *t, bool follow, struct ras_error *err)
{
    struct info_walk *w = *out = calloc(1, sizeof *w);
    if (!w)
        return fail_memory(err);
    const struct ras_scan scan = {.headers_only = true, .follow = follow};
    int status = RAS_EMEMORY;
    w->follow = follow;
    w->k.info = calloc(1, sizeof *w->k.info);
    if (!w->k.info)
        fail_memory(err);
    else
        status = ras_cursor_open(&w->cursor, t, &scan, err);
    if (status < 0) {
        info_walk_close(w);
        *out = NULL;
        return status;
    }
    w->k.info->trace = t;
    return RAS_OK;
}

void info_walk_close(struct info_walk *w)
{
    if (!w)
        return;
    ras_cursor_close(w->cursor);
    free(w->k.type_of);
    free(w->k.names);
    ras_info_free(w->k.info);
    free(w);
}

int info_walk_step(struct info_walk *w, uint64_t most, struct ras_error *err)
{
    const struct ras_record *r;
    struct ras_trace *t = w->k.info->trace;
    int status = RAS_OK;
    for (uint64_t i = 0; i < most && status == RAS_OK; i++) {
        status = w->follow ? ras_next(w->cursor, &r, err) : walk_next(t, w->cursor, &r, err);
        if (status == RAS_OK && !count(&w->k, w->cursor, r))
            return fail_memory(err);
    }
    if (status == RAS_END)
        w->k.info->ending = ras_ending(t);
    if ((status == RAS_END || status == RAS_WAIT) && !name_streams(&w->k, t))
        return fail_memory(err);
    return status;
}

const struct ras_info *info_walk_counts(const struct info_walk *w)
{
    return w->k.info;
}

uint64_t info_walk_progress(const struct info_walk *w, uint64_t *total)
{
    return ras_cursor_progress(w->cursor, total);
}

/* All of it, and the counts are the caller's. */
static int count_all(struct ras_info **out, struct ras_trace *t, ras_progress *progress, void *user,
                     struct ras_error *err)
{
    struct info_walk *w;
    int status = info_walk_open(&w, t, false, err);
    if (status < 0)
        return status;
    while ((status = info_walk_step(w, PROGRESS_EVERY, err)) == RAS_OK) {
        uint64_t total, done = info_walk_progress(w, &total);
        if (progress && !progress(user, done, total)) {
            status = fail_canceled(err);
            break;
        }
    }
    if (status >= 0) {
        *out = w->k.info;
        w->k.info = NULL;
    }
    info_walk_close(w);
    return status;
}

/* ---- what is carried along ---------------------------------------------------------- */

static int count_carried(struct ras_carried *c, struct ras_trace *of, size_t part,
                         struct ras_error *err)
{
    struct ras_trace *t = NULL;
    struct ras_info *info = NULL;
    struct ras_error why = {0};
    int status = carried_open(&t, of, part, &why);
    if (status == RAS_OK)
        status = ras_info(&info, t, NULL, NULL, &why);
    if (status == RAS_OK) {
        c->format = ras_format_of(t)->name;
        c->records = info->records;
        c->ending = info->ending;
        snprintf(c->why, sizeof c->why, "%s", info->ending.why); /* the trace keeps it */
    } else {
        c->empty = status == RAS_END;
        c->ending.kind = RAS_COMPLETE;
        snprintf(c->why, sizeof c->why, "%s", c->empty ? "" : why.text);
    }
    c->ending.why = c->why;
    ras_info_free(info);
    ras_close(t);
    return status == RAS_EMEMORY ? fail_memory(err) : RAS_OK;
}

static int count_all_carried(struct ras_info *info, struct ras_trace *t, struct ras_error *err)
{
    size_t room = 0;
    int status = RAS_OK;
    for (size_t part = carried_next(t, 0); part != SIZE_MAX && status == RAS_OK;
         part = carried_next(t, part + 1)) {
        if (!array_grow(&info->carried, &room, info->carried_count + 1, sizeof *info->carried))
            return fail_memory(err);
        info->carried[info->carried_count] =
            (struct ras_carried){.name = ras_part_name(t, (uint32_t)part)};
        status = count_carried(&info->carried[info->carried_count++], t, part, err);
    }
    for (size_t i = 0; i < info->carried_count; i++) /* the list may have moved */
        info->carried[i].ending.why = info->carried[i].why;
    return status;
}

int ras_info(struct ras_info **out, struct ras_trace *t, ras_progress *progress, void *user,
             struct ras_error *err)
{
    *out = NULL;
    struct ras_info *info = NULL;
    int status = count_all(&info, t, progress, user, err);
    if (status >= 0)
        status = count_all_carried(info, t, err);
    if (status < 0) {
        ras_info_free(info);
        return status;
    }
    if (info->type_count)
        qsort(info->types, info->type_count, sizeof *info->types, by_records);
    *out = info;
    return RAS_OK;
}

void ras_info_free(struct ras_info *info)
{
    if (!info)
        return;
    free(info->types);
    free(info->streams);
    free(info->carried);
    free(info);
}

int extent_text(struct ras_trace *t, const char *word, char *text, size_t size,
                struct ras_error *err)
{
    struct ras_info *info;
    int status = ras_info(&info, t, NULL, NULL, err);
    if (status < 0)
        return status;
    bool cut = info->ending.kind == RAS_CUT || info->ending.kind == RAS_DAMAGED;
    uint64_t records = info->records - info->gaps;
    const char *state = cut ? info->ending.kind == RAS_CUT ? " (cut)" : " (damaged)" : "";
    if (!records)
        snprintf(text, size, "no %ss%s", word, state);
    else if (info->has_tick && info->tick_first == info->tick_last)
        snprintf(text, size, "%s %" PRIu64 " alone%s", word, info->tick_first, state);
    else if (info->has_tick)
        snprintf(text, size, "%ss %" PRIu64 " to %" PRIu64 "%s", word, info->tick_first,
                 info->tick_last, state);
    else
        snprintf(text, size, "%s%s", ras_counted(records, "record").text, state);
    ras_info_free(info);
    return RAS_OK;
}
