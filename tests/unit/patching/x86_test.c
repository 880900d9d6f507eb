/* x86_test.c - lengths, references and flow of instructions of every kind of encoding.
 *
 * tests/hooks/decoder compares the decoder with another one over all instructions of programs. */
#include "patching/x86.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name;
    uint8_t bytes[15], length;
    enum x86_flow flow;
    int64_t target, rip; /* from the end; 0: none */
} rows[] = {
    {"nop", {0x90}, 1, X86_NEXT, 0, 0},
    {"push %r12", {0x41, 0x54}, 2, X86_NEXT, 0, 0},
    {"sub $0x18,%rsp", {0x48, 0x83, 0xec, 0x18}, 4, X86_NEXT, 0, 0},
    {"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}, 4, X86_NEXT, 0, 0},
    {"mov 16(%rip),%rax", {0x48, 0x8b, 0x05, 0x10, 0, 0, 0}, 7, X86_NEXT, 0, 16},
    {"cmpl $1,-2(%rip)", {0x83, 0x3d, 0xfe, 0xff, 0xff, 0xff, 1}, 7, X86_NEXT, 0, -2},
    {"mov $1,%ax", {0x66, 0xb8, 1, 0}, 4, X86_NEXT, 0, 0},
    {"movabs", {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}, 10, X86_NEXT, 0, 0},
    {"mov %fs:0x28,%rax", {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, 9, X86_NEXT, 0, 0},
    {"testb $1,(%rax)", {0xf6, 0x00, 1}, 3, X86_NEXT, 0, 0},
    {"negb (%rax)", {0xf6, 0x18}, 2, X86_NEXT, 0, 0},
    {"enter", {0xc8, 1, 0, 2}, 4, X86_NEXT, 0, 0},
    {"pshufd", {0x66, 0x0f, 0x70, 0xc1, 0x1b}, 5, X86_NEXT, 0, 0},
    {"palignr", {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 4}, 6, X86_NEXT, 0, 0},
    {"vzeroupper", {0xc5, 0xf8, 0x77}, 3, X86_NEXT, 0, 0},
    {"vmovdqu 8(%rip),%ymm0", {0xc5, 0xfe, 0x6f, 0x05, 8, 0, 0, 0}, 8, X86_NEXT, 0, 8},
    {"vinserti128", {0xc4, 0xe3, 0x7d, 0x38, 0xc1, 1}, 6, X86_NEXT, 0, 0},
    {"vmovdqu64", {0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x06}, 6, X86_NEXT, 0, 0},
    {"jmp short", {0xeb, 0xfe}, 2, X86_JUMP, -2, 0},
    {"jmp near", {0xe9, 4, 0, 0, 0}, 5, X86_JUMP, 4, 0},
    {"je short", {0x74, 0x10}, 2, X86_JUMP_IF, 16, 0},
    {"jne near", {0x0f, 0x85, 0xf0, 0xff, 0xff, 0xff}, 6, X86_JUMP_IF, -16, 0},
    {"jrcxz", {0xe3, 2}, 2, X86_LOOP, 2, 0},
    {"call", {0xe8, 1, 0, 0, 0}, 5, X86_CALL, 1, 0},
    {"call *8(%rip)", {0xff, 0x15, 8, 0, 0, 0}, 6, X86_CALL_INDIRECT, 0, 8},
    {"notrack jmp *%rax", {0x3e, 0xff, 0xe0}, 3, X86_JUMP_INDIRECT, 0, 0},
    {"ret", {0xc3}, 1, X86_RETURN, 0, 0},
    {"ud2", {0x0f, 0x0b}, 2, X86_STOP, 0, 0},
    {"int3", {0xcc}, 1, X86_STOP, 0, 0},
};

static void instructions_of_every_kind_are_read(void **state)
{
    struct x86_instruction x;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!x86_decode(rows[i].bytes, sizeof rows[i].bytes, &x) || x.length != rows[i].length ||
            x.flow != rows[i].flow || x.target_offset != rows[i].target ||
            x.rip_offset != rows[i].rip || !x.rip_at != !rows[i].rip)
            fail_msg("%s: length %u, flow %d, target %lld, rip %lld", rows[i].name, x.length,
                     (int)x.flow, (long long)x.target_offset, (long long)x.rip_offset);
    }
}

/* A cut instruction is none, and nothing is read beyond. */
static void cut_instructions_are_refused(void **state)
{
    struct x86_instruction x;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t size = 0; size < rows[i].length; size++) {
            uint8_t *copy = malloc(size ? size : 1);
            assert_non_null(copy);
            memcpy(copy, rows[i].bytes, size);
            if (x86_decode(copy, size, &x))
                fail_msg("%s: %zu bytes", rows[i].name, size);
            free(copy);
        }
}

static void what_is_no_instruction_is_refused(void **state)
{
    static const uint8_t none[][15] = {
        {0x06},
        {0x27},
        {0x62, 0xf0},
        {0xc4, 0xe0, 0, 0},
        {0x0f, 0x04},
        {0xff, 0xff},
        {0xd4},
        {0xea},
        {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66},
    };
    struct x86_instruction x;
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (x86_decode(none[i], sizeof none[i], &x))
            fail_msg("row %zu has %u bytes", i, x.length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_of_every_kind_are_read),
        cmocka_unit_test(cut_instructions_are_refused),
        cmocka_unit_test(what_is_no_instruction_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
