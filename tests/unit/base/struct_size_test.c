/* struct_size_test.c - options of callers that are older or newer than the library. */
#include "base/struct_size.h"

#include <rastrum/aerogpu.h>
#include <rastrum/atf.h>
#include <rastrum/cdt.h>
#include <rastrum/dial9.h>
#include <rastrum/rastrum.h>
#include <rastrum/render.h>
#include <rastrum/replay.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

struct now {
    size_t struct_size;
    int a, b;
    int added;
};

struct before {
    size_t struct_size;
    int a, b;
};

struct later {
    struct now now;
    size_t more; /* no padding after it, whose bytes may be anything */
};

static const struct now *take(struct now *copy, const void *given, struct ras_error *err)
{
    memset(copy, 0xee, sizeof *copy);
    return options_take(copy, sizeof *copy, offsetof(struct now, added), given, err);
}

static void none_and_zeros_are_the_default(void **state)
{
    struct now copy;
    const struct now zeros = {0};
    (void)state;
    assert_ptr_equal(take(&copy, NULL, NULL), &copy);
    assert_memory_equal(&copy, &zeros, sizeof copy);
    assert_non_null(take(&copy, &zeros, NULL));
    assert_memory_equal(&copy, &zeros, sizeof copy);
}

/* Memory of the caller after the struct is not read. */
static void an_older_caller_knows_fewer_members(void **state)
{
    struct {
        struct before options;
        int other;
    } caller = {{sizeof(struct before), 1, 2}, 3};
    struct now copy;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_non_null(take(&copy, &caller.options, NULL));
        assert_int_equal(copy.a, 1);
        assert_int_equal(copy.b, 2);
        assert_int_equal(copy.added, 0);
        caller.options.struct_size = 0; /* the first layout */
    }
}

static void a_newer_caller_may_not_use_what_is_not_known(void **state)
{
    struct later caller = {{sizeof caller, 1, 2, 3}, 0};
    struct ras_error err = {0};
    struct now copy;
    (void)state;
    assert_non_null(take(&copy, &caller, &err));
    assert_int_equal(copy.added, 3);
    caller.more = 1;
    assert_null(take(&copy, &caller, &err));
    assert_int_equal(err.status, RAS_EUSAGE);
    assert_non_null(strstr(err.text, RASTRUM_VERSION));
}

static void the_versions_agree(void **state)
{
    char text[32];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", RAS_VERSION_MAJOR, RAS_VERSION_MINOR,
             RAS_VERSION_PATCH);
    /* A candidate has its name after the number: 1.0.0-rc1. */
    size_t length = strlen(text);
    assert_memory_equal(ras_version(), text, length);
    assert_true(!ras_version()[length] || ras_version()[length] == '-');
    assert_int_equal(ras_version_number(), RAS_VERSION_NUMBER);
}

/* ---- every entry --------------------------------------------------------------------- */

/* Options of a type that a newer version made longer, and whose new member is set. */
#define NEWER(type)                                                                                \
    struct {                                                                                       \
        struct type options;                                                                       \
        uint64_t more;                                                                             \
    } newer = {.options = {.struct_size = sizeof newer}, .more = 1}

#define REFUSED(call)                                                                              \
    do {                                                                                           \
        struct ras_error err = {0};                                                                \
        assert_int_equal((call), RAS_EUSAGE);                                                      \
        assert_non_null(strstr(err.text, "this version of librastrum"));                           \
    } while (0)

