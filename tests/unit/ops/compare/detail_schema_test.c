/* detail_schema_test.c - the details that formats state can be checked, and the page that lists
 * them is true. RASTRUM_UPDATE=1 writes the page again. */
#include "../../detail_check.h"
#include "core/document.h"
#include "core/format.h"
#include "core/registry.h"
#include "ops/compare/compare_driver.h"
#include "ops/compare/detail_schema.h"
#include "ops/compare/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* ---- checking ----------------------------------------------------------------------- */

static const struct ras_detail_member point[] = {
    MEMBER_VALUE("x", NUMBER, ""),
    MEMBER_MAYBE("note", TEXT, ""),
    {0},
};
static const struct ras_detail_member all[] = {
    MEMBER_OR_NULL("at", NUMBER, ""),
    {"points", RAS_DETAIL_VALUE, RAS_DETAIL_LIST, true, point, ""},
    {"rows", RAS_DETAIL_ROWS, RAS_DETAIL_LIST, true, detail_row, ""},
    {0},
};
static const struct ras_detail_kind details[] = {{"moved", "", all}, {"gone", "", NULL}, {0}};

struct member {
    const char *key;
    uint64_t value;
    const char *text; /* NULL: the number */
};

static void put_map(struct document *d, const struct member *m)
{
    size_t map = document_open(d, RAS_MAP);
    for (; m->key; m++) {
        document_key(d, m->key);
        if (m->text)
            document_key(d, m->text);
        else
            document_uint(d, m->value);
    }
    document_close(d, map);
}

/* {"at": at, list: [item]} */
static void expect(uint64_t at, const char *list, const struct member *item, const char *wrong)
{
    struct document d = {0};
    char why[100];
    size_t map = document_open(&d, RAS_MAP);
    document_key(&d, "at");
    document_uint(&d, at);
    document_key(&d, list);
    size_t open = document_open(&d, RAS_LIST);
    put_map(&d, item);
    document_close(&d, open);
    document_close(&d, map);
    assert_int_equal(detail_check(&details[0], d.cells.items, why, sizeof why), !wrong);
    assert_string_equal(why, wrong ? wrong : "");
    document_free(&d);
}

static void what_is_as_stated_is_right(void **state)
{
    (void)state;
    expect(1, "points", (struct member[]){{"x", 2}, {0}}, NULL);
    expect(1, "points", (struct member[]){{"note", 0, "n"}, {"x", 2}, {0}}, NULL);
    expect(1, "rows",
           (struct member[]){
               {"path", 0, "p"}, {"kind", 0, "moved"}, {"expected", 1}, {"actual", 2}, {0}},
           NULL);
}

static void what_is_not_is_named(void **state)
{
    (void)state;
    expect(1, "points", (struct member[]){{"note", 0, "n"}, {0}}, "x is missing");
    expect(1, "points", (struct member[]){{"x", 0, "2"}, {0}}, "x is of another kind");
    expect(1, "points", (struct member[]){{"x", 2}, {"y", 3}, {0}}, "y is not stated");
    expect(1, "lines", (struct member[]){{"x", 2}, {0}}, "lines is not stated");
    expect(1, "rows",
           (struct member[]){
               {"path", 0, "p"}, {"kind", 0, "odd"}, {"expected", 1}, {"actual", 2}, {0}},
           "rows has a row of a kind that is not stated");
}

static void kinds_of_divergences_are_found(void **state)
{
    char why[100];
    struct ras_value none = {.kind = RAS_NULL};
    (void)state;
    assert_ptr_equal(detail_of(details, "gone"), &details[1]);
    assert_null(detail_of(details, "other"));
    assert_null(detail_of(NULL, "gone"));
    assert_true(detail_check(&details[1], NULL, why, sizeof why));
    assert_false(detail_check(&details[1], &none, why, sizeof why));
    assert_false(detail_check(NULL, NULL, why, sizeof why));
}

/* ---- the page ------------------------------------------------------------------------ */

struct page {
    char *text;
    size_t len;
    FILE *file;
};

