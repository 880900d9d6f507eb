/* extent.c - what a trace holds in a few words, for messages that say why nothing was found. */
#include "core/format.h"
#include "ops/compare/diff.h"

#include <inttypes.h>
#include <stdio.h>

int extent_text(struct ras_trace *t, const char *word, char *text, size_t size,
                struct ras_error *err)
{
    struct ras_info *info;
    int status = ras_info(&info, t, NULL, NULL, err);
    if (status < 0)
        return status;
    bool cut = info->ending.kind == RAS_CUT || info->ending.kind == RAS_DAMAGED;
    uint64_t records = info->records - info->gaps;
    const char *state = cut ? info->ending.kind == RAS_CUT ? " (cut)" : " (damaged)" : "";
    if (!records)
        snprintf(text, size, "no %ss%s", word, state);
    else if (info->has_tick && info->tick_first == info->tick_last)
        snprintf(text, size, "%s %" PRIu64 " alone%s", word, info->tick_first, state);
    else if (info->has_tick)
        snprintf(text, size, "%ss %" PRIu64 " to %" PRIu64 "%s", word, info->tick_first,
                 info->tick_last, state);
    else
        snprintf(text, size, "%s%s", ras_counted(records, "record").text, state);
    ras_info_free(info);
    return RAS_OK;
}
