/* cmd_bisect.c - where a bad trace diverges from good ones, and the window around it.
 *
 * --draws: both traces are executed once for the hashes of their frames. Of the first frame that
 * differs, or the one given by --frame, the picture after each draw is hashed in both; the two
 * pictures after the first draw that differs are compared. */
#include "cli/detail_text.h"
#include "cli/pictures.h"
#include "cli/rundirs.h"
#include "cli/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct draws_options {
    struct number frame; /* else the first one that differs */
    const char *size;
};

struct row {
    uint64_t number, offset; /* of a frame or a draw */
    uint8_t sha256[RAS_SHA256_SIZE];
};

struct rows {
    struct row *at;
    size_t count, room;
};

struct side {
    const char *path;
    struct ras_trace *trace;
    struct rows frames, draws;
    struct ras_picture picture; /* after the draw that differs */
    char inexact[120];          /* why a frame cannot be compared; "": it can */
    uint64_t inexact_frame;
    bool nomem;
    bool said_size;
    bool quiet;
    struct ras_canvas canvas; /* of both */
    struct progress *progress;
    unsigned pass; /* the index of this execution among all */
};

enum { SIDES = 2, PASSES = 3 }; /* for the frames, the draws of one, and the draw that differs */

/* What was found. */
struct found {
    bool differs, missing; /* the frame; in one of them only */
    uint64_t frame;
    bool has_draw;
    uint64_t draw;
    bool only_one; /* the draw is in one of them only */
    bool compared;
    struct ras_picture_difference difference;
};

static void add_row(struct side *s, struct rows *rows, uint64_t number, uint64_t offset,
                    const struct ras_picture *picture)
{
    if (rows->count == rows->room) {
        size_t room = rows->room * 2 + 64;
        struct row *more = realloc(rows->at, room * sizeof *more);
        s->nomem |= !more;
        if (!more)
            return;
        rows->at = more;
        rows->room = room;
    }
    struct row *row = &rows->at[rows->count++];
    *row = (struct row){.number = number, .offset = offset};
    ras_picture_sha256(picture, row->sha256);
}

static bool draws_show_progress(void *user, uint64_t done, uint64_t total)
{
    const struct side *s = user;
    return progress_at(s->progress, s->pass * total + done, SIDES * PASSES * total);
}

static bool keep_frame(void *user, const struct ras_rendered *f)
{
    struct side *s = user;
    struct ras_rendered on = *f;
    on.size_from = f->size_from == RAS_SIZE_TARGET ? f->size_from : s->canvas.from;
    on.size_offset = s->canvas.offset;
    s->said_size = s->said_size || say_canvas(s->path, &on, s->quiet);
    if (*f->inexact && !*s->inexact) {
        snprintf(s->inexact, sizeof s->inexact, "%.100s", f->inexact);
        s->inexact_frame = f->frame_index;
    }
    add_row(s, &s->frames, f->frame_index, f->offset, &f->picture);
    return !s->nomem && !*s->inexact;
}

static void keep_draw(void *user, const struct ras_drawn *d)
{
    struct side *s = user;
    add_row(s, &s->draws, d->draw, d->offset, &d->after);
}

static bool keep_picture(void *user, const struct ras_rendered *f)
{
    struct side *s = user;
    size_t size = (size_t)f->picture.width * f->picture.height * 4;
    uint8_t *rgba = malloc(size ? size : 1);
    s->nomem |= !rgba;
    if (rgba) {
        memcpy(rgba, f->picture.rgba, size);
        s->picture = (struct ras_picture){f->picture.width, f->picture.height, rgba};
    }
    return false;
}

static bool pass_frame(void *user, const struct ras_rendered *f)
{
    (void)user;
    (void)f;
    return true;
}

/* Execute one side; RAS_END: the requested frame or draw is not there. */
static int render(struct side *s, const struct ras_render_options *how)
{
    struct ras_render_options mine = *how;
    struct ras_render out;
    struct ras_error err;
    mine.user = s;
    mine.progress = s->progress->wanted ? draws_show_progress : NULL;
    mine.width = s->canvas.width;
    mine.height = s->canvas.height;
    int status = ras_render(&out, s->trace, &mine, &err);
    s->pass += SIDES;
    if (status < 0)
        return trouble_at(s->path, &err);
    if (s->nomem)
        return trouble("out of memory");
    if (*s->inexact)
        return trouble("%s: frame %" PRIu64 " is inexact (%s): it cannot be compared",
                       shown_path(s->path), s->inexact_frame, s->inexact);
    return 0;
}

