/* dial9_write_test.c - written streams: byte for byte, type-checked, each frame whole. */
#include "../again.h"
#include "../stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <pthread.h>
#include <cmocka.h>

#define SPAN(text)                                                                                 \
    (struct ras_bytes)                                                                             \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static const struct ras_dial9_schema ev = {
    "Ev", (const struct ras_dial9_field[]){{"v", RAS_DIAL9_VARINT}}, 1, true};

static struct ras_dial9_value number(unsigned type, uint64_t u)
{
    return (struct ras_dial9_value){.type = (uint8_t)type, .u = u};
}

static struct ras_dial9_value text(struct ras_bytes bytes)
{
    return (struct ras_dial9_value){
        .type = RAS_DIAL9_STRING, .count = (uint32_t)bytes.len, .at = bytes.at};
}

static struct ras_dial9_writer *open_writer(enum ras_dial9_dialect dialect)
{
    struct ras_dial9_writer_options options = {.dialect = dialect};
    struct ras_dial9_writer *w;
    assert_int_equal(ras_dial9_writer_open(&w, NULL, &options, NULL), RAS_OK);
    return w;
}

static void close_writer(struct ras_dial9_writer *w)
{
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

static void put_number(struct ras_dial9_writer *w, uint16_t id, uint64_t time_ns, uint64_t v)
{
    struct ras_dial9_value value = number(RAS_DIAL9_VARINT, v);
    assert_int_equal(ras_dial9_writer_event(w, id, time_ns, &value, 1, NULL), RAS_OK);
}

static void expect_bytes(const struct ras_dial9_writer *w, struct out *o)
{
    struct ras_bytes bytes = ras_dial9_writer_bytes(w);
    assert_int_equal(bytes.len, o->len);
    assert_memory_equal(bytes.at, o->at, o->len);
    out_free(o);
}

/* ---- time --------------------------------------------------------------------------- */

static void resets_go_where_the_specification_wants_them(void **state)
{
    (void)state;
    enum { MOST = 0xffffff };
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    struct out o = {0};
    uint16_t id;
    put_header(&o);
    put_ev_schema(&o);
    assert_int_equal(ras_dial9_writer_schema(w, &ev, &id, NULL), RAS_OK);
    static const struct {
        uint64_t time, delta;
        bool reset;
    } steps[] = {{MOST, MOST, false},
                 {2 * (uint64_t)MOST, MOST, false},
                 {3 * (uint64_t)MOST + 1, 0, true},
                 {3 * (uint64_t)MOST, 0, true},
                 {UINT64_MAX, 0, true},
                 {UINT64_MAX, 0, false},
                 {5, 0, true},
                 {UINT64_MAX - MOST, 0, true},
                 {UINT64_MAX, MOST, false},
                 {0, 0, true}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        put_number(w, id, steps[i].time, i);
        if (steps[i].reset)
            put_reset(&o, steps[i].time);
        put_ev(&o, steps[i].delta, i);
    }
    expect_bytes(w, &o);
    close_writer(w);
}

/* What was flushed is in the sink; the next event goes on after it. */
static void a_flush_hands_over_whole_frames(void **state)
{
    static const struct ras_dial9_field field = {"n", RAS_DIAL9_VARINT};
    const struct ras_dial9_schema schema = {"e", &field, 1, true};
    struct ras_dial9_writer *w;
    struct ras_sink *sink;
    uint16_t id;
    (void)state;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_open(&w, sink, NULL, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, NULL), RAS_OK);
    put_number(w, id, 5, 1);
    uint64_t buffered = ras_dial9_writer_bytes(w).len;
    assert_int_equal(ras_dial9_writer_flush(w, NULL), RAS_OK);
    assert_int_equal(ras_sink_size(sink), buffered);
    assert_int_equal(ras_dial9_writer_bytes(w).len, 0);
    put_number(w, id, 6, 2);
    assert_int_equal(ras_sink_size(sink), buffered);
    close_writer(w);
    assert_true(ras_sink_size(sink) > buffered);
    ras_sink_drop(sink);
}

