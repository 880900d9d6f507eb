/* process_map_test.c - what is where in a process: this one. */
#include "patching/process_map.h"
#include "patching/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* In the C library itself: sanitizers have functions of the same names. */
static uint64_t address_of(const char *name)
{
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(library);
    uint64_t address = (uintptr_t)dlsym(library, name);
    dlclose(library);
    return address;
}

static void functions_of_the_c_library_are_found(void **state)
{
    struct process_map m = {0};
    (void)state;
    assert_int_equal(process_map_read(&m, getpid(), NULL), RAS_OK);
    assert_true(m.errno_location == address_of("__errno_location"));
    assert_true(m.dlopen == address_of("dlopen"));
    const uint8_t *code = (const uint8_t *)(uintptr_t)m.syscall;
    assert_non_null(code);
    assert_int_equal(code[0], 0x0f);
    assert_int_equal(code[1], 0x05);
    process_map_free(&m);
}

static void an_address_is_of_a_kind(void **state)
{
    struct process_map m = {0};
    (void)state;
    assert_int_equal(process_map_read(&m, getpid(), NULL), RAS_OK);
    const struct process_region *own = process_map_at(&m, (uintptr_t)an_address_is_of_a_kind);
    const struct process_region *libc = process_map_at(&m, m.errno_location);
    assert_non_null(own);
    assert_int_equal(own->kind, REGION_OTHER);
    assert_true(strstr(own->path, process_map_file(own)) != NULL);
    assert_non_null(libc);
    assert_int_equal(libc->kind, REGION_LIBRARY);
    assert_null(process_map_at(&m, 16));
    assert_null(process_map_at(&m, (uintptr_t)&m)); /* not code */
    assert_int_equal(process_map_symbol(&m, libc->path, "no_such_function"), 0);
    assert_int_equal(process_map_symbol(&m, "/no/such/file", "malloc"), 0);
    process_map_free(&m);
}

static void a_process_that_is_not_there_is_refused(void **state)
{
    struct process_map m = {0};
    struct inject *in;
    struct ras_error err;
    (void)state;
    assert_true(process_map_read(&m, (1 << 22) + 5, &err) < 0);
    assert_int_equal(inject_open(&in, (1 << 22) + 5, &err), RAS_EUNSUPPORTED);
    assert_null(in);
    assert_int_equal(inject_open(&in, getpid(), &err), RAS_EUNSUPPORTED);
    inject_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_the_c_library_are_found),
        cmocka_unit_test(an_address_is_of_a_kind),
        cmocka_unit_test(a_process_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
