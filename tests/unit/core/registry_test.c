/* registry_test.c - each golden belongs to one format, found by its bytes alone. */
#include "core/registry.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct ras_limits limits = {
    .inflated_bytes = 1 << 30, .parts = 1000, .pool_bytes = 1 << 20};

/* Nobody else is as sure: the file opens as its own format or as none at all. */
static void check(const char *path, const char *format)
{
    struct source *s;
    struct ras_error err;
    assert_int_equal(source_open_path(&s, path, NULL, &limits, &err), RAS_OK);
    const struct ras_format *f = registry_detect(s, &err);
    if (f && strcmp(f->about.name, format) != 0)
        fail_msg("%s passes for %s", path, f->about.name);
    if (!f && strstr(err.text, "may be"))
        fail_msg("%s: %s", path, err.text);
    source_close(s);
}

static bool is_trace(const char *name)
{
    static const char *const others[] = {".json", ".jsonl", ".rc", ".md", ".py"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof others / sizeof *others; i++)
        if (!strcmp(dot, others[i]))
            return false;
    return name[0] != '.' && name[0] != '_';
}

static void every_golden_is_of_its_own_format_or_none(void **state)
{
    (void)state;
    const struct ras_format_about *f;
    int seen = 0;
    for (size_t i = 0; (f = ras_format_at(i)); i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", GOLDEN_DIR, f->name);
        DIR *d = opendir(path);
        for (const struct dirent *e; d && (e = readdir(d));) {
            if (!is_trace(e->d_name))
                continue;
            snprintf(path, sizeof path, "%s/%s/%s", GOLDEN_DIR, f->name, e->d_name);
            check(path, f->name);
            seen++;
        }
        if (d)
            closedir(d);
    }
    assert_true(seen > 20);
}

static void nothing_is_claimed_by_all(void **state)
{
    (void)state;
    static const char *const foreign[] = {"", "\0\0\0\0\0\0\0\0", "\177ELF\2\1\1", "{\"a\":1}\n"};
    static const size_t sizes[] = {0, 8, 7, 8};
    for (size_t i = 0; i < 4; i++) {
        struct source *s;
        struct ras_error err;
        assert_int_equal(source_open_memory(&s, foreign[i], sizes[i], NULL, &limits, NULL), RAS_OK);
        assert_null(registry_detect(s, &err));
        assert_int_equal(err.status, RAS_EFORMAT);
        source_close(s);
    }
}

static void a_directory_without_a_trace_is_told(void **state)
{
    (void)state;
    struct source *s;
    struct ras_error err;
    assert_int_equal(source_open_path(&s, GOLDEN_DIR "/murk", NULL, &limits, NULL), RAS_OK);
    assert_null(registry_detect(s, &err));
    assert_string_equal(err.text, "no trace of a known format in this directory");
    source_close(s);
}

static int sure(const struct probe *p)
{
    (void)p;
    return 60;
}

static int surer(const struct probe *p)
{
    return sure(p) + 1;
}

static int unsure(const struct probe *p)
{
    (void)p;
    return 0;
}

/* Which of three formats with these probes it is; err says why none. */
static const char *choose(int (*a)(const struct probe *), int (*b)(const struct probe *),
                          int (*c)(const struct probe *), struct ras_error *err)
{
    struct ras_format rows[] = {*registry_at(0), *registry_at(0), *registry_at(0)};
    static const char *const names[] = {"a", "b", "c"};
    const struct ras_format *const list[] = {&rows[0], &rows[1], &rows[2]};
    struct source *s;
    for (size_t i = 0; i < 3; i++)
        rows[i].about.name = names[i];
    rows[0].probe = a;
    rows[1].probe = b;
    rows[2].probe = c;
    assert_int_equal(source_open_memory(&s, "any", 3, NULL, &limits, NULL), RAS_OK);
    const struct ras_format *found = registry_choose(list, 3, s, err);
    source_close(s);
    return found ? found->about.name : NULL;
}

