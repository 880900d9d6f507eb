/* atf_compare_test.c - call trees with one thing changed: that one is named, and no other. */
#include "base/out.h"
#include <rastrum/atf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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

static uint32_t random_below(uint32_t *seed, uint32_t most)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % most;
}

/* ---- scripts ------------------------------------------------------------------- */

static void add(struct script *s, uint64_t function, uint32_t kind, uint32_t depth)
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
static void make_tree(struct script *s, uint32_t *seed, size_t calls, uint32_t functions)
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

static void insert_steps(struct script *s, size_t at, size_t count)
{
    assert_true(s->count + count <= MOST);
    memmove(&s->steps[at + count], &s->steps[at], (s->count - at) * sizeof *s->steps);
    memset(&s->steps[at], 0, count * sizeof *s->steps);
    s->count += count;
}

static void delete_steps(struct script *s, size_t at, size_t count)
{
    memmove(&s->steps[at], &s->steps[at + count], (s->count - at - count) * sizeof *s->steps);
    s->count -= count;
}

/* The event that ends the call at `at`. */
static size_t end_of(const struct script *s, size_t at)
{
    size_t end = at + 1;
    while (s->steps[end].event.call_depth != s->steps[at].event.call_depth)
        end++;
    return end;
}

static size_t some_call(const struct script *s, uint32_t *seed)
{
    size_t at;
    do
        at = random_below(seed, (uint32_t)s->count);
    while (s->steps[at].event.event_kind != RAS_ATF_CALL);
    return at;
}

/* ---- sessions ------------------------------------------------------------------ */

static void put_step(struct ras_atf_writer *w, const struct step *step)
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
static void record(struct session *m, const struct script *const *threads, size_t count,
                   uint32_t offset, bool named)
{
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w;
    static char names[MOST][16];
    static struct ras_atf_symbol symbols[MOST];
    assert_int_equal(ras_folder_memory(&m->folder, NULL), RAS_OK);
    assert_int_equal(ras_atf_session_writer_open(&s, m->folder, NULL, NULL), RAS_OK);
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

static void forget(struct session *m)
{
    ras_close(m->trace);
    ras_folder_drop(m->folder);
}

static struct ras_diff *differ(struct session *a, struct session *b,
                               const struct ras_compare_options *how)
{
    struct ras_diff *d;
    struct ras_error err = {0};
    int status = ras_diff(&d, a->trace, b->trace, how, &err);
    if (status < 0)
        print_message("%s\n", err.text);
    assert_int_equal(status, RAS_OK);
    return d;
}

static const struct ras_compare_options every = {.keep_going = true};

/* One divergence, there and of this kind, however many are asked for. */
static struct ras_diff *expect_one(struct session *a, struct session *b, const char *kind,
                                   uint64_t seq)
{
    struct ras_diff *d = differ(a, b, NULL);
    assert_int_equal(d->divergence_count, 1);
    ras_diff_free(d);
    d = differ(a, b, &every);
    for (size_t i = 0; i < d->divergence_count && d->divergence_count > 1; i++)
        print_message("%s at %d\n", d->divergences[i].kind, (int)d->divergences[i].at[0].value.u);
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, kind);
    assert_int_equal(d->divergences[0].at[0].value.u, seq);
    assert_string_equal(d->divergences[0].at[0].key, "index_seq");
    assert_string_equal(d->divergences[0].at[1].key, "thread_id");
    return d;
}

/* Both ways; `kind` is that of a to b. */
static void expect(const struct script *a, const struct script *b, const char *kind,
                   const char *back, uint64_t seq)
{
    struct session x, y;
    record(&x, &a, 1, 0, true);
    record(&y, &b, 1, 0, true);
    ras_diff_free(expect_one(&x, &y, kind, seq));
    ras_diff_free(expect_one(&y, &x, back, seq));
    forget(&x);
    forget(&y);
}

static bool text_is(const struct ras_value *v, const char *text)
{
    return v && v->kind == RAS_STR && v->count == strlen(text) && !memcmp(v->at, text, v->count);
}

/* The only row of a pair's mismatches is of this path. */
static void expect_row(const struct ras_diff *d, const char *path)
{
    const struct ras_value *rows = ras_member(d->divergences[0].detail, "mismatches");
    assert_true(rows && rows->count && rows[1].count + 1 == rows->count);
    if (!text_is(ras_member(&rows[1], "path"), path))
        fail_msg("the row is not of %s", path);
}

/* ---- tests --------------------------------------------------------------------- */

