/* os_test.c - what the rest relies on of the operating system: names change in one step, a
 * directory is listed whatever its name becomes, a map may be longer than its file. */
#include "base/error.h"
#include "base/map.h"
#include "base/os.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char place[64];

static const char *at(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", place, name);
    return path;
}

static int make_place(void **state)
{
    (void)state;
    snprintf(place, sizeof place, "os_test-XXXXXX");
    return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state)
{
    (void)state;
    return os_remove_folder(place);
}

static void put(const char *name, const char *text)
{
    int fd = os_create(at(name), false, 0600);
    assert_true(fd >= 0);
    assert_int_equal(os_write(fd, text, strlen(text)), strlen(text));
    os_close(fd);
}

static void holds(const char *name, const char *text)
{
    char found[64] = "";
    int fd = os_open(at(name), OS_READ);
    assert_true(fd >= 0);
    assert_int_equal(os_read(fd, found, sizeof found - 1), strlen(text));
    assert_string_equal(found, text);
    os_close(fd);
}

static void a_file_has_its_kind_and_size(void **state)
{
    struct os_about about, open;
    (void)state;
    put("file", "12345");
    assert_int_equal(os_about(at("file"), &about), 0);
    assert_int_equal(about.kind, OS_FILE);
    assert_int_equal(about.size, 5);
    assert_int_equal(about.links, 1);
    int fd = os_open(at("file"), OS_READ);
    assert_int_equal(os_about_fd(fd, &open), 0);
    assert_int_equal(open.kind, OS_FILE);
    assert_int_equal(open.size, 5);
    assert_int_equal(open.mtime_ns, about.mtime_ns);
    assert_int_equal(os_remove(at("file")), 0);
    assert_int_equal(os_about_fd(fd, &open), 0);
    assert_int_equal(open.links, 0);
    os_close(fd);
    assert_int_equal(os_about(place, &about), 0);
    assert_int_equal(about.kind, OS_FOLDER);
    errno = 0;
    assert_int_equal(os_about(at("none"), &about), -1);
    assert_int_equal(errno, ENOENT);
}

static void a_fresh_file_never_replaces_another(void **state)
{
    (void)state;
    put("taken", "old");
    errno = 0;
    assert_int_equal(os_create(at("taken"), true, 0600), -1);
    assert_int_equal(errno, EEXIST);
    put("made", "new");
    errno = 0;
    assert_int_equal(os_rename(at("made"), at("taken"), false), -1);
    assert_int_equal(errno, EEXIST);
    holds("taken", "old");
    assert_int_equal(os_rename(at("made"), at("taken"), true), 0);
    holds("taken", "new");
    assert_int_equal(os_remove(at("taken")), 0);
}

static void bytes_are_read_and_written_anywhere(void **state)
{
    char found[8] = "";
    int fd = os_temporary();
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(os_write(fd, "0123456789", 10), 10);
    assert_int_equal(os_write_at(fd, "xy", 2, 3), 2);
    assert_int_equal(os_position(fd), 10);
    assert_int_equal(os_read_at(fd, found, 5, 2), 5);
    assert_string_equal(found, "2xy56");
    assert_int_equal(os_cut(fd, 4), 0);
    assert_int_equal(os_write(fd, "z", 1), 1);
    assert_int_equal(os_read_at(fd, found, 8, 0), 5);
    assert_memory_equal(found, "012xz", 5);
    assert_int_equal(os_wait(fd, true, 0), 1);
    os_close(fd);
}

static int names_of(struct os_folder *f, char *all, size_t room)
{
    int count = 0;
    const char *name;
    *all = 0;
    for (os_folder_rewind(f); (name = os_folder_next(f)); count++)
        snprintf(all + strlen(all), room - strlen(all), "%s ", name);
    return count;
}