static int render_both(struct side *sides, const struct ras_render_options *how)
{
    int status = 0;
    for (int i = 0; i < SIDES && !status; i++) {
        status = render(&sides[i], how);
        sides[1].said_size |= sides[0].said_size; /* of both */
    }
    return status;
}

static const struct row *row_at(const struct rows *rows, size_t i)
{
    return i < rows->count ? &rows->at[i] : NULL;
}

/* The first frame that differs, by its number and picture, or that only one of them has. */
static void find_frame(const struct side *sides, struct found *f)
{
    for (size_t i = 0; !f->differs; i++) {
        const struct row *a = row_at(&sides[0].frames, i), *b = row_at(&sides[1].frames, i);
        if (!a && !b)
            return;
        if (a && b && a->number == b->number && !memcmp(a->sha256, b->sha256, sizeof a->sha256))
            continue;
        f->differs = true;
        f->missing = !a || !b || a->number != b->number;
        f->frame = !a ? b->number : !b || a->number < b->number ? a->number : b->number;
    }
}

static void find_draw(const struct side *sides, struct found *f)
{
    for (size_t i = 0;; i++) {
        const struct row *a = row_at(&sides[0].draws, i), *b = row_at(&sides[1].draws, i);
        if (!a && !b)
            return;
        if (a && b && !memcmp(a->sha256, b->sha256, sizeof a->sha256))
            continue;
        f->differs = f->has_draw = true;
        f->only_one = !a || !b;
        f->draw = a ? a->number : b->number;
        return;
    }
}

static int compare_draws(struct side *sides, const struct ras_render_options *usual,
                         struct found *f)
{
    struct ras_render_options how = *usual;
    how.has_frame = true;
    how.frame = f->frame;
    how.frame_shown = pass_frame;
    how.drawn = keep_draw;
    int status = render_both(sides, &how);
    if (status)
        return status;
    if (!sides[0].draws.count && !sides[1].draws.count && !f->differs)
        return trouble("neither trace has draws in frame %" PRIu64, f->frame);
    find_draw(sides, f);
    if (!f->has_draw || f->only_one)
        return 0;
    how.has_draw = true;
    how.draw = f->draw;
    how.frame_shown = keep_picture;
    how.drawn = NULL;
    status = render_both(sides, &how);
    f->compared = !status && sides[0].picture.rgba && sides[1].picture.rgba &&
                  ras_picture_compare(&sides[0].picture, &sides[1].picture, &f->difference);
    return status;
}

/* ---- the answer -------------------------------------------------------------------------- */

static const struct row *draw_of(const struct side *s, const struct found *f)
{
    for (size_t i = 0; f->has_draw && i < s->draws.count; i++)
        if (s->draws.at[i].number == f->draw)
            return &s->draws.at[i];
    return NULL;
}

static void draws_put_text(struct answer *a, const struct side *sides, const struct found *f)
{
    static const char *const names[] = {"expected", "actual"};
    const struct ras_picture_difference *d = &f->difference;
    if (!f->differs) {
        answer_format(a, "no frame differs: %s\n",
                      ras_counted(sides[0].frames.count, "frame").text);
        return;
    }
    answer_format(a, "frame %" PRIu64, f->frame);
    if (f->missing)
        answer_format(a, ": only in one of the traces");
    else if (f->only_one)
        answer_format(a,
                      ", draw %" PRIu64 ": only in one of the traces; all before it are the same",
                      f->draw);
    else if (!f->has_draw)
        answer_format(a,
                      ": every draw gives the same picture; another command causes the difference");
    else if (f->compared && !d->sizes)
        answer_format(a,
                      ", draw %" PRIu64 ": %" PRIu64 " pixels differ, from %" PRIu32 ",%" PRIu32
                      " to %" PRIu32 ",%" PRIu32 ", by at most %u",
                      f->draw, d->pixels, d->left, d->top, d->right - 1, d->bottom - 1, d->most);
    else
        answer_format(a, ", draw %" PRIu64 ": the pictures have different sizes", f->draw);
    answer_format(a, "\n");
    for (int i = 0; i < 2 && !f->missing; i++) {
        const struct row *row = draw_of(&sides[i], f);
        answer_format(a, "  %s: ", names[i]);
        answer_path(a, sides[i].path, "");
        if (row)
            answer_format(a, ": offset %" PRIu64, row->offset);
        answer_format(a, ", %s in the frame\n", ras_counted(sides[i].draws.count, "draw").text);
    }
}