static struct script a, b;

static void the_same_calls_at_other_times(void **state)
{
    (void)state;
    uint32_t seed = 1;
    struct session x, y;
    const struct script *threads[] = {&a, &b, NULL, &a};
    make_tree(&a, &seed, 300, 7);
    make_tree(&b, &seed, 100, 0);
    record(&x, threads, 4, 0, true);
    for (size_t i = 0; i < a.count; i++)
        a.steps[i].event.timestamp_ns += 17 * i + 5;
    record(&y, threads, 4, 0, true);
    struct ras_diff *d = differ(&x, &y, NULL);
    assert_int_equal(d->divergence_count, 0);
    assert_int_equal(d->checked, 2 * a.count + b.count);
    assert_int_equal(d->endings[0].kind, RAS_COMPLETE);
    ras_diff_free(d);
    forget(&x);
    forget(&y);
}

static void functions_by_name_or_by_id(void **state)
{
    (void)state;
    uint32_t seed = 2;
    struct session x, y, z;
    const struct script *threads[] = {&a};
    make_tree(&a, &seed, 50, 7);
    record(&x, threads, 1, 0, true);
    record(&y, threads, 1, 900, true); /* the same names, numbered anew */
    record(&z, threads, 1, 900, false);
    struct ras_diff *d = differ(&x, &y, NULL);
    assert_int_equal(d->divergence_count, 0);
    ras_diff_free(d);
    d = differ(&x, &z, NULL);
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, "other_function");
    ras_diff_free(d);
    forget(&x);
    forget(&y);
    forget(&z);
}

static void other_function_is_named_once(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        uint32_t random = seed;
        make_tree(&a, &random, 100 + seed * 5, seed % 2 ? 0 : 5);
        b = a;
        size_t at = some_call(&a, &random);
        b.steps[at].event.function_id = b.steps[at].payload.function_id = FIRST_NEW;
        b.steps[end_of(&b, at)].event.function_id = FIRST_NEW;
        b.steps[end_of(&b, at)].detailed = false;
        expect(&a, &b, "other_function", "other_function", at);
    }
}

static void a_call_more_or_less(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        uint32_t random = seed;
        make_tree(&a, &random, 100 + seed * 5, seed % 2 ? 0 : 5);
        b = a;
        size_t at = some_call(&a, &random);
        insert_steps(&b, at, 2);
        for (size_t i = at; i < at + 2; i++)
            b.steps[i].event =
                (struct ras_atf_index_event){.function_id = FIRST_NEW,
                                             .event_kind = i == at ? RAS_ATF_CALL : RAS_ATF_RETURN,
                                             .call_depth = b.steps[at + 2].event.call_depth};
        expect(&a, &b, "extra_call", "missing_call", at);
    }
}

/* With all that it called. */
static void a_whole_subtree_less(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        uint32_t random = seed;
        make_tree(&a, &random, 300, 0);
        b = a;
        size_t at = some_call(&a, &random), end = end_of(&a, at);
        delete_steps(&b, at, end - at + 1);
        expect(&a, &b, "missing_call", "extra_call", at);
    }
}

/* Of equal neighbours nobody can tell which one is more; it is one call all the same. */
static void one_of_many_equal_calls(void **state)
{
    (void)state;
    struct session x, y;
    const struct script *threads[2] = {&a, &b};
    a = (struct script){.count = 0};
    add(&a, 1, RAS_ATF_CALL, 1);
    for (int i = 0; i < 20; i++) {
        add(&a, 2, RAS_ATF_CALL, 2);
        if (i == 7)
            add(&a, 3, RAS_ATF_CALL, 3);
        if (i == 7)
            add(&a, 3, RAS_ATF_RETURN, 3);
        add(&a, 2, RAS_ATF_RETURN, 2);
    }
    add(&a, 1, RAS_ATF_RETURN, 1);
    b = a;
    insert_steps(&b, 1, 2); /* f2 without f3 */
    b.steps[1] = b.steps[3];
    b.steps[2] = b.steps[4];
    record(&x, &threads[0], 1, 0, true);
    record(&y, &threads[1], 1, 0, true);
    struct ras_diff *d = expect_one(&x, &y, "extra_call", 15); /* not the f3 that it is seen at */
    const struct ras_value *path = ras_member(d->divergences[0].detail, "path");
    assert_int_equal(path->count, 1);
    assert_true(text_is(path + 1, "f1"));
    ras_diff_free(d);
    forget(&x);
    forget(&y);
}

