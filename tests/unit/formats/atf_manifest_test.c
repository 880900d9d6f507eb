/* atf_manifest_test.c - manifest.json: names, anchors, and what may be wrong with it. */
#include "formats/atf/atf_manifest.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static int parse(struct atf_manifest *m, const char *json, struct ras_error *err)
{
    return atf_manifest_parse(m, (struct ras_bytes){(const uint8_t *)json, strlen(json)}, 1 << 20,
                              err);
}

static struct atf_manifest good(const char *json)
{
    struct atf_manifest m;
    struct ras_error err;
    assert_int_equal(parse(&m, json, &err), RAS_OK);
    assert_true(m.out.present);
    return m;
}

static void every_key_is_read(void **state)
{
    (void)state;
    struct atf_manifest m =
        good("{\"threads\":[{\"id\":0,\"has_detail\":true},{\"has_detail\":false,\"id\":63}],"
             "\"time_start_ns\":18446744073709551615,\"time_end_ns\":7,\"clock_type\":3,"
             "\"modules\":[{\"module_id\":42,\"path\":\"/a\",\"base_address\":\"0x400000\","
             "\"size\":65536,\"uuid\":\"U\"},{\"module_id\":4294967295}],"
             "\"symbols\":[{\"function_id\":\"0x0000002a00000001\",\"module_id\":42,"
             "\"symbol_index\":1,\"name\":\"weird\\\"name\\\\{}\"}],\"format_version\":\"2.1\"}");
    assert_int_equal(m.out.thread_count, 2);
    assert_int_equal(m.out.threads[1].id, 63);
    assert_true(m.out.threads[0].has_detail);
    assert_false(m.out.threads[1].has_detail);
    assert_int_equal(m.out.time_start_ns, UINT64_MAX);
    assert_int_equal(m.out.time_end_ns, 7);
    assert_int_equal(m.out.clock_type, 3);
    assert_int_equal(m.out.module_count, 2);
    assert_string_equal(m.out.modules[0].path, "/a");
    assert_int_equal(m.out.modules[0].base_address, 0x400000);
    assert_int_equal(m.out.modules[0].size, 65536);
    assert_string_equal(m.out.modules[1].uuid, "");
    assert_false(m.out.modules[1].has_size);
    assert_string_equal(m.out.symbols[0].name, "weird\"name\\{}");
    assert_string_equal(m.out.format_version, "2.1");
    assert_string_equal(m.mismatch, "");
    atf_manifest_free(&m);
}

static void ids_come_in_several_spellings(void **state)
{
    (void)state;
    static const char *const ids[] = {"\"0x2a00000001\"", "\"0X2A00000001\"", "\"180388626433\"",
                                      "180388626433"};
    for (size_t i = 0; i < 4; i++) {
        char json[200];
        snprintf(json, sizeof json, "{\"symbols\":[{\"function_id\":%s,\"name\":\"f\"}]}", ids[i]);
        struct atf_manifest m = good(json);
        const struct ras_atf_symbol *s = atf_manifest_symbol(&m, 0x2a00000001);
        assert_non_null(s);
        assert_int_equal(s->module_id, 42);
        assert_int_equal(s->symbol_index, 1);
        atf_manifest_free(&m);
    }
}

static void a_symbol_may_be_given_by_module_and_index(void **state)
{
    (void)state;
    struct atf_manifest m =
        good("{\"symbols\":[{\"module_id\":42,\"symbol_index\":2,\"name\":\"f\"},"
             "{\"name\":\"nobody\"},{\"function_id\":1}]}");
    assert_int_equal(m.out.symbol_count, 1);
    assert_non_null(atf_manifest_symbol(&m, 0x2a00000002));
    assert_null(atf_manifest_symbol(&m, 1));
    atf_manifest_free(&m);
}

static void of_two_with_one_id_the_first_counts(void **state)
{
    (void)state;
    struct atf_manifest m = good("{\"symbols\":[{\"function_id\":5,\"name\":\"a\"},"
                                 "{\"function_id\":5,\"name\":\"b\"}],"
                                 "\"modules\":[{\"module_id\":5,\"path\":\"a\"},"
                                 "{\"module_id\":5,\"path\":\"b\"}]}");
    assert_string_equal(atf_manifest_symbol(&m, 5)->name, "a");
    assert_string_equal(atf_manifest_module(&m, 5)->path, "a");
    assert_null(atf_manifest_module(&m, 6));
    atf_manifest_free(&m);
}

