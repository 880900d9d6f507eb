/* murk_wire_test.c - header, frames, commands and payloads: every limit, flag and cut. */
#include "../replay.h"
#include <rastrum/murk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct ras_bytes all(const struct out *o)
{
    return (struct ras_bytes){o->at, o->len};
}

static void is_fault(const struct ras_murk_fault *f, enum ras_murk_fault_code code, uint64_t offset,
                     uint64_t number, const char *field, const char *kind)
{
    assert_int_equal(f->code, code);
    assert_int_equal(f->offset, offset);
    assert_int_equal(f->number, number);
    assert_string_equal(f->field, field);
    assert_string_equal(ras_murk_kind(f), kind);
}

/* ---- header ------------------------------------------------------------------ */

static void put_strings(struct out *o)
{
    out_bytes(o, "MURK\3", 5);
    put_lp(o, "1.78.0", 6);
    put_lp(o, "x86_64", 6);
    put_lp(o, "0.1.9", 5);
    put_lp(o, "\xe2\x82\xac\xf4\x8f\xbf\xbf\0", 8); /* U+20AC, U+10FFFF and NUL are fine */
}

static void put_init(struct out *o)
{
    put_u64(o, 0x0102030405060708);
    put_u64(o, UINT64_MAX);
    put_u32(o, UINT32_MAX);
    put_u64(o, 0x8000000000000000);
    put_lp(o, "grid", 4);
}

static void a_header_is_read_whole(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_murk_header h;
    struct ras_murk_fault fault;
    put_strings(&o);
    put_init(&o);
    size_t size = o.len;
    put_frame(&o, 1);
    assert_true(ras_murk_header_get(all(&o), &h, &fault));
    assert_int_equal(h.version, 3);
    assert_memory_equal(h.toolchain.at, "1.78.0", h.toolchain.len);
    assert_memory_equal(h.target_triple.at, "x86_64", h.target_triple.len);
    assert_memory_equal(h.murk_version.at, "0.1.9", h.murk_version.len);
    assert_int_equal(h.compile_flags.len, 8);
    assert_int_equal(h.seed, 0x0102030405060708);
    assert_int_equal(h.config_hash, UINT64_MAX);
    assert_int_equal(h.field_count, UINT32_MAX);
    assert_int_equal(h.cell_count, 0x8000000000000000);
    assert_memory_equal(h.space_descriptor.at, "grid", 4);
    assert_int_equal(h.size, size);
    out_free(&o);
}

/* Where each field begins: a header cut anywhere is cut inside that field. */
static void a_header_cut_at_every_byte_names_its_field(void **state)
{
    (void)state;
    static const struct {
        uint64_t from;
        const char *field;
    } parts[] = {{0, "magic"},
                 {4, "version"},
                 {5, "toolchain"},
                 {15, "target_triple"},
                 {25, "murk_version"},
                 {34, "compile_flags"},
                 {46, "init descriptor"},
                 {78, "space_descriptor"}};
    struct out o = {0};
    struct ras_murk_header h;
    struct ras_murk_fault fault;
    put_strings(&o);
    put_init(&o);
    for (size_t size = 0, part = 0; size < o.len; size++) {
        while (part + 1 < 8 && size >= parts[part + 1].from)
            part++;
        uint8_t *exact = malloc(size + 1); /* lets a sanitizer see reads past the end */
        assert_non_null(exact);
        memcpy(exact, o.at, size);
        assert_false(ras_murk_header_get((struct ras_bytes){exact, size}, &h, &fault));
        assert_int_equal(fault.code, RAS_MURK_CUT);
        assert_string_equal(fault.field, parts[part].field);
        assert_string_equal(ras_murk_kind(&fault), "Io");
        assert_true(fault.offset <= size);
        free(exact);
    }
    assert_false(ras_murk_header_get((struct ras_bytes){NULL, 0}, &h, &fault));
    is_fault(&fault, RAS_MURK_CUT, 0, 0, "magic", "Io");
    out_free(&o);
}

