/* cmd_replay.c - execute a trace again and compare it with the recording. */
#include "cli/replay_verb.h"

#include <stddef.h>

static const char *first_given(const char *const *names, const bool *given, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (given[i])
            return names[i];
    return NULL;
}

/* An option that does not apply to this trace is refused, not ignored. */
static int refuse_foreign(const struct replay_options *o, const char *path, bool frames)
{
    static const char *const worlds[] = {"verbose", "keep-going", "dump-fields", "lenient-ticks",
                                         "against", "order",      "world",       "world-recipe",
                                         "until",   "state"};
    static const char *const pictures[] = {"backend",  "size",       "png",     "golden",
                                           "frame",    "until-draw", "timeout", "max-memory",
                                           "max-work", "pixel"};
    const bool for_worlds[] = {o->verbose,     o->keep_going, o->dump_fields, o->lenient_ticks,
                               o->against,     o->order,      o->world,       o->recipe,
                               o->until.given, o->state};
    const bool for_pictures[] = {o->backend,     o->size,       o->png,           o->golden,
                                 o->frame.given, o->draw.given, o->timeout.given, o->memory.given,
                                 o->work.given,  o->pixel};
    const char *name =
        frames ? first_given(worlds, for_worlds, sizeof worlds / sizeof *worlds)
               : first_given(pictures, for_pictures, sizeof pictures / sizeof *pictures);
    if (!name)
        return 0;
    return trouble("%s: --%s supports only traces that %s", shown_path(path), name,
                   frames ? "replay in a world" : "hold frames of GPU commands");
}

static int one(void *options, const char *path, struct answer *a)
{
    const struct replay_options *o = options;
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    bool frames = ras_can_render(trace);
    int status = frames || ras_format_of(trace)->can & RAS_CAN_REPLAY
                     ? refuse_foreign(o, path, frames)
                     : only_for("replay", "Murk replays and AeroGPU traces", path, trace,
                                "rastrum cat %s", path);
    if (!status)
        status = frames ? replay_frames(o, path, trace, a) : replay_world(o, path, trace, a);
    ras_close(trace);
    return status;
}

static int replay_run(void *options)
{
    const struct replay_options *o = options;
    if (o->dump_fields && !o->until.given)
        return trouble("--dump-fields needs --until TICK");
    if (o->dump_fields && o->common.json)
        return trouble("--dump-fields and --json cannot be combined");
    if (o->draw.given && o->pixel)
        return trouble("--pixel and --until-draw cannot be combined");
    if (o->draw.given && !o->draw.value)
        return trouble("--until-draw counts from 1");
    if ((o->png || o->golden) && o->common.operands.count > 1)
        return trouble("%s takes one trace", o->png ? "--png" : "--golden");
    return each_operand(options, one);
}

static const char *const orders[] = {"file", "recorded", NULL};
static const char *const backends[] = {"auto", "gles", "software", NULL};