static void an_event_without_a_timestamp_leaves_the_base_alone(void **state)
{
    (void)state;
    const struct ras_dial9_schema bare = {"Bare", ev.fields, 1, false};
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_SEED);
    struct out o = {0};
    uint16_t timed, untimed;
    assert_int_equal(ras_dial9_writer_schema(w, &ev, &timed, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_schema(w, &bare, &untimed, NULL), RAS_OK);
    put_number(w, timed, 100, 1);
    put_number(w, untimed, UINT64_MAX, 2);
    put_number(w, timed, 101, 3);
    put_header(&o);
    put_ev_schema(&o);
    put_schema(&o, 1, "Bare", false, 1, "v", RAS_DIAL9_VARINT);
    put_ev(&o, 100, 1);
    out_bytes(&o, "\2\1\0\2", 4);
    put_ev(&o, 1, 3);
    assert_int_equal(ras_dial9_writer_count(w), 3);
    expect_bytes(w, &o);
    close_writer(w);
}

/* ---- refusals ------------------------------------------------------------------------ */

/* A refusal says so in one line and leaves the stream as it was. */
static void expect_refusal(struct ras_dial9_writer *w, unsigned field_type,
                           struct ras_dial9_value value, int status, const char *why)
{
    const struct ras_dial9_field field = {"the field", (uint8_t)field_type};
    const struct ras_dial9_schema schema = {"Event", &field, 1, true};
    struct ras_error err = {0};
    uint16_t id;
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, NULL), RAS_OK);
    struct ras_bytes before = ras_dial9_writer_bytes(w);
    uint64_t count = ras_dial9_writer_count(w);
    assert_int_equal(ras_dial9_writer_event(w, id, 1u << 30, &value, 1, &err), status);
    assert_int_equal(ras_dial9_writer_bytes(w).len, before.len);
    assert_int_equal(ras_dial9_writer_count(w), count);
    assert_int_equal(err.offset, before.len);
    assert_non_null(strstr(err.text, "'the field' of event 'Event'"));
    assert_non_null(strstr(err.text, why));
}

static void values_must_be_what_the_schema_says(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    for (unsigned type = RAS_DIAL9_I64; type <= RAS_DIAL9_DYNAMIC_MAP; type++) {
        for (unsigned given = 0; given < 256; given++) {
            struct ras_dial9_value value = {.type = (uint8_t)given};
            if (given != type)
                expect_refusal(w, type, value, RAS_EUSAGE, "is wanted");
            if (given != type && given)
                expect_refusal(w, type | RAS_DIAL9_OPTIONAL, value, RAS_EUSAGE, "is wanted");
        }
    }
    close_writer(w);
}

