/* cdt_frida_lines_test.c - lines of a capture for all positions of buffer ends; its hash at any
 * time. */
#include "formats/cdt/cdt_frida_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* The lines that are not blank, joined with their numbers. */
static void lines_are(const char *text, const char *want)
{
    struct frida_lines l;
    struct ras_bytes line;
    char said[256] = "";
    size_t len = 0;
    frida_lines_memory(&l, (struct ras_bytes){(const uint8_t *)text, strlen(text)});
    while (frida_lines_next(&l, &line, NULL) == RAS_OK) {
        assert_int_equal(line.at[line.len], 0);
        len += (size_t)snprintf(said + len, sizeof said - len, "%llu:%.*s%s",
                                (unsigned long long)l.number, (int)line.len, (const char *)line.at,
                                l.ended ? ";" : ".");
    }
    assert_string_equal(said, want);
    frida_lines_close(&l);
}

static void only_newlines_end_lines(void **state)
{
    (void)state;
    lines_are("", "");
    lines_are("\n\n", "");
    lines_are("a", "1:a.");
    lines_are("a\nb\n", "1:a;2:b;");
    lines_are("a\r\n\r\n b \t\v\f\nc", "1:a;3:b;4:c.");
    lines_are("a\rb\n", "1:a\rb;");
    lines_are(" \n\t\n x", "3:x.");
}

/* A long line, then short ones; the buffer ends before, in and after the newline. */
static void lines_cross_pieces(void **state)
{
    (void)state;
    size_t room = 3 * FRIDA_PIECE + 64;
    uint8_t *text = malloc(room);
    for (int around = -2; around <= 2; around++) {
        struct frida_lines l;
        struct ras_bytes line;
        size_t first = 2 * (size_t)FRIDA_PIECE + (size_t)around;
        memset(text, 'x', first);
        memcpy(text + first, "\nab\ncd", 6);
        frida_lines_memory(&l, (struct ras_bytes){text, first + 6});
        assert_int_equal(frida_lines_next(&l, &line, NULL), RAS_OK);
        assert_int_equal(line.len, first);
        assert_int_equal(frida_lines_next(&l, &line, NULL), RAS_OK);
        assert_memory_equal(line.at, "ab", 3);
        assert_int_equal(frida_lines_next(&l, &line, NULL), RAS_OK);
        assert_memory_equal(line.at, "cd", 3);
        assert_int_equal(frida_lines_next(&l, &line, NULL), RAS_END);
        assert_int_equal(frida_lines_next(&l, &line, NULL), RAS_END);
        frida_lines_close(&l);
    }
    free(text);
}

static void line_has_a_limit(void **state)
{
    (void)state;
    struct frida_lines l;
    struct ras_bytes line;
    struct ras_error err;
    size_t size = 5 * FRIDA_PIECE;
    uint8_t *text = malloc(size);
    memset(text, 'x', size);
    text[1] = '\n';
    frida_lines_memory(&l, (struct ras_bytes){text, size});
    l.most = 2 * FRIDA_PIECE;
    assert_int_equal(frida_lines_next(&l, &line, &err), RAS_OK);
    assert_int_equal(frida_lines_next(&l, &line, &err), RAS_ELIMIT);
    assert_int_equal(err.offset, 2);
    frida_lines_close(&l);
    free(text);
}

/* Requested before, between or after the lines, it is the hash of the whole capture. */
static void hash_covers_the_whole_capture(void **state)
{
    (void)state;
    size_t size = 3 * FRIDA_PIECE + 12345;
    uint8_t *text = malloc(size), digest[SHA256_SIZE];
    char want[2 * SHA256_SIZE + 1];
    for (size_t i = 0; i < size; i++)
        text[i] = i % 1000 == 999 ? '\n' : (uint8_t)('a' + i % 23);
    struct sha256 sha = sha256_start();
    sha256_add(&sha, text, size);
    sha256_end(&sha, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(want + 2 * i, 3, "%02x", digest[i]);
    for (size_t requested = 0; requested < 3200; requested += 400) {
        struct frida_lines l;
        struct ras_bytes line;
        size_t count = 0;
        frida_lines_memory(&l, (struct ras_bytes){text, size});
        while (count < requested && frida_lines_next(&l, &line, NULL) == RAS_OK)
            count++;
        assert_int_equal(frida_lines_hash(&l, NULL), RAS_OK);
        assert_string_equal(l.hex, want);
        while (frida_lines_next(&l, &line, NULL) == RAS_OK)
            count++;
        assert_int_equal(count, size / 1000 + 1);
        frida_lines_close(&l);
    }
    free(text);
}

static void capture_that_shrinks_is_reported(void **state)
{
    (void)state;
    char path[] = "/tmp/rastrum-frida-XXXXXX";
    struct frida_lines l;
    struct ras_bytes line;
    struct ras_error err;
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "a\nb\n", 4), 4);
    assert_int_equal(frida_lines_open(&l, path, &err), RAS_OK);
    assert_int_equal(ftruncate(fd, 3), 0);
    assert_int_equal(frida_lines_next(&l, &line, &err), RAS_EIO);
    assert_non_null(strstr(err.text, "3 bytes of 4"));
    frida_lines_close(&l);
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_newlines_end_lines),
        cmocka_unit_test(lines_cross_pieces),
        cmocka_unit_test(line_has_a_limit),
        cmocka_unit_test(hash_covers_the_whole_capture),
        cmocka_unit_test(capture_that_shrinks_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
