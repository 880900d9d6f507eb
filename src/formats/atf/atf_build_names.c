/* atf_build_names.c - functions and modules that rows name, gathered for a manifest. */
#include "formats/atf/atf_build.h"
#include "base/memory.h"
#include "codec/fnv1a.h"

#include <stdlib.h>

void atf_names_free(struct atf_names *n)
{
    free(n->modules);
    free(n->symbols);
    free(n->by_id);
    free(n->by_name);
    arena_free(&n->texts);
}

/* ---- tables ---------------------------------------------------------------------- */

static size_t id_slot(const struct atf_names *n, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (n->size - 1);
}

static size_t name_slot(const struct atf_names *n, uint32_t module, const void *name, size_t len)
{
    uint64_t hash = fnv1a_bytes(fnv1a_bytes(FNV1A_START, &module, sizeof module), name, len);
    return (size_t)(hash ^ hash >> 32) & (n->size - 1);
}

static void names_enter(struct atf_names *n, size_t i)
{
    const struct ras_atf_symbol *s = &n->symbols[i];
    size_t at = id_slot(n, s->function_id);
    while (n->by_id[at])
        at = (at + 1) & (n->size - 1);
    n->by_id[at] = (uint32_t)i + 1;
    at = name_slot(n, s->module_id, s->name, s->name_len);
    while (n->by_name[at])
        at = (at + 1) & (n->size - 1);
    n->by_name[at] = (uint32_t)i + 1;
}

static bool make_room(struct atf_names *n)
{
    if (n->symbol_count >= UINT32_MAX / 4 ||
        !array_grow(&n->symbols, &n->symbol_room, n->symbol_count + 1, sizeof *n->symbols))
        return false;
    if (n->size >= 2 * (n->symbol_count + 1))
        return true;
    size_t size = n->size ? 2 * n->size : 64;
    uint32_t *by_id = calloc(size, sizeof *by_id), *by_name = calloc(size, sizeof *by_name);
    if (!by_id || !by_name) {
        free(by_id);
        free(by_name);
        return false;
    }
    free(n->by_id);
    free(n->by_name);
    n->by_id = by_id;
    n->by_name = by_name;
    n->size = size;
    for (size_t i = 0; i < n->symbol_count; i++)
        names_enter(n, i);
    return true;
}

static const char *keep(struct atf_names *n, struct ras_bytes text)
{
    char *copy = arena_take(&n->texts, text.len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text.at, text.len);
    copy[text.len] = 0;
    return copy;
}

/* ---- names --------------------------------------------------------------------------- */

bool atf_names_symbol(struct atf_names *n, uint64_t function_id, struct ras_bytes name)
{
    for (size_t at = n->size ? id_slot(n, function_id) : 0; n->size && n->by_id[at];
         at = (at + 1) & (n->size - 1))
        if (n->symbols[n->by_id[at] - 1].function_id == function_id)
            return true;
    const char *copy = make_room(n) && name.len <= UINT32_MAX ? keep(n, name) : NULL;
    if (!copy)
        return false;
    n->symbols[n->symbol_count] =
        (struct ras_atf_symbol){.function_id = function_id,
                                .module_id = (uint32_t)(function_id >> 32),
                                .symbol_index = (uint32_t)function_id,
                                .name = copy,
                                .name_len = (uint32_t)name.len};
    names_enter(n, n->symbol_count++);
    return true;
}

/* Modules are few; the last is asked for again and again. */
struct ras_atf_module *atf_names_module(struct atf_names *n, uint32_t module_id,
                                        struct ras_bytes path)
{
    for (size_t i = n->module_count; i-- > 0;)
        if (n->modules[i].module_id == module_id)
            return &n->modules[i];
    const char *copy =
        array_grow(&n->modules, &n->module_room, n->module_count + 1, sizeof *n->modules)
            ? keep(n, path)
            : NULL;
    if (!copy)
        return NULL;
    n->modules[n->module_count] =
        (struct ras_atf_module){.module_id = module_id, .path = copy, .uuid = ""};
    return &n->modules[n->module_count++];
}

/* The 32-bit hash of the path in lower case, never 0. */
static uint32_t module_number(struct ras_bytes path)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < path.len; i++) {
        uint8_t c = path.at[i];
        hash = (hash ^ (c >= 'A' && c <= 'Z' ? c + 32u : c)) * UINT32_C(16777619);
    }
    return hash ? hash : UINT32_C(0x9e3779b9);
}

bool atf_names_id(struct atf_names *n, struct ras_bytes module, struct ras_bytes name,
                  uint64_t *function_id)
{
    uint32_t number = module_number(module);
    for (size_t at = n->size ? name_slot(n, number, name.at, name.len) : 0;
         n->size && n->by_name[at]; at = (at + 1) & (n->size - 1)) {
        const struct ras_atf_symbol *s = &n->symbols[n->by_name[at] - 1];
        if (s->module_id == number && s->name_len == name.len &&
            !memcmp(s->name, name.at, name.len)) {
            *function_id = s->function_id;
            return true;
        }
    }
    struct ras_atf_module *m = atf_names_module(n, number, module);
    /* `offset` counts the functions of a module that is being made. */
    *function_id = (uint64_t)number << 32 | (m ? ++m->offset : 0);
    return m && atf_names_symbol(n, *function_id, name);
}
