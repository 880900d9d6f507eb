/* repair_write.c - a mended trace as bytes: a file, a directory, a stream. */
#include "core/sink.h"
#include "ops/repair.h"

#include <stdio.h>
#include <string.h>

int repair_to_sink(void *user, const void *bytes, size_t n, struct ras_error *err)
{
    enum { STEP = 4 << 20 }; /* so that memory holds a piece and not the whole */
    const uint8_t *at = bytes;
    int status = RAS_OK;
    while (status == RAS_OK && n) {
        size_t part = n < STEP ? n : STEP;
        status = ras_sink_write(user, at, part, err);
        at += part;
        n -= part;
    }
    return status;
}

struct ras_bytes repair_part(const struct source *s, const char *name)
{
    for (size_t i = 0; i < source_count(s); i++)
        if (!strcmp(source_name(s, i), name))
            return source_bytes(s, i);
    return (struct ras_bytes){NULL, 0};
}

bool repair_is_fresh(const struct ras_plan *plan, const struct source *s, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(plan->patches[k].part, plan->patches[i].part))
            return false;
    for (size_t k = 0; k < source_count(s); k++)
        if (!strcmp(source_name(s, k), plan->patches[i].part))
            return false;
    return true;
}

static int write_to_folder(const struct ras_plan *plan, const struct source *s, const char *name,
                           struct ras_folder *folder, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_folder_sink(folder, name, &sink, err);
    if (status == RAS_OK)
        status = plan_apply(plan, name, repair_part(s, name), repair_to_sink, sink, err);
    return status == RAS_OK ? ras_folder_finish(folder, sink, err) : status;
}

/* What lies beside the trace and is not looked at otherwise is loaded now. */
static int write_carried(const struct ras_plan *plan, struct source *s, size_t i,
                         struct ras_folder *folder, struct ras_error *err)
{
    int status = source_load(s, i, err);
    return status == RAS_OK ? write_to_folder(plan, s, source_name(s, i), folder, err) : status;
}

int repair_write_folder(const struct ras_plan *plan, struct source *s, struct ras_folder *folder,
                        struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < source_count(s); i++)
        if (source_is_carried(s, i))
            status = write_carried(plan, s, i, folder, err);
        else if (source_stored(s, i) || plan_changes(plan, source_name(s, i)))
            status = write_to_folder(plan, s, source_name(s, i), folder, err);
    for (size_t i = 0; status == RAS_OK && i < plan->patch_count; i++)
        if (repair_is_fresh(plan, s, i))
            status = write_to_folder(plan, s, plan->patches[i].part, folder, err);
    return status;
}

int repair_write_directory(const struct ras_plan *plan, struct source *s, const char *path,
                           bool replace, struct ras_error *err)
{
    struct ras_folder *folder;
    int status = ras_folder_open(&folder, path, replace, err);
    if (status < 0)
        return status;
    status = repair_write_folder(plan, s, folder, err);
    if (status == RAS_OK)
        return ras_folder_close(folder, err);
    ras_folder_drop(folder);
    return status;
}

static int write_sink(const struct ras_plan *plan, const char *part, struct ras_bytes all,
                      struct ras_sink *sink, struct ras_error *err)
{
    int status = plan_apply(plan, part, all, repair_to_sink, sink, err);
    if (status == RAS_OK)
        return ras_sink_close(sink, err);
    ras_sink_drop(sink);
    return status;
}

int repair_write_file(const struct ras_plan *plan, struct ras_bytes all, const char *path,
                      bool replace, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_sink_trace(&sink, path, replace, err);
    return status == RAS_OK ? write_sink(plan, "", all, sink, err) : status;
}

int repair_write_part(const struct ras_plan *plan, const char *part, struct ras_bytes all,
                      const char *path, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = sink_file(&sink, path, true, 0666, err);
    return status == RAS_OK ? write_sink(plan, part, all, sink, err) : status;
}
