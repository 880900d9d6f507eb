/* plan_fuzz.c - any file as a program to be patched: what is planned is within it. */
#include "base/patch_plan.h"
#include "patching/planner.h"

#include <string.h>

static void require(bool fact)
{
    if (!fact)
        __builtin_trap();
}

static void check_entries(const struct plan *p, const struct patch_plan_head *h)
{
    uint64_t last = 0, code = PATCH_PLAN_STUB;
    for (uint64_t i = 0; i < h->entry_count; i++) {
        struct patch_plan_entry e;
        memcpy(&e, p->image + h->entries_at + i * sizeof e, sizeof e);
        require(i == 0 || e.function > last);
        require(e.function >= h->from && e.function + e.jump + e.size <= h->to);
        require(e.size >= PATCH_PLAN_JUMP && e.size <= PATCH_PLAN_DISPLACED);
        require(e.code >= code && e.code < h->code_size);
        require(p->image[h->code_at + e.code] == 0xe8);
        last = e.function;
        code = e.code + 1;
    }
}

static void check_fixups(const struct plan *p, const struct patch_plan_head *h)
{
    for (uint64_t i = 0; i < h->fixup_count; i++) {
        struct patch_plan_fixup f;
        memcpy(&f, p->image + h->fixups_at + i * sizeof f, sizeof f);
        require(f.kind <= PATCH_PLAN_RETURN && f.at >= PATCH_PLAN_STUB &&
                f.at + (f.kind ? PATCH_PLAN_PUSH : 4) <= h->code_size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan *p;
    struct ras_error err;
    struct patch_plan_head h;
    if (plan_open(&p, (struct ras_bytes){data, size}, "/program", &err) < 0) {
        require(!p && *err.text);
        return 0;
    }
    size_t sum = 0;
    for (unsigned i = 0; i < PLAN_REASONS; i++)
        sum += p->by_reason[i];
    require(sum == p->count);
    memcpy(&h, p->image, sizeof h);
    require(h.size == p->image_size && h.entry_count == p->by_reason[PLAN_PATCHED]);
    require(h.code_at % PATCH_PLAN_PAGE == 0 && h.code_at + h.code_size == h.size);
    check_entries(p, &h);
    check_fixups(p, &h);
    plan_close(p);
    return 0;
}
