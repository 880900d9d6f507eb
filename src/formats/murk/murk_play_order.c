/* murk_play_order.c - whether recorded arrival numbers give commands another order than the file.
 *
 * They decide only between commands whose keys are the same: priority, source and sequence, of
 * which a sequence without a source is no part. */
#include "formats/murk/murk_play.h"

#include <stdlib.h>

struct key {
    uint64_t source, source_seq, arrival;
    uint32_t index;
    uint8_t priority;
};

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_play_order(const struct key *x, const struct key *y)
{
    int order = compare_u64(x->priority, y->priority);
    order = order ? order : compare_u64(x->source, y->source);
    return order ? order : compare_u64(x->source_seq, y->source_seq);
}

static int by_key_then_file(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = by_play_order(x, y);
    return order ? order : compare_u64(x->index, y->index);
}

static bool ascends(const struct ras_step *s)
{
    for (uint32_t i = 1; i < s->command_count; i++)
        if (s->commands[i - 1].wire.arrival_seq > s->commands[i].wire.arrival_seq)
            return false;
    return true;
}

bool murk_play_reordered(const struct ras_step *s)
{
    struct key *keys = ascends(s) ? NULL : calloc(s->command_count, sizeof *keys);
    bool found = false;
    if (!keys) /* as it usually is; and where there is no memory nothing is remarked */
        return false;
    for (uint32_t i = 0; i < s->command_count; i++) {
        const struct ras_murk_command *c = &s->commands[i].wire;
        bool has_seq = c->has_source_id && c->has_source_seq;
        keys[i] = (struct key){.source = c->has_source_id ? c->source_id : UINT64_MAX,
                               .source_seq = has_seq ? c->source_seq : UINT64_MAX,
                               .arrival = c->arrival_seq,
                               .index = i,
                               .priority = c->priority_class};
    }
    qsort(keys, s->command_count, sizeof *keys, by_key_then_file);
    for (uint32_t i = 1; i < s->command_count && !found; i++)
        found = !by_play_order(&keys[i - 1], &keys[i]) && keys[i - 1].arrival > keys[i].arrival;
    free(keys);
    return found;
}
