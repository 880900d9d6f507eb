/* folder_test.c - a directory of files: all of it under its name, or nothing. */
#include "core/folder.h"
#include "faults.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char home[] = "rastrum-folder-XXXXXX";

static int enter_home(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    return chdir(temporary ? temporary : "/tmp") || !mkdtemp(home) || chdir(home);
}

/* rmdir fails when a test left anything behind. */
static int leave_home(void **state)
{
    (void)state;
    return chdir("..") || rmdir(home);
}

static bool holds(const char *path, const char *want)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    const char *text = !strncmp(got, "AT", 2) ? got + 4 : got;
    return n == strlen(want) + (size_t)(text - got) && !strcmp(text, want);
}

static int put(struct ras_folder *f, const char *name, const char *text, struct ras_error *err)
{
    struct ras_sink *s;
    int status = ras_folder_sink(f, name, &s, err);
    return status < 0 ? status : ras_sink_write(s, text, strlen(text), err);
}

/* Files that are known for ours by their names and their first bytes. */
static int fill(struct ras_folder *f, const char *text, struct ras_error *err)
{
    char whole[64];
    snprintf(whole, sizeof whole, "ATI2%s", text);
    int status = put(f, "index.atf", whole, err);
    snprintf(whole, sizeof whole, "ATD2%s", text);
    if (status == RAS_OK)
        status = put(f, "deep/er/detail.atf", whole, err);
    return status;
}

static int make(const char *path, bool replace, const char *text, struct ras_error *err)
{
    struct ras_folder *f;
    int status = ras_folder_open(&f, path, replace, err);
    if (status < 0)
        return status;
    status = fill(f, text, err);
    if (status == RAS_OK)
        return ras_folder_close(f, err);
    ras_folder_drop(f);
    return status;
}

static void unmake(const char *path)
{
    char name[100];
    static const char *const files[] = {"index.atf", "deep/er/detail.atf", NULL};
    static const char *const folders[] = {"deep/er", "deep", ".", NULL};
    for (size_t i = 0; files[i]; i++) {
        snprintf(name, sizeof name, "%s/%s", path, files[i]);
        unlink(name);
    }
    for (size_t i = 0; folders[i]; i++) {
        snprintf(name, sizeof name, "%s/%s", path, folders[i]);
        rmdir(strcmp(folders[i], ".") ? name : path);
    }
}

static void it_bears_its_name_only_when_closed(void **state)
{
    (void)state;
    struct ras_folder *f;
    assert_int_equal(ras_folder_open(&f, "d/", false, NULL), RAS_OK);
    assert_int_equal(fill(f, "one", NULL), RAS_OK);
    assert_int_equal(access("d", F_OK), -1);
    assert_int_equal(ras_folder_close(f, NULL), RAS_OK);
    assert_true(holds("d/index.atf", "one") && holds("d/deep/er/detail.atf", "one"));
    unmake("d");
}

