/* aerogpu_op_test.c - the tables of packets and commands, and fields by name. */
#include "formats/aerogpu/aerogpu_op.h"
#include "aerogpu_make.h"

/* Every byte of the fixed part of an operation belongs to exactly one field. */
static void check_row(const struct ras_aero_op *op, bool whole)
{
    uint8_t used[64] = {0};
    assert_int_equal(strlen(op->name), op->name_len);
    for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++) {
        uint32_t width = aero_field_width(f);
        assert_int_equal(strlen(f->name), f->name_len);
        assert_int_equal(f->alias ? strlen(f->alias) : 0, f->alias_len);
        if (f->flags & (RAS_AERO_ABSENT | RAS_AERO_LAYOUT) || f->type == RAS_AERO_TEXT)
            continue;
        if (f->flags & RAS_AERO_COUNTED) {
            bool inside = 8u + f->at < op->size_bytes; /* SET_RENDER_TARGETS has room for 8 */
            assert_true(inside ? f->at + 8 * width + 8 == op->size_bytes
                               : 8u + f->at == op->size_bytes);
            for (uint32_t i = f->at; inside && i < f->at + 8 * width; i++)
                used[i]++;
            continue;
        }
        uint32_t count = f->flags & RAS_AERO_LIST ? f->per : 1;
        for (uint32_t i = f->at; i < f->at + count * width; i++)
            used[i]++;
    }
    for (uint32_t i = 0; whole && i + 8 < op->size_bytes; i++)
        assert_int_equal(used[i], 1);
    for (uint32_t i = op->size_bytes - 8; i < sizeof used; i++)
        assert_int_equal(used[i], 0);
}

static void every_byte_of_a_row_has_one_field(void **state)
{
    (void)state;
    const struct ras_aero_op *op;
    size_t n = 0;
    for (; (op = ras_aero_packet_op_at(n)); n++)
        check_row(op, true);
    assert_int_equal(n, 10);
    for (n = 0; (op = ras_aero_command_op_at(n)); n++) /* the short blend state has a hole */
        check_row(op, !(op->opcode == 0x300 && op->size_bytes == 28));
    assert_int_equal(n, 48 + 2);
}

static void rows_ascend_and_are_found(void **state)
{
    (void)state;
    const struct ras_aero_op *op, *last = NULL;
    for (size_t i = 0; (op = ras_aero_command_op_at(i)); last = op, i++) {
        if (last)
            assert_true(last->opcode < op->opcode ||
                        (last->opcode == op->opcode && last->size_bytes < op->size_bytes));
        assert_ptr_equal(ras_aero_command_op(op->opcode, op->size_bytes), op);
    }
    for (size_t i = 0; (op = ras_aero_packet_op_at(i)); i++)
        assert_ptr_equal(ras_aero_packet_op(op->opcode), op);
    assert_null(ras_aero_packet_op(0));
    assert_null(ras_aero_packet_op(11));
    assert_null(ras_aero_packet_op(UINT32_MAX));
    assert_null(ras_aero_command_op(2, 8));
    assert_null(ras_aero_command_op(0x721, 8));
    assert_null(ras_aero_command_op(UINT32_MAX, 8));
}

static void size_distinguishes_forms(void **state)
{
    (void)state;
    assert_int_equal(ras_aero_command_op(0x202, 24)->size_bytes, 24);
    assert_int_equal(ras_aero_command_op(0x202, 32)->size_bytes, 24);
    assert_int_equal(ras_aero_command_op(0x202, 36)->size_bytes, 36);
    assert_int_equal(ras_aero_command_op(0x202, 400)->size_bytes, 36);
    assert_int_equal(ras_aero_command_op(0x202, 8)->size_bytes, 24);
    assert_int_equal(ras_aero_command_op(0x300, 56)->size_bytes, 28);
    assert_int_equal(ras_aero_command_op(0x300, 60)->size_bytes, 60);
}

static void fields_are_read_by_name(void **state)
{
    (void)state;
    struct out out = {0};
    const struct ras_aero_op *op = ras_aero_packet_op(2); /* UPLOAD_BUFFER */
    const uint32_t dwords[] = {1, 2, 3, 0x80000004, 5};
    for (size_t i = 0; i < 5; i++)
        put(&out, dwords[i], 4);
    uint64_t value;
    assert_true(ras_aero_field_uint(op, bytes_of(&out), "offset_bytes", &value));
    assert_int_equal(value, 2);
    assert_true(ras_aero_field_uint(op, bytes_of(&out), "blob_id_lo", &value));
    assert_int_equal(value, 0x80000004);
    assert_true(ras_aero_field_uint(op, bytes_of(&out), "blob_id_hi", &value));
    assert_int_equal(value, 5);
    assert_true(ras_aero_field_uint(op, bytes_of(&out), "blob_id", &value));
    assert_int_equal(value, 0x580000004);
    assert_false(ras_aero_field_uint(op, bytes_of(&out), "vertex_count", &value));
    struct ras_bytes cut = {out.at, 19};
    assert_false(ras_aero_field_uint(op, cut, "blob_id", &value));
    assert_true(ras_aero_field_uint(op, cut, "data_len_bytes", &value));
    out_free(&out);
}

