/* crd_timeline.c - a replay as a timeline: ticks, how many commands, and what each player does; of
 * the evidence of a capture its ticks. */
#include "formats/crd/crd_driver.h"
#include "ops/timeline/timeline_driver.h"

#include <stdio.h>
#include <string.h>

enum { TRACK_PLAYERS = 16 };

static int crd_timeline_start(struct timeline *t, void *state, struct ras_error *err)
{
    (void)err;
    tick_tracks_open(t, state);
    return RAS_OK;
}

/* Inputs of a player, of which every tick has one, and commands are apart; what has no player has a
 * track of its own. */
static uint32_t player_track(struct timeline *t, const struct ras_value *player, bool is_command)
{
    char name[48];
    bool known = player && (player->kind == RAS_UINT || player->kind == RAS_INT);
    int len = known ? snprintf(name, sizeof name, "player %" PRId64, player->i)
                    : snprintf(name, sizeof name, "no player");
    if (is_command)
        snprintf(name + len, sizeof name - (size_t)len, ": commands");
    return timeline_track(t, &(struct timeline_place){.id = TRACK_PLAYERS + is_command +
                                                            (known ? 2 + 2 * player->u : 0),
                                                      .parent = TIMELINE_NONE,
                                                      .kind = TIMELINE_TRACK,
                                                      .name = timeline_text(t, name, strlen(name)),
                                                      .number = RAS_NONE});
}

static int crd_timeline_record(struct timeline *t, void *state, const struct ras_cursor *c,
                               const struct ras_record *r, struct ras_error *err)
{
    const char *type = ras_schema_of(c)->name;
    const struct ras_value *name = ras_value_of(c, "type");
    (void)err;
    if (!(r->flags & RAS_HAS_TICK)) { /* the head and the end of the file */
        timeline_lost(t, "records without a time", 1);
        return RAS_OK;
    }
    if (!strcmp(type, "tick")) {
        (void)tick_tracks_put(t, state, c, r->tick);
        return RAS_OK;
    }
    /* One after the other: names are numbered as they come, with every compiler. */
    uint32_t word = timeline_word(t, type);
    uint32_t track = player_track(t, ras_value_of(c, "player_index"), !strcmp(type, "command"));
    uint32_t text = name && name->kind == RAS_STR ? timeline_text(t, name->at, name->count) : word;
    timeline_instant(t, track, timeline_tick_ns(t, r->tick), text, word);
    timeline_args(t, c, NULL);
    return RAS_OK;
}

const struct timeline_ops crd_timeline = {
    .group = "replay (crimson)",
    .alone = ": a tick is drawn as 1 ms, which is not measured",
    .state_size = sizeof(struct tick_tracks),
    .fields = (const char *const[]){"command_count", "type", "player_index", NULL},
    .start = crd_timeline_start,
    .record = crd_timeline_record,
};