static void another_way_to_return(void **state)
{
    (void)state;
    uint32_t seed = 3;
    make_tree(&a, &seed, 200, 6);
    for (size_t i = 0; i < 40; i++) {
        b = a;
        size_t at = end_of(&a, some_call(&a, &seed));
        b.steps[at].event.event_kind = RAS_ATF_EXCEPTION;
        expect(&a, &b, "other_return", "other_return", at);
    }
}

static void other_depths_and_threads(void **state)
{
    (void)state;
    uint32_t seed = 4;
    make_tree(&a, &seed, 200, 0);
    for (size_t i = 0; i < 40; i++) {
        b = a;
        size_t at = some_call(&a, &seed);
        b.steps[at].event.call_depth += 100;
        expect(&a, &b, "other_depth", "other_depth", at);
        b = a;
        b.steps[at].event.thread_id += 3;
        expect(&a, &b, "other_thread", "other_thread", at);
    }
}

static void every_field_of_a_detail(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "detail.rdi", "detail.rsi",   "detail.rdx",   "detail.rcx",     "detail.r8",
        "detail.r9",  "detail.rbp",   "detail.rsp",   "detail.lr",      "detail.fp",
        "detail.sp",  "detail.stack", "detail.flags", "detail.function"};
    uint32_t seed = 5;
    const struct script *threads[2] = {&a, &b};
    make_tree(&a, &seed, 200, 0);
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t at;
        do
            at = some_call(&a, &seed);
        while (!a.steps[at].detailed);
        b = a;
        struct ras_atf_payload *p = &b.steps[at].payload;
        if (i < 11)
            *(i < 8 ? &p->x_regs[i] : i == 8 ? &p->lr : i == 9 ? &p->fp : &p->sp) += 1000;
        if (i == 11)
            p->stack.at = (const uint8_t *)"other";
        if (i == 12)
            b.steps[at].flags = 1;
        if (i == 13)
            p->function_id++;
        struct session x, y;
        record(&x, &threads[0], 1, 0, true);
        record(&y, &threads[1], 1, 0, true);
        struct ras_diff *d = expect_one(&x, &y, "detail_mismatch", at);
        expect_row(d, paths[i]);
        ras_diff_free(d);
        const char *const ignored[] = {i % 2 ? "detail" : paths[i]};
        d = differ(&x, &y, &(struct ras_compare_options){.ignored = ignored, .ignored_count = 1});
        assert_int_equal(d->divergence_count, 0);
        ras_diff_free(d);
        forget(&x);
        forget(&y);
    }
}

static void a_thread_more_or_less(void **state)
{
    (void)state;
    uint32_t seed = 6;
    const struct script *two[] = {&a, &b}, *one[] = {NULL, &b};
    struct session x, y;
    make_tree(&a, &seed, 20, 0);
    make_tree(&b, &seed, 20, 0);
    record(&x, two, 2, 0, true);
    record(&y, one, 2, 0, true);
    for (int back = 0; back < 2; back++) {
        struct ras_diff *d = differ(back ? &y : &x, back ? &x : &y, &every);
        assert_int_equal(d->divergence_count, 1);
        assert_string_equal(d->divergences[0].kind, back ? "extra_thread" : "missing_thread");
        assert_int_equal(d->divergences[0].at[0].value.kind, RAS_NULL);
        assert_int_equal(d->divergences[0].at[1].value.u, 0);
        assert_int_equal(d->checked, b.count + 1);
        ras_diff_free(d);
    }
    forget(&x);
    forget(&y);
}

/* Several changes at a time are told one by one, in order. */
static void all_of_several(void **state)
{
    (void)state;
    uint32_t seed = 7;
    struct session x, y;
    const struct script *threads[2] = {&a, &b};
    make_tree(&a, &seed, 900, 0);
    b = a;
    for (size_t i = 50; i < a.count; i += 100)
        b.steps[i].event.thread_id = 9;
    record(&x, &threads[0], 1, 0, true);
    record(&y, &threads[1], 1, 0, true);
    struct ras_diff *d = differ(&x, &y, &every);
    assert_int_equal(d->divergence_count, (a.count - 50 + 99) / 100);
    for (size_t i = 0; i < d->divergence_count; i++)
        assert_int_equal(d->divergences[i].at[0].value.u, 50 + 100 * i);
    assert_int_equal(d->checked, a.count);
    ras_diff_free(d);
    forget(&x);
    forget(&y);
}

