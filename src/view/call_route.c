/* call_route.c - the routes of Calls, and stats, whose JSON goes out as it is. */
#include "view/call_nodes.h"
#include "view/route.h"

enum { TREE_SRC, TREE_FROM, TREE_TO, TREE_STREAM, TREE_AGAINST, TREE_BY };

/* What samples may be grouped by; a format refuses what it does not know. */
static const char *const by_words[] = {"kind", "thread", "worker", "task", "spawn", "span", NULL};

static int tree_of(struct request *r, struct ras_stats **out, struct ras_trace *t)
{
    const struct arg *args = r->args;
    bool ranged = args[TREE_FROM].given || args[TREE_TO].given;
    struct ras_tree_options how = {
        .axis = ranged ? RAS_AXIS_TIME : RAS_AXIS_NONE,
        .from = args[TREE_FROM].value,
        .to = args[TREE_TO].value,
        .threads = args[TREE_STREAM].given ? &args[TREE_STREAM].value : NULL,
        .thread_count = args[TREE_STREAM].given,
        .by = args[TREE_BY].given ? by_words[args[TREE_BY].value] : NULL,
        .progress = r->progress,
        .user = r->user,
    };
    return ras_tree(out, t, &how, &r->err);
}

static int answer_tree(struct request *r)
{
    struct ras_stats *trees[2] = {NULL, NULL};
    bool both = r->args[TREE_AGAINST].given;
    int status = tree_of(r, &trees[0], request_source(r, TREE_SRC)->trace);
    if (status >= 0 && both)
        status = tree_of(r, &trees[1], request_source(r, TREE_AGAINST)->trace);
    if (status >= 0) {
        struct json j = request_json(r);
        bool fine = calls_put(&j, trees[0], trees[1]);
        status = fine ? request_end(r, &j) : fail_memory(&r->err);
    }
    ras_stats_free(trees[0]);
    ras_stats_free(trees[1]);
    return status < 0 ? status : RAS_OK;
}

static int answer_stats(struct request *r)
{
    const struct shown_source *s = request_source(r, 0);
    struct ras_stats_options how = {.progress = r->progress, .user = r->user};
    struct ras_stats *stats;
    struct ras_sink *sink;
    int status = ras_stats(&stats, s->trace, &how, &r->err);
    if (status < 0)
        return status;
    status = request_sink(r, &sink);
    if (status >= 0)
        status = request_sink_end(r, sink, ras_stats_json(sink, s->name, s->trace, stats, &r->err));
    ras_stats_free(stats);
    return status;
}

const struct route call_routes[] = {
    {.path = "tree",
     .job = true,
     .is_long = true,
     .args = {[TREE_SRC] = {"src", ARG_SOURCE},
              [TREE_FROM] = {"from", ARG_NUMBER, .optional = true},
              [TREE_TO] = {"to", ARG_NUMBER, .optional = true, .value = RAS_NONE},
              [TREE_STREAM] = {"stream", ARG_NUMBER, .optional = true},
              [TREE_AGAINST] = {"against", ARG_SOURCE, .optional = true},
              [TREE_BY] = {"by", ARG_WORD, .optional = true, .words = by_words}},
     .answer = answer_tree},
    {.path = "stats",
     .job = true,
     .is_long = true,
     .args = {{"src", ARG_SOURCE}},
     .answer = answer_stats},
    {0},
};
