/* json_read_test.c - the JSON tokenizer: what it takes, what it refuses and where. */
#include "codec/json_read.h"
#include "oracle.h"

#include <stdlib.h>

static struct ras_bytes text_of(const char *text)
{
    return (struct ras_bytes){(const uint8_t *)text, strlen(text)};
}

/* A copy that a sanitizer guards at its last byte. */
static uint8_t *guarded(struct ras_bytes in)
{
    uint8_t *copy = malloc(in.len + !in.len);
    if (in.len)
        memcpy(copy, in.at, in.len);
    return copy;
}

static void put_text(struct out *list, const struct json_read *in, const struct json_token *token)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *text = malloc(token->span.len + 1);
    size_t len;
    struct json_read probe = *in; /* half a surrogate pair is not to end the list */
    out_byte(list, token->kind == JSON_KEY ? 'k' : 's');
    bool ok = json_read_text(&probe, token, text, token->span.len, &len);
    assert_true(len <= token->span.len);
    assert_int_equal(ok, json_text_is(token, (const char *)text, len));
    assert_false(json_text_is(token, (const char *)text, len + 1));
    if (!ok)
        out_byte(list, '!');
    for (size_t i = 0; i < len; i++) {
        out_byte(list, (uint8_t)digits[text[i] >> 4]);
        out_byte(list, (uint8_t)digits[text[i] & 15]);
    }
    free(text);
}

static void put_number(struct out *list, const struct json_token *token)
{
    uint64_t u;
    int64_t i;
    if (json_u64_of(token, &u)) {
        out_format(list, "#%llu", (unsigned long long)u);
    } else if (json_i64_of(token, &i)) {
        out_format(list, "#%lld", (long long)i);
    } else if (token->integer) {
        out_byte(list, '#');
        out_bytes(list, token->span.at, token->span.len);
    } else {
        double f = *token->span.at == '-' ? -__builtin_inf() : __builtin_inf();
        uint64_t bits;
        json_f64_of(token, &f);
        memcpy(&bits, &f, sizeof bits);
        out_format(list, "d%016llx", (unsigned long long)bits);
    }
}

/* All tokens in the words of oracle/json_texts.py, as far as they go. */
static struct out listed(struct ras_bytes text, struct json_read *in)
{
    struct out list = {0};
    struct json_token token;
    *in = json_read_bytes(text);
    while (json_read_next(in, &token) != JSON_BAD && token.kind != JSON_END) {
        if (list.len)
            out_byte(&list, ' ');
        switch (token.kind) {
        case JSON_STRING:
        case JSON_KEY:
            put_text(&list, in, &token);
            break;
        case JSON_NUMBER:
            put_number(&list, &token);
            break;
        case JSON_NULL:
        case JSON_BOOL:
            assert_true(token.kind == JSON_NULL || token.truth == (token.span.len == 4));
            out_byte(&list, *token.span.at);
            break;
        default:
            assert_int_equal(token.span.len, 1);
            out_byte(&list, *token.span.at);
        }
    }
    assert_int_equal(json_read_next(in, &token), token.kind);
    assert_int_equal(token.kind == JSON_BAD, in->fault != JSON_FINE);
    assert_int_equal(in->fault != JSON_FINE, in->why[0] != 0);
    assert_true(in->fault_at <= text.len);
    return list;
}

static void assert_takes(const char *text, const char *want)
{
    struct json_read in;
    struct out list = listed(text_of(text), &in);
    assert_string_equal(in.why, "");
    out_byte(&list, 0);
    assert_string_equal((const char *)list.at, want);
    out_free(&list);
}

