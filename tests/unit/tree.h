/* tree.h - trees of calls as ATF sessions in memory, and their comparison, for tests. */
#ifndef UNIT_TREE_H
#define UNIT_TREE_H

#include <rastrum/atf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "compared_nothing.h"

/* Cells of a row of the tree. */
enum {
    THREAD = 1,
    DEPTH,
    FUNCTION,
    MODULE,
    COUNT,
    TOTAL,
    SELF,
    SHARE,
    UNFINISHED,
    HIDDEN,
    NAME,
    WIDTH
};

enum { MOST = 2000, FIRST_NEW = 5000 };

struct step {
    struct ras_atf_index_event event;
    bool detailed;
    uint16_t event_type, flags;
    struct ras_atf_payload payload;
};

/* A thread as it is to be recorded. */
struct script {
    struct step steps[MOST];
    size_t count;
};

struct session {
    struct ras_folder *folder;
    struct ras_trace *trace;
};

static inline uint32_t random_below(uint32_t *seed, uint32_t most)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % most;
}

/* ---- scripts ------------------------------------------------------------------- */

static inline void add(struct script *s, uint64_t function, uint32_t kind, uint32_t depth)
{
    assert_true(s->count < MOST);
    s->steps[s->count] = (struct step){.event = {.timestamp_ns = 1000 + 10 * s->count,
                                                 .function_id = function,
                                                 .event_kind = kind,
                                                 .call_depth = depth}};
    s->count++;
}

/* Calls of functions that are all different, or of few, nested as chance has it; every
 * fifth event has a detail. */
static inline void make_tree(struct script *s, uint32_t *seed, size_t calls, uint32_t functions)
{
    uint64_t open[64];
    uint32_t depth = 0, next = 1;
    *s = (struct script){.count = 0};
    while (calls || depth) {
        bool call = calls && depth < 60 && (!depth || random_below(seed, 2));
        if (call) {
            open[depth++] = functions ? 1 + random_below(seed, functions) : next++;
            add(s, open[depth - 1], RAS_ATF_CALL, depth);
            calls--;
        } else {
            depth--;
            add(s, open[depth], RAS_ATF_RETURN, depth + 1);
        }
    }
    for (size_t i = 0; i < s->count; i += 5) {
        struct step *step = &s->steps[i];
        bool call = step->event.event_kind == RAS_ATF_CALL;
        step->detailed = true;
        step->event_type = call ? RAS_ATF_FUNCTION_CALL : RAS_ATF_FUNCTION_RETURN;
        step->payload = (struct ras_atf_payload){.form = RAS_ATF_SPEC,
                                                 .function_id = step->event.function_id,
                                                 .x_regs = {i, 2, 3, 4, 5, 6, 7, 8},
                                                 .lr = 9,
                                                 .fp = 10,
                                                 .sp = 11,
                                                 .stack = {(const uint8_t *)"stack", 5},
                                                 .stack_size = 5};
    }
}

static inline void insert_steps(struct script *s, size_t at, size_t count)
{
    assert_true(s->count + count <= MOST);
    memmove(&s->steps[at + count], &s->steps[at], (s->count - at) * sizeof *s->steps);
    memset(&s->steps[at], 0, count * sizeof *s->steps);
    s->count += count;
}

static inline void delete_steps(struct script *s, size_t at, size_t count)
{
    memmove(&s->steps[at], &s->steps[at + count], (s->count - at - count) * sizeof *s->steps);
    s->count -= count;
}

/* The event that ends the call at `at`. */
static inline size_t end_of(const struct script *s, size_t at)
{
    size_t end = at + 1;
    while (s->steps[end].event.call_depth != s->steps[at].event.call_depth)
        end++;
    return end;
}

static inline size_t some_call(const struct script *s, uint32_t *seed)
{
    size_t at;
    do
        at = random_below(seed, (uint32_t)s->count);
    while (s->steps[at].event.event_kind != RAS_ATF_CALL);
    return at;
}

/* What a function took, by looking at every call of it. */
struct cost {
    uint64_t count, total_ns, self_ns;
};

