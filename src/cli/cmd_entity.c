/* cmd_entity.c - one entity of a trace through its ticks. */
#include "cli/looking.h"

struct options {
    struct common common;
    const char *ticks, *json_out;
};

enum { LINES_MOST = 32 };

static int put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *samples = member_of(v, "samples"), *end = samples + 1 + samples->count;
    size_t count = 0;
    (void)l;
    for (const struct ras_value *s = samples + 1; s < end; s += 1 + s->count)
        count++;
    answer_format(a, "uid=");
    put_value(a, member_of(v, "entity_uid"));
    put_member(a, " ", v, "pool_kind");
    put_member(a, " ", v, "spawn_tick");
    put_member(a, " ", v, "despawn_tick");
    answer_format(a, " samples=%zu\n", count);
    count = 0;
    for (const struct ras_value *s = samples + 1; s < end && count < LINES_MOST; count++) {
        const struct ras_value *pos = member_of(s, "pos");
        answer_format(a, "sample tick=");
        put_value(a, member_of(s, "tick_index"));
        put_member(a, " ", s, "index");
        put_member(a, " ", s, "type_id");
        put_member(a, " ", s, "hp");
        answer_format(a, " pos=(");
        put_value(a, member_of(pos, "x"));
        answer_format(a, ",");
        put_value(a, member_of(pos, "y"));
        answer_format(a, ")\n");
        s += 1 + s->count;
    }
    return EXIT_YES;
}

static int run(void *options)
{
    const struct options *o = options;
    const struct list *operands = &o->common.operands;
    struct ras_look look = {RAS_LOOK_ENTITY, .text = o->ticks};
    const struct looking how = {.common = &o->common,
                                .verb = "entity",
                                .json_out = o->json_out,
                                .refused = EXIT_NO,
                                .operands = 1,
                                .more = 1,
                                .usage = "a trace and the uid of an entity",
                                .put_text = put_text};
    if (operands->count == 2 && !integer_parse(operands->items[1], &look.number))
        return trouble("'%s' is no uid", operands->items[1]);
    return looking_run(&how, &look);
}

static const struct option_row rows[] = {
    {"ticks", 0, OPTION_TEXT, "A..B", "only these ticks, both included: A..B, A.., ..B, N", NULL,
     offsetof(struct options, ticks)},
    LOOKING_JSON_OUT(struct options),
    {0},
};

const struct command cmd_entity = {
    .name = "entity",
    .operands = "TRACE UID",
    .about = "follow an entity of a CDT trace through its ticks",
    .text =
        "Every sample with that uid, of all four pools: a uid is the number of a slot, so that\n"
        "a creature and a bonus may have the same one. Text shows the first 32 samples, --json\n"
        "all of them. A negative uid is written behind --.\n",
    .examples = "rastrum entity run.cdt 3\nrastrum entity --ticks 100..200 --json run.cdt 3\n",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run,
};