static void draws_put_json(struct ras_json *j, const struct side *sides, const struct found *f)
{
    static const char *const names[] = {"expected", "actual"};
    const struct ras_picture_difference *d = &f->difference;
    ras_json_object(j, NULL);
    ras_json_uint(j, "schema_version", 1);
    ras_json_text(j, "status", f->differs ? "diverged" : "ok");
    if (f->differs)
        ras_json_uint(j, "frame_index", f->frame);
    if (f->has_draw)
        ras_json_uint(j, "draw", f->draw);
    if (f->compared && !d->sizes) {
        const uint32_t box[] = {d->left, d->top, d->right, d->bottom};
        ras_json_uint(j, "pixels", d->pixels);
        ras_json_array(j, "box");
        for (int i = 0; i < 4; i++)
            ras_json_uint(j, NULL, box[i]);
        ras_json_end(j);
        ras_json_uint(j, "most", d->most);
    }
    for (int i = 0; i < 2; i++) {
        const struct row *row = draw_of(&sides[i], f);
        ras_json_object(j, names[i]);
        ras_json_text(j, "path", shown_path(sides[i].path));
        ras_json_uint(j, "frames", sides[i].frames.count);
        ras_json_uint(j, "draws", sides[i].draws.count);
        if (row)
            ras_json_uint(j, "offset", row->offset);
        ras_json_end(j);
    }
    ras_json_end(j);
    ras_json_newline(j);
}

static int answer_found(const struct common *common, const struct side *sides,
                        const struct found *f)
{
    struct answer a;
    int status = answer_open(&a, common);
    if (status)
        return status;
    if (common->json)
        draws_put_json(answer_json(&a), sides, f);
    else
        draws_put_text(&a, sides, f);
    return answer_close(&a, f->differs ? EXIT_NO : EXIT_YES);
}

static int find_canvas(const struct draws_options *options, struct side *sides)
{
    struct ras_canvas of[SIDES] = {{.from = RAS_SIZE_OPTION, .offset = RAS_NONE}};
    struct ras_error err;
    int status = read_size(options->size, &of[0].width, &of[0].height);
    for (int i = 0; i < SIDES && !options->size; i++)
        if (ras_canvas_of(sides[i].trace, &of[i], &err) < 0)
            return trouble_at(sides[i].path, &err);
    sides[0].canvas = sides[1].canvas = options->size ? of[0] : ras_canvas_of_two(of[0], of[1]);
    return status;
}

static int compare_sides(const struct common *common, const struct draws_options *options,
                         struct side *sides)
{
    struct ras_render_options how = {.gpu = ras_gpu(), .frame_shown = keep_frame};
    struct found f = {.frame = options->frame.value};
    how.has_frame = options->frame.given;
    how.frame = options->frame.value;
    int status = find_canvas(options, sides);
    if (!status)
        status = render_both(sides, &how);
    if (status)
        return status;
    for (int i = 0; i < 2; i++)
        if (!sides[i].frames.count)
            return options->frame.given
                       ? trouble("%s: frame %" PRIu64 " is not presented",
                                 shown_path(sides[i].path), options->frame.value)
                       : trouble("%s: no frame is presented", shown_path(sides[i].path));
    find_frame(sides, &f);
    if (f.differs && !f.missing)
        status = compare_draws(sides, &how, &f);
    if (!status)
        status = answer_found(common, sides, &f);
    for (int i = 0; i < 2; i++) {
        struct ras_ending ending = ras_ending(sides[i].trace);
        status = worse(status, say_ending(sides[i].path, sides[i].trace, &ending, common->quiet));
    }
    return status;
}

