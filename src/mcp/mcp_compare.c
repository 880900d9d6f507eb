/* mcp_compare.c - the tools diff and bisect: two traces of one format, or two runs. */
#include "mcp/mcp_answers.h"

#include <string.h>

struct pair {
    const char *paths[2];
    const struct mcp_trace *sides[2]; /* expected, actual */
};

static bool pair_open(struct mcp_call *call, struct pair *p)
{
    static const char *const names[] = {"expected", "actual"};
    for (int i = 0; i < 2; i++) {
        p->paths[i] = call_text(call, names[i]);
        p->sides[i] = call_open(call, p->paths[i]);
        if (!p->sides[i])
            return false;
    }
    if (!p->sides[0]->run != !p->sides[1]->run)
        return tool_fail(call, "%.100s is a run directory, %.100s is not",
                         p->paths[p->sides[0]->run ? 0 : 1], p->paths[p->sides[0]->run ? 1 : 0]);
    return true;
}

static struct ras_compare_options compare_how(struct mcp_call *call)
{
    const struct mcp_value *channels = call_value(call, "channel");
    const struct mcp_value *ignored = call_value(call, "ignore");
    return (struct ras_compare_options){.struct_size = sizeof(struct ras_compare_options),
                                        .channels = channels->items,
                                        .channel_count = channels->count,
                                        .ignored = ignored->items,
                                        .ignored_count = ignored->count,
                                        .progress = call_goes_on,
                                        .user = call};
}

/* What the two are called, and how they end: a cut trace is compared as far as it goes. */
static void put_sides(struct mcp_call *call, const struct pair *p, const struct ras_diff *diff)
{
    static const char *const names[] = {"expected", "actual"};
    for (int i = 0; i < 2; i++) {
        json_object(&call->json, names[i]);
        json_text(&call->json, "path", p->paths[i]);
        if (diff)
            call_put_ending(call, "ending", p->sides[i]->trace, &diff->endings[i]);
        json_close(&call->json);
    }
    if (!diff || !diff->note_count)
        return;
    json_array(&call->json, "notes");
    for (size_t i = 0; i < diff->note_count; i++)
        json_text(&call->json, NULL, diff->notes[i]);
    json_close(&call->json);
}

/* The verdict in one word, so that no exit status is needed. */
static const char *diff_verdict(const struct ras_diff *diff)
{
    if (diff->divergence_count)
        return "diverged";
    return diff->endings[0].kind > RAS_UNSEALED || diff->endings[1].kind > RAS_UNSEALED
               ? "same as far as they go: one is cut or damaged"
               : "same";
}

static bool compare_fail(struct mcp_call *call, const struct pair *p, const struct ras_error *err)
{
    char both[200];
    snprintf(both, sizeof both, "%.90s, %.90s", p->paths[0], p->paths[1]);
    return tool_fail_with(call, both, err);
}

/* ---- two traces ----------------------------------------------------------------------------- */

static bool put_diff(struct mcp_call *call, const struct pair *p,
                     const struct ras_compare_options *how)
{
    struct ras_diff *diff;
    struct ras_error err;
    if (ras_diff(&diff, p->sides[0]->trace, p->sides[1]->trace, how, &err) < 0)
        return compare_fail(call, p, &err);
    struct ras_sink *sink = call_sink(call);
    json_text(&call->json, "verdict", diff_verdict(diff));
    put_sides(call, p, diff);
    bool fine =
        sink && call_put_sink(call, "diff", sink,
                              ras_diff_json(sink, diff, how, RAS_LAYOUT_LINE, &err), "diff", &err);
    ras_diff_free(diff);
    return fine;
}

static bool put_bisect(struct mcp_call *call, const struct pair *p,
                       const struct ras_bisect_options *how)
{
    struct ras_bisect_pair one = {.path = p->paths[0]};
    const struct ras_bisect bisect = {.pairs = &one, .pair_count = 1};
    struct ras_error err;
    if (ras_diff(&one.diff, p->sides[0]->trace, p->sides[1]->trace, how->compare, &err) < 0)
        return compare_fail(call, p, &err);
    struct ras_sink *sink = call_sink(call);
    json_text(&call->json, "verdict", diff_verdict(one.diff));
    put_sides(call, p, one.diff);
    bool fine = sink && call_put_sink(call, "bisect", sink,
                                      ras_bisect_json(sink, &bisect, how, RAS_LAYOUT_LINE, &err),
                                      "bisect", &err);
    ras_diff_free(one.diff);
    return fine;
}

/* ---- two runs ------------------------------------------------------------------------------- */

static bool put_rundiff(struct mcp_call *call, const struct pair *p,
                        const struct ras_compare_options *how, const struct ras_bisect_options *b)
{
    struct ras_runbisect_pair one = {.path = p->paths[0]};
    struct ras_runbisect bisect = {.pairs = &one, .pair_count = 1};
    struct ras_error err;
    if (ras_rundiff(&one.diff, p->sides[0]->run, p->sides[1]->run, how, &err) < 0)
        return compare_fail(call, p, &err);
    bisect.nearest = ras_runbisect_nearest(&bisect);
    struct ras_sink *sink = call_sink(call);
    json_text(&call->json, "verdict", ras_rundiff_status(one.diff));
    put_sides(call, p, NULL);
    int status = !sink ? RAS_EMEMORY
                 : b   ? ras_runbisect_json(sink, &bisect, b, RAS_LAYOUT_LINE, &err)
                       : ras_rundiff_json(sink, one.diff, how, RAS_LAYOUT_LINE, &err);
    bool fine = sink && call_put_sink(call, b ? "bisect" : "diff", sink, status, p->paths[1], &err);
    ras_rundiff_free(one.diff);
    return fine;
}

/* ---- the tools ------------------------------------------------------------------------------ */

bool tool_diff(struct mcp_call *call)
{
    struct ras_compare_options how = compare_how(call);
    const struct mcp_value *first = call_value(call, "first"), *last = call_value(call, "last");
    struct pair p;
    if (!pair_open(call, &p))
        return false;
    how.has_first = first->given;
    how.has_last = last->given;
    how.first = (int64_t)first->number;
    how.last = (int64_t)last->number;
    how.any_paths = p.sides[0]->run;
    json_object(&call->json, NULL);
    bool fine = p.sides[0]->run ? put_rundiff(call, &p, &how, NULL) : put_diff(call, &p, &how);
    json_close(&call->json);
    return fine;
}

bool tool_bisect(struct mcp_call *call)
{
    struct ras_compare_options how = compare_how(call);
    const struct ras_bisect_options window = {.struct_size = sizeof window,
                                              .compare = &how,
                                              .before = call_number(call, "before", 2),
                                              .after = call_number(call, "after", 2)};
    struct pair p;
    if (!pair_open(call, &p))
        return false;
    how.any_paths = p.sides[0]->run;
    json_object(&call->json, NULL);
    bool fine =
        p.sides[0]->run ? put_rundiff(call, &p, &how, &window) : put_bisect(call, &p, &window);
    json_close(&call->json);
    return fine;
}
