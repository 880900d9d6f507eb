/* cmd_query.c - the ticks or entities of a trace for which a condition holds. */
#include "cli/looking.h"

struct options {
    struct common common;
    struct number limit;
    const char *json_out;
};

enum { LINES_MOST = 32 };

static int put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *rows = member_of(v, "rows"), *end = rows + 1 + rows->count;
    (void)l;
    put_member(a, "", v, "scope");
    put_member(a, " ", v, "match_count");
    put_member(a, " ", v, "truncated");
    answer_format(a, "\n");
    size_t count = 0;
    for (const struct ras_value *r = rows + 1; r < end && count < LINES_MOST; count++) {
        answer_format(a, "row=");
        (void)!ras_json_value(a->sink, r, true, RAS_JSON_LINE, NULL); /* sticky: close tells */
        answer_format(a, "\n");
        r += 1 + r->count;
    }
    return EXIT_YES;
}

static int run(void *options)
{
    const struct options *o = options;
    const struct list *operands = &o->common.operands;
    const struct looking how = {.common = &o->common,
                                .verb = "query",
                                .json_out = o->json_out,
                                .refused = EXIT_TROUBLE,
                                .operands = 1,
                                .more = 1,
                                .usage = "a trace and an expression",
                                .put_text = put_text};
    if (o->limit.given && !o->limit.value)
        return trouble("--limit takes a number above 0");
    return looking_run(&how,
                       &(struct ras_look){RAS_LOOK_QUERY,
                                          .text = operands->count == 2 ? operands->items[1] : "",
                                          .limit = o->limit.value});
}

static const struct option_row rows[] = {
    {"limit", 'n', OPTION_NUMBER, "N", "keep so many rows: 256", NULL,
     offsetof(struct options, limit)},
    LOOKING_JSON_OUT(struct options),
    {0},
};

const struct command cmd_query = {
    .name = "query",
    .operands = "TRACE EXPRESSION",
    .about = "find ticks or entities of a CDT trace by a condition",
    .text = "The expression is `ticks where L OP R` or `entities where L OP R`, with one of\n"
            "== != >= <= > <. An operand is a field (kills, pos.x), prev(field), true, false,\n"
            "none, or a Python literal; text needs quotes. A row without the field has None\n"
            "there, which compares as text with a number. All matches are counted; text shows\n"
            "the first 32, and no match is no failure.\n",
    .examples = "rastrum query run.cdt 'ticks where checkpoint.kills > prev(checkpoint.kills)'\n"
                "rastrum query --json run.cdt \"entities where pool_kind == 'bonus'\"\n",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run,
};
