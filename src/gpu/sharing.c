/* sharing.c - surfaces that several handles stand for, found again by their token. */
#include "base/error.h"
#include "base/memory.h"
#include "gpu/machine.h"

static struct gpu_share *share_find(struct gpu *g, uint64_t token)
{
    uint32_t i = id_table_find(&g->objects.tokens, token);
    return i == ID_TABLE_NONE ? NULL : &g->objects.shares[i];
}

int run_export(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_texture *t;
    uint64_t token = call_u64(call, 8);
    int status = object_get(g, call, GPU_TEXTURE, call_u32(call, 0), "resource", &t);
    if (status)
        return status;
    if (!token)
        return call_fail(call, RAS_EFORMAT, "share token 0 is reserved");
    struct gpu_share *known = share_find(g, token);
    if (known && known->texture == t)
        return RAS_OK;
    if (known)
        return call_fail(call, RAS_EFORMAT, "share token 0x%" PRIx64 " %s", token,
                         known->texture ? "names another surface" : "was released");
    struct gpu_objects *o = &g->objects;
    if (o->share_count >= g->limits.objects)
        return call_fail(call, RAS_ELIMIT, "more than %" PRIu32 " share tokens", g->limits.objects);
    if (!array_grow(&o->shares, &o->share_room, o->share_count + 1, sizeof *o->shares) ||
        !id_table_add(&o->tokens, token, (uint32_t)o->share_count))
        return call_fail(call, RAS_EMEMORY, "out of memory for a share token");
    o->shares[o->share_count++] = (struct gpu_share){token, t};
    t->token_count++;
    return RAS_OK;
}

int run_import(struct gpu *g, const struct gpu_call *call)
{
    uint64_t token = call_u64(call, 8);
    const struct gpu_share *share = share_find(g, token);
    if (!share || !share->texture)
        return call_fail(call, RAS_EFORMAT, "share token 0x%" PRIx64 " %s", token,
                         share ? "names no surface any more" : "is not known");
    return object_alias(g, call, &share->texture->object, call_u32(call, 0));
}

/* As often as one likes; the token stays taken. */
int run_release(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_share *share = share_find(g, call_u64(call, 0));
    if (share && share->texture) {
        share->texture->token_count--;
        share->texture = NULL;
    }
    return RAS_OK;
}