static void a_directory_stays_the_same_one(void **state)
{
    char names[64];
    struct os_about about;
    (void)state;
    assert_int_equal(os_make_folder(at("a"), 0700), 0);
    assert_int_equal(os_make_folder(at("a/below"), 0700), 0);
    put("a/file", "1");
    struct os_folder *f = os_folder_open(at("a"));
    assert_non_null(f);
    assert_int_equal(os_rename(at("a"), at("b"), false), 0);
    assert_int_equal(names_of(f, names, sizeof names), 2);
    assert_int_equal(names_of(f, names, sizeof names), 2);
    assert_non_null(strstr(names, "file"));
    assert_non_null(strstr(names, "below"));
    assert_int_equal(os_folder_about(f, "below", false, &about), 0);
    assert_int_equal(about.kind, OS_FOLDER);
    struct os_folder *below = os_folder_below(f, "below");
    assert_non_null(below);
    assert_int_equal(names_of(below, names, sizeof names), 0);
    os_folder_close(below);
    assert_null(os_folder_below(f, "file"));
    int fd = os_folder_file(f, "file", OS_READ | OS_NO_LINK);
    assert_true(fd >= 0);
    os_close(fd);
    os_folder_remove(f, "file", false);
    os_folder_remove(f, "below", true);
    assert_int_equal(names_of(f, names, sizeof names), 0);
    os_folder_close(f);
    assert_int_equal(os_remove_folder(at("b")), 0);
}

static void two_directories_are_swapped(void **state)
{
    (void)state;
    assert_int_equal(os_make_folder(at("one"), 0700), 0);
    assert_int_equal(os_make_folder(at("two"), 0700), 0);
    put("one/file", "1");
    put("two/file", "2");
    assert_int_equal(os_swap_folders(at("one"), at("two")), 0);
    holds("one/file", "2");
    holds("two/file", "1");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(os_remove(at(i ? "one/file" : "two/file")), 0);
        assert_int_equal(os_remove_folder(at(i ? "one" : "two")), 0);
    }
}

static void a_map_may_be_longer_than_its_file(void **state)
{
    enum { SIZE = 1 << 20 };
    int fd = os_temporary();
    (void)state;
    assert_int_equal(os_write(fd, "abc", 3), 3);
    char *map = map_open(fd, SIZE);
    assert_non_null(map);
    assert_memory_equal(map, "abc", 3);
    assert_int_equal(os_write_at(fd, "tail", 4, SIZE - 4), 4);
    assert_memory_equal(map + SIZE - 4, "tail", 4);
    char *more = map_resize(map, SIZE, 2 * SIZE, fd, true);
    assert_non_null(more);
    assert_memory_equal(more + SIZE - 4, "tail", 4);
    os_close(fd);
    assert_memory_equal(more, "abc", 3);
    map_close(more, 2 * SIZE);
    errno = 0;
    assert_null(map_open(-1, SIZE));
    assert_int_equal(errno, EBADF);
}

static void what_a_system_cannot_do_is_unsupported(void **state)
{
    struct ras_error err;
    char text[64];
    (void)state;
    errno = ENOSYS;
    assert_int_equal(fail_os(&err, "x"), RAS_EUNSUPPORTED);
    assert_int_equal(err.os_errno, ENOSYS);
    errno = EACCES;
    assert_int_equal(fail_os(&err, "x"), RAS_EIO);
    os_error_text(EACCES, text, sizeof text);
    assert_string_equal(text, strerror(EACCES));
    os_error_text(EACCES, text, 5);
    assert_int_equal(strlen(text), 4);
    assert_null(os_library_open("./no-such-object.so", text, sizeof text));
    assert_true(text[0] != 0);
    assert_true(os_processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_its_kind_and_size),
        cmocka_unit_test(a_fresh_file_never_replaces_another),
        cmocka_unit_test(bytes_are_read_and_written_anywhere),
        cmocka_unit_test(a_directory_stays_the_same_one),
        cmocka_unit_test(two_directories_are_swapped),
        cmocka_unit_test(a_map_may_be_longer_than_its_file),
        cmocka_unit_test(what_a_system_cannot_do_is_unsupported),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
