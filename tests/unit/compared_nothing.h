/* compared_nothing.h - ras_diff() for tests of what a format compares: that nothing was is a
 * result there, and held to be one. */
#ifndef UNIT_COMPARED_NOTHING_H
#define UNIT_COMPARED_NOTHING_H

static inline int diff_or_nothing(struct ras_diff **out, struct ras_trace *a, struct ras_trace *b,
                                  const struct ras_compare_options *how, struct ras_error *err)
{
    int status = ras_diff(out, a, b, how, err);
    if (status != RAS_ENOTHING)
        return status;
    struct ras_compare_options again = how ? *how : (struct ras_compare_options){0};
    again.compat = true;
    assert_null(*out);
    assert_non_null(strstr(err->text, "nothing was compared: expected has "));
    status = ras_diff(out, a, b, &again, err);
    if (status == RAS_OK) {
        assert_int_equal((*out)->checked, 0);
        assert_int_equal((*out)->divergence_count, 0);
    }
    return status;
}
#endif
