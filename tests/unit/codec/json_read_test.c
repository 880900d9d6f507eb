/* json_read_test.c - the JSON tokenizer: what it accepts, what it refuses and where; the values of
 * tokens. */
#include "codec/json_read.h"
#include "oracle.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

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
    assert_true(json_read_skip(&in, &token)); /* nothing to skip */
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

static struct json_token token_of(struct json_read *in, const char *text, size_t len)
{
    struct json_token token;
    *in = json_read_bytes((struct ras_bytes){(const uint8_t *)text, len});
    assert_int_not_equal(json_read_next(in, &token), JSON_BAD);
    return token;
}

static struct json_token token(const char *text)
{
    struct json_read in;
    return token_of(&in, text, strlen(text));
}

static void half_a_surrogate_pair_is_a_fault(void **state)
{
    (void)state;
    static const char *const rows[] = {"\"ab\\ud800\"",        "\"ab\\udc00\"",
                                       "\"ab\\ud800\\u0041\"", "\"ab\\ud800\\ud800\"",
                                       "\"ab\\udc00\\ud800\"", "\"ab\\ud800x\\udc00\"",
                                       "\"ab\\udbff\\ue000\"", "\"ab\\ud800\\ndc00\""};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_read in;
        struct json_token string = token_of(&in, rows[i], strlen(rows[i]));
        char text[32];
        size_t len = 9;
        assert_true(string.escaped);
        assert_false(json_read_text(&in, &string, text, sizeof text, &len));
        assert_int_equal(len, 0);
        assert_string_equal(in.why, "half of a surrogate pair in a string");
        assert_int_equal(in.fault_at, 3);
        assert_int_equal(json_read_next(&in, &string), JSON_BAD);
    }
}

static void text_needs_the_room_of_its_span(void **state)
{
    (void)state;
    struct json_read in;
    struct json_token string = token_of(&in, "\"a\\u0062\"", 9);
    size_t len;
    uint8_t *room = malloc(7);
    assert_false(json_read_text(&in, &string, room, 6, &len));
    assert_int_equal(in.fault, JSON_FINE);
    assert_true(json_read_text(&in, &string, room, 7, &len));
    assert_int_equal(len, 2);
    assert_memory_equal(room, "ab", 2);
    free(room);
    string = token_of(&in, "\"\"", 2);
    assert_true(json_read_text(&in, &string, NULL, 0, &len));
    assert_int_equal(len, 0);
}

static void text_compares_with_escapes_resolved(void **state)
{
    (void)state;
    struct json_token key = token("\"t\\u0069ck\\n\\ud83d\\ude00\"");
    assert_true(JSON_IS(&key, "tick\n\xf0\x9f\x98\x80"));
    assert_false(JSON_IS(&key, "tick\n\xf0\x9f\x98\x81"));
    assert_false(JSON_IS(&key, "tick\n\xf0\x9f\x98"));
    assert_false(JSON_IS(&key, "tick\n"));
    assert_false(JSON_IS(&key, ""));
    struct json_token nul = token("\"a\\u0000\"");
    assert_true(json_text_is(&nul, "a\0", 2));
    assert_false(json_text_is(&nul, "a", 1));
    struct json_token number = token("12");
    assert_false(JSON_IS(&number, "12"));
    struct json_token half = token("\"\\ud800\"");
    assert_false(JSON_IS(&half, "\xed\xa0\x80"));
}

static void integers_are_exact_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_u64, is_i64;
        uint64_t u;
        int64_t i;
    } rows[] = {
        {"0", true, true, 0, 0},
        {"-0", true, true, 0, 0},
        {"9007199254740993", true, true, 9007199254740993, 9007199254740993},
        {"9223372036854775807", true, true, INT64_MAX, INT64_MAX},
        {"9223372036854775808", true, false, UINT64_C(1) << 63, 0},
        {"18446744073709551615", true, false, UINT64_MAX, 0},
        {"18446744073709551616", false, false, 0, 0},
        {"99999999999999999999999", false, false, 0, 0},
        {"-1", false, true, 0, -1},
        {"-9223372036854775808", false, true, 0, INT64_MIN},
        {"-9223372036854775809", false, false, 0, 0},
        {"-18446744073709551616", false, false, 0, 0},
        {"1.0", false, false, 0, 0},
        {"1e3", false, false, 0, 0},
        {"true", false, false, 0, 0},
        {"\"1\"", false, false, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_token number = token(rows[i].text);
        uint64_t u = 0;
        int64_t s = 0;
        assert_int_equal(json_u64_of(&number, &u), rows[i].is_u64);
        assert_int_equal(json_i64_of(&number, &s), rows[i].is_i64);
        assert_true(u == rows[i].u);
        assert_true(s == rows[i].i);
    }
}

