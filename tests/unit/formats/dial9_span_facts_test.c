/* dial9_span_facts_test.c - a span is the same whatever the types and the order
 * of its fields.
 *
 * Most events of modern spans are read for their numbers alone, others value by
 * value: both give the figures of spans with the usual fields. */
#include "../runtime.h"

enum { ENTERS, EXITS, CLOSES, DIALECT_KINDS, FIELDS_MOST = 16 };

#define U32 RAS_DIAL9_U32
#define I64 RAS_DIAL9_I64
#define STR RAS_DIAL9_STRING
#define MAP RAS_DIAL9_STRING_MAP

struct dialect {
    struct ras_dial9_field fields[DIALECT_KINDS][FIELDS_MOST];
};

#define CLOSE_OF(number, wide, text)                                                               \
    {"span_instance_id", number}, {"start_timestamp_ns", number},                                  \
        {"first_enter_timestamp_ns", MAYBE(number)}, {"active_ns", number}, {"span_name", text},   \
        {"target", text}, {"file", MAYBE(text)}, {"line", MAYBE(wide)},                            \
        {"parent_span_instance_id", MAYBE(number)}, {"attributes", MAP},                           \
    {                                                                                              \
        "unbalanced_enters", wide                                                                  \
    }
#define STAY_OF(number, wide)                                                                      \
    {"span_instance_id", number}, {"tid", wide},                                                   \
    {                                                                                              \
        "worker_id", number                                                                        \
    }

static const struct dialect usual = {{{STAY_OF(V, U32)}, {STAY_OF(V, U32)}, {CLOSE_OF(V, U32, S)}}};
/* Each of these says the same. */
static const struct dialect others[] = {
    {{{STAY_OF(I64, V)}, {STAY_OF(MAYBE(V), I64)}, {CLOSE_OF(I64, V, S)}}},
    {{{STAY_OF(RAS_DIAL9_U16, MAYBE(RAS_DIAL9_U8))},
      {STAY_OF(U32, RAS_DIAL9_U16)},
      {CLOSE_OF(U32, RAS_DIAL9_U16, MAYBE(S))}}},
    {{{STAY_OF(V, U32)}, {STAY_OF(V, U32)}, {CLOSE_OF(V, U32, STR)}}},
    /* Two fields of one name: the last one counts. */
    {{{{"tid", U32}, STAY_OF(V, U32)},
      {{"tid", MAYBE(U32)}, STAY_OF(V, U32)},
      {{"line", U32}, {"span_name", S}, CLOSE_OF(V, U32, S)}}},
    {{{{"span_instance_id", V}, STAY_OF(V, U32)},
      {{"span_instance_id", V}, STAY_OF(V, U32)},
      {{"span_instance_id", V}, CLOSE_OF(V, U32, S)}}},
    /* Fields that are no part of a span, and all kinds of values. */
    {{{{"a", MAP}, {"b", RAS_DIAL9_F64}, STAY_OF(V, U32), {"c", MAYBE(S)}, {"d", STR}},
      {{"span_id", V}, {"a", RAS_DIAL9_BOOL}, STAY_OF(V, U32), {"b", RAS_DIAL9_U8}},
      {{"span_id", V}, {"a", MAYBE(MAP)}, CLOSE_OF(V, U32, S), {"b", S}}}},
};

static struct ras_dial9_value text_value(struct ras_dial9_writer *w, uint8_t type, const char *text)
{
    struct ras_bytes bytes = {(const uint8_t *)text, strlen(text)};
    uint32_t pool = 0;
    assert_int_equal(ras_dial9_writer_string(w, bytes, &pool, NULL), RAS_OK);
    if (type == S)
        return (struct ras_dial9_value){.type = S, .u = pool};
    return (struct ras_dial9_value){.type = STR, .count = (uint32_t)bytes.len, .at = bytes.at};
}

/* Where the usual fields of a kind begin in a dialect's, and how many they are.
 */
static size_t usual_fields(const struct ras_dial9_field *fields, int kind, size_t *count)
{
    size_t first = 0;
    for (size_t i = 0; i < FIELDS_MOST && fields[i].name; i++)
        first = strcmp(fields[i].name, "span_instance_id") ? first : i;
    for (*count = 0; usual.fields[kind][*count].name;)
        ++*count;
    return first;
}

/* The value of a field: of a usual one its number; else anything that is not
 * one of a span. */
static struct ras_dial9_value value_of(struct ras_dial9_writer *w, const struct ras_dial9_field *f,
                                       const uint64_t *number)
{
    static const struct ras_dial9_value pair[] = {
        {.type = STR, .count = 6, .at = (const uint8_t *)"method"},
        {.type = STR, .count = 3, .at = (const uint8_t *)"GET"}};
    uint8_t type = f->type & (uint8_t)~RAS_DIAL9_OPTIONAL;
    if (type == MAP)
        return ras_dial9_made(MAP, pair, number ? 1 : 0);
    if (type == S || type == STR)
        return text_value(w, type, f->name);
    if (number && *number == NONE)
        return (struct ras_dial9_value){0};
    uint64_t other = type == RAS_DIAL9_BOOL ? 1 : 77;
    return (struct ras_dial9_value){.type = type, .u = number ? *number : other};
}