static void magic_and_version_are_checked_first(void **state)
{
    (void)state;
    struct ras_murk_header h;
    struct ras_murk_fault fault;
    char text[160];
    assert_false(ras_murk_header_get((struct ras_bytes){(const uint8_t *)"MURX", 4}, &h, &fault));
    is_fault(&fault, RAS_MURK_BAD_MAGIC, 0, 0x5852554d, "magic", "InvalidMagic");
    assert_string_equal(ras_murk_text(&fault, text, sizeof text),
                        "invalid magic bytes (expected \"MURK\")");
    for (unsigned version = 0; version < 256; version++) {
        uint8_t bytes[] = {'M', 'U', 'R', 'K', (uint8_t)version};
        assert_false(ras_murk_header_get((struct ras_bytes){bytes, 5}, &h, &fault));
        if (version == 3)
            is_fault(&fault, RAS_MURK_CUT, 5, 0, "toolchain", "Io");
        else
            is_fault(&fault, RAS_MURK_BAD_VERSION, 4, version, "version", "UnsupportedVersion");
    }
    assert_string_equal(ras_murk_text(&fault, text, sizeof text),
                        "unsupported format version 255 (this reader knows 3)");
}

static void a_string_is_at_most_a_mebibyte(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_murk_header h;
    struct ras_murk_fault fault;
    char text[160], *long_string = calloc(1, RAS_MURK_STRING_MAX);
    assert_non_null(long_string);
    out_bytes(&o, "MURK\3", 5);
    for (int i = 0; i < 4; i++)
        put_lp(&o, long_string, RAS_MURK_STRING_MAX);
    put_init(&o);
    assert_true(ras_murk_header_get(all(&o), &h, &fault));
    assert_int_equal(h.compile_flags.len, RAS_MURK_STRING_MAX);
    o.len = 5;
    put_u32(&o, RAS_MURK_STRING_MAX + 1); /* nothing follows: the limit is reported first */
    assert_false(ras_murk_header_get(all(&o), &h, &fault));
    is_fault(&fault, RAS_MURK_LONG_STRING, 5, RAS_MURK_STRING_MAX + 1, "toolchain",
             "MalformedFrame");
    assert_string_equal(ras_murk_text(&fault, text, sizeof text),
                        "toolchain: string length 1048577 exceeds limit 1048576");
    free(long_string);
    out_free(&o);
}

static void the_descriptor_is_at_most_64_mebibytes(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_murk_header h;
    struct ras_murk_fault fault;
    put_header(&o);
    o.len -= 4;
    uint8_t *big = calloc(1, HEADER_SIZE + (size_t)RAS_MURK_BYTES_MAX);
    assert_non_null(big);
    put_u32(&o, RAS_MURK_BYTES_MAX);
    memcpy(big, o.at, HEADER_SIZE);
    struct ras_bytes whole = {big, HEADER_SIZE + (size_t)RAS_MURK_BYTES_MAX};
    assert_true(ras_murk_header_get(whole, &h, &fault));
    assert_int_equal(h.size, whole.len);
    whole.len--;
    assert_false(ras_murk_header_get(whole, &h, &fault));
    is_fault(&fault, RAS_MURK_CUT, HEADER_SIZE - 4, 0, "space_descriptor", "Io");
    free(big);
    o.len -= 4;
    put_u32(&o, RAS_MURK_BYTES_MAX + 1);
    assert_false(ras_murk_header_get(all(&o), &h, &fault));
    is_fault(&fault, RAS_MURK_LONG_BYTES, HEADER_SIZE - 4, RAS_MURK_BYTES_MAX + 1,
             "space_descriptor", "MalformedFrame");
    out_free(&o);
}

static void strings_are_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bad;
    } cases[] = {{"a\xff", 1},          {"\xc0\xaf", 0},
                 {"ab\xed\xa0\x80", 2}, {"\xf4\x90\x80\x80", 0},
                 {"abc\xe2\x82", 3},    {"\x80", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct out o = {0};
        struct ras_murk_header h;
        struct ras_murk_fault fault;
        out_bytes(&o, "MURK\3", 5);
        put_lp(&o, "fine", 4);
        put_lp(&o, cases[i].text, strlen(cases[i].text));
        assert_false(ras_murk_header_get(all(&o), &h, &fault));
        is_fault(&fault, RAS_MURK_BAD_UTF8, 17 + cases[i].bad, cases[i].bad, "target_triple",
                 "MalformedFrame");
        out_free(&o);
    }
}

