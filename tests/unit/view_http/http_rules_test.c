/* http_rules_test.c - which requests are refused, by which status, in which order. */
#include "view_http/http_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct http_place place = {.port = 8080, .token = "0123456789abcdef0123456789abcdef"};

static struct http_seen good(void)
{
    return (struct http_seen){.method = "GET",
                              .uri = "/v1/open",
                              .host = "127.0.0.1:8080",
                              .hosts = 1,
                              .token = "0123456789abcdef0123456789abcdef"};
}

static int refusal(struct http_seen seen)
{
    const char *why = NULL;
    int status = http_refusal(&place, &seen, &why);
    assert_int_equal(status != 0, why != NULL);
    return status;
}

static void a_good_request_is_answered(void **state)
{
    struct http_seen s = good();
    (void)state;
    assert_int_equal(refusal(s), 0);
    s.host = "localhost:8080";
    s.origin = "http://localhost:8080";
    s.site = "same-origin";
    assert_int_equal(refusal(s), 0);
    s.method = "POST";
    assert_int_equal(refusal(s), 0);
}

static void each_rule_refuses(void **state)
{
    struct http_seen s;
    (void)state;
    s = good(), s.host = "[::1]:8080", assert_int_equal(refusal(s), 421);
    s = good(), s.hosts = 2, assert_int_equal(refusal(s), 421);
    s = good(), s.hosts = 0, s.host = NULL, assert_int_equal(refusal(s), 421);
    s = good(), s.origin = "null", assert_int_equal(refusal(s), 403);
    s = good(), s.origin = "http://127.0.0.1:8081", assert_int_equal(refusal(s), 403);
    s = good(), s.site = "same-site", assert_int_equal(refusal(s), 403);
    s = good(), s.method = "HEAD", assert_int_equal(refusal(s), 405);
    s = good(), s.token = NULL, assert_int_equal(refusal(s), 401);
    s = good(), s.uri = "/v1/%6fpen", assert_int_equal(refusal(s), 400);
    s = good(), s.has_nul = true, assert_int_equal(refusal(s), 400);
    s = good(), s.header_bytes = HTTP_HEADERS_MOST + 1, assert_int_equal(refusal(s), 431);
    s = good(), s.header_bytes = HTTP_HEADERS_MOST, assert_int_equal(refusal(s), 0);
}

static void ipv6_is_a_host_where_it_is_listened_on(void **state)
{
    struct http_place six = place;
    struct http_seen s = good();
    const char *why;
    (void)state;
    six.ipv6 = true;
    s.host = "[::1]:8080";
    s.origin = "http://[::1]:8080";
    assert_int_equal(http_refusal(&six, &s, &why), 0);
}

static void every_digit_of_the_token_counts(void **state)
{
    char token[HTTP_TOKEN_DIGITS + 1];
    struct http_seen s = good();
    (void)state;
    for (size_t i = 0; i < HTTP_TOKEN_DIGITS; i++) {
        memcpy(token, place.token, sizeof token);
        token[i] = token[i] == 'f' ? 'e' : 'f';
        s.token = token;
        assert_int_equal(refusal(s), token[i] == place.token[i] ? 0 : 401);
    }
}

static void pages_need_no_token_and_take_no_post(void **state)
{
    struct http_seen s = good();
    (void)state;
    s.uri = "/main.js";
    s.token = NULL;
    assert_int_equal(refusal(s), 0);
    s.method = "POST";
    assert_int_equal(refusal(s), 405);
    assert_true(http_is_view("/v1/open"));
    assert_false(http_is_view("/v1"));
    assert_false(http_is_view("/V1/open"));
}

static void another_site_learns_nothing_of_the_token(void **state)
{
    struct http_seen s = good();
    (void)state;
    s.host = "evil.com";
    s.token = NULL;
    assert_int_equal(refusal(s), 421);
    s = good();
    s.origin = "http://evil.com";
    s.token = NULL;
    assert_int_equal(refusal(s), 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_request_is_answered),
        cmocka_unit_test(each_rule_refuses),
        cmocka_unit_test(ipv6_is_a_host_where_it_is_listened_on),
        cmocka_unit_test(every_digit_of_the_token_counts),
        cmocka_unit_test(pages_need_no_token_and_take_no_post),
        cmocka_unit_test(another_site_learns_nothing_of_the_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
