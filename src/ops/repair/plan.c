/* plan.c - a repair as data: listed by a driver, applied to a copy, inverted, as JSON and back. */
#include "ops/repair/plan.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "core/document.h"
#include "core/row.h"
#include "core/source.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add(struct plan *p, const char *part, uint64_t at, uint64_t remove, const void *insert,
                size_t len, bool fresh)
{
    struct ras_plan *out = &p->out;
    char *name = text_copy(part, strlen(part)), *bytes = text_copy(insert, len);
    if (!name || !bytes ||
        !array_grow(&out->patches, &p->patch_room, out->patch_count + 1, sizeof *out->patches)) {
        free(name);
        free(bytes);
        p->nomem = true;
        return;
    }
    out->patches[out->patch_count++] =
        (struct ras_patch){name, at, remove, {(const uint8_t *)bytes, len}, fresh};
}

void plan_patch(struct plan *p, const char *part, uint64_t at, uint64_t remove, const void *insert,
                size_t len)
{
    add(p, part, at, remove, insert, len, false);
}

void plan_note(struct plan *p, const char *fmt, ...)
{
    struct ras_plan *out = &p->out;
    va_list args;
    va_start(args, fmt);
    if (!lines_add(&out->notes, &out->note_count, &p->note_room, &p->noted, fmt, args))
        p->nomem = true;
    va_end(args);
}

void plan_done(struct plan *p)
{
    id_table_free(&p->noted);
}

void plan_lose(struct plan *p, uint64_t bytes, uint64_t records)
{
    p->out.lost_bytes += bytes;
    if (records == RAS_NONE)
        p->out.lost_records = RAS_NONE;
    else if (p->out.lost_records != RAS_NONE)
        p->out.lost_records += records;
}

void plan_free(struct ras_plan *plan)
{
    for (size_t i = 0; i < plan->patch_count; i++) {
        free((void *)(uintptr_t)plan->patches[i].part);
        free((void *)(uintptr_t)plan->patches[i].insert.at);
    }
    free(plan->patches);
    lines_free(plan->notes, plan->note_count);
    *plan = (struct ras_plan){0};
}

/* ---- finding ----------------------------------------------------------------------- */

static uint64_t name_hash(const char *name)
{
    return fnv1a_text(name);
}

int plan_map_make(struct plan_map *map, const struct ras_plan *plan, struct ras_error *err)
{
    *map = (struct plan_map){.plan = plan};
    if (plan->patch_count >= PLAN_NONE)
        return fail(err, RAS_ELIMIT, RAS_NONE, "%zu patches exceed the limit of %" PRIu32,
                    plan->patch_count, PLAN_NONE);
    map->next = calloc(plan->patch_count + 1, sizeof *map->next);
    bool good = map->next;
    for (size_t i = good ? plan->patch_count : 0;
         good && i-- > 0;) { /* so that the first one ends up first */
        uint64_t hash = name_hash(plan->patches[i].part);
        map->next[i] = id_table_find(&map->first, hash);
        id_table_remove(&map->first, hash);
        good = id_table_add(&map->first, hash, (uint32_t)i);
    }
    if (good)
        return RAS_OK;
    plan_map_free(map);
    return fail_memory(err);
}

void plan_map_free(struct plan_map *map)
{
    id_table_free(&map->first);
    free(map->next);
    *map = (struct plan_map){0};
}

/* Two names may share a hash. */
static uint32_t find_from(const struct plan_map *map, uint32_t i, const char *part)
{
    while (i != PLAN_NONE && strcmp(map->plan->patches[i].part, part) != 0)
        i = map->next[i];
    return i;
}

uint32_t plan_first(const struct plan_map *map, const char *part)
{
    return find_from(map, id_table_find(&map->first, name_hash(part)), part);
}

uint32_t plan_next(const struct plan_map *map, uint32_t i)
{
    return find_from(map, map->next[i], map->plan->patches[i].part);
}

/* ---- applying ---------------------------------------------------------------------- */

static int fail_fit(const struct ras_patch *p, size_t len, struct ras_error *err)
{
    return fail(err, RAS_EUSAGE, p->at,
                "a patch of %" PRIu64 " bytes does not fit the %zu of part '%s'", p->remove, len,
                p->part);
}

int plan_apply(const struct plan_map *map, const char *part, struct ras_bytes all,
               int (*take)(void *, const void *, size_t, struct ras_error *), void *user,
               struct ras_error *err)
{
    uint64_t at = 0;
    int status = RAS_OK;
    for (uint32_t i = plan_first(map, part); status == RAS_OK && i != PLAN_NONE;
         i = plan_next(map, i)) {
        const struct ras_patch *p = &map->plan->patches[i];
        if (p->at < at || p->at > all.len || p->remove > all.len - p->at)
            return fail_fit(p, all.len, err);
        if (p->at > at)
            status = take(user, all.at + at, (size_t)(p->at - at), err);
        if (status == RAS_OK && p->insert.len)
            status = take(user, p->insert.at, p->insert.len, err);
        at = p->at + p->remove;
    }
    if (status == RAS_OK && at < all.len)
        status = take(user, all.at + at, all.len - (size_t)at, err);
    return status;
}

