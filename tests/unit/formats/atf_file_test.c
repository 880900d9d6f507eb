/* atf_file_test.c - where the events of a file end, for any damage to its ends. */
#include "../calls.h"
#include "formats/atf/atf_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct ras_atf_index_file open_index(const struct out *o)
{
    struct ras_atf_index_file f;
    struct ras_error err;
    assert_int_equal(ras_atf_index_open(&f, made(o), &err), RAS_OK);
    return f;
}

/* Counted by this, so many events, and this ending. */
static void is_index(const struct out *o, enum ras_atf_counted counted, uint64_t count,
                     enum ras_ending_kind kind)
{
    struct ras_atf_index_file f = open_index(o);
    struct atf_verdict v = atf_index_verdict(&f, o->len);
    assert_int_equal(f.counted, counted);
    assert_int_equal(f.count, count);
    assert_int_equal(f.end, f.at + 32 * count);
    assert_int_equal(v.kind, kind);
    assert_true(v.offset <= o->len);
    assert_int_equal(!v.why[0], kind == RAS_COMPLETE);
}

static void put_placeholder(struct out *o, uint32_t count)
{
    put_index_header(o, 0, 0, 64);
    for (uint32_t i = 0; i < count; i++)
        put_event(o, i, 1, RAS_ATF_CALL, 1, RAS_ATF_NO_DETAIL);
}

static void a_closed_index_is_complete(void **state)
{
    (void)state;
    struct out o = {0};
    put_index(&o, 0, 5);
    is_index(&o, RAS_ATF_BY_FOOTER, 5, RAS_COMPLETE);
    out_free(&o);
    o = (struct out){0};
    put_index(&o, 0, 0);
    is_index(&o, RAS_ATF_BY_FOOTER, 0, RAS_COMPLETE);
    out_free(&o);
}

/* formats: a footer with a stale header must not be read as two more events. */
static void a_footer_is_found_in_the_last_bytes(void **state)
{
    (void)state;
    struct out o = {0};
    put_placeholder(&o, 4);
    put_index_footer(&o, 4);
    is_index(&o, RAS_ATF_BY_LAST_BYTES, 4, RAS_UNSEALED);
    out_free(&o);
}

static void a_finished_header_is_believed_without_a_footer(void **state)
{
    (void)state;
    struct out o = {0};
    put_index(&o, 0, 4);
    o.at[64 + 128] = 'X'; /* the footer's magic */
    is_index(&o, RAS_ATF_BY_HEADER, 4, RAS_UNSEALED);
    o.len -= 64;
    is_index(&o, RAS_ATF_BY_HEADER, 4, RAS_UNSEALED);
    o.len -= 1; /* now the last event is cut */
    is_index(&o, RAS_ATF_BY_SIZE, 3, RAS_CUT);
    o.len -= 31;
    is_index(&o, RAS_ATF_BY_SIZE, 3, RAS_CUT);
    out_free(&o);
}

static void a_crash_leaves_whole_events(void **state)
{
    (void)state;
    struct out o = {0};
    put_placeholder(&o, 4);
    is_index(&o, RAS_ATF_BY_SIZE, 4, RAS_UNSEALED);
    put_zeros(&o, 31);
    is_index(&o, RAS_ATF_BY_SIZE, 4, RAS_CUT);
    out_free(&o);
}

/* Half a footer is as long as an event and must not become one. */
static void a_footer_cut_anywhere_adds_no_event(void **state)
{
    (void)state;
    struct out o = {0};
    put_placeholder(&o, 4);
    size_t events = o.len;
    put_index_footer(&o, 4);
    for (o.len = events + 1; o.len < events + 64; o.len++) {
        struct ras_atf_index_file f = open_index(&o);
        assert_int_equal(f.count, 4);
    }
    out_free(&o);
}

static void a_count_beyond_the_bytes_is_not_believed(void **state)
{
    (void)state;
    static const uint64_t counts[] = {5, 1000000000, (uint64_t)UINT32_MAX + 4, UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        struct out o = {0};
        put_index_header(&o, 0, 4, 64 + 128);
        for (unsigned e = 0; e < 4; e++)
            put_event(&o, e, 1, RAS_ATF_CALL, 1, RAS_ATF_NO_DETAIL);
        put_index_footer(&o, counts[i]);
        is_index(&o, RAS_ATF_BY_FOOTER, 4, RAS_UNSEALED);
        out_free(&o);
    }
}