/* ---- commands ------------------------------------------------------------------ */

static const uint64_t zero = 0, one = 1, most = UINT64_MAX;
static const uint64_t *const presence[] = {NULL, &zero, &one, &most};

static void same_optional(bool has, uint64_t value, const uint64_t *want)
{
    assert_int_equal(has, want != NULL);
    assert_int_equal(value, want ? *want : 0);
}

/* Each of 16 combinations, at the end of the input, where the careful path reads it, and with more
 * bytes after it, where the fast path does. */
static void absent_zero_and_largest_source_are_distinct(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        struct command want = {.tag = 2,
                               .payload = "payload",
                               .payload_len = 7,
                               .priority = 255,
                               .source_id = presence[i / 4],
                               .source_seq = presence[i % 4],
                               .expires = UINT64_MAX - 1,
                               .arrival = 0x8000000000000001};
        struct out o = {0};
        put_command(&o, &want);
        size_t size = o.len;
        for (int more = 0; more < 2; more++) {
            struct ras_murk_command c;
            struct ras_murk_fault fault;
            assert_true(ras_murk_command_get(all(&o), &c, &fault));
            assert_int_equal(c.payload_type, 2);
            assert_int_equal(c.payload.len, 7);
            assert_memory_equal(c.payload.at, "payload", 7);
            assert_int_equal(c.priority_class, 255);
            same_optional(c.has_source_id, c.source_id, want.source_id);
            same_optional(c.has_source_seq, c.source_seq, want.source_seq);
            assert_int_equal(c.expires_after_tick, UINT64_MAX - 1);
            assert_int_equal(c.arrival_seq, 0x8000000000000001);
            assert_int_equal(c.size, size);
            for (int k = 0; k < 100; k++)
                out_byte(&o, 0xee);
        }
        out_free(&o);
    }
}

static void a_presence_flag_is_0_or_1(void **state)
{
    (void)state;
    struct command c = {.tag = 2, .payload = "12345678", .payload_len = 8, .source_id = &one};
    for (unsigned flag = 2; flag < 256; flag++) {
        for (int more = 0; more < 2; more++) {
            struct ras_murk_command got;
            struct ras_murk_fault fault;
            struct out o = {0};
            put_command(&o, &c);
            for (int k = 0; more && k < 100; k++)
                out_byte(&o, 0);
            o.at[14] = (uint8_t)flag;
            assert_false(ras_murk_command_get(all(&o), &got, &fault));
            is_fault(&fault, RAS_MURK_BAD_ID_FLAG, 14, flag, "source_id", "MalformedFrame");
            o.at[14] = 1;
            o.at[23] = (uint8_t)flag;
            assert_false(ras_murk_command_get(all(&o), &got, &fault));
            is_fault(&fault, RAS_MURK_BAD_SEQ_FLAG, 23, flag, "source_seq", "MalformedFrame");
            out_free(&o);
        }
    }
}

static void a_command_cut_at_every_byte_is_cut(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        struct command c = {.payload = "12345",
                            .payload_len = 5,
                            .source_id = presence[i / 4],
                            .source_seq = presence[i % 4]};
        struct out o = {0};
        put_command(&o, &c);
        for (size_t size = 0; size < o.len; size++) {
            struct ras_murk_command got;
            struct ras_murk_fault fault;
            uint8_t *exact = malloc(size + 1);
            assert_non_null(exact);
            memcpy(exact, o.at, size);
            assert_false(ras_murk_command_get((struct ras_bytes){exact, size}, &got, &fault));
            assert_int_equal(fault.code, RAS_MURK_CUT);
            free(exact);
        }
        out_free(&o);
    }
}

