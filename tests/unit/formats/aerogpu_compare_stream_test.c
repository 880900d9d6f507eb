/* aerogpu_compare_stream_test.c - two traces with submissions: every field of every command,
 * tables and memory; streams and tables without a container. */
#include "aerogpu_compared.h"

#include <stdio.h>
#include <stdlib.h>

enum { STREAM_ID = 1, TABLE_ID, MEMORY_ID };

struct model {
    uint64_t id_step;
    uint32_t abi_version;
    size_t op;   /* the command to change; SIZE_MAX: none */
    size_t at;   /* a byte of it */
    size_t skip; /* a command that is left out */
    size_t byte; /* of the submission, to change */
    size_t table_byte;
    uint8_t memory;
    bool in_packet; /* the stream is a Packet, not a submission's */
};

static struct model a_model(void)
{
    return (struct model){.id_step = 1,
                          .abi_version = 0x10004,
                          .op = SIZE_MAX,
                          .skip = SIZE_MAX,
                          .byte = SIZE_MAX,
                          .table_byte = SIZE_MAX,
                          .memory = 5};
}

static void put_commands(struct out *out, const struct model *m)
{
    size_t size_at = out->len + 8;
    out_text(out, "ACMD");
    put(out, m->abi_version, 4);
    for (unsigned i = 0; i < 4; i++)
        put(out, 0, 4);
    for (size_t i = 0; ras_aero_command_op_at(i); i++) {
        const struct ras_aero_op *op = ras_aero_command_op_at(i);
        size_t start = out->len;
        if (i == m->skip)
            continue;
        put(out, op->opcode, 4);
        put(out, op->size_bytes, 4);
        for (uint32_t k = 8; k < op->size_bytes; k++)
            out_byte(out, 0);
        if (m->op == i)
            out->at[start + m->at] ^= 0x40;
    }
    patch(out, size_at, (uint32_t)(out->len - (size_at - 8)));
}

static void put_blob_of(struct out *out, uint64_t id, uint32_t kind, struct out *data)
{
    put_blob(out, id, kind, data->at, data->len);
    out_free(data);
}

static void put_table(struct out *out, const struct model *m)
{
    size_t start = out->len;
    out_text(out, "ALOC");
    const uint32_t head[] = {0x10004, 24 + 64, 2, 32, 0};
    for (unsigned i = 0; i < 5; i++)
        put(out, head[i], 4);
    for (uint64_t i = 0; i < 2; i++) {
        put(out, i + 1, 4);
        put(out, 0, 4);
        put(out, 0x1000 * (i + 1), 8);
        put(out, 72, 8);
        put(out, 0, 8);
    }
    if (m->table_byte != SIZE_MAX)
        out->at[start + m->table_byte] ^= 0x40;
}

static void put_submit(struct out *out, const struct model *m)
{
    put_record(out, RAS_AERO_SUBMISSION, 56 + 32);
    size_t start = out->len;
    put(out, 1, 4);
    put(out, 56, 4);
    put(out, 0, 16); /* submit_flags, context_id, engine_id, reserved0 */
    put(out, 9, 8);  /* signal_fence */
    put(out, STREAM_ID * m->id_step, 8);
    put(out, TABLE_ID * m->id_step, 8);
    put(out, 1, 4); /* one range */
    put(out, 0, 4);
    put(out, 1, 4);
    put(out, 0, 4);
    put(out, 0x1000, 8);
    put(out, 1, 8);
    put(out, MEMORY_ID * m->id_step, 8);
    if (m->byte != SIZE_MAX)
        out->at[start + m->byte] ^= 0x40;
}

