/* tracks_test.c - tiles, items and neighbours of every golden are what its records say. */
#include "codec/fnv1a.h"
#include "oracle.h"
#include <rastrum/run.h>

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DAMAGES = 12 }; /* of each golden */

/* ---- goldens ------------------------------------------------------------------------------- */

static bool is_golden(const char *name)
{
    static const char *const others[] = {".json", ".jsonl", ".rc", ".py", ".md", ".txt"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (len > strlen(others[i]) && !strcmp(name + len - strlen(others[i]), others[i]))
            return false;
    return name[0] != '.';
}

static uint8_t *read_golden(const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("GOLDEN"), name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    struct stat about;
    assert_int_equal(fstat(fileno(f), &about), 0);
    uint8_t *bytes = malloc((size_t)about.st_size + 1);
    *size = fread(bytes, 1, (size_t)about.st_size, f);
    fclose(f);
    return bytes;
}

static unsigned check_folder(const char *format)
{
    char folder[4096], path[8192];
    unsigned opened = 0;
    snprintf(folder, sizeof folder, "%s/%s", getenv("GOLDEN"), format);
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        struct ras_trace *t;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!is_golden(e->d_name) || ras_open(&t, path, NULL, NULL) < 0)
            continue;
        opened++;
        bool big = ras_size(t) > 50000;
        struct tracks *s = build(t, NULL, big ? 512 : 1 + chance(6));
        assert_all(s, big ? 3 : 30);
        tracks_close(s);
        ras_close(t);
    }
    closedir(d);
    return opened;
}

static void calls_are_what_their_records_say(void **unused)
{
    (void)unused;
    assert_true(check_folder("atf") > 20);
}

static void events_are_what_their_records_say(void **unused)
{
    (void)unused;
    assert_true(check_folder("dial9") > 20);
}

static void state_is_what_its_records_say(void **unused)
{
    (void)unused;
    assert_true(check_folder("cdt") > 10);
}

static void inputs_are_what_their_records_say(void **unused)
{
    (void)unused;
    assert_true(check_folder("murk") > 10);
}

static void pictures_are_what_their_records_say(void **unused)
{
    (void)unused;
    assert_true(check_folder("aerogpu") > 10);
}

static bool any_item(void *user, const struct track_item *i)
{
    (void)user, (void)i;
    return true;
}

/* Whatever can be requested. */
static void use_all(struct tracks *s)
{
    for (uint32_t i = 0; i < s->track_count; i++) {
        const struct track_about *a = tracks_at(s, i);
        struct track_item item;
        struct out out = {0};
        for (int32_t shift = 0; a->kind != TRACK_GROUP && shift < 50; shift += 3)
            assert_int_equal(tracks_tile(s, i, shift, a->to >> (shift + 10), &out, NULL), RAS_OK);
        for (unsigned dir = 0; dir < 4; dir++)
            (void)tracks_near(s, i, 0, a->from / 2 + a->to / 2, dir, &item);
        out_free(&out);
    }
    assert_int_equal(tracks_each(s, TRACK_NONE, 0, UINT64_MAX, any_item, NULL, NULL), RAS_OK);
}

/* Bytes of a golden that are not what they were. `again`: reading from a mark on gives the records
 * that a walk gives, gaps included. */
static unsigned check_damaged(const char *format, bool again)
{
    char folder[4096], name[4400];
    unsigned opened = 0;
    snprintf(folder, sizeof folder, "%s/%s", getenv("GOLDEN"), format);
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        struct ras_trace *t;
        struct stat about;
        snprintf(name, sizeof name, "%s/%.255s", folder, e->d_name);
        if (!is_golden(e->d_name) || stat(name, &about) || !S_ISREG(about.st_mode) ||
            about.st_size > 30000 || about.st_size < 100)
            continue;
        snprintf(name, sizeof name, "%s/%.255s", format, e->d_name);
        for (unsigned tries = 0; tries < DAMAGES; tries++) {
            size_t size;
            state = fnv1a_bytes(FNV1A_START, name, strlen(name)) + tries;
            uint8_t *bytes = read_golden(name, &size);
            for (unsigned i = 0; i <= tries % 12; i++)
                bytes[chance(size)] = (uint8_t)chance(256);
            const struct ras_options as = {.format = format};
            if (ras_open_memory(&t, bytes, size, &as, NULL) == RAS_OK) {
                opened++;
                struct tracks *s = build(t, NULL, 1 + chance(9));
                if (again)
                    assert_all(s, 2);
                else
                    use_all(s);
                tracks_close(s);
                ras_close(t);
            }
            free(bytes);
        }
    }
    closedir(d);
    return opened;
}

