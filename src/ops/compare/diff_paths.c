/* diff_paths.c - the paths that comparisons take: which there are, and which are not known. */
#include "base/error.h"
#include "core/format.h"
#include "ops/compare/diff.h"

/* The fields of every type that the trace has shown so far, by name and below their type's. */
static void add_schemas(struct ras_trace *t, struct known_paths *k)
{
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *schema = ras_schema_at(t, i);
        for (size_t f = 0; f < schema->field_count; f++) {
            paths_add(k, "%s...", schema->fields[f].name);
            paths_add(k, "%s.%s...", schema->name, schema->fields[f].name);
        }
    }
}

static int learn(struct ras_trace *t, enum ras_paths of, struct known_paths *k,
                 struct ras_error *err)
{
    const struct compare_ops *ops = t->format->compare ? t->format->compare : &diff_records;
    struct ras_info *info;
    if (ops->paths) {
        ops->paths(t, of, k);
    } else if (of == RAS_PATHS_DIFF) {
        int status = ras_info(&info, t, NULL, NULL, err); /* it may define types up to its end */
        if (status < 0)
            return status;
        ras_info_free(info);
        add_schemas(t, k);
    }
    return k->nomem ? fail_memory(err) : RAS_OK;
}

int ras_paths(struct ras_trace *t, enum ras_paths of, void (*each)(void *, const char *),
              void *user, struct ras_error *err)
{
    struct known_paths k = {0};
    int status = learn(t, of, &k, err);
    if (status == RAS_OK && !k.count)
        status =
            fail(err, RAS_EUNSUPPORTED, RAS_NONE, "a %s has no such paths", t->format->about.label);
    for (size_t i = 0; status == RAS_OK && i < k.count; i++)
        each(user, k.shown[i]);
    paths_free(&k);
    return status;
}

static int unknown(const struct known_paths *k, const char *path, struct ras_error *err)
{
    char near[150];
    return fail(err, RAS_ENAME, RAS_NONE, "no field '%.80s'%s", path,
                paths_near(k, path, near, sizeof near));
}

int check_paths(struct ras_trace *const *traces, size_t count, const struct ras_compare_options *o,
                struct ras_error *err)
{
    struct known_paths k = {0};
    int status = RAS_OK;
    if (!o->ignored_count && !o->tolerance_count)
        return RAS_OK;
    for (size_t i = 0; i < count && status == RAS_OK; i++)
        status = learn(traces[i], RAS_PATHS_DIFF, &k, err);
    for (size_t i = 0; i < o->ignored_count && status == RAS_OK; i++)
        if (!paths_know(&k, o->ignored[i]))
            status = unknown(&k, o->ignored[i], err);
    for (size_t i = 0; i < o->tolerance_count && status == RAS_OK; i++)
        if (!paths_know(&k, o->tolerances[i].path))
            status = unknown(&k, o->tolerances[i].path, err);
    paths_free(&k);
    return status;
}
