/* aerogpu_compared.h - traces made by hand, compared: the one place in which they differ. */
#ifndef AEROGPU_COMPARED_H
#define AEROGPU_COMPARED_H

#include "aerogpu_make.h"
#include "compared.h"
#include "../compared_nothing.h"

enum { FRAME = 1 }; /* of three: the one that is changed */

/* ---- comparing ----------------------------------------------------------------- */

static struct ras_trace *sides[2];
static struct ras_diff *found;

static inline const struct ras_diff *diff(const struct out *a, const struct out *b,
                                          const struct ras_compare_options *how)
{
    struct ras_error err = {0};
    const struct ras_options as = {.format = "aerogpu"};
    assert_int_equal(ras_open_memory(&sides[0], a->at, a->len, &as, &err), RAS_OK);
    assert_int_equal(ras_open_memory(&sides[1], b->at, b->len, &as, &err), RAS_OK);
    int status = diff_or_nothing(&found, sides[0], sides[1], how, &err);
    if (status < 0)
        print_error("%s\n", err.text);
    assert_int_equal(status, RAS_OK);
    return found;
}

static inline void done(void)
{
    ras_diff_free(found);
    ras_close(sides[0]);
    ras_close(sides[1]);
}

/* The frame differs in this one place. */
static inline void expect_row(const struct ras_diff *d, const char *path, const char *kind)
{
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, "frame_mismatch");
    assert_string_equal(d->divergences[0].at[0].key, "frame_index");
    assert_int_equal(d->divergences[0].at[0].value.u, FRAME);
    const struct ras_value *row = row_at(rows_of(d), 0), *at = ras_value_member(row, "path");
    if (!is_text(at, path))
        print_error("%.*s, not %s\n", (int)at->count, (const char *)at->at, path);
    assert_true(is_text(at, path));
    assert_true(is_text(ras_value_member(row, "kind"), kind));
    const struct ras_value *also = row_at(rows_of(d), 1);
    if (also)
        print_error("%s, and %.*s\n", path, (int)ras_value_member(also, "path")->count,
                    (const char *)ras_value_member(also, "path")->at);
    assert_null(also);
}

static inline void expect_one(const struct out *a, const struct out *b, const char *path,
                              const char *kind)
{
    const struct ras_compare_options every = {.keep_going = true, .paranoid = true};
    const struct ras_compare_options without = {.ignored = &path, .ignored_count = 1};
    expect_row(diff(a, b, NULL), path, kind);
    assert_int_equal(found->checked, FRAME + 1);
    done();
    expect_row(diff(b, a, &every), path,
               !strcmp(kind, "missing_actual")     ? "missing_expected"
               : !strcmp(kind, "missing_expected") ? "missing_actual"
                                                   : kind);
    assert_int_equal(found->checked, 3);
    done();
    assert_int_equal(diff(a, b, &without)->divergence_count, 0);
    done();
}

static inline void expect_same(const struct out *a, const struct out *b)
{
    for (int paranoid = 0; paranoid < 2; paranoid++) {
        const struct ras_compare_options how = {.paranoid = paranoid};
        const struct ras_diff *d = diff(a, b, &how);
        assert_int_equal(d->divergence_count, 0);
        assert_int_equal(d->checked, 3);
        done();
    }
}
#endif
