/* aerogpu_compare_test.c - two traces: exactly the packet and the field that differ are named. */
#include "aerogpu_compared.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Appendix A ------------------------------------------------------------------ */

/* Three frames; the one in the middle has a packet of each opcode and the blobs that they name. */
struct model {
    uint64_t id_step;    /* between blob ids */
    uint8_t content[6];  /* of each blob, one byte */
    size_t opcode;       /* the packet to change */
    size_t at;           /* a byte of it */
    uint8_t flip;        /* by what */
    size_t skip, repeat; /* packets that are left out, that come twice; SIZE_MAX: none */
    bool spare_blob;
    uint8_t spare;
};

static struct model a_model(void)
{
    return (struct model){.id_step = 1,
                          .content = {1, 2, 3, 4, 5, 6},
                          .skip = SIZE_MAX,
                          .repeat = SIZE_MAX,
                          .opcode = SIZE_MAX};
}

static void put_packet(struct out *out, const struct model *m, size_t i)
{
    const struct ras_aero_op *op = ras_aero_packet_op_at(i);
    uint8_t bytes[64];
    struct out packet = {0};
    put(&packet, op->opcode, 4);
    put(&packet, op->size_bytes / 4, 4);
    uint64_t blob = op->opcode == 3 ? 2 : 1; /* UPLOAD_BUFFER names the first */
    for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++) {
        bool low = f[1].flags & RAS_AERO_HAS_LO, high = f->flags & RAS_AERO_HAS_LO;
        put(&packet, low ? blob++ * m->id_step : high ? 0 : 16 * i + f->at, 4);
    }
    assert_int_equal(packet.len, op->size_bytes);
    memcpy(bytes, packet.at, packet.len);
    if (m->opcode == i)
        bytes[m->at] ^= m->flip;
    put_record(out, RAS_AERO_PACKET, (uint32_t)packet.len);
    out_bytes(out, bytes, packet.len);
    out_free(&packet);
}

static size_t packet_count(void)
{
    size_t n = 0;
    while (ras_aero_packet_op_at(n))
        n++;
    return n;
}

static struct out trace_of(const struct model *m)
{
    struct out out = {0};
    struct ras_aero_frame frames[3] = {{0}};
    put_header(&out, 1, "{}");
    for (uint32_t i = 0; i < 3; i++) {
        frames[i] = (struct ras_aero_frame){.frame_index = i, .start_offset = out.len};
        put_marker(&out, RAS_AERO_BEGIN_FRAME, i);
        for (uint64_t b = 0; i == FRAME && b < 6; b++)
            put_blob(&out, (b + 1) * m->id_step, b ? RAS_AERO_SHADER_WGSL : RAS_AERO_BUFFER_DATA,
                     &m->content[b], 1);
        if (i == FRAME && m->spare_blob)
            put_blob(&out, 1000, RAS_AERO_TEXTURE_DATA, &m->spare, 1);
        for (size_t p = 0; i == FRAME && p < packet_count(); p++)
            for (int times = p == m->skip ? 0 : p == m->repeat ? 2 : 1; times; times--)
                put_packet(&out, m, p);
        put_draw(&out, i);
        frames[i].present_offset = out.len;
        put_marker(&out, RAS_AERO_PRESENT, i);
        frames[i].end_offset = out.len;
    }
    put_seal(&out, 1, frames, 3);
    return out;
}

static void every_field_of_every_packet_is_named(void **state)
{
    (void)state;
    const struct model plain = a_model();
    struct out a = trace_of(&plain);
    for (size_t i = 0; i < packet_count(); i++) {
        const struct ras_aero_op *op = ras_aero_packet_op_at(i);
        for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++) {
            char path[96];
            bool low = f[1].flags & RAS_AERO_HAS_LO, high = f->flags & RAS_AERO_HAS_LO;
            const char *name = low                                ? f[1].alias
                               : high || f->flags & RAS_AERO_BITS ? f->alias
                                                                  : f->name;
            struct model m = a_model();
            m.opcode = i;
            m.at = 8 + (size_t)f->at;
            m.flip = 7; /* no id becomes 0, nor stays the same */
            struct out b = trace_of(&m);
            snprintf(path, sizeof path, "packets[%zu].%s.%s", i, op->name, name);
            expect_one(&a, &b, path, low || high ? "content_mismatch" : "value_mismatch");
            out_free(&b);
        }
    }
    out_free(&a);
}

