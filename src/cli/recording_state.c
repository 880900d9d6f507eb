/* recording_state.c - the state of a replay, recorded while it is executed again. */
#include "cli/comparing.h"
#include "cli/playing.h"
#include "cli/session.h"
#include <rastrum/replay.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By its name or by its first bytes: no program begins with them. */
bool is_replay(const char *path)
{
    char head[4] = "";
    size_t len = strlen(path);
    if (len > 5 && !strcmp(path + len - 5, ".murk"))
        return true;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool there = fd >= 0 && read(fd, head, sizeof head) == sizeof head;
    if (fd >= 0)
        close(fd);
    return there && !memcmp(head, "MURK", sizeof head);
}

/* Why there is no state; of dbg in the words of the format's own tool. */
static int state_refuse(const char *path, const struct state_asked *asked,
                        const struct ras_replay *r)
{
    char why[200];
    if (r->verdict == RAS_REPLAY_START)
        return trouble("%s: cannot execute it: %s", shown_path(path), r->why);
    snprintf(why, sizeof why, "tick %" PRIu64 ": recorded=0x%016" PRIx64 " replayed=0x%016" PRIx64,
             r->tick_id, r->recorded, r->replayed);
    const char *text = r->verdict == RAS_REPLAY_MISMATCH ? why : r->why;
    if (asked->compat)
        say_line("dbg record failed: ", text);
    else
        (void)trouble("%s: differs from the recording: %s", shown_path(path), text);
    return EXIT_NO;
}

static void state_put_json(struct ras_json *j, const char *path, const struct ras_replay *r)
{
    ras_json_object(j, NULL);
    ras_json_text(j, "trace", path);
    ras_json_object(j, "ticks");
    ras_json_uint(j, "start", 1);
    ras_json_uint(j, "end", r->ticks);
    ras_json_uint(j, "count", r->ticks);
    ras_json_end(j);
    ras_json_array(j, "channels");
    for (size_t i = 0; channel_words[i]; i++)
        ras_json_text(j, NULL, channel_words[i]);
    ras_json_end(j);
    ras_json_end(j);
    ras_json_newline(j);
}

static int state_put_answer(const struct common *c, const struct ras_replay *r)
{
    struct answer a;
    struct common common = *c;
    common.out = NULL; /* the trace is there; what is in it is printed */
    int status = answer_open(&a, &common);
    if (status)
        return status;
    if (c->json) {
        state_put_json(answer_json(&a), c->out, r);
        return answer_close(&a, 0);
    }
    answer_format(&a, "trace=");
    answer_name(&a, c->out);
    answer_format(&a, "\nticks start=1 end=%" PRIu64 " count=%" PRIu64 "\n", r->ticks, r->ticks);
    for (size_t i = 0; channel_words[i]; i++)
        answer_format(&a, "%s%s", i ? "," : "channels=", channel_words[i]);
    answer_format(&a, "\n");
    return answer_close(&a, 0);
}

static int write_state(const struct common *c, const char *path, struct ras_trace *trace,
                       const struct ras_replay_options *how, const struct state_asked *asked)
{
    struct ras_replay *r;
    struct ras_sink *sink;
    struct ras_error err;
    if (ras_sink_trace(&sink, c->out, c->force, &err) < 0)
        return trouble_with(&err);
    struct progress progress;
    progress_start(&progress, c, "record", false);
    int done = ras_replay_state(&r, trace, how, sink, &err);
    progress_stop(&progress);
    if (done < 0) {
        const char *at = input_of(&err, asked->recipe, path, NULL);
        ras_sink_drop(sink);
        return trouble_at(at ? at : path, &err);
    }
    int status = 0;
    if (r->verdict != RAS_REPLAY_OK) {
        ras_sink_drop(sink);
        status = state_refuse(path, asked, r);
    } else if (ras_sink_close(sink, &err) < 0) {
        status = trouble_with(&err);
    }
    struct ras_ending ending = ras_ending(trace);
    if (!status)
        status = state_put_answer(c, r);
    if (!status)
        status = say_ending(path, trace, &ending, c->quiet);
    ras_replay_free(r);
    return status;
}

int record_state(const struct common *c, const struct state_asked *asked)
{
    const char *path = c->operands.items[0];
    struct ras_replay_options how = {0};
    struct ras_bytes recipe = {0};
    int status = 0;
    if (c->operands.count != 1)
        return trouble("record takes one replay, or -- PROGRAM ARGS");
    if (!c->out || !strcmp(c->out, "-"))
        return trouble("record of a replay needs --out STATE.cdt");
    if (asked->recipe && !(status = read_recipe(asked->recipe, &recipe)))
        how.recipe = &recipe;
    if (!status && asked->world)
        status = find_world(NULL, asked->world, &how.world);
    struct ras_trace *trace = status ? NULL : open_operand(c, path, false);
    if (!status)
        status = trace ? write_state(c, path, trace, &how, asked) : EXIT_TROUBLE;
    ras_close(trace);
    free((void *)(uintptr_t)recipe.at);
    return status;
}