static void values_of_every_kind(void **state)
{
    (void)state;
    assert_takes("null", "n");
    assert_takes(" true\n", "t");
    assert_takes("\tfalse\r", "f");
    assert_takes("0", "#0");
    assert_takes("-0", "#0");
    assert_takes("18446744073709551615", "#18446744073709551615");
    assert_takes("-9223372036854775808", "#-9223372036854775808");
    assert_takes("18446744073709551616", "#18446744073709551616");
    assert_takes("1.5", "d3ff8000000000000");
    assert_takes("-0.0", "d8000000000000000");
    assert_takes("1E+2", "d4059000000000000");
    assert_takes("[]", "[ ]");
    assert_takes("{ }", "{ }");
    assert_takes("[[],{}]", "[ [ ] { } ]");
    assert_takes("[1 , 2]", "[ #1 #2 ]");
    assert_takes("{\"a\" : [null], \"a\":\"b\"}", "{ k61 [ n ] k61 s62 }");
    assert_takes("\"\"", "s");
    assert_takes("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "s225c2f080c0a0d09");
    assert_takes("\"\\u0000\\u00e9\\u20AC\\uD83d\\uDe00\"", "s00c3a9e282acf09f9880");
    assert_takes("\"\x7f\xc3\xa9\xf4\x8f\xbf\xbf\"", "s7fc3a9f48fbfbf");
    assert_takes("\"plain run longer than eight\\n\"",
                 "s706c61696e2072756e206c6f6e676572207468616e2065696768740a");
}

static const struct {
    const char *text;
    size_t at;
    const char *why;
} faulty[] = {
    {"\xef\xbb\xbf{}", 0, "byte order mark"},
    {"1 2", 2, "content after the value"},
    {"{}}", 2, "content after the value"},
    {"null,", 4, "content after the value"},
    {"[] //", 3, "content after the value"},
    {"1 \xef\xbb\xbf", 2, "content after the value"},
    {"[1,]", 3, "no value where one should be"},
    {"[,1]", 1, "no value where one should be"},
    {"[1,,2]", 3, "no value where one should be"},
    {"{\"a\":}", 5, "no value where one should be"},
    {"]", 0, "no value where one should be"},
    {"[\v1]", 1, "no value where one should be"},
    {"[\xc2\xa0]", 1, "no value where one should be"},
    {"NaN", 0, "no value where one should be"},
    {"[Infinity]", 1, "no value where one should be"},
    {"+1", 0, "no value where one should be"},
    {".5", 0, "no value where one should be"},
    {"'a'", 0, "no value where one should be"},
    {"/**/1", 0, "no value where one should be"},
    {"[1}", 2, "no comma between two values"},
    {"[1 2]", 3, "no comma between two values"},
    {"[1:2]", 2, "no comma between two values"},
    {"{\"a\":1]", 6, "no comma between two values"},
    {"{\"a\":1 \"b\":2}", 7, "no comma between two values"},
    {"[0x1]", 2, "no comma between two values"},
    {"{]", 1, "key is not a string"},
    {"{1:2}", 1, "key is not a string"},
    {"{a:1}", 1, "key is not a string"},
    {"{\"a\":1,}", 7, "key is not a string"},
    {"{,}", 1, "key is not a string"},
    {"{\"a\" 1}", 5, "no colon after a key"},
    {"{\"a\",1}", 4, "no colon after a key"},
    {"{\"a\"}", 4, "no colon after a key"},
    {"01", 0, "number with a leading zero"},
    {"[-00.1]", 2, "number with a leading zero"},
    {"-x", 1, "number lacks a digit"},
    {"--1", 1, "number lacks a digit"},
    {"1.e5", 2, "number lacks a digit"},
    {"[1.]", 3, "number lacks a digit"},
    {"[1e]", 3, "number lacks a digit"},
    {"[1e+]", 4, "number lacks a digit"},
    {"[-Infinity]", 2, "number lacks a digit"},
    {"nul]", 0, "unknown word"},
    {"True", 0, "no value where one should be"},
    {"[truE]", 1, "unknown word"},
    {"trues", 4, "content after the value"},
    {"\"a\nb\"", 2, "control character in a string"},
    {"\"\x01\"", 1, "control character in a string"},
    {"\"12345678\x1f\"", 9, "control character in a string"},
    {"\"\\x41\"", 1, "unknown escape in a string"},
    {"\"a\\'\"", 2, "unknown escape in a string"},
    {"\"\\u12g4\"", 1, "\\u without four hexadecimal digits"},
    {"\"\\U0041\"", 1, "unknown escape in a string"},
    {"\"\\u\"abc\"", 1, "\\u without four hexadecimal digits"},
    {"\"a\xff\"", 2, "string is not UTF-8"},
    {"\"\xc3\"", 1, "string is not UTF-8"},
    {"\"\xc0\x80\"", 1, "string is not UTF-8"},
    {"\"\xed\xa0\x80\"", 1, "string is not UTF-8"},
    {"\"\xf4\x90\x80\x80\"", 1, "string is not UTF-8"},
    {"{\"\xe2\x82\":1}", 2, "string is not UTF-8"},
};

static void what_is_not_json_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        struct json_read in;
        struct out list = listed(text_of(faulty[i].text), &in);
        assert_string_equal(in.why, faulty[i].why);
        assert_int_equal(in.fault, JSON_INVALID);
        assert_int_equal(in.fault_at, faulty[i].at);
        out_free(&list);
    }
    struct json_read in = json_read_bytes((struct ras_bytes){(const uint8_t *)"\"a\0b\"", 5});
    struct json_token token;
    assert_int_equal(json_read_next(&in, &token), JSON_BAD);
    assert_int_equal(in.fault_at, 2);
}

