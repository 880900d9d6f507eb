/* objects.c - what handles stand for: creation, aliases, the last handle gone. */
#include "base/error.h"
#include "base/memory.h"
#include "gpu/machine.h"
#include "gpu/program.h"
#include "gpu/texture.h"

static const enum gpu_space spaces[] = {
    [GPU_BUFFER] = GPU_RESOURCES, [GPU_TEXTURE] = GPU_RESOURCES,
    [GPU_VIEW] = GPU_RESOURCES,   [GPU_SHADER] = GPU_SHADERS,
    [GPU_LAYOUT] = GPU_LAYOUTS,   [GPU_SAMPLER] = GPU_SAMPLER_OBJECTS,
};

const char *object_kind_name(enum gpu_kind kind)
{
    static const char *const names[] = {
        [GPU_NONE] = "nothing",      [GPU_BUFFER] = "a buffer", [GPU_TEXTURE] = "a texture",
        [GPU_VIEW] = "a view",       [GPU_SHADER] = "a shader", [GPU_LAYOUT] = "an input layout",
        [GPU_SAMPLER] = "a sampler",
    };
    return names[kind];
}

static uint64_t key_of(enum gpu_space space, uint32_t handle)
{
    return (uint64_t)space << 32 | handle;
}

int machine_memory(struct gpu *g, const struct gpu_call *call, uint64_t size, void *out)
{
    uint8_t **bytes = out;
    *bytes = NULL;
    if (size > g->limits.memory_bytes - g->memory_used)
        return call_fail(call, RAS_ELIMIT,
                         "%" PRIu64 " bytes requested, %" PRIu64 " of %" PRIu64 " are left", size,
                         g->limits.memory_bytes - g->memory_used, g->limits.memory_bytes);
    *bytes = calloc(1, size ? (size_t)size : 1);
    if (!*bytes)
        return call_fail(call, RAS_EMEMORY, "out of memory for %" PRIu64 " bytes", size);
    g->memory_used += size;
    return RAS_OK;
}

void machine_memory_free(struct gpu *g, void *bytes, uint64_t size)
{
    if (bytes)
        g->memory_used -= size;
    free(bytes);
}

/* Free the memory that an object owns. */
static void empty(struct gpu *g, struct gpu_object *object)
{
    if (object->kind == GPU_BUFFER) {
        struct gpu_buffer *b = (struct gpu_buffer *)object;
        machine_memory_free(g, b->bytes, b->size);
    } else if (object->kind == GPU_TEXTURE) {
        struct gpu_texture *t = (struct gpu_texture *)object;
        texture_empty(g, t);
        for (size_t i = 0; t->token_count && i < g->objects.share_count; i++)
            if (g->objects.shares[i].texture == t)
                g->objects.shares[i].texture = NULL;
    } else if (object->kind == GPU_VIEW) {
        struct gpu_view *v = (struct gpu_view *)object;
        if (v->texture)
            object_release(g, &v->texture->object);
    } else if (object->kind == GPU_SHADER) {
        program_free(((struct gpu_shader *)object)->program);
    }
}

/* The slot of a key is free again; the last one takes its place. */
static void slot_remove(struct gpu *g, uint32_t slot)
{
    struct gpu_objects *o = &g->objects;
    id_table_remove(&o->table, o->slots[slot].key);
    uint32_t last = (uint32_t)--o->count;
    if (slot == last)
        return;
    o->slots[slot] = o->slots[last];
    id_table_remove(&o->table, o->slots[slot].key);
    /* A table that has just lost two keys has room for one. */
    bool added = id_table_add(&o->table, o->slots[slot].key, slot);
    (void)added;
}

void object_release(struct gpu *g, struct gpu_object *object)
{
    if (--object->refs)
        return;
    uint32_t original =
        id_table_find(&g->objects.table, key_of(spaces[object->kind], object->handle));
    if (original != ID_TABLE_NONE && g->objects.slots[original].object == object)
        slot_remove(g, original); /* dead, and reserved until now */
    empty(g, object);
    free(object);
}

static int slot_add(struct gpu *g, const struct gpu_call *call, uint64_t key,
                    struct gpu_object *object)
{
    struct gpu_objects *o = &g->objects;
    if (!array_grow(&o->slots, &o->room, o->count + 1, sizeof *o->slots) ||
        !id_table_add(&o->table, key, (uint32_t)o->count))
        return call_fail(call, RAS_EMEMORY, "out of memory for handle %" PRIu32, (uint32_t)key);
    o->slots[o->count++] = (struct gpu_slot){.object = object, .key = key};
    return RAS_OK;
}

