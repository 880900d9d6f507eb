/* trace_test.c - opening: which format, which dialect, which limits, and what is refused. */
#include "../replay.h"
#include "core/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static void refuses(const void *bytes, size_t size, const struct ras_options *options, int status,
                    uint64_t offset, const char *text)
{
    struct ras_trace *t = (void *)1;
    struct ras_error err = {0};
    assert_int_equal(ras_open_memory(&t, bytes, size, options, &err), status);
    assert_null(t);
    assert_int_equal(err.status, status);
    assert_int_equal(err.offset, offset);
    assert_string_equal(err.text, text);
    assert_int_equal(ras_open_memory(&t, bytes, size, options, NULL), status);
}

static void what_no_format_knows_is_told_with_its_first_bytes(void **state)
{
    (void)state;
    refuses("", 0, NULL, RAS_EFORMAT, 0, "empty: there is no trace in 0 bytes");
    refuses(NULL, 0, NULL, RAS_EFORMAT, 0, "empty: there is no trace in 0 bytes");
    refuses("?", 1, NULL, RAS_EFORMAT, 0,
            "not a trace of a known format (1 bytes that begin with 3f)");
    refuses("what is it", 10, NULL, RAS_EFORMAT, 0,
            "not a trace of a known format (10 bytes that begin with 77 68 61 74)");
}

static void a_format_may_be_named(void **state)
{
    (void)state;
    struct ras_options options = {.format = "abacus"};
    refuses("what", 4, &options, RAS_EUSAGE, RAS_NONE,
            "there is no format 'abacus'; there are: aerogpu atf cdt crd dial9 murk");
    options.format = "murk";
    refuses("what", 4, &options, RAS_EFORMAT, 0, "invalid magic bytes (expected \"MURK\")");
}

static void a_dialect_must_be_one_of_the_formats(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_options options = {.dialect = "v9"};
    put_header(&o);
    refuses(o.at, o.len, &options, RAS_EUSAGE, RAS_NONE, "murk has no dialect 'v9'; there are: v3");
    char dialect[] = "v3"; /* the caller's text may go once the trace is open */
    options.dialect = dialect;
    struct ras_trace *t;
    assert_int_equal(ras_open_memory(&t, o.at, o.len, &options, NULL), RAS_OK);
    dialect[0] = 'X';
    assert_string_equal(ras_dialect(t), "v3");
    assert_string_equal(t->dialect_requested, "v3");
    ras_close(t);
    ras_close(NULL);
    out_free(&o);
}

static void a_cut_header_has_its_own_status(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    put_header(&o);
    for (size_t size = 4; size < o.len; size++) {
        assert_int_equal(ras_open_memory(&t, o.at, size, NULL, NULL), RAS_ECUT);
        assert_null(t);
    }
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    ras_close(t);
    out_free(&o);
}

static void limits_have_defaults(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    struct ras_options options = {.limits = {.findings = 5, .depth = 3}};
    put_header(&o);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, &options, NULL), RAS_OK);
    assert_int_equal(t->limits.findings, 5);
    assert_int_equal(t->limits.depth, 3);
    assert_int_equal(t->limits.schemas, 65536);
    assert_int_equal(t->limits.parts, 1 << 20);
    assert_true(t->limits.record_bytes == 1ull << 30 && t->limits.chunk_bytes == 1ull << 30);
    assert_true(t->limits.inflated_bytes == 64ull << 30 && t->limits.pool_bytes == 1ull << 30);
    ras_close(t);
    out_free(&o);
}

static void a_trace_tells_what_it_is(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    int64_t wall;
    uint64_t time;
    put_header(&o);
    put_frame(&o, 1);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    assert_string_equal(ras_format_of(t)->name, "murk");
    assert_int_equal(ras_format_version(t), 3);
    assert_int_equal(ras_size(t), HEADER_SIZE + 20);
    assert_null(ras_wrapping(t));
    assert_int_equal(ras_part_count(t), 1);
    assert_string_equal(ras_part_name(t, 0), "");
    assert_string_equal(ras_part_name(t, 7), "");
    assert_false(ras_wall_clock(t, &wall));
    assert_int_equal(ras_clock_time(t, "media", 1, &time, NULL), RAS_EUNSUPPORTED);
    ras_close(t);
    out_free(&o);
}