static void many_symbols_are_all_found(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    char *json = malloc(COUNT * 64 + 64);
    size_t len = 0;
    len += (size_t)snprintf(json, 64, "{\"symbols\":[");
    for (unsigned i = 0; i < COUNT; i++)
        len += (size_t)snprintf(json + len, 64, "%s{\"function_id\":%u,\"name\":\"f%u\"}",
                                i ? "," : "", i * 7919, i);
    snprintf(json + len, 8, "]}");
    struct atf_manifest m = good(json);
    for (unsigned i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        assert_string_equal(atf_manifest_symbol(&m, i * 7919)->name, name);
    }
    atf_manifest_free(&m);
    free(json);
}

static void unknown_keys_are_skipped(void **state)
{
    (void)state;
    struct atf_manifest m = good("{\"mode\":{\"a\":[1,{\"threads\":[]}]},\"x\":null,"
                                 "\"threads\":[{\"id\":3,\"more\":[[]]}]}");
    assert_int_equal(m.out.thread_count, 1);
    assert_string_equal(m.mismatch, "");
    atf_manifest_free(&m);
}

static void a_value_of_another_type_is_reported_but_not_fatal(void **state)
{
    (void)state;
    struct atf_manifest m = good("{\"threads\":{\"id\":1},\"symbols\":[5,{\"function_id\":true,"
                                 "\"name\":7}],\"clock_type\":-1,\"format_version\":2.1}");
    assert_int_equal(m.out.thread_count, 0);
    assert_int_equal(m.out.symbol_count, 0);
    assert_false(m.out.has_clock);
    assert_string_equal(m.mismatch, "\"threads\" is not an array");
    assert_string_equal(m.out.format_version, "");
    atf_manifest_free(&m);
}

static void text_that_is_not_json_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",      "[]",
        "{",     "{\"threads\":[{\"id\":0,}]}",
        "{} {}", "{\"symbols\":[{\"name\":\"\\ud8\",\"function_id\":1}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct atf_manifest m;
        struct ras_error err;
        assert_true(parse(&m, bad[i], &err) < 0);
        assert_false(m.out.present);
        assert_int_equal(m.out.symbol_count, 0);
    }
}

static void a_manifest_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    struct atf_manifest m;
    struct ras_error err;
    struct ras_bytes json = {(const uint8_t *)"{}   ", 5};
    assert_int_equal(atf_manifest_parse(&m, json, 4, &err), RAS_ELIMIT);
    assert_int_equal(atf_manifest_parse(&m, json, 5, &err), RAS_OK);
    atf_manifest_free(&m);
}

static void seconds_of_the_media_become_times(void **state)
{
    (void)state;
    struct atf_manifest m =
        good("{\"timing_anchors\":[{\"hostTimeNs\":3000000000,\"mediaTime\":{\"value\":1200,"
             "\"timescale\":600}},{\"host_time_ns\":1000000000,\"media_time\":1},"
             "{\"hostTimeNs\":5,\"mediaTime\":{\"value\":1,\"timescale\":0}},{\"mediaTime\":9}]}");
    uint64_t ns = 0;
    assert_int_equal(m.out.anchor_count, 2);
    assert_true(atf_manifest_media(&m, 1.0, &ns));
    assert_int_equal(ns, 1000000000);
    assert_true(atf_manifest_media(&m, 1.5, &ns)); /* between: interpolated */
    assert_int_equal(ns, 2000000000);
    assert_true(atf_manifest_media(&m, 2.5, &ns)); /* outside: at the speed of time */
    assert_int_equal(ns, 3500000000);
    assert_true(atf_manifest_media(&m, 0.25, &ns));
    assert_int_equal(ns, 250000000);
    assert_false(atf_manifest_media(&m, -1, &ns)); /* before time 0 */
    assert_false(atf_manifest_media(&m, 1e300, &ns));
    atf_manifest_free(&m);
    m = good("{}");
    assert_false(atf_manifest_media(&m, 1, &ns));
    atf_manifest_free(&m);
}

