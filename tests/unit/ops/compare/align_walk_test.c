/* align_walk_test.c - letters as rows: small and capital ones are similar, not the same. */
#include "ops/compare/align_walk.h"
#include "core/format.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct letters {
    const char *text[2];
    size_t count[2], at[2], base[2];
    bool cut[2];
    size_t resync_at; /* where the sides are moved by one; 0: nowhere */
    bool resynced;
    size_t most; /* divergences */
    size_t found, window;
    uint64_t room;
    char said[400];
};

static void say(struct letters *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct letters *l, const char *fmt, ...)
{
    va_list args;
    size_t len = strlen(l->said);
    va_start(args, fmt);
    vsnprintf(l->said + len, sizeof l->said - len, fmt, args);
    va_end(args);
}

static int pass(void *user, uint64_t most, uint64_t *passed, struct ras_error *err)
{
    struct letters *l = user;
    (void)err;
    while (*passed < most && l->at[0] < l->count[0] && l->at[1] < l->count[1] &&
           l->text[0][l->at[0]] == l->text[1][l->at[1]]) {
        l->at[0]++;
        l->at[1]++;
        ++*passed;
    }
    return RAS_OK;
}

static bool has_row(const void *user, int side)
{
    const struct letters *l = user;
    return l->at[side] < l->count[side];
}

static bool is_cut(const void *user, int side)
{
    return ((const struct letters *)user)->cut[side];
}

static uint64_t progress(const void *user, uint64_t *total)
{
    const struct letters *l = user;
    *total = l->count[0];
    return l->at[0];
}

static int resync(void *user, struct ras_error *err)
{
    struct letters *l = user;
    (void)err;
    if (!l->resync_at || l->resynced || l->at[0] < l->resync_at)
        return RAS_END;
    l->resynced = true;
    l->at[0]++;
    l->at[1]++;
    return RAS_OK;
}

static int fill(void *user, int side, size_t want, struct align_window *w, struct ras_error *err)
{
    struct letters *l = user;
    size_t left = l->count[side] - l->at[side];
    (void)err;
    l->base[side] = l->at[side];
    w->count = want < left ? want : left;
    w->ended = w->count == left;
    l->window = w->count > l->window ? w->count : l->window;
    return RAS_OK;
}

static char letter(const struct letters *l, int side, size_t i)
{
    return l->text[side][l->base[side] + i];
}

static bool same(void *user, size_t a, size_t b)
{
    return letter(user, 0, a) == letter(user, 1, b);
}

static bool similar(void *user, size_t a, size_t b)
{
    return tolower((unsigned char)letter(user, 0, a)) == tolower((unsigned char)letter(user, 1, b));
}

static int put_pair(void *user, size_t a, size_t b, struct document *d, size_t *rows,
                    struct ras_error *err)
{
    (void)err;
    *rows = !same(user, a, b);
    document_uint(d, *rows);
    return RAS_OK;
}

static int found(struct letters *l)
{
    return ++l->found == l->most ? RAS_END : RAS_OK;
}

static int changed(void *user, size_t a, size_t b, size_t detail)
{
    assert_int_equal(detail, COMPARE_NO_DETAIL); /* of no divergence any is wanted */
    say(user, "%c%c ", letter(user, 0, a), letter(user, 1, b));
    return found(user);
}

static int alone(void *user, const struct align_hunk *h, uint64_t room, struct ras_error *err)
{
    struct letters *l = user;
    (void)err;
    if (h->a_count)
        say(l, "-%.*s ", (int)h->a_count, l->text[0] + l->base[0] + h->a);
    if (h->b_count)
        say(l, "+%.*s ", (int)h->b_count, l->text[1] + l->base[1] + h->b);
    l->room = room;
    return found(l);
}

static int rest(void *user, int side, struct ras_error *err)
{
    struct letters *l = user;
    (void)err;
    say(l, "rest of %d: %s", side, l->text[side] + l->at[side]);
    return RAS_OK;
}

static int seek(void *user, size_t a, size_t b, struct ras_error *err)
{
    struct letters *l = user;
    (void)err;
    l->at[0] = l->base[0] + a;
    l->at[1] = l->base[1] + b;
    return RAS_OK;
}

