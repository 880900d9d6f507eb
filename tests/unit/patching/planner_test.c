/* planner_test.c - the plan of this very program, which has the functions of tests/hooks/rules.S;
 * and of damaged copies of it. */
#include "patching/planner.h"
#include "base/patch_plan.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Where parts without a symbol are, from rule_moved on: rules.S. */
extern const int32_t rule_distances[3];

static struct ras_bytes own; /* the bytes of this program */
static struct plan *plan;

static int read_own(void **state)
{
    struct stat st;
    (void)state;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    uint8_t *bytes = fd >= 0 && fstat(fd, &st) == 0 ? malloc((size_t)st.st_size) : NULL;
    bool good = bytes && read(fd, bytes, (size_t)st.st_size) == st.st_size;
    if (fd >= 0)
        close(fd);
    own = (struct ras_bytes){bytes, good ? (size_t)st.st_size : 0};
    return good && plan_open(&plan, own, "/own", NULL) == RAS_OK ? 0 : -1;
}

static int free_own(void **state)
{
    (void)state;
    plan_close(plan);
    free((void *)(uintptr_t)own.at);
    return 0;
}

static const struct plan_function *named(const char *name)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->functions[i].name && !strcmp(plan->functions[i].name, name))
            return &plan->functions[i];
    fail_msg("no function %s", name);
    return NULL;
}

static enum plan_reason reason_at(int32_t distance)
{
    uint64_t address = named("rule_moved")->address + (uint64_t)(int64_t)distance;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->functions[i].address == address) {
            assert_null(plan->functions[i].name);
            return plan->functions[i].reason;
        }
    fail_msg("nothing at 0x%llx", (unsigned long long)address);
    return PLAN_REASONS;
}

