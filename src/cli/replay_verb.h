/* replay_verb.h - execute a trace again, in its world or to its pictures, and report the result. */
#ifndef CLI_REPLAY_VERB_H
#define CLI_REPLAY_VERB_H

#include "cli/session.h"
#include <rastrum/gpu.h>
#include <rastrum/replay.h>

/* The options of `replay`: some are for worlds, some for pictures. */
struct replay_options {
    struct common common;
    bool verbose, keep_going, dump_fields, lenient_ticks;
    const char *against, *order, *world, *recipe, *state;
    struct number until;
    const char *backend, *size, *png, *golden, *pixel;
    struct number frame, draw, timeout, memory, work;
};

/* Both execute an opened trace and print the result; they return the exit status. */
int replay_world(const struct replay_options *, const char *path, struct ras_trace *,
                 struct answer *);
int replay_frames(const struct replay_options *, const char *path, struct ras_trace *,
                  struct answer *);

/* A JSON document: its head, then perhaps its ticks, then the rest. */
void put_json_frames_head(struct ras_json *, const char *path);
void put_json_frames_end(struct ras_json *, uint64_t unpresented, const char *result);
#endif
