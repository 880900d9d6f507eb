/* runtime.h - what an async runtime records of itself, as dial9 traces in memory, for tests. */
#ifndef UNIT_RUNTIME_H
#define UNIT_RUNTIME_H

#include <rastrum/dial9.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum kind { START, END, PARK, UNPARK, QUEUE, WAKE, SPAWN, TERMINATE, SAMPLE, ENTER, EXIT, CLOSE };

#define V           RAS_DIAL9_VARINT
#define S           RAS_DIAL9_POOLED_STRING
#define MAYBE(type) ((type) | 0x80)

static const struct ras_dial9_schema schemas[] = {
    {"PollStartEvent",
     (const struct ras_dial9_field[]){{"worker_id", V}, {"task_id", V}, {"spawn_loc", S}}, 3, true},
    {"PollEndEvent", (const struct ras_dial9_field[]){{"worker_id", V}}, 1, true},
    {"WorkerParkEvent",
     (const struct ras_dial9_field[]){{"worker_id", V}, {"cpu_time_ns", V}, {"tid", V}}, 3, true},
    {"WorkerUnparkEvent",
     (const struct ras_dial9_field[]){{"worker_id", V}, {"cpu_time_ns", V}, {"tid", V}}, 3, true},
    {"QueueSampleEvent", (const struct ras_dial9_field[]){{"global_queue", V}}, 1, true},
    {"WakeEventEvent", (const struct ras_dial9_field[]){{"woken_task_id", V}}, 1, true},
    {"TaskSpawnEvent", (const struct ras_dial9_field[]){{"task_id", V}, {"spawn_loc", S}}, 2, true},
    {"TaskTerminateEvent", (const struct ras_dial9_field[]){{"task_id", V}}, 1, true},
    {"CpuSampleEvent",
     (const struct ras_dial9_field[]){{"worker_id", V}, {"source", V}, {"tid", V}}, 3, true},
    {"SpanEnter:x",
     (const struct ras_dial9_field[]){
         {"span_id", V}, {"parent_span_id", MAYBE(V)}, {"span_name", S}},
     3, true},
    {"SpanExit:x", (const struct ras_dial9_field[]){{"span_id", V}}, 1, true},
    {"SpanCloseEvent", (const struct ras_dial9_field[]){{"span_id", V}}, 1, true},
};

struct made {
    uint64_t time;
    enum kind kind;
    uint64_t a, b, c; /* values in the order of the schema's fields; texts are "text N" */
};

#define NONE UINT64_MAX /* an optional that is absent */

static inline void put(struct ras_dial9_writer *w, const struct made *m)
{
    const struct ras_dial9_schema *s = &schemas[m->kind];
    const uint64_t given[] = {m->a, m->b, m->c};
    struct ras_dial9_value values[3] = {{0}};
    uint16_t id;
    assert_int_equal(ras_dial9_writer_schema(w, s, &id, NULL), RAS_OK);
    for (uint16_t i = 0; i < s->field_count; i++) {
        uint8_t type = s->fields[i].type & 0x7f;
        uint64_t u = given[i];
        if (type == S) {
            char text[16];
            uint32_t pool;
            int len = snprintf(text, sizeof text, "text %d", (int)u);
            struct ras_bytes bytes = {(const uint8_t *)text, (size_t)len};
            assert_int_equal(ras_dial9_writer_string(w, bytes, &pool, NULL), RAS_OK);
            u = pool;
        }
        if (given[i] != NONE)
            values[i] = (struct ras_dial9_value){.type = type, .u = u};
    }
    assert_int_equal(ras_dial9_writer_event(w, id, m->time, values, s->field_count, NULL), RAS_OK);
}

static inline struct ras_dial9_writer *writer(void)
{
    struct ras_dial9_writer *w;
    assert_int_equal(ras_dial9_writer_open(&w, NULL, NULL, NULL), RAS_OK);
    return w;
}

/* One of several threads: a worker that polls tasks which others wake. */
static inline void put_thread(struct ras_dial9_writer *w, uint64_t thread, uint64_t from,
                              uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        uint64_t at = 1000 * i + 10 * thread;
        put(w, &(struct made){at, WAKE, 1 + (thread + 1) % 4, 0, 0});
        put(w, &(struct made){at + 200 + 7 * thread, START, thread, 1 + thread, thread});
        put(w, &(struct made){at + 205 + 7 * thread, ENTER, 50 + thread, NONE, 9});
        put(w, &(struct made){at + 300 + i % 50, EXIT, 50 + thread, 0, 0});
        put(w, &(struct made){at + 301 + i % 50, CLOSE, 50 + thread, 0, 0});
        put(w, &(struct made){at + 400 + i % 97, END, thread, 0, 0});
    }
}
#endif
