/* murk_read_test.c - a replay as records: frames, then commands, complete or not at all. */
#include "../replay.h"
#include "core/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct ras_trace *open_bytes(const void *bytes, size_t size)
{
    struct ras_trace *t;
    struct ras_error err;
    assert_int_equal(ras_open_memory(&t, bytes, size, NULL, &err), RAS_OK);
    return t;
}

static struct ras_cursor *open_cursor(struct ras_trace *t, const struct ras_scan *scan)
{
    struct ras_cursor *c;
    assert_int_equal(ras_cursor_open(&c, t, scan, NULL), RAS_OK);
    return c;
}

/* The cell of a field of the current record. */
static const struct ras_value *cell(const struct ras_cursor *c, const char *field)
{
    const struct ras_schema *s = ras_schema_of(c);
    size_t n;
    const struct ras_value *v = ras_values(c, &n);
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(s->fields[v[i].field].name, field))
            return &v[i];
        if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            i += v[i].count;
    }
    return NULL;
}

static void a_frame_comes_before_its_commands(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_frame(&o, 4);
    put_despawns(&o, 5, 2);
    struct ras_trace *t = open_bytes(o.at, o.len);
    struct ras_cursor *c = open_cursor(t, NULL);
    static const struct {
        const char *type;
        uint64_t tick, parent, offset, len;
    } want[] = {
        {"frame", 4, RAS_NONE, HEADER_SIZE, 20},
        {"frame", 5, RAS_NONE, HEADER_SIZE + 20, 20 + 2 * DESPAWN_SIZE},
        {"command", 5, 1, HEADER_SIZE + 32, DESPAWN_SIZE},
        {"command", 5, 1, HEADER_SIZE + 32 + DESPAWN_SIZE, DESPAWN_SIZE},
    };
    const struct ras_record *r;
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        assert_string_equal(ras_schema_of(c)->name, want[i].type);
        assert_int_equal(r->seq, i);
        assert_int_equal(r->tick, want[i].tick);
        assert_int_equal(r->flags, RAS_HAS_TICK);
        assert_int_equal(r->parent, want[i].parent);
        assert_int_equal(r->offset, want[i].offset);
        assert_int_equal(r->raw_len, want[i].len);
        assert_memory_equal(r->raw, o.at + want[i].offset, want[i].len);
    }
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    assert_int_equal(ras_ending(t).kind, RAS_COMPLETE);
    assert_int_equal(ras_ending(t).offset, o.len);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

/* Frames of 0, 1 and 3 commands end at 20, 72 and 188 bytes after the header. */
static void a_replay_cut_at_every_byte_yields_its_whole_frames(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_frame(&o, 1);
    put_despawns(&o, 2, 1);
    put_despawns(&o, 3, 3);
    for (size_t size = HEADER_SIZE; size <= o.len; size++) {
        static const size_t ends[] = {0, 20, 72, 188}, records[] = {0, 1, 3, 7};
        size_t whole = 0;
        while (whole < 3 && size >= HEADER_SIZE + ends[whole + 1])
            whole++;
        uint8_t *exact = malloc(size);
        assert_non_null(exact);
        memcpy(exact, o.at, size);
        struct ras_trace *t = open_bytes(exact, size);
        struct ras_cursor *c = open_cursor(t, NULL);
        const struct ras_record *r;
        size_t n = 0;
        while (ras_next(c, &r, NULL) == RAS_OK)
            n++;
        assert_int_equal(n, records[whole]);
        struct ras_ending end = ras_ending(t);
        bool clean = size == HEADER_SIZE + ends[whole];
        assert_int_equal(end.kind, clean ? RAS_COMPLETE : RAS_CUT);
        assert_int_equal(end.offset, HEADER_SIZE + ends[whole]);
        assert_int_equal(end.size, size);
        assert_int_equal(*end.why == 0, clean);
        ras_cursor_close(c);
        ras_close(t);
        free(exact);
    }
    out_free(&o);
}

static struct ras_trace *one_command(struct out *o, uint8_t tag, const void *payload, size_t size)
{
    struct command c = {.tag = tag, .payload = payload, .payload_len = size};
    put_header(o);
    put_u64(o, 1);
    put_u32(o, 1);
    put_command(o, &c);
    put_u64(o, 0);
    return open_bytes(o->at, o->len);
}