static void two_at_a_time_are_told(void **state)
{
    (void)state;
    struct ras_folder *f, *g;
    struct ras_error err;
    assert_int_equal(ras_folder_open(&f, "d", false, NULL), RAS_OK);
    assert_int_equal(ras_folder_open(&g, "d", false, NULL), RAS_OK);
    assert_int_equal(fill(f, "one", NULL), RAS_OK);
    assert_int_equal(fill(g, "two", NULL), RAS_OK);
    assert_int_equal(ras_folder_close(f, NULL), RAS_OK);
    assert_int_equal(ras_folder_close(g, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "another process made d meanwhile");
    assert_true(holds("d/index.atf", "one"));
    unmake("d");
}

static void dropped_it_leaves_nothing(void **state)
{
    (void)state;
    struct ras_folder *f;
    assert_int_equal(ras_folder_open(&f, "d", false, NULL), RAS_OK);
    assert_int_equal(fill(f, "one", NULL), RAS_OK);
    ras_folder_drop(f);
    assert_int_equal(access("d", F_OK), -1);
}

static void another_is_replaced_only_when_asked(void **state)
{
    (void)state;
    struct ras_error err;
    assert_int_equal(mkdir("d", 0777), 0); /* an empty one is no obstacle */
    assert_int_equal(make("d", false, "one", &err), RAS_OK);
    assert_int_equal(make("d", false, "two", &err), RAS_EUSAGE);
    assert_true(holds("d/index.atf", "one"));
    assert_int_equal(make("d", true, "two", &err), RAS_OK);
    assert_true(holds("d/index.atf", "two") && holds("d/deep/er/detail.atf", "two"));
    unmake("d");
}

/* The link stays, what it leads to is replaced, and nothing lies around. */
static void a_link_leads_to_the_one_that_is_meant(void **state)
{
    struct stat st;
    struct ras_error err;
    (void)state;
    assert_int_equal(make("d", false, "one", &err), RAS_OK);
    assert_int_equal(symlink("d", "link"), 0);
    assert_int_equal(make("link", true, "two", &err), RAS_OK);
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_true(holds("d/index.atf", "two") && holds("d/deep/er/detail.atf", "two"));
    unmake("d");
    assert_int_equal(make("link", true, "two", &err), RAS_EIO); /* it leads nowhere */
    unlink("link");
}

static void foreign_files_are_not_removed(void **state)
{
    (void)state;
    struct ras_error err;
    assert_int_equal(make("d", false, "one", &err), RAS_OK);
    close(creat("d/letter.txt", 0600));
    assert_int_equal(make("d", true, "two", &err), RAS_EUSAGE);
    assert_non_null(strstr(err.text, "letter.txt"));
    assert_true(holds("d/index.atf", "one"));
    unlink("d/letter.txt");
    unmake("d");
}

static void names_stay_inside(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "/", "/x", "../x", "a/../x", "a//b", "a/", ".", "./a"};
    struct ras_folder *f;
    struct ras_sink *s;
    assert_int_equal(ras_folder_memory(&f, NULL), RAS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ras_folder_sink(f, bad[i], &s, NULL), RAS_EUSAGE);
    assert_int_equal(ras_folder_sink(f, "a..b/.c", &s, NULL), RAS_OK);
    assert_int_equal(ras_folder_sink(f, "a..b/.c", &s, NULL), RAS_EUSAGE);
    ras_folder_drop(f);
}

static void memory_gives_its_parts(void **state)
{
    (void)state;
    struct ras_folder *f;
    size_t count;
    assert_int_equal(ras_folder_memory(&f, NULL), RAS_OK);
    assert_int_equal(fill(f, "one", NULL), RAS_OK);
    const struct ras_part *parts = ras_folder_parts(f, &count);
    assert_int_equal(count, 2);
    assert_string_equal(parts[1].name, "deep/er/detail.atf");
    assert_memory_equal(parts[1].bytes.at, "ATD2one", 7);
    assert_int_equal(ras_folder_close(f, NULL), RAS_OK);
}

/* What others put into it is published with it, and is replaced if it is known for ours. */
static void files_of_others_belong_to_it(void **state)
{
    struct ras_folder *f;
    char path[512];
    size_t count;
    (void)state;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(ras_folder_open(&f, "shared", round ? RAS_REPLACE : 0, NULL), RAS_OK);
        folder_hash(f);
        assert_int_equal(put(f, "functions.map", "abc", NULL), RAS_OK);
        snprintf(path, sizeof path, "%s/below", folder_place(f));
        assert_int_equal(mkdir(path, 0777), 0);
        snprintf(path, sizeof path, "%s/below/%s.atf", folder_place(f), round ? "index" : "detail");
        FILE *theirs = fopen(path, "w");
        assert_non_null(theirs);
        fputs(round ? "ATI2def" : "ATD2def", theirs);
        fclose(theirs);
        assert_int_equal(folder_settle(f, NULL), RAS_OK);
        const struct ras_part *parts = folder_files(f, &count);
        assert_int_equal(count, 2);
        assert_string_equal(parts[0].name, "functions.map");
        assert_null(folder_digest(f, 1));
        struct sink_digest *digest = folder_digest(f, 0);
        uint8_t sum[SHA256_SIZE];
        assert_non_null(digest);
        assert_int_equal(digest->size, 3);
        sha256_end(&digest->sha, sum);
        assert_memory_equal(sum, "\xba\x78\x16\xbf\x8f\x01\xcf\xea", 8); /* of abc */
        assert_int_equal(ras_folder_close(f, NULL), RAS_OK);
    }
    assert_true(holds("shared/functions.map", "abc"));
    assert_true(holds("shared/below/index.atf", "def"));
    assert_int_equal(access("shared/below/detail.atf", F_OK), -1);
    assert_int_equal(ras_folder_remove("shared", NULL), RAS_OK);
    assert_int_equal(access("shared", F_OK), -1);
}

