/* replaying.h - execute a trace again, in its world or to its pictures, and tell what came of it:
 * as text and as JSON. */
#ifndef CLI_REPLAYING_H
#define CLI_REPLAYING_H

#include "cli/session.h"
#include <rastrum/render.h>
#include <rastrum/replay.h>

/* The options of `replay`: some are for worlds, some for pictures. */
struct replaying {
    struct common common;
    bool verbose, keep_going, dump_fields, lenient_ticks;
    const char *against, *order, *world, *recipe, *state;
    struct number until;
    const char *backend, *size, *png, *golden, *pixel;
    struct number frame, draw, timeout, memory, work;
};

/* Both execute an opened trace and answer; the status to exit with. */
int replay_world(const struct replaying *, const char *path, struct ras_trace *, struct answer *);
int replay_frames(const struct replaying *, const char *path, struct ras_trace *, struct answer *);

/* A command: its name and its own fields. */
void put_command(struct answer *, const struct ras_world_command *);
/* What became of a command; NULL: nothing is known of it. */
const struct ras_receipt *receipt_of(const struct ras_step *, uint32_t index);
/* A value, so that it reads back to the same bits. */
void put_f32(struct answer *, uint32_t bits);
/* Every value of a world's fields, a line each. */
void put_fields(struct answer *, const struct ras_replay_tick *);

void put_replay_text(struct answer *, const struct ras_replay *);
/* A JSON document: its head, then perhaps its ticks, then the rest. */
void put_json_head(struct ras_json *, const char *path, bool with_ticks);
void put_json_tick(struct ras_json *, const struct ras_replay_tick *);
void put_json_rest(struct ras_json *, const struct ras_replay *, bool with_ticks);
void put_json_unverified(struct ras_json *, bool with_ticks); /* instead of the rest */
void put_json_frames_head(struct ras_json *, const char *path);
void put_json_frames_end(struct ras_json *, uint64_t unpresented, const char *result);
#endif