static void blobs_compare_by_content(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "packets[1].UPLOAD_BUFFER.blob_id", "packets[2].CREATE_SHADER.glsl_blob_id",
        "packets[2].CREATE_SHADER.wgsl_blob_id", "packets[2].CREATE_SHADER.dxbc_blob_id"};
    struct model m = a_model();
    struct out a = trace_of(&m);
    m.id_step = 77;
    struct out renumbered = trace_of(&m);
    expect_same(&a, &renumbered);
    for (size_t i = 0; i < 4; i++) {
        m = a_model();
        m.content[i] = 99;
        struct out b = trace_of(&m);
        expect_one(&a, &b, paths[i], "content_mismatch");
        expect_one(&renumbered, &b, paths[i], "content_mismatch");
        out_free(&b);
    }
    m = a_model();
    m.content[5] = 99; /* which no record names */
    struct out b = trace_of(&m);
    expect_one(&a, &b, "blobs[5].data", "content_mismatch");
    out_free(&b);
    m = a_model();
    m.spare_blob = true;
    b = trace_of(&m);
    expect_one(&b, &a, "blobs[6]", "missing_actual");
    out_free(&b);
    out_free(&renumbered);
    out_free(&a);
}

static void packets_come_and_go(void **state)
{
    (void)state;
    struct model m = a_model();
    struct out a = trace_of(&m);
    for (size_t i = 0; i < packet_count(); i++) {
        char path[96];
        m = a_model();
        m.skip = i;
        struct out b = trace_of(&m);
        snprintf(path, sizeof path, "packets[%zu].%s", i, ras_aero_packet_op_at(i)->name);
        expect_one(&a, &b, path, "missing_actual");
        out_free(&b);
        m = a_model();
        m.repeat = i;
        b = trace_of(&m);
        const struct ras_diff *d = diff(&a, &b, NULL);
        assert_int_equal(d->divergence_count, 1);
        assert_true(is_text(ras_value_member(row_at(rows_of(d), 0), "kind"), "missing_expected"));
        assert_null(row_at(rows_of(d), 1));
        done();
        out_free(&b);
    }
    out_free(&a);
}

/* One is removed in front, one is inserted after it, one is changed at the end. */
static void changes_are_kept_apart(void **state)
{
    (void)state;
    struct model m = a_model();
    struct out a = trace_of(&m);
    m.skip = 0;
    m.repeat = 4;
    m.opcode = 8;
    m.at = 8;
    m.flip = 1;
    struct out b = trace_of(&m);
    const struct ras_diff *d = diff(&a, &b, NULL);
    static const char *const kinds[] = {"missing_actual", "missing_expected", "value_mismatch"};
    for (size_t i = 0; i < 3; i++)
        assert_true(is_text(ras_value_member(row_at(rows_of(d), i), "kind"), kinds[i]));
    assert_null(row_at(rows_of(d), 3));
    done();
    out_free(&a);
    out_free(&b);
}

/* ---- frames ---------------------------------------------------------------------- */

static struct out frames_of(const uint32_t *indexes, uint32_t count, bool sealed)
{
    struct out out = {0};
    struct ras_aero_frame frames[8] = {{0}};
    put_header(&out, 2, "{}");
    for (uint32_t i = 0; i < count; i++) {
        frames[i] = (struct ras_aero_frame){.frame_index = indexes[i], .start_offset = out.len};
        put_marker(&out, RAS_AERO_BEGIN_FRAME, indexes[i]);
        put_draw(&out, 3);
        frames[i].present_offset = out.len;
        put_marker(&out, RAS_AERO_PRESENT, indexes[i]);
        frames[i].end_offset = out.len;
    }
    if (sealed)
        put_seal(&out, 2, frames, count);
    return out;
}

