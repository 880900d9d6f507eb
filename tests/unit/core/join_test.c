/* join_test.c - segments of a directory as one run of bytes: order, gaps, damage, rotation. */
#include "core/join.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* A segment is STEM.NUMBER.seg or STEM.NUMBER.now; its records are lines, and it begins with '#'.
 */
static bool line_name(const char *name, struct segment_name *out)
{
    const char *end = strstr(name, ".seg");
    end = end ? end : strstr(name, ".now");
    const char *dot = end;
    while (dot && dot > name && dot[-1] >= '0' && dot[-1] <= '9')
        dot--;
    if (!dot || dot == end || strlen(end) != 4)
        return false;
    *out = (struct segment_name){(size_t)(dot - name), strtoull(dot, NULL, 10), end[1] == 'n'};
    return true;
}

static bool line_begins(struct ras_bytes head)
{
    return head.len && head.at[0] == '#';
}

static uint64_t lines_whole(struct ras_bytes bytes, const struct ras_limits *limits,
                            struct ras_error *why)
{
    size_t whole = bytes.len;
    (void)limits;
    while (whole && bytes.at[whole - 1] != '\n')
        whole--;
    why->status = RAS_ECUT;
    snprintf(why->text, sizeof why->text, "no line end");
    return bytes.at[0] == '#' ? whole : 0;
}

static const struct segment_ops line_ops = {line_name, line_begins, lines_whole};

struct place {
    char path[64];
    struct source *source;
};