static inline struct cost cost_of(const struct script *s, uint64_t function)
{
    struct cost c = {0};
    for (size_t i = 0; i < s->count; i++) {
        if (s->steps[i].event.event_kind != RAS_ATF_CALL ||
            s->steps[i].event.function_id != function)
            continue;
        size_t end = end_of(s, i);
        bool inside = false;
        uint64_t took = s->steps[end].event.timestamp_ns - s->steps[i].event.timestamp_ns;
        for (size_t k = 0; k < i; k++)
            inside |= s->steps[k].event.event_kind == RAS_ATF_CALL &&
                      s->steps[k].event.function_id == function && end_of(s, k) > end;
        c.count++;
        c.total_ns += inside ? 0 : took;
        c.self_ns += took;
        for (size_t k = i + 1; k < end; k++)
            if (s->steps[k].event.event_kind == RAS_ATF_CALL &&
                s->steps[k].event.call_depth == s->steps[i].event.call_depth + 1)
                c.self_ns -=
                    s->steps[end_of(s, k)].event.timestamp_ns - s->steps[k].event.timestamp_ns;
    }
    return c;
}

/* ---- sessions ------------------------------------------------------------------ */

static inline void put_step(struct ras_atf_writer *w, const struct step *step)
{
    uint8_t bytes[RAS_ATF_PAYLOAD_SIZE + 64];
    struct ras_atf_detail_event d = {
        .event_type = step->event_type, .flags = step->flags, .payload.at = bytes};
    if (step->detailed)
        assert_true(ras_atf_payload_put(&step->payload, bytes, sizeof bytes, &d.payload.len));
    assert_int_equal(ras_atf_writer_event(w, &step->event, step->detailed ? &d : NULL, NULL),
                     RAS_OK);
}

/* The manifest names functions below FIRST_NEW "f<id - offset>" where there is one. */
static inline void record(struct session *m, const struct script *const *threads, size_t count,
                          uint32_t offset, bool named)
{
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w;
    static char names[MOST][16];
    static struct ras_atf_symbol symbols[MOST];
    assert_int_equal(ras_folder_memory(&m->folder, NULL), RAS_OK);
    struct ras_atf_session_options how = {.header.arch = RAS_ATF_X86_64};
    assert_int_equal(ras_atf_session_writer_open(&s, m->folder, &how, NULL), RAS_OK);
    for (uint32_t t = 0; t < count; t++) {
        if (!threads[t])
            continue;
        assert_int_equal(ras_atf_session_writer_thread(s, t, &w, NULL), RAS_OK);
        for (size_t i = 0; i < threads[t]->count; i++) {
            struct step step = threads[t]->steps[i];
            step.event.thread_id += t;
            step.event.function_id += offset;
            step.payload.function_id += offset;
            put_step(w, &step);
        }
    }
    for (uint32_t i = 0; i < MOST; i++) {
        int len = snprintf(names[i], sizeof names[i], "f%u", i);
        symbols[i] = (struct ras_atf_symbol){.function_id = i + offset,
                                             .symbol_index = i + offset,
                                             .name = names[i],
                                             .name_len = (uint32_t)len};
    }
    const struct ras_atf_manifest manifest = {
        .format_version = "", .symbols = symbols, .symbol_count = named ? MOST : 0};
    assert_int_equal(ras_atf_session_writer_finalize(s, &manifest, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_close(s, NULL), RAS_OK);
    size_t parts;
    const struct ras_part *at = ras_folder_parts(m->folder, &parts);
    assert_int_equal(ras_open_parts(&m->trace, at, parts, NULL, NULL), RAS_OK);
}

static inline void forget(struct session *m)
{
    ras_close(m->trace);
    ras_folder_drop(m->folder);
}

static inline struct ras_diff *differ(struct session *a, struct session *b,
                                      const struct ras_compare_options *how)
{
    struct ras_diff *d;
    struct ras_error err = {0};
    int status = diff_or_nothing(&d, a->trace, b->trace, how, &err);
    if (status < 0)
        print_message("%s\n", err.text);
    assert_int_equal(status, RAS_OK);
    return d;
}

static inline bool text_is(const struct ras_value *v, const char *text)
{
    return v && v->kind == RAS_STR && v->count == strlen(text) && !memcmp(v->at, text, v->count);
}
#endif
