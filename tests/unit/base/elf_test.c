/* elf_test.c - this program as a file: its symbols, its sections; and damaged copies. */
#include "base/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct ras_bytes self;

static uint64_t count_named(const struct elf *elf, const char *name)
{
    struct elf_section table;
    struct elf_symbol s;
    uint64_t count = 0;
    if (!elf_section_typed(elf, SHT_SYMTAB, &table))
        return 0;
    for (uint64_t i = 0; elf_symbol_at(elf, &table, i, &s); i++)
        count += s.is_function && s.is_defined && !strcmp(s.name, name);
    return count;
}

static void elf_of_a_program_has_its_functions(void **state)
{
    struct elf elf;
    struct elf_section text;
    (void)state;
    assert_true(elf_open(&elf, self));
    assert_true(elf_is_dynamic(&elf));
    assert_int_equal(count_named(&elf, "main"), 1);
    assert_int_equal(count_named(&elf, "no_such_function"), 0);
    assert_true(elf_section_named(&elf, ".text", &text));
    assert_true(text.size > 0 && text.address > 0);
    assert_false(elf_section_named(&elf, ".nothing", &text));
}

/* A position-independent program has relocations for its addresses. */
static void elf_of_a_program_has_relocations(void **state)
{
    struct elf elf;
    struct elf_section s;
    struct elf_relocation r;
    uint64_t relative = 0;
    (void)state;
    assert_true(elf_open(&elf, self));
    for (uint32_t i = 0; elf_section_at(&elf, i, &s); i++)
        for (uint64_t k = 0; elf_relocation_at(&elf, &s, k, &r); k++)
            relative += r.is_relative && r.address && r.addend;
    assert_true(relative > 0);
}

static void elf_build_id_is_found_or_none(void **state)
{
    static const uint8_t notes[] = {4, 0, 0,   0,   2,   0, 0,    0,    3, 0,
                                    0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0, 0};
    (void)state;
    struct ras_bytes id = elf_note_build_id((struct ras_bytes){notes, sizeof notes});
    assert_int_equal(id.len, 2);
    assert_int_equal(id.at[0], 0xab);
    for (size_t cut = 0; cut < 18; cut++)
        assert_int_equal(elf_note_build_id((struct ras_bytes){notes, cut}).len, 0);
}

/* Call every function. */
static void ask_all(struct ras_bytes bytes)
{
    struct elf elf;
    struct elf_section s;
    struct elf_symbol symbol;
    if (!elf_open(&elf, bytes))
        return;
    (void)elf_is_dynamic(&elf);
    (void)elf_build_id(&elf);
    for (uint32_t i = 0; i < 100 && elf_section_at(&elf, i, &s); i++)
        for (uint64_t k = 0; k < 50 && elf_symbol_at(&elf, &s, k, &symbol); k++)
            (void)strlen(symbol.name);
    struct elf_relocation r;
    for (uint32_t i = 0; i < 100 && elf_section_at(&elf, i, &s); i++)
        for (uint64_t k = 0; k < 50 && elf_relocation_at(&elf, &s, k, &r); k++)
            (void)r.address;
}

static void elf_that_is_cut_or_damaged_is_read_within_it(void **state)
{
    size_t len = self.len;
    uint8_t *copy = malloc(len);
    (void)state;
    assert_non_null(copy);
    for (size_t cut = 0; cut < len; cut += cut < 4096 ? 61 : len / 40 + 1) {
        memcpy(copy, self.at, cut);
        uint8_t *exact = realloc(copy, cut ? cut : 1);
        assert_non_null(exact);
        copy = exact;
        ask_all((struct ras_bytes){copy, cut});
        copy = realloc(copy, len);
        assert_non_null(copy);
    }
    memcpy(copy, self.at, len);
    struct elf elf;
    assert_true(elf_open(&elf, self));
    for (size_t i = 0; i < 64 + 2048; i++) { /* the header, then the table of sections */
        size_t at = i < 64 ? i : (size_t)elf.section_at + i - 64;
        if (at >= len)
            break;
        copy[at] ^= 0xff;
        ask_all((struct ras_bytes){copy, len});
        copy[at] ^= 0xff;
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elf_of_a_program_has_its_functions),
        cmocka_unit_test(elf_of_a_program_has_relocations),
        cmocka_unit_test(elf_build_id_is_found_or_none),
        cmocka_unit_test(elf_that_is_cut_or_damaged_is_read_within_it),
    };
    struct stat st;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return 1;
    self = (struct ras_bytes){mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0),
                              (size_t)st.st_size};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
