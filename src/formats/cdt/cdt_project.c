/* cdt_project.c - the tables of a block of ticks, with channels left out or only counted. */
#include "formats/cdt/cdt_side.h"

static void copy(struct cdt_struct *to, struct cdt_field *fields, const struct cdt_struct *from)
{
    *to = *from;
    memcpy(fields, from->fields, from->count * sizeof *fields);
    to->fields = fields;
}

static void narrow(struct cdt_field *f, enum cdt_want want)
{
    if (want != CDT_WANT_ALL)
        f->type = want == CDT_WANT_COUNT && f->type == CDT_LIST ? CDT_COUNTED : CDT_SKIPPED;
}

enum { CHECKPOINT, SIM_STATE, ENTITIES, RNG, TIMING }; /* as the channels' table has them */

void cdt_project(struct cdt_projection *p, const struct cdt_wants *wants)
{
    copy(&p->entities, p->entity_fields, &cdt_entity_samples_snapshot);
    copy(&p->channels, p->channel_fields, &cdt_replay_tick_channels);
    copy(&p->tick, p->tick_fields, &cdt_tick_record);
    copy(&p->block, p->block_fields, &cdt_tick_block);
    p->block_fields[2].of = &p->tick;
    p->tick_fields[4].of = &p->channels;
    narrow(&p->channel_fields[CHECKPOINT], wants->checkpoint);
    narrow(&p->channel_fields[SIM_STATE], wants->sim_state);
    narrow(&p->channel_fields[RNG], wants->rng);
    narrow(&p->channel_fields[TIMING], wants->timing);
    if (wants->entities == CDT_WANT_NOTHING) {
        narrow(&p->channel_fields[ENTITIES], CDT_WANT_NOTHING);
        return;
    }
    p->channel_fields[ENTITIES].of = &p->entities;
    for (int i = 0; i < 4; i++)
        narrow(&p->entity_fields[i], wants->entities);
}

_Static_assert(sizeof(((struct cdt_projection *)0)->channel_fields) ==
                   (TIMING + 1) * sizeof(struct cdt_field),
               "spec: five channels");