static void put_frame(struct out *out, const struct model *m)
{
    struct out stream = {0}, table = {0};
    put_commands(&stream, m);
    if (m->in_packet) {
        put_record(out, RAS_AERO_PACKET, (uint32_t)stream.len);
        out_bytes(out, stream.at, stream.len);
        out_free(&stream);
        return;
    }
    put_table(&table, m);
    put_blob_of(out, STREAM_ID * m->id_step, RAS_AERO_CMD_STREAM, &stream);
    put_blob_of(out, TABLE_ID * m->id_step, RAS_AERO_ALLOC_TABLE, &table);
    put_blob(out, MEMORY_ID * m->id_step, RAS_AERO_ALLOC_MEMORY, &m->memory, 1);
    put_submit(out, m);
}

static struct out trace_of(const struct model *m)
{
    struct out out = {0};
    struct ras_aero_frame frames[3] = {{0}};
    put_header(&out, 2, "{}");
    for (uint32_t i = 0; i < 3; i++) {
        frames[i] = (struct ras_aero_frame){.frame_index = i, .start_offset = out.len};
        put_marker(&out, RAS_AERO_BEGIN_FRAME, i);
        if (i == FRAME)
            put_frame(&out, m);
        frames[i].present_offset = out.len;
        put_marker(&out, RAS_AERO_PRESENT, i);
        frames[i].end_offset = out.len;
    }
    put_seal(&out, 2, frames, 3);
    return out;
}

/* ---- commands ---------------------------------------------------------------------- */

/* The name of the field that a byte of a payload of zeros belongs to. */
static const char *name_at(const struct ras_aero_op *op, size_t at, char *name, size_t room)
{
    static const uint8_t widths[] = {[RAS_AERO_U8] = 1,  [RAS_AERO_U32] = 4, [RAS_AERO_I32] = 4,
                                     [RAS_AERO_F32] = 4, [RAS_AERO_U64] = 8, [RAS_AERO_STRUCT] = 0};
    for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++) {
        if (f->flags & (RAS_AERO_ABSENT | RAS_AERO_COUNTED) || f->type == RAS_AERO_TEXT)
            continue;
        size_t count = f->flags & RAS_AERO_LIST ? f->per : 1, width = widths[f->type];
        if (at < f->at || at >= f->at + count * width)
            continue;
        snprintf(name, room, f->flags & RAS_AERO_LIST ? "%s[%zu]" : "%s", f->name,
                 (at - f->at) / width);
        return name;
    }
    return NULL;
}

/* Padding is between fields, trailing bytes are after them. */
static const char *unnamed_at(const struct ras_aero_op *op, size_t at)
{
    char name[64];
    for (; at + 8 < op->size_bytes; at++)
        if (name_at(op, at, name, sizeof name))
            return "padding";
    return "trailing";
}

/* A count that turns existing bytes into a list: both differ. */
static bool is_count(const struct ras_aero_op *op, size_t at)
{
    for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++)
        if (f->flags & RAS_AERO_COUNTED && f->at + 8u < op->size_bytes && at >= f->count_at &&
            at < f->count_at + 4u)
            return true;
    return false;
}

static void check_commands(bool in_packet)
{
    struct model m = a_model();
    m.in_packet = in_packet;
    m.abi_version = 0x10002; /* which has no stage_ex */
    struct out a = trace_of(&m);
    for (size_t i = 0; ras_aero_command_op_at(i); i++) {
        const struct ras_aero_op *op = ras_aero_command_op_at(i);
        for (size_t at = 8; at < op->size_bytes; at++) {
            char name[64], path[160];
            if (is_count(op, at - 8))
                continue;
            bool named = name_at(op, at - 8, name, sizeof name);
            m.op = i;
            m.at = at;
            struct out b = trace_of(&m);
            snprintf(path, sizeof path, "%s[0].commands[%zu].%s.%s",
                     in_packet ? "packets" : "submissions", i, op->name,
                     named ? name : unnamed_at(op, at - 8));
            expect_one(&a, &b, path, named ? "value_mismatch" : "bytes_mismatch");
            out_free(&b);
        }
    }
    out_free(&a);
}

