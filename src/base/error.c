/* error.c - what is reported to the caller: failures in one line, and decisions on request. */
#include "base/error.h"
#include "base/os.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int fail(struct ras_error *err, int status, uint64_t offset, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        err->status = status;
        err->os_errno = 0;
        err->about = RAS_ABOUT_NOTHING;
        err->offset = offset;
        err->reserved[0] = err->reserved[1] = 0;
        vsnprintf(err->text, sizeof err->text, fmt, args);
        va_end(args);
    }
    return status;
}

int fail_os(struct ras_error *err, const char *what)
{
    int code = errno, status = RAS_EIO;
    char text[128];
    if (code == ENOSYS)
        status = RAS_EUNSUPPORTED;
    else if (code == ENOMEM)
        status = RAS_EMEMORY;
    os_error_text(code, text, sizeof text);
    fail(err, status, RAS_NONE, "%s: %s", what, text);
    if (err)
        err->os_errno = code;
    return status;
}

int fail_canceled(struct ras_error *err)
{
    return fail(err, RAS_ECANCELED, RAS_NONE, "canceled");
}

int fail_memory(struct ras_error *err)
{
    return fail(err, RAS_EMEMORY, RAS_NONE, "out of memory");
}

int fail_about(int status, enum ras_error_about about, struct ras_error *err)
{
    if (err && status < 0 && status != RAS_EMEMORY)
        err->about = (int)about;
    return status;
}

enum { LINE_MOST = 1024 };

const char *ras_debug_topic_name(enum ras_debug_topic topic)
{
    static const char *const names[RAS_DEBUG_TOPICS] = {
        [RAS_DEBUG_PROBE] = "probe",
        [RAS_DEBUG_SOURCE] = "source",
        [RAS_DEBUG_INDEX] = "index",
        [RAS_DEBUG_DRIVER] = "driver",
    };
    return (unsigned)topic < RAS_DEBUG_TOPICS ? names[topic] : NULL;
}

void debug_write(const struct ras_debug *debug, enum ras_debug_topic topic, const char *fmt, ...)
{
    if (!debug_wants(debug, topic))
        return;
    char line[LINE_MOST];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    debug->write(debug->user, topic, line);
}