/* f1 calls f2 twice; in the second run f2 takes longer, and f3 is new. */
static void profiles_side_by_side(void **state)
{
    (void)state;
    struct session x, y;
    const struct script *threads[2] = {&a, &b};
    a = (struct script){.count = 0};
    add(&a, 1, RAS_ATF_CALL, 1);
    for (int i = 0; i < 2; i++) {
        add(&a, 2, RAS_ATF_CALL, 2);
        add(&a, 2, RAS_ATF_RETURN, 2);
    }
    add(&a, 1, RAS_ATF_RETURN, 1);
    b = a;
    for (size_t i = 4; i < 6; i++)
        b.steps[i].event.timestamp_ns += 100;
    add(&b, 3, RAS_ATF_CALL, 1);
    record(&x, &threads[0], 1, 0, true);
    record(&y, &threads[1], 1, 0, true);
    struct ras_diff *d = differ(&x, &y, &(struct ras_compare_options){.profile = true});
    const struct ras_value *rows = ras_member(ras_member(d->tables, "functions"), "rows");
    static const uint64_t first[] = {2, 2, 0}, second[] = {20, 120, 100};
    const struct ras_value *row =
        rows + 1; /* function, module, 4 of count, 4 of total, 4 of self */
    assert_int_equal(rows->count, 3 * 15);
    assert_true(text_is(&row[1], "f2"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(row[3 + i].u, first[i]);
        assert_int_equal(row[7 + i].u, second[i]);
        assert_int_equal(row[11 + i].u, second[i]);
    }
    assert_true(row[10].f64 == 500.0);
    row += 15;
    assert_true(text_is(&row[1], "f1"));
    assert_int_equal(row[7].u, 50);
    assert_int_equal(row[8].u, 150);
    assert_int_equal(row[11].u, 30);
    assert_int_equal(row[12].u, 30);
    row += 15;
    assert_true(text_is(&row[1], "f3"));
    assert_int_equal(row[4].u, 1);
    assert_int_equal(row[6].kind, RAS_NULL);
    assert_int_equal(d->note_count, 1);
    ras_diff_free(d);
    forget(&x);
    forget(&y);
}

/* Whatever is cut off or overwritten, there is an answer, and a cut is no difference. */
static void prefixes_and_damage(void **state)
{
    (void)state;
    uint32_t seed = 8;
    const struct script *threads[1] = {&a};
    struct session x;
    make_tree(&a, &seed, 12, 0);
    record(&x, threads, 1, 0, true);
    size_t count;
    const struct ras_part *whole = ras_folder_parts(x.folder, &count);
    for (size_t part = 0; part < count; part++) {
        size_t size = whole[part].bytes.len < 3000 ? whole[part].bytes.len : 3000;
        for (size_t at = 0; at < 2 * size; at++) {
            struct ras_part parts[8];
            struct session y = {.folder = NULL};
            memcpy(parts, whole, count * sizeof *parts);
            uint8_t *bytes = malloc(size + 1);
            memcpy(bytes, whole[part].bytes.at, size);
            bytes[at / 2] ^= at % 2 ? 0xff : 0;
            parts[part].bytes = (struct ras_bytes){bytes, at % 2 ? size : at / 2};
            if (ras_open_parts(&y.trace, parts, count, NULL, NULL) == RAS_OK) {
                struct ras_compare_options how = {.keep_going = true, .profile = at % 3 == 0};
                struct ras_diff *d = differ(&x, &y, &how), *back = differ(&y, &x, &how);
                assert_int_equal(!d->divergence_count, !back->divergence_count);
                if (at % 2 == 0 && d->endings[1].kind == RAS_CUT)
                    assert_int_equal(d->divergence_count, 0);
                ras_diff_free(d);
                ras_diff_free(back);
                ras_close(y.trace);
            }
            free(bytes);
        }
    }
    forget(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_calls_at_other_times),
        cmocka_unit_test(functions_by_name_or_by_id),
        cmocka_unit_test(other_function_is_named_once),
        cmocka_unit_test(a_call_more_or_less),
        cmocka_unit_test(a_whole_subtree_less),
        cmocka_unit_test(one_of_many_equal_calls),
        cmocka_unit_test(another_way_to_return),
        cmocka_unit_test(other_depths_and_threads),
        cmocka_unit_test(every_field_of_a_detail),
        cmocka_unit_test(a_thread_more_or_less),
        cmocka_unit_test(all_of_several),
        cmocka_unit_test(profiles_side_by_side),
        cmocka_unit_test(prefixes_and_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