/* It comes while the new one is made: what is there then is not removed. */
static void what_comes_meanwhile_is_not_removed(void **state)
{
    struct ras_folder *f;
    struct ras_error err;
    (void)state;
    assert_int_equal(make("d", false, "one", &err), RAS_OK);
    assert_int_equal(ras_folder_open(&f, "d", true, &err), RAS_OK);
    assert_int_equal(fill(f, "two", &err), RAS_OK);
    close(creat("d/.hidden", 0600));
    assert_int_equal(ras_folder_close(f, &err), RAS_EUSAGE);
    assert_non_null(strstr(err.text, "d/.hidden"));
    assert_true(holds("d/index.atf", "one") && access("d/.hidden", F_OK) == 0);
    assert_int_equal(ras_folder_remove("d", &err), RAS_EUSAGE);
    unlink("d/.hidden");
    unmake("d");
}

/* Ours cannot be written: theirs go with it, and the name reported is the one that was asked for.
 */
static void files_of_others_go_with_it(void **state)
{
    const struct rlimit small = {4096, RLIM_INFINITY};
    struct rlimit usual;
    struct ras_folder *f;
    struct ras_sink *sink;
    struct ras_error err = {0};
    static char much[1 << 16];
    char path[512];
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(ras_folder_open(&f, "shared", false, NULL), RAS_OK);
    snprintf(path, sizeof path, "%s/below", folder_place(f));
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/below/theirs", folder_place(f));
    close(creat(path, 0600));
    assert_int_equal(ras_folder_sink(f, "ours.txt", &sink, NULL), RAS_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(ras_sink_write(sink, much, 100, NULL), RAS_OK); /* into its buffer */
    (void)!ras_sink_write(sink, much, sizeof much, NULL);
    assert_int_equal(folder_settle(f, &err), RAS_EIO);
    assert_string_equal(err.text, "shared/ours.txt: File too large");
    ras_folder_drop(f);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    signal(SIGXFSZ, SIG_DFL);
}

static void a_live_one_stays_where_it_is(void **state)
{
    (void)state;
    struct ras_folder *f;
    struct ras_sink *s;
    assert_int_equal(ras_folder_live(&f, "d", NULL), RAS_OK);
    assert_int_equal(ras_folder_sink(f, "index.atf", &s, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "ATI2one", 7, NULL), RAS_OK);
    assert_int_equal(ras_sink_flush(s, NULL), RAS_OK);
    assert_true(holds("d/index.atf", "one"));
    assert_int_equal(ras_folder_finish(f, s, NULL), RAS_OK);
    ras_folder_drop(f);
    assert_true(holds("d/index.atf", "one"));
    unmake("d");
}

/* Whole under its name or absent, whatever fails; the old one stays until then. */
static void try_to_make(void *user)
{
    bool *replace = user;
    struct ras_error err = {0};
    if (*replace) {
        assert_int_equal(mkdirat(AT_FDCWD, "d", 0777), 0); /* not one of the calls that fail */
        int fd = creat("d/index.atf", 0600);
        assert_int_equal(dprintf(fd, "ATI2old"), 7);
        close(fd);
    }
    int status = make("d", *replace, "new", &err);
    faults_stop();
    assert_true(status == RAS_OK || faults_hit());
    assert_true(status == RAS_OK || *err.text);
    if (status == RAS_OK)
        assert_true(holds("d/index.atf", "new") && holds("d/deep/er/detail.atf", "new"));
    else if (*replace)
        assert_true(holds("d/index.atf", "old"));
    else
        assert_int_equal(access("d", F_OK), -1);
    unmake("d");
    assert_int_equal(access("d", F_OK), -1);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    bool replace = false;
    faults_everywhere(try_to_make, &replace);
    replace = true;
    faults_everywhere(try_to_make, &replace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_bears_its_name_only_when_closed),
        cmocka_unit_test(two_at_a_time_are_told),
        cmocka_unit_test(dropped_it_leaves_nothing),
        cmocka_unit_test(another_is_replaced_only_when_asked),
        cmocka_unit_test(a_link_leads_to_the_one_that_is_meant),
        cmocka_unit_test(foreign_files_are_not_removed),
        cmocka_unit_test(names_stay_inside),
        cmocka_unit_test(memory_gives_its_parts),
        cmocka_unit_test(files_of_others_belong_to_it),
        cmocka_unit_test(what_comes_meanwhile_is_not_removed),
        cmocka_unit_test(files_of_others_go_with_it),
        cmocka_unit_test(a_live_one_stays_where_it_is),
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, enter_home, leave_home);
}
