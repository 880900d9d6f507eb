/* symbols_test.c - this program's own functions by their addresses. */
#include <rastrum/symbols.h>

#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int first_module(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(uint64_t *)user = info->dlpi_addr;
    return 1;
}

static void symbols_name_an_address_of_a_file(void **state)
{
    struct ras_symbols *s;
    struct ras_error err;
    uint64_t bias = 0, here = (uint64_t)(uintptr_t)&symbols_name_an_address_of_a_file;
    (void)state;
    dl_iterate_phdr(first_module, &bias);
    assert_int_equal(ras_symbols_open(&s, &err), RAS_OK);
    const char *name = ras_symbols_find(s, "/proc/self/exe", NULL, here - bias);
    assert_non_null(name);
    assert_string_equal(name, "symbols_name_an_address_of_a_file");
    name = ras_symbols_find(s, "/proc/self/exe", "", here - bias + 1);
    assert_non_null(name);
    assert_string_equal(name, "symbols_name_an_address_of_a_file");
    assert_null(ras_symbols_find(s, "/proc/self/exe", "00ff", here - bias));
    assert_null(ras_symbols_find(s, "/proc/self/exe", NULL, UINT64_MAX - 100));
    assert_null(ras_symbols_find(s, "/nowhere", NULL, 0));
    ras_symbols_close(s);
    ras_symbols_close(NULL);
}

/* Whether this program was built with -g: some builds of `make check-long` are not. */
static bool has_line_table(void)
{
    struct stat about;
    bool found = false;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && !fstat(fd, &about));
    const char *at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(at != MAP_FAILED);
    const ElfW(Ehdr) *header = (const void *)at;
    const ElfW(Shdr) *sections = (const void *)(at + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++)
        found |= !strcmp(at + sections[header->e_shstrndx].sh_offset + sections[i].sh_name,
                         ".debug_line");
    munmap((void *)(uintptr_t)at, (size_t)about.st_size);
    close(fd);
    return found;
}

static void an_address_has_a_source_line(void **state)
{
    struct ras_symbols *s;
    uint64_t bias = 0, here = (uint64_t)(uintptr_t)&symbols_name_an_address_of_a_file;
    uint32_t line = 99;
    (void)state;
    dl_iterate_phdr(first_module, &bias);
    assert_int_equal(ras_symbols_open(&s, NULL), RAS_OK);
    const char *file = ras_symbols_source(s, "/proc/self/exe", NULL, here - bias, &line);
    if (ras_symbols_has_debug(s) && has_line_table()) {
        assert_non_null(file);
        assert_non_null(strstr(file, "symbols_test.c"));
        assert_in_range(line, 15, 30);
    } else {
        assert_null(file);
    }
    assert_null(ras_symbols_source(s, "/proc/self/exe", "00ff", here - bias, &line));
    assert_int_equal(line, 0);
    assert_null(ras_symbols_source(s, "/nowhere", NULL, 0, &line));
    assert_true(ras_symbols_first(s, "/proc/self/exe") <= here - bias);
    assert_true(ras_symbols_first(s, "/nowhere") == RAS_NONE);
    ras_symbols_close(s);
}

static void symbols_are_demangled_by_language(void **state)
{
    struct ras_symbols *s;
    (void)state;
    assert_int_equal(ras_symbols_open(&s, NULL), RAS_OK);
    assert_string_equal(ras_symbols_demangle(s, "main"), "main");
    assert_string_equal(ras_symbols_demangle(s, "_RNvCs1234_7mycrate3foo"), "mycrate::foo");
    const char *cplus = ras_symbols_demangle(s, "_ZN3foo3barEi"); /* where libstdc++ is there */
    assert_true(!strcmp(cplus, "foo::bar(int)") || !strcmp(cplus, "_ZN3foo3barEi"));
    ras_symbols_close(s);
}

static void binaries_show_their_instrumentation(void **state)
{
    struct ras_binary b;
    struct ras_error err;
    (void)state;
    assert_int_equal(ras_binary_inspect("/proc/self/exe", &b, &err), RAS_OK);
    assert_true(b.is_dynamic);
    assert_int_equal(b.hooks, 0);
    assert_int_equal(ras_binary_inspect("/etc/passwd", &b, &err), RAS_EFORMAT);
    assert_int_equal(ras_binary_inspect("/nowhere", &b, &err), RAS_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_name_an_address_of_a_file),
        cmocka_unit_test(an_address_has_a_source_line),
        cmocka_unit_test(symbols_are_demangled_by_language),
        cmocka_unit_test(binaries_show_their_instrumentation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
