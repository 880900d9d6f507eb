/* cdt_paths.c - the paths of fields, from the tables of the structs. */
#include "formats/cdt/cdt_compare.h"

enum { PATH_MOST = 256 };

/* Lists and maps are entered by an index in reports; a query goes through maps alone, by dots. */
static void add_struct(struct known_paths *k, const char *above, const struct cdt_struct *s,
                       bool query);

static void add_field(struct known_paths *k, const char *path, const struct cdt_field *f,
                      bool query)
{
    char item[PATH_MOST];
    snprintf(item, sizeof item, "%.240s[*]", path);
    switch (f->type) {
    case CDT_STRUCT:
        add_struct(k, path, f->of, query);
        return;
    case CDT_LIST:
        if (query)
            paths_add(k, "%s", path);
        else
            add_struct(k, item, f->of, query);
        return;
    case CDT_TIMERS:
        paths_add(k, query ? "%s.*" : "%s[*]", path);
        return;
    case CDT_STRS:
    case CDT_INTS:
    case CDT_COUNTS:
    case CDT_FIXED:
    case CDT_FIXED_POS:
        paths_add(k, query ? "%s" : "%s...", path);
        return;
    default:
        paths_add(k, "%s", path);
    }
}

static void add_struct(struct known_paths *k, const char *above, const struct cdt_struct *s,
                       bool query)
{
    char path[PATH_MOST];
    if (*above)
        paths_add(k, "%s", above);
    for (unsigned i = 0; i < s->count; i++) {
        snprintf(path, sizeof path, "%.200s%s%s", above, *above ? "." : "", s->fields[i].name);
        add_field(k, path, &s->fields[i], query);
    }
}

static void add_ticks(struct known_paths *k)
{
    static const char *const names[] = {"rng_stream_count", "timing_samples_count",
                                        "event_count_total", "top_event_types"};
    for (unsigned i = 0; i < 4; i++) /* tick_index, elapsed_ms, dt_ms_i32, mode_id */
        paths_add(k, "%s", cdt_tick_record.fields[i].name);
    add_struct(k, "checkpoint", &cdt_replay_checkpoint, true);
    for (int i = 0; i < CDT_POOLS; i++)
        paths_add(k, "entity_counts.%s", cdt_pools[i].name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paths_add(k, "%s", names[i]);
}

void cdt_paths(struct ras_trace *t, enum ras_paths of, struct known_paths *k)
{
    char pool[64];
    (void)t;
    if (of == RAS_PATHS_TICKS) {
        add_ticks(k);
        return;
    }
    if (of == RAS_PATHS_ENTITIES) {
        paths_add(k, "tick_index");
        for (int i = 0; i < CDT_POOLS; i++)
            add_struct(k, "", cdt_pools[i].of, true);
        return;
    }
    add_struct(k, "checkpoint", &cdt_replay_checkpoint, false);
    add_struct(k, "", &cdt_replay_checkpoint, false); /* as reports have them */
    add_struct(k, "rng_stream[*]", &cdt_rng_stream_row, false);
    add_struct(k, "sim_state", &cdt_sim_state_snapshot, false);
    for (int i = 0; i < CDT_POOLS; i++) {
        snprintf(pool, sizeof pool, "entity_samples.%s[*]", cdt_pools[i].name);
        add_struct(k, pool, cdt_pools[i].of, false);
    }
    add_struct(k, "timing_samples[*]", &cdt_timing_sample_row, false);
}