static void a_frame_is_missing(void **state)
{
    (void)state;
    const uint32_t all[] = {0, 1, 2, 3};
    const struct ras_compare_options every = {.keep_going = true};
    struct out a = frames_of(all, 4, true);
    for (uint32_t gone = 0; gone < 4; gone++) {
        uint32_t rest[3], n = 0;
        for (uint32_t i = 0; i < 4; i++)
            if (i != gone)
                rest[n++] = i;
        struct out b = frames_of(rest, 3, true);
        for (int turned = 0; turned < 2; turned++) {
            const struct ras_diff *d = turned ? diff(&b, &a, &every) : diff(&a, &b, &every);
            assert_int_equal(d->divergence_count, 1);
            assert_string_equal(d->divergences[0].kind, "missing_frame");
            assert_int_equal(d->divergences[0].at[0].value.u, gone);
            assert_int_equal(d->checked, 4);
            const struct ras_value *detail = d->divergences[0].detail;
            assert_true(
                is_text(ras_value_member(detail, "missing_in"), turned ? "expected" : "actual"));
            assert_int_equal(ras_value_member(detail, "ended")->u, gone == 3);
            done();
        }
        out_free(&b);
    }
    out_free(&a);
}

static void a_range_of_frames(void **state)
{
    (void)state;
    struct model m = a_model();
    struct out a = trace_of(&m);
    m.skip = 3;
    struct out b = trace_of(&m);
    for (int64_t first = 0; first < 4; first++) {
        for (int paranoid = 0; paranoid < 2; paranoid++) {
            const struct ras_compare_options how = {
                .has_first = true, .first = first, .paranoid = paranoid, .keep_going = true};
            assert_int_equal(diff(&a, &b, &how)->divergence_count, first <= FRAME);
            assert_int_equal(found->checked, first < 3 ? 3 - first : 0);
            done();
        }
    }
    out_free(&a);
    out_free(&b);
}

/* ---- cut and damaged traces ------------------------------------------------------------ */

static void the_rest_of_a_cut_trace_is_compared(void **state)
{
    (void)state;
    struct model m = a_model();
    struct out whole = trace_of(&m);
    for (size_t len = 34; len < whole.len; len++) {
        struct out part = {.at = malloc(len), .len = len};
        assert_non_null(part.at);
        memcpy(part.at, whole.at, len);
        for (int turned = 0; turned < 2; turned++) {
            const struct ras_diff *d =
                turned ? diff(&part, &whole, NULL) : diff(&whole, &part, NULL);
            if (ras_ending(sides[!turned]).kind >= RAS_CUT)
                assert_int_equal(d->divergence_count, 0);
            done();
        }
        free(part.at);
    }
    out_free(&whole);
}

static void damage_does_not_stop_a_comparison(void **state)
{
    (void)state;
    struct model m = a_model();
    m.spare_blob = true;
    struct out whole = trace_of(&m);
    const struct ras_compare_options every = {.keep_going = true};
    for (size_t i = 34; i < whole.len; i++) {
        struct out other = {.at = malloc(whole.len), .len = whole.len};
        assert_non_null(other.at);
        memcpy(other.at, whole.at, whole.len);
        other.at[i] ^= (uint8_t)(1u << i % 8);
        size_t count = diff(&whole, &other, &every)->divergence_count;
        done();
        assert_int_equal(diff(&other, &whole, &every)->divergence_count, count);
        done();
        free(other.at);
    }
    out_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_every_packet_is_named),
        cmocka_unit_test(blobs_compare_by_content),
        cmocka_unit_test(packets_come_and_go),
        cmocka_unit_test(changes_are_kept_apart),
        cmocka_unit_test(a_frame_is_missing),
        cmocka_unit_test(a_range_of_frames),
        cmocka_unit_test(the_rest_of_a_cut_trace_is_compared),
        cmocka_unit_test(damage_does_not_stop_a_comparison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
