/* tree_copy_test.c - copies of directories, and what was written into them. */
#include "twice/tree_copy.h"

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

static char place[] = "/tmp/rastrum-tree-XXXXXX";

static const char *at(const char *name)
{
    static char path[4][256];
    static unsigned next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof path[0], "%s/%s", place, name);
    return to;
}

static void put_file(const char *name, const char *text)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static int make_origin(void **state)
{
    (void)state;
    if (!mkdtemp(place))
        return -1;
    mkdir(at("origin"), 0755);
    mkdir(at("origin/sub"), 0755);
    put_file("origin/a", "one");
    put_file("origin/sub/b", "two");
    return symlink("a", at("origin/link"));
}

static int remove_origin(void **state)
{
    (void)state;
    tree_remove(place);
    return access(place, F_OK) == 0;
}

static void a_copy_has_the_same_files(void **state)
{
    struct tree from, to, written;
    const char *first = NULL, *what = NULL;
    struct stat a, b;
    (void)state;
    tree_scan(&from, at("origin"), NULL);
    assert_null(from.why);
    assert_int_equal(from.count, 4);
    tree_scan(&to, at("origin"), at("origin/sub"));
    assert_int_equal(to.count, 2);
    tree_free(&to);
    assert_true(tree_copy(&from, at("origin"), at("copy")));
    tree_scan(&to, at("copy"), NULL);
    assert_int_equal(to.count, 4);
    assert_int_equal(to.bytes, 6);
    assert_int_equal(stat(at("origin/a"), &a) | stat(at("copy/a"), &b), 0);
    assert_int_equal(a.st_mtim.tv_nsec, b.st_mtim.tv_nsec);
    assert_int_equal(a.st_mode, b.st_mode);
    tree_written(&to, at("copy"), &written);
    assert_int_equal(written.count, 0);
    assert_int_equal(tree_differences(&written, &written, &first, &what), 0);
    assert_false(tree_copy(&from, at("origin"), at("copy")));
    tree_free(&from);
    tree_free(&to);
    tree_free(&written);
}

static void what_was_written_is_found(void **state)
{
    struct tree before, one, two;
    const char *first = NULL, *what = NULL;
    (void)state;
    tree_scan(&before, at("copy"), NULL);
    put_file("copy/sub/new", "x");
    unlink(at("copy/link"));
    tree_written(&before, at("copy"), &one);
    assert_int_equal(one.count, 2);
    put_file("copy/sub/new", "y");
    tree_written(&before, at("copy"), &two);
    assert_int_equal(tree_differences(&one, &two, &first, &what), 1);
    assert_string_equal(first, "sub/new");
    assert_string_equal(what, "other bytes");
    assert_int_equal(tree_differences(&one, &before, &first, &what) > 1, 1);
    tree_free(&before);
    tree_free(&one);
    tree_free(&two);
}

static void too_much_is_refused(void **state)
{
    struct tree t;
    (void)state;
    mkdir(at("deep"), 0755);
    char path[256] = "deep";
    for (unsigned i = 0; i < TREE_DEPTH_MOST + 2; i++) {
        size_t len = strlen(path);
        snprintf(path + len, sizeof path - len, "/d");
        assert_int_equal(mkdir(at(path), 0755), 0);
    }
    tree_scan(&t, at("deep"), NULL);
    assert_non_null(t.why);
    tree_free(&t);
    tree_scan(&t, at("missing"), NULL);
    assert_non_null(t.why);
    int fd = open(at("origin/large"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(fd, (off_t)TREE_BYTES_MOST + 1), 0);
    close(fd);
    tree_scan(&t, at("origin"), NULL);
    assert_non_null(t.why);
    tree_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_has_the_same_files),
        cmocka_unit_test(what_was_written_is_found),
        cmocka_unit_test(too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, make_origin, remove_origin);
}
