/* repair_test.c - a repair that is written and cannot be read back is judged by its bytes. */
#include <rastrum/change.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char path[] = "rastrum-repair-test.trc";
static const uint8_t whole[] = "TRC\0\1";
static unsigned refused; /* openings of what was written */

/* All its names, since the C library may call one by another's, and with _FORTIFY_SOURCE by those
 * that take no mode. What was written does not open. */
int __real_open(const char *, int, ...);
int __wrap_open(const char *, int, ...);
int __real_open64(const char *, int, ...);
int __wrap_open64(const char *, int, ...);
int __real___open_2(const char *, int);
int __wrap___open_2(const char *, int);
int __real___open64_2(const char *, int);
int __wrap___open64_2(const char *, int);

static bool refuse(const char *name)
{
    if (strcmp(name, path) != 0)
        return false;
    refused++;
    errno = EMFILE;
    return true;
}

static unsigned mode_of(va_list args)
{
    return va_arg(args, unsigned);
}

int __wrap_open(const char *name, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = mode_of(args);
    va_end(args);
    return refuse(name) ? -1 : __real_open(name, flags, mode);
}

int __wrap_open64(const char *name, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = mode_of(args);
    va_end(args);
    return refuse(name) ? -1 : __real_open64(name, flags, mode);
}

int __wrap___open_2(const char *name, int flags)
{
    return refuse(name) ? -1 : __real___open_2(name, flags);
}

int __wrap___open64_2(const char *name, int flags)
{
    return refuse(name) ? -1 : __real___open64_2(name, flags);
}

static void what_cannot_be_read_back_is_judged_by_its_bytes(void **state)
{
    (void)state;
    const struct ras_repair_options to_file = {.path = path, .replace = true};
    struct ras_repair *r;
    struct ras_trace *t;
    struct ras_error err;
    assert_int_equal(ras_open_memory(&t, whole, sizeof whole - 1, NULL, &err), RAS_OK);
    assert_int_equal(ras_repair(&r, t, &to_file, &err), RAS_OK);
    assert_true(refused);
    assert_int_equal(ras_repair_outcome(r), RAS_REPAIR_WHOLE);
    assert_int_equal(r->after.kind, RAS_COMPLETE);
    ras_repair_free(r);
    ras_close(t);
    assert_int_equal(access(path, R_OK), 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_read_back_is_judged_by_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
