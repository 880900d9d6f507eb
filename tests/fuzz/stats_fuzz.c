/* stats_fuzz.c - any bytes, measured: figures end as info does, and are complete tables. */
#include "fuzz.h"
#include <rastrum/rastrum.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct ras_value *next_cell(const struct ras_value *v)
{
    return v + 1 + (v->kind == RAS_LIST || v->kind == RAS_MAP ? v->count : 0);
}

/* Rows are as wide as there are columns, and coverage is said. */
static void check_tables(struct ras_trace *t, const struct ras_stats *s)
{
    struct ras_sink *sink;
    struct ras_error err;
    const struct ras_value *end = next_cell(s->tables);
    for (const struct ras_value *name = s->tables + 1; name < end; name = next_cell(name + 1)) {
        const struct ras_value *columns = ras_value_member(name + 1, "columns");
        const struct ras_value *rows = ras_value_member(name + 1, "rows");
        if (rows->count % (columns->count + 1) || !ras_value_member(name + 1, "coverage")->count)
            fuzz_wrong("table %.*s has %u cells in rows of %u", (int)name->count,
                       (const char *)name->at, rows->count, columns->count);
    }
    if (ras_sink_memory(&sink, &err) == RAS_OK) {
        if (ras_stats_json(sink, "", t, s, &err) < 0)
            fuzz_wrong("figures cannot be written: %s", err.text);
        ras_sink_drop(sink);
    }
}

static void measure(struct ras_trace *t, const struct ras_info *info,
                    const struct ras_stats_options *how)
{
    struct ras_stats *s;
    struct ras_error err;
    int status = ras_stats(&s, t, how, &err);
    if (status == RAS_EMEMORY)
        return;
    if (status < 0)
        fuzz_wrong("walked, but cannot be measured: %s", err.text);
    if (!how && s->ending.kind != info->ending.kind)
        fuzz_wrong("%s for info, %s for stats", ras_ending_name(info->ending.kind),
                   ras_ending_name(s->ending.kind));
    check_tables(t, s);
    ras_stats_free(s);
}

static void grow(struct ras_trace *t, const struct ras_tree_options *how)
{
    struct ras_stats *s;
    struct ras_error err;
    int status = ras_tree(&s, t, how, &err);
    if (status == RAS_OK)
        check_tables(t, s);
    else if (status != RAS_EUNSUPPORTED && status != RAS_EMEMORY)
        fuzz_wrong("walked, but has no tree: %s", err.text);
    ras_stats_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ras_trace *t;
    struct ras_info *info;
    const struct ras_options options = {.limits = {.chunk_bytes = 1 << 24}};
    if (ras_open_memory(&t, bytes, size, &options, NULL) < 0)
        return 0;
    if (ras_info(&info, t, NULL, NULL, NULL) == RAS_OK) {
        measure(t, info, NULL);
        enum ras_axis axis = ras_format_of(t)->axis;
        uint64_t first = axis == RAS_AXIS_TIME ? info->time_first : info->tick_first;
        uint64_t last = axis == RAS_AXIS_TIME ? info->time_last : info->tick_last;
        measure(t, info,
                &(struct ras_stats_options){
                    .axis = axis, .from = first, .to = first + (last - first) / 2, .limit = 2});
        grow(t, NULL);
        grow(t, &(struct ras_tree_options){
                    .by_thread = true, .fold_recursion = true, .depth = 3, .min_percent = 0.5});
    }
    ras_info_free(info);
    ras_close(t);
    return 0;
}