static const struct option_row rows[] = {
    {"verbose", 'v', OPTION_FLAG, NULL, "print a line for every tick; with --json its receipts",
     NULL, offsetof(struct replay_options, verbose)},
    {"keep-going", 'k', OPTION_FLAG, NULL, "continue after a mismatch and count them all", NULL,
     offsetof(struct replay_options, keep_going)},
    {"against", 0, OPTION_TEXT, "TRACE",
     "also execute this replay and report the fields that differ", NULL,
     offsetof(struct replay_options, against)},
    {"order", 0, OPTION_TEXT, "ORDER", "order of ties between commands: file (default) or recorded",
     orders, offsetof(struct replay_options, order)},
    {"lenient-ticks", 0, OPTION_FLAG, NULL, "accept tick ids that are not consecutive", NULL,
     offsetof(struct replay_options, lenient_ticks)},
    {"until", 0, OPTION_NUMBER, "TICK", "stop after this tick", NULL,
     offsetof(struct replay_options, until)},
    {"dump-fields", 0, OPTION_FLAG, NULL, "print the fields at --until", NULL,
     offsetof(struct replay_options, dump_fields)},
    {"world", 0, OPTION_TEXT, "FILE.so", "your own world (rastrum/world.h)", NULL,
     offsetof(struct replay_options, world)},
    {"world-recipe", 0, OPTION_TEXT, "FILE", "recipe of the recording, if it has none", NULL,
     offsetof(struct replay_options, recipe)},
    {"state", 0, OPTION_TEXT, "FILE", "state before the first tick, from slice --with-state", NULL,
     offsetof(struct replay_options, state)},
    {"frame", 0, OPTION_NUMBER, "N", "AeroGPU: only this frame", NULL,
     offsetof(struct replay_options, frame)},
    {"until-draw", 0, OPTION_NUMBER, "K", "AeroGPU: the picture after the frame's K-th draw", NULL,
     offsetof(struct replay_options, draw)},
    {"pixel", 0, OPTION_TEXT, "X,Y", "AeroGPU: which draws of each frame changed this pixel", NULL,
     offsetof(struct replay_options, pixel)},
    {"png", 0, OPTION_TEXT, "DIR", "AeroGPU: write every frame to DIR/frame_N.png", NULL,
     offsetof(struct replay_options, png)},
    {"golden", 0, OPTION_TEXT, "DIR", "AeroGPU: compare every frame with DIR/frame_N.png", NULL,
     offsetof(struct replay_options, golden)},
    {"size", 0, OPTION_TEXT, "WxH", "AeroGPU: canvas size where no render target is set", NULL,
     offsetof(struct replay_options, size)},
    {"backend", 0, OPTION_TEXT, "NAME", "AeroGPU: what executes the commands (default auto)",
     backends, offsetof(struct replay_options, backend)},
    {"timeout", 0, OPTION_NUMBER, "SECONDS",
     "AeroGPU: time limit of one packet or submission (default 10)", NULL,
     offsetof(struct replay_options, timeout)},
    {"max-memory", 0, OPTION_NUMBER, "BYTES",
     "AeroGPU: memory limit of all resources (default 1 GiB)", NULL,
     offsetof(struct replay_options, memory)},
    {"max-work", 0, OPTION_NUMBER, "N",
     "AeroGPU: instruction limit of the whole replay (see the page)", NULL,
     offsetof(struct replay_options, work)},
    {0},
};

const struct command cmd_replay = {
    .name = "replay",
    .operands = "TRACE...",
    .about = "execute a trace again: compare every hash, or show every frame",
    .text = "Murk: builds the world that the recording's recipe describes, gives it the commands\n"
            "of every tick, and compares the hash of its fields with the recorded one. The first\n"
            "tick that differs is reported with its commands and their results. A recording\n"
            "without a recipe cannot be verified (exit status 2); nor can one that does not begin\n"
            "at the world's first tick, unless --state gives the state before it.\n\n"
            "AeroGPU: executes the GPU commands, without a GPU, and prints the size and the\n"
            "SHA-256 of every presented frame. A frame that depends on a command which was not\n"
            "executed is marked inexact, and the exit status is 3.\n",
    .examples = "rastrum replay run.murk\n"
                "rastrum replay --verbose --keep-going run.murk\n"
                "rastrum replay --against good.murk bad.murk\n"
                "rastrum replay --until 120 --dump-fields run.murk\n"
                "rastrum replay --world ./life.so life.murk\n"
                "rastrum replay --png frames --size 640x480 game.aerogputrace\n"
                "rastrum replay --frame 17 --until-draw 3 --png step game.aerogputrace\n"
                "rastrum replay --frame 17 --pixel 320,200 --size 640x480 game.aerogputrace\n"
                "rastrum replay --golden expected game.aerogputrace\n",
    .exits = "0 every tick or frame is as recorded; 1 one is not; 2 error, or it cannot be\n"
             "verified; 3 as recorded, but a frame is inexact or the trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct replay_options),
    .reads = true,
    .run = replay_run,
};
