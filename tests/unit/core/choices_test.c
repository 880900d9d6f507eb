/* choices_test.c - options of formats: who takes them, who refuses them, who ignores them. */
#include "core/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static int check(const char *format, const char *verb, const char *name, struct ras_error *err)
{
    const struct ras_choice chosen = {name, 0};
    return choices_check(registry_find(format), verb, &chosen, 1, err);
}

static void a_choice_is_taken_refused_or_ignored(void **state)
{
    (void)state;
    struct ras_error err;
    assert_int_equal(check("murk", "diff", "hash-only", &err), RAS_OK);
    assert_int_equal(check("atf", "diff", "hash-only", &err), RAS_EUNSUPPORTED);
    assert_string_equal(err.text, "atf traces cannot be compared by their hashes alone");
    assert_int_equal(check("atf", "diff", "trust-checksums", &err), RAS_OK);
    assert_int_equal(check("murk", "repair", "drop-dangling", &err), RAS_OK);
    assert_int_equal(check("murk", "repair", "hash-only", &err), RAS_EUSAGE);
    assert_string_equal(err.text, "repair has no option 'hash-only' of any format; there are:"
                                  " drop-dangling");
    assert_int_equal(check("murk", "diff", "hash-onl", &err), RAS_EUSAGE);
    assert_non_null(strstr(err.text, "did you mean 'hash-only'"));
}

static void a_copy_has_what_the_format_has(void **state)
{
    (void)state;
    char name[] = "with-detail";
    const struct ras_choice chosen[] = {{"trust-checksums", 1}, {name, 7}};
    size_t count = 2;
    struct ras_choice *copy = choices_copy(registry_find("atf"), chosen, &count);
    assert_int_equal(count, 1);
    name[0] = 0; /* it is not borrowed */
    assert_true(choice_made(copy, count, "with-detail"));
    assert_int_equal(choice_value(copy, count, "with-detail"), 7);
    assert_false(choice_made(copy, count, "trust-checksums"));
    free(copy);
}

/* What help, completion and refusals are made of is there. */
static void every_row_is_whole(void **state)
{
    (void)state;
    const struct ras_format_about *f;
    size_t rows = 0;
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        for (const struct ras_format_option *o = f->options; o && o->name; o++, rows++)
            assert_true(o->verbs && *o->verbs && o->about && *o->about);
    assert_true(rows >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_is_taken_refused_or_ignored),
        cmocka_unit_test(a_copy_has_what_the_format_has),
        cmocka_unit_test(every_row_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
