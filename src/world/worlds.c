/* worlds.c - the worlds there are, by the first line of their recipe or as a shared object. */
#include "base/error.h"
#include "base/os.h"
#include "core/world_engine.h"
#include "world/arena_world.h"
#include "world/worlds.h"

#include <stdio.h>
#include <string.h>

/* ---- calls into a world ------------------------------------------------------------------ */

/* Calls into any world, a user's own too: its results are checked. */

static struct ras_error *emptied(struct ras_error *err)
{
    if (err) {
        err->offset = RAS_NONE;
        err->os_errno = 0;
        err->about = RAS_ABOUT_NOTHING;
        err->text[0] = 0;
    }
    return err;
}

static int answered(const struct ras_world_type *type, const char *function, int status,
                    struct ras_error *err)
{
    if (status >= 0)
        return RAS_OK;
    if (err && !err->text[0])
        return fail(err, status, RAS_NONE, "%s: the world's %s() failed: %s (status %d)",
                    type->name, function, ras_status_text(status), status);
    if (err) {
        err->status = status;
        err->text[sizeof err->text - 1] = 0;
    }
    return status;
}

int world_create(const struct ras_world_type *type, void **world, struct ras_bytes recipe,
                 uint64_t seed, struct ras_error *err)
{
    int status = answered(type, "create", type->create(world, recipe, seed, emptied(err)), err);
    bool refused = status == RAS_EFORMAT || status == RAS_ELIMIT;
    return refused ? fail_about(status, RAS_ABOUT_RECIPE, err) : status;
}

int world_state(const struct ras_world_type *type, const void *world,
                struct ras_cdt_tick_record *row, struct ras_error *err)
{
    return answered(type, "state", type->state(world, row, emptied(err)), err);
}

int world_perturb(const struct ras_world_type *type, void *world, enum ras_perturbation what,
                  struct ras_error *err)
{
    return answered(type, "perturb", type->perturb(world, what, emptied(err)), err);
}

int world_keep(const struct ras_world_type *type, void *world, struct ras_world_keeper *keeper,
               struct ras_error *err)
{
    return answered(type, "keep", type->keep(world, keeper, emptied(err)), err);
}

int world_step(const struct ras_world_type *type, void *world, struct ras_step *s,
               struct ras_error *err)
{
    int status = answered(type, "step", type->step(world, s, emptied(err)), err);
    if (status < 0)
        return status;
    if (s->receipt_count > s->command_count)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "%s: tick %" PRIu64 ": the world gave %u receipts for %u commands", type->name,
                    s->tick, s->receipt_count, s->command_count);
    for (uint32_t i = 0; i < s->receipt_count; i++)
        if (s->receipts[i].command_index >= s->command_count)
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "%s: tick %" PRIu64 ": the world gave a receipt for command %u of %u",
                        type->name, s->tick, s->receipts[i].command_index, s->command_count);
    return RAS_OK;
}

static const struct ras_world_type *const worlds[] = {&murk019_world, &ref1_world, &arena_world,
                                                      NULL};

const struct ras_world_type *const *ras_world_types(void)
{
    return worlds;
}

const struct ras_worlds *ras_worlds(void)
{
    static const struct ras_worlds engine = {
        .version = WORLD_ENGINE_VERSION,
        .type_of = ras_world_type_of,
        .create = world_create,
        .step = world_step,
        .hash = ras_world_hash,
        .config_hash = ras_config_hash,
        .save = ras_world_save,
        .restore = ras_world_restore,
        .receipt_text = ras_receipt_reason_name,
    };
    return &engine;
}

int ras_world_type_of(const struct ras_world_type **type, struct ras_bytes recipe,
                      struct ras_error *err)
{
    static const char firsts[][13] = {"murkworld 1 ", "murkworld 2 "};
    const size_t skip = sizeof firsts[0] - 1;
    *type = NULL;
    if (recipe.len < skip ||
        (memcmp(recipe.at, firsts[0], skip) != 0 && memcmp(recipe.at, firsts[1], skip) != 0))
        return fail_about(fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                               "no recipe for a world (its first line is `murkworld 1 NAME`)"),
                          RAS_ABOUT_NO_RECIPE, err);
    const char *name = (const char *)recipe.at + skip;
    const char *end = memchr(name, '\n', recipe.len - skip);
    size_t len = end ? (size_t)(end - name) : recipe.len - skip;
    for (const struct ras_world_type *const *w = worlds; *w; w++)
        if (strlen((*w)->name) == len && !memcmp((*w)->name, name, len)) {
            *type = *w;
            return RAS_OK;
        }
    int status = fail(err, RAS_EUNSUPPORTED, RAS_NONE, "recipe line 1: there is no world '%.*s'",
                      (int)(len < 40 ? len : 40), name);
    return fail_about(status, RAS_ABOUT_RECIPE, err);
}

/* The required callbacks that are missing, separated by commas; "": none is. */
static const char *missing_callbacks(const struct ras_world_type *t, char *to, size_t size)
{
    const struct {
        const char *name;
        bool is_there;
    } rows[] = {{"name", t->name != NULL},       {"create", t->create != NULL},
                {"destroy", t->destroy != NULL}, {"shape", t->shape != NULL},
                {"step", t->step != NULL},       {"field", t->field != NULL}};
    size_t len = 0;
    to[0] = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && len < size; i++)
        if (!rows[i].is_there)
            len += (size_t)snprintf(to + len, size - len, "%s%s", len ? ", " : "", rows[i].name);
    return to;
}

int ras_world_load(const struct ras_world_type **type, const char *path, struct ras_error *err)
{
    char here[4096], why[240], missing[64];
    *type = NULL;
    /* A bare name would be searched among the system's libraries. */
    if (snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path) >=
        (int)sizeof here)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a path of %zu bytes", strlen(path));
    void *object = os_library_open(here, why, sizeof why);
    if (!object)
        return fail(err, OS_HAS_FILES ? RAS_EIO : RAS_EUNSUPPORTED, RAS_NONE, "%s", why);
    const struct ras_world_type *found = os_library_find(object, "ras_world_type");
    if (found && found->abi == RAS_WORLD_ABI &&
        !*missing_callbacks(found, missing, sizeof missing)) {
        *type = found;
        return RAS_OK;
    }
    int status = !found ? fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s: no ras_world_type in it", path)
                 : found->abi != RAS_WORLD_ABI
                     ? fail(err, RAS_EVERSION, RAS_NONE, "%s: a world of interface %u, not %u",
                            path, found->abi, RAS_WORLD_ABI)
                     : fail(err, RAS_EFORMAT, RAS_NONE,
                            "%s: ras_world_type is missing required members: %s", path, missing);
    os_library_close(object);
    return status;
}