static void numbers_must_fit(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    static const struct {
        unsigned type;
        uint64_t over;
    } cases[] = {{RAS_DIAL9_BOOL, 2},
                 {RAS_DIAL9_U8, 256},
                 {RAS_DIAL9_U16, 65536},
                 {RAS_DIAL9_U32, UINT64_C(1) << 32},
                 {RAS_DIAL9_POOLED_STRING, UINT64_C(1) << 32},
                 {RAS_DIAL9_POOLED_STACK_FRAMES, UINT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ras_dial9_value value = number(cases[i].type, cases[i].over);
        expect_refusal(w, cases[i].type, value, RAS_ELIMIT, "does not fit");
        expect_refusal(w, cases[i].type | RAS_DIAL9_OPTIONAL, value, RAS_ELIMIT, "does not fit");
    }
    close_writer(w);
}

static void strings_must_be_utf8_and_containers_made(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    struct ras_dial9_value bad = text(SPAN("ab\xff")), pair[2] = {text(SPAN("k")), bad};
    expect_refusal(w, RAS_DIAL9_STRING, bad, RAS_EFORMAT, "not UTF-8 from byte 2 of 3");
    expect_refusal(w, RAS_DIAL9_STRING_MAP, ras_dial9_made(RAS_DIAL9_STRING_MAP, pair, 1),
                   RAS_EFORMAT, "not UTF-8");
    pair[1] = number(RAS_DIAL9_VARINT, 1);
    expect_refusal(w, RAS_DIAL9_STRING_MAP, ras_dial9_made(RAS_DIAL9_STRING_MAP, pair, 1),
                   RAS_EUSAGE, "String is wanted, Varint is given");
    pair[1] = number(RAS_DIAL9_U8 | RAS_DIAL9_OPTIONAL, 1);
    expect_refusal(w, RAS_DIAL9_DYNAMIC_MAP, ras_dial9_made(RAS_DIAL9_DYNAMIC_MAP, pair, 1),
                   RAS_EUSAGE, "in a container");
    pair[1] = number(0, 0); /* absent: a container has no place for that */
    expect_refusal(w, RAS_DIAL9_DYNAMIC_LIST, ras_dial9_made(RAS_DIAL9_DYNAMIC_LIST, pair, 2),
                   RAS_EUSAGE, "in a container");
    struct ras_dial9_value stored = {
        .type = RAS_DIAL9_STRING_MAP, .count = 1, .at = (const uint8_t *)"\0\0\0\0\0\0\0\0"};
    expect_refusal(w, RAS_DIAL9_STRING_MAP, stored, RAS_EUSAGE, "stored bytes");
    close_writer(w);
}

static void nesting_ends_where_the_reader_ends_it(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    struct ras_dial9_value nested[34];
    nested[0] = number(RAS_DIAL9_U8, 7);
    for (unsigned i = 1; i < 34; i++)
        nested[i] = ras_dial9_made(RAS_DIAL9_DYNAMIC_LIST, &nested[i - 1], 1);
    expect_refusal(w, RAS_DIAL9_DYNAMIC_LIST, nested[33], RAS_ELIMIT, "nested too deep");
    assert_int_equal(ras_dial9_writer_event(w, 0, 0, &nested[32], 1, NULL), RAS_OK);
    struct ras_dial9 *reader;
    struct ras_dial9_frame frame;
    struct ras_bytes bytes = ras_dial9_writer_bytes(w);
    assert_int_equal(ras_dial9_open(&reader, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ras_dial9_next(reader, &frame, NULL), RAS_OK);
    assert_int_equal(ras_dial9_next(reader, &frame, NULL), RAS_END);
    ras_dial9_close(reader);
    close_writer(w);
}

static void events_must_fit_their_schema_and_the_limit(void **state)
{
    (void)state;
    struct ras_dial9_writer_options options = {.limits.record_bytes = 20};
    const struct ras_dial9_field field = {"b", RAS_DIAL9_BYTES};
    const struct ras_dial9_schema schema = {"Blob", &field, 1, true};
    struct ras_dial9_value blob = {
        .type = RAS_DIAL9_BYTES, .count = 10, .at = (const uint8_t *)"0123456789"};
    struct ras_dial9_writer *w;
    struct ras_error err;
    uint16_t id;
    assert_int_equal(ras_dial9_writer_open(&w, NULL, &options, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(w, 0, 0, &blob, 1, &err), RAS_EUSAGE);
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(w, id, 0, &blob, 0, &err), RAS_EUSAGE);
    assert_int_equal(ras_dial9_writer_event(w, id, 0, &blob, 1, &err), RAS_OK);
    blob.count = 11;
    size_t size = ras_dial9_writer_bytes(w).len;
    assert_int_equal(ras_dial9_writer_event(w, id, 0, &blob, 1, &err), RAS_ELIMIT);
    assert_string_equal(err.text, "event of 21 bytes, the limit is 20");
    assert_int_equal(ras_dial9_writer_bytes(w).len, size);
    close_writer(w);
}

static void schemas_must_be_representable(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    struct ras_error err;
    uint16_t id;
    char *name = malloc(65537);
    assert_non_null(name);
    memset(name, 'n', 65536);
    name[65536] = 0;
    struct ras_dial9_field field = {"f", RAS_DIAL9_U8};
    struct ras_dial9_schema schema = {name, &field, 1, true};
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, &err), RAS_ELIMIT);
    field.name = name;
    schema.name = "S";
    assert_int_equal(ras_dial9_writer_schema_as(w, 5, &schema, &err), RAS_ELIMIT);
    assert_int_equal(ras_dial9_writer_bytes(w).len, RAS_DIAL9_HEADER_SIZE);
    name[65535] = 0;
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, &err), RAS_OK);
    field.name = "\xc3";
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, &err), RAS_EFORMAT);
    field.name = "f";
    static const uint8_t none[] = {0, 16, 127, 128, 144, 255};
    for (size_t i = 0; i < sizeof none; i++) {
        field.type = none[i];
        assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, &err), RAS_EUSAGE);
    }
    free(name);
    close_writer(w);
}

