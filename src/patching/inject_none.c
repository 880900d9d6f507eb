/* inject_none.c - where no process can be attached to: on other processors than x86-64. */
#include "base/error.h"
#include "patching/inject.h"

int inject_open(struct inject **out, pid_t pid, struct ras_error *err)
{
    *out = NULL;
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                "process %d cannot be attached to: that is implemented for Linux on x86-64 only",
                (int)pid);
}

uint64_t inject_close(struct inject *in)
{
    (void)in;
    return 0;
}

int inject_load(struct inject *in, const char *path, struct ras_error *err)
{
    (void)in, (void)path;
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "attaching needs Linux on x86-64");
}

int inject_call(struct inject *in, uint64_t function, uint64_t stack, struct ras_error *err)
{
    (void)in, (void)function, (void)stack;
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "attaching needs Linux on x86-64");
}

bool inject_is_gone(const struct inject *in)
{
    (void)in;
    return true;
}

void inject_run(struct inject *in)
{
    (void)in;
}

uint64_t inject_symbol(const struct inject *in, const char *path, const char *name)
{
    (void)in, (void)path, (void)name;
    return 0;
}

bool inject_find(const struct inject *in, const char *name, char *path, size_t room)
{
    (void)in, (void)name, (void)path, (void)room;
    return false;
}

bool inject_read(const struct inject *in, uint64_t at, void *to, size_t size)
{
    (void)in, (void)at, (void)to, (void)size;
    return false;
}

bool inject_put(const struct inject *in, uint64_t at, uint32_t value)
{
    (void)in, (void)at, (void)value;
    return false;
}

int inject_write(struct inject *in, const struct attach_site *sites, size_t count, bool original,
                 size_t *written, size_t *left, struct ras_error *err)
{
    (void)in, (void)sites, (void)count, (void)original;
    *written = *left = 0;
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "attaching needs Linux on x86-64");
}
