/* cmd_du.c - where the bytes of a trace go. */
#include "cli/session.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct options {
    struct common common;
    const char *by;
    struct number limit;
};

static const char *const by_words[] = {"type", "field", "frame", "stream", NULL};

static enum ras_du_by by_what(const char *word)
{
    for (int i = 0; word && by_words[i]; i++)
        if (!strcmp(word, by_words[i]))
            return (enum ras_du_by)i;
    return RAS_DU_TYPE;
}

static void du_put_text(struct answer *a, const struct options *o, const char *path,
                        const struct ras_trace *t, const struct ras_du *du)
{
    uint64_t size = ras_size(t);
    size_t shown =
        o->limit.given && o->limit.value < du->part_count ? (size_t)o->limit.value : du->part_count;
    answer_path(a, path, "");
    answer_format(a, ": %s, %" PRIu64 " bytes\n", ras_format_of(t)->name, size);
    answer_format(a, "%12s %6s %12s %10s  %s\n", "bytes", "share", "raw", "records", "what");
    for (size_t i = 0; i < shown; i++) {
        const struct ras_usage *u = &du->parts[i];
        double share = size ? 100.0 * (double)u->bytes / (double)size : 0;
        answer_format(a, "%12" PRIu64 " %5.1f%% %12" PRIu64 " %10" PRIu64 "  %s ", u->bytes, share,
                      u->raw_bytes, u->records, u->kind);
        answer_text(a, u->name, strlen(u->name));
        answer_format(a, "\n");
    }
    if (shown < du->part_count)
        answer_format(a, "and %zu more\n", du->part_count - shown);
}

/* Counting bytes does not find the ending; a walk over the records does. */
static int du_say_loss(const struct options *o, const char *path, struct ras_trace *t)
{
    struct ras_scan scan = {.headers_only = true};
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err;
    int status = ras_cursor_open(&c, t, &scan, &err);
    while (status == RAS_OK)
        status = ras_next(c, &r, &err);
    ras_cursor_close(c);
    if (status < 0)
        return trouble_at(path, &err);
    struct ras_ending ending = ras_ending(t);
    return say_ending(path, t, &ending, o->common.quiet);
}

static int du_show(void *options, const char *path, struct answer *answer)
{
    const struct options *o = options;
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    struct ras_du *du;
    struct ras_error err;
    int status = 0;
    struct progress progress;
    progress_start(&progress, &o->common, "du", answer->pager > 0);
    int done = ras_du(&du, trace, by_what(o->by), progress_at, &progress, &err);
    progress_stop(&progress);
    if (done < 0) {
        ras_close(trace);
        return trouble_at(path, &err);
    }
    answer_item(answer);
    if (!o->common.json)
        du_put_text(answer, o, path, trace, du);
    else if (ras_du_json(answer->sink, path, trace, du, &err) < 0)
        status = trouble_at(path, &err);
    if (!status) {
        answer_flush(answer);
        status = du_say_loss(o, path, trace);
    }
    ras_du_free(du);
    ras_close(trace);
    return status;
}

static int du_run(void *options)
{
    return each_operand(options, du_show);
}

static const struct option_row rows[] = {
    {"by", 0, OPTION_TEXT, "WHAT", "group by type (default), field, frame or stream", by_words,
     offsetof(struct options, by)},
    {"limit", 'n', OPTION_NUMBER, "N", "show only the N largest", NULL,
     offsetof(struct options, limit)},
    {"all", 0, OPTION_ALL, NULL, "show all (default)", NULL, offsetof(struct options, limit)},
    {0},
};

const struct command cmd_du = {
    .name = "du",
    .operands = "TRACE...",
    .about = "show where the bytes go: types, fields, frames, pools, streams",
    .text =
        "Counts every stored byte once, so the figures add up to the size of the trace.\n"
        "\"raw\" is the size after decompression. The bytes of a compressed trace are divided in\n"
        "proportion to the decompressed sizes.\n",
    .examples = "rastrum du run.murk\nrastrum du --by field --limit 10 run.murk\n",
    .exits = "0 shown; 2 error; 3 shown, but a trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = du_run,
};