static const struct align_walk_ops ops = {.pass = pass,
                                          .has_row = has_row,
                                          .is_cut = is_cut,
                                          .progress = progress,
                                          .resync = resync,
                                          .fill = fill,
                                          .same = same,
                                          .similar = similar,
                                          .put_pair = put_pair,
                                          .changed = changed,
                                          .alone = alone,
                                          .rest = rest,
                                          .seek = seek};

/* Walk; how many rows were passed. */
static uint64_t walk(struct letters *l, const char *a, const char *b, struct ras_diff *out)
{
    static struct ras_trace trace;
    const struct ras_compare_options options = {.keep_going = true};
    struct compare c = {.side = {&trace, &trace}, .options = &options, .out = out};
    struct align_walk w = {.c = &c, .ops = &ops, .user = l};
    struct ras_error err;
    l->text[0] = a;
    l->text[1] = b;
    l->count[0] = strlen(a);
    l->count[1] = strlen(b);
    assert_true(align_walk_run(&w, &err) >= 0);
    align_walk_free(&w);
    document_free(&c.doc);
    document_free(&c.scratch);
    return out->checked;
}

static void expect(struct letters l, const char *a, const char *b, const char *said)
{
    struct ras_diff out = {0};
    (void)walk(&l, a, b, &out);
    assert_string_equal(l.said, said);
    assert_int_equal(out.note_count, 0);
}

static void what_is_the_same_is_passed(void **state)
{
    struct letters l = {0};
    struct ras_diff out = {0};
    (void)state;
    assert_int_equal(walk(&l, "abcdef", "abcdef", &out), 6);
    assert_string_equal(l.said, "");
    expect((struct letters){0}, "", "", "");
}

static void changed_inserted_and_deleted(void **state)
{
    (void)state;
    expect((struct letters){0}, "abcdef", "abCdef", "cC ");
    expect((struct letters){0}, "abcdef", "abxyzcdef", "+xyz ");
    expect((struct letters){0}, "abcdef", "abef", "-cd ");
    expect((struct letters){0}, "abcdefgh", "axCdefhh", "-b +x cC -g +h ");
}

static void pairs_are_found_between_one_sided_rows(void **state)
{
    (void)state;
    expect((struct letters){0}, "aQbcZd", "aqxBcZd", "Qq +x bB ");
}

static void the_rest_of_a_side_is_reported_unless_the_other_was_cut(void **state)
{
    (void)state;
    expect((struct letters){0}, "abc", "abcde", "rest of 1: de");
    expect((struct letters){0}, "abcde", "abc", "rest of 0: de");
    expect((struct letters){.cut = {true, false}}, "abc", "abcde", "");
    expect((struct letters){.cut = {false, true}}, "abc", "abcde", "rest of 1: de");
}

static void a_walk_ends_where_no_more_is_wanted(void **state)
{
    (void)state;
    expect((struct letters){.most = 1}, "abcdef", "aBcdEf", "bB ");
}

static void a_driver_may_move_the_sides_instead(void **state)
{
    (void)state;
    expect((struct letters){.resync_at = 3}, "abcdefg", "aBcXefG", "bB gG ");
}

static void rows_before_an_insertion_are_counted(void **state)
{
    struct letters l = {0};
    struct ras_diff out = {0};
    (void)state;
    (void)walk(&l, "aXbcdef", "axbcdxef", &out);
    assert_string_equal(l.said, "Xx +x ");
    assert_int_equal(l.room, 3);
}

/* The first window brings nothing together: it grows, to a limit. */
static void the_window_grows(void **state)
{
    struct letters l = {0};
    struct ras_diff out = {0};
    char a[3001], b[3501];
    (void)state;
    memset(a, 'k', sizeof a);
    a[0] = 'a';
    memset(b, 'x', 500);
    memcpy(b + 500, a, 3000);
    a[3000] = b[3500] = '\0';
    (void)walk(&l, a, b, &out);
    assert_int_equal(l.found, 1);
    assert_true(l.window > COMPARE_WINDOW_FIRST && l.window <= COMPARE_WINDOW_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_is_passed),
        cmocka_unit_test(changed_inserted_and_deleted),
        cmocka_unit_test(pairs_are_found_between_one_sided_rows),
        cmocka_unit_test(the_rest_of_a_side_is_reported_unless_the_other_was_cut),
        cmocka_unit_test(a_walk_ends_where_no_more_is_wanted),
        cmocka_unit_test(a_driver_may_move_the_sides_instead),
        cmocka_unit_test(rows_before_an_insertion_are_counted),
        cmocka_unit_test(the_window_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