static void every_field_of_every_command_is_named(void **state)
{
    (void)state;
    check_commands(false);
    check_commands(true);
}

static void commands_come_and_go(void **state)
{
    (void)state;
    struct model m = a_model();
    struct out a = trace_of(&m);
    for (size_t i = 0; ras_aero_command_op_at(i); i++) {
        char path[160];
        m.skip = i;
        struct out b = trace_of(&m);
        snprintf(path, sizeof path, "submissions[0].commands[%zu].%s", i,
                 ras_aero_command_op_at(i)->name);
        expect_one(&a, &b, path, "missing_actual");
        out_free(&b);
    }
    out_free(&a);
}

static void stage_ex_has_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; ras_aero_command_op_at(i); i++) {
        const struct ras_aero_op *op = ras_aero_command_op_at(i);
        if (strcmp(op->name, "DISPATCH") != 0)
            continue;
        struct model m = a_model();
        m.abi_version = 0x10003;
        struct out a = trace_of(&m);
        m.op = i;
        m.at = op->size_bytes - 4;
        struct out b = trace_of(&m);
        const struct ras_diff *d = diff(&a, &b, NULL);
        const struct ras_value *path = ras_value_member(row_at(rows_of(d), 0), "path");
        assert_memory_equal((const char *)path->at + path->count - 9, ".stage_ex", 9);
        done();
        out_free(&a);
        out_free(&b);
    }
}

/* ---- submissions -------------------------------------------------------------------- */

static void fields_of_submissions_are_named(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        const char *path, *kind;
    } rows[] = {
        {0, "submissions[0].record_version", "value_mismatch"},
        {8, "submissions[0].submit_flags", "value_mismatch"},
        {12, "submissions[0].context_id", "value_mismatch"},
        {16, "submissions[0].engine_id", "value_mismatch"},
        {20, "submissions[0].reserved0", "value_mismatch"},
        {24, "submissions[0].signal_fence", "value_mismatch"},
        {40, "submissions[0].alloc_table", "content_mismatch"}, /* names no blob now */
        {52, "submissions[0].reserved1", "value_mismatch"},
        {56, "submissions[0].memory_ranges[0].alloc_id", "value_mismatch"},
        {60, "submissions[0].memory_ranges[0].flags", "value_mismatch"},
        {64, "submissions[0].memory_ranges[0].gpa", "value_mismatch"},
        {72, "submissions[0].memory_ranges[0].size_bytes", "value_mismatch"},
        {80, "submissions[0].memory_ranges[0].blob_id", "content_mismatch"},
    };
    struct model m = a_model();
    struct out a = trace_of(&m);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        m.byte = rows[i].at;
        struct out b = trace_of(&m);
        if (rows[i].at != 40 && rows[i].at != 80) {
            expect_one(&a, &b, rows[i].path, rows[i].kind);
        } else { /* and a blob that is not named any more */
            const struct ras_diff *d = diff(&a, &b, NULL);
            bool named = false;
            for (size_t k = 0; row_at(rows_of(d), k); k++)
                named |= is_text(ras_value_member(row_at(rows_of(d), k), "path"), rows[i].path);
            assert_true(named);
            done();
        }
        out_free(&b);
    }
    out_free(&a);
}

static void tables_and_memory_are_compared(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        const char *path;
    } rows[] = {
        {20, "submissions[0].alloc_table.reserved0"},
        {24, "submissions[0].alloc_table.entries[0].alloc_id"},
        {28, "submissions[0].alloc_table.entries[0].flags"},
        {32, "submissions[0].alloc_table.entries[0].gpa"},
        {56 + 16, "submissions[0].alloc_table.entries[1].size_bytes"},
        {56 + 24, "submissions[0].alloc_table.entries[1].reserved0"},
    };
    struct model m = a_model();
    struct out a = trace_of(&m);
    m.id_step = 1000;
    struct out b = trace_of(&m);
    expect_same(&a, &b);
    out_free(&b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        m = a_model();
        m.table_byte = rows[i].at;
        b = trace_of(&m);
        expect_one(&a, &b, rows[i].path, "value_mismatch");
        out_free(&b);
    }
    m = a_model();
    m.memory = 6;
    b = trace_of(&m);
    expect_one(&a, &b, "submissions[0].memory_ranges[0].blob_id", "content_mismatch");
    out_free(&b);
    m = a_model();
    m.abi_version = 0x10005;
    b = trace_of(&m);
    expect_one(&a, &b, "submissions[0].stream.abi_version", "value_mismatch");
    out_free(&b);
    out_free(&a);
}