static void what_ends_too_early_is_short(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "no value"},
        {" \n", "no value"},
        {"[", "text ends inside an array"},
        {"[1", "text ends inside an array"},
        {"[1,", "text ends inside an array"},
        {"{", "text ends inside an object"},
        {"[{\"a\":1", "text ends inside an object"},
        {"{\"a\":1,", "text ends inside an object"},
        {"{\"a\":", "text ends inside an object"},
        {"{\"a\" ", "text ends after a key"},
        {"{\"a", "text ends inside a string"},
        {"\"", "text ends inside a string"},
        {"\"\\", "text ends inside a string"},
        {"\"\\u12", "text ends inside a string"},
        {"\"\xe2", "text ends inside a string"},
        {"-", "text ends inside a number"},
        {"1.", "text ends inside a number"},
        {"1e-", "text ends inside a number"},
        {"tru", "text ends inside true, false or null"},
        {"[n", "text ends inside true, false or null"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_read in;
        struct out list = listed(text_of(rows[i].text), &in);
        assert_string_equal(in.why, rows[i].why);
        assert_int_equal(in.fault, JSON_SHORT);
        assert_int_equal(in.fault_at, strlen(rows[i].text));
        out_free(&list);
    }
}

static void every_cut_lists_a_prefix(void **state)
{
    (void)state;
    struct ras_bytes whole = text_of(" {\"tick\": [0, -1.5e3, true, false, null, \"\\u20ac\\n\"],\n"
                                     "\"\xe2\x82\xac\": {\"deep\": [[[{}]]]}, \"n\": \"x\"} ");
    struct json_read in;
    struct out want = listed(whole, &in);
    assert_int_equal(in.fault, JSON_FINE);
    for (size_t cut = 0; cut < whole.len - 1; cut++) {
        uint8_t *copy = guarded((struct ras_bytes){whole.at, cut});
        struct out got = listed((struct ras_bytes){copy, cut}, &in);
        assert_int_equal(in.fault, JSON_SHORT);
        assert_int_equal(in.fault_at, cut);
        /* The last token may be a number cut into another one. */
        const uint8_t *blank = got.len ? memrchr(got.at, ' ', got.len) : NULL;
        size_t sure = blank ? (size_t)(blank - got.at) : 0;
        assert_true(sure <= want.len && (!sure || !memcmp(got.at, want.at, sure)));
        out_free(&got);
        free(copy);
    }
    out_free(&want);
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    enum { DEEP = 1000000 };
    uint8_t *text = malloc(2 * DEEP);
    struct json_token token;
    for (int object = 0; object < 2; object++) {
        for (size_t i = 0; i < DEEP; i++)
            memcpy(text + (object ? 5 * i % DEEP : i), object ? "{\"\":[" : "[", object ? 5 : 1);
        struct json_read in = json_read_bytes((struct ras_bytes){text, DEEP});
        while (json_read_next(&in, &token) != JSON_BAD)
            ;
        assert_string_equal(in.why, "nested deeper than 512");
        assert_int_equal(in.fault, JSON_INVALID);
        assert_int_equal(in.fault_at, object ? 512 / 2 * 5 : 512);
        in = json_read_bytes((struct ras_bytes){text, DEEP});
        json_read_next(&in, &token);
        assert_false(json_read_skip(&in, &token));
    }
    memset(text, '[', 512);
    memset(text + 512, ']', 512);
    struct json_read in = json_read_bytes((struct ras_bytes){text, 1024});
    assert_int_equal(json_read_next(&in, &token), JSON_ARRAY);
    assert_true(json_read_skip(&in, &token));
    assert_int_equal(json_read_next(&in, &token), JSON_END);
    free(text);
}