/* Step to the only command. */
static struct ras_cursor *at_command(struct ras_trace *t)
{
    struct ras_cursor *c = open_cursor(t, NULL);
    const struct ras_record *r;
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    return c;
}

static void typed_fields_a_payload_lacks_are_null(void **state)
{
    (void)state;
    struct out o = {0};
    static const char *const typed[] = {"entity_id", "coord", "field_id", "value", "field_values",
                                        "type_id",   "data",  "key",      "params"};
    struct ras_trace *t = one_command(&o, 2, "\7\0\0\0\0\0\0\0", 8);
    struct ras_cursor *c = at_command(t);
    assert_memory_equal(cell(c, "payload_name")->at, "Despawn", 7);
    assert_int_equal(cell(c, "entity_id")->u, 7);
    for (size_t i = 1; i < 9; i++)
        assert_int_equal(cell(c, typed[i])->kind, RAS_NULL);
    assert_int_equal(cell(c, "source_id")->kind, RAS_NULL);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void a_payload_that_cannot_be_decoded_is_delivered_raw(void **state)
{
    (void)state;
    static const struct {
        uint8_t tag;
        const char *name;
    } cases[] = {{7, NULL}, {255, NULL}, {0, "Move"}}; /* two unknown tags, one too short */
    for (size_t i = 0; i < 3; i++) {
        struct out o = {0};
        struct ras_trace *t = one_command(&o, cases[i].tag, "abc", 3);
        struct ras_cursor *c = at_command(t);
        assert_int_equal(cell(c, "payload_type")->u, cases[i].tag);
        assert_int_equal(cell(c, "payload_name")->kind, cases[i].name ? RAS_STR : RAS_NULL);
        assert_int_equal(cell(c, "payload")->count, 3);
        assert_memory_equal(cell(c, "payload")->at, "abc", 3);
        assert_int_equal(cell(c, "entity_id")->kind, RAS_NULL);
        assert_int_equal(cell(c, "coord")->kind, RAS_NULL);
        ras_cursor_close(c);
        ras_close(t);
        out_free(&o);
    }
}

/* Every NaN keeps its bits, and coordinates their sign. */
static void floats_and_coordinates_survive(void **state)
{
    (void)state;
    static const uint32_t patterns[] = {0x7f800001, 0xffc12345, 0x80000000, 0x00000001};
    for (size_t i = 0; i < 4; i++) {
        struct out o = {0}, payload = {0};
        put_u32(&payload, 2);
        put_u32(&payload, 0x80000000);
        put_u32(&payload, 0xffffffff);
        put_u32(&payload, 6);
        put_u32(&payload, patterns[i]);
        struct ras_trace *t = one_command(&o, 3, payload.at, payload.len);
        struct ras_cursor *c = at_command(t);
        const struct ras_value *coord = cell(c, "coord"), *value = cell(c, "value");
        assert_int_equal(coord->count, 2);
        assert_true(coord[1].i == INT32_MIN && coord[2].i == -1);
        uint32_t bits;
        memcpy(&bits, &value->f32, 4);
        assert_int_equal(value->kind, RAS_F32);
        assert_int_equal(bits, patterns[i]);
        ras_cursor_close(c);
        ras_close(t);
        out_free(&o);
        out_free(&payload);
    }
    struct out o = {0};
    struct ras_trace *t = one_command(&o, 5, "\1\0\0\0\1\0\0\0\0\0\xf0\x7f", 12);
    struct ras_cursor *c = at_command(t);
    assert_int_equal(cell(c, "value")->kind, RAS_F64);
    assert_int_equal(cell(c, "value")->u, 0x7ff0000000000001);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void lists_hold_maps_of_an_id_and_a_value(void **state)
{
    (void)state;
    struct out o = {0}, payload = {0};
    put_u32(&payload, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        put_u32(&payload, i);
        put_u64(&payload, i);
    }
    struct ras_trace *t = one_command(&o, 6, payload.at, payload.len);
    struct ras_cursor *c = at_command(t);
    const struct ras_value *list = cell(c, "params");
    assert_int_equal(list->kind, RAS_LIST);
    assert_int_equal(list->count, 5000);
    for (uint32_t i = 0; i < 1000; i++) {
        const struct ras_value *map = list + 1 + 5 * i;
        assert_true(map->kind == RAS_MAP && map->count == 4);
        assert_memory_equal(map[1].at, "key", 3);
        assert_int_equal(map[2].u, i);
        assert_memory_equal(map[3].at, "value", 5);
        assert_int_equal(map[4].u, i);
    }
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
    out_free(&payload);
}

static void only_wanted_fields_are_decoded(void **state)
{
    (void)state;
    struct out o = {0};
    const char *const fields[] = {"arrival_seq", "entity_id"};
    struct ras_pick pick = {.type = "command", .fields = fields, .field_count = 2};
    struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    put_header(&o);
    put_despawns(&o, 9, 3);
    struct ras_trace *t = open_bytes(o.at, o.len);
    struct ras_cursor *c = open_cursor(t, &scan);
    const struct ras_record *r;
    size_t n;
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        assert_int_equal(r->seq, i + 1);
        const struct ras_value *v = ras_values(c, &n);
        assert_int_equal(n, 2);
        assert_int_equal(v[0].u, i);
        assert_int_equal(v[1].u, i);
    }
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void a_frame_beyond_the_users_limit_is_not_delivered(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    struct ras_options options = {.limits = {.record_bytes = 20 + DESPAWN_SIZE}};
    put_header(&o);
    put_despawns(&o, 1, 1);
    put_despawns(&o, 2, 2);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, &options, NULL), RAS_OK);
    struct ras_cursor *c = open_cursor(t, NULL);
    const struct ras_record *r;
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    assert_int_equal(ras_ending(t).kind, RAS_DAMAGED);
    assert_string_equal(ras_ending(t).why, "frame of 84 bytes exceeds the limit of 52");
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

static void the_header_is_reported_as_facts(void **state)
{
    (void)state;
    struct out o = {0};
    static const char *const keys[] = {"toolchain",     "target_triple", "murk_version",
                                       "compile_flags", "seed",          "config_hash",
                                       "field_count",   "cell_count",    "space_descriptor_bytes"};
    put_header(&o);
    struct ras_trace *t = open_bytes(o.at, o.len);
    size_t n;
    const struct ras_fact *f = ras_facts(t, &n);
    assert_int_equal(n, 9);
    for (size_t i = 0; i < 9; i++)
        assert_string_equal(f[i].key, keys[i]);
    assert_true(f[4].value.u == 7 && f[5].value.u == 0xabcd && f[5].flags == RAS_HEX);
    ras_close(t);
    out_free(&o);
}

static void old_versions_are_refused_by_number(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "unsupported format version 0 (this reader knows 3)",
        "unsupported format version 1 (this reader knows 3), superseded by version 3: record it "
        "again or convert it",
        "unsupported format version 2 (this reader knows 3), superseded by version 3: record it "
        "again or convert it",
        NULL,
        "unsupported format version 4 (this reader knows 3), announced, but its layout is not "
        "published",
    };
    for (uint8_t version = 0; version < 5; version++) {
        uint8_t bytes[40] = {'M', 'U', 'R', 'K', version};
        struct ras_trace *t;
        struct ras_error err;
        if (!texts[version])
            continue;
        assert_int_equal(ras_open_memory(&t, bytes, sizeof bytes, NULL, &err), RAS_EVERSION);
        assert_int_equal(err.offset, 4);
        assert_string_equal(err.text, texts[version]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_before_its_commands),
        cmocka_unit_test(a_replay_cut_at_every_byte_yields_its_whole_frames),
        cmocka_unit_test(typed_fields_a_payload_lacks_are_null),
        cmocka_unit_test(a_payload_that_cannot_be_decoded_is_delivered_raw),
        cmocka_unit_test(floats_and_coordinates_survive),
        cmocka_unit_test(lists_hold_maps_of_an_id_and_a_value),
        cmocka_unit_test(only_wanted_fields_are_decoded),
        cmocka_unit_test(a_frame_beyond_the_users_limit_is_not_delivered),
        cmocka_unit_test(the_header_is_reported_as_facts),
        cmocka_unit_test(old_versions_are_refused_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
