/* aerogpu_meta_test.c - the content of meta_json, and its faults. */
#include "formats/aerogpu/aerogpu_wire.h"
#include "aerogpu_make.h"

static struct aero_meta get(const char *text)
{
    return aero_meta_get((struct ras_bytes){(const uint8_t *)text, strlen(text)});
}

static void required_keys_are_found(void **state)
{
    (void)state;
    struct aero_meta m = get("{\"notes\":[{\"command_abi_version\":9}],\"emulator_version\":\"1\","
                             "\"command_abi_version\":65540}");
    assert_true(m.object);
    assert_true(m.has_emulator_version);
    assert_true(m.has_abi_version);
    assert_int_equal(m.abi_version, 65540);
    m = get("{\"emulator_version\":1,\"command_abi_version\":\"1\"}");
    assert_true(m.object);
    assert_false(m.has_emulator_version);
    assert_false(m.has_abi_version);
    m = get("{\"command_abi_version\":1.5}");
    assert_true(m.has_abi_version);
    assert_int_equal(m.abi_version, RAS_NONE);
    m = get("{\"command_abi_versio\\u006e\":3}");
    assert_int_equal(m.abi_version, 3);
}

static void anything_but_one_object_is_reported(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    "[]",    "1",    "null",  "{",        "{}x",
                                      "{,}", "{a:1}", "{}{}", "\"s\"", "{\"a\":}", "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct aero_meta m = get(bad[i]);
        assert_false(m.object);
        assert_true(m.why[0]);
        assert_true(m.fault_at <= strlen(bad[i]));
    }
    assert_true(get(" { } \n").object);
    assert_int_equal(get("{\"a\":1}x").fault_at, 7);
}

/* Scalars become facts, once each; those of the header are not repeated. */
static void scalars_become_facts(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_trace *t;
    size_t count;
    put_header(&out, 1,
               "{\"emulator_version\":\"a\\\"b\",\"command_abi_version\":1,\"list\":[1],\"x\":-2,"
               "\"x\":3,\"on\":true,\"big\":18446744073709551615,\"half\":0.5,\"none\":null}");
    assert_int_equal(ras_open_memory(&t, out.at, out.len, NULL, NULL), RAS_OK);
    const struct ras_fact *facts = ras_facts(t, &count);
    static const char *const keys[] = {
        "command_abi_version", "emulator_version", "x", "on", "big", "half"};
    assert_int_equal(count, sizeof keys / sizeof *keys);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(facts[i].key, keys[i]);
    assert_memory_equal(facts[1].value.at, "a\"b", 3);
    assert_int_equal(facts[2].value.i, -2);
    assert_true(facts[4].value.u == UINT64_MAX);
    ras_notes(t, &count);
    assert_int_equal(count, 0);
    ras_close(t);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(required_keys_are_found),
        cmocka_unit_test(anything_but_one_object_is_reported),
        cmocka_unit_test(scalars_become_facts),
    };
    return cmocka_run_group_tests_name("formats/aerogpu_meta", tests, NULL, NULL);
}