int plan_invert(const struct plan_map *map, const struct source *source, struct plan *inverse,
                struct ras_error *err)
{
    const struct ras_plan *plan = map->plan;
    /* How much the patches before it add to its part. */
    uint64_t *added = calloc(plan->patch_count + 1, sizeof *added);
    int status = added ? RAS_OK : fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < plan->patch_count; i++) {
        const struct ras_patch *p = &plan->patches[i];
        size_t part;
        bool there = source_find(source, p->part, &part);
        struct ras_bytes all = there ? source_bytes(source, part) : (struct ras_bytes){NULL, 0};
        if (p->at > all.len || p->remove > all.len - p->at) {
            status = fail_fit(p, all.len, err);
            break;
        }
        add(inverse, p->part, p->at + added[i], p->insert.len, p->remove ? all.at + p->at : NULL,
            (size_t)p->remove, !there);
        uint32_t next = plan_next(map, (uint32_t)i);
        if (next != PLAN_NONE)
            added[next] = added[i] + p->insert.len - p->remove;
    }
    free(added);
    return status == RAS_OK && inverse->nomem ? fail_memory(err) : status;
}

void plan_put(struct json *j, const char *key, const struct ras_plan *plan)
{
    json_array(j, key);
    for (size_t i = 0; i < plan->patch_count; i++) {
        const struct ras_patch *p = &plan->patches[i];
        json_line_between(j, 1);
        json_object(j, NULL);
        json_text(j, "part", p->part);
        json_uint(j, "at", p->at);
        json_uint(j, "remove", p->remove);
        json_blob(j, "insert", p->insert.at, p->insert.len);
        if (p->fresh)
            json_bool(j, "fresh", true);
        json_close(j);
    }
    json_close(j);
}

/* ---- reading ----------------------------------------------------------------------- */

/* A plan comes from a file: its parts must be inside the trace, whatever the file says. */
static bool stays_inside(const char *part)
{
    if (*part == '/')
        return false;
    for (const char *p = part; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
        if (p[0] == '.' && p[1] == '.' && (!p[2] || p[2] == '/'))
            return false;
    return true;
}

const char *plan_part(const struct ras_value *map, struct ras_error *err)
{
    const struct ras_value *part = map->kind == RAS_MAP ? map_find(map, "part") : NULL;
    if (!part || part->kind != RAS_STR || strlen(part->at) != part->count) {
        fail(err, RAS_EFORMAT, 0, "not a repair plan: a step has no part");
        return NULL;
    }
    if (stays_inside(part->at))
        return part->at;
    fail(err, RAS_EFORMAT, 0, "not a repair plan: the part %s lies outside the trace",
         (const char *)part->at);
    return NULL;
}

static bool get_number(const struct ras_value *map, const char *key, uint64_t *value)
{
    const struct ras_value *v = map_find(map, key);
    *value = 0;
    return !v || cell_uint(v, value);
}

static int get_patch(const struct ras_value *map, struct arena *arena, struct plan *plan,
                     struct ras_error *err)
{
    const char *part = plan_part(map, err);
    struct ras_bytes insert = {0};
    uint64_t at, remove;
    bool fresh = false;
    if (!part)
        return RAS_EFORMAT;
    const struct ras_value *bytes = map_find(map, "insert"), *made = map_find(map, "fresh");
    if (!get_number(map, "at", &at) || !get_number(map, "remove", &remove) ||
        (bytes && !cell_bytes(bytes, arena, &insert)) || (made && !cell_bool(made, &fresh)))
        return fail(err, RAS_EFORMAT, 0,
                    "not a repair plan: a step is not {part, at, remove, insert}");
    plan_patch(plan, part, at, remove, insert.at, insert.len);
    if (!plan->nomem)
        plan->out.patches[plan->out.patch_count - 1].fresh = fresh;
    return plan->nomem ? fail_memory(err) : RAS_OK;
}

int plan_get(const struct ras_value *list, struct arena *arena, struct plan *plan,
             struct ras_error *err)
{
    if (!list || list->kind != RAS_LIST)
        return fail(err, RAS_EFORMAT, 0, "not a repair plan: it has no list of steps");
    int status = RAS_OK;
    for (const struct ras_value *v = list + 1; status == RAS_OK && v < ras_value_next(list);
         v = ras_value_next(v))
        status = get_patch(v, arena, plan, err);
    return status;
}