static void a_crash_and_sources_are_read(void **state)
{
    (void)state;
    struct atf_manifest m = good(
        "{\"recorder\":{\"crash\":{\"signal\":11,\"name\":\"SIGSEGV\",\"code\":-6,\"line\":40,"
        "\"address\":\"0x18\",\"pc\":\"0xffffffffffffffff\",\"function\":\"sum\","
        "\"file\":\"a\\u002fb.c\",\"registers\":{\"rax\":\"0x1\"}}},"
        "\"sources\":[7,{\"function_id\":\"0x0000000100000002\",\"file\":\"b.c\",\"line\":9},"
        "{\"function_id\":4294967297,\"file\":\"a.c\",\"line\":3},{\"file\":\"c.c\",\"line\":1},"
        "{\"function_id\":5,\"line\":1},{\"function_id\":6,\"file\":\"d.c\",\"line\":-1}]}");
    const struct ras_atf_fault *f = &m.fault;
    assert_int_equal(m.out.crash.signal, 11);
    assert_true(f->has_code && f->has_address);
    assert_int_equal(f->code, -6);
    assert_int_equal(f->address, 0x18);
    assert_true(f->pc == UINT64_MAX);
    assert_string_equal(f->function, "sum");
    assert_string_equal(f->file, "a/b.c");
    assert_int_equal(f->line, 40);
    assert_int_equal(m.source_count, 2);
    assert_string_equal(atf_manifest_source(&m, UINT64_C(0x100000001))->file, "a.c");
    assert_int_equal(atf_manifest_source(&m, UINT64_C(0x100000002))->line, 9);
    assert_null(atf_manifest_source(&m, 5));
    atf_manifest_free(&m);
}

/* A manifest with the exit of its process added. */
static void exit_gives(const char *before, const struct ras_atf_exit *how, const char *want)
{
    char path[] = "/tmp/manifest-XXXXXX", got[512];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, before, strlen(before)), strlen(before));
    assert_int_equal(ras_atf_manifest_exit(path, how, NULL), RAS_OK);
    close(fd);
    fd = open(path, O_RDONLY);
    ssize_t len = read(fd, got, sizeof got - 1);
    close(fd);
    unlink(path);
    assert_true(len > 0);
    got[len] = 0;
    assert_string_equal(got, want);
}

static void an_exit_becomes_a_member_of_the_recorder(void **state)
{
    (void)state;
    const struct ras_atf_exit killed = {.known = true, .signal = 9, .name = "SIGKILL"};
    const struct ras_atf_exit done = {.known = true, .status = 3};
    exit_gives(
        "{\"x\": 1, \"recorder\": {\"complete\": true}, \"y\": [2]}", &killed,
        "{\n  \"threads\": [],\n  \"clock_type\": 0,\n  \"x\": 1,\n"
        "  \"recorder\": {\"exit\": {\"signal\": 9, \"name\": \"SIGKILL\", \"core\": false}, "
        "\"complete\": true},\n  \"y\": [2],\n  \"format_version\": \"2.0\"\n}\n");
    exit_gives("{\"recorder\": { }}", &done,
               "{\n  \"threads\": [],\n  \"clock_type\": 0,\n"
               "  \"recorder\": {\"exit\": {\"status\": 3} },\n"
               "  \"format_version\": \"2.0\"\n}\n");
    exit_gives("{}", &done,
               "{\n  \"threads\": [],\n  \"clock_type\": 0,\n"
               "  \"recorder\": {\"exit\": {\"status\": 3}},\n"
               "  \"format_version\": \"2.0\"\n}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(ids_come_in_several_spellings),
        cmocka_unit_test(a_symbol_may_be_given_by_module_and_index),
        cmocka_unit_test(of_two_with_one_id_the_first_counts),
        cmocka_unit_test(many_symbols_are_all_found),
        cmocka_unit_test(unknown_keys_are_skipped),
        cmocka_unit_test(a_value_of_another_type_is_reported_but_not_fatal),
        cmocka_unit_test(text_that_is_not_json_is_refused),
        cmocka_unit_test(a_manifest_beyond_the_limit_is_refused),
        cmocka_unit_test(seconds_of_the_media_become_times),
        cmocka_unit_test(a_crash_and_sources_are_read),
        cmocka_unit_test(an_exit_becomes_a_member_of_the_recorder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
