/* ledger_test.c - the ring of notes: their order, more than fits, and what a file keeps. */
#include "pens/ledger.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static uint8_t big[5 << 20];

static void put(struct ledger *j, enum note_kind kind, uint64_t number, size_t more)
{
    const struct piece pieces[] = {{&number, sizeof number}, {big, more}};
    assert_true(ledger_put(j, kind, pieces, 2));
}

static uint64_t take(struct ledger *j, enum note_kind kind, size_t more)
{
    struct note n;
    uint64_t number;
    assert_true(ledger_next(j, &n));
    assert_int_equal(n.kind, kind);
    assert_int_equal(n.size, sizeof number + more);
    memcpy(&number, n.at, sizeof number);
    if (more)
        assert_memory_equal(n.at + sizeof number, big, more);
    ledger_took(j);
    return number;
}

/* Pieces that do not fit at the end of the ring begin at its front. */
static void notes_keep_their_order_when_the_ring_is_full_of_them(void **state)
{
    struct ledger j;
    struct note n;
    (void)state;
    assert_int_equal(ledger_open(&j, -1, NULL), RAS_OK);
    uint64_t in = 0, out = 0;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 2; i++, in++)
            put(&j, NOTE_INPUT, in, (size_t)(in * 700001 % sizeof big));
        for (int i = 0; i < 2; i++, out++)
            assert_int_equal(take(&j, NOTE_INPUT, (size_t)(out * 700001 % sizeof big)), out);
    }
    assert_false(ledger_next(&j, &n));
    ledger_free(&j);
}

static void a_larger_ring_has_the_same_notes(void **state)
{
    struct ledger j;
    (void)state;
    assert_int_equal(ledger_open(&j, -1, NULL), RAS_OK);
    for (uint64_t i = 0; i < 3; i++)
        put(&j, NOTE_BYTES, i, sizeof big);
    assert_int_equal(take(&j, NOTE_BYTES, sizeof big), 0);
    put(&j, NOTE_INPUT, 77, 0);
    j.wanted = 40 << 20;
    assert_true(ledger_is_short(&j));
    assert_int_equal(ledger_grow(&j, NULL), RAS_OK);
    assert_false(ledger_is_short(&j));
    j.wanted = 0;
    for (uint64_t i = 3; i < 8; i++)
        put(&j, NOTE_BYTES, i, sizeof big);
    assert_int_equal(take(&j, NOTE_BYTES, sizeof big), 1);
    assert_int_equal(take(&j, NOTE_BYTES, sizeof big), 2);
    assert_int_equal(take(&j, NOTE_INPUT, 0), 77);
    for (uint64_t i = 3; i < 8; i++)
        assert_int_equal(take(&j, NOTE_BYTES, sizeof big), i);
    ledger_free(&j);
}

static void a_stopped_ledger_takes_nothing(void **state)
{
    struct ledger j;
    uint64_t number = 1;
    const struct piece piece = {&number, sizeof number};
    (void)state;
    assert_int_equal(ledger_open(&j, -1, NULL), RAS_OK);
    ledger_stop(&j);
    assert_false(ledger_put(&j, NOTE_INPUT, &piece, 1));
    ledger_free(&j);
}

/* ---- files ------------------------------------------------------------------------------- */

struct file {
    char path[64];
    int dir;
    uint8_t *bytes;
    size_t size;
};

static void read_stage(struct file *f)
{
    struct stat about;
    int fd = openat(f->dir, "pens.stage", O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &about), 0);
    f->size = (size_t)about.st_size;
    f->bytes = realloc(f->bytes, f->size);
    assert_int_equal(read(fd, f->bytes, f->size), about.st_size);
    close(fd);
}

static int make_dir(void **state)
{
    struct file *f = calloc(1, sizeof *f);
    snprintf(f->path, sizeof f->path, "/tmp/ledger_XXXXXX");
    *state = f;
    if (!mkdtemp(f->path))
        return -1;
    f->dir = open(f->path, O_RDONLY | O_DIRECTORY);
    return f->dir < 0;
}

static int remove_dir(void **state)
{
    struct file *f = *state;
    unlinkat(f->dir, "pens.stage", 0);
    close(f->dir);
    rmdir(f->path);
    free(f->bytes);
    free(f);
    return 0;
}

/* Also when the ring has grown: the process may be killed at any moment. */
static void a_file_keeps_what_was_not_saved(void **state)
{
    struct file *f = *state;
    struct ledger j;
    struct ledger_scan scan;
    struct note n;
    const struct stage_saved saved = {.tick = 12, .sizes = {1, 2, 3, 4}};
    assert_int_equal(ledger_open(&j, f->dir, NULL), RAS_OK);
    for (uint64_t i = 0; i < 4; i++)
        put(&j, NOTE_INPUT, i, 0);
    (void)take(&j, NOTE_INPUT, 0);
    (void)take(&j, NOTE_INPUT, 0);
    ledger_save(&j, &saved);
    for (int grown = 0; grown < 2; grown++) {
        read_stage(f);
        assert_int_equal(ledger_scan(&scan, (struct ras_bytes){f->bytes, f->size}, NULL), RAS_OK);
        assert_int_equal(scan.saved.tick, 12);
        assert_int_equal(scan.saved.sizes[3], 4);
        for (uint64_t i = 2; i < 4; i++) {
            assert_true(ledger_scan_next(&scan, &n));
            assert_int_equal(n.size, 8);
            assert_memory_equal(n.at, &i, 8);
        }
        assert_false(ledger_scan_next(&scan, &n));
        j.wanted = 30 << 20;
        assert_int_equal(ledger_grow(&j, NULL), RAS_OK);
    }
    ledger_free(&j);
}

static void a_damaged_file_is_refused_or_ends_early(void **state)
{
    struct file *f = *state;
    struct ledger j;
    struct ledger_scan scan;
    struct note n;
    struct ras_error err;
    assert_int_equal(ledger_open(&j, f->dir, NULL), RAS_OK);
    for (uint64_t i = 0; i < 4; i++)
        put(&j, NOTE_INPUT, i, 0);
    ledger_free(&j);
    read_stage(f);
    const struct ras_bytes good = {f->bytes, f->size};
    assert_int_equal(ledger_scan(&scan, (struct ras_bytes){f->bytes, 100}, &err), RAS_EFORMAT);
    assert_int_equal(ledger_scan(&scan, (struct ras_bytes){f->bytes, f->size - 8}, &err),
                     RAS_EFORMAT);
    struct stage *s = (struct stage *)(void *)f->bytes;
    s->head += UINT64_C(1) << 40;
    assert_int_equal(ledger_scan(&scan, good, &err), RAS_EFORMAT);
    s->head -= UINT64_C(1) << 40;
    f->bytes[STAGE_PAGE + 16] = NOTE_KINDS; /* the kind of the second note */
    assert_int_equal(ledger_scan(&scan, good, &err), RAS_OK);
    assert_true(ledger_scan_next(&scan, &n));
    assert_false(ledger_scan_next(&scan, &n));
    s->magic++;
    assert_int_equal(ledger_scan(&scan, good, &err), RAS_EFORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_keep_their_order_when_the_ring_is_full_of_them),
        cmocka_unit_test(a_larger_ring_has_the_same_notes),
        cmocka_unit_test(a_stopped_ledger_takes_nothing),
        cmocka_unit_test_setup_teardown(a_file_keeps_what_was_not_saved, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_refused_or_ends_early, make_dir,
                                        remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