static void a_payload_is_at_most_64_mebibytes(void **state)
{
    (void)state;
    size_t size = (size_t)RAS_MURK_BYTES_MAX + RAS_MURK_COMMAND_MIN;
    uint8_t *big = calloc(1, size);
    struct ras_murk_command c;
    struct ras_murk_fault fault;
    assert_non_null(big);
    big[4] = 4; /* 0x04000000 */
    assert_true(ras_murk_command_get((struct ras_bytes){big, size}, &c, &fault));
    assert_int_equal(c.payload.len, RAS_MURK_BYTES_MAX);
    assert_int_equal(c.size, size);
    big[1] = 1;
    assert_false(ras_murk_command_get((struct ras_bytes){big, size}, &c, &fault));
    is_fault(&fault, RAS_MURK_LONG_BYTES, 1, RAS_MURK_BYTES_MAX + 1, "payload", "MalformedFrame");
    assert_false(ras_murk_command_get((struct ras_bytes){big, 5}, &c, &fault));
    is_fault(&fault, RAS_MURK_LONG_BYTES, 1, RAS_MURK_BYTES_MAX + 1, "payload", "MalformedFrame");
    free(big);
}

/* ---- frames -------------------------------------------------------------------- */

static void a_frame_contains_its_commands(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_murk_frame f;
    struct ras_murk_fault fault;
    put_despawns(&o, UINT64_MAX, 3);
    size_t size = o.len;
    put_frame(&o, 1);
    assert_true(ras_murk_frame_get(all(&o), &f, &fault));
    assert_int_equal(f.tick_id, UINT64_MAX);
    assert_int_equal(f.command_count, 3);
    assert_ptr_equal(f.commands.at, o.at + 12);
    assert_int_equal(f.commands.len, 3 * DESPAWN_SIZE);
    assert_int_equal(f.snapshot_hash, UINT64_MAX * 17);
    assert_int_equal(f.size, size);
    out_free(&o);
}

static void a_frame_cut_at_every_byte_is_cut_and_names_its_field(void **state)
{
    (void)state;
    struct out o = {0};
    put_despawns(&o, 1, 2);
    for (size_t size = 0; size < o.len; size++) {
        struct ras_murk_frame f;
        struct ras_murk_fault fault;
        const char *field = size < 8           ? "tick_id"
                            : size < 12        ? "command_count"
                            : size < o.len - 8 ? "command"
                                               : "snapshot_hash";
        uint8_t *exact = malloc(size + 1);
        assert_non_null(exact);
        memcpy(exact, o.at, size);
        assert_false(ras_murk_frame_get((struct ras_bytes){exact, size}, &f, &fault));
        assert_int_equal(fault.code, RAS_MURK_CUT);
        assert_string_equal(fault.field, field);
        /* Only for 1 to 7 bytes of a tick_id does the reference report a malformed frame. */
        assert_string_equal(ras_murk_kind(&fault), size && size < 8 ? "MalformedFrame" : "Io");
        free(exact);
    }
    out_free(&o);
}

static void a_frame_has_at_most_a_million_commands(void **state)
{
    (void)state;
    size_t size = 20 + (size_t)RAS_MURK_COMMANDS_MAX * RAS_MURK_COMMAND_MIN;
    uint8_t *big = calloc(1, size);
    struct ras_murk_frame f;
    struct ras_murk_fault fault;
    assert_non_null(big);
    memcpy(big + 8, "\x40\x42\x0f", 3); /* 1000000 */
    assert_true(ras_murk_frame_get((struct ras_bytes){big, size}, &f, &fault));
    assert_int_equal(f.size, size);
    big[8]++;
    assert_false(ras_murk_frame_get((struct ras_bytes){big, size}, &f, &fault));
    is_fault(&fault, RAS_MURK_MANY_COMMANDS, 8, 1000001, "command_count", "MalformedFrame");
    assert_false(ras_murk_frame_get((struct ras_bytes){big, 12}, &f, &fault));
    is_fault(&fault, RAS_MURK_MANY_COMMANDS, 8, 1000001, "command_count", "MalformedFrame");
    free(big);
}

static void a_fault_inside_a_frame_has_its_offset(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_murk_frame f;
    struct ras_murk_fault fault;
    put_despawns(&o, 1, 3);
    o.at[12 + DESPAWN_SIZE + 14] = 9; /* source_id of the second command */
    assert_false(ras_murk_frame_get(all(&o), &f, &fault));
    is_fault(&fault, RAS_MURK_BAD_ID_FLAG, 12 + DESPAWN_SIZE + 14, 9, "source_id",
             "MalformedFrame");
    out_free(&o);
}