/* An object at one level and an array at the same level later are not mixed up. */
static void brackets_match_at_every_level(void **state)
{
    (void)state;
    assert_takes("[{\"a\":[]},[{}],{\"b\":{}}]", "[ { k61 [ ] } [ { } ] { k62 { } } ]");
    struct json_read in;
    struct out list = listed(text_of("[{\"a\":[]},[{}}]]"), &in);
    assert_string_equal(in.why, "no comma between two values");
    out_free(&list);
}

static void skip_passes_over_what_a_token_begins(void **state)
{
    (void)state;
    struct json_read in =
        json_read_bytes(text_of("{\"a\":{\"x\":[1,{}]},\"b\":2,\"c\":[[3]],\"d\":4}"));
    struct json_token token;
    uint64_t value = 0;
    assert_int_equal(json_read_next(&in, &token), JSON_OBJECT);
    assert_int_equal(json_read_next(&in, &token), JSON_KEY);
    assert_true(JSON_IS(&token, "a") && json_read_skip(&in, &token));
    assert_int_equal(json_read_next(&in, &token), JSON_KEY);
    assert_true(JSON_IS(&token, "b") && json_read_skip(&in, &token));
    assert_int_equal(json_read_next(&in, &token), JSON_KEY);
    assert_int_equal(json_read_next(&in, &token), JSON_ARRAY);
    assert_true(json_read_skip(&in, &token));
    assert_int_equal(json_read_next(&in, &token), JSON_KEY);
    assert_int_equal(json_read_next(&in, &token), JSON_NUMBER);
    assert_true(json_read_skip(&in, &token)); /* nothing to pass over */
    assert_true(json_u64_of(&token, &value) && value == 4);
    assert_int_equal(json_read_next(&in, &token), JSON_OBJECT_END);
    assert_true(json_read_skip(&in, &token));
    assert_int_equal(json_read_next(&in, &token), JSON_END);
    in = json_read_bytes(text_of("{\"a\":[1,"));
    json_read_next(&in, &token);
    json_read_next(&in, &token);
    assert_false(json_read_skip(&in, &token));
    assert_int_equal(in.fault, JSON_SHORT);
}

static void python_agrees(void **state)
{
    (void)state;
    struct out all = oracle("json_texts.py", "8259");
    struct in in = oracle_in(&all);
    size_t taken = 0, refused = 0;
    while (in_left(&in)) {
        struct ras_bytes text = oracle_blob(&in), want = oracle_blob(&in);
        uint8_t *copy = guarded(text);
        struct json_read end;
        struct out list = listed((struct ras_bytes){copy, text.len}, &end);
        if (want.len == 7 && !memcmp(want.at, "refused", 7)) {
            assert_int_not_equal(end.fault, JSON_FINE);
            refused++;
        } else {
            assert_string_equal(end.why, "");
            assert_int_equal(list.len, want.len);
            assert_memory_equal(list.at, want.at, want.len);
            taken++;
        }
        out_free(&list);
        free(copy);
    }
    assert_true(taken > 600 && refused > 200);
    out_free(&all);
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(json_kind_name(JSON_OBJECT), "object");
    assert_string_equal(json_kind_name(JSON_OBJECT_END), "object end");
    assert_string_equal(json_kind_name(JSON_BAD), "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind),
        cmocka_unit_test(what_is_not_json_is_refused_with_its_place),
        cmocka_unit_test(what_ends_too_early_is_short),
        cmocka_unit_test(every_cut_lists_a_prefix),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(brackets_match_at_every_level),
        cmocka_unit_test(skip_passes_over_what_a_token_begins),
        cmocka_unit_test(python_agrees),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests_name("codec/json_read", tests, NULL, NULL);
}