/* ---- without a container ---------------------------------------------------------- */

static void bare_streams_and_tables_are_compared(void **state)
{
    (void)state;
    struct model m = a_model();
    struct out a = {0}, b = {0}, x = {0}, y = {0};
    put_commands(&a, &m);
    put_table(&x, &m);
    m.op = 9;
    m.at = 8;
    m.table_byte = 56;
    put_commands(&b, &m);
    put_table(&y, &m);
    const struct ras_diff *d = diff(&a, &b, NULL);
    assert_string_equal(d->divergences[0].kind, "command_mismatch");
    assert_string_equal(d->divergences[0].at[1].key, "command_index");
    assert_int_equal(d->divergences[0].at[1].value.u, 9);
    done();
    d = diff(&x, &y, NULL);
    assert_string_equal(d->divergences[0].kind, "entry_mismatch");
    assert_int_equal(d->divergences[0].at[1].value.u, 1);
    assert_int_equal(d->checked, 2);
    done();
    assert_int_equal(diff(&a, &a, NULL)->divergence_count, 0);
    done();
    struct ras_error err;
    assert_int_equal(ras_open_memory(&sides[0], a.at, a.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_open_memory(&sides[1], x.at, x.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_diff(&found, sides[0], sides[1], NULL, &err), RAS_EUSAGE);
    assert_null(found);
    done();
    out_free(&a);
    out_free(&b);
    out_free(&x);
    out_free(&y);
}

/* ---- windows --------------------------------------------------------------------------- */

static struct out draws_of(size_t count, size_t gone, size_t extra)
{
    struct out out = {0};
    put_header(&out, 1, "{}");
    put_marker(&out, RAS_AERO_BEGIN_FRAME, FRAME);
    for (size_t i = 0; i < count; i++) {
        if (i >= gone && i < gone + 3)
            continue;
        for (size_t k = 0; k < 200 && i == extra; k++)
            put_draw(&out, (uint32_t)(1000000 + k));
        put_draw(&out, (uint32_t)i);
    }
    put_marker(&out, RAS_AERO_PRESENT, FRAME);
    return out;
}

/* Longer than a window, with insertions and deletions far apart and near its size. */
static void long_frames_are_aligned(void **state)
{
    (void)state;
    struct out a = draws_of(2000, SIZE_MAX - 8, SIZE_MAX);
    struct out b = draws_of(2000, 700, 1500);
    const struct ras_diff *d = diff(&a, &b, NULL);
    assert_int_equal(d->divergence_count, 1);
    for (size_t i = 0; i < 203; i++) {
        const struct ras_value *row = row_at(rows_of(d), i);
        assert_non_null(row);
        assert_true(
            is_text(ras_value_member(row, "kind"), i < 3 ? "missing_actual" : "missing_expected"));
    }
    assert_null(row_at(rows_of(d), 203));
    done();
    out_free(&a);
    out_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_every_command_is_named),
        cmocka_unit_test(commands_come_and_go),
        cmocka_unit_test(stage_ex_has_its_name),
        cmocka_unit_test(fields_of_submissions_are_named),
        cmocka_unit_test(tables_and_memory_are_compared),
        cmocka_unit_test(bare_streams_and_tables_are_compared),
        cmocka_unit_test(long_frames_are_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