/* One pass over the bytes; false and the fault if they cannot be parsed. */
static bool walk_all(struct ras_bytes bytes, struct ras_murk_frame *f, struct ras_murk_fault *fault)
{
    struct ras_murk_walk walk;
    struct ras_murk_command command;
    struct ras_murk_payload payload;
    if (!ras_murk_walk_open(bytes, &walk, fault))
        return false;
    while (walk.left) {
        uint32_t left = walk.left;
        if (!ras_murk_walk_next(&walk, &command, &payload, fault) && walk.left == left)
            return false;
    }
    return ras_murk_walk_close(&walk, f, fault);
}

static void a_walk_and_a_frame_agree_at_every_cut_and_flag(void **state)
{
    (void)state;
    struct out o = {0};
    put_despawns(&o, 5, 3);
    for (size_t size = 0; size <= o.len; size++) {
        struct ras_murk_frame framed, walked;
        struct ras_murk_fault a = {0}, b = {0};
        uint8_t *exact = malloc(size + 1);
        assert_non_null(exact);
        memcpy(exact, o.at, size);
        if (size > 14 + DESPAWN_SIZE && size % 2)
            exact[12 + DESPAWN_SIZE - 18] = 3; /* source_id's flag, at unaligned offsets */
        struct ras_bytes bytes = {exact, size};
        assert_int_equal(ras_murk_frame_get(bytes, &framed, &a), walk_all(bytes, &walked, &b));
        assert_int_equal(a.code, b.code);
        assert_int_equal(a.offset, b.offset);
        if (size == o.len && !(size % 2)) {
            assert_int_equal(framed.size, walked.size);
            assert_int_equal(framed.snapshot_hash, walked.snapshot_hash);
            assert_ptr_equal(framed.commands.at, walked.commands.at);
            assert_int_equal(framed.commands.len, walked.commands.len);
        }
        free(exact);
    }
    out_free(&o);
}

static void a_walk_continues_after_a_bad_payload(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_murk_walk walk;
    struct ras_murk_command command;
    struct ras_murk_payload payload;
    struct ras_murk_frame f;
    struct ras_murk_fault fault;
    put_despawns(&o, 5, 2);
    o.at[12] = 7; /* no such tag */
    assert_true(ras_murk_walk_open(all(&o), &walk, &fault));
    assert_false(ras_murk_walk_next(&walk, &command, &payload, &fault));
    is_fault(&fault, RAS_MURK_UNKNOWN_PAYLOAD, 17, 7, "payload type", "UnknownPayloadType");
    assert_int_equal(walk.left, 1);
    assert_true(ras_murk_walk_next(&walk, &command, &payload, &fault));
    assert_int_equal(payload.entity_id, 1);
    assert_true(ras_murk_walk_close(&walk, &f, &fault));
    assert_int_equal(f.size, o.len);
    out_free(&o);
}

/* ---- payloads -------------------------------------------------------------- */

/* One payload per type, and the field that is cut if it ends before byte `to`. */
static const struct {
    uint8_t type;
    size_t size;
    const char *bytes;
    struct {
        size_t to;
        const char *field;
    } cuts[4];
} payloads[] = {
    {RAS_MURK_MOVE,
     20,
     "\1\2\3\4\5\6\7\x88\2\0\0\0\3\0\0\0\xfc\xff\xff\xff",
     {{8, "Move payload"}, {12, "coord length"}, {20, "coord data"}}},
    {RAS_MURK_SPAWN,
     20,
     "\1\0\0\0\7\0\0\0\1\0\0\0\1\0\0\0\0\0\x80\x3f",
     {{4, "coord length"},
      {8, "coord data"},
      {12, "Spawn field_values count"},
      {20, "Spawn field_values entry"}}},
    {RAS_MURK_DESPAWN, 8, "\1\2\3\4\5\6\7\x88", {{8, "Despawn payload"}}},
    {RAS_MURK_SET_FIELD,
     16,
     "\1\0\0\0\xff\xff\xff\xff\5\0\0\0\1\0\x80\x7f",
     {{4, "coord length"}, {8, "coord data"}, {16, "SetField payload"}}},
    {RAS_MURK_CUSTOM, 11, "\xcd\xab\0\0\3\0\0\0abc", {{8, "Custom payload"}, {11, "Custom data"}}},
    {RAS_MURK_SET_PARAMETER, 12, "\x09\0\0\0\1\0\0\0\0\0\xf0\x7f", {{12, "SetParameter payload"}}},
    {RAS_MURK_SET_PARAMETER_BATCH,
     16,
     "\1\0\0\0\x09\0\0\0\1\0\0\0\0\0\xf8\xff",
     {{4, "SetParameterBatch count"}, {16, "SetParameterBatch entry"}}},
};
enum { COUNT = sizeof payloads / sizeof *payloads };