static void the_seed_dialect_has_the_published_text_only(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_SEED);
    struct ras_dial9_annotation note = {0, SPAN("unit"), SPAN("ns")};
    struct ras_error err;
    uint64_t address = 1;
    uint32_t pool_id;
    uint16_t id;
    for (unsigned type = 1; type < 256; type++) {
        struct ras_dial9_field field = {"f", (uint8_t)type};
        struct ras_dial9_schema schema = {"S", &field, 1, true};
        bool published = type <= RAS_DIAL9_U32 && type != RAS_DIAL9_POOLED_STACK_FRAMES;
        bool known = ras_dial9_type_name(type) != NULL;
        assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, &err), published ? RAS_OK
                                                                         : known ? RAS_EUNSUPPORTED
                                                                                 : RAS_EUSAGE);
    }
    size_t size = ras_dial9_writer_bytes(w).len;
    assert_int_equal(ras_dial9_writer_annotate(w, 0, &note, 1, &err), RAS_EUNSUPPORTED);
    assert_int_equal(ras_dial9_writer_stack(w, &address, 1, &pool_id, &err), RAS_EUNSUPPORTED);
    assert_int_equal(ras_dial9_writer_stacks(w, NULL, 0, &err), RAS_EUNSUPPORTED);
    assert_int_equal(ras_dial9_writer_batch(w, &err), RAS_EUNSUPPORTED);
    assert_int_equal(ras_dial9_writer_bytes(w).len, size);
    assert_int_equal(ras_dial9_writer_string(w, SPAN("s"), &pool_id, &err), RAS_OK);
    close_writer(w);
}

/* ---- schemas, annotations, pools -------------------------------------------------------- */

static void a_schema_has_one_id(void **state)
{
    (void)state;
    const struct ras_dial9_schema untimed = {"Ev", ev.fields, 1, false};
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    struct ras_error err;
    struct out o = {0};
    uint16_t id;
    assert_int_equal(ras_dial9_writer_schema_as(w, 0, &untimed, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_schema(w, &ev, &id, &err), RAS_OK);
    assert_int_equal(id, 1); /* 0 is the caller's */
    assert_int_equal(ras_dial9_writer_schema(w, &ev, &id, &err), RAS_OK);
    assert_int_equal(id, 1);
    assert_int_equal(ras_dial9_writer_schema_as(w, 0, &ev, &err), RAS_EUSAGE);
    assert_int_equal(ras_dial9_writer_schema_as(w, 0, &untimed, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_schema_as(w, 65535, &ev, &err), RAS_OK);
    put_header(&o);
    put_schema(&o, 0, "Ev", false, 1, "v", RAS_DIAL9_VARINT);
    put_schema(&o, 1, "Ev", true, 1, "v", RAS_DIAL9_VARINT);
    put_schema(&o, 0, "Ev", false, 1, "v", RAS_DIAL9_VARINT);
    put_schema(&o, 65535, "Ev", true, 1, "v", RAS_DIAL9_VARINT);
    expect_bytes(w, &o);
    close_writer(w);
}

static void all_type_ids_can_be_used_and_no_more(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    struct ras_dial9_schema schema = {.has_timestamp = true};
    struct ras_error err;
    char name[16];
    uint16_t id;
    schema.name = name;
    for (unsigned i = 0; i < 65536; i++) {
        snprintf(name, sizeof name, "S%u", i);
        assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, &err), RAS_OK);
        assert_int_equal(id, i);
    }
    size_t size = ras_dial9_writer_bytes(w).len;
    snprintf(name, sizeof name, "one more");
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, &err), RAS_ELIMIT);
    assert_int_equal(ras_dial9_writer_bytes(w).len, size);
    close_writer(w);
}

