/* cmd_diff.c - the first place in which two traces differ. */
#include "cli/pictures.h"
#include "cli/rundirs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct options {
    struct common common;
    struct comparing how;
    const char *json_out;
};

/* Tables as columns of text. */
static void put_tables(struct answer *a, const struct ras_value *tables)
{
    const struct ras_value *end = tables + 1 + tables->count;
    for (const struct ras_value *name = tables + 1; name < end;) {
        const struct ras_value *table = name + 1;
        put_table(a, name, table);
        name = table + 1 + table->count;
    }
}

/* The channels that a detail speaks of, where it does. */
static void put_channels(struct answer *a, const struct ras_value *detail)
{
    const struct ras_value *list = detail ? ras_member(detail, "mismatches") : NULL;
    const struct ras_value *end = list ? list + 1 + list->count : NULL;
    const char *before = " channels=";
    for (const struct ras_value *row = list ? list + 1 : NULL; row < end; row += 1 + row->count) {
        const struct ras_value *channel = row->kind == RAS_MAP ? ras_member(row, "channel") : NULL;
        if (!channel)
            return;
        answer_format(a, "%s", before);
        put_value(a, channel);
        before = ",";
    }
}

/* With --keep-going every divergence is a line of the answer. */
static void put_all(struct answer *a, const struct ras_diff *d)
{
    for (size_t i = 0; i < d->divergence_count; i++) {
        put_place(a, &d->divergences[i]);
        put_channels(a, d->divergences[i].detail);
        answer_format(a, "\n");
    }
}

/* The verdict is the answer when all is well and a remark when it is not, as the tool
 * has it that came with CDT. */
static void put_verdict(struct answer *a, const struct ras_diff *d)
{
    if (!d->divergence_count) {
        answer_format(a, "result=ok checked=%" PRIu64 "\n", d->checked);
        return;
    }
    struct answer says = {0};
    const struct ras_divergence *first = &d->divergences[0];
    answer_flush(a);
    if (ras_sink_fd(&says.sink, STDERR_FILENO, NULL) < 0)
        return;
    answer_format(&says, "result=diverged ");
    put_place(&says, first);
    answer_format(&says, " checked=%" PRIu64 "\n", d->checked);
    if (first->detail) {
        answer_format(&says, "detail=");
        (void)!ras_json_value(says.sink, first->detail, d->bare_nan, RAS_JSON_LINE, NULL);
        answer_format(&says, "\n");
    }
    (void)answer_close(&says, 0);
}

static int put_json(struct ras_sink *sink, const struct compared *c, enum ras_json_layout layout,
                    struct ras_error *err)
{
    return ras_json_diff(sink, c->found, c->how, layout, err);
}

static void put_text(struct answer *a, const struct compared *c)
{
    const struct ras_compare_options *how = c->how;
    const struct ras_diff *d = c->found;
    if (how->keep_going)
        put_all(a, d);
    put_verdict(a, d);
    if (d->tables)
        put_tables(a, d->tables);
}

/* The pictures of a frame that differs, as files. */
struct showing {
    const char *dir;
    int status;
};

static int show_pictures(void *user, uint64_t index, const struct ras_picture *expected,
                         const struct ras_picture *actual)
{
    struct showing *s = user;
    s->status = write_pictures(s->dir, index, expected, actual);
    return s->status ? RAS_EIO : RAS_OK;
}

static int diff(const struct options *o, struct ras_compare_options *how,
                struct ras_trace *const *sides)
{
    struct ras_diff *d;
    struct ras_error err;
    struct progress progress;
    struct showing showing = {o->how.png, 0};
    if (o->how.png) {
        how->pictures = show_pictures;
        how->pictures_user = &showing;
    }
    progress_start(&progress, &o->common, "diff", false);
    how->progress = progress_at;
    how->user = &progress;
    int status = ras_diff(&d, sides[0], sides[1], how, &err);
    progress_stop(&progress);
    if (showing.status)
        return showing.status;
    if (status < 0)
        return comparing_failed("diff", o->common.operands.items[0], o->common.operands.items[1],
                                &err);
    const struct compared found = {d, how, put_json, put_text,
                                   d->divergence_count ? EXIT_NO : EXIT_YES};
    status =
        say_endings(&o->common, sides, d->endings, put_compared(&o->common, o->json_out, &found));
    for (size_t i = 0; i < d->note_count; i++)
        remark(o->common.quiet, "%s", d->notes[i]);
    ras_diff_free(d);
    return status;
}

static int run(void *options)
{
    const struct options *o = options;
    struct ras_compare_options how;
    struct ras_tolerance *tolerances;
    struct ras_trace *sides[2];
    int runs = runs_among(&o->common);
    int status = comparing_read(&o->how, &how, &tolerances);
    if (!status && (o->how.png || o->how.size) && !o->how.pixels)
        status = trouble("--png and --size go with --pixels");
    if (!status)
        status = read_size(o->how.size, &how.width, &how.height);
    if (!status && runs)
        status = runs < 0 ? EXIT_TROUBLE : diff_runs(&o->common, &how, o->json_out);
    else if (!status)
        status = open_sides(&o->common, "diff", sides);
    if (!status && !runs) {
        status = diff(o, &how, sides);
        ras_close(sides[0]);
        ras_close(sides[1]);
    }
    free(tolerances);
    return status;
}

static const struct option_row rows[] = {
    COMPARING_ROWS(struct options, how),
    {"keep-going", 'k', OPTION_FLAG, NULL, "list every divergence, not the first alone", NULL,
     offsetof(struct options, how.keep_going)},
    {"profile", 0, OPTION_FLAG, NULL, "ATF: the functions' counts and times side by side", NULL,
     offsetof(struct options, how.profile)},
    {"pixels", 0, OPTION_FLAG, NULL, "AeroGPU: compare replayed frames", NULL,
     offsetof(struct options, how.pixels)},
    {"png", 0, OPTION_TEXT, "DIR", "with --pixels: frames that differ, as pictures, and where",
     NULL, offsetof(struct options, how.png)},
    {"size", 0, OPTION_TEXT, "WxH", "with --pixels: the canvas, where no target is set: 64x64",
     NULL, offsetof(struct options, how.size)},
    {"json-out", 0, OPTION_TEXT, "FILE", "also write the report there, as indented JSON", NULL,
     offsetof(struct options, json_out)},
    {0},
};

const struct command cmd_diff = {
    .name = "diff",
    .operands = "EXPECTED ACTUAL",
    .about = "find the first place in which two traces differ",
    .text = "Compares two traces of one format and stops at the first divergence, or lists all\n"
            "of them with --keep-going. A PATH is one of the report; it stands for all that is\n"
            "below it, and * in it for any one name, index or key. Two run directories are\n"
            "compared pen by pen: the first tick at which they part, and what each pen says.\n",
    .examples =
        "rastrum diff golden.cdt candidate.cdt\n"
        "rastrum diff --channel rng_stream --json-out report.json golden.cdt candidate.cdt\n"
        "rastrum diff --ignore 'players[*].ammo' --tolerance 'sim_state=0.001' a.cdt b.cdt\n"
        "rastrum diff --keep-going --time 250us first.trc second.trc\n"
        "rastrum diff --profile --ignore detail first/calls second/calls\n"
        "rastrum diff --pixels --png seen --size 640x480 a.aerogputrace b.aerogputrace\n"
        "rastrum diff first-run second-run\n",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = run,
};
