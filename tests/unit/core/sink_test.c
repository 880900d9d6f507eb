/* sink_test.c - bytes reach a file whole or not at all; the first failure sticks. */
#include "core/sink.h"
#include <rastrum/rastrum.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "rastrum-sink-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    return chdir(temporary ? temporary : "/tmp") || !mkdtemp(folder) || chdir(folder);
}

static int leave_folder(void **state)
{
    (void)state;
    return chdir("..") || rmdir(folder);
}

static void holds(const char *path, const char *want)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(want));
    assert_string_equal(got, want);
}

static void a_file_bears_its_name_only_when_closed(void **state)
{
    (void)state;
    struct ras_sink *s;
    assert_int_equal(ras_sink_file(&s, "a", false, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "one ", 4, NULL), RAS_OK);
    assert_int_equal(ras_sink_flush(s, NULL), RAS_OK);
    assert_int_equal(access("a", F_OK), -1);
    assert_int_equal(ras_sink_write(s, "two", 3, NULL), RAS_OK);
    assert_int_equal(ras_sink_close(s, NULL), RAS_OK);
    holds("a", "one two");
    assert_int_equal(unlink("a"), 0); /* and the folder is empty, or rmdir fails */
}

static void a_new_file_has_the_usual_mode(void **state)
{
    (void)state;
    struct ras_sink *s;
    struct stat st;
    mode_t old = umask(027);
    assert_int_equal(ras_sink_file(&s, "a", false, NULL), RAS_OK);
    assert_int_equal(ras_sink_close(s, NULL), RAS_OK);
    umask(old);
    assert_int_equal(stat("a", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    unlink("a");
}

static void a_dropped_file_leaves_nothing(void **state)
{
    (void)state;
    struct ras_sink *s;
    assert_int_equal(ras_sink_file(&s, "a", false, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "one", 3, NULL), RAS_OK);
    ras_sink_drop(s);
    ras_sink_drop(NULL);
    assert_int_equal(access("a", F_OK), -1);
}

static void flags_that_are_not_known_are_refused(void **state)
{
    (void)state;
    struct ras_sink *s;
    struct ras_folder *f;
    struct ras_error err;
    assert_int_equal(ras_sink_file(&s, "a", RAS_REPLACE | 2, &err), RAS_EUSAGE);
    assert_null(s);
    assert_non_null(strstr(err.text, "flags 0x3"));
    assert_int_equal(ras_sink_trace(&s, "a", 4, NULL), RAS_EUSAGE);
    assert_int_equal(ras_sink_report(&s, "a", 4, NULL), RAS_EUSAGE);
    assert_int_equal(ras_folder_open(&f, "a", 4, NULL), RAS_EUSAGE);
    assert_null(f);
    assert_int_equal(ras_folder_report(&f, "a", 4, NULL), RAS_EUSAGE);
    assert_int_equal(access("a", F_OK), -1);
}

static void an_existing_file_is_kept_unless_it_may_be_replaced(void **state)
{
    (void)state;
    struct ras_sink *s;
    struct ras_error err;
    assert_int_equal(ras_sink_file(&s, "a", false, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "old", 3, NULL), RAS_OK);
    assert_int_equal(ras_sink_close(s, NULL), RAS_OK);
    assert_int_equal(ras_sink_file(&s, "a", false, &err), RAS_EUSAGE);
    assert_null(s);
    assert_string_equal(err.text, "a exists");
    assert_int_equal(err.os_errno, EEXIST);
    assert_int_equal(ras_sink_file(&s, "a", true, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "new", 3, NULL), RAS_OK);
    holds("a", "old");
    assert_int_equal(ras_sink_close(s, NULL), RAS_OK);
    holds("a", "new");
    unlink("a");
}

static void a_file_that_came_meanwhile_is_kept(void **state)
{
    (void)state;
    struct ras_sink *s;
    struct ras_error err;
    assert_int_equal(ras_sink_file(&s, "late", false, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "ours", 4, NULL), RAS_OK);
    FILE *f = fopen("late", "w");
    assert_non_null(f);
    assert_int_equal(fputs("theirs", f) < 0, 0);
    fclose(f);
    assert_int_equal(ras_sink_close(s, &err), RAS_EIO);
    assert_int_equal(err.os_errno, EEXIST);
    holds("late", "theirs");
    unlink("late");
}

/* The folder is empty then, or rmdir fails. */
static void nothing_is_left_of_a_process_that_was_killed(void **state)
{
    (void)state;
    int nameless = open(".", O_TMPFILE | O_WRONLY, 0600);
    if (nameless < 0)
        skip(); /* this file system has none */
    close(nameless);
    pid_t child = fork();
    if (child == 0) {
        struct ras_sink *s;
        if (ras_sink_file(&s, "killed", false, NULL) == RAS_OK &&
            ras_sink_write(s, "half", 4, NULL) == RAS_OK && ras_sink_flush(s, NULL) == RAS_OK)
            raise(SIGKILL);
        _exit(1);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    assert_int_equal(access("killed", F_OK), -1);
}

static void a_name_may_be_as_long_as_names_are(void **state)
{
    (void)state;
    struct ras_sink *s;
    char name[256] = "";
    memset(name, 'n', sizeof name - 1);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(ras_sink_file(&s, name, again ? RAS_REPLACE : 0, NULL), RAS_OK);
        assert_int_equal(ras_sink_write(s, again ? "two" : "one", 3, NULL), RAS_OK);
        assert_int_equal(ras_sink_close(s, NULL), RAS_OK);
        holds(name, again ? "two" : "one");
    }
    unlink(name);
}

static void a_folder_that_is_not_there_is_told_at_once(void **state)
{
    (void)state;
    struct ras_sink *s;
    struct ras_error err;
    assert_int_equal(ras_sink_file(&s, "no/a", false, &err), RAS_EIO);
    assert_null(s);
    assert_int_equal(err.os_errno, ENOENT);
    assert_int_equal(ras_sink_file(&s, ".", true, &err), RAS_EUSAGE);
    assert_string_equal(err.text, ". is a directory");
}

/* A pipe in the file system: renaming a file over it would do away with it. */
static void a_pipe_is_written_to_and_not_replaced(void **state)
{
    (void)state;
    struct ras_sink *s;
    struct stat st;
    char got[8] = "";
    assert_int_equal(mkfifo("p", 0600), 0);
    int reader = open("p", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(ras_sink_file(&s, "p", false, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "one", 3, NULL), RAS_OK);
    assert_int_equal(ras_sink_close(s, NULL), RAS_OK);
    assert_int_equal(read(reader, got, sizeof got), 3);
    assert_string_equal(got, "one");
    close(reader);
    assert_int_equal(stat("p", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    unlink("p");
}

static void memory_holds_everything(void **state)
{
    (void)state;
    struct ras_sink *s;
    static char block[70000];
    assert_int_equal(ras_sink_memory(&s, NULL), RAS_OK);
    memset(block, 'x', sizeof block);
    assert_int_equal(ras_sink_write(s, block, sizeof block, NULL), RAS_OK);
    assert_int_equal(ras_sink_flush(s, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "end", 3, NULL), RAS_OK);
    struct ras_bytes b = ras_sink_bytes(s);
    assert_int_equal(b.len, sizeof block + 3);
    assert_memory_equal(b.at + sizeof block, "end", 3);
    assert_int_equal(ras_sink_close(s, NULL), RAS_OK);
}

static void a_descriptor_stays_the_callers(void **state)
{
    (void)state;
    struct ras_sink *s;
    int ends[2];
    char got[8] = "";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(ras_sink_fd(&s, ends[1], NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "one", 3, NULL), RAS_OK);
    assert_int_equal(ras_sink_close(s, NULL), RAS_OK);
    assert_int_equal(write(ends[1], "two", 3), 3);
    assert_int_equal(read(ends[0], got, sizeof got), 6);
    assert_string_equal(got, "onetwo");
    close(ends[0]);
    close(ends[1]);
}

static void the_first_failure_is_told_by_every_later_call(void **state)
{
    (void)state;
    struct ras_sink *s;
    struct ras_error err;
    static const char block[100000];
    int full = open("/dev/full", O_WRONLY);
    if (full < 0)
        skip();
    assert_int_equal(ras_sink_fd(&s, full, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, "small enough to wait", 20, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(s, block, sizeof block, NULL), RAS_EIO);
    int (*const calls[])(struct ras_sink *, struct ras_error *) = {ras_sink_flush, ras_sink_close};
    assert_int_equal(ras_sink_write(s, "x", 1, &err), RAS_EIO);
    assert_int_equal(err.os_errno, ENOSPC);
    for (size_t i = 0; i < 2; i++) {
        err = (struct ras_error){0};
        assert_int_equal(calls[i](s, &err), RAS_EIO);
        assert_int_equal(err.os_errno, ENOSPC);
        assert_int_equal(err.offset, 0);
        assert_string_equal(err.text, "output: No space left on device");
    }
    close(full);
}

static void written_bytes_can_be_replaced_flushed_or_not(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err;
    assert_int_equal(ras_sink_file(&sink, "patched", false, &err), RAS_OK);
    assert_int_equal(ras_sink_write(sink, "0123", 4, &err), RAS_OK);
    assert_int_equal(ras_sink_flush(sink, &err), RAS_OK);
    assert_int_equal(ras_sink_write(sink, "4567", 4, &err), RAS_OK);
    assert_int_equal(ras_sink_size(sink), 8);
    assert_int_equal(ras_sink_patch(sink, 3, "abc", 3, &err), RAS_OK); /* across the flush */
    assert_int_equal(ras_sink_patch(sink, 7, "xy", 2, &err), RAS_EUSAGE);
    assert_int_equal(ras_sink_close(sink, &err), RAS_OK);
    holds("patched", "012abc67");
    unlink("patched");
}

static void written_bytes_can_be_read_flushed_or_not(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err;
    char back[8] = "";
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        assert_int_equal(in_memory ? ras_sink_memory(&sink, &err)
                                   : ras_sink_file(&sink, "read", false, &err),
                         RAS_OK);
        assert_int_equal(ras_sink_write(sink, "0123", 4, &err), RAS_OK);
        assert_int_equal(ras_sink_flush(sink, &err), RAS_OK);
        assert_int_equal(ras_sink_write(sink, "4567", 4, &err), RAS_OK);
        assert_int_equal(ras_sink_read(sink, 2, back, 4, &err), RAS_OK); /* across the flush */
        assert_memory_equal(back, "2345", 4);
        assert_int_equal(ras_sink_patch(sink, 3, "abc", 3, &err), RAS_OK);
        assert_int_equal(ras_sink_read(sink, 0, back, 8, &err), RAS_OK);
        assert_memory_equal(back, "012abc67", 8);
        assert_int_equal(ras_sink_read(sink, 7, back, 2, &err), RAS_EUSAGE);
        ras_sink_drop(sink);
    }
}

static void a_pipe_cannot_go_back(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(ras_sink_fd(&sink, ends[1], &err), RAS_OK);
    assert_int_equal(ras_sink_write(sink, "0123", 4, &err), RAS_OK);
    assert_int_equal(ras_sink_patch(sink, 0, "a", 1, &err), RAS_OK); /* not written out yet */
    assert_int_equal(ras_sink_flush(sink, &err), RAS_OK);
    assert_int_equal(ras_sink_patch(sink, 0, "b", 1, &err), RAS_EUNSUPPORTED);
    char back;
    assert_int_equal(ras_sink_read(sink, 0, &back, 1, &err), RAS_EUNSUPPORTED);
    assert_int_equal(ras_sink_rewind(sink, 2, &err), RAS_EUNSUPPORTED);
    ras_sink_drop(sink);
    close(ends[0]);
    close(ends[1]);
}

static void a_file_goes_back_behind_what_was_flushed(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err;
    assert_int_equal(ras_sink_file(&sink, "back", false, &err), RAS_OK);
    assert_int_equal(ras_sink_write(sink, "012345", 6, &err), RAS_OK);
    assert_int_equal(ras_sink_flush(sink, &err), RAS_OK);
    assert_int_equal(ras_sink_write(sink, "67", 2, &err), RAS_OK);
    assert_int_equal(ras_sink_rewind(sink, 9, &err), RAS_EUSAGE);
    assert_int_equal(ras_sink_rewind(sink, 7, &err), RAS_OK); /* in memory */
    assert_int_equal(ras_sink_size(sink), 7);
    assert_int_equal(ras_sink_rewind(sink, 3, &err), RAS_OK); /* on the disk */
    assert_int_equal(ras_sink_size(sink), 3);
    assert_int_equal(ras_sink_write(sink, "ab", 2, &err), RAS_OK);
    assert_int_equal(ras_sink_close(sink, &err), RAS_OK);
    holds("back", "012ab");
    unlink("back");
}

/* ---- a thread of its own writes ---------------------------------------------------------- */

enum { PIECE = 7001, PIECES = 400 };

static void put_pieces(struct ras_sink *sink)
{
    static uint8_t piece[PIECE];
    for (unsigned i = 0; i < PIECES; i++) {
        memset(piece, (int)i, sizeof piece);
        assert_int_equal(ras_sink_write(sink, piece, sizeof piece, NULL), RAS_OK);
    }
}

static void has_pieces(const char *path, size_t from)
{
    size_t size = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF; size++)
        if (size >= from)
            assert_int_equal(c, (uint8_t)(size / PIECE));
    fclose(f);
    assert_int_equal(size, PIECE * PIECES);
}

static void what_another_thread_writes_is_the_same(void **state)
{
    (void)state;
    struct ras_sink *sink;
    assert_int_equal(ras_sink_file(&sink, "relayed", false, NULL), RAS_OK);
    sink_relay(sink);
    put_pieces(sink);
    assert_int_equal(ras_sink_size(sink), PIECE * PIECES);
    assert_int_equal(ras_sink_patch(sink, 3, "abc", 3, NULL), RAS_OK);
    assert_int_equal(ras_sink_close(sink, NULL), RAS_OK);
    has_pieces("relayed", 6);
    unlink("relayed");
}

static void another_thread_goes_back_too(void **state)
{
    (void)state;
    struct ras_sink *sink;
    assert_int_equal(ras_sink_file(&sink, "relayed", false, NULL), RAS_OK);
    sink_relay(sink);
    put_pieces(sink);
    assert_int_equal(ras_sink_rewind(sink, 0, NULL), RAS_OK);
    assert_int_equal(ras_sink_size(sink), 0);
    put_pieces(sink);
    assert_int_equal(ras_sink_flush(sink, NULL), RAS_OK);
    assert_int_equal(ras_sink_close(sink, NULL), RAS_OK);
    has_pieces("relayed", 0);
    unlink("relayed");
}

static void what_fails_in_another_thread_is_told(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err = {0};
    static const char block[100000];
    int full = open("/dev/full", O_WRONLY), status = RAS_OK;
    if (full < 0)
        skip();
    assert_int_equal(ras_sink_fd(&sink, full, NULL), RAS_OK);
    sink_relay(sink);
    for (unsigned i = 0; i < 100 && status == RAS_OK; i++)
        status = ras_sink_write(sink, block, sizeof block, &err);
    assert_int_equal(status, RAS_EIO);
    assert_int_equal(err.os_errno, ENOSPC);
    assert_int_equal(err.offset, 0);
    assert_int_equal(ras_sink_write(sink, "x", 1, NULL), RAS_EIO);
    assert_int_equal(ras_sink_close(sink, &err), RAS_EIO);
    close(full);
}

static void what_failed_last_is_told_when_closed(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err = {0};
    int full = open("/dev/full", O_WRONLY);
    if (full < 0)
        skip();
    assert_int_equal(ras_sink_fd(&sink, full, NULL), RAS_OK);
    sink_relay(sink);
    assert_int_equal(ras_sink_write(sink, "x", 1, NULL), RAS_OK);
    assert_int_equal(ras_sink_close(sink, &err), RAS_EIO);
    assert_int_equal(err.os_errno, ENOSPC);
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_bears_its_name_only_when_closed),
        cmocka_unit_test(a_new_file_has_the_usual_mode),
        cmocka_unit_test(a_dropped_file_leaves_nothing),
        cmocka_unit_test(flags_that_are_not_known_are_refused),
        cmocka_unit_test(an_existing_file_is_kept_unless_it_may_be_replaced),
        cmocka_unit_test(a_file_that_came_meanwhile_is_kept),
        cmocka_unit_test(nothing_is_left_of_a_process_that_was_killed),
        cmocka_unit_test(a_name_may_be_as_long_as_names_are),
        cmocka_unit_test(a_folder_that_is_not_there_is_told_at_once),
        cmocka_unit_test(a_pipe_is_written_to_and_not_replaced),
        cmocka_unit_test(memory_holds_everything),
        cmocka_unit_test(a_descriptor_stays_the_callers),
        cmocka_unit_test(the_first_failure_is_told_by_every_later_call),
        cmocka_unit_test(written_bytes_can_be_replaced_flushed_or_not),
        cmocka_unit_test(written_bytes_can_be_read_flushed_or_not),
        cmocka_unit_test(a_pipe_cannot_go_back),
        cmocka_unit_test(a_file_goes_back_behind_what_was_flushed),
        cmocka_unit_test(what_another_thread_writes_is_the_same),
        cmocka_unit_test(another_thread_goes_back_too),
        cmocka_unit_test(what_fails_in_another_thread_is_told),
        cmocka_unit_test(what_failed_last_is_told_when_closed),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
