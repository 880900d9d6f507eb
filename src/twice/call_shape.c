/* call_shape.c - what the calls of a program with threads are, however its threads are scheduled.
 *
 * Threads that take work as it comes, that poll or are woken for nothing, or that still return when
 * the program ends, make recordings that differ while the program does the same. */
#include "twice/call_shape.h"
#include <rastrum/atf.h>

#include <string.h>

enum { SHAPE_EVENTS = 512 };

static uint64_t shape_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t name_hash(const struct ras_atf_symbol *s)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < s->name_len; i++)
        hash = shape_mix(hash, (uint8_t)s->name[i]);
    return hash;
}

/* Numbers are given in the order of first calls: a function is known by its name. */
static uint64_t function_hash(const struct ras_atf_session *session, size_t thread, uint64_t id)
{
    const struct ras_atf_symbol *s = ras_atf_symbol_of(session, thread, id);
    return s ? name_hash(s) : id;
}

static bool is_first_thread(const struct ras_atf_session *session, size_t thread, uint32_t id)
{
    const struct ras_atf_manifest *m = ras_atf_manifest(session, thread);
    for (size_t i = 0; i < m->thread_count; i++)
        if (m->threads[i].id == id && m->threads[i].path)
            return !strcmp(m->threads[i].path, "0");
    return id == 0;
}

/* A sequence in which calls in a row that call nothing, as of a function that polls and one that
 * yields, are there once each. */
enum { LEAVES_MOST = 16 };
struct sequence {
    uint64_t hash;
    uint64_t open; /* a call that nothing has followed so far; 0: none */
    uint32_t depth;
    uint64_t leaves[LEAVES_MOST];
    size_t leaf_count;
};

static bool leaf_is_new(struct sequence *s)
{
    for (size_t i = 0; i < s->leaf_count; i++)
        if (s->leaves[i] == s->open)
            return false;
    if (s->leaf_count < LEAVES_MOST)
        s->leaves[s->leaf_count++] = s->open;
    return true;
}

/* The open call has turned out to call something, or to stay open. */
static void sequence_descend(struct sequence *s)
{
    if (s->open) {
        s->hash = shape_mix(shape_mix(s->hash, s->open), s->depth);
        s->leaf_count = 0;
    }
    s->open = 0;
}

static void sequence_add(struct sequence *s, const struct ras_atf_index_event *e, uint64_t function)
{
    if (e->event_kind == RAS_ATF_CALL) {
        sequence_descend(s);
        s->open = function | 1;
        s->depth = e->call_depth;
    } else if (s->open == (function | 1) && s->depth == e->call_depth) {
        if (leaf_is_new(s))
            s->hash = shape_mix(shape_mix(s->hash, s->open), e->event_kind);
        s->open = 0;
    } else {
        sequence_descend(s);
        s->leaf_count = 0;
        s->hash = shape_mix(shape_mix(s->hash, e->event_kind), e->call_depth);
    }
}

static uint64_t sequence_of(struct ras_atf_session *session, size_t thread)
{
    struct sequence s = {.hash = 1};
    struct ras_atf_index_event events[SHAPE_EVENTS];
    uint64_t at = 0, id = 0, function = 0;
    for (size_t got; (got = ras_atf_index_read(session, thread, at, events, SHAPE_EVENTS));
         at += got)
        for (size_t i = 0; i < got; i++) {
            if (events[i].function_id != id || !function)
                function = function_hash(session, thread, events[i].function_id);
            id = events[i].function_id;
            sequence_add(&s, &events[i], function);
        }
    sequence_descend(&s);
    return s.hash;
}

/* Sums, so that the order of processes and threads does not matter. */
static struct call_shape shape_of(struct ras_trace *trace)
{
    struct ras_atf_session *session = ras_atf_session(trace);
    struct call_shape shape = {0};
    size_t count = session ? ras_atf_thread_count(session) : 0;
    for (size_t i = 0; i < count; i++) {
        struct ras_atf_thread t;
        struct ras_error err;
        if (ras_atf_thread_at(session, i, &t, &err) < 0 ||
            !is_first_thread(session, i, t.thread_id))
            continue;
        const struct ras_atf_manifest *m = ras_atf_manifest(session, i);
        shape.first += sequence_of(session, i);
        for (size_t k = 0; k < m->symbol_count; k++)
            shape.functions += name_hash(&m->symbols[k]);
    }
    return shape;
}

bool call_shapes_equal(struct ras_trace *a, struct ras_trace *b)
{
    struct call_shape x = shape_of(a), y = shape_of(b);
    return x.first == y.first && x.functions == y.functions;
}