/* Compare the two operands and print the result; returns the exit status. */
static int bisect_draws(const struct common *common, const struct draws_options *options)
{
    struct side sides[SIDES] = {{.path = common->operands.items[0]},
                                {.path = common->operands.items[1]}};
    struct progress progress;
    int status = 0;
    if (common->operands.count != 2)
        return trouble("bisect --draws takes a good trace and a bad one");
    for (int i = 0; i < 2 && !status; i++) {
        sides[i].trace = open_operand(common, sides[i].path, false);
        if (!sides[i].trace)
            status = EXIT_TROUBLE;
        else if (!ras_can_render(sides[i].trace))
            status = trouble("%s: --draws supports only traces with frames of GPU commands",
                             shown_path(sides[i].path));
    }
    for (int i = 0; i < SIDES; i++) {
        sides[i].progress = &progress;
        sides[i].pass = (unsigned)i;
        sides[i].quiet = common->quiet;
    }
    if (!status) {
        progress_start(&progress, common, "bisect", false);
        progress.percent = true;
        status = compare_sides(common, options, sides);
        progress_stop(&progress);
    }
    for (int i = 0; i < 2; i++) {
        ras_picture_free(&sides[i].picture);
        free(sides[i].frames.at);
        free(sides[i].draws.at);
        ras_close(sides[i].trace);
    }
    return status;
}

struct options {
    struct common common;
    struct compare_choice how;
    struct number before, after, jobs;
    const char *json_out;
    bool draws;
    struct draws_options of_frame;
};

static void bisect_put_pair(struct answer *a, const struct ras_diff *d,
                            const struct ras_bisect_options *how)
{
    int64_t first, last;
    put_result(a, d->divergence_count ? "diverged" : "ok");
    if (!d->divergence_count) {
        answer_format(a, " checked=%" PRIu64, d->checked);
        return;
    }
    const struct ras_divergence *v = &d->divergences[0];
    put_found_at(a, v, "first_bad_");
    answer_format(a, " checked=%" PRIu64, d->checked);
    if (ras_bisect_window(v, how->before, how->after, &first, &last))
        answer_format(a, " window=%" PRId64 "..%" PRId64, first, last);
}

/* Several good ones: a line for each, then the one that stays equal to the bad one for longest. */
static void put_results(struct answer *a, const struct ras_bisect *b,
                        const struct ras_bisect_options *how)
{
    for (size_t i = 0; i < b->pair_count; i++) {
        if (!b->pairs[i].diff)
            continue;
        if (b->pair_count > 1) {
            answer_path(a, b->pairs[i].path, "");
            answer_format(a, ": ");
        }
        bisect_put_pair(a, b->pairs[i].diff, how);
        answer_format(a, "\n");
    }
    if (b->pair_count > 1 && b->nearest < b->pair_count) {
        answer_format(a, "nearest=");
        answer_path(a, b->pairs[b->nearest].path, "");
        answer_format(a, "\n");
    }
}

static int bisect_put_json(struct ras_sink *sink, const struct compared *c,
                           enum ras_json_layout layout, struct ras_error *err)
{
    return ras_bisect_json(sink, c->found, c->how, layout, err);
}

static void bisect_put_text(struct answer *a, const struct compared *c)
{
    put_results(a, c->found, c->how);
}

static int bisect_say_failure(const struct ras_bisect_pair *pair, const char *bad)
{
    if (pair->failed < 2)
        return trouble_at(pair->failed ? bad : pair->path, &pair->err);
    return compare_failed(pair->path, bad, &pair->err);
}

/* Report errors and losses of a pair; those of the bad trace, which is in every pair, only once. */
static int say_pair(const struct options *o, const struct ras_bisect_pair *pair, const char *bad,
                    bool *said)
{
    const char *const paths[] = {pair->path, bad};
    if (!pair->diff)
        return bisect_say_failure(pair, bad);
    int status = EXIT_YES;
    for (int i = 0; i < (*said ? 1 : 2); i++)
        status = worse(status, say_ending_of(paths[i], pair->part[i], &pair->diff->endings[i],
                                             o->common.quiet));
    *said = true;
    for (size_t i = 0; i < pair->diff->note_count; i++)
        remark(o->common.quiet, "%s: %s", shown_path(pair->path), pair->diff->notes[i]);
    return status;
}