/* One wrong number does not hide complete events, but two that agree do. */
static void a_smaller_count_needs_the_header_too(void **state)
{
    (void)state;
    struct out o = {0};
    struct atf_gap gap;
    put_index(&o, 0, 4);
    o.at[64 + 128 + 8] = 3;
    is_index(&o, RAS_ATF_BY_FOOTER, 4, RAS_UNSEALED);
    o.at[28] = 3;
    is_index(&o, RAS_ATF_BY_FOOTER, 3, RAS_DAMAGED);
    struct ras_atf_index_file f = open_index(&o);
    assert_true(atf_index_gap(&f, &gap));
    assert_int_equal(gap.at, 64 + 96);
    assert_int_equal(gap.length, 32);
    out_free(&o);
}

static void a_footer_offset_that_wraps_is_harmless(void **state)
{
    (void)state;
    struct out o = {0};
    put_index(&o, 0, 4);
    for (unsigned i = 40; i < 48; i++)
        o.at[i] = 0xff;
    is_index(&o, RAS_ATF_BY_LAST_BYTES, 4, RAS_UNSEALED);
    out_free(&o);
}

static void bytes_after_the_footer_are_damage(void **state)
{
    (void)state;
    struct out o = {0};
    put_index(&o, 0, 4);
    put_zeros(&o, 5);
    is_index(&o, RAS_ATF_BY_FOOTER, 4, RAS_DAMAGED);
    out_free(&o);
}

static void a_header_is_refused_at_the_byte_that_is_wrong(void **state)
{
    (void)state;
    static const struct {
        unsigned at;
        uint8_t value;
        int status;
    } wrong[] = {{0, 'X', RAS_EFORMAT}, {4, 0, RAS_EFORMAT},   {5, 2, RAS_EVERSION},
                 {24, 64, RAS_EFORMAT}, {32, 63, RAS_EFORMAT}, {33, 1, RAS_ECUT}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct out o = {0};
        struct ras_atf_index_file f;
        struct ras_error err;
        put_index(&o, 0, 2);
        o.at[wrong[i].at] = wrong[i].value;
        assert_int_equal(ras_atf_index_open(&f, made(&o), &err), wrong[i].status);
        assert_true(err.offset == wrong[i].at || err.offset + 1 == wrong[i].at);
        out_free(&o);
    }
}

static void a_short_file_is_cut(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_atf_index_file f;
    struct ras_atf_detail_file d;
    struct ras_error err;
    put_index(&o, 0, 2);
    for (o.len = 0; o.len < 64; o.len++) {
        assert_int_equal(ras_atf_index_open(&f, made(&o), &err), RAS_ECUT);
        int status = ras_atf_detail_open(&d, made(&o), &err);
        assert_int_equal(status, o.len < 4 ? RAS_ECUT : RAS_EFORMAT);
    }
    out_free(&o);
}

/* ---- details -------------------------------------------------------------- */

static void is_detail(const struct out *o, uint64_t count, enum ras_ending_kind kind, bool gapped)
{
    struct ras_atf_detail_file f;
    struct ras_atf_detail_event e;
    struct atf_gap gap;
    uint64_t n = 0;
    assert_int_equal(ras_atf_detail_open(&f, made(o), NULL), RAS_OK);
    uint64_t at = f.at;
    while (ras_atf_detail_step(&f, made(o), &at, &e) == RAS_OK)
        n++;
    assert_int_equal(n, count);
    struct atf_verdict v = atf_detail_verdict(&f, made(o), at, n);
    assert_int_equal(v.kind, kind);
    assert_int_equal(!v.why[0], kind == RAS_COMPLETE);
    assert_int_equal(atf_detail_gap(&f, made(o), at, n, &gap), gapped);
}

/* Two details of 30 and 24 bytes, with these headers and footers. */
static void put_details(struct out *o, bool header, bool footer)
{
    put_detail_header(o, header ? 2 : 0, header ? 54 : 0);
    put_detail(o, 0, 1, 6);
    put_detail(o, 1, 2, 0);
    if (footer)
        put_detail_footer(o, 2, 54);
}

static void details_end_as_they_were_left(void **state)
{
    (void)state;
    static const enum ras_ending_kind kinds[2][2] = {{RAS_UNSEALED, RAS_UNSEALED},
                                                     {RAS_UNSEALED, RAS_COMPLETE}};
    for (int header = 0; header < 2; header++)
        for (int footer = 0; footer < 2; footer++) {
            struct out o = {0};
            put_details(&o, header, footer);
            is_detail(&o, 2, kinds[header][footer], false);
            out_free(&o);
        }
}

