/* undo.c - the file that undoes a repair in place: a plan, and the exact files that it is for.
 *
 * Patches at offsets would destroy any other bytes than those that they were made for, so the file
 * gives size and SHA-256 of every part, before and after the undo. */
#include "ops/repair/undo.h"
#include "base/error.h"
#include "base/memory.h"
#include "core/row.h"
#include "core/source.h"

#include <stdlib.h>

enum { UNDO_VERSION = 1 };

/* ---- states -------------------------------------------------------------------------- */

struct hashing {
    struct sha256 sha;
    uint64_t size;
};

static int hash_piece(void *user, const void *bytes, size_t n, struct ras_error *err)
{
    struct hashing *h = user;
    (void)err;
    sha256_add(&h->sha, bytes, n);
    h->size += n;
    return RAS_OK;
}

static struct undo_state state_of(struct hashing *h)
{
    struct undo_state s = {.there = true, .size = h->size};
    sha256_end(&h->sha, s.sha256);
    return s;
}

struct undo_state undo_state_of(struct ras_bytes all)
{
    struct hashing h = {.sha = sha256_start()};
    (void)hash_piece(&h, all.at, all.len, NULL);
    return state_of(&h);
}

int undo_state_after(const struct plan_map *plan, const char *part, struct ras_bytes all,
                     struct undo_state *state, struct ras_error *err)
{
    struct hashing h = {.sha = sha256_start()};
    int status = plan_apply(plan, part, all, hash_piece, &h, err);
    if (status == RAS_OK)
        *state = state_of(&h);
    return status;
}

bool undo_same(const struct undo_state *a, const struct undo_state *b)
{
    if (!a->there || !b->there)
        return a->there == b->there;
    return a->size == b->size && !memcmp(a->sha256, b->sha256, SHA256_SIZE);
}

/* ---- making ---------------------------------------------------------------------------- */

static struct undo_part *add_part(struct undo *u, const char *name)
{
    char *copy = text_copy(name, strlen(name));
    if (!copy || !array_grow(&u->parts, &u->room, u->count + 1, sizeof *u->parts)) {
        free(copy);
        return NULL;
    }
    u->parts[u->count] = (struct undo_part){.name = copy};
    return &u->parts[u->count++];
}

static int add_states(struct undo *u, const struct plan_map *plan, const char *name,
                      const struct source *s, struct ras_error *err)
{
    struct ras_bytes all = {0};
    struct undo_part *p = add_part(u, name);
    if (!p)
        return fail_memory(err);
    size_t part;
    if (source_find(s, name, &part)) {
        all = source_bytes(s, part);
        p->then = undo_state_of(all);
    }
    return undo_state_after(plan, name, all, &p->now, err);
}

int undo_make(struct undo *u, const struct plan_map *map, const struct source *s,
              struct ras_error *err)
{
    const struct ras_plan *plan = map->plan;
    int status = plan_invert(map, s, &u->plan, err);
    for (size_t i = 0; status == RAS_OK && i < plan->patch_count; i++)
        if (plan_first(map, plan->patches[i].part) == i)
            status = add_states(u, map, plan->patches[i].part, s, err);
    return status;
}

void undo_free(struct undo *u)
{
    for (size_t i = 0; i < u->count; i++)
        free(u->parts[i].name);
    free(u->parts);
    plan_free(&u->plan.out);
    *u = (struct undo){0};
}

/* ---- as JSON --------------------------------------------------------------------------- */

static void put_state(struct json *j, const char *key, const struct undo_state *s)
{
    if (!s->there) {
        json_null(j, key);
        return;
    }
    json_object(j, key);
    json_uint(j, "size", s->size);
    json_blob(j, "sha256", s->sha256, sizeof s->sha256);
    json_close(j);
}

void undo_put(struct out *out, const struct undo *u)
{
    struct json j = json_start(out, 0);
    json_object(&j, NULL);
    json_uint(&j, "undo_version", UNDO_VERSION);
    json_line(&j, 1);
    json_array(&j, "parts");
    for (size_t i = 0; i < u->count; i++) {
        json_line(&j, 2);
        json_object(&j, NULL);
        json_text(&j, "part", u->parts[i].name);
        put_state(&j, "now", &u->parts[i].now);
        put_state(&j, "then", &u->parts[i].then);
        json_close(&j);
    }
    json_close(&j);
    json_line(&j, 1);
    plan_put(&j, "patches", &u->plan.out);
    json_close(&j);
    json_newline(&j);
}