static int bisect_pair(const struct options *o, struct ras_bisect_options *how,
                       const struct list *paths)
{
    struct ras_bisect *b;
    struct ras_error err;
    struct progress progress;
    progress_start(&progress, &o->common, "bisect", false);
    progress.percent = true;
    how->progress = progress_at;
    how->user = &progress;
    int done = ras_bisect(&b, paths->items, paths->count, how, &err);
    progress_stop(&progress);
    if (done < 0)
        return trouble_with(&err);
    bool any = false, said = false;
    struct compared found = {b, how, bisect_put_json, bisect_put_text, EXIT_YES};
    for (size_t i = 0; i < b->pair_count; i++) {
        const struct ras_diff *d = b->pairs[i].diff;
        any |= d != NULL;
        found.verdict = d && d->divergence_count ? EXIT_NO : found.verdict;
    }
    int worst = any ? put_compared(&o->common, o->json_out, &found) : 0;
    for (size_t i = 0; i < b->pair_count; i++)
        worst = worse(worst, say_pair(o, &b->pairs[i], paths->items[paths->count - 1], &said));
    ras_bisect_free(b);
    return worst;
}

static int bisect_run(void *options)
{
    const struct options *o = options;
    const struct ras_options open = {
        .format = o->common.input_format, .dialect = o->common.dialect, .debug = debug_options()};
    struct ras_tolerance *tolerances = NULL;
    struct ras_compare_options compare = {0};
    struct ras_bisect_options how = {.compare = &compare,
                                     .before = o->before.given ? o->before.value : 12,
                                     .after = o->after.given ? o->after.value : 6,
                                     .open = &open,
                                     .jobs = (unsigned)o->jobs.value};
    if (o->common.operands.count < 2)
        return trouble("bisect takes one or more good traces, then a bad one");
    for (size_t i = 0; i < o->common.operands.count; i++)
        if (!strcmp(o->common.operands.items[i], "-"))
            return trouble("bisect reads its traces more than once: it cannot read standard input");
    if (o->draws)
        return bisect_draws(&o->common, &o->of_frame);
    if (o->of_frame.frame.given || o->of_frame.size)
        return trouble("--%s needs --draws", o->of_frame.size ? "size" : "frame");
    int runs = runs_among(&o->common);
    int status = compare_read_options(&o->common, &o->how, &compare, &tolerances);
    if (!status && runs)
        status = runs < 0 ? EXIT_TROUBLE : bisect_runs(&o->common, &how, o->json_out);
    else if (!status)
        status = bisect_pair(o, &how, &o->common.operands);
    free(tolerances);
    return status;
}

static const struct option_row rows[] = {
    COMPARE_ROWS(struct options, how),
    {"window-before", 0, OPTION_NUMBER, "N", "positions shown before the divergence (default 12)",
     NULL, offsetof(struct options, before)},
    {"window-after", 0, OPTION_NUMBER, "N", "positions shown after it (default 6)", NULL,
     offsetof(struct options, after)},
    {"jobs", 'j', OPTION_NUMBER, "N", "compare N pairs at a time (default: one per processor)",
     NULL, offsetof(struct options, jobs)},
    {"draws", 0, OPTION_FLAG, NULL, "AeroGPU: find the first draw after which the pictures differ",
     NULL, offsetof(struct options, draws)},
    {"frame", 0, OPTION_NUMBER, "N",
     "with --draws: search this frame (default: the first that differs)", NULL,
     offsetof(struct options, of_frame.frame)},
    {"size", 0, OPTION_TEXT, "WxH", "with --draws: canvas size where no render target is set", NULL,
     offsetof(struct options, of_frame.size)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command cmd_bisect = {
    .name = "bisect",
    .operands = "GOOD... BAD",
    .about = "find where a trace diverges from others, and the window around it",
    .text =
        "Compares the last trace with each of the others, in parallel, and prints the first\n"
        "divergence of each pair and a window around it; the window may begin before the\n"
        "first tick. Of several good traces it names the nearest: the one that stays equal for\n"
        "longest. Exits 1 if there is a divergence, as diff does. The operands may also be run\n"
        "directories.\n",
    .examples = "rastrum bisect golden.cdt candidate.cdt\n"
                "rastrum bisect --draws good.aerogputrace bad.aerogputrace\n"
                "rastrum bisect good1.cdt good2.cdt good3.cdt bad.cdt\n",
    .exits = "0 no divergence; 1 a divergence was found; 2 error, or nothing was compared; 3 an\n"
             "input is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = bisect_run,
};
