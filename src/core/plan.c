/* plan.c - a repair as data: listed by a driver, applied to a copy, taken back. */
#include "core/plan.h"
#include "base/error.h"
#include "base/memory.h"
#include "core/lines.h"
#include "core/source.h"

#include <stdarg.h>
#include <stdlib.h>

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
    if (!lines_add(&out->notes, &out->note_count, &p->note_room, fmt, args))
        p->nomem = true;
    va_end(args);
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

bool plan_changes(const struct ras_plan *plan, const char *part)
{
    for (size_t i = 0; i < plan->patch_count; i++)
        if (!strcmp(plan->patches[i].part, part))
            return true;
    return false;
}

/* ---- applying ---------------------------------------------------------------------- */

int plan_apply(const struct ras_plan *plan, const char *part, struct ras_bytes all,
               int (*take)(void *, const void *, size_t, struct ras_error *), void *user,
               struct ras_error *err)
{
    uint64_t at = 0;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < plan->patch_count; i++) {
        const struct ras_patch *p = &plan->patches[i];
        if (strcmp(p->part, part) != 0)
            continue;
        if (p->at < at || p->at > all.len || p->remove > all.len - p->at)
            return fail(err, RAS_EUSAGE, p->at,
                        "a patch of %" PRIu64 " bytes does not fit the %zu of part '%s'", p->remove,
                        all.len, part);
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

static bool find_part(const struct source *s, const char *name, size_t *part)
{
    for (size_t i = 0; i < source_count(s); i++)
        if (!strcmp(source_name(s, i), name)) {
            *part = i;
            return true;
        }
    return false;
}

int plan_invert(const struct ras_plan *plan, const struct source *source, struct plan *inverse,
                struct ras_error *err)
{
    for (size_t i = 0; i < plan->patch_count; i++) {
        const struct ras_patch *p = &plan->patches[i];
        uint64_t at = p->at; /* where it stands behind the patches before it */
        for (size_t k = 0; k < i; k++)
            if (!strcmp(plan->patches[k].part, p->part))
                at += plan->patches[k].insert.len - plan->patches[k].remove;
        size_t part;
        bool there = find_part(source, p->part, &part);
        struct ras_bytes all = there ? source_bytes(source, part) : (struct ras_bytes){NULL, 0};
        if (p->at > all.len || p->remove > all.len - p->at)
            return fail(err, RAS_EUSAGE, p->at,
                        "a patch of %" PRIu64 " bytes does not fit the %zu of part '%s'", p->remove,
                        all.len, p->part);
        add(inverse, p->part, at, p->insert.len, p->remove ? all.at + p->at : NULL,
            (size_t)p->remove, !there);
    }
    return inverse->nomem ? fail_memory(err) : RAS_OK;
}