static struct ras_murk_payload get(uint8_t type, const void *bytes, size_t size)
{
    struct ras_murk_payload p;
    struct ras_murk_fault fault;
    assert_true(ras_murk_payload_get(type, (struct ras_bytes){bytes, size}, &p, &fault));
    return p;
}

static void every_field_is_found(void **state)
{
    (void)state;
    struct ras_murk_payload p = get(0, payloads[0].bytes, 20);
    assert_int_equal(p.entity_id, 0x8807060504030201);
    assert_int_equal(p.coord.len, 8);
    assert_memory_equal(p.coord.at, "\3\0\0\0\xfc\xff\xff\xff", 8);
    p = get(2, payloads[2].bytes, 8);
    assert_int_equal(p.entity_id, 0x8807060504030201);
    p = get(4, payloads[4].bytes, 11);
    assert_int_equal(p.type_id, 0xabcd);
    assert_int_equal(p.data.len, 3);
    assert_memory_equal(p.data.at, "abc", 3);
}

/* Signalling NaNs and payloads: floats are bit patterns everywhere. */
static void floats_keep_their_bits(void **state)
{
    (void)state;
    struct ras_murk_payload p = get(3, payloads[3].bytes, 16);
    assert_int_equal(p.field_id, 5);
    assert_int_equal(p.value_f32, 0x7f800001);
    p = get(5, payloads[5].bytes, 12);
    assert_int_equal(p.key, 9);
    assert_int_equal(p.value_f64, 0x7ff0000000000001);
    p = get(6, payloads[6].bytes, 16);
    assert_int_equal(p.params.len, 12);
    assert_memory_equal(p.params.at + 4, "\1\0\0\0\0\0\xf8\xff", 8);
}

static void a_payload_cut_at_every_byte_names_its_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t size = 0, part = 0; size < payloads[i].size; size++) {
            struct ras_murk_payload p;
            struct ras_murk_fault fault;
            while (part < 3 && size >= payloads[i].cuts[part].to)
                part++;
            uint8_t *exact = malloc(size + 1);
            assert_non_null(exact);
            memcpy(exact, payloads[i].bytes, size);
            struct ras_bytes bytes = {exact, size};
            assert_false(ras_murk_payload_get(payloads[i].type, bytes, &p, &fault));
            assert_int_equal(fault.code, RAS_MURK_SHORT_PAYLOAD);
            assert_int_equal(fault.number, size);
            assert_true(fault.offset <= size);
            assert_string_equal(fault.field, payloads[i].cuts[part].field);
            assert_string_equal(ras_murk_kind(&fault), "MalformedFrame");
            free(exact);
        }
        assert_int_equal(get(payloads[i].type, payloads[i].bytes, payloads[i].size).trailing, 0);
    }
}

static void an_empty_payload_is_cut_at_byte_0(void **state)
{
    (void)state;
    for (uint8_t type = 0; type < RAS_MURK_PAYLOAD_TYPES; type++) {
        struct ras_murk_payload p;
        struct ras_murk_fault fault;
        assert_false(ras_murk_payload_get(type, (struct ras_bytes){NULL, 0}, &p, &fault));
        assert_int_equal(fault.code, RAS_MURK_SHORT_PAYLOAD);
        assert_int_equal(fault.offset, 0);
        assert_int_equal(fault.number, 0);
    }
}