static void the_last_detail_is_not_taken_for_a_footer(void **state)
{
    (void)state;
    struct out o = {0}; /* 64 bytes are not reserved for a missing footer */
    put_details(&o, false, false);
    is_detail(&o, 2, RAS_UNSEALED, false);
    o.len--;
    is_detail(&o, 1, RAS_CUT, false);
    out_free(&o);
}

static void a_detail_footer_cut_anywhere_adds_none(void **state)
{
    (void)state;
    for (int header = 0; header < 2; header++) {
        struct out o = {0};
        put_details(&o, header, true);
        size_t size = o.len;
        for (o.len = size - 63; o.len < size; o.len++) {
            /* Fewer bytes than a magic could be the beginning of a length. */
            bool known = header || o.len - (size - 64) >= 4;
            is_detail(&o, 2, known ? RAS_UNSEALED : RAS_CUT, false);
        }
        out_free(&o);
    }
}

static void an_impossible_length_ends_the_walk(void **state)
{
    (void)state;
    static const uint8_t lengths[][4] = {{0}, {23}, {0xff, 0xff, 0xff, 0xff}, {55}};
    for (size_t i = 0; i < 4; i++) {
        struct out o = {0};
        put_details(&o, true, true);
        memcpy(o.at + 64, lengths[i], 4);
        is_detail(&o, 0, RAS_DAMAGED, true);
        o.len -= 64; /* without a footer the end of the damage is not known */
        is_detail(&o, 0, i < 2 ? RAS_DAMAGED : RAS_CUT, false);
        out_free(&o);
    }
}

/* ---- growing files -------------------------------------------------------- */

/* Events reported for a prefix are never more than those of the whole file. */
static void a_growing_index_takes_nothing_back(void **state)
{
    (void)state;
    for (int closed = 0; closed < 3; closed++) {
        struct out o = {0};
        if (closed == 2)
            put_index(&o, 0, 6);
        else
            put_placeholder(&o, 6);
        if (closed == 1)
            put_index_footer(&o, 6);
        size_t size = o.len;
        uint64_t last = 0;
        for (o.len = 64; o.len <= size; o.len++) {
            struct ras_atf_index_file f = open_index(&o);
            uint64_t sure = atf_final_events(&f, made(&o));
            assert_in_range(sure, last, 6);
            assert_true(sure <= (o.len - 64) / 32);
            last = sure;
        }
        assert_int_equal(last, 6);
        out_free(&o);
    }
}

static void growing_details_take_nothing_back(void **state)
{
    (void)state;
    for (int header = 0; header < 2; header++) {
        struct out o = {0};
        put_details(&o, header, true);
        size_t size = o.len;
        for (o.len = 64; o.len <= size; o.len++) {
            struct ras_atf_detail_file f;
            assert_int_equal(ras_atf_detail_open(&f, made(&o), NULL), RAS_OK);
            uint64_t sure = atf_final_details(&f, made(&o));
            assert_true(sure <= o.len);
            assert_true(sure <= 64 + 54);
            if (o.len <= 64 + 54)
                assert_int_equal(sure, o.len);
        }
        out_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_index_is_complete),
        cmocka_unit_test(a_footer_is_found_in_the_last_bytes),
        cmocka_unit_test(a_finished_header_is_believed_without_a_footer),
        cmocka_unit_test(a_crash_leaves_whole_events),
        cmocka_unit_test(a_footer_cut_anywhere_adds_no_event),
        cmocka_unit_test(a_count_beyond_the_bytes_is_not_believed),
        cmocka_unit_test(a_smaller_count_needs_the_header_too),
        cmocka_unit_test(a_footer_offset_that_wraps_is_harmless),
        cmocka_unit_test(bytes_after_the_footer_are_damage),
        cmocka_unit_test(a_header_is_refused_at_the_byte_that_is_wrong),
        cmocka_unit_test(a_short_file_is_cut),
        cmocka_unit_test(details_end_as_they_were_left),
        cmocka_unit_test(the_last_detail_is_not_taken_for_a_footer),
        cmocka_unit_test(a_detail_footer_cut_anywhere_adds_none),
        cmocka_unit_test(an_impossible_length_ends_the_walk),
        cmocka_unit_test(a_growing_index_takes_nothing_back),
        cmocka_unit_test(growing_details_take_nothing_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
