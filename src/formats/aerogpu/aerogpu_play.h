/* aerogpu_play.h - what the files that replay traces share. */
#ifndef AEROGPU_PLAY_H
#define AEROGPU_PLAY_H

#include "core/gpu_engine.h"
#include <rastrum/render.h>

/* Callbacks that inspect the back end instead of pictures: at every draw, until RAS_END is
 * returned, and when the execution has ended. */
struct aero_inspect {
    int (*drawing)(struct aero_inspect *, const struct gpu_backend *, struct gpu *, uint64_t offset,
                   struct ras_error *);
    int (*ended)(struct aero_inspect *, const struct gpu_backend *, struct gpu *,
                 struct ras_error *);
};
int aero_render_inspected(struct ras_trace *, const struct ras_render_options *,
                          struct aero_inspect *, struct ras_render *, struct ras_error *);

int aero_check_abi(const struct ras_trace *, struct ras_error *);
/* A number of a packet or command by its name; 0: it has none, or `op` is NULL. */
uint32_t aero_op_field(const struct ras_aero_op *op, struct ras_bytes payload, const char *name);
/* Remarks about a trace are shown by replay, not by other verbs. */
void aero_no_remark(void *user, uint64_t offset, const char *text);
#endif