static bool get_state(const struct ras_value *part, const char *key, struct arena *arena,
                      struct undo_state *s)
{
    struct ras_bytes sha;
    const struct ras_value *map = map_find(part, key);
    s->there = map && map->kind == RAS_MAP;
    if (!s->there)
        return map && map->kind == RAS_NULL;
    const struct ras_value *size = map_find(map, "size"), *hash = map_find(map, "sha256");
    if (!size || !hash || !cell_uint(size, &s->size) || !cell_bytes(hash, arena, &sha) ||
        sha.len != SHA256_SIZE)
        return false;
    memcpy(s->sha256, sha.at, SHA256_SIZE);
    return true;
}

static int get_part(const struct ras_value *map, struct arena *arena, struct undo *u,
                    struct ras_error *err)
{
    const char *name = plan_part(map, err);
    if (!name)
        return RAS_EFORMAT;
    struct undo_part *p = add_part(u, name);
    if (!p)
        return fail_memory(err);
    if (get_state(map, "now", arena, &p->now) && get_state(map, "then", arena, &p->then) &&
        p->now.there)
        return RAS_OK;
    return fail(err, RAS_EFORMAT, 0, "not an undo plan: part '%s' has no size and hash", name);
}

/* Check that the state of the part of every patch is given. */
static int check_patches(const struct undo *u, struct ras_error *err)
{
    const struct ras_plan *plan = &u->plan.out;
    struct plan_map map;
    int status = plan_map_make(&map, plan, err);
    bool *given = status == RAS_OK ? calloc(plan->patch_count + 1, sizeof *given) : NULL;
    if (status == RAS_OK && !given)
        status = fail_memory(err);
    for (size_t k = 0; status == RAS_OK && k < u->count; k++) {
        uint32_t i = plan_first(&map, u->parts[k].name);
        if (i != PLAN_NONE)
            given[i] = true;
    }
    for (size_t i = 0; status == RAS_OK && i < plan->patch_count; i++)
        if (!given[plan_first(&map, plan->patches[i].part)])
            status = fail(err, RAS_EFORMAT, 0, "not an undo plan: part '%s' has no size and hash",
                          plan->patches[i].part);
    free(given);
    plan_map_free(&map);
    return status;
}

static int get_all(const struct ras_value *json, struct arena *arena, struct undo *u,
                   struct ras_error *err)
{
    uint64_t version = 0;
    if (json->kind == RAS_LIST)
        return fail(err, RAS_EFORMAT, 0,
                    "an undo plan of an earlier version, which does not give size and hash of the "
                    "file that it is for: not applied");
    const struct ras_value *number = json->kind == RAS_MAP ? map_find(json, "undo_version") : NULL;
    const struct ras_value *parts = number ? map_find(json, "parts") : NULL;
    if (!number || !cell_uint(number, &version) || !parts || parts->kind != RAS_LIST)
        return fail(err, RAS_EFORMAT, 0, "not an undo plan");
    if (version != UNDO_VERSION)
        return fail(err, RAS_EVERSION, 0, "an undo plan of version %" PRIu64 ", known is %d",
                    version, UNDO_VERSION);
    int status = plan_get(map_find(json, "patches"), arena, &u->plan, err);
    for (const struct ras_value *v = parts + 1; status == RAS_OK && v < ras_value_next(parts);
         v = ras_value_next(v))
        status = get_part(v, arena, u, err);
    return status == RAS_OK ? check_patches(u, err) : status;
}

int undo_get(struct ras_bytes json, struct undo *u, struct ras_error *err)
{
    struct row_reader reader = {0};
    struct arena arena = {0};
    const struct ras_value *cells;
    int status = row_read_value(&reader, json, &cells, err);
    if (status == RAS_OK)
        status = get_all(cells, &arena, u, err);
    arena_free(&arena);
    row_reader_free(&reader);
    return status;
}