static void damaged_traces_are_what_can_be_read(void **unused)
{
    (void)unused;
    assert_true(check_damaged("atf", true) > 10);
    assert_true(check_damaged("dial9", true) > 10);
    assert_true(check_damaged("murk", true) > 10);
    assert_true(check_damaged("cdt", true) > 10);
    assert_true(check_damaged("aerogpu", false) > 10);
}

/* ---- a trace that grows -------------------------------------------------------------------- */

static void check_growing(const char *name)
{
    size_t size, there, piece;
    uint8_t *bytes = read_golden(name, &size);
    there = piece = size / 9;
    struct ras_trace *t;
    struct tracks *s;
    const struct ras_options live = {.live = true};
    const struct tracks_options how = {.budget_bytes = 1 << 20, .first_track = 100};
    assert_int_equal(ras_open_memory(&t, bytes, there, &live, NULL), RAS_OK);
    assert_int_equal(tracks_open(&s, t, NULL, &how, NULL), RAS_OK);
    s->block_records = 50;
    uint32_t generation = 0;
    size_t steps = 0;
    while (there < size) {
        while (tracks_step(s, 0, NULL) == RAS_OK)
            ;
        assert_true(tracks_generation(s) >= generation);
        generation = tracks_generation(s);
        for (uint32_t i = 0; i < s->track_count; i++) { /* whatever is there can be shown */
            struct out out = {0};
            if (s->tracks[i].about.kind != TRACK_GROUP)
                assert_int_equal(tracks_tile(s, i, 3, s->tracks[i].about.to >> 13, &out, NULL),
                                 RAS_OK);
            assert_true(!out.len || out.at[34] & TILE_PARTIAL);
            out_free(&out);
        }
        there = there + piece < size ? there + piece : size;
        assert_int_equal(ras_trace_grow(t, there, there < size, NULL), RAS_OK);
        steps++;
    }
    while (tracks_step(s, 0, NULL) == RAS_OK)
        ;
    assert_true(steps > 3 && tracks_generation(s) > 3);
    assert_all(s, 5);
    tracks_close(s);
    ras_close(t);
    free(bytes);
}

static void a_trace_that_grows_ends_as_if_it_were_complete(void **unused)
{
    (void)unused;
    check_growing("murk/big-steady.murk");
    check_growing("dial9/big-steady.trc");
    check_growing("aerogpu/big-steady.aerogputrace");
    check_growing("atf/big-steady.atf");
    check_growing("cdt/big-steady.cdt");
}

/* ---- runs ---------------------------------------------------------------------------------- */

static char home[] = "rastrum-tracks-XXXXXX";

static int enter(void **unused)
{
    (void)unused;
    const char *temporary = getenv("TMPDIR");
    return chdir(temporary ? temporary : "/tmp") || !mkdtemp(home) || chdir(home);
}

static int leave(void **unused)
{
    (void)unused;
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", home);
    return chdir("..") || system(command);
}