static void put_kinds(FILE *f, const struct ras_detail_member *m)
{
    static const char *const names[] = {"null", "true or false", "number", "text", "list", "map"};
    const char *before = "";
    if (m->role == RAS_DETAIL_ROWS || m->role == RAS_DETAIL_CHANNELS) {
        fprintf(f, m->role == RAS_DETAIL_ROWS ? "rows" : "channels");
        return;
    }
    if (m->kinds == RAS_DETAIL_ANY) {
        fprintf(f, "any");
        return;
    }
    for (int i = 5; i >= 0; i--)
        if (m->kinds >> i & 1) {
            fprintf(f, "%s%s", before, names[i]);
            before = " or ";
        }
}

static void put_members(FILE *f, const char *prefix, const struct ras_detail_member *m)
{
    char below[100];
    for (; m->key; m++) {
        fprintf(f, "| `%s%s` | ", prefix, m->key);
        put_kinds(f, m);
        fprintf(f, " | %s | %s |\n", m->optional ? "no" : "yes", m->about);
        snprintf(below, sizeof below, "%s%s%s.", prefix, m->key,
                 m->kinds & RAS_DETAIL_LIST ? "[]" : "");
        if (m->of && m->role != RAS_DETAIL_ROWS && m->role != RAS_DETAIL_CHANNELS)
            put_members(f, below, m->of);
    }
}

static void put_table(FILE *f, const struct ras_detail_member *members)
{
    fprintf(f, "\n| member | value | always | meaning |\n|---|---|---|---|\n");
    put_members(f, "", members);
    for (const struct ras_detail_member *m = members; m->key; m++)
        for (const struct ras_detail_member *c = m->of; m->role == RAS_DETAIL_CHANNELS && c->key;
             c++) {
            fprintf(f, "\nChannel `%s`, %s:\n", c->key, c->about);
            put_table(f, c->of);
        }
}

/* Kinds that have the same members share a table. */
static void put_details(FILE *f, const struct ras_detail_kind *kinds)
{
    for (const struct ras_detail_kind *d = kinds; d->kind; d++) {
        bool again = false;
        for (const struct ras_detail_kind *e = kinds; e < d; e++)
            again |= e->members == d->members;
        if (again)
            continue;
        fprintf(f, "\n");
        for (const struct ras_detail_kind *e = d; e->kind; e++)
            if (e->members == d->members)
                fprintf(f, "- `%s`: %s\n", e->kind, e->about);
        if (d->members)
            put_table(f, d->members);
        else
            fprintf(f, "\nThere is no detail.\n");
    }
}

static char *read_page(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(f);
    assert_non_null(text);
    (void)!fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

static void the_page_lists_what_is_stated(void **state)
{
    static const char mark[] = "checks it. -->\n";
    const char *path = getenv("RASTRUM_DETAIL_PAGE");
    struct page p = {0};
    (void)state;
    if (!path)
        skip();
    char *was = read_page(path), *tables = strstr(was, mark);
    assert_non_null(tables);
    tables += sizeof mark - 1;
    p.file = open_memstream(&p.text, &p.len);
    assert_non_null(p.file);
    for (size_t i = 0; registry_at(i); i++) {
        const struct ras_format *f = registry_at(i);
        if (!f->compare)
            continue;
        fprintf(p.file, "\n## %s\n", f->about.name);
        put_details(p.file, f->compare->details);
    }
    fprintf(p.file, "\n## any other format\n");
    put_details(p.file, diff_records.details);
    fclose(p.file);
    if (getenv("RASTRUM_UPDATE") && strcmp(tables, p.text) != 0) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "%.*s%s", (int)(tables - was), was, p.text);
        fclose(f);
    } else {
        assert_string_equal(tables, p.text);
    }
    free(p.text);
    free(was);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_as_stated_is_right),
        cmocka_unit_test(what_is_not_is_named),
        cmocka_unit_test(kinds_of_divergences_are_found),
        cmocka_unit_test(the_page_lists_what_is_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