static void formats_are_listed_by_unique_names(void **state)
{
    (void)state;
    size_t n = 0;
    for (const struct ras_format_about *f; (f = ras_format_at(n)); n++) {
        assert_ptr_equal(registry_find(f->name), registry_at(n));
        assert_true(f->can & RAS_CAN_READ);
        assert_non_null(f->dialects[0]);
        assert_non_null(f->extensions[0]);
        for (const char *c = f->name; *c; c++)
            assert_true((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9'));
    }
    assert_true(n > 0);
    assert_null(registry_at(n));
    assert_null(registry_find("abacus"));
}

/* Every format's rules begin with its name, say what holds, and never get milder. */
static void rules_are_named_after_their_format(void **state)
{
    (void)state;
    const struct ras_format_about *f;
    for (size_t i = 0; (f = ras_format_at(i)); i++) {
        const struct ras_rule *r;
        size_t n = 0;
        for (; (r = ras_rule_at(f->name, n)); n++) {
            assert_int_equal(strncmp(r->id, f->name, strlen(f->name)), 0);
            assert_int_equal(r->id[strlen(f->name)], '.');
            assert_true(r->strict >= r->severity);
            assert_true(*r->about);
            for (size_t k = 0; k < n; k++)
                assert_string_not_equal(ras_rule_at(f->name, k)->id, r->id);
        }
        assert_true(n > 0);
    }
    assert_non_null(ras_rule_at("trace", 0));
    assert_null(ras_rule_at("abacus", 0));
}

/* The header comes byte by byte through a pipe: opening waits for all of it. */
static void a_live_pipe_is_opened_once_its_header_is_there(void **state)
{
    (void)state;
    struct out o = {0};
    int ends[2];
    put_header(&o);
    put_frame(&o, 1);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < o.len; i++)
            if (write(ends[1], o.at + i, 1) != 1)
                _exit(1);
        _exit(0);
    }
    close(ends[1]);
    struct ras_options options = {.live = true};
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    assert_int_equal(ras_open_fd(&t, ends[0], &options, NULL), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    int status;
    while ((status = ras_next(c, &r, NULL)) == RAS_WAIT)
        assert_true(ras_wait(t, -1, NULL) >= 0);
    assert_int_equal(status, RAS_OK);
    assert_int_equal(r->tick, 1);
    while ((status = ras_next(c, &r, NULL)) == RAS_WAIT)
        assert_true(ras_wait(t, -1, NULL) >= 0);
    assert_int_equal(status, RAS_END);
    assert_int_equal(ras_ending(t).kind, RAS_COMPLETE);
    ras_cursor_close(c);
    ras_close(t);
    assert_true(fcntl(ends[0], F_GETFD) >= 0); /* the descriptor stays the caller's */
    close(ends[0]);
    out_free(&o);
}

static void what_cannot_be_opened_is_told_with_its_errno(void **state)
{
    (void)state;
    struct ras_trace *t;
    struct ras_error err;
    assert_int_equal(ras_open(&t, "/no/such/trace", NULL, &err), RAS_EIO);
    assert_null(t);
    assert_int_equal(err.os_errno, ENOENT);
    assert_int_equal(err.offset, RAS_NONE);
    assert_string_equal(err.text, "cannot open: No such file or directory");
    assert_int_equal(ras_open_fd(&t, -1, NULL, &err), RAS_EIO);
    assert_int_equal(err.os_errno, EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_format_knows_is_told_with_its_first_bytes),
        cmocka_unit_test(a_format_may_be_named),
        cmocka_unit_test(a_dialect_must_be_one_of_the_formats),
        cmocka_unit_test(a_cut_header_has_its_own_status),
        cmocka_unit_test(limits_have_defaults),
        cmocka_unit_test(a_trace_tells_what_it_is),
        cmocka_unit_test(formats_are_listed_by_unique_names),
        cmocka_unit_test(rules_are_named_after_their_format),
        cmocka_unit_test(a_live_pipe_is_opened_once_its_header_is_there),
        cmocka_unit_test(what_cannot_be_opened_is_told_with_its_errno),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
