/* cdt_compare_fuzz.c - two CDT traces of any bytes, compared and inspected. */
#include "compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct ras_diff *diff(struct ras_trace *a, struct ras_trace *b,
                             struct ras_compare_options how, bool all)
{
    struct ras_diff *d;
    struct ras_error err = {0};
    how.keep_going = all;
    how.compat = true; /* nothing compared is a result */
    if (ras_diff(&d, a, b, &how, &err) < 0 && !err.text[0])
        fuzz_wrong("fails and says nothing");
    return d;
}

/* What a reader refuses may be refused here; NaN differs from itself. But both directions have the
 * same result, and all divergences begin with the first. */
static void compare(struct ras_trace *a, struct ras_trace *b, const struct ras_compare_options *how)
{
    struct ras_diff *first = diff(a, b, *how, false), *back = diff(b, a, *how, false);
    struct ras_diff *all = diff(a, b, *how, true);
    if (!first != !back || (first && first->divergence_count != back->divergence_count))
        fuzz_wrong("ends otherwise the other way round");
    if (first && back && first->checked != back->checked)
        fuzz_wrong("%llu ticks one way, %llu the other", (unsigned long long)first->checked,
                   (unsigned long long)back->checked);
    fuzz_all(first, all, how);
    ras_diff_free(first);
    ras_diff_free(back);
    ras_diff_free(all);
}

static void inspect(struct ras_trace *x, struct ras_trace *y, const uint8_t *bytes, size_t size)
{
    static const struct ras_inspect_options inspections[] = {
        {.name = "focus", .number = 0},
        {.name = "tick", .number = 1},
        {.name = "entity", .number = 3, .text = "0..7"},
        {.name = "query", .text = "entities where pos > prev(hp)", .limit = 3},
        {.name = "query", .text = "ticks where prev(checkpoint.perk) != checkpoint.perk"},
        {.name = "health"},
    };
    struct ras_inspection *seen;
    for (size_t i = 0; i < sizeof inspections / sizeof *inspections; i++)
        if (ras_inspect(&seen, x, i ? NULL : y, &inspections[i], NULL) == RAS_OK)
            ras_inspection_free(seen);
    /* The last bytes as a condition of their own. */
    char text[64] = "ticks where mode_id == ";
    size_t room = sizeof text - strlen(text) - 1, n = size < room ? size : room;
    memcpy(text + strlen(text), bytes + size - n, n);
    text[sizeof text - 1] = 0;
    if (ras_inspect(&seen, x, NULL, &(struct ras_inspect_options){.name = "query", .text = text},
                    NULL) == RAS_OK)
        ras_inspection_free(seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const paths[] = {"*", "rng_stream[*].caller", "checkpoint.players",
                                        "entity_samples.creatures[*].hp", "timing_samples"};
    static const char *const channels[] = {"checkpoint", "rng_stream", "sim_state",
                                           "entity_samples", "timing_samples"};
    const struct ras_options open = {.format = "cdt", .limits = {.chunk_bytes = 1 << 24}};
    const struct ras_tolerance near = {"*", 2};
    struct ras_bytes a, b;
    struct ras_trace *x, *y = NULL;
    uint8_t *edited, choice = size ? bytes[size - 1] : 0;
    fuzz_halves(bytes, size, &a, &b, &edited);
    const struct ras_compare_options how = {.paranoid = choice & 1,
                                            .tolerances = &near,
                                            .tolerance_count = choice >> 1 & 1,
                                            .ignored = &paths[(choice >> 4) % 5],
                                            .ignored_count = choice >> 2 & 1,
                                            .channels = &channels[(choice >> 5) % 5],
                                            .channel_count = choice >> 3 & 1};
    if (ras_open_memory(&x, a.at, a.len, &open, NULL) == RAS_OK &&
        ras_open_memory(&y, b.at, b.len, &open, NULL) == RAS_OK) {
        compare(x, y, &how);
        inspect(x, y, bytes, size);
    }
    ras_close(x);
    ras_close(y);
    free(edited);
    return 0;
}