static void lists_are_as_long_as_their_count_and_the_payload(void **state)
{
    (void)state;
    struct out out = {0};
    const struct ras_aero_op *op = ras_aero_command_op(0x203, 56); /* SET_SHADER_CONSTANTS_F */
    put(&out, 0, 4);
    put(&out, 0, 4);
    put(&out, 1, 4);
    put(&out, 0, 4);
    put(&out, 0, 32); /* room for two, but the count is one */
    assert_int_equal(ras_aero_field_bytes(op, bytes_of(&out), "data").len, 16);
    patch(&out, 8, 2);
    assert_int_equal(ras_aero_field_bytes(op, bytes_of(&out), "data").len, 32);
    patch(&out, 8, UINT32_MAX);
    assert_int_equal(ras_aero_field_bytes(op, bytes_of(&out), "data").len, 32);
    assert_int_equal(ras_aero_field_bytes(op, (struct ras_bytes){out.at, 18}, "data").len, 0);
    assert_int_equal(ras_aero_field_bytes(op, (struct ras_bytes){out.at, 3}, "data").len, 0);
    assert_null(ras_aero_field_bytes(op, bytes_of(&out), "none").at);
    out_free(&out);
}

static void upload_counts_in_64_bits(void **state)
{
    (void)state;
    struct out out = {0};
    const struct ras_aero_op *op = ras_aero_command_op(0x104, 40);
    put(&out, 1, 8);
    put(&out, 0, 8);
    put(&out, 5, 8);
    out_text(&out, "bytes\0\0");
    put(&out, 0, 3);
    assert_int_equal(ras_aero_field_bytes(op, bytes_of(&out), "data").len, 5);
    patch(&out, 20, 1); /* 4 GiB and five bytes */
    assert_int_equal(ras_aero_field_bytes(op, bytes_of(&out), "data").len, 8);
    out_free(&out);
}

static void layout_elements_need_their_magic(void **state)
{
    (void)state;
    struct out out = {0};
    const struct ras_aero_op *op = ras_aero_command_op(0x204, 64);
    put(&out, 20, 4);
    put(&out, 44, 4);
    put(&out, 0, 4);
    out_text(&out, "ILAY");
    put(&out, 1, 4);
    put(&out, 1, 4);
    put(&out, 0, 4);
    put(&out, 0, 28);
    assert_int_equal(ras_aero_field_bytes(op, bytes_of(&out), "blob").len, 44);
    assert_int_equal(ras_aero_field_bytes(op, bytes_of(&out), "elements").len, 28);
    out.at[12] = 'X';
    assert_int_equal(ras_aero_field_bytes(op, bytes_of(&out), "elements").len, 0);
    out_free(&out);
}

static void stage_ex_needs_compute_and_abi_1_3(void **state)
{
    (void)state;
    struct out out = {0};
    const struct ras_aero_op *texture = ras_aero_command_op(0x510, 24);
    const struct ras_aero_op *dispatch = ras_aero_command_op(0x603, 24);
    put(&out, 2, 4);
    put(&out, 0, 12);
    assert_true(aero_stage_ex_counts(texture, bytes_of(&out), 3));
    assert_false(aero_stage_ex_counts(texture, bytes_of(&out), 2));
    assert_true(aero_stage_ex_counts(dispatch, bytes_of(&out), 4));
    assert_false(aero_stage_ex_counts(dispatch, bytes_of(&out), 0));
    patch(&out, 0, 1);
    assert_false(aero_stage_ex_counts(texture, bytes_of(&out), 3));
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_of_a_row_has_one_field),
        cmocka_unit_test(rows_ascend_and_are_found),
        cmocka_unit_test(size_distinguishes_forms),
        cmocka_unit_test(fields_are_read_by_name),
        cmocka_unit_test(lists_are_as_long_as_their_count_and_the_payload),
        cmocka_unit_test(upload_counts_in_64_bits),
        cmocka_unit_test(layout_elements_need_their_magic),
        cmocka_unit_test(stage_ex_needs_compute_and_abi_1_3),
    };
    return cmocka_run_group_tests_name("formats/aerogpu_op", tests, NULL, NULL);
}
