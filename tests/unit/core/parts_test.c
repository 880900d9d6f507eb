/* parts_test.c - a walk over several files, whole, cut or still growing. */
#include "fake.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

/* 'n' goes on in the next part, in the same step; 'x' ends a walk with a part cut. */
static enum step next_over_parts(struct ras_cursor *c)
{
    for (;;) {
        if (c->in.at < c->in.end && *c->in.at == 'x') {
            ending_note(c, RAS_CUT, c->part, cursor_offset(c), "lane ends early");
            return STEP_END;
        }
        if (c->in.at == c->in.end || *c->in.at != 'n')
            return fake_next(c);
        if (!cursor_enter(c, c->part + 1, 0))
            return STEP_DAMAGED;
    }
}

static struct ras_format over_parts(void)
{
    struct ras_format format = fake_format;
    format.next = next_over_parts;
    return format;
}

struct folder {
    char path[64], file[2][80];
    struct ras_trace *trace;
};

static void append(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void folder_open(struct folder *f, const struct ras_format *format, const char *a,
                        const char *b, bool live)
{
    snprintf(f->path, sizeof f->path, "parts_test.XXXXXX");
    assert_non_null(mkdtemp(f->path));
    snprintf(f->file[0], sizeof f->file[0], "%s/a", f->path);
    snprintf(f->file[1], sizeof f->file[1], "%s/b", f->path);
    append(f->file[0], a);
    append(f->file[1], b);
    f->trace = FAKE_OPEN("", 1);
    f->trace->format = format;
    source_close(f->trace->source);
    struct ras_limits limits = {.parts = 4, .inflated_bytes = 1 << 20};
    assert_int_equal(source_open_path(&f->trace->source, f->path,
                                      &(struct ras_options){.live = live}, &limits, NULL),
                     RAS_OK);
}

static void folder_close(struct folder *f)
{
    ras_close(f->trace);
    unlink(f->file[0]);
    unlink(f->file[1]);
    rmdir(f->path);
}

static void gives(struct ras_cursor *c, uint32_t part, uint64_t offset)
{
    const struct ras_record *r;
    struct ras_error err;
    assert_int_equal(ras_next(c, &r, &err), RAS_OK);
    assert_int_equal(c->part, part);
    assert_int_equal(r->offset, offset);
}

static void a_cut_is_placed_in_the_part_that_is_cut(void **state)
{
    (void)state;
    const struct ras_format format = over_parts();
    struct folder f;
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err;
    folder_open(&f, &format, "r11anxxx", "r2", false);
    assert_int_equal(ras_cursor_open(&c, f.trace, NULL, &err), RAS_OK);
    gives(c, 0, 0);
    assert_int_equal(ras_next(c, &r, &err), RAS_END);
    assert_int_equal(ras_ending(f.trace).kind, RAS_CUT);
    assert_int_equal(ras_ending(f.trace).part, 1);
    assert_int_equal(ras_ending(f.trace).offset, 0);
    assert_int_equal(ras_ending(f.trace).size, 2);
    assert_int_equal(c->part, 0); /* where the step that will be repeated begins */
    assert_int_equal(cursor_offset(c), 4);
    ras_cursor_close(c);
    folder_close(&f);
}

static void a_step_into_a_part_that_grows_is_repeated(void **state)
{
    (void)state;
    const struct ras_format format = over_parts();
    struct folder f;
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err;
    folder_open(&f, &format, "r11an", "r2", true);
    assert_int_equal(ras_cursor_open(&c, f.trace, &(struct ras_scan){.follow = true}, &err),
                     RAS_OK);
    gives(c, 0, 0);
    assert_int_equal(ras_next(c, &r, &err), RAS_WAIT);
    append(f.file[1], "1ar31b");
    assert_int_equal(ras_wait(f.trace, 1000, &err), RAS_OK);
    gives(c, 1, 0);
    gives(c, 1, 4);
    assert_int_equal(ras_next(c, &r, &err), RAS_WAIT);
    ras_cursor_close(c);
    folder_close(&f);
}

static void a_part_that_is_empty_at_first_is_read_when_it_grows(void **state)
{
    (void)state;
    const struct ras_format format = over_parts();
    struct folder f;
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err;
    folder_open(&f, &format, "r11an", "", true);
    assert_int_equal(ras_cursor_open(&c, f.trace, &(struct ras_scan){.follow = true}, &err),
                     RAS_OK);
    gives(c, 0, 0);
    assert_int_equal(ras_next(c, &r, &err), RAS_WAIT);
    assert_true(cursor_enter(c, 1, 0)); /* a driver may also stay in it */
    assert_int_equal(ras_next(c, &r, &err), RAS_WAIT);
    append(f.file[1], "r21a");
    assert_int_equal(ras_wait(f.trace, 1000, &err), RAS_OK);
    gives(c, 1, 0);
    ras_cursor_close(c);
    folder_close(&f);
}

static void what_was_noted_on_the_way_is_an_error_when_strict(void **state)
{
    (void)state;
    const struct ras_format format = over_parts();
    struct folder f;
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err;
    folder_open(&f, &format, "r11an", "r21axxxx", false);
    assert_int_equal(ras_cursor_open(&c, f.trace, &(struct ras_scan){.strict = true}, &err),
                     RAS_OK);
    gives(c, 0, 0);
    gives(c, 1, 0);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(ras_next(c, &r, &err), RAS_EFORMAT);
        assert_string_equal(err.text, "lane ends early");
        assert_int_equal(err.offset, 4);
    }
    ras_cursor_close(c);
    folder_close(&f);
}

static void what_was_passed_counts_the_parts_before(void **state)
{
    (void)state;
    const struct ras_format format = over_parts();
    static const uint64_t passed[] = {0, 4, 9, 13};
    struct folder f;
    struct ras_cursor *c;
    uint64_t total;
    folder_open(&f, &format, "r11ar11an", "r22br22bx", false);
    assert_int_equal(ras_cursor_open(&c, f.trace, NULL, NULL), RAS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        gives(c, i / 2, 4 * (i % 2));
        assert_int_equal(ras_cursor_progress(c, &total), passed[i]);
        assert_int_equal(total, 18);
    }
    ras_cursor_close(c);
    folder_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_is_placed_in_the_part_that_is_cut),
        cmocka_unit_test(a_step_into_a_part_that_grows_is_repeated),
        cmocka_unit_test(a_part_that_is_empty_at_first_is_read_when_it_grows),
        cmocka_unit_test(what_was_noted_on_the_way_is_an_error_when_strict),
        cmocka_unit_test(what_was_passed_counts_the_parts_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