/* A handle that may be given to something new. */
static int handle_free(struct gpu *g, const struct gpu_call *call, enum gpu_space space,
                       uint32_t handle)
{
    if (!handle)
        return call_fail(call, RAS_EFORMAT, "handle 0 is reserved");
    uint32_t slot = id_table_find(&g->objects.table, key_of(space, handle));
    if (slot != ID_TABLE_NONE)
        return call_fail(call, RAS_EFORMAT, "handle %" PRIu32 " is %s%s already", handle,
                         object_kind_name(g->objects.slots[slot].object->kind),
                         g->objects.slots[slot].dead ? " that aliases still use" : "");
    if (g->objects.count >= g->limits.objects)
        return call_fail(call, RAS_ELIMIT, "more than %" PRIu32 " objects", g->limits.objects);
    return RAS_OK;
}

int object_new(struct gpu *g, const struct gpu_call *call, enum gpu_kind kind, uint32_t handle,
               size_t size, void *out)
{
    struct gpu_object **made = out;
    *made = NULL;
    int status = handle_free(g, call, spaces[kind], handle);
    if (status)
        return status;
    struct gpu_object *object = calloc(1, size);
    if (!object)
        return call_fail(call, RAS_EMEMORY, "out of memory for %zu bytes", size);
    *object = (struct gpu_object){.kind = kind, .refs = 1, .handle = handle};
    status = slot_add(g, call, key_of(spaces[kind], handle), object);
    if (status) {
        free(object);
        return status;
    }
    *made = object;
    return RAS_OK;
}

/* One more handle for a resource. */
static int object_alias(struct gpu *g, const struct gpu_call *call, struct gpu_object *object,
                        uint32_t handle)
{
    int status = handle_free(g, call, GPU_RESOURCES, handle);
    if (!status)
        status = slot_add(g, call, key_of(GPU_RESOURCES, handle), object);
    if (!status)
        object->refs++;
    return status;
}

struct gpu_object *object_find(const struct gpu *g, enum gpu_space space, uint32_t handle)
{
    uint32_t slot = id_table_find(&g->objects.table, key_of(space, handle));
    if (slot == ID_TABLE_NONE || g->objects.slots[slot].dead)
        return NULL;
    return g->objects.slots[slot].object;
}

int object_get(struct gpu *g, const struct gpu_call *call, enum gpu_kind kind, uint32_t handle,
               const char *what, void *out)
{
    struct gpu_object **found = out;
    *found = object_find(g, spaces[kind], handle);
    if (!*found)
        return call_fail(call, RAS_EFORMAT, "%s %" PRIu32 " does not exist", what, handle);
    if ((*found)->kind != kind)
        return call_fail(call, RAS_EFORMAT, "%s %" PRIu32 " is %s, not %s", what, handle,
                         object_kind_name((*found)->kind), object_kind_name(kind));
    return RAS_OK;
}

void object_drop(struct gpu *g, enum gpu_space space, uint32_t handle)
{
    uint32_t slot = id_table_find(&g->objects.table, key_of(space, handle));
    if (slot == ID_TABLE_NONE || g->objects.slots[slot].dead)
        return;
    state_forget(&g->state, space, handle);
    struct gpu_object *object = g->objects.slots[slot].object;
    if (object->refs > 1 && object->handle == handle)
        g->objects.slots[slot].dead = true;
    else
        slot_remove(g, slot);
    object_release(g, object);
}

void objects_free(struct gpu *g)
{
    struct gpu_objects *o = &g->objects;
    /* Views hold textures, and dead handles go with the last live one: first all views, then
     * whatever lives. A removed slot is replaced by the last one. */
    for (int views = 1; views >= 0; views--)
        for (size_t i = o->count; i-- > 0;)
            if (i < o->count && !o->slots[i].dead &&
                (!views || o->slots[i].object->kind == GPU_VIEW))
                object_drop(g, (enum gpu_space)(o->slots[i].key >> 32), (uint32_t)o->slots[i].key);
    free(o->slots);
    free(o->shares);
    id_table_free(&o->table);
    id_table_free(&o->tokens);
}

/* ---- sharing ----------------------------------------------------------------------------- */

/* Surfaces that several handles stand for, found by their token. */

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
                         share ? "was released" : "is not known");
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