static void every_rule_refuses_its_function(void **state)
{
    static const struct {
        const char *name;
        enum plan_reason reason;
    } rows[] = {
        {"_start", PLAN_START},
        {"rule_no_caller", PLAN_START},
        {"rule_hot.cold", PLAN_PART},
        {"rule_indirect", PLAN_RESOLVER},
        {"rule_inside", PLAN_INSIDE},
        {"rule_loop", PLAN_LOOP},
        {"rule_table", PLAN_TABLE},
        {"rule_short", PLAN_SHORT},
        {"rule_jrcxz", PLAN_IMMOVABLE},
        {"rule_counted", PLAN_IMMOVABLE},
        {"rule_call_indirect", PLAN_IMMOVABLE},
        {"rule_undecoded", PLAN_UNDECODED},
        {"rule_fallen", PLAN_FALL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (named(rows[i].name)->reason != rows[i].reason)
            fail_msg("%s: %s", rows[i].name, plan_reason_word(named(rows[i].name)->reason));
    assert_int_equal(reason_at(rule_distances[0]), PLAN_UNNAMED);
    assert_int_equal(reason_at(rule_distances[1]), PLAN_UNNAMED);
    assert_int_equal(reason_at(rule_distances[2]), PLAN_PART);
}

static void other_functions_are_patched(void **state)
{
    static const char *const names[] = {"rule_enter", "rule_hot",     "rule_framed", "rule_leaf",
                                        "rule_leaf2", "rule_next",    "rule_before", "rule_moved",
                                        "rule_call",  "rule_jump_if", "rule_padded", "rule_tail",
                                        "main"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (named(names[i])->reason != PLAN_PATCHED)
            fail_msg("%s: %s", names[i], plan_reason_word(named(names[i])->reason));
}

static void reasons_add_up(void **state)
{
    size_t sum = 0;
    (void)state;
    for (unsigned i = 0; i < PLAN_REASONS; i++) {
        sum += plan->by_reason[i];
        assert_true(*plan_reason_text((enum plan_reason)i) &&
                    *plan_reason_word((enum plan_reason)i));
    }
    assert_int_equal(sum, plan->count);
    assert_true(plan->instruction_count > 100);
}

static const struct patch_plan_entry *entry_named(const char *name)
{
    struct patch_plan_head head;
    uint64_t address = named(name)->address;
    memcpy(&head, plan->image, sizeof head);
    const struct patch_plan_entry *e = (const void *)(plan->image + head.entries_at);
    for (uint64_t i = 0; i < head.entry_count; i++)
        if (e[i].function == address)
            return &e[i];
    fail_msg("no entry of %s", name);
    return NULL;
}

/* The image says what is overwritten: bytes, and where; and its code calls the stub. */
static void the_image_has_an_entry_for_each(void **state)
{
    struct patch_plan_head head;
    (void)state;
    memcpy(&head, plan->image, sizeof head);
    assert_memory_equal(head.magic, PATCH_PLAN_MAGIC, sizeof head.magic);
    assert_int_equal(head.size, plan->image_size);
    assert_int_equal(head.entry_count, plan->by_reason[PLAN_PATCHED]);
    assert_int_equal(head.code_at % PATCH_PLAN_PAGE, 0);
    const struct patch_plan_entry *e = entry_named("rule_jump_if");
    static const uint8_t original[] = {0x48, 0x85, 0xff, 0x74, 0x05};
    assert_int_equal(e->jump, 4); /* after the endbr64 */
    assert_int_equal(e->size, sizeof original);
    assert_memory_equal(e->original, original, sizeof original);
    const uint8_t *code = plan->image + head.code_at + e->code;
    int32_t back;
    memcpy(&back, code + 1, sizeof back);
    assert_int_equal(code[0], 0xe8);
    assert_int_equal(back, -(int32_t)(e->code + 5)); /* the stub is at offset 0 */
    assert_memory_equal(code + 5, original, 3);
    assert_true(code[8] == 0x0f && code[9] == 0x84); /* the near form of the jump */
    assert_int_equal(code[14], 0xe9);                /* back */
}

static void a_call_pushes_the_true_return_address(void **state)
{
    static const uint8_t push[] = {0x68}, move[] = {0xc7, 0x44, 0x24, 0x04};
    struct patch_plan_head head;
    uint32_t low;
    (void)state;
    memcpy(&head, plan->image, sizeof head);
    const struct patch_plan_entry *e = entry_named("rule_call");
    const uint8_t *code = plan->image + head.code_at + e->code + 5;
    assert_memory_equal(code, push, sizeof push);
    assert_memory_equal(code + 5, move, sizeof move);
    memcpy(&low, code + PATCH_PLAN_LOW, sizeof low);
    assert_int_equal(low, (uint32_t)(e->function + 5));
    assert_int_equal(code[PATCH_PLAN_PUSH], 0xe9);
}

/* ---- damage --------------------------------------------------------------------------------- */

static void try_bytes(const uint8_t *bytes, size_t size)
{
    struct plan *p = NULL;
    if (plan_open(&p, (struct ras_bytes){bytes, size}, "/damaged", NULL) == RAS_OK)
        assert_non_null(p);
    else
        assert_null(p);
    plan_close(p);
}

static void cut_files_are_refused_or_planned(void **state)
{
    (void)state;
    for (size_t part = 0; part < 64; part++) {
        size_t size = part < 32 ? 8 * part : own.len / 32 * (part - 31) - 1;
        uint8_t *copy = malloc(size ? size : 1); /* exactly as long: nothing is read beyond */
        assert_non_null(copy);
        memcpy(copy, own.at, size);
        try_bytes(copy, size);
        free(copy);
    }
}

static void changed_files_are_refused_or_planned(void **state)
{
    uint64_t random = 88172645463325252u;
    uint8_t *copy = malloc(own.len);
    (void)state;
    assert_non_null(copy);
    for (unsigned round = 0; round < 60; round++) {
        memcpy(copy, own.at, own.len);
        for (unsigned i = 0; i < 40; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            size_t among = round % 2 ? own.len : 1024; /* also of the headers alone */
            copy[random % among] = (uint8_t)(random >> 32);
        }
        memcpy(copy, own.at, 4);
        try_bytes(copy, own.len);
    }
    free(copy);
}

static void other_files_are_refused(void **state)
{
    static const char text[] = "#!/bin/sh\nexit 0\n";
    struct plan *p;
    struct ras_error err;
    (void)state;
    assert_int_equal(plan_open(&p, (struct ras_bytes){(const void *)text, sizeof text}, "/x", &err),
                     RAS_EFORMAT);
    assert_null(p);
    assert_int_equal(plan_open(&p, (struct ras_bytes){0}, "/x", NULL), RAS_EFORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_refuses_its_function),
        cmocka_unit_test(other_functions_are_patched),
        cmocka_unit_test(reasons_add_up),
        cmocka_unit_test(the_image_has_an_entry_for_each),
        cmocka_unit_test(a_call_pushes_the_true_return_address),
        cmocka_unit_test(cut_files_are_refused_or_planned),
        cmocka_unit_test(changed_files_are_refused_or_planned),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, read_own, free_own);
}