static void assert_real(const char *text, double want)
{
    struct json_token number = token(text);
    double got = 77;
    assert_true(json_f64_of(&number, &got));
    assert_memory_equal(&got, &want, sizeof want);
}

static void reals_are_the_nearest_double(void **state)
{
    (void)state;
    assert_real("0", 0.0);
    assert_real("-0.000e9", -0.0);
    assert_real("123456789012345", 123456789012345.0);
    assert_real("0.1", 0.1);
    assert_real("1e22", 1e22);
    assert_real("1e23", 1e23);
    assert_real("8.5e-23", 8.5e-23);
    assert_real("18446744073709551615", 18446744073709551616.0);
    assert_real("9007199254740993", 9007199254740992.0);
    assert_real("9007199254740993.0000000000000000000000000000000001", 9007199254740994.0);
    assert_real("2.2250738585072011e-308", 2.2250738585072011e-308);
    assert_real("4.9e-324", 0x1p-1074);
    assert_real("2.4e-324", 0.0);
    assert_real("-1e-99999999999999999999999999", -0.0);
    assert_real("1.7976931348623157e308", DBL_MAX);
    assert_real("1.7976931348623158e308", DBL_MAX);
    struct json_token huge = token("1.7976931348623159e308");
    double got = 77;
    assert_false(json_f64_of(&huge, &got));
    huge = token("-1e99999999999999999999999999");
    assert_false(json_f64_of(&huge, &got));
    huge = token("null");
    assert_false(json_f64_of(&huge, &got));
    assert_true(got == 77);
}

/* Digits without end on both sides of the point cost no memory and no accuracy. */
static void endless_digits_round_rightly(void **state)
{
    (void)state;
    enum { ZEROS = 300000 };
    char *text = malloc(ZEROS + 64);
    struct json_read in;
    double got = 0;
    /* 0.00...01e300001 */
    memcpy(text, "0.", 2);
    memset(text + 2, '0', ZEROS);
    size_t len = 2 + ZEROS + (size_t)snprintf(text + 2 + ZEROS, 32, "1e%d", ZEROS + 1);
    struct json_token number = token_of(&in, text, len);
    assert_true(json_f64_of(&number, &got) && got == 1.0);
    /* 1000...0e-300000 */
    text[0] = '1';
    memset(text + 1, '0', ZEROS);
    len = 1 + ZEROS + (size_t)snprintf(text + 1 + ZEROS, 32, "e-%d", ZEROS);
    number = token_of(&in, text, len);
    assert_true(json_f64_of(&number, &got) && got == 1.0);
    /* Halfway between 1 and its successor, and one digit more far after. */
    static const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    assert_real(half, 1.0);
    memcpy(text, half, sizeof half - 1);
    memset(text + sizeof half - 1, '0', ZEROS);
    number = token_of(&in, text, sizeof half - 1 + ZEROS);
    assert_true(json_f64_of(&number, &got) && got == 1.0);
    text[sizeof half - 1 + ZEROS] = '1';
    number = token_of(&in, text, sizeof half + ZEROS);
    assert_true(json_f64_of(&number, &got) && got == 1.0 + DBL_EPSILON);
    free(text);
}

/* Some locales write 1,5; the text of a trace does not. */
static void reals_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip();
    assert_real("1.50000000000000000000000001", 1.5);
    setlocale(LC_NUMERIC, "C");
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
        cmocka_unit_test(half_a_surrogate_pair_is_a_fault),
        cmocka_unit_test(text_needs_the_room_of_its_span),
        cmocka_unit_test(text_compares_with_escapes_resolved),
        cmocka_unit_test(integers_are_exact_or_refused),
        cmocka_unit_test(reals_are_the_nearest_double),
        cmocka_unit_test(endless_digits_round_rightly),
        cmocka_unit_test(reals_do_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests_name("codec/json_read", tests, NULL, NULL);
}
