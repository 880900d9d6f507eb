/* atf_span_test.c - calls and returns matched; those without a partner explained. */
#include <rastrum/atf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { A = 1, B, C, D };

struct step {
    unsigned function, kind, depth;
};

/* The spans of some events, one event per nanosecond, as "reason function call return;". */
static void spans_of(const struct step *steps, size_t count, char *out, size_t room)
{
    struct ras_atf_stack *stack = ras_atf_stack_new();
    struct ras_atf_span span;
    int status;
    out[0] = 0;
    for (size_t i = 0; i <= count; i++) {
        struct ras_atf_index_event e = {0};
        if (i < count)
            e = (struct ras_atf_index_event){.timestamp_ns = i,
                                             .function_id = steps[i].function,
                                             .event_kind = steps[i].kind,
                                             .call_depth = steps[i].depth};
        while ((status = ras_atf_stack_step(stack, i < count ? &e : NULL, i, &span, NULL)) ==
               RAS_OK) {
            size_t len = strlen(out);
            snprintf(out + len, room - len, "%s %c %d %d;", ras_atf_reason_name(span.reason),
                     (char)('A' + span.function_id - 1), (int)span.call_seq, (int)span.return_seq);
            if (span.call_seq != RAS_NONE)
                assert_int_equal(span.start_ns, span.call_seq);
            if (span.return_seq != RAS_NONE)
                assert_int_equal(span.end_ns, span.return_seq);
        }
        assert_int_equal(status, RAS_END);
    }
    ras_atf_stack_free(stack);
}

#define ARE(wanted, ...)                                                                           \
    do {                                                                                           \
        const struct step steps[] = {__VA_ARGS__};                                                 \
        char got[512];                                                                             \
        spans_of(steps, sizeof steps / sizeof *steps, got, sizeof got);                            \
        assert_string_equal(got, wanted);                                                          \
    } while (0)

static void nested_calls_match(void **state)
{
    (void)state;
    ARE("matched B 1 2;matched B 3 4;matched A 0 5;", {A, 1, 1}, {B, 1, 2}, {B, 2, 2}, {B, 1, 2},
        {B, 2, 2}, {A, 2, 1});
}

static void recursion_matches_by_depth(void **state)
{
    (void)state;
    ARE("matched A 2 3;matched A 1 4;matched A 0 5;", {A, 1, 1}, {A, 1, 2}, {A, 1, 3}, {A, 2, 3},
        {A, 2, 2}, {A, 2, 1});
}

static void a_return_past_open_calls_unwinds_them(void **state)
{
    (void)state;
    ARE("unwind C 2 -1;unwind B 1 -1;matched A 0 3;", {A, 1, 1}, {B, 1, 2}, {C, 1, 3}, {A, 2, 1});
}

static void a_call_at_a_lower_depth_unwinds_too(void **state)
{
    (void)state;
    ARE("unwind C 2 -1;tail_call B 1 -1;process_exit D 3 -1;process_exit A 0 -1;", {A, 1, 1},
        {B, 1, 2}, {C, 1, 3}, {D, 1, 2});
}

static void another_return_at_the_same_depth_is_a_tail_call(void **state)
{
    (void)state;
    ARE("tail_call A 0 -1;no_call B -1 1;", {A, 1, 1}, {B, 2, 1});
}

static void an_exception_ends_its_call(void **state)
{
    (void)state;
    ARE("unwind C 2 -1;exception B 1 3;matched A 0 4;", {A, 1, 1}, {B, 1, 2}, {C, 1, 3}, {B, 3, 2},
        {A, 2, 1});
    ARE("no_call A -1 0;", {A, 3, 1});
}

static void calls_open_at_the_end_are_reported_innermost_first(void **state)
{
    (void)state;
    ARE("process_exit B 1 -1;process_exit A 0 -1;", {A, 1, 1}, {B, 1, 2});
    ARE("", {A, 99, 1}); /* an unknown kind neither opens nor ends */
}

static void a_return_without_a_call_is_kept(void **state)
{
    (void)state;
    ARE("no_call A -1 0;matched B 1 2;", {A, 2, 1}, {B, 1, 1}, {B, 2, 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_calls_match),
        cmocka_unit_test(recursion_matches_by_depth),
        cmocka_unit_test(a_return_past_open_calls_unwinds_them),
        cmocka_unit_test(a_call_at_a_lower_depth_unwinds_too),
        cmocka_unit_test(another_return_at_the_same_depth_is_a_tail_call),
        cmocka_unit_test(an_exception_ends_its_call),
        cmocka_unit_test(calls_open_at_the_end_are_reported_innermost_first),
        cmocka_unit_test(a_return_without_a_call_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