static void a_type_comes_again_with_its_annotations_in_the_next_batch(void **state)
{
    (void)state;
    struct ras_dial9_annotation note = {0, SPAN("unit"), SPAN("ns")}, none = {1, {0}, {0}};
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    struct ras_dial9_value bad = number(RAS_DIAL9_U8, 1);
    struct ras_error err;
    struct out o = {0};
    uint16_t id;
    assert_int_equal(ras_dial9_writer_schema(w, &ev, &id, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_annotate(w, id, &none, 1, &err), RAS_EUSAGE);
    assert_int_equal(ras_dial9_writer_annotate(w, id, &note, 1, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_annotate(w, 300, &none, 1, &err), RAS_OK);
    put_number(w, id, 7, 1);
    assert_int_equal(ras_dial9_writer_batch(w, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(w, id, 9, &bad, 1, &err), RAS_EUSAGE);
    put_number(w, id, 9, 2);
    put_header(&o);
    put_ev_schema(&o);
    out_bytes(&o, "\6\0\1\0\0\0\4\0unit\2\0\0\0ns", 18);
    out_bytes(&o, "\6\xac\2\1\0\1\0\0\0\0\0\0\0", 13);
    put_ev(&o, 7, 1);
    put_header(&o);
    put_ev_schema(&o);
    out_bytes(&o, "\6\0\1\0\0\0\4\0unit\2\0\0\0ns", 18);
    put_ev(&o, 9, 2);
    expect_bytes(w, &o);
    close_writer(w);
}

static void strings_are_written_once_a_batch(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_SEED);
    struct ras_dial9_string_entry taken[] = {{1, SPAN("one")}, {UINT32_MAX, SPAN("last")}};
    struct ras_error err;
    struct out o = {0};
    uint32_t id;
    put_header(&o);
    put_string(&o, 0, "a");
    out_bytes(&o, "\3\2\0\0\0\1\0\0\0\3\0\0\0one\xff\xff\xff\xff\4\0\0\0last", 28);
    put_string(&o, 2, "b");
    assert_int_equal(ras_dial9_writer_string(w, SPAN("a"), &id, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_strings(w, taken, 2, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_string(w, SPAN("b"), &id, &err), RAS_OK);
    assert_int_equal(id, 2);
    assert_int_equal(ras_dial9_writer_string(w, SPAN("a"), &id, &err), RAS_OK);
    assert_int_equal(id, 0);
    /* Id 0 has another definition from here on, so that "a" needs another id. */
    taken[0].pool_id = 0;
    assert_int_equal(ras_dial9_writer_strings(w, taken, 1, &err), RAS_OK);
    put_string(&o, 0, "one");
    assert_int_equal(ras_dial9_writer_string(w, SPAN("a"), &id, &err), RAS_OK);
    assert_int_equal(id, 3);
    put_string(&o, 3, "a");
    assert_int_equal(ras_dial9_writer_string(w, SPAN("\xff"), &id, &err), RAS_EFORMAT);
    taken[1].text = SPAN("\xff");
    assert_int_equal(ras_dial9_writer_strings(w, taken, 2, &err), RAS_EFORMAT);
    expect_bytes(w, &o);
    close_writer(w);
}

static void stacks_are_a_pool_of_their_own(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_FULL);
    static const uint64_t addresses[] = {0x1000, 0x1001, 0x1002};
    struct ras_error err;
    struct out o = {0};
    uint32_t id;
    put_header(&o);
    put_string(&o, 0, "a");
    put_stack(&o, 0, 0x1000, 3);
    put_stack(&o, 1, 0, 0);
    put_header(&o);
    put_stack(&o, 0, 0x1000, 2);
    assert_int_equal(ras_dial9_writer_string(w, SPAN("a"), &id, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_stack(w, addresses, 3, &id, &err), RAS_OK);
    assert_int_equal(id, 0);
    assert_int_equal(ras_dial9_writer_stack(w, NULL, 0, &id, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_stack(w, addresses, 3, &id, &err), RAS_OK);
    assert_int_equal(id, 0);
    assert_int_equal(ras_dial9_writer_batch(w, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_stack(w, addresses, 2, &id, &err), RAS_OK);
    assert_int_equal(id, 0);
    expect_bytes(w, &o);
    close_writer(w);
}

static void a_pool_stays_within_its_limit(void **state)
{
    (void)state;
    struct ras_dial9_writer_options options = {.limits.pool_bytes = 1000};
    struct ras_dial9_writer *w;
    struct ras_error err;
    uint32_t id;
    int status = RAS_OK;
    char name[16];
    assert_int_equal(ras_dial9_writer_open(&w, NULL, &options, NULL), RAS_OK);
    unsigned i = 0;
    for (; i < 100 && status == RAS_OK; i++) {
        int len = snprintf(name, sizeof name, "string %u", i);
        status = ras_dial9_writer_string(w, (struct ras_bytes){(const uint8_t *)name, (size_t)len},
                                         &id, &err);
    }
    assert_int_equal(status, RAS_ELIMIT);
    assert_in_range(i, 10, 60);
    assert_int_equal(ras_dial9_writer_string(w, SPAN("string 1"), &id, &err), RAS_OK);
    close_writer(w);
}

/* ---- threads ------------------------------------------------------------------------------ */

enum { THREADS = 4, ROUNDS = 5, EACH = 500 };

struct shared {
    struct ras_sink *sink;
    pthread_mutex_t lock;
    unsigned number;
};

static void *record(void *user)
{
    struct shared *shared = user;
    struct ras_dial9_writer *w;
    uint16_t id;
    pthread_mutex_lock(&shared->lock);
    uint64_t mine = shared->number++;
    pthread_mutex_unlock(&shared->lock);
    if (ras_dial9_writer_open(&w, NULL, NULL, NULL) < 0)
        return user;
    int status = ras_dial9_writer_schema(w, &ev, &id, NULL);
    for (unsigned round = 0; round < ROUNDS && status == RAS_OK; round++) {
        for (unsigned i = 0; i < EACH && status == RAS_OK; i++) {
            struct ras_dial9_value v = number(RAS_DIAL9_VARINT, mine << 32 | round * EACH | i);
            status = ras_dial9_writer_event(w, id, mine + i, &v, 1, NULL);
        }
        pthread_mutex_lock(&shared->lock);
        if (status == RAS_OK)
            status = ras_dial9_writer_append(w, shared->sink, NULL);
        pthread_mutex_unlock(&shared->lock);
    }
    return ras_dial9_writer_close(w, NULL) < 0 || status < 0 ? user : NULL;
}

struct tally {
    uint64_t events, sum;
};

static int count_event(void *user, const struct ras_dial9_event *event)
{
    struct tally *tally = user;
    tally->events++;
    tally->sum += event->values[0].u;
    return 0;
}

static void threads_append_their_batches_to_one_stream(void **state)
{
    (void)state;
    struct shared shared = {0};
    struct tally tally = {0};
    struct ras_dial9 *reader;
    pthread_t threads[THREADS];
    uint64_t expected = 0;
    assert_int_equal(ras_sink_memory(&shared.sink, NULL), RAS_OK);
    assert_int_equal(pthread_mutex_init(&shared.lock, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, record, &shared), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed = &shared;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    for (uint64_t mine = 0; mine < THREADS; mine++)
        for (unsigned round = 0; round < ROUNDS; round++)
            for (unsigned i = 0; i < EACH; i++)
                expected += mine << 32 | round * EACH | i;
    struct ras_bytes bytes = ras_sink_bytes(shared.sink);
    assert_int_equal(ras_dial9_open(&reader, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_dial9_visit(reader, count_event, &tally, NULL), RAS_END);
    assert_int_equal(tally.events, THREADS * ROUNDS * EACH);
    assert_int_equal(tally.sum, expected);
    ras_dial9_close(reader);
    ras_sink_drop(shared.sink);
    pthread_mutex_destroy(&shared.lock);
}

static void an_empty_batch_is_not_appended(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = open_writer(RAS_DIAL9_SEED);
    struct ras_sink *sink;
    struct ras_error err;
    uint16_t id;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_append(w, sink, &err), RAS_OK);
    assert_int_equal(ras_sink_size(sink), 0);
    assert_int_equal(ras_dial9_writer_schema(w, &ev, &id, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_append(w, sink, &err), RAS_OK);
    assert_int_equal(ras_sink_size(sink), 5 + 8 + 2 + 3 + 1);
    /* The published text has one header: this stream has no other. */
    struct ras_dial9_value v = number(RAS_DIAL9_VARINT, 1);
    assert_int_equal(ras_dial9_writer_event(w, id, 0, &v, 1, &err), RAS_EUNSUPPORTED);
    assert_int_equal(ras_dial9_writer_schema(w, &ev, &id, &err), RAS_EUNSUPPORTED);
    assert_int_equal(ras_dial9_writer_append(w, sink, &err), RAS_EUNSUPPORTED);
    close_writer(w);
    ras_sink_drop(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resets_go_where_the_specification_wants_them),
        cmocka_unit_test(a_flush_hands_over_whole_frames),
        cmocka_unit_test(an_event_without_a_timestamp_leaves_the_base_alone),
        cmocka_unit_test(values_must_be_what_the_schema_says),
        cmocka_unit_test(numbers_must_fit),
        cmocka_unit_test(strings_must_be_utf8_and_containers_made),
        cmocka_unit_test(nesting_ends_where_the_reader_ends_it),
        cmocka_unit_test(events_must_fit_their_schema_and_the_limit),
        cmocka_unit_test(schemas_must_be_representable),
        cmocka_unit_test(the_seed_dialect_has_the_published_text_only),
        cmocka_unit_test(a_schema_has_one_id),
        cmocka_unit_test(all_type_ids_can_be_used_and_no_more),
        cmocka_unit_test(a_type_comes_again_with_its_annotations_in_the_next_batch),
        cmocka_unit_test(strings_are_written_once_a_batch),
        cmocka_unit_test(stacks_are_a_pool_of_their_own),
        cmocka_unit_test(a_pool_stays_within_its_limit),
        cmocka_unit_test(threads_append_their_batches_to_one_stream),
        cmocka_unit_test(an_empty_batch_is_not_appended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
