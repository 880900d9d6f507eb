/* repair_write.c - a repaired trace as bytes: a file, a directory, a stream. */
#include "core/sink.h"
#include "ops/repair/repair.h"

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
    size_t part;
    return source_find(s, name, &part) ? source_bytes(s, part) : (struct ras_bytes){NULL, 0};
}

bool repair_is_fresh(const struct plan_map *map, const struct source *s, size_t i)
{
    const char *name = map->plan->patches[i].part;
    size_t part;
    return plan_first(map, name) == i && !source_find(s, name, &part);
}

static int write_to_folder(const struct plan_map *map, const struct source *s, const char *name,
                           struct ras_folder *folder, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_folder_sink(folder, name, &sink, err);
    if (status == RAS_OK)
        status = plan_apply(map, name, repair_part(s, name), repair_to_sink, sink, err);
    return status == RAS_OK ? ras_folder_finish(folder, sink, err) : status;
}

/* What lies beside the trace and is not looked at otherwise is loaded now. */
static int write_carried(const struct plan_map *map, struct source *s, size_t i,
                         struct ras_folder *folder, struct ras_error *err)
{
    int status = source_load(s, i, err);
    return status == RAS_OK ? write_to_folder(map, s, source_name(s, i), folder, err) : status;
}

int repair_write_folder(const struct plan_map *map, struct source *s, struct ras_folder *folder,
                        struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < source_count(s); i++)
        if (source_is_carried(s, i))
            status = write_carried(map, s, i, folder, err);
        else if (source_stored(s, i) || plan_first(map, source_name(s, i)) != PLAN_NONE)
            status = write_to_folder(map, s, source_name(s, i), folder, err);
    for (size_t i = 0; status == RAS_OK && i < map->plan->patch_count; i++)
        if (repair_is_fresh(map, s, i))
            status = write_to_folder(map, s, map->plan->patches[i].part, folder, err);
    return status;
}

int repair_write_directory(const struct plan_map *map, struct source *s, const char *path,
                           bool replace, struct ras_error *err)
{
    struct ras_folder *folder;
    int status = ras_folder_open(&folder, path, replace, err);
    if (status < 0)
        return status;
    status = repair_write_folder(map, s, folder, err);
    if (status == RAS_OK)
        return ras_folder_close(folder, err);
    ras_folder_drop(folder);
    return status;
}

static int write_sink(const struct plan_map *map, const char *part, struct ras_bytes all,
                      struct ras_sink *sink, struct ras_error *err)
{
    int status = plan_apply(map, part, all, repair_to_sink, sink, err);
    if (status == RAS_OK)
        return ras_sink_close(sink, err);
    ras_sink_drop(sink);
    return status;
}

int repair_write_file(const struct plan_map *map, struct ras_bytes all, const char *path,
                      bool replace, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_sink_trace(&sink, path, replace, err);
    return status == RAS_OK ? write_sink(map, "", all, sink, err) : status;
}

int repair_write_part(const struct plan_map *map, const char *part, struct ras_bytes all,
                      const char *path, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = sink_file(&sink, path, true, 0666, err);
    if (status < 0)
        return status;
    sink_as_is(sink); /* as what it replaces */
    return write_sink(map, part, all, sink, err);
}