static void every_entry_refuses_what_it_does_not_know(void **state)
{
    (void)state;
    {
        NEWER(ras_options);
        struct ras_trace *out;
        REFUSED(ras_open(&out, "none", &newer.options, &err));
        REFUSED(ras_open_fd(&out, -1, &newer.options, &err));
        REFUSED(ras_open_memory(&out, "", 0, &newer.options, &err));
        REFUSED(ras_open_parts(&out, NULL, 0, &newer.options, &err));
    }
    {
        NEWER(ras_scan);
        struct ras_cursor *out;
        REFUSED(ras_cursor_open(&out, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_verify_options);
        struct ras_report *out;
        REFUSED(ras_verify(&out, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_repair_options);
        struct ras_repair *out;
        REFUSED(ras_repair(&out, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_rewrite_options);
        struct ras_rewritten *out;
        REFUSED(ras_rewrite(&out, NULL, 0, &newer.options, &err));
    }
    {
        NEWER(ras_build_options);
        struct ras_rewritten *out;
        REFUSED(ras_build(&out, (struct ras_bytes){0}, &newer.options, &err));
    }
    {
        NEWER(ras_compare_options);
        struct ras_diff *out;
        REFUSED(ras_diff(&out, NULL, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_bisect_options);
        struct ras_bisect *out;
        REFUSED(ras_bisect(&out, NULL, 0, &newer.options, &err));
    }
    {
        NEWER(ras_stats_options);
        struct ras_stats *out;
        REFUSED(ras_stats(&out, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_inspect_options);
        struct ras_inspection *out;
        REFUSED(ras_inspect(&out, NULL, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_tree_options);
        struct ras_stats *out;
        REFUSED(ras_tree(&out, NULL, &newer.options, &err));
    }
}

static void every_writer_refuses_what_it_does_not_know(void **state)
{
    (void)state;
    {
        NEWER(ras_render_options);
        struct ras_render out;
        REFUSED(ras_render(&out, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_replay_options);
        struct ras_replay *out;
        REFUSED(ras_replay(&out, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_printer_options);
        struct ras_printer *out;
        REFUSED(ras_printer_open(&out, "csv", NULL, NULL, &newer.options, NULL, &err));
    }
    {
        NEWER(ras_aero_resource_options);
        struct ras_aero_vertices *vertices;
        struct ras_picture picture;
        bool inexact;
        REFUSED(ras_aero_vertices(&vertices, NULL, &newer.options, &err));
        REFUSED(ras_aero_texture(&picture, &inexact, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_aero_writer_options);
        struct ras_aero_writer *out;
        REFUSED(ras_aero_writer_open(&out, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_dial9_options);
        struct ras_dial9 *out;
        REFUSED(ras_dial9_open(&out, "", 0, &newer.options, &err));
    }
    {
        NEWER(ras_dial9_writer_options);
        struct ras_dial9_writer *out;
        REFUSED(ras_dial9_writer_open(&out, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_cdt_writer_options);
        struct ras_cdt_writer *out;
        REFUSED(ras_cdt_writer_open(&out, NULL, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_cdt_finalize_options);
        struct ras_cdt_finalized *out;
        REFUSED(ras_cdt_finalize(&out, "none", &newer.options, &err));
    }
    {
        NEWER(ras_atf_writer_options);
        struct ras_atf_writer *out;
        REFUSED(ras_atf_writer_open(&out, NULL, NULL, &newer.options, &err));
    }
    {
        NEWER(ras_atf_finish_options);
        struct ras_atf_finished out;
        REFUSED(ras_atf_finish(&out, "none", &newer.options, &err));
    }
    {
        NEWER(ras_atf_session_options);
        struct ras_atf_session_writer *out;
        REFUSED(ras_atf_session_writer_open(&out, NULL, &newer.options, &err));
    }
}

static void what_is_no_option_of_a_verb_is_refused_too(void **state)
{
    (void)state;
    {
        NEWER(ras_cdt_options);
        struct ras_cdt *out;
        REFUSED(ras_cdt_open(&out, "", 0, &newer.options, &err));
    }
    {
        NEWER(ras_reduced);
        REFUSED(ras_reduced_json(NULL, "", NULL, &newer.options, &err));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_and_zeros_are_the_default),
        cmocka_unit_test(an_older_caller_knows_fewer_members),
        cmocka_unit_test(a_newer_caller_may_not_use_what_is_not_known),
        cmocka_unit_test(the_versions_agree),
        cmocka_unit_test(every_entry_refuses_what_it_does_not_know),
        cmocka_unit_test(every_writer_refuses_what_it_does_not_know),
        cmocka_unit_test(what_is_no_option_of_a_verb_is_refused_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
