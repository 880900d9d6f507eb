/* source_test.c - addressable bytes, wherever they come from and while they grow. */
#include "core/part.h"
#include "core/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <cmocka.h>

static const struct ras_limits limits = {.inflated_bytes = 1 << 20, .parts = 5};
static const struct ras_options live = {.live = true};
static char folder[] = "rastrum-source-XXXXXX";

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

static void append(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void holds(const struct source *s, size_t part, const char *want, size_t size)
{
    struct ras_bytes b = source_bytes(s, part);
    assert_int_equal(b.len, size);
    if (size)
        assert_memory_equal(b.at, want, size);
}

/* ---- frames with a checksum ------------------------------------------------------ */

enum { FRAMES_ROOM = 4096, FRAME_TEXT = 1000 };

/* Two frames of text, the second with a checksum of its own or none; returns where that one ends.
 */
static size_t put_two_frames(uint8_t out[FRAMES_ROOM], const char text[2 * FRAME_TEXT], bool check)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t len = ZSTD_compress2(c, out, FRAMES_ROOM, text, FRAME_TEXT);
    assert_false(ZSTD_isError(len));
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, check)));
    size_t more = ZSTD_compress2(c, out + len, FRAMES_ROOM - len, text + FRAME_TEXT, FRAME_TEXT);
    assert_false(ZSTD_isError(more));
    ZSTD_freeCCtx(c);
    return len + more;
}