static void a_run_has_one_clock(void **unused)
{
    static const char *const pens[] = {"murk", "cdt", "aerogpu", "dial9"};
    static const char recipe[] = "murkworld 1 arena-1\n";
    struct ras_run_options how = {
        .has_seed = true, .seed = 7, .ticks = 24, .pens = pens, .pen_count = 4};
    struct ras_run out;
    struct ras_rundir *run;
    (void)unused;
    how.recipe = (struct ras_bytes){(const uint8_t *)recipe, sizeof recipe - 1};
    assert_int_equal(ras_world_type_of(&how.world, how.recipe, NULL), RAS_OK);
    assert_int_equal(ras_run(&out, "one", &how, NULL), RAS_OK);
    assert_int_equal(ras_rundir_open(&run, "one", NULL, NULL), RAS_OK);
    struct tracks *s = build(NULL, run, 20);
    uint64_t first, every, from, to;
    const uint64_t *at;
    bool is_ticks;
    size_t ticks = tracks_ticks(s, &first, &every, &at);
    assert_in_range(ticks, 24, 25);
    assert_int_equal(every, 1);
    assert_true(tracks_extent(s, &from, &to, &is_ticks));
    assert_false(is_ticks);
    assert_true(to < UINT64_C(60) * 1000000000 * 60 * 24 * 365 * 50);
    unsigned kinds = 0, of_pens = 0;
    for (size_t i = 0; i < tracks_count(s); i++) {
        const struct track_about *a = tracks_at(s, i);
        kinds |= 1u << a->kind;
        of_pens |= 1u << a->pen;
        assert_true(a->parent == TRACK_NONE || a->parent < tracks_count(s));
        if (a->records) /* ticks are where the events of the run are */
            assert_true(a->from >= from && a->to <= to && a->to + 1 >= at[0]);
    }
    assert_int_equal(kinds, 1 << TRACK_GROUP | 1 << TRACK_SLICE | 1 << TRACK_COUNTER |
                                1 << TRACK_INSTANT | 1 << TRACK_FILM);
    assert_true((of_pens & (of_pens - 1)) != 0);
    assert_all(s, 10);
    /* They are found in steps, before anything is shown, and are the same then. */
    struct tracks *slow;
    unsigned steps = 0;
    const uint64_t *found;
    assert_int_equal(tracks_open(&slow, NULL, run, &(struct tracks_options){0}, NULL), RAS_OK);
    slow->block_records = 1;
    do {
        assert_int_equal(tracks_step(slow, 0, NULL), RAS_OK);
        assert_true(slow->ticks_known || !tracks_extent(slow, &from, &to, &is_ticks));
    } while (++steps < 1000 && !slow->ticks_known);
    assert_in_range(steps, 5, 999);
    assert_int_equal(tracks_ticks(slow, &first, &every, &found), ticks);
    assert_memory_equal(found, at, ticks * sizeof *at);
    tracks_close(slow);
    tracks_close(s);
    ras_rundir_close(run);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void ticks_alone_are_the_axis(void **unused)
{
    char path[4096];
    struct ras_trace *t;
    uint64_t from, to, first, every;
    const uint64_t *at;
    bool is_ticks;
    (void)unused;
    snprintf(path, sizeof path, "%s/murk/big-steady.murk", getenv("GOLDEN"));
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    struct tracks *s = build(t, NULL, 4096);
    assert_true(tracks_extent(s, &from, &to, &is_ticks));
    assert_true(is_ticks);
    assert_int_equal(from & ((1 << 20) - 1), 0);
    assert_int_equal(to & ((1 << 20) - 1), 0);
    assert_int_equal(tracks_ticks(s, &first, &every, &at), 0);
    for (uint32_t i = 0; i < tracks_name_count(s); i++)
        assert_non_null(tracks_name(s, i, NULL));
    assert_null(tracks_name(s, (uint32_t)tracks_name_count(s), NULL));
    assert_in_range(tracks_memory(s), 1, 9 << 20);
    tracks_close(s);
    ras_close(t);
}

static void what_is_not_there_is_refused(void **unused)
{
    char path[4096];
    struct ras_trace *t;
    struct tracks *s;
    struct out out = {0};
    struct track_item item;
    (void)unused;
    snprintf(path, sizeof path, "%s/murk/big-steady.murk", getenv("GOLDEN"));
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    assert_int_equal(tracks_open(&s, t, NULL, NULL, NULL), RAS_OK);
    bool is_ticks;
    uint64_t from, to;
    assert_false(tracks_extent(s, &from, &to, &is_ticks)); /* nothing is read yet */
    assert_true(is_ticks);
    assert_int_equal(tracks_count(s), 0);
    assert_int_equal(tracks_name_count(s), 0);
    assert_true(tracks_built(s) == 0);
    assert_int_equal(tracks_tile(s, 0, 0, 0, &out, NULL), RAS_EUSAGE);
    while (tracks_step(s, 8, NULL) == RAS_OK)
        ;
    assert_int_equal(tracks_tile(s, 0, 20, 0, &out, NULL), RAS_EUSAGE); /* a group */
    assert_int_equal(tracks_tile(s, UINT32_MAX, 20, 0, &out, NULL), RAS_EUSAGE);
    assert_int_equal(tracks_tile(s, 1, -1, 0, &out, NULL), RAS_EUSAGE);
    assert_int_equal(tracks_tile(s, 1, 64, 0, &out, NULL), RAS_EUSAGE);
    assert_int_equal(tracks_tile(s, 1, 20, UINT64_MAX, &out, NULL), RAS_EUSAGE);
    assert_int_equal(out.len, 0);
    assert_false(tracks_near(s, UINT32_MAX, 0, 0, NEAR_LEFT, &item));
    assert_false(tracks_near(s, 1, 0, 0, NEAR_UP, &item));
    assert_false(tracks_near(s, 1, 0, 0, 9, &item));
    assert_int_equal(tracks_each(s, 1, 5, 5, NULL, NULL, NULL), RAS_OK);
    assert_int_equal(tracks_step(s, 8, NULL), RAS_END);
    tracks_close(s);
    tracks_close(NULL);
    ras_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_what_their_records_say),
        cmocka_unit_test(calls_are_what_their_records_say),
        cmocka_unit_test(events_are_what_their_records_say),
        cmocka_unit_test(state_is_what_its_records_say),
        cmocka_unit_test(pictures_are_what_their_records_say),
        cmocka_unit_test(damaged_traces_are_what_can_be_read),
        cmocka_unit_test(a_trace_that_grows_ends_as_if_it_were_complete),
        cmocka_unit_test_setup_teardown(a_run_has_one_clock, enter, leave),
        cmocka_unit_test(ticks_alone_are_the_axis),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
