/* run_commands.c - who plays a run: the world itself, or a replay whose commands it gets. */
#include "base/error.h"
#include "base/memory.h"
#include "core/format.h"
#include "core/source.h"
#include "world/running.h"

#include <stdio.h>
#include <stdlib.h>

static int refuse(const char *what, const struct ras_murk_fault *fault, struct ras_error *err)
{
    char text[160];
    return fail(err, RAS_EFORMAT, RAS_NONE, "%s: %s", what,
                ras_murk_text(fault, text, sizeof text));
}

/* A frame that cannot be played: which, and which of its commands. */
static int refuse_frame(const struct run_commands *c, uint64_t tick,
                        const struct ras_murk_fault *fault, struct ras_error *err)
{
    char what[80];
    snprintf(what, sizeof what, "the replay: frame %" PRIu64 ", command %u", tick - 1, c->count);
    return refuse(what, fault, err);
}

int run_commands_open(struct run_commands *c, const struct ras_run_options *asked,
                      struct ras_murk_header *header, uint64_t *frames, bool *cut,
                      struct ras_error *err)
{
    struct ras_murk_fault fault;
    struct ras_murk_frame frame;
    *c = (struct run_commands){.recorded = asked->commands != NULL};
    *frames = 0;
    *cut = false;
    if (!c->recorded) {
        c->bytes = malloc(RAS_PLAY_BYTES);
        return c->bytes &&
                       array_grow(&c->commands, &c->room, RAS_PLAY_COMMANDS, sizeof *c->commands)
                   ? RAS_OK
                   : fail_memory(err);
    }
    if (strcmp(ras_format_of(asked->commands)->name, murk_pen.name) != 0)
        return fail(err, RAS_EUSAGE, RAS_NONE, "commands are taken from a replay, not from %s",
                    ras_format_of(asked->commands)->name);
    struct ras_bytes rest = source_bytes(asked->commands->source, 0);
    if (!ras_murk_header_get(rest, header, &fault))
        return refuse("the replay", &fault, err);
    rest.at += header->size;
    rest.len -= (size_t)header->size;
    c->rest = rest;
    while (rest.len && ras_murk_frame_get(rest, &frame, &fault)) {
        rest.at += frame.size;
        rest.len -= (size_t)frame.size;
        ++*frames;
    }
    *cut = rest.len != 0;
    c->rest.len -= rest.len;
    return RAS_OK;
}

/* The next frame's; none behind the last one. */
static int take_recorded(struct run_commands *c, uint64_t tick, struct ras_error *err)
{
    struct ras_murk_walk walk;
    struct ras_murk_fault fault;
    struct ras_murk_frame frame;
    c->count = 0;
    if (!c->rest.len)
        return RAS_OK;
    if (!ras_murk_walk_open(c->rest, &walk, &fault))
        return refuse_frame(c, tick, &fault, err);
    if (!array_grow(&c->commands, &c->room, walk.command_count, sizeof *c->commands))
        return fail_memory(err);
    for (; c->count < walk.command_count; c->count++) {
        struct ras_world_command *to = &c->commands[c->count];
        if (!ras_murk_walk_next(&walk, &to->wire, &to->typed, &fault))
            return refuse_frame(c, tick, &fault, err);
    }
    if (!ras_murk_walk_close(&walk, &frame, &fault))
        return refuse_frame(c, tick, &fault, err);
    c->rest.at += frame.size;
    c->rest.len -= (size_t)frame.size;
    return RAS_OK;
}

int run_commands_next(struct run_commands *c, const struct ras_world_type *type, const void *world,
                      uint64_t tick, struct ras_error *err)
{
    if (c->recorded)
        return take_recorded(c, tick, err);
    if (!type->play)
        return RAS_OK;
    struct ras_play play = {c->commands, (uint32_t)c->room, c->bytes, RAS_PLAY_BYTES, 0};
    if (type->play(world, tick, &play) < 0)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "tick %" PRIu64 ": the world's own player makes more than %u commands", tick,
                    RAS_PLAY_COMMANDS);
    if (play.count > play.room)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "tick %" PRIu64
                    ": the world's own player made %u commands, there is room for %u",
                    tick, play.count, play.room);
    for (c->count = 0; c->count < play.count; c->count++) {
        struct ras_world_command *to = &c->commands[c->count];
        struct ras_murk_fault fault;
        char what[80];
        if (ras_murk_payload_get(to->wire.payload_type, to->wire.payload, &to->typed, &fault))
            continue;
        snprintf(what, sizeof what, "tick %" PRIu64 ": command %u of the world's own player", tick,
                 c->count);
        return refuse(what, &fault, err);
    }
    return RAS_OK;
}

void run_commands_free(struct run_commands *c)
{
    free(c->commands);
    free(c->bytes);
}
