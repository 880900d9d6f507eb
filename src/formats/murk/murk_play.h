/* murk_play.h - a replay that is executed: its frames on one side, its world on the other. */
#ifndef MURK_PLAY_H
#define MURK_PLAY_H

#include "core/format.h"
#include <rastrum/replay.h>

struct murk_player {
    struct ras_trace *trace;
    const struct ras_world_type *type;
    void *world;
    struct ras_cursor *cursor;
    const struct ras_record *record; /* of the frame */
    struct ras_murk_frame frame;
    uint64_t frame_index;
    uint64_t hash; /* after the last step */
    struct ras_step step;
    struct ras_world_command *commands;
    struct ras_receipt *receipts;
    size_t command_room, receipt_room;
};

/* Tell where the fields of two worlds differ. */
void murk_play_differences(const struct murk_player *, const struct murk_player *other,
                           struct ras_replay *);
/* Whether recorded arrival numbers would have given the commands another order. */
bool murk_play_reordered(const struct ras_step *);
#endif