/* Each is refused before any of its members is called. */
static void a_row_that_lacks_something_is_refused(void **state)
{
    (void)state;
    static const struct ras_rule no_rules[] = {{0}};
    struct ras_format rows[12];
    static const char *const why[] = {
        "no title or label",
        "no dialect",
        "no list of extensions",
        "no probe",
        "no open",
        "no next",
        "save and load go together",
        "run_count and run_enter go together",
        "rules and check go together",
        "check_ends without check",
        "repair, and it does not say that it can",
        "render and canvas go together",
    };
    for (size_t i = 0; i < 12; i++)
        rows[i] = *registry_find("aerogpu");
    rows[0].about.title = NULL;
    rows[1].about.dialects = NULL;
    rows[2].about.extensions = NULL;
    rows[3].probe = NULL;
    rows[4].open = NULL;
    rows[5].next = NULL;
    rows[6].save = NULL;
    rows[7].run_count = registry_find("atf")->run_count;
    rows[8].check = NULL;
    rows[9].check = NULL;
    rows[9].rules = no_rules;
    rows[10].about.can &= ~(unsigned)RAS_CAN_REPAIR;
    rows[11].canvas = NULL;
    for (size_t i = 0; i < 12; i++) {
        const struct ras_format *const list[] = {registry_at(0), &rows[i]};
        struct ras_error err;
        struct source *s;
        char text[120];
        snprintf(text, sizeof text, "the format aerogpu cannot be used: %s", why[i]);
        assert_int_equal(registry_check(&rows[i], &err), RAS_EUSAGE);
        assert_string_equal(err.text, text);
        assert_int_equal(source_open_memory(&s, "any", 3, NULL, &limits, NULL), RAS_OK);
        assert_null(registry_choose(list, 2, s, &err));
        assert_int_equal(err.status, RAS_EUSAGE);
        source_close(s);
    }
    rows[0].about.name = NULL;
    assert_int_equal(registry_check(&rows[0], NULL), RAS_EUSAGE);
    for (size_t i = 0; registry_at(i); i++)
        assert_int_equal(registry_check(registry_at(i), NULL), RAS_OK);
}

static void a_tie_is_for_the_user_to_decide(void **state)
{
    (void)state;
    struct ras_error err;
    assert_null(choose(sure, unsure, sure, &err));
    assert_int_equal(err.status, RAS_EFORMAT);
    assert_string_equal(err.text, "may be a or c: name its format");
    assert_null(choose(sure, surer, surer, &err));
    assert_string_equal(err.text, "may be b or c: name its format");
    assert_string_equal(choose(sure, sure, surer, &err), "c");
    assert_string_equal(choose(surer, sure, sure, &err), "a");
    assert_null(choose(unsure, unsure, unsure, &err));
    assert_string_equal(err.text,
                        "not a trace of a known format (3 bytes that begin with 61 6e 79)");
}

/* What a row must have; the rest may be NULL, and what it says it can do it has. */
static void every_row_has_what_core_calls(void **state)
{
    (void)state;
    const struct ras_format *f;
    for (size_t i = 0; (f = registry_at(i)); i++) {
        assert_true(f->about.name && f->about.title && f->about.extensions);
        assert_true(f->about.dialects && f->about.dialects[0]);
        assert_true(f->probe && f->open && f->next);
        assert_int_equal(f->rules != NULL, f->check != NULL);
        assert_int_equal((f->about.can & RAS_CAN_REPAIR) != 0, f->repair != NULL);
        assert_true(!(f->about.can & RAS_CAN_REPLAY) || f->play || f->render);
        for (const struct ras_rule *r = f->rules; r && r->id; r++)
            assert_true(!strncmp(r->id, f->about.name, strlen(f->about.name)) && *r->about);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_golden_is_of_its_own_format_or_none),
        cmocka_unit_test(every_row_has_what_core_calls),
        cmocka_unit_test(nothing_is_claimed_by_all),
        cmocka_unit_test(a_directory_without_a_trace_is_told),
        cmocka_unit_test(a_tie_is_for_the_user_to_decide),
        cmocka_unit_test(a_row_that_lacks_something_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
