/* atf_format.c - ATF v2 as a row of the format table. */
#include "base/patch_plan.h"
#include "formats/atf/atf_driver.h"

/* A lone file is recognised by its magic, a directory by the files of a thread. */
static int probe(const struct probe *p)
{
    static const char *const names[] = {"index.atf", "detail.atf", "manifest.json"};
    struct source *same = (struct source *)(uintptr_t)p->source; /* a part is loaded when needed */
    if (!p->is_dir)
        return atf_magic_at(p->head, 0, ATF_INDEX_MAGIC) ||
                       atf_magic_at(p->head, 0, ATF_DETAIL_MAGIC)
                   ? 90
                   : 0;
    for (size_t n = 0; n < 3; n++)
        for (size_t i = 0; i < source_count(p->source); i++) {
            const char *name = source_name(p->source, i);
            const char *slash = strrchr(name, '/');
            if (!strcmp(slash ? slash + 1 : name, names[n]) &&
                (n < 2 || atf_is_session_of_none(same, i)))
                return 90;
        }
    return 0;
}

static uint64_t part_records(const struct ras_trace *t, size_t part)
{
    return atf_session_carried(&((struct atf *)t->priv)->session, part);
}

/* Files that writers and the recorder put into a session; docs/recording.md. */
static const struct made_file session_files[] = {
    {"index.atf", ATF_INDEX_MAGIC, NULL},  {"detail.atf", ATF_DETAIL_MAGIC, NULL},
    {"manifest.json", "{", "\"threads\""}, {ATF_RING_NAME, "RASLANE", NULL},
    {ATF_BASE_NAME, ATF_BASE_MAGIC, NULL}, {ATF_EVENTS_NAME, "TRC", NULL},
    {ATF_TYPES_NAME, NULL, NULL},          {ATF_COUNTS_NAME, ATF_COUNTS_MAGIC, NULL},
    {"functions.map", NULL, NULL},         {PATCH_PLAN_FILE, PATCH_PLAN_MAGIC, NULL},
    {PATCH_PLAN_UNPLANNED, NULL, NULL},    {0},
};

const struct ras_format atf_format = {
    .about =
        {
            .name = "atf",
            .label = "ATF session",
            .title = "ADA Trace Format v2: the function calls of a run, thread by thread",
            .dialects = (const char *const[]){"production", "spec", NULL},
            .extensions = (const char *const[]){".atf", NULL},
            .axis = RAS_AXIS_TIME,
            .axes = 1u << RAS_AXIS_TIME,
            .can = RAS_CAN_READ | RAS_CAN_STREAM | RAS_CAN_SEEK | RAS_CAN_WRITE | RAS_CAN_REPAIR,
            .options =
                (const struct ras_format_option[]){
                    {"with-detail", "cat", NULL, "join each event with its detail", NULL},
                    {"with-source", "cat", NULL,
                     "the source file and line of each event's function", NULL},
                    {"drop-dangling", "repair", NULL, "clear links to missing records", NULL},
                    {"profile", "diff", NULL, "statistics of both side by side",
                     "cannot be compared by profile"},
                    {"normalise", "diff", NULL, "compare addresses in details by what they lead to",
                     "have no addresses in details"},
                    {"number-addresses", "diff", NULL,
                     "the same, blocks of the heap by order of appearance",
                     "have no addresses in details"},
                    {"call-depth", "export", NULL,
                     "a counter of open calls for each thread, on timelines",
                     "have no calls whose depth could be counted"},
                    {0}},
        },
    .trace_size = sizeof(struct atf),
    .cursor_size = sizeof(struct atf_cursor),
    .probe = probe,
    .open = atf_open,
    .open_reads_end = true,
    .takes_frames = true,
    .close = atf_close,
    .start = atf_start,
    .stop = atf_stop,
    .next = atf_next,
    .seek = atf_seek,
    .seek_counts = true,
    .save = atf_save,
    .load = atf_load,
    .run_count = atf_run_count,
    .run_enter = atf_run_enter,
    .run_known = atf_run_known,
    .clocks = (const struct trace_clock[]){{"media", atf_media_time}, {0}},
    .columns = atf_columns,
    .usage = atf_usage,
    .stats = atf_stats,
    .tree = atf_tree,
    .timeline = &atf_timeline,
    .carried = part_records,
    .repair = atf_repair,
    .rewrite = &atf_rewrite,
    .build = &atf_build,
    .compare = &atf_compare,
    .makes = session_files,
    .ticks = &atf_ticks,
    .rules = atf_rules,
    .check = atf_check,
    .check_ends = true,
};

struct ras_atf_session *ras_atf_session(struct ras_trace *t)
{
    return t->format == &atf_format ? &((struct atf *)t->priv)->session : NULL;
}
