/* event_test.c - events of declared schemas, markers and anchors are read as they were recorded. */
#include "script.h"
#include <rastrum/dial9.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct ras_dial9_field work_fields[] = {
    {"thread", RAS_DIAL9_U32}, {"n", RAS_DIAL9_VARINT}, {"half", RAS_DIAL9_F64}};
static const struct ras_dial9_schema work_schema = {"Work", work_fields, 3, true};
static const struct ras_dial9_field said_fields[] = {
    {"thread", RAS_DIAL9_VARINT}, {"text", RAS_DIAL9_STRING}, {"bonus", 0x80 | RAS_DIAL9_I64}};
static const struct ras_dial9_schema said_schema = {"Said", said_fields, 3, false};

static uint32_t work_id, said_id;

static void declare(void)
{
    struct ras_error err = {0};
    if (ras_event_schema(&work_schema, &work_id, &err) < 0 ||
        ras_event_schema(&said_schema, &said_id, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_not_equal(work_id, said_id);
}

static void start(const char *dir, enum ras_record_policy policy, size_t ring)
{
    struct ras_error err = {0};
    const struct ras_record_options options = {
        .exact = dir, .policy = policy, .detail_bytes = ring, .flush_ms = 3};
    if (ras_record_start(&options, &err) < 0)
        fail_msg("%s", err.text);
}

/* ---- saying ------------------------------------------------------------------------ */

struct speaker {
    uint32_t thread;
    uint64_t count, done;
    bool naps;
};

static bool say(uint32_t thread, uint64_t n)
{
    char text[300];
    if (n % 10 == 9) {
        int len = snprintf(text, sizeof text, "%u:%u:%*s", thread, (unsigned)n, (int)(n % 200), "");
        const struct ras_dial9_value values[] = {
            {.type = RAS_DIAL9_VARINT, .u = thread},
            {.type = RAS_DIAL9_STRING, .count = (uint32_t)len, .at = (const uint8_t *)text},
            {.type = n % 20 == 9 ? 0 : RAS_DIAL9_I64, .i = -(int64_t)n}};
        return ras_event(said_id, values, 3);
    }
    const struct ras_dial9_value values[] = {{.type = RAS_DIAL9_U32, .u = thread},
                                             {.type = RAS_DIAL9_VARINT, .u = n},
                                             {.type = RAS_DIAL9_F64, .f64 = (double)n / 2}};
    return n % 7 ? ras_event(work_id, values, 3) : ras_event_at(work_id, n * 1000, values, 3);
}

static void *speak(void *user)
{
    struct speaker *s = user;
    for (uint64_t n = 0; n < s->count; n++) {
        s->done += say(s->thread, n);
        if (s->naps && n % 5000 == 77)
            nanosleep(&(struct timespec){0, 8000000}, NULL);
    }
    return NULL;
}

/* ---- hearing ----------------------------------------------------------------------- */

struct hearing {
    uint64_t next[8], events;
    bool holes;
};

static uint64_t number_in(const struct ras_dial9_event *e)
{
    if (e->values[1].type != RAS_DIAL9_STRING)
        return e->values[1].u;
    const char *colon = memchr(e->values[1].at, ':', e->values[1].count);
    return colon ? strtoull(colon + 1, NULL, 10) : UINT64_MAX;
}

static int collect(void *user, const struct ras_dial9_event *e)
{
    struct hearing *h = user;
    uint64_t thread = e->values[0].u, n = number_in(e);
    assert_in_range(thread, 0, 7);
    if (h->holes)
        assert_true(n >= h->next[thread]);
    else
        assert_int_equal(n, h->next[thread]);
    h->next[thread] = n + 1;
    h->events++;
    if (!strcmp(e->schema->name, "Work")) {
        assert_true(e->values[2].f64 == (double)n / 2);
        if (n % 7 == 0)
            assert_int_equal(e->time_ns, n * 1000);
        else
            assert_true(e->time_ns > 1000000000);
    } else {
        assert_string_equal(e->schema->name, "Said");
        assert_int_equal(e->values[2].type, n % 20 == 9 ? 0 : RAS_DIAL9_I64);
    }
    return 0;
}

static void *bytes_of(const char *name, size_t *size)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", ras_record_dir(), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static void hear_all(struct hearing *h)
{
    struct ras_dial9 *reader;
    struct ras_error err = {0};
    size_t size;
    uint8_t *bytes = bytes_of("events.trc", &size);
    if (ras_dial9_open(&reader, bytes, size, NULL, &err) < 0)
        fail_msg("%s", err.text);
    if (ras_dial9_visit(reader, collect, h, &err) != RAS_END)
        fail_msg("at %u: %s", (unsigned)err.offset, err.text);
    ras_dial9_close(reader);
    free(bytes);
}

static void run(enum ras_record_policy policy, size_t ring, bool naps)
{
    const char *dir = scratch();
    struct speaker speakers[8];
    pthread_t threads[8];
    struct hearing h = {.holes = policy == RAS_RECORD_DROP};
    struct ras_record_counts c;
    uint64_t done = 0, dropped = 0;
    start(dir, policy, ring);
    for (uint32_t i = 0; i < 8; i++) {
        speakers[i] = (struct speaker){i, 20000 + i, 0, naps};
        assert_int_equal(pthread_create(&threads[i], NULL, speak, &speakers[i]), 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        done += speakers[i].done;
    }
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    ras_record_counts(&c);
    hear_all(&h);
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        dropped += c.events_dropped[i];
    assert_int_equal(c.events, done);
    assert_int_equal(h.events, done);
    assert_int_equal(done + dropped, 8 * 20000 + 28);
    if (!h.holes)
        assert_int_equal(dropped, 0);
    remove_all(dir);
}

static void no_event_of_eight_threads_is_lost(void **state)
{
    (void)state;
    run(RAS_RECORD_BLOCK, 65536, false);
}

static void no_event_of_an_idle_thread_is_lost(void **state)
{
    (void)state;
    run(RAS_RECORD_BLOCK, 1 << 20, true);
}

static void dropped_events_are_counted(void **state)
{
    (void)state;
    run(RAS_RECORD_DROP, 4096, false);
}

static void an_event_unlike_its_schema_is_refused(void **state)
{
    const char *dir = scratch();
    const struct ras_dial9_value good[] = {{.type = RAS_DIAL9_U32, .u = 1},
                                           {.type = RAS_DIAL9_VARINT, .u = 2},
                                           {.type = RAS_DIAL9_F64, .f64 = 1}};
    struct ras_dial9_value bad[] = {good[0], good[1], good[1]};
    const struct ras_dial9_value text[] = {
        good[1], {.type = RAS_DIAL9_STRING, .count = 2, .at = (const uint8_t *)"\xff\xff"}, {0}};
    struct ras_record_counts c;
    (void)state;
    assert_false(ras_event(work_id, good, 3)); /* nobody listens */
    start(dir, RAS_RECORD_BLOCK, 0);
    assert_true(ras_event(work_id, good, 3));
    assert_false(ras_event(work_id, bad, 3));
    assert_false(ras_event(work_id, good, 2));
    assert_false(ras_event(4000, good, 3));
    assert_false(ras_event(said_id, text, 3));
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    ras_record_counts(&c);
    assert_int_equal(c.events, 1);
    assert_int_equal(c.events_dropped[RAS_RECORD_REFUSED], 4);
    remove_all(dir);
}

static void a_schema_is_declared_once(void **state)
{
    uint32_t id = 0;
    (void)state;
    assert_int_equal(ras_event_schema(&work_schema, &id, NULL), RAS_OK);
    assert_int_equal(id, work_id);
}

/* A text that contains its number. */
static struct ras_bytes text_of(unsigned i, char *room, size_t size)
{
    int len = snprintf(room, size, "text %u", i);
    return (struct ras_bytes){(const uint8_t *)room, (size_t)len};
}

static const struct ras_dial9_field pooled_fields[] = {
    {"i", RAS_DIAL9_VARINT},
    {"text", RAS_DIAL9_POOLED_STRING},
    {"other", RAS_DIAL9_POOLED_STRING | RAS_DIAL9_OPTIONAL},
    {"stack", RAS_DIAL9_POOLED_STACK_FRAMES}};
static const struct ras_dial9_schema pooled_schema = {"Pooled", pooled_fields, 4, true};
enum { POOLED_TEXTS = 300, POOLED_EVENTS = 20000 };

static bool say_pooled(uint32_t type, const uint32_t *texts, const uint32_t *stacks, unsigned i)
{
    const struct ras_dial9_value values[] = {
        {.type = RAS_DIAL9_VARINT, .u = i},
        {.type = RAS_DIAL9_POOLED_STRING, .u = texts[i * 7 % POOLED_TEXTS]},
        {.type = i % 3 ? RAS_DIAL9_POOLED_STRING : 0, .u = texts[i % POOLED_TEXTS]},
        {.type = RAS_DIAL9_POOLED_STACK_FRAMES, .u = stacks[i % 2]}};
    return ras_event(type, values, 4);
}

static void check_text(const struct ras_value *v, unsigned i)
{
    char room[32];
    struct ras_bytes want = text_of(i, room, sizeof room);
    assert_int_equal(v->kind, RAS_STR);
    assert_int_equal(v->count, want.len);
    assert_memory_equal(v->at, want.at, want.len);
}

static unsigned hear_pooled(const char *path)
{
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    unsigned i = 0;
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    for (; ras_next(c, &r, NULL) == RAS_OK; i++) {
        size_t count;
        const struct ras_value *v = ras_values(c, &count);
        assert_int_equal(v[0].u, i);
        check_text(&v[1], i * 7 % POOLED_TEXTS);
        if (i % 3)
            check_text(&v[2], i % POOLED_TEXTS);
        else
            assert_int_equal(v[2].kind, RAS_NULL);
        assert_int_equal(v[3].kind, RAS_LIST);
        assert_int_equal(v[3].count, 2 + i % 2);
        assert_int_equal(v[4].u, 0x1000 + i % 2);
    }
    assert_int_equal(ras_ending(t).kind, RAS_COMPLETE);
    ras_cursor_close(c);
    ras_close(t);
    return i;
}

/* Every batch defines what its events refer to. */
static void pooled_fields_are_resolved_in_every_batch(void **state)
{
    const char *dir = scratch();
    const uint64_t addresses[] = {0x1000, 0x2000, 0x1001, 0x2001, 0x3001};
    uint32_t type, again, texts[POOLED_TEXTS], stacks[2];
    char room[32], path[8192];
    (void)state;
    assert_int_equal(ras_event_schema(&pooled_schema, &type, NULL), RAS_OK);
    for (unsigned i = 0; i < POOLED_TEXTS; i++)
        assert_int_equal(ras_event_string(text_of(i, room, sizeof room), &texts[i], NULL), RAS_OK);
    assert_int_equal(ras_event_string(text_of(7, room, sizeof room), &again, NULL), RAS_OK);
    assert_int_equal(again, texts[7]);
    assert_int_equal(ras_event_stack(addresses, 2, &stacks[0], NULL), RAS_OK);
    assert_int_equal(ras_event_stack(addresses + 2, 3, &stacks[1], NULL), RAS_OK);
    assert_int_equal(ras_event_string((struct ras_bytes){(const uint8_t *)"\xff", 1}, &again, NULL),
                     RAS_EFORMAT);
    start(dir, RAS_RECORD_BLOCK, 65536);
    const uint32_t wrong[] = {type, stacks[0], 65535, 70000};
    for (unsigned i = 0; i < POOLED_EVENTS; i++) {
        assert_true(say_pooled(type, texts, stacks, i));
        if (i % 1777 == 0)
            assert_int_equal(ras_record_flush(NULL), RAS_OK);
        const struct ras_dial9_value no[] = {
            {.type = RAS_DIAL9_VARINT, .u = i},
            {.type = RAS_DIAL9_POOLED_STRING, .u = wrong[i % 4]},
            {.type = 0},
            {.type = RAS_DIAL9_POOLED_STACK_FRAMES, .u = stacks[0]}};
        if (i % 5000 < 4)
            assert_false(ras_event(type, no, 4));
    }
    assert_false(ras_event(texts[0], NULL, 0));
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    snprintf(path, sizeof path, "%s/events.trc", ras_record_dir());
    assert_int_equal(hear_pooled(path), POOLED_EVENTS);
    remove_all(dir);
}

static void markers_and_anchors_are_kept(void **state)
{
    const char *dir = scratch();
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t when;
    char path[8192];
    (void)state;
    start(dir, RAS_RECORD_BLOCK, 0);
    ras_trace_call(1);
    assert_true(ras_marker("here it begins"));
    assert_int_equal(ras_anchor(12.5, NULL), RAS_OK);
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    assert_int_equal(ras_open(&t, ras_record_dir(), NULL, NULL), RAS_OK);
    assert_int_equal(ras_clock_time(t, "media", 12.5, &when, NULL), RAS_OK);
    assert_true(when > 0);
    ras_close(t);
    snprintf(path, sizeof path, "%s/events.trc", ras_record_dir());
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_string_equal(ras_schema_of(c)->name, "RecordMarker");
    const struct ras_value *v = ras_values(c, &(size_t){0});
    assert_int_equal(v[1].count, 14);
    assert_memory_equal(v[1].at, "here it begins", 14);
    ras_cursor_close(c);
    ras_close(t);
    remove_all(dir);
}

static int prepare(void **state)
{
    (void)state;
    declare();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_event_of_eight_threads_is_lost),
        cmocka_unit_test(no_event_of_an_idle_thread_is_lost),
        cmocka_unit_test(dropped_events_are_counted),
        cmocka_unit_test(an_event_unlike_its_schema_is_refused),
        cmocka_unit_test(a_schema_is_declared_once),
        cmocka_unit_test(pooled_fields_are_resolved_in_every_batch),
        cmocka_unit_test(markers_and_anchors_are_kept),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
