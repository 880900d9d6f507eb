/* error.c - one-line failures that carry their offset. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fail(struct ras_error *err, int status, uint64_t offset, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        err->status = status;
        err->os_errno = 0;
        err->offset = offset;
        vsnprintf(err->text, sizeof err->text, fmt, args);
        va_end(args);
    }
    return status;
}

/* There are two strerror_r(): one returns the text, one a status and fills the buffer. */
static const char *text_returned(const char *text, const char *buffer)
{
    (void)buffer;
    return text;
}

static const char *text_filled(int status, const char *buffer)
{
    return status == 0 ? buffer : "unknown error";
}

int fail_os(struct ras_error *err, const char *what)
{
    int code = errno;
    char buffer[128] = "";
    const char *text = _Generic(strerror_r(code, buffer, sizeof buffer),
                                char *: text_returned,
                                int: text_filled)(strerror_r(code, buffer, sizeof buffer), buffer);
    fail(err, RAS_EIO, RAS_NONE, "%s: %s", what, text);
    if (err)
        err->os_errno = code;
    return RAS_EIO;
}

int fail_memory(struct ras_error *err)
{
    return fail(err, RAS_EMEMORY, RAS_NONE, "out of memory");
}