static void put_as(struct ras_dial9_writer *w, const struct dialect *d, int kind, uint64_t time_ns,
                   const uint64_t *numbers)
{
    static const char *const names[] = {"SpanEnter__x", "SpanExit__x", "SpanClose__x"};
    struct ras_dial9_schema schema = {names[kind], d->fields[kind], 0, true};
    struct ras_dial9_value values[FIELDS_MOST];
    size_t count, first = usual_fields(schema.fields, kind, &count);
    uint16_t id;
    for (size_t i = 0; i < FIELDS_MOST && schema.fields[i].name; i++) {
        bool is_usual = i >= first && i < first + count;
        values[i] = value_of(w, &schema.fields[i], is_usual ? &numbers[i - first] : NULL);
        schema.field_count++;
    }
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(w, id, time_ns, values, schema.field_count, NULL),
                     RAS_OK);
}

/* Spans that overlap on two threads; `line` NONE: that is absent. */
static struct ras_dial9_writer *spans_as(const struct dialect *d, uint64_t line)
{
    struct ras_dial9_writer *w = writer();
    for (uint64_t i = 1; i < 40; i++) {
        uint64_t at = 300 * i, id = i * 400, first = i % 3 ? at + 1 : NONE;
        put_as(w, d, ENTERS, at, (const uint64_t[]){id, 7, 1});
        put_as(w, d, ENTERS, at + 10, (const uint64_t[]){id, 8, 2});
        put_as(w, d, EXITS, at + 20 + i, (const uint64_t[]){id, 7, 1});
        put_as(w, d, EXITS, at + 90, (const uint64_t[]){id, i % 5 ? 8 : 9, 2});
        put_as(w, d, CLOSES, at + 100,
               (const uint64_t[]){id, at - 5, first, i % 4 ? 0 : 50, 0, 0, 0, line,
                                  i % 2 ? id - 400 : NONE, 0, i % 7 == 0});
    }
    return w;
}

/* All values of spans and their segments, as bytes. */
static void put_records(struct ras_sink *sink, struct ras_trace *t)
{
    static const struct ras_pick picks[] = {{.type = "span"}, {.type = "span_segment"}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2};
    const struct ras_record *r;
    struct ras_cursor *c;
    size_t count, records = 0;
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    for (; ras_next(c, &r, NULL) == RAS_OK; records++) {
        const struct ras_value *v = ras_values(c, &count);
        for (size_t i = 0; i < count; i++) {
            bool text = v[i].kind == RAS_STR;
            assert_int_equal(ras_sink_write(sink, text ? (const void *)v[i].at : &v[i].u,
                                            text ? v[i].count : sizeof v[i].u, NULL),
                             RAS_OK);
        }
    }
    assert_true(records > 100);
    ras_cursor_close(c);
}

/* The tables of spans, then the spans themselves. */
static struct ras_sink *answers_of(struct ras_dial9_writer *w)
{
    static const char *const tables[] = {"spans", "span_types", "span_time", "span_attributes"};
    const struct ras_stats_options how = {.tables = tables, .table_count = 4};
    struct ras_bytes bytes = ras_dial9_writer_bytes(w);
    struct ras_trace *t;
    struct ras_stats *s;
    struct ras_sink *sink;
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_stats(&s, t, &how, NULL), RAS_OK);
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_stats_json(sink, "x", t, s, NULL), RAS_OK);
    put_records(sink, t);
    ras_stats_free(s);
    ras_close(t);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
    return sink;
}

static void same_answers(const struct dialect *a, uint64_t a_line, const struct dialect *b,
                         uint64_t b_line, bool same)
{
    struct ras_sink *x = answers_of(spans_as(a, a_line)), *y = answers_of(spans_as(b, b_line));
    struct ras_bytes p = ras_sink_bytes(x), q = ras_sink_bytes(y);
    bool got = p.len == q.len && !memcmp(p.at, q.at, p.len);
    assert_true(got == same);
    assert_true(p.len > 1000);
    ras_sink_drop(x);
    ras_sink_drop(y);
}

static void types_and_order_of_fields_do_not_matter(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        same_answers(&usual, 42, &others[i], 42, true);
        same_answers(&usual, NONE, &others[i], NONE, true);
    }
    same_answers(&usual, 42, &usual, 43, false);
}

static void a_number_below_0_is_absent(void **state)
{
    (void)state;
    static const struct dialect is_signed = {
        {{STAY_OF(V, U32)}, {STAY_OF(V, U32)}, {CLOSE_OF(V, I64, S)}}};
    same_answers(&usual, NONE, &is_signed, (uint64_t)-2, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_order_of_fields_do_not_matter),
        cmocka_unit_test(a_number_below_0_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
