/* replay.c - execute a Murk replay again, and say whether it comes out as recorded. */
#include <inttypes.h>
#include <rastrum/replay.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    /* ras_worlds() is in librastrum-world, all else in librastrum. */
    const struct ras_replay_options options = {.worlds = ras_worlds()};
    struct ras_trace *trace = NULL;
    struct ras_replay *replay = NULL;
    struct ras_error err;
    int status = ras_open(&trace, argc > 1 ? argv[1] : "", NULL, &err);
    if (status == RAS_OK)
        status = ras_replay(&replay, trace, &options, &err);
    if (status < 0)
        fprintf(stderr, "replay: %s\n", err.text);
    else if (replay->verdict == RAS_REPLAY_OK)
        printf("%" PRIu64 " ticks as recorded\n", replay->ticks);
    else
        printf("tick %" PRIu64 " came out otherwise than recorded\n", replay->tick_id);
    int exit_status = status < 0 ? 2 : replay->verdict != RAS_REPLAY_OK;
    ras_replay_free(replay);
    ras_close(trace);
    return exit_status;
}