static void put(const struct place *p, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", p->path, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void make(struct place *p)
{
    *p = (struct place){.path = "join_test.XXXXXX"};
    assert_non_null(mkdtemp(p->path));
}

static void join(struct place *p, bool live)
{
    const struct ras_limits limits = {.parts = 100, .inflated_bytes = 1 << 20};
    assert_int_equal(
        source_open_path(&p->source, p->path, &(struct ras_options){.live = live}, &limits, NULL),
        RAS_OK);
    assert_true(join_finds(p->source, &line_ops));
    assert_int_equal(source_join(p->source, &line_ops, NULL), RAS_OK);
    assert_false(source_is_dir(p->source));
    assert_int_equal(source_count(p->source), 1);
}

static void holds(const struct place *p, const char *text)
{
    struct ras_bytes b = source_bytes(p->source, 0);
    assert_int_equal(b.len, strlen(text));
    assert_memory_equal(b.at, text, b.len);
    assert_int_equal(source_size(p->source, 0), b.len);
}

static void end(struct place *p)
{
    char command[100];
    source_close(p->source);
    snprintf(command, sizeof command, "rm -r %s", p->path);
    assert_int_equal(system(command), 0); /* NOLINT */
}

static void segments_are_in_the_order_of_their_numbers(void **state)
{
    (void)state;
    struct place p;
    size_t count;
    make(&p);
    put(&p, "a.10.seg", "#ten\n");
    put(&p, "a.9.seg", "#nine\n");
    put(&p, "a.11.now", "#eleven");
    put(&p, "a.10.now", "#not this one\n");
    put(&p, "b.3.seg", "#b\n");
    put(&p, "readme", "#no\n");
    join(&p, false);
    holds(&p, "#nine\n#ten\n#b\n");
    const struct source_segment *s = source_segments(p.source, &count);
    assert_int_equal(count, 4);
    assert_string_equal(s[0].name, "a.9.seg");
    assert_string_equal(s[3].name, "b.3.seg");
    assert_true(s[0].first && s[3].first && !s[1].first);
    assert_int_equal(s[1].offset, 6);
    assert_int_equal(s[2].lost, 7); /* another recording follows */
    assert_int_equal(s[3].missing, 0);
    end(&p);
}

static void what_is_not_whole_is_left_out_but_at_the_end(void **state)
{
    (void)state;
    struct place p;
    size_t count;
    make(&p);
    put(&p, "a.1.seg", "#one\ntorn");
    put(&p, "a.4.seg", "no head\n");
    put(&p, "a.5.seg", "");
    put(&p, "a.6.seg", "#six\ntail");
    join(&p, false);
    holds(&p, "#one\n#six\ntail");
    const struct source_segment *s = source_segments(p.source, &count);
    assert_int_equal(count, 4);
    assert_int_equal(s[0].kind, RAS_CUT);
    assert_int_equal(s[0].lost, 4);
    assert_int_equal(s[1].missing, 2);
    assert_int_equal(s[1].size, 0);
    assert_int_equal(s[1].lost, 8);
    assert_int_equal(s[2].kind, RAS_CUT); /* a sealed segment has at least its header */
    assert_int_equal(s[3].kind, RAS_COMPLETE);
    assert_int_equal(s[3].size, 9);
    assert_int_equal(source_stored(p.source, 0), 9 + 8 + 0 + 9);
    end(&p);
}

/* Its bytes would be read as more of the one before. */
static void a_last_file_that_is_not_a_segment_is_left_out(void **state)
{
    (void)state;
    struct place p;
    size_t count;
    make(&p);
    put(&p, "a.1.seg", "#one\n");
    put(&p, "a.2.seg", "two\n");
    join(&p, false);
    holds(&p, "#one\n");
    assert_int_equal(source_segments(p.source, &count)[1].lost, 4);
    assert_int_equal(source_segments(p.source, &count)[1].kind, RAS_DAMAGED);
    end(&p);
}

static void a_recording_that_rotates_is_followed(void **state)
{
    (void)state;
    struct place p;
    char from[160], to[160];
    size_t count;
    make(&p);
    put(&p, "a.1.now", "#one\n");
    join(&p, true);
    assert_true(source_can_grow(p.source));
    assert_int_equal(source_wait(p.source, 0, NULL), RAS_WAIT);
    put(&p, "a.1.now", "more\nto");
    assert_int_equal(source_wait(p.source, 0, NULL), RAS_OK);
    holds(&p, "#one\nmore\nto");
    /* Sealed under another name, with some more, and torn; the next one is there. */
    put(&p, "a.1.now", "rn");
    snprintf(from, sizeof from, "%s/a.1.now", p.path);
    snprintf(to, sizeof to, "%s/a.1.seg", p.path);
    assert_int_equal(rename(from, to), 0);
    put(&p, "a.2.now", "#two\n");
    uint64_t generation = *source_generation(p.source);
    assert_int_equal(source_wait(p.source, 0, NULL), RAS_OK);
    assert_true(*source_generation(p.source) > generation);
    holds(&p, "#one\nmore\n#two\n");
    put(&p, "a.2.now", "end\n");
    put(&p, "a.0.seg", "#too late\n");
    assert_int_equal(source_wait(p.source, 0, NULL), RAS_OK);
    holds(&p, "#one\nmore\n#two\nend\n");
    assert_int_equal(source_wait(p.source, 0, NULL), RAS_WAIT);
    assert_int_equal(source_segments(p.source, &count)[0].lost, 4);
    assert_int_equal(count, 2);
    end(&p);
}

static void pieces_in_memory_are_joined(void **state)
{
    (void)state;
    const struct ras_part parts[] = {{"d/a.2.seg", {(const uint8_t *)"#b\n", 3}},
                                     {"d/a.1.seg", {(const uint8_t *)"#a\n", 3}},
                                     {"d/e/a.1.seg", {(const uint8_t *)"#deeper\n", 8}}};
    const struct ras_limits limits = {.parts = 100, .inflated_bytes = 1 << 20};
    struct place p = {0};
    assert_int_equal(source_open_parts(&p.source, parts, 3, NULL, &limits, NULL), RAS_OK);
    assert_true(join_finds(p.source, &line_ops));
    assert_int_equal(source_join(p.source, &line_ops, NULL), RAS_OK);
    holds(&p, "#a\n#b\n");
    source_close(p.source);
}

static void other_directories_have_no_segments(void **state)
{
    (void)state;
    const struct ras_part parts[] = {{"a.1.seg", {(const uint8_t *)"no head", 7}},
                                     {"x", {(const uint8_t *)"#", 1}}};
    const struct ras_limits limits = {.parts = 100, .inflated_bytes = 1 << 20};
    struct source *s;
    assert_int_equal(source_open_parts(&s, parts, 2, NULL, &limits, NULL), RAS_OK);
    assert_false(join_finds(s, &line_ops));
    source_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_in_the_order_of_their_numbers),
        cmocka_unit_test(what_is_not_whole_is_left_out_but_at_the_end),
        cmocka_unit_test(a_last_file_that_is_not_a_segment_is_left_out),
        cmocka_unit_test(a_recording_that_rotates_is_followed),
        cmocka_unit_test(pieces_in_memory_are_joined),
        cmocka_unit_test(other_directories_have_no_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