static void a_frame_is_shown_when_its_checksum_matches(void **state)
{
    (void)state;
    char text[2 * FRAME_TEXT];
    uint8_t stored[FRAMES_ROOM];
    struct source *s;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i % 251);
    size_t len = put_two_frames(stored, text, true);
    assert_int_equal(source_open_memory(&s, stored, len, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, text, sizeof text);
    source_close(s);
    assert_int_equal(source_open_memory(&s, stored, len - 1, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, text, sizeof text); /* cut: nothing says that it is wrong */
    assert_int_equal(source_wrapping(s, 0)->kind, RAS_CUT);
    source_close(s);
    stored[len - 1] ^= 1;
    assert_int_equal(source_open_memory(&s, stored, len, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, text, FRAME_TEXT);
    assert_int_equal(source_wrapping(s, 0)->kind, RAS_DAMAGED);
    source_close(s);
    assert_int_equal(source_open_memory(&s, stored, len, &live, &limits, NULL), RAS_OK);
    holds(s, 0, text, sizeof text); /* who follows it sees every byte at once */
    source_close(s);
}

static void a_frame_without_a_checksum_is_shown(void **state)
{
    (void)state;
    char text[2 * FRAME_TEXT];
    uint8_t stored[FRAMES_ROOM];
    struct source *s;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i % 251);
    size_t len = put_two_frames(stored, text, false);
    assert_int_equal(source_open_memory(&s, stored, len, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, text, sizeof text);
    source_close(s);
}

/* ---- files --------------------------------------------------------------------- */

static void a_file_is_its_bytes(void **state)
{
    (void)state;
    struct source *s;
    append("a", "hello", 5);
    assert_int_equal(source_open_path(&s, "a", NULL, &limits, NULL), RAS_OK);
    assert_int_equal(source_count(s), 1);
    assert_false(source_is_dir(s));
    assert_string_equal(source_name(s, 0), "");
    holds(s, 0, "hello", 5);
    assert_int_equal(source_stored(s, 0), 5);
    assert_false(source_growing(s));
    assert_false(source_can_grow(s));
    assert_int_equal(source_wait(s, 0, NULL), RAS_END);
    assert_null(source_wrapping(s, 0)->name);
    source_close(s);
    source_close(NULL);
    unlink("a");
}

static void an_empty_file_has_no_bytes(void **state)
{
    (void)state;
    struct source *s;
    append("a", "", 0);
    assert_int_equal(source_open_path(&s, "a", NULL, &limits, NULL), RAS_OK);
    holds(s, 0, "", 0);
    source_close(s);
    unlink("a");
}

static void files_from_a_mebibyte_on_are_mapped(void **state)
{
    (void)state;
    static const struct {
        off_t size;
        bool live, mapped;
    } cases[] = {
        {(1 << 20) - 1, false, false}, {1 << 20, false, true}, {3, true, true}, {0, true, false}};
    for (size_t i = 0; i < 4; i++) {
        struct part p = {.fd = open("a", O_RDWR | O_CREAT, 0600) + 1};
        assert_int_equal(ftruncate(p.fd - 1, cases[i].size), 0);
        assert_int_equal(part_load_file(&p, (uint64_t)cases[i].size, cases[i].live, NULL), RAS_OK);
        assert_int_equal(p.mapped != 0, cases[i].mapped);
        assert_int_equal(part_bytes(&p).len, cases[i].size);
        part_free(&p);
        unlink("a");
    }
}

static void a_live_file_grows(void **state)
{
    (void)state;
    struct source *s;
    append("a", "", 0);
    assert_int_equal(source_open_path(&s, "a", &live, &limits, NULL), RAS_OK);
    assert_true(source_can_grow(s));
    const uint64_t *generation = source_generation(s);
    uint64_t before = *generation;
    assert_int_equal(source_wait(s, 0, NULL), RAS_WAIT);
    assert_int_equal(*generation, before);
    append("a", "one", 3);
    assert_int_equal(source_wait(s, 1000, NULL), RAS_OK);
    assert_true(*generation > before);
    holds(s, 0, "one", 3);
    char *block = calloc(1, 2 << 20);
    assert_non_null(block);
    append("a", block, 2 << 20);
    assert_int_equal(source_wait(s, 1000, NULL), RAS_OK);
    assert_int_equal(source_bytes(s, 0).len, 3 + (2 << 20));
    assert_memory_equal(source_bytes(s, 0).at, "one\0", 4);
    assert_int_equal(source_stored(s, 0), 3 + (2 << 20));
    free(block);
    source_close(s);
    unlink("a");
}

static void a_live_file_that_shrinks_is_an_error(void **state)
{
    (void)state;
    struct source *s;
    struct ras_error err;
    append("a", "hello", 5);
    assert_int_equal(source_open_path(&s, "a", &live, &limits, NULL), RAS_OK);
    assert_int_equal(truncate("a", 2), 0);
    assert_int_equal(source_wait(s, 0, &err), RAS_EIO);
    assert_string_equal(err.text, "file shrank from 5 to 2 bytes while being read");
    source_close(s);
    unlink("a");
}

static void what_is_not_there_is_told(void **state)
{
    (void)state;
    struct source *s;
    struct ras_error err;
    assert_int_equal(source_open_path(&s, "absent", NULL, &limits, &err), RAS_EIO);
    assert_null(s);
    assert_int_equal(err.os_errno, ENOENT);
}

/* A pipe is read when one waits for it. */
static void read_all(struct source *s)
{
    while (source_growing(s))
        assert_int_equal(source_wait(s, 1000, NULL), RAS_OK);
}

/* ---- descriptors and memory ---------------------------------------------------- */

static void a_descriptor_at_its_start_is_a_file_and_elsewhere_a_stream(void **state)
{
    (void)state;
    struct source *s;
    append("a", "hello", 5);
    int fd = open("a", O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(source_open_fd(&s, fd, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, "hello", 5);
    source_close(s);
    assert_int_equal(lseek(fd, 2, SEEK_SET), 2); /* still open: it is the caller's */
    assert_int_equal(source_open_fd(&s, fd, NULL, &limits, NULL), RAS_OK);
    read_all(s);
    holds(s, 0, "llo", 3);
    source_close(s);
    close(fd);
    unlink("a");
}

static void a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    struct source *s;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "hello", 5), 5);
    close(ends[1]);
    assert_int_equal(source_open_fd(&s, ends[0], NULL, &limits, NULL), RAS_OK);
    holds(s, 0, "", 0);
    read_all(s);
    holds(s, 0, "hello", 5);
    source_close(s);
    close(ends[0]);
}

static void a_live_pipe_is_read_as_it_arrives(void **state)
{
    (void)state;
    struct source *s;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(source_open_fd(&s, ends[0], &live, &limits, NULL), RAS_OK);
    holds(s, 0, "", 0);
    for (size_t n = 0; n < 9; n++) {
        assert_true(source_growing(s));
        assert_int_equal(source_wait(s, 0, NULL), RAS_WAIT);
        assert_int_equal(write(ends[1], &"abcdefghi"[n], 1), 1);
        assert_int_equal(source_wait(s, 1000, NULL), RAS_OK);
        holds(s, 0, "abcdefghi", n + 1);
        assert_int_equal(source_stored(s, 0), n + 1);
    }
    close(ends[1]);
    assert_int_equal(source_wait(s, 1000, NULL), RAS_OK); /* what changed: it ended */
    assert_false(source_growing(s));
    assert_int_equal(source_wait(s, 0, NULL), RAS_END);
    holds(s, 0, "abcdefghi", 9);
    source_close(s);
    close(ends[0]);
}

static void memory_is_borrowed_and_grows_upwards(void **state)
{
    (void)state;
    struct source *s;
    struct ras_error err;
    static const char bytes[] = "hello";
    assert_int_equal(source_open_memory(&s, bytes, 2, &live, &limits, NULL), RAS_OK);
    assert_ptr_equal(source_bytes(s, 0).at, bytes);
    assert_true(source_growing(s));
    assert_int_equal(source_wait(s, 0, NULL), RAS_WAIT);
    assert_int_equal(source_set_memory(s, 4, true, NULL), RAS_OK);
    holds(s, 0, "hell", 4);
    assert_int_equal(source_set_memory(s, 3, true, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "only memory grows, and only upwards");
    assert_int_equal(source_set_memory(s, 5, false, NULL), RAS_OK);
    assert_false(source_growing(s));
    assert_int_equal(source_wait(s, 0, NULL), RAS_END);
    source_close(s);
}

/* ---- directories --------------------------------------------------------------- */

static void make_tree(void)
{
    assert_int_equal(mkdir("d", 0700) | mkdir("d/sub", 0700) | mkdir("d/.hid", 0700), 0);
    append("d/b", "bb", 2);
    append("d/a", "a", 1);
    append("d/sub/c", "ccc", 3);
    append("d/.hidden", "x", 1);
    append("d/.hid/x", "x", 1);
    assert_int_equal(symlink("../d", "d/loop") | symlink("absent", "d/dangling"), 0);
}

static void remove_tree(void)
{
    static const char *const files[] = {"d/a",       "d/b",      "d/sub/c", "d/sub/new",
                                        "d/.hidden", "d/.hid/x", "d/loop",  "d/dangling"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    assert_int_equal(rmdir("d/sub") | rmdir("d/.hid") | rmdir("d"), 0);
}

static void a_directory_is_the_files_below_it_sorted(void **state)
{
    (void)state;
    struct source *s;
    make_tree();
    assert_int_equal(source_open_path(&s, "d", NULL, &limits, NULL), RAS_OK);
    assert_true(source_is_dir(s));
    assert_int_equal(source_count(s), 3);
    static const char *const names[] = {"a", "b", "sub/c"}, *const bytes[] = {"a", "bb", "ccc"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(source_name(s, i), names[i]);
        assert_int_equal(source_stored(s, i), i + 1); /* known without loading it */
        holds(s, i, "", 0);
        assert_int_equal(source_load(s, i, NULL), RAS_OK);
        holds(s, i, bytes[i], i + 1);
    }
    assert_false(source_can_grow(s));
    source_close(s);
    remove_tree();
}

static void files_that_appear_in_a_live_directory_are_added(void **state)
{
    (void)state;
    struct source *s;
    make_tree();
    assert_int_equal(source_open_path(&s, "d", &live, &limits, NULL), RAS_OK);
    assert_int_equal(source_wait(s, 0, NULL), RAS_WAIT);
    append("d/sub/new", "new", 3);
    assert_int_equal(source_wait(s, 0, NULL), RAS_OK);
    assert_string_equal(source_name(s, 3), "sub/new"); /* at the end: indexes do not move */
    assert_int_equal(source_load(s, 3, NULL), RAS_OK);
    holds(s, 3, "new", 3);
    append("d/sub/new", "er", 2);
    assert_int_equal(source_wait(s, 0, NULL), RAS_OK);
    holds(s, 3, "newer", 5);
    assert_int_equal(source_wait(s, 0, NULL), RAS_WAIT);
    source_close(s);
    remove_tree();
}

static void what_may_not_be_looked_into_is_remembered(void **state)
{
    (void)state;
    struct source *s;
    make_tree();
    assert_int_equal(source_open_path(&s, "d", NULL, &limits, NULL), RAS_OK);
    assert_null(source_unlisted(s));
    source_close(s);
    struct __user_cap_header_struct who = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct was[2], less[2];
    assert_int_equal(syscall(SYS_capget, &who, was), 0);
    memcpy(less, was, sizeof less);
    less[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    assert_int_equal(chmod("d/sub", 0), 0);
    assert_int_equal(syscall(SYS_capset, &who, less), 0); /* else root looks everywhere */
    int status = source_open_path(&s, "d", NULL, &limits, NULL);
    assert_int_equal(syscall(SYS_capset, &who, was), 0);
    assert_int_equal(status, RAS_OK);
    assert_int_equal(source_count(s), 2);
    assert_string_equal(source_unlisted(s), "sub");
    source_close(s);
    assert_int_equal(chmod("d/sub", 0755), 0);
    remove_tree();
}

static void a_want_of_descriptors_is_no_empty_directory(void **state)
{
    (void)state;
    struct source *s;
    struct ras_error err;
    struct rlimit few, was;
    make_tree();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    int fd = dup(0); /* the next one: the directory, none for what is below */
    few = (struct rlimit){(rlim_t)fd + 1, was.rlim_max};
    close(fd);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    int status = source_open_path(&s, "d", NULL, &limits, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
    assert_int_equal(status, RAS_EIO);
    assert_int_equal(err.os_errno, EMFILE);
    assert_null(s);
    remove_tree();
}

static void a_directory_of_too_many_files_is_refused(void **state)
{
    (void)state;
    struct source *s;
    struct ras_error err;
    struct ras_limits two = {.parts = 2};
    make_tree();
    assert_int_equal(source_open_path(&s, "d", NULL, &two, &err), RAS_ELIMIT);
    assert_null(s);
    assert_string_equal(err.text, "more than 2 files below the directory");
    remove_tree();
}

static void a_file_that_is_gone_when_it_is_loaded_is_told(void **state)
{
    (void)state;
    struct source *s;
    struct ras_error err;
    make_tree();
    assert_int_equal(source_open_path(&s, "d", NULL, &limits, NULL), RAS_OK);
    unlink("d/b");
    assert_int_equal(source_load(s, 1, &err), RAS_EIO);
    assert_int_equal(err.os_errno, ENOENT);
    assert_string_equal(err.text, "b: No such file or directory");
    source_close(s);
    remove_tree();
}

/* Many parts must not exhaust the descriptors. */
static void a_loaded_part_keeps_no_descriptor(void **state)
{
    (void)state;
    struct source *s;
    make_tree();
    assert_int_equal(source_open_path(&s, "d", NULL, &limits, NULL), RAS_OK);
    int before = dup(0);
    close(before);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(source_load(s, i, NULL), RAS_OK);
    int after = dup(0);
    close(after);
    assert_int_equal(before, after);
    source_close(s);
    remove_tree();
}

/* ---- wrapping ------------------------------------------------------------------ */

static size_t gzip(const char *text, uint8_t *to, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (void *)(uintptr_t)text;
    z.avail_in = (unsigned)strlen(text);
    z.next_out = to;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static void wrapping_is_looked_through(void **state)
{
    (void)state;
    struct source *s;
    uint8_t packed[200];
    size_t size = gzip("hello ", packed, sizeof packed);
    size_t both = size + gzip("world", packed + size, sizeof packed - size);
    assert_int_equal(source_open_memory(&s, packed, both, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, "hello world", 11);
    const struct wrapping *w = source_wrapping(s, 0);
    assert_string_equal(w->name, "gzip");
    assert_int_equal(w->kind, RAS_COMPLETE);
    assert_int_equal(w->members, 2);
    assert_int_equal(source_stored(s, 0), both);
    source_close(s);
    size = ZSTD_compress(packed, sizeof packed, "hello", 5, 1);
    assert_int_equal(source_open_memory(&s, packed, size, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, "hello", 5);
    assert_string_equal(source_wrapping(s, 0)->name, "zstd");
    source_close(s);
}

static void wrapping_that_breaks_off_keeps_what_it_holds(void **state)
{
    (void)state;
    struct source *s;
    uint8_t packed[200];
    size_t size = gzip("hello", packed, sizeof packed);
    assert_int_equal(source_open_memory(&s, packed, size - 4, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, "hello", 5);
    const struct wrapping *w = source_wrapping(s, 0);
    assert_int_equal(w->kind, RAS_CUT);
    assert_int_equal(w->offset, size - 4);
    assert_string_equal(w->why, "ends inside a compressed member");
    source_close(s);
    packed[size - 8] ^= 1; /* its checksum */
    assert_int_equal(source_open_memory(&s, packed, size, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, "hello", 5);
    assert_int_equal(source_wrapping(s, 0)->kind, RAS_DAMAGED);
    source_close(s);
    packed[size - 8] ^= 1;
    memcpy(packed + size, "rubbish", 7);
    assert_int_equal(source_open_memory(&s, packed, size + 7, NULL, &limits, NULL), RAS_OK);
    holds(s, 0, "hello", 5);
    assert_true(source_wrapping(s, 0)->trailing);
    assert_int_equal(source_wrapping(s, 0)->kind, RAS_COMPLETE);
    assert_int_equal(source_wrapping(s, 0)->offset, size);
    source_close(s);
}

static void a_wrapped_stream_is_inflated_as_it_arrives(void **state)
{
    (void)state;
    struct source *s;
    uint8_t packed[200];
    size_t size = gzip("hello world, hello world", packed, sizeof packed), last = 0;
    assert_int_equal(source_open_memory(&s, packed, 0, &live, &limits, NULL), RAS_OK);
    for (size_t n = 0; n <= size; n++) {
        assert_int_equal(source_set_memory(s, n, n < size, NULL), RAS_OK);
        struct ras_bytes b = source_bytes(s, 0);
        if (n < 2)
            continue; /* no telling yet what it is */
        assert_int_equal(source_wrapping(s, 0)->kind, n < size ? RAS_CUT : RAS_COMPLETE);
        assert_true(b.len >= last && b.len <= 24);
        assert_memory_equal(b.at ? (const char *)b.at : "", "hello world, hello world", b.len);
        last = b.len;
    }
    assert_int_equal(last, 24);
    assert_int_equal(source_set_memory(s, size + 1, true, NULL), RAS_EUSAGE);
    source_close(s);
}

static void wrapping_does_not_inflate_beyond_the_limit(void **state)
{
    (void)state;
    struct source *s;
    struct ras_error err;
    size_t size = (1 << 20) + 1;
    char *zeros = malloc(size + 1), packed[4000];
    assert_non_null(zeros);
    memset(zeros, '0', size);
    zeros[size] = 0;
    size_t n = gzip(zeros, (uint8_t *)packed, sizeof packed);
    assert_int_equal(source_open_memory(&s, packed, n, NULL, &limits, &err), RAS_OK);
    assert_int_equal(source_whole(s, &err), RAS_ELIMIT);
    assert_string_equal(err.text, "gzip data inflates beyond the limit of 1048576 bytes");
    assert_true(source_pending(s)); /* so that every reader finds it */
    assert_int_equal(source_load(s, 0, &err), RAS_ELIMIT);
    assert_int_equal(source_wrapping(s, 0)->kind, RAS_DAMAGED);
    source_close(s);
    n = ZSTD_compress(packed, sizeof packed, zeros, size, 1);
    assert_int_equal(source_open_memory(&s, packed, n, NULL, &limits, &err), RAS_OK);
    assert_int_equal(source_whole(s, &err), RAS_ELIMIT);
    assert_string_equal(err.text, "zstd data inflates beyond the limit of 1048576 bytes");
    source_close(s);
    free(zeros);
}

static void a_wrapped_file_is_inflated_as_it_is_read(void **state)
{
    (void)state;
    struct source *s;
    struct ras_limits few = {.inflated_bytes = 1 << 20, .inflate_step = 4, .parts = 1};
    uint8_t packed[100];
    size_t size = ZSTD_compress(packed, sizeof packed, "hello world", 11, 1);
    append("w", packed, size);
    assert_int_equal(source_open_path(&s, "w", NULL, &few, NULL), RAS_OK);
    assert_int_equal(source_arrived(s, 0).len, 4);
    assert_true(source_pending(s));
    assert_true(source_growing(s));
    assert_false(source_arriving(s));
    uint64_t before = *source_generation(s);
    assert_int_equal(source_wait(s, 0, NULL), RAS_OK);
    assert_true(*source_generation(s) > before);
    assert_int_equal(source_arrived(s, 0).len, 8);
    holds(s, 0, "hello world", 11); /* who wants the bytes gets all of them */
    assert_false(source_pending(s));
    assert_int_equal(source_wait(s, 0, NULL), RAS_END);
    source_close(s);
    unlink("w");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_shown_when_its_checksum_matches),
        cmocka_unit_test(a_frame_without_a_checksum_is_shown),
        cmocka_unit_test(a_file_is_its_bytes),
        cmocka_unit_test(an_empty_file_has_no_bytes),
        cmocka_unit_test(files_from_a_mebibyte_on_are_mapped),
        cmocka_unit_test(a_live_file_grows),
        cmocka_unit_test(a_live_file_that_shrinks_is_an_error),
        cmocka_unit_test(what_is_not_there_is_told),
        cmocka_unit_test(a_descriptor_at_its_start_is_a_file_and_elsewhere_a_stream),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(a_live_pipe_is_read_as_it_arrives),
        cmocka_unit_test(memory_is_borrowed_and_grows_upwards),
        cmocka_unit_test(a_directory_is_the_files_below_it_sorted),
        cmocka_unit_test(files_that_appear_in_a_live_directory_are_added),
        cmocka_unit_test(what_may_not_be_looked_into_is_remembered),
        cmocka_unit_test(a_want_of_descriptors_is_no_empty_directory),
        cmocka_unit_test(a_directory_of_too_many_files_is_refused),
        cmocka_unit_test(a_file_that_is_gone_when_it_is_loaded_is_told),
        cmocka_unit_test(a_loaded_part_keeps_no_descriptor),
        cmocka_unit_test(wrapping_is_looked_through),
        cmocka_unit_test(wrapping_that_breaks_off_keeps_what_it_holds),
        cmocka_unit_test(a_wrapped_stream_is_inflated_as_it_arrives),
        cmocka_unit_test(wrapping_does_not_inflate_beyond_the_limit),
        cmocka_unit_test(a_wrapped_file_is_inflated_as_it_is_read),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