static void trailing_bytes_are_counted(void **state)
{
    (void)state;
    uint8_t bytes[64] = {0};
    memcpy(bytes, payloads[2].bytes, 8);
    for (size_t more = 0; more < 50; more++)
        assert_int_equal(get(2, bytes, 8 + more).trailing, more);
    static const size_t least[] = {12, 8, 8, 12, 8, 12, 4}; /* all counts are 0 */
    memset(bytes, 0, sizeof bytes);
    for (uint8_t type = 0; type < RAS_MURK_PAYLOAD_TYPES; type++)
        assert_int_equal(get(type, bytes, 64).trailing, 64 - least[type]);
}

/* 2^30 components are 2^32 bytes, which would wrap to 0 in 32 bits. */
static void a_huge_count_does_not_wrap(void **state)
{
    (void)state;
    static const char *const huge[] = {"\0\0\0\x40", "\0\0\0\x20", "\xff\xff\xff\xff",
                                       "\xab\xaa\xaa\xaa", "\x56\x55\x55\x15"};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        for (uint8_t type = 0; type < RAS_MURK_PAYLOAD_TYPES; type++) {
            struct ras_murk_payload p;
            struct ras_murk_fault fault;
            uint8_t bytes[64] = {0};
            size_t at = type == RAS_MURK_MOVE ? 8 : type == RAS_MURK_CUSTOM ? 4 : 0;
            if (type == RAS_MURK_DESPAWN || type == RAS_MURK_SET_PARAMETER)
                continue; /* they count nothing */
            memcpy(bytes + at, huge[i], 4);
            assert_false(ras_murk_payload_get(type, (struct ras_bytes){bytes, 64}, &p, &fault));
            assert_int_equal(fault.code, RAS_MURK_SHORT_PAYLOAD);
        }
    }
}

static void tags_have_names_up_to_6(void **state)
{
    (void)state;
    static const char *const names[] = {"Move",   "Spawn",        "Despawn",          "SetField",
                                        "Custom", "SetParameter", "SetParameterBatch"};
    for (unsigned type = 0; type < 256; type++) {
        struct ras_murk_payload p;
        struct ras_murk_fault fault;
        if (type < RAS_MURK_PAYLOAD_TYPES) {
            assert_string_equal(ras_murk_payload_name((uint8_t)type), names[type]);
            continue;
        }
        assert_null(ras_murk_payload_name((uint8_t)type));
        uint8_t bytes[32] = {0};
        assert_false(
            ras_murk_payload_get((uint8_t)type, (struct ras_bytes){bytes, 32}, &p, &fault));
        assert_int_equal(fault.code, RAS_MURK_UNKNOWN_PAYLOAD);
        assert_int_equal(fault.number, type);
        assert_string_equal(ras_murk_kind(&fault), "UnknownPayloadType");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_is_read_whole),
        cmocka_unit_test(a_header_cut_at_every_byte_names_its_field),
        cmocka_unit_test(magic_and_version_are_checked_first),
        cmocka_unit_test(a_string_is_at_most_a_mebibyte),
        cmocka_unit_test(the_descriptor_is_at_most_64_mebibytes),
        cmocka_unit_test(strings_are_utf8),
        cmocka_unit_test(absent_zero_and_largest_source_are_distinct),
        cmocka_unit_test(a_presence_flag_is_0_or_1),
        cmocka_unit_test(a_command_cut_at_every_byte_is_cut),
        cmocka_unit_test(a_payload_is_at_most_64_mebibytes),
        cmocka_unit_test(a_frame_contains_its_commands),
        cmocka_unit_test(a_frame_cut_at_every_byte_is_cut_and_names_its_field),
        cmocka_unit_test(a_frame_has_at_most_a_million_commands),
        cmocka_unit_test(a_fault_inside_a_frame_has_its_offset),
        cmocka_unit_test(a_walk_and_a_frame_agree_at_every_cut_and_flag),
        cmocka_unit_test(a_walk_continues_after_a_bad_payload),
        cmocka_unit_test(every_field_is_found),
        cmocka_unit_test(floats_keep_their_bits),
        cmocka_unit_test(a_payload_cut_at_every_byte_names_its_field),
        cmocka_unit_test(an_empty_payload_is_cut_at_byte_0),
        cmocka_unit_test(trailing_bytes_are_counted),
        cmocka_unit_test(a_huge_count_does_not_wrap),
        cmocka_unit_test(tags_have_names_up_to_6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
